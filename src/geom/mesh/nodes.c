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

/* The node of lowest number in this cell that is near x, if lower than `best`. */
static int look(const matching *m, const double x[3], const double cell[3], int best)
{
  for (int i = m->head[slot_of(m, cell)]; i > 0; i = m->next[i - 1]) {
    double d[3];
    vvi_sub3(m->x + 3 * (int64_t)(i - 1), x, d);
    if (i - 1 < best && vvi_dot3(d, d) <= m->distance * m->distance) best = i - 1;
  }
  return best;
}

static int look_around(const matching *m, const double x[3], const double cell[3], int self)
{
  if (m->distance == 0.0) return look(m, x, cell, self);
  int best = self;
  for (int k = 0; k < 27; k++) {
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    double near[3];
    for (int c = 0; c < 3; c++) near[c] = cell[c] + step[c] + 0.0;
    best = look(m, x, near, best);
  }
  return best;
}

int vvi_mesh_match(int nodes, const double *x, double distance, int *to)
{
  vvi_arena scratch = {0};
  matching m = {.x = x, .distance = distance, .mask = 16};
  while (m.mask < 2 * (size_t)nodes) m.mask *= 2;
  m.head = VVI_ARENA_NEW(&scratch, int, m.mask);
  m.next = VVI_ARENA_NEW(&scratch, int, nodes);
  m.mask--;
  int stay = m.head != NULL && m.next != NULL ? 0 : -1;
  for (int i = 0; stay >= 0 && i < nodes; i++) {
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

static int *copied(vvi_arena *arena, const int *from, int n, bool *ok)
{
  int *to = from != NULL ? VVI_ARENA_NEW(arena, int, n) : NULL;
  if (to != NULL) memcpy(to, from, sizeof(int) * (size_t)n);
  *ok = *ok && (from == NULL || to != NULL);
  return to;
}

/* number[i]: the new number of node i, or -1 if it goes; several may share one, and the first gives the place. */
static vv_status with_nodes(vvi_arena *arena, const vvi_mesh *in, const int *number, int nodes, vvi_mesh *out,
                            char why[VVI_MESH_WHY])
{
  VV_TRY(vvi_mesh_new(arena, nodes, in->triangles, out, why));
  bool ok = true;
  out->face = copied(arena, in->face, in->triangles, &ok);
  out->line = copied(arena, in->line, in->triangles, &ok);
  if (!ok) return vvi_mesh_no_memory(why);
  for (int i = in->nodes - 1; i >= 0; i--)
    if (number[i] >= 0) memcpy(out->x + 3 * (int64_t)number[i], in->x + 3 * (int64_t)i, 3 * sizeof(double));
  for (int64_t k = 0; k < 3 * (int64_t)in->triangles; k++) out->triangle[k] = number[in->triangle[k]];
  return VV_OK;
}

vv_status vvi_mesh_merge(vvi_arena *arena, const vvi_mesh *in, double distance, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {0};
  int *number = VVI_ARENA_NEW(&scratch, int, in->nodes);
  const int stay = number != NULL ? vvi_mesh_match(in->nodes, in->x, distance, number) : -1;
  int n = 0;
  for (int i = 0; stay >= 0 && i < in->nodes; i++) number[i] = number[i] == i ? n++ : number[number[i]];
  const vv_status status = stay >= 0 ? with_nodes(arena, in, number, n, out, why) : vvi_mesh_no_memory(why);
  vvi_arena_free(&scratch);
  return status;
}

vv_status vvi_mesh_drop_unused(vvi_arena *arena, const vvi_mesh *in, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {0};
  int *number = VVI_ARENA_NEW(&scratch, int, in->nodes), n = 0;
  if (number == NULL) return vvi_mesh_no_memory(why);
  for (int64_t k = 0; k < 3 * (int64_t)in->triangles; k++) number[in->triangle[k]] = 1;
  for (int i = 0; i < in->nodes; i++) number[i] = number[i] > 0 ? n++ : -1;
  const vv_status status = with_nodes(arena, in, number, n, out, why);
  vvi_arena_free(&scratch);
  return status;
}

vv_status vvi_mesh_renumber(vvi_arena *arena, const vvi_mesh *in, const int *triangle_order, const int *node_order,
                            vvi_mesh *out, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {0};
  int *number = VVI_ARENA_NEW(&scratch, int, in->nodes);
  if (number == NULL) return vvi_mesh_no_memory(why);
  for (int i = 0; i < in->nodes; i++) number[node_order[i]] = i;
  const vv_status status = with_nodes(arena, in, number, in->nodes, out, why);
  for (int t = 0; status == VV_OK && t < in->triangles; t++) {
    const int old = triangle_order[t];
    for (int c = 0; c < 3; c++) out->triangle[3 * t + c] = number[in->triangle[3 * old + c]];
    if (in->face != NULL) out->face[t] = in->face[old];
    if (in->line != NULL) out->line[t] = in->line[old];
  }
  vvi_arena_free(&scratch);
  return status;
}
