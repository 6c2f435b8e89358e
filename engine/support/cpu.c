/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu.c - the CPU check. Compiled for the baseline x86-64, so that it runs anywhere. */
#include "support/cpu.h"

#include "support/cpu_needs.h"
#include "support/version.h"

#include <stdbool.h>

Status cpu_check(Error *err)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    static const char *const names[] = {
#define FEATURE_NAME(id, name) [CPU_##id] = name,
        CPU_FEATURES(FEATURE_NAME)
#undef FEATURE_NAME
    };
    /* The builtin wants literals, hence no loop over names. */
    const bool has[] = {
#define FEATURE_HAS(id, name) [CPU_##id] = __builtin_cpu_supports(name) != 0,
        CPU_FEATURES(FEATURE_HAS)
#undef FEATURE_HAS
    };
    for (int i = 0; i < CPU_FEATURE_COUNT; i++)
        if (cpu_needs[i] && !has[i])
            return error_set(err, STATUS_ARGUMENT,
                             "this build is for %s, but the CPU has no %s; build with "
                             "-DCAMPMATE_LEVEL=x86-64",
                             version_level(), names[i]);
#endif
    (void)err;
    return STATUS_OK;
}
