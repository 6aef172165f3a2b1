/* bench/mpi/exchange.c  One exchange of rows by MPI alone and by PETSc, in turn, in one process.
 * mpiexec -n 2 bench_exchange [windows [exchanges of a window]]
 * Each rank gets all rows of the next one.  Prints the least of the windows, which other work on the machine does not change. */
#include "net/mpi.h"
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 3 * (int)sizeof(double) }; /* a place, or a force */

typedef struct carrier {
  const vv_net *net;
  vv_star *star;
  double least; /* s of an exchange */
} carrier;

static void window(carrier *c, int times, const double *root, double *leaf)
{
  double zero = 0.0;
  c->net->least(c->net, 1, &zero); /* together */
  const double began = bench_wall();
  for (int i = 0; i < times; i++) {
    c->net->begin(c->star, WIDTH, root, leaf);
    c->net->end(c->star, WIDTH, root, leaf);
  }
  c->least = fmin(c->least, (bench_wall() - began) / times);
}

enum { GAP = 2 }; /* of two rows one is wanted: rows of a border do not follow each other */

/* Both bring the same rows. */
static bool brings(const carrier *c, int32_t rows, const double *root, double *leaf)
{
  const int from = (c->net->rank + 1) % c->net->ranks;
  c->net->begin(c->star, WIDTH, root, leaf);
  c->net->end(c->star, WIDTH, root, leaf);
  for (int32_t i = 0; i < 3 * rows; i++)
    if (leaf[i] != from + 1.0 / (1.0 + 3 * GAP * (i / 3) + i % 3)) return false;
  return true;
}

static bool measure(const vv_net *net[2], int32_t rows, int windows, int times)
{
  carrier c[2] = {{.net = net[0], .least = INFINITY}, {.net = net[1], .least = INFINITY}};
  const int me = net[0]->rank, from = (me + 1) % net[0]->ranks;
  double *root = calloc(3 * (GAP + 1) * (size_t)rows, sizeof *root), *leaf = root + 3 * GAP * (size_t)rows;
  vv_place *place = calloc((size_t)rows, sizeof *place);
  bool good = root != NULL && place != NULL;
  for (int32_t i = 0; good && i < rows; i++) place[i] = (vv_place){from, GAP * i};
  for (int32_t i = 0; good && i < 3 * GAP * rows; i++) root[i] = me + 1.0 / (1.0 + i);
  for (int k = 0; good && k < 2; k++)
    good = net[k]->star(net[k], GAP * rows, rows, place, &c[k].star) == VV_OK && brings(&c[k], rows, root, leaf);
  for (int i = 0; good && i < windows; i++) window(&c[i % 2], times, root, leaf);
  for (int k = 0; k < 2; k++)
    if (c[k].star != NULL) net[k]->star_free(c[k].star);
  if (good && me == 0)
    printf("%d,%d,%.2f,%.2f,%.2f\n", net[0]->ranks, rows * WIDTH, 1e6 * c[0].least, 1e6 * c[1].least,
           1e6 * (c[1].least - c[0].least));
  free(place), free(root);
  return good;
}

int main(int argc, char **argv)
{
  static const int32_t rows[] = {183, 875, 2500}; /* of cuts of spheres of 4,000, 50,000 and 500,000 triangles in two */
  const int windows = argc > 1 ? atoi(argv[1]) : 4000, times = argc > 2 ? atoi(argv[2]) : 10;
  const vv_net *plain;
  if (vvi_net_mpi_begin(&plain) != VV_OK) return 1;
  vv_net petsc = *plain;
  bool good = vvi_net_petsc_begin(&petsc) == VV_OK;
  if (good && plain->rank == 0) puts("ranks,bytes,mpi_us,petsc_us,more_us");
  for (size_t i = 0; good && i < sizeof rows / sizeof rows[0]; i++)
    good = measure((const vv_net *[2]){plain, &petsc}, rows[i], windows, times);
  vvi_net_petsc_end();
  vvi_net_mpi_end();
  return good ? 0 : 1;
}
