/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * instant_engine.c - a UCI engine that answers at once: it plays the moves of its command line in
 * turn, by the number of moves in the position. What a match costs beyond it is the runner's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static char line[1 << 20];
    int plies = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "position", 8) == 0) {
            const char *at = strstr(line, " moves ");
            for (plies = 0; at && (at = strchr(at + 1, ' ')) && at[1] > ' ';)
                plies++;
        } else if (strncmp(line, "go", 2) == 0 && argc > 1) {
            printf("info depth 1 score cp 0 nodes 1 pv\nbestmove %s\n",
                   argv[1 + plies % (argc - 1)]);
        } else if (strncmp(line, "ucinewgame", 10) == 0) {
            plies = 0;
        } else if (strncmp(line, "uci", 3) == 0) {
            puts("uciok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
    }
    return 0;
}
