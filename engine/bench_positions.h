/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_positions.h - what `campmate bench` searches and counts. Included by bench.c only.
 *
 * The middlegames come from games that engines played (see tests/perft for their counts). Changing
 * a line changes the signature, and with it tests/golden/bench.txt.
 */
#pragma once

/* A FEN, NULL for the start position, and the depth at which perft counts it (0: not at all). The
 * first position that perft counts is the one whose speed is compared with other programs. */
typedef struct BenchPosition {
    const char *variant;
    const char *fen;
    int perft_depth;
} BenchPosition;

/* clang-format off */
static const BenchPosition bench_positions[] = {
    {"mansindam", NULL, 5},
    {"mansindam", "b3k1aM1/r5p2/1pppp3+R/3cQ4/p3Qp2N/9/1P1N1P1PP/2N1K+CA1p/M6N1[PPPPppb] b - - 0 1", 3},
    {"mansindam", "6mn1/1b3N3/+R1pk1pc1p/PQ4Pp1/6p1P/p4P1R1/1PPPP1na1/3K1N2c/M5B1q[PPPpa] b - - 0 1", 3},
    {"mansindam", "1nb4nm/Ar1k2q2/p2pppp1p/1pp4A1/P8/1PP2Q1cP/N2PP1NP1/9/M1C1K1B1R[Ppp] w - - 0 1", 3},
    {"mansindam", "rnbak1cnm/6q2/ppppppppp/9/9/9/PPPPPPPPP/2Q2B3/MNC1KA1NR[] b - - 0 1", 3},
    {"mansindam", "r1bb1k1qc/a4cM2/3pppn2/2p6/P+M4p1N/4P1PP1/1PPPKP2P/5A3/1N4QNR[PPPP] b - - 0 1", 3},
    {"mansindam", "rnbnk4/3a1q3/pppc1p3/3p3p1/1Q3b3/P6P1/1N1PP1P1P/M3ANp2/1PK6[PPMpprc] b - - 0 1", 3},
    {"mansindam", "1nbk1qAnm/7r1/p5ppp/1p+Cp1p3/9/P8/1PPPPPNPP/2M1A4/1N1Q1KB1R[PPCp] w - - 0 1", 3},
    {"mansindam", "rnbnk3p/qm6q/ppp2p3/c1Pp3p1/4cbaP1/P3RP2P/1NMPP1P2/2A6/1PK3+p2[pn] w - - 0 1", 3},
};

/* Search depth by variant: about a second for all its positions in a release build. */
static const struct BenchDepth {
    const char *variant;
    int depth;
} bench_depths[] = {
    {"mansindam", 12},
};
/* clang-format on */
