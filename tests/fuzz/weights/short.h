/* a header that stops early */
#define WEIGHTS_PROVENANCE "hand"
static const EvalWeights weights = {
    .material = {
        [PAWN] = S(100, 120), [KNIGHT] = S(-300, 0x1f), // comment
    },
    .piece_square = { [PAWN] = { { S(0, 0), S(1, 2) },
