/* geom/mesh/nodes.c  Memory and messages of meshes; nodes merged, dropped, renumbered. */
#include "geom/mesh/inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

vv_status vvi_mesh_fail(char why[VVI_MESH_WHY], vv_status status, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(why, VVI_MESH_WHY, format, list);
  va_end(list);
  return status;
}

vv_status vvi_mesh_no_memory(char why[VVI_MESH_WHY])
{
  return vvi_mesh_fail(why, VV_NOMEM, "out of memory for a mesh");
}

/* Whoever asks for a mesh builds something of it: shells take some 570 bytes a triangle without contacts.  Said before the first
 * node is made. */
vv_status vvi_mesh_fits(int64_t triangles, char why[VVI_MESH_WHY])
{
  const double wanted = 570.0 * (double)triangles, there = vvi_memory();
  if (wanted <= there) return VV_OK;
  return vvi_mesh_fail(why, VV_ARG,
                       "a mesh of %lld triangles needs about %.3g GB, and this machine has %.3g GB; use fewer",
                       (long long)triangles, 1e-9 * wanted, 1e-9 * there);
}

vv_status vvi_mesh_new(vvi_arena *arena, int64_t nodes, int64_t triangles, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  *out = (vvi_mesh){0};
  if (nodes > VVI_MESH_MOST || triangles > VVI_MESH_MOST)
    return vvi_mesh_fail(why, VV_ARG, "a mesh of %lld triangles is too large, %d are allowed; use fewer pieces",
                         (long long)triangles, VVI_MESH_MOST);
  VV_TRY(vvi_mesh_fits(triangles, why));
  double *x = VVI_ARENA_NEW(arena, double, 3 * nodes);
  int *triangle = VVI_ARENA_NEW(arena, int, 3 * triangles);
  if (x == NULL || triangle == NULL) return vvi_mesh_no_memory(why);
  *out = (vvi_mesh){.nodes = (int)nodes, .triangles = (int)triangles, .x = x, .triangle = triangle};
  return VV_OK;
}

/* ---- merging ---- */

/* Nodes that stay hang in chains, one per cell of a grid of cubes with the edge `distance`; with distance 0 every place
 * is a cell of its own.  Two of them in one cell are farther than `distance` apart, so that chains stay short. */
typedef struct matching {
  const double *x;
  double distance;
  size_t mask; /* slots of the table, less one: a power of two */
  int *head;   /* [mask + 1] node + 1 */
  int *next;   /* [nodes] node + 1 */
} matching;

/* Far from the origin neighbouring cells may have the same number: the chain is longer, the answer the same. */
static void cell_of(const matching *m, const double x[3], double cell[3])
{
  for (int c = 0; c < 3; c++) cell[c] = (m->distance > 0.0 ? floor(x[c] / m->distance) : x[c]) + 0.0; /* no -0 */
}

static size_t slot_of(const matching *m, const double cell[3])
{
  uint64_t h = vvi_hash(VVI_HASH_SEED, cell, 3 * sizeof *cell);
  return (size_t)(h ^ h >> 29) & m->mask;
}

static bool is_near(const matching *m, int node, const double x[3])
{
  double d[3];
  vvi_sub3(m->x + 3 * (int64_t)node, x, d);
  return vvi_dot3(d, d) <= m->distance * m->distance;
}

/* The node of lowest number in this cell that is near x, if lower than `best`. */
static int look(const matching *m, const double x[3], const double cell[3], int best)
{
  for (int i = m->head[slot_of(m, cell)]; i > 0; i = m->next[i - 1])
    if (i - 1 < best && is_near(m, i - 1, x)) best = i - 1;
  return best;
}

static int look_around(const matching *m, const double x[3], const double cell[3], int self)
{
  int best = self;
  for (int k = 0; k < 27; k++) {
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    double near[3];
    for (int c = 0; c < 3; c++) near[c] = cell[c] + step[c] + 0.0;
    best = look(m, x, near, best);
  }
  return best;
}

/* Only equal places are one: nodes are put down by their slots, as threads come, and each looks for the lowest of its slot that is
 * where it is. */
static int match_equal(const matching *m, int nodes, int *to)
{
  int stay = 0, *at = m->head, *list = m->next;
#pragma omp parallel for schedule(static) if (nodes > VVI_MESH_MANY)
  for (int i = 0; i < nodes; i++) {
    double cell[3];
    cell_of(m, m->x + 3 * (int64_t)i, cell);
    to[i] = (int)slot_of(m, cell);
#pragma omp atomic
    at[to[i] + 1]++;
  }
  for (size_t k = 0; k <= m->mask; k++) at[k + 1] += at[k];
#pragma omp parallel if (nodes > VVI_MESH_MANY)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < nodes; i++) {
      int where;
#pragma omp atomic capture
      where = at[to[i]]++; /* a slot begins where the one before it ends, in the end */
      list[where] = i;
    }
#pragma omp for schedule(static) reduction(+ : stay)
    for (int i = 0; i < nodes; i++) {
      const int slot = to[i];
      int best = i;
      for (int k = slot > 0 ? at[slot - 1] : 0; k < at[slot]; k++)
        if (list[k] < best && is_near(m, list[k], m->x + 3 * (int64_t)i)) best = list[k];
      to[i] = best, stay += best == i;
    }
  }
  return stay;
}

int vvi_mesh_match(int nodes, const double *x, double distance, int *to)
{
  vvi_arena scratch = {.dense = true};
  matching m = {.x = x, .distance = distance, .mask = 16};
  while (m.mask < 2 * (size_t)nodes) m.mask *= 2;
  m.head = VVI_ARENA_NEW(&scratch, int, m.mask + 1);
  m.next = VVI_ARENA_NEW(&scratch, int, nodes);
  m.mask--;
  int stay = m.head != NULL && m.next != NULL ? 0 : -1;
  if (stay == 0 && distance == 0.0) stay = match_equal(&m, nodes, to);
  for (int i = 0; stay >= 0 && distance > 0.0 && i < nodes; i++) {
    double cell[3];
    cell_of(&m, x + 3 * (int64_t)i, cell);
    to[i] = look_around(&m, x + 3 * (int64_t)i, cell, i);
    if (to[i] != i) continue;
    const size_t slot = slot_of(&m, cell);
    m.next[i] = m.head[slot];
    m.head[slot] = i + 1;
    stay++;
  }
  vvi_arena_free(&scratch);
  return stay;
}

/* ---- copies with other nodes ---- */

/* Room for so many nodes and the same triangles. */
static vv_status new_like(vvi_arena *arena, const vvi_mesh *in, int nodes, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  VV_TRY(vvi_mesh_new(arena, nodes, in->triangles, out, why));
  if (in->face != NULL) out->face = VVI_ARENA_NEW(arena, int, in->triangles);
  if (in->line != NULL) out->line = VVI_ARENA_NEW(arena, int, in->triangles);
  const bool ok = (in->face == NULL || out->face != NULL) && (in->line == NULL || out->line != NULL);
  return ok ? VV_OK : vvi_mesh_no_memory(why);
}

/* number[i]: the new number of node i, or -1 if it goes; several may share one, and that which is its own match gives the
 * place (match NULL: none are shared). */
static vv_status with_nodes(vvi_arena *arena, const vvi_mesh *in, const int *match, const int *number, int nodes,
                            vvi_mesh *out, char why[VVI_MESH_WHY])
{
  VV_TRY(new_like(arena, in, nodes, out, why));
  if (in->face != NULL) memcpy(out->face, in->face, sizeof(int) * (size_t)in->triangles);
  if (in->line != NULL) memcpy(out->line, in->line, sizeof(int) * (size_t)in->triangles);
#pragma omp parallel for schedule(static) if (in->nodes > VVI_MESH_MANY)
  for (int i = 0; i < in->nodes; i++)
    if (number[i] >= 0 && (match == NULL || match[i] == i))
      memcpy(out->x + 3 * (int64_t)number[i], in->x + 3 * (int64_t)i, 3 * sizeof(double));
#pragma omp parallel for schedule(static) if (in->triangles > VVI_MESH_MANY)
  for (int64_t k = 0; k < 3 * (int64_t)in->triangles; k++) out->triangle[k] = number[in->triangle[k]];
  return VV_OK;
}

vv_status vvi_mesh_merge(vvi_arena *arena, const vvi_mesh *in, double distance, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {.dense = true};
  int *number = VVI_ARENA_NEW(&scratch, int, in->nodes), *match = VVI_ARENA_NEW(&scratch, int, in->nodes);
  const int stay = number != NULL && match != NULL ? vvi_mesh_match(in->nodes, in->x, distance, match) : -1;
  int n = 0;
  for (int i = 0; stay >= 0 && i < in->nodes; i++) number[i] = match[i] == i ? n++ : number[match[i]];
  const vv_status status = stay >= 0 ? with_nodes(arena, in, match, number, n, out, why) : vvi_mesh_no_memory(why);
  vvi_arena_free(&scratch);
  return status;
}

vv_status vvi_mesh_drop_unused(vvi_arena *arena, const vvi_mesh *in, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {.dense = true};
  int *number = VVI_ARENA_NEW(&scratch, int, in->nodes), n = 0;
  if (number == NULL) return vvi_mesh_no_memory(why);
  for (int64_t k = 0; k < 3 * (int64_t)in->triangles; k++) number[in->triangle[k]] = 1;
  for (int i = 0; i < in->nodes; i++) number[i] = number[i] > 0 ? n++ : -1;
  const vv_status status = with_nodes(arena, in, NULL, number, n, out, why);
  vvi_arena_free(&scratch);
  return status;
}

vv_status vvi_mesh_renumber(vvi_arena *arena, const vvi_mesh *in, const int *triangle_order, const int *node_order,
                            vvi_mesh *out, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {.dense = true};
  int *number = VVI_ARENA_NEW(&scratch, int, in->nodes);
  if (number == NULL) return vvi_mesh_no_memory(why);
  const vv_status status = new_like(arena, in, in->nodes, out, why);
  const int nodes = status == VV_OK ? in->nodes : 0, triangles = status == VV_OK ? in->triangles : 0;
#pragma omp parallel if (triangles > VVI_MESH_MANY)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < nodes; i++) {
      number[node_order[i]] = i;
      memcpy(out->x + 3 * (int64_t)i, in->x + 3 * (int64_t)node_order[i], 3 * sizeof(double));
    }
#pragma omp for schedule(static)
    for (int t = 0; t < triangles; t++) {
      const int old = triangle_order[t];
      for (int c = 0; c < 3; c++) out->triangle[3 * t + c] = number[in->triangle[3 * old + c]];
      if (in->face != NULL) out->face[t] = in->face[old];
      if (in->line != NULL) out->line[t] = in->line[old];
    }
  }
  vvi_arena_free(&scratch);
  return status;
}
