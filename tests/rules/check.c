/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.c - counts and prints failed checks. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

enum { SHOWN_FAILURES = 20 };

static size_t passed, failures;

bool check_passed(void)
{
    passed++;
    return true;
}

bool check_failed(const char *condition, const char *format, ...)
{
    if (failures++ >= SHOWN_FAILURES)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n    failed: %s\n", condition);
    return false;
}

int check_summary(const char *things, size_t count)
{
    printf("%zu %s, %zu checks passed, %zu failed\n", count, things, passed, failures);
    return count && passed && !failures ? 0 : 1;
}
