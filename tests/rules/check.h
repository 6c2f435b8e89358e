/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.h - checks of the rules tests: a failed one is printed with its place in the data and
 * counted, and the test goes on, so that one run shows how far a mistake reaches.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True if the condition holds. Otherwise prints the printf-style description that follows it
 * (for the first few failures) and counts. */
#define CHECK(condition, ...) ((condition) ? check_passed() : check_failed(#condition, __VA_ARGS__))

/* The halves of CHECK: true, and false. */
bool check_passed(void);
bool check_failed(const char *condition, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints how many checks were made on how many things; returns the exit code of the test. */
int check_summary(const char *things, size_t count);
