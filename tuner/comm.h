/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comm.h - several processes that fit together (MPI), or one.
 *
 * Built without MPI there is one process and all of this does nothing. With it every process makes
 * the same calls in the same order: each reads its share of the shards, gets the others' positions
 * (exchange.h), and adds up its share of the lanes in which sums are made (rows.h). The lanes' sums
 * go to everybody, who combines them in order, so that a fit has the same bits for any number of
 * processes. Call from one thread.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>

/* STATUS_IO if MPI does not come up. */
Status comm_begin(int *argc, char ***argv, Error *err);
/* With the exit code. Waits for the others; after a failure that they know nothing of, ends them.
 */
void comm_end(int code);

int comm_rank(void); /* 0 .. comm_size() - 1; the first one talks and writes */
int comm_size(void);

/* Where the share of process `rank` of `count` things begins: shares follow each other. */
size_t comm_share(size_t count, int rank);

/*
 * Everybody gets all of an array of `count` things of which each process had its share in place.
 * Thing i is element i, or, with `begins` ([count + 1]), the elements begins[i] .. begins[i + 1].
 */
void comm_gather(void *array, const size_t *begins, size_t count, size_t element_size);

/*
 * The same where each has `have` elements at the beginning of an array with room for all of them:
 * they are moved to their place, in the order of the ranks.
 */
void comm_gather_parts(void *array, size_t have, size_t element_size);

void comm_sum(unsigned long long *values, size_t count);

/* The bytes of the first one. */
void comm_broadcast(void *bytes, size_t size);

/* True for everybody if it is for one. */
bool comm_any(bool mine);

/* A failure for everybody if there is one: who had none gets that of the first who had. */
Status comm_agree(Status mine, Error *err);
