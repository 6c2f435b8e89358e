/* SPDX-License-Identifier: GPL-3.0-or-later */
/* affinity.c - CPUs of its own for each of the games that are played at the same time. */
#include "affinity.h"

#include <stdlib.h>

int affinity_allowed(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

Status affinity_divide(int games, int cpus, cpu_set_t **sets, Error *err)
{
    cpu_set_t allowed;
    *sets = NULL;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return error_set_errno(err, "--affinity: which CPUs may be used is not known");
    if ((long)games * cpus > CPU_COUNT(&allowed))
        return error_set(err, STATUS_ARGUMENT,
                         "--affinity: %d games at the same time with %d CPU%s each need %ld, but "
                         "only %d CPU%s may be used here",
                         games, cpus, cpus == 1 ? "" : "s", (long)games * cpus, CPU_COUNT(&allowed),
                         CPU_COUNT(&allowed) == 1 ? "" : "s");
    cpu_set_t *list = calloc((size_t)games, sizeof *list);
    if (!list)
        return error_set(err, STATUS_NO_MEMORY, "--affinity: out of memory");
    int taken = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && taken < games * cpus; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            CPU_SET(cpu, &list[taken++ / cpus]);
    *sets = list;
    return STATUS_OK;
}
