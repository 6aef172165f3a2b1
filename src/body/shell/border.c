/* body/shell/border.c  What lies beyond the border of a shell: ghosts that follow from the nodes inside.
 *
 * Beyond every border edge ab stands one ghost g, and around a border node the two ghosts of its edges close the ring.  With
 * c the third corner of the triangle at the edge, the ghost is the mirror image of a point m of the row of c:  [shell 10]
 *
 *   g = 2 f - m,   f = (1 - s) a + s b,   m = c + r (k - c)
 *
 * g has to stand where a - c + b would be in a regular mesh, so s = 1 - s_c where s_c is the foot of c on the edge; k is
 * the neighbour of a or b that brings the row to that place.  In meshes of equal triangles s = 1/2 and m = c.
 * The surface then has no curvature across the edge: right for a free edge up to the first order in the size of an
 * element, and for a supported one, whose nodes stay where they are, up to the second.
 *
 * A clamped edge keeps its direction too.  Displacements along the normal n of the edge are even across it, the others
 * odd, and the border node itself follows so that the surface, not the control mesh, stays in place:            [shell 11]
 *
 *   u_g = (2 n n^T - 1) u_m,      u_b = -(1/2) n n^T (mean of u over the inner neighbours of b)
 *
 * Both are of the form [shell 12], and what acts on a ghost is given back to its sources by the transpose. */
#include "body/shell/shell.h"

#include "geom/mesh.h"
#include "math/math.h"

#include <stdio.h>
#include <string.h>

typedef struct border {
  const vvi_mesh *mesh;
  const vvi_mesh_topology *topology;
  const unsigned char *hold;
  int edges;
  int *start, *end;   /* [edges] nodes */
  int *before, *from; /* [nodes] border edge that ends here, that starts here; -1: inside */
  double *normal;     /* [nodes][3] mean over the triangles */
  shell_net *net;
} border;

static const double *place_of(const border *w, int node)
{
  return w->mesh->x + 3 * (int64_t)node;
}

/* ---- edges ---- */

static vv_status list_edges(vvi_arena *arena, border *w)
{
  const vvi_mesh_topology *t = w->topology;
  const int n = w->mesh->nodes;
  w->edges = t->loop_first[t->loops];
  w->start = VVI_ARENA_NEW(arena, int, w->edges + 1), w->end = VVI_ARENA_NEW(arena, int, w->edges + 1);
  w->before = VVI_ARENA_NEW(arena, int, n), w->from = VVI_ARENA_NEW(arena, int, n);
  w->normal = VVI_ARENA_NEW(arena, double, 3 * (int64_t)n);
  if (!w->start || !w->end || !w->before || !w->from || !w->normal) return VV_NOMEM;
#pragma omp parallel for schedule(static) if (n > SHELL_MANY)
  for (int i = 0; i < n; i++) w->before[i] = w->from[i] = -1;
  for (int l = 0; l < t->loops; l++)
    for (int i = t->loop_first[l]; i < t->loop_first[l + 1]; i++) {
      const int a = t->loop[i], b = t->loop[i + 1 < t->loop_first[l + 1] ? i + 1 : t->loop_first[l]];
      w->start[i] = a, w->end[i] = b;
      w->from[a] = w->before[b] = i;
    }
  return VV_OK;
}

static void add_normals(border *w)
{
  const vvi_mesh *m = w->mesh;
  for (int t = 0; t < m->triangles; t++) {
    const int *v = m->triangle + 3 * (int64_t)t;
    double a[3], b[3], n[3];
    for (int c = 0; c < 3; c++)
      a[c] = place_of(w, v[1])[c] - place_of(w, v[0])[c], b[c] = place_of(w, v[2])[c] - place_of(w, v[0])[c];
    vvi_cross3(a, b, n);
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) w->normal[3 * (int64_t)v[i] + c] += n[c];
  }
}

static void unit(double n[3])
{
  const double size = vvi_norm3(n);
  for (int c = 0; c < 3 && size > 0.0; c++) n[c] /= size;
}

/* ---- rings ---- */

static vv_status list_rings(vvi_arena *arena, border *w)
{
  shell_net *net = w->net;
  const int n = w->mesh->nodes;
  net->first = VVI_ARENA_NEW(arena, int, n + 1);
  if (net->first == NULL) return VV_NOMEM;
#pragma omp parallel for schedule(static) if (n > SHELL_MANY)
  for (int i = 0; i < n; i++) net->first[i + 1] = w->topology->valence[i] + (w->from[i] >= 0 ? 2 : 0);
  for (int i = 0; i < n; i++) net->first[i + 1] += net->first[i];
  net->ring = VVI_ARENA_NEW(arena, int, net->first[n]);
  if (net->ring == NULL) return VV_NOMEM;
#pragma omp parallel for schedule(static) if (n > SHELL_MANY)
  for (int i = 0; i < n; i++) {
    int *ring = net->ring + net->first[i];
    int k = vvi_mesh_ring(w->mesh, w->topology, i, ring);
    if (w->from[i] < 0) continue;
    ring[k++] = n + w->before[i];
    ring[k++] = n + w->from[i];
  }
  return VV_OK;
}

/* ---- ghosts ---- */

/* Foot of a node on an edge (0 at its start, 1 at its end), and its distance from the line. */
static double foot_of(const border *w, int edge, int node, double *distance)
{
  const double *a = place_of(w, w->start[edge]), *b = place_of(w, w->end[edge]), *x = place_of(w, node);
  double u[3], r[3];
  for (int c = 0; c < 3; c++) u[c] = b[c] - a[c], r[c] = x[c] - a[c];
  const double s = vvi_dot3(u, r) / vvi_dot3(u, u);
  for (int c = 0; c < 3; c++) r[c] -= s * u[c];
  *distance = vvi_norm3(r);
  return s;
}

/* The neighbour of a or b on the far side of s, seen from c, that is nearest to it; -1: none. */
static int row_mate(const border *w, int edge, int c, double sc, double dc, double s, double *sk)
{
  const int end[2] = {w->start[edge], w->end[edge]};
  int best = -1;
  for (int e = 0; e < 2; e++)
    for (int i = w->net->first[end[e]]; i < w->net->first[end[e] + 1]; i++) {
      const int k = w->net->ring[i];
      double d;
      if (k >= w->mesh->nodes || k == c || k == end[1 - e]) continue;
      const double at = foot_of(w, edge, k, &d);
      if (d < 0.5 * dc || d > 2.0 * dc || (at - s) * (s - sc) < -1e-6 * (s - sc) * (s - sc)) continue;
      if (best < 0 || fabs(at - s) < fabs(*sk - s)) best = k, *sk = at;
    }
  return best;
}

static void mean_normal(const border *w, int a, int b, double n[3])
{
  double na[3], nb[3];
  memcpy(na, w->normal + 3 * (int64_t)a, sizeof na), memcpy(nb, w->normal + 3 * (int64_t)b, sizeof nb);
  unit(na), unit(nb);
  for (int c = 0; c < 3; c++) n[c] = na[c] + nb[c];
  unit(n);
}

/* [shell 10], and [shell 11] where both ends are clamped. */
static void edge_ghost(const border *w, int edge, shell_ghost *g)
{
  const int a = w->start[edge], b = w->end[edge], c = w->net->ring[w->net->first[a] + 1];
  const bool clamped = w->hold[a] == SHELL_CLAMPED && w->hold[b] == SHELL_CLAMPED;
  double dc, sk = 0.0, r = 0.0;
  const double sc = foot_of(w, edge, c, &dc);
  double s = 1.0 - sc;
  int k = -1;
  if (fabs(s - sc) > 1e-9) k = row_mate(w, edge, c, sc, dc, s, &sk);
  if (k >= 0)
    r = (s - sc) / (sk - sc);
  else
    s = 0.5;
  *g = (shell_ghost){
      .count = k >= 0 ? 4 : 3, .source = {a, b, c, k >= 0 ? k : 0}, .w = {2.0 * (1.0 - s), 2.0 * s, -(1.0 - r), -r}};
  if (!clamped) return;
  g->v[2] = 2.0 * (1.0 - r), g->v[3] = 2.0 * r;
  mean_normal(w, a, b, g->normal);
}

/* The border turns at a node by more than 50 degrees: a corner, where neither side decides the slope. */
static bool is_corner(const border *w, int node)
{
  const double *a = place_of(w, w->start[w->before[node]]), *x = place_of(w, node);
  const double *b = place_of(w, w->end[w->from[node]]);
  double u[3], v[3];
  for (int c = 0; c < 3; c++) u[c] = x[c] - a[c], v[c] = b[c] - x[c];
  return vvi_dot3(u, v) < 0.64 * vvi_norm3(u) * vvi_norm3(v);
}

static int inner_neighbours(const border *w, int node, int out[SHELL_SOURCES])
{
  int n = 0;
  for (int i = w->net->first[node]; i < w->net->first[node + 1] && n < SHELL_SOURCES - 1; i++) {
    const int k = w->net->ring[i];
    if (k < w->mesh->nodes && w->from[k] < 0) out[n++] = k;
  }
  return n;
}

/* The control point of a clamped border node; the node itself stays in place. */
static void clamped_ghost(const border *w, int node, const int *inner, int n, shell_ghost *g)
{
  *g = (shell_ghost){.count = n + 1, .source = {node}, .w = {1.0}};
  for (int i = 0; i < n; i++) g->source[i + 1] = inner[i], g->v[i + 1] = -0.5 / n;
  memcpy(g->normal, w->normal + 3 * (int64_t)node, sizeof g->normal);
  unit(g->normal);
}

static vv_status list_ghosts(vvi_arena *arena, border *w)
{
  shell_net *net = w->net;
  const int n = w->mesh->nodes;
  net->ghost = VVI_ARENA_NEW(arena, shell_ghost, 2 * w->edges + 1);
  net->stand = VVI_ARENA_NEW(arena, int, n);
  if (net->ghost == NULL || net->stand == NULL) return VV_NOMEM;
  for (int e = 0; e < w->edges; e++) edge_ghost(w, e, &net->ghost[e]);
  net->ghosts = w->edges;
#pragma omp parallel for schedule(static) if (n > SHELL_MANY)
  for (int i = 0; i < n; i++) net->stand[i] = i;
  for (int i = 0; w->edges > 0 && i < n; i++) {
    int inner[SHELL_SOURCES];
    if (w->from[i] < 0 || w->hold[i] != SHELL_CLAMPED || is_corner(w, i)) continue;
    const int count = inner_neighbours(w, i, inner);
    if (count == 0) continue;
    net->stand[i] = n + net->ghosts;
    clamped_ghost(w, i, inner, count, &net->ghost[net->ghosts++]);
  }
  return VV_OK;
}

/* ---- all together ---- */

static vv_status make_net(vvi_arena *arena, vvi_arena *scratch, border *w, char *why)
{
  shell_net *out = w->net;
  vv_status status = list_edges(scratch, w);
  if (status == VV_OK) status = list_rings(arena, w);
  if (status == VV_OK && w->edges > 0) add_normals(w);
  if (status == VV_OK) status = list_ghosts(arena, w);
  if (status != VV_OK) snprintf(why, VVI_MESH_WHY, "out of memory for the border of the mesh");
  out->neighbour = w->topology->neighbour;
  for (int i = 0; status == VV_OK && out->ghosts > 0 && i < out->first[out->nodes]; i++)
    if (out->ring[i] < out->nodes) out->ring[i] = out->stand[out->ring[i]];
  return status;
}

vv_status shell_net_make(vvi_arena *arena, const struct vvi_mesh *mesh, const struct vvi_mesh_topology *top,
                         const unsigned char *hold, shell_net *out, char *why)
{
  border w = {.mesh = mesh, .topology = top, .hold = hold, .net = out};
  vvi_arena scratch = {0};
  *out = (shell_net){.nodes = mesh->nodes, .triangles = mesh->triangles, .triangle = mesh->triangle};
  const vv_status status = make_net(arena, &scratch, &w, why);
  vvi_arena_free(&scratch);
  return status;
}

void shell_ghost_place(const shell_ghost *in, const double turn[9], const double *x, shell_ghost *out)
{
  double even[3] = {0, 0, 0};
  *out = *in;
  for (int c = 0; c < 3; c++) out->normal[c] = vvi_dot3(turn + 3 * c, in->normal);
  for (int i = 0; i < in->count; i++)
    for (int c = 0; c < 3; c++) even[c] += in->v[i] * x[3 * (int64_t)in->source[i] + c];
  for (int c = 0; c < 3; c++) out->offset[c] = -out->normal[c] * vvi_dot3(out->normal, even);
}
