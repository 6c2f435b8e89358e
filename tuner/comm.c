/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comm.c - several processes that fit together (MPI), or one. */
#include "comm.h"

#include <string.h>

#ifdef CAMPMATE_MPI

#include <mpi.h>
#include <time.h>

static int rank, size = 1;

Status comm_begin(int *argc, char ***argv, Error *err)
{
    int provided;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return error_set(err, STATUS_IO, "MPI does not start");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return STATUS_OK;
}

void comm_end(int code)
{
    enum { PATIENCE = 500 }; /* hundredths of a second */
    int all = 0;
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &all, MPI_STATUS_IGNORE);
    for (int i = 0; !all && (code == 0 || i < PATIENCE); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        MPI_Test(&request, &all, MPI_STATUS_IGNORE);
    }
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Finalize();
}

/* MPI counts in int. */
static void broadcast(char *bytes, size_t count, int root)
{
    enum { PIECE = 1 << 30 };
    for (size_t at = 0; at < count; at += PIECE) {
        size_t left = count - at;
        MPI_Bcast(bytes + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, root, MPI_COMM_WORLD);
    }
}

void comm_gather(void *array, const size_t *begins, size_t count, size_t element_size)
{
    for (int root = 0; root < size && size > 1; root++) {
        size_t begin = comm_share(count, root), end = comm_share(count, root + 1);
        if (begins) {
            begin = begins[begin];
            end = begins[end];
        }
        broadcast((char *)array + begin * element_size, (end - begin) * element_size, root);
    }
}

void comm_gather_parts(void *array, size_t have, size_t element_size)
{
    char *bytes = array;
    unsigned long long mine = have, before = 0;
    if (size == 1)
        return;
    MPI_Exscan(&mine, &before, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        before = 0;
    memmove(bytes + before * element_size, bytes, have * element_size);
    size_t at = 0;
    for (int root = 0; root < size; root++) {
        unsigned long long part = mine;
        MPI_Bcast(&part, 1, MPI_UNSIGNED_LONG_LONG, root, MPI_COMM_WORLD);
        broadcast(bytes + at * element_size, part * element_size, root);
        at += part;
    }
}

void comm_sum(unsigned long long *values, size_t count)
{
    MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UNSIGNED_LONG_LONG, MPI_SUM,
                  MPI_COMM_WORLD);
}

void comm_broadcast(void *bytes, size_t count)
{
    broadcast(bytes, count, 0);
}

bool comm_any(bool mine)
{
    int any = mine;
    if (size > 1)
        MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any != 0;
}

Status comm_agree(Status mine, Error *err)
{
    Error told = {0};
    int first = mine == STATUS_OK ? size : rank;
    if (size == 1)
        return mine;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == size)
        return STATUS_OK;
    if (first == rank && err)
        told = *err;
    told.status = mine;
    broadcast((char *)&told, sizeof told, first);
    if (mine != STATUS_OK)
        return mine;
    return error_set(err, told.status, "process %d: %s", first, told.message);
}

int comm_rank(void)
{
    return rank;
}

int comm_size(void)
{
    return size;
}

#else

Status comm_begin(int *argc, char ***argv, Error *err)
{
    (void)argc, (void)argv, (void)err;
    return STATUS_OK;
}

void comm_end(int code)
{
    (void)code;
}

void comm_gather(void *array, const size_t *begins, size_t count, size_t element_size)
{
    (void)array, (void)begins, (void)count, (void)element_size;
}

void comm_gather_parts(void *array, size_t have, size_t element_size)
{
    (void)array, (void)have, (void)element_size;
}

void comm_sum(unsigned long long *values, size_t count)
{
    (void)values, (void)count;
}

void comm_broadcast(void *bytes, size_t count)
{
    (void)bytes, (void)count;
}

bool comm_any(bool mine)
{
    return mine;
}

Status comm_agree(Status mine, Error *err)
{
    (void)err;
    return mine;
}

int comm_rank(void)
{
    return 0;
}

int comm_size(void)
{
    return 1;
}

#endif

size_t comm_share(size_t count, int of)
{
    return count / (size_t)comm_size() * (size_t)of +
           count % (size_t)comm_size() * (size_t)of / (size_t)comm_size();
}
