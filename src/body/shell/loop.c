/* body/shell/loop.c  Weights of the Loop subdivision surface at the barycentre of a triangle, for any valences.
 *
 * Six neighbours everywhere: the surface over a triangle is a quartic box spline of 12 nodes, and at the barycentre its
 * derivatives are whole numbers over 162 and 9.  Otherwise one step of subdivision helps: the barycentre is that of the
 * middle of the four children, and the 12 nodes of this child have six neighbours each, whatever the valences were.  So the
 * weights are those of the child times what subdivision makes of the nodes of the patch.                    [shell 3, 4] */
#include "body/shell/shell.h"

#include "math/math.h"

#include <string.h>

/* Nodes of a regular patch by their places (i, j) in the lattice; the corners are 3, 6, 7:
 *   (0,-1) (-1,0) (1,-1) (0,0) (-1,1) (2,-1) (1,0) (0,1) (-1,2) (2,0) (1,1) (0,2) */
static const double regular[SHELL_REGULAR][SHELL_WEIGHTS] = {
    /* 324 N   162 ,1   162 ,2   9 ,11   9 ,22   9 ,33 */
    {1, -4, -5, 1, 2, 0},   {1, -5, -4, 2, 1, 0}, {14, 0, -30, -2, 4, 4},  {92, -78, -78, -2, -2, -8},
    {14, -30, 0, 4, -2, 4}, {1, 4, -1, 1, 0, 2},  {92, 78, 0, -2, -8, -2}, {92, 0, 78, -8, -2, -2},
    {1, -1, 4, 0, 1, 2},    {1, 5, 1, 2, 0, 1},   {14, 30, 30, 4, 4, -2},  {1, 1, 5, 0, 2, 1},
};

const int shell_lattice[SHELL_REGULAR] = {3, 6, 7, 4, 1, 0, 2, 5, 9, 10, 11, 8};

/* Corner i + 1, corner i + 2, then what lies between the triangles beside them; the last is the first of the next corner. */
int shell_patch_size(const int valence[3])
{
  const int n = valence[0] + valence[1] + valence[2] - 6;
  for (int i = 0; i < 3; i++)
    if (valence[i] < 3) return 0;
  return n > 3 && n <= SHELL_MOST_NODES ? n : 0;
}

void shell_patch_nodes(const int valence[3], const int *const ring[3], int corner[3], int *out)
{
  int n = 0;
  for (int i = 0; i < 3; i++) out[n++] = corner[i];
  for (int i = 0; i < 3; i++)
    for (int k = 2; k <= valence[i] - 2; k++) out[n++] = ring[i][k];
}

int shell_patch_place(const int valence[3], int i, int k)
{
  int start = 3;
  k %= valence[i];
  if (k < 2) return (i + 1 + k) % 3;
  if (k == valence[i] - 1) { /* the first of the next corner that has one */
    i = (i + 1) % 3, k = 2;
    while (valence[i] == 3) i = (i + 1) % 3;
  }
  for (int c = 0; c < i; c++) start += valence[c] - 3;
  return start + k - 2;
}

double shell_limit_weight(int valence)
{
  const double n = valence, c = 0.375 + 0.25 * cos(2.0 * VV_PI / n), beta = (0.625 - c * c) / n;
  return 1.0 / (0.375 / beta + n);
}

/* 3/8 of the ends of an edge, 1/8 of the nodes on its sides: the edge from corner i to its neighbour k. */
static void middle(const int valence[3], int i, int k, double *row)
{
  const int n = valence[i];
  row[i] += 0.375;
  row[shell_patch_place(valence, i, k)] += 0.375;
  row[shell_patch_place(valence, i, k + 1)] += 0.125;
  row[shell_patch_place(valence, i, k + n - 1)] += 0.125;
}

static void even(const int valence[3], int i, double *row)
{
  const double n = valence[i], c = 0.375 + 0.25 * cos(2.0 * VV_PI / n), beta = (0.625 - c * c) / n;
  row[i] += 1.0 - n * beta;
  for (int k = 0; k < valence[i]; k++) row[shell_patch_place(valence, i, k)] += beta;
}

/* The twelve nodes of the middle child, whose corners are the middles of the sides 12, 20, 01.  Its coordinates are
 * s = 1 - 2 xi, t = 1 - 2 eta, so first derivatives change by -2 and second ones by 4.                         [shell 3] */
void shell_weights(const int valence[3], double (*weight)[SHELL_WEIGHTS])
{
  const int n = shell_patch_size(valence), last[3] = {valence[0] - 1, valence[1] - 1, valence[2] - 1};
  static const double scale[SHELL_WEIGHTS] = {1.0 / 324.0, -2.0, -2.0, 4.0, 4.0, 4.0};
  double child[SHELL_REGULAR][SHELL_MOST_NODES] = {{0}};
  middle(valence, 2, 2, child[0]), middle(valence, 1, last[1], child[1]);
  even(valence, 2, child[2]), middle(valence, 1, 0, child[3]), even(valence, 1, child[4]);
  middle(valence, 2, last[2], child[5]), middle(valence, 2, 0, child[6]), middle(valence, 0, 0, child[7]);
  middle(valence, 1, 2, child[8]), middle(valence, 0, 2, child[9]);
  even(valence, 0, child[10]), middle(valence, 0, last[0], child[11]);
  for (int i = 0; i < n; i++)
    for (int w = 0; w < SHELL_WEIGHTS; w++) {
      double sum = 0.0;
      for (int c = 0; c < SHELL_REGULAR; c++) sum += regular[c][w] * child[c][i];
      weight[i][w] = scale[w] * sum;
    }
  if (valence[0] != 6 || valence[1] != 6 || valence[2] != 6) return;
  for (int i = 0; i < n; i++) { /* the same, without rounding */
    memcpy(weight[i], regular[shell_lattice[i]], sizeof weight[i]);
    weight[i][W_N] /= 324.0;
  }
}

/* ---- any dyadic point ---- */

typedef double patch_rows[SHELL_MOST_NODES][SHELL_MOST_NODES];

/* The patch of the child at corner i: that corner keeps its valence, the two new ones have six neighbours.  Rings are told as
 * shell_patch_nodes wants them.                                                                               [shell 3a] */
static void corner_child(const int valence[3], int i, int out[3], patch_rows child)
{
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  int n = 0;
  out[0] = valence[i], out[1] = out[2] = 6;
  even(valence, i, child[n++]), middle(valence, i, 0, child[n++]), middle(valence, i, 1, child[n++]);
  for (int r = 2; r <= valence[i] - 2; r++) middle(valence, i, r, child[n++]);
  middle(valence, i, valence[i] - 1, child[n++]), middle(valence, j, 2, child[n++]), even(valence, j, child[n++]);
  middle(valence, j, 0, child[n++]), even(valence, k, child[n++]), middle(valence, k, valence[k] - 1, child[n++]);
}

static void middle_child(const int valence[3], int out[3], patch_rows child)
{
  const int last[3] = {valence[0] - 1, valence[1] - 1, valence[2] - 1};
  double at[SHELL_REGULAR][SHELL_MOST_NODES] = {{0}};
  middle(valence, 2, 2, at[0]), middle(valence, 1, last[1], at[1]), even(valence, 2, at[2]);
  middle(valence, 1, 0, at[3]), even(valence, 1, at[4]), middle(valence, 2, last[2], at[5]);
  middle(valence, 2, 0, at[6]), middle(valence, 0, 0, at[7]), middle(valence, 1, 2, at[8]);
  middle(valence, 0, 2, at[9]), even(valence, 0, at[10]), middle(valence, 0, last[0], at[11]);
  for (int i = 0; i < SHELL_REGULAR; i++) memcpy(child[i], at[shell_lattice[i]], sizeof at[0]);
  for (int i = 0; i < 3; i++) out[i] = 6;
}

/* rows <- child rows, for a child of n nodes of a patch of m, over `all` nodes of the first patch. */
static void descend(int n, int m, int all, patch_rows child, patch_rows rows)
{
  patch_rows next;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < all; c++) {
      next[i][c] = 0.0;
      for (int k = 0; k < m; k++) next[i][c] += child[i][k] * rows[k][c];
    }
  for (int i = 0; i < n; i++) memcpy(rows[i], next[i], sizeof next[i]);
}

void shell_limit_row(const int valence[3], const double at[3], double *row)
{
  enum { DEPTH = 24 };
  const int all = shell_patch_size(valence);
  int v[3] = {valence[0], valence[1], valence[2]};
  double b[3] = {at[0], at[1], at[2]};
  static const patch_rows none;
  patch_rows rows, child;
  memset(rows, 0, sizeof rows);
  for (int i = 0; i < all; i++) rows[i][i] = 1.0;
  for (int depth = 0; depth < DEPTH && b[0] < 1.0 && b[1] < 1.0 && b[2] < 1.0; depth++) {
    const int m = shell_patch_size(v), i = b[0] >= 0.5 ? 0 : b[1] >= 0.5 ? 1 : b[2] >= 0.5 ? 2 : -1;
    int next[3];
    memcpy(child, none, sizeof child);
    if (i < 0) {
      middle_child(v, next, child);
      for (int c = 0; c < 3; c++) b[c] = 1.0 - 2.0 * b[c];
    } else {
      const double was[3] = {b[0], b[1], b[2]};
      corner_child(v, i, next, child);
      b[0] = 2.0 * was[i] - 1.0, b[1] = 2.0 * was[(i + 1) % 3], b[2] = 2.0 * was[(i + 2) % 3];
    }
    descend(shell_patch_size(next), m, all, child, rows);
    memcpy(v, next, sizeof v);
  }
  const int i = b[0] >= b[1] && b[0] >= b[2] ? 0 : b[1] >= b[2] ? 1 : 2;
  const double w = shell_limit_weight(v[i]);
  for (int c = 0; c < all; c++) {
    row[c] = (1.0 - v[i] * w) * rows[i][c];
    for (int k = 0; k < v[i]; k++) row[c] += w * rows[shell_patch_place(v, i, k)][c];
  }
}
