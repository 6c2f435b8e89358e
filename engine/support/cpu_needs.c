/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu_needs.c - what the compiler was allowed to use. Data only: compiled with the full flags. */
#include "support/cpu_needs.h"

/* Naming a feature's row only where its macro exists makes the table follow -march by itself.
 * The first row is always named: an empty initialiser is not C17. */
#ifdef __SSE3__
#define NEEDS_SSE3 1
#else
#define NEEDS_SSE3 0
#endif

const unsigned char cpu_needs[CPU_FEATURE_COUNT] = {
    [CPU_SSE3] = NEEDS_SSE3,
#ifdef __SSSE3__
    [CPU_SSSE3] = 1,
#endif
#ifdef __SSE4_1__
    [CPU_SSE4_1] = 1,
#endif
#ifdef __SSE4_2__
    [CPU_SSE4_2] = 1,
#endif
#ifdef __POPCNT__
    [CPU_POPCNT] = 1,
#endif
#ifdef __AVX__
    [CPU_AVX] = 1,
#endif
#ifdef __AVX2__
    [CPU_AVX2] = 1,
#endif
#ifdef __BMI__
    [CPU_BMI] = 1,
#endif
#ifdef __BMI2__
    [CPU_BMI2] = 1,
#endif
#ifdef __FMA__
    [CPU_FMA] = 1,
#endif
#ifdef __AVX512F__
    [CPU_AVX512F] = 1,
#endif
#ifdef __AVX512BW__
    [CPU_AVX512BW] = 1,
#endif
#ifdef __AVX512CD__
    [CPU_AVX512CD] = 1,
#endif
#ifdef __AVX512DQ__
    [CPU_AVX512DQ] = 1,
#endif
#ifdef __AVX512VL__
    [CPU_AVX512VL] = 1,
#endif
};
