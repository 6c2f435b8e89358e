/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz.h - what the fuzz targets share. A target is one file NAME_fuzz.c with
 * LLVMFuzzerTestOneInput; its seeds are tests/fuzz/NAME/. The fuzz preset links it with libFuzzer,
 * every build with replay.c, which runs the seeds and some damaged copies of them as a test.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file for functions that want a path: the path of an unlinked file, valid until
 * the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* The bytes as malloc'ed text with a NUL behind them. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Ends the run with a report if something is not as it must be; sanitizers do the rest. */
#define FUZZ_EXPECT(condition) ((condition) ? (void)0 : fuzz_broken(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_broken(const char *condition, const char *file, int line);
