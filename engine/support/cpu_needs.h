/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpu_needs.h - instruction sets that cpu_check knows: name for the compiler's CPU test, and the
 * macro that the compiler defines when it was told to use the set.
 */
#pragma once

#define CPU_FEATURES(X)                                                                            \
    X(SSE3, "sse3")                                                                                \
    X(SSSE3, "ssse3")                                                                              \
    X(SSE4_1, "sse4.1")                                                                            \
    X(SSE4_2, "sse4.2")                                                                            \
    X(POPCNT, "popcnt")                                                                            \
    X(AVX, "avx")                                                                                  \
    X(AVX2, "avx2")                                                                                \
    X(BMI, "bmi")                                                                                  \
    X(BMI2, "bmi2")                                                                                \
    X(FMA, "fma")                                                                                  \
    X(AVX512F, "avx512f")                                                                          \
    X(AVX512BW, "avx512bw")                                                                        \
    X(AVX512CD, "avx512cd")                                                                        \
    X(AVX512DQ, "avx512dq")                                                                        \
    X(AVX512VL, "avx512vl")

#define CPU_FEATURE_INDEX(id, name) CPU_##id,
enum { CPU_FEATURES(CPU_FEATURE_INDEX) CPU_FEATURE_COUNT };
#undef CPU_FEATURE_INDEX

/* [CPU_FEATURE_COUNT]: 1 where the rest of the program was compiled to use the set. */
extern const unsigned char cpu_needs[CPU_FEATURE_COUNT];
