/* net/petsc.c  Ranks over MPI; rows travel by PETSc's star forests (PetscSF), which find out by themselves who wants what.
 *
 * MPI and PETSc keep state of the process, so this room does, too: one job, begun once and ended once. */
#include "net/petsc.h"

#include <mpi.h>
#include <petscsf.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTHS = 4 };

struct vv_star {
  PetscSF sf;
  int bytes[WIDTHS];
  MPI_Datatype row[WIDTHS]; /* of so many bytes */
  int widths;
};

static vv_status star(const vv_net *n, int32_t roots, int32_t leaves, const vv_place *place, vv_star **out)
{
  (void)n;
  vv_star *s = *out = calloc(1, sizeof *s);
  PetscSFNode *remote = malloc(sizeof *remote * ((size_t)leaves + 1));
  bool good = s != NULL && remote != NULL;
  for (int32_t i = 0; good && i < leaves; i++) remote[i] = (PetscSFNode){.rank = place[i].rank, .index = place[i].row};
  good = good && PetscSFCreate(PETSC_COMM_WORLD, &s->sf) == 0 && PetscSFSetFromOptions(s->sf) == 0 &&
         PetscSFSetGraph(s->sf, roots, leaves, NULL, PETSC_COPY_VALUES, remote, PETSC_COPY_VALUES) == 0 &&
         PetscSFSetUp(s->sf) == 0;
  free(remote);
  return good ? VV_OK : VV_NOMEM;
}

static MPI_Datatype row_of(vv_star *s, int bytes)
{
  for (int i = 0; i < s->widths; i++)
    if (s->bytes[i] == bytes) return s->row[i];
  MPI_Datatype type;
  MPI_Type_contiguous(bytes / (int)sizeof(double), MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  if (s->widths < WIDTHS) s->bytes[s->widths] = bytes, s->row[s->widths++] = type;
  return type;
}

static void check(PetscErrorCode code)
{
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, 2); /* a rank that cannot talk would leave the others waiting */
}

static void begin(vv_star *s, int bytes, const void *root, void *leaf)
{
  check(PetscSFBcastBegin(s->sf, row_of(s, bytes), root, leaf, MPI_REPLACE));
}

static void end(vv_star *s, int bytes, const void *root, void *leaf)
{
  check(PetscSFBcastEnd(s->sf, row_of(s, bytes), root, leaf, MPI_REPLACE));
}

static void star_free(vv_star *s)
{
  if (s == NULL) return;
  for (int i = 0; i < s->widths; i++) MPI_Type_free(&s->row[i]);
  check(PetscSFDestroy(&s->sf));
  free(s);
}

static void sum(const vv_net *n, int count, int64_t *x)
{
  (void)n;
  MPI_Allreduce(MPI_IN_PLACE, x, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void least(const vv_net *n, int count, double *x)
{
  (void)n;
  MPI_Allreduce(MPI_IN_PLACE, x, count, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}

/* Sizes first; then the packages, in the order of the senders and of each sender's list. */
static vv_status deal(const vv_net *n, int packages, const int *to, const void *const *data, const int64_t *bytes,
                      int *got, void ***in, int64_t **in_bytes)
{
  enum { SIZE = 11, DATA = 12 };
  const int ranks = n->ranks;
  int *out = calloc((size_t)ranks, sizeof *out), *come = calloc((size_t)ranks, sizeof *come), k = 0, r = 0;
  for (int i = 0; i < packages; i++) out[to[i]]++;
  MPI_Alltoall(out, 1, MPI_INT, come, 1, MPI_INT, MPI_COMM_WORLD);
  *got = 0;
  for (int i = 0; i < ranks; i++) *got += come[i];
  *in = calloc((size_t)*got + 1, sizeof **in);
  *in_bytes = calloc((size_t)*got + 1, sizeof **in_bytes);
  MPI_Request *request = calloc(2 * (size_t)packages + 1, sizeof *request);
  bool good = *in != NULL && *in_bytes != NULL && request != NULL;
  for (int i = 0; good && i < packages; i++) {
    MPI_Isend(&bytes[i], 1, MPI_INT64_T, to[i], SIZE, MPI_COMM_WORLD, &request[r++]);
    MPI_Isend(data[i], (int)bytes[i], MPI_BYTE, to[i], DATA, MPI_COMM_WORLD, &request[r++]);
  }
  for (int from = 0; good && from < ranks; from++)
    for (int i = 0; good && i < come[from]; i++, k++) {
      MPI_Recv(&(*in_bytes)[k], 1, MPI_INT64_T, from, SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      (*in)[k] = malloc((size_t)(*in_bytes)[k] + 1);
      good = (*in)[k] != NULL;
      if (good) MPI_Recv((*in)[k], (int)(*in_bytes)[k], MPI_BYTE, from, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  MPI_Waitall(r, request, MPI_STATUSES_IGNORE);
  free(out), free(come), free(request);
  return good ? VV_OK : VV_NOMEM;
}

vv_status vvi_net_petsc_begin(const vv_net **out)
{
  static vv_net net;
  net = (vv_net){
      .star = star, .begin = begin, .end = end, .star_free = star_free, .sum = sum, .least = least, .deal = deal};
  if (PetscInitializeNoArguments() != 0) return VV_UNSUPPORTED;
  PetscPopSignalHandler(); /* signals are the program's */
  MPI_Comm_rank(MPI_COMM_WORLD, &net.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &net.ranks);
  *out = &net;
  return VV_OK;
}

void vvi_net_petsc_end(void)
{
  PetscFinalize();
}
