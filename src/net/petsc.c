/* net/petsc.c  Rows travel by PETSc's star forests (PetscSF), which find out by themselves who wants what. */
#include "net/mpi.h"

#include <mpi.h>
#include <petscsf.h>
#include <stdlib.h>

enum { WIDTHS = 4 };

struct vv_star {
  PetscSF sf;
  int64_t strange; /* rows that come from other ranks */
  int bytes[WIDTHS];
  MPI_Datatype row[WIDTHS]; /* of so many bytes */
  int widths;
};

static vv_status star(const vv_net *n, int32_t roots, int32_t leaves, const vv_place *place, vv_star **out)
{
  vv_star *s = *out = calloc(1, sizeof *s);
  PetscSFNode *remote = malloc(sizeof *remote * ((size_t)leaves + 1));
  bool good = s != NULL && remote != NULL;
  for (int32_t i = 0; good && i < leaves; i++) {
    remote[i] = (PetscSFNode){.rank = place[i].rank, .index = place[i].row};
    s->strange += place[i].rank != n->rank;
  }
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
  vvi_net_mpi_moved(bytes * s->strange);
  check(PetscSFBcastBegin(s->sf, row_of(s, bytes), root, leaf, MPI_REPLACE));
}

static void end(vv_star *s, int bytes, const void *root, void *leaf)
{
  const double since = MPI_Wtime();
  check(PetscSFBcastEnd(s->sf, row_of(s, bytes), root, leaf, MPI_REPLACE));
  vvi_net_mpi_waited(since);
}

static void star_free(vv_star *s)
{
  if (s == NULL) return;
  for (int i = 0; i < s->widths; i++) MPI_Type_free(&s->row[i]);
  check(PetscSFDestroy(&s->sf));
  free(s);
}

vv_status vvi_net_petsc_begin(vv_net *net)
{
  net->star = star, net->begin = begin, net->end = end, net->star_free = star_free;
  if (PetscInitializeNoArguments() != 0) return VV_UNSUPPORTED;
  PetscPopSignalHandler(); /* signals are the program's */
  return VV_OK;
}

void vvi_net_petsc_end(void)
{
  PetscFinalize();
}
