#define WEIGHTS_PROVENANCE "all zero"
static const EvalWeights weights = { .material = { [PAWN] = S(0, 0) } };
