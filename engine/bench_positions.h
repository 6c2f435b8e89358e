/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_positions.h - what `campmate bench` searches and counts. Included by bench.c only.
 *
 * The middlegames come from games that engines and random movers played; where a game begins with a
 * placement, its start, a position in the middle of it and a finished one are among them. Changing
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
    {"shogun", NULL, 5},
    {"shogun", "r1b+fkbnr/p1ppppp1/np4p1/8/P7/4P3/1PPPP1PP/RNB+FKBNR[] w KQkq - 0 6", 3},
    {"shogun", "rnb1kb1r/pp+fp3p/2p1p3/2Pp1pN1/3P4/B1N1P3/PP1+F2PP/R3KB1R[NP] b KQkq - 0 13", 3},
    {"shogun", "r1bNkbn+B/p2pp3/1pppp1p1/7p/2P5/4P3/3P1PPP/+nN1+FKB1R[FRPr] w Kq - 0 11", 3},
    {"shogun", "r2+fkb1r/2p1npp1/p1bn4/1N4p1/+F2pP3/P6P/3P1PP1/R1B1KB1R[NPPPp] w KQkq - 0 16", 3},
    {"shogun", "r2+fk1n1/pb4r1/p1n1pp2/1fB4P/1pn1P2P/2P2P2/P2PNPPP/+b1B2K1R[Pr] b q - 1 23", 3},
    {"shogun", "r1b1k1nr/pp2r2p/4+P3/1P1N1Pnp/b6p/5P1P/1+p2+FP2/4+f1KR[Pbbnppp] w kq - 0 41", 3},
    {"shogun", "2b3p1/3rk1+N1/2p1+B2r/p2p1pp1/7F/1P1R3K/N2P3P/2b2R2[NNPPPPPPPfb] w - - 2 51", 3},
    {"sittuyin", "4r1r1/2knsn2/2sfpppp/pppp4/4PPPP/PPPPFNS1/3S1NK1/2R1R3[] w - - 0 1", 5},
    {"sittuyin", NULL, 0},
    {"sittuyin", "7s/n4ks1/4pppp/pppp4/4PPPP/PPPP3N/2S3F1/5K2[SRRNfrrn] w - - 0 5", 0},
    {"sittuyin", "1r2f1ks/1n2s1r1/1n2pppp/ppp4P/2P1pPP1/PP1P3N/1SS1K1RN/2R1F3[] w - - 3 14", 3},
    {"sittuyin", "rr5s/n1f1n2k/s3ppp1/1ppp1P1p/p3P1PP/PPPPS2F/3RNNS1/4R2K[] w - - 0 16", 3},
    {"sittuyin", "r6r/2k1fn2/3s2Np/np2pp2/7P/P2F1N1K/2S3S1/4RR2[] b - - 1 23", 3},
    {"sittuyin", "4rf2/2s4n/2k5/ppNs2P1/3n2K1/P7/8/RR2S1FS[] w - - 0 31", 3},
    {"sittuyin", "8/1s2n3/3rPpk1/fP4p1/P3P1P1/4K3/2S1R3/7S[] w - - 1 41", 3},
    {"sittuyin", "4f3/8/8/4S2p/P1k5/8/3K4/7F[] w - - 0 56", 3},
    {"burmese", "2r2r2/1k1ns3/1snfpppp/pppp4/4PPPP/PPPPFS2/2SNNK2/1R1R4[] w - - 0 1", 4},
    {"burmese", NULL, 0},
    {"burmese", "7s/n4ks1/4pppp/pppp4/4PPPP/PPPP3N/2S3F1/5K2[SRRNfrrn] w - - 0 5", 0},
    {"burmese", "r6r/2k1fn2/3s2Np/np2pp2/7P/P2F1N1K/2S3S1/4RR2[] b - - 1 23", 3},
    {"burmese", "4rf2/2s4n/2k5/ppNs2P1/3n2K1/P7/8/RR2S1FS[] w - - 0 31", 3},
    {"burmese", "8/1s2n3/3rPpk1/fP4p1/P3P1P1/4K3/2S1R3/7S[] w - - 1 41", 3},
    {"burmese", "4f3/8/8/4S2p/P1k5/8/3K4/7F[] w - - 0 56", 3},
    {"burmese", "4k3/8/8/8/8/8/3R4/4K3[] b - 40 3 60", 3},
    {"miniburmese", "********/*kqrnbg*/*3ppp*/1ppp4/4PPP1/*PPP3*/*GBNRQK*/******** w - - 0 1", 5},
    {"miniburmese", NULL, 0},
    {"miniburmese", "********/*6*/*3ppp*/1ppp4/4PPP1/*PPP1K1*/*N1R1G1*/********[QBkqrbng] w - - 0 1", 0},
    {"miniburmese", "********/*b3kr*/*2qppp*/1pBp4/2n2PP1/*PPP1QK*/*1R1G2*/******** w - - 1 6", 3},
    {"miniburmese", "********/*1k4*/*1G3p*/1pp1gqp1/1P6/*2PQ2*/*1NK2B*/******** w - - 1 11", 3},
    {"miniburmese", "********/*2b1G1*/*2kp2*/1g1n2PK/8/*1r4*/*2G2Q*/******** b - - 1 13", 3},
    {"miniburmese", "********/*gR4*/*3kp1*/2P2p1P/pP3P2/*1P4*/*4QK*/******** w - - 0 16", 3},
    {"miniburmese", "********/*4k1*/*6*/2b3K1/3n4/*6*/*6*/******** b - - 5 23", 3},
};

/* Search depth by variant: about a second for all its positions in a release build. */
static const struct BenchDepth {
    const char *variant;
    int depth;
} bench_depths[] = {
    {"mansindam", 12},
    {"shogun", 10},
    {"sittuyin", 13},
    {"burmese", 10},
    {"miniburmese", 13},
};
/* clang-format on */
