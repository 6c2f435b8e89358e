/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci.h - the UCI protocol, in the dialect that clients of chess variants speak. */
#pragma once

#include "support/error.h"

/*
 * Serves standard input and output until `quit` or the end of input, which both stop a running
 * search and print its bestmove first.
 *
 * Fails only if there is no memory to begin with. Everything that a client can do wrong is
 * answered by an `info string`. Commands that need the searcher (setoption, position, ucinewgame,
 * go, go perft) stop a running search, whose bestmove is printed before they take effect;
 * isready, d and eval are answered while it goes on. `go perft` is not a search: it runs to its
 * end before the next command is read.
 */
Status uci_run(Error *err);
