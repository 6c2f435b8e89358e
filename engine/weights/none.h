/* SPDX-License-Identifier: GPL-3.0-or-later */
/* weights/none.h - all weights 0, for any variant: what a new one begins with. */
#define WEIGHTS_PROVENANCE "all weights 0"
static const EvalWeights weights = {.tempo = S(0, 0)};
