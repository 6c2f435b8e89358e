/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange.h - the positions of all processes to all of them. */
#pragma once

#include "load.h"

/*
 * `sample` holds what this process has read, with `status`; in the end everybody has the rows and
 * counts of all, in the order of the ranks. If one has failed, everybody does. Does nothing where
 * there is one process.
 */
Status exchange_parts(Sample *sample, Status status, Error *err);
