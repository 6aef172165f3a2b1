/* body/shell/build.c  From a mesh to tiles, masses, patches and the first state. */
#include "body/shell/shell.h"

#include "geom/mesh.h"
#include "math/so3.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a shell does beside being elastic ---- */

/* Gauss's points and weights on [-1, 1] by Newton on the Legendre polynomials; the weights sum to 1. */
static void gauss_points(int n, double *x, double *w)
{
  for (int i = 0; i < n; i++) {
    double t = -cos(VV_PI * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int round = 0; round < 8; round++) {
      double before = 1.0, p = t;
      for (int k = 2; k <= n; k++) {
        const double next = ((2 * k - 1) * t * p - (k - 1) * before) / k;
        before = p, p = next;
      }
      slope = n * (t * p - before) / (t * t - 1.0);
      t -= p / slope;
    }
    x[i] = 2 * i + 1 == n ? 0.0 : t;
    w[i] = 1.0 / ((1.0 - t * t) * slope * slope);
  }
}

enum { POINTS = 5 }; /* through the thickness, where the scene does not say */

static vv_status read_inelastic(const vv_group *g, shell_body *k)
{
  const vv_group *m = vv_sub(g, "material");
  const bool flows = vv_is(m, "law", "j2");
  VV_TRY(flows ? vvi_plastic_read(m, true, &k->plastic) : vvi_plastic_refuse(m));
  if (!flows && vv_has(m, "points")) return vv_complain(m, "points", "belongs to 'law: j2'");
  VV_TRY(vvi_damping_read(g, &k->damping));
  const vv_group *damping = vv_has(g, "damping") ? vv_sub(g, "damping") : NULL;
  if (k->damping.stiffness > 0.0) return vv_complain(damping, "stiffness", "is for bars; shells take 'ratio'");
  if (k->damping.bulk > 0.0) return vv_complain(damping, "bulk", "is for bars");
  if (vv_is(m, "law", "neo-hookean") && k->damping.branches > 0.0)
    return vv_complain(damping, "ratio", "goes with the laws 'stvk' and 'j2'");
  if (vv_has(m, "failure") && !flows) return vv_complain(m, "failure", "of shells needs 'law: j2'");
  VV_TRY(vvi_failure_read(m, &k->plastic, &k->failure));
  if (shell_can_break(k) && k->damping.branches > 0.0)
    return vv_complain(damping, "ratio", "does not go with 'failure' of shells");
  if (shell_can_break(k) && !vv_is(g, "contact", "control"))
    return vv_complain(g, "contact", "of a shell that can break is 'control'");
  k->points = !flows ? 0.0 : vv_has(m, "points") ? (double)vv_integer(m, "points") : POINTS;
  if (k->points > 0.0 || k->damping.branches > 0.0) {
    k->lane_columns = shell_branch_column(k, (int)k->damping.branches) + (shell_can_break(k) ? 1 : 0);
    k->columns = 1.0 + k->lane_columns + (shell_can_break(k) ? SHELL_RECORD : 0.0); /* 1: the mark of its group */
  }
  gauss_points((int)k->points, k->level, k->weight);
  for (int i = 0; i < (int)k->points; i++) k->level[i] *= vv_number(g, "thickness") * (SHELL_A * SHELL_A) / SHELL_D;
  return VV_OK;
}

/* ---- measure ---- */

/* A sheet that is thicker than it is wide is a block, and no shell. */
static vv_status check_thickness(const vv_group *g, const vvi_mesh *m)
{
  double lo[3], hi[3], size = 0.0;
  for (int c = 0; c < 3; c++) lo[c] = hi[c] = m->x[c];
  for (int64_t i = 3; i < 3 * (int64_t)m->nodes; i++) {
    const double x = m->x[i];
    lo[i % 3] = x < lo[i % 3] ? x : lo[i % 3], hi[i % 3] = x > hi[i % 3] ? x : hi[i % 3];
  }
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  if (vv_number(g, "thickness") <= 0.5 * size) return VV_OK;
  return vv_complain(g, "thickness", "%.3g is more than half the size of the shell, %.3g; this is a block and no shell",
                     vv_number(g, "thickness"), size);
}

/* What measure leaves for fill: the mesh as it was given. */
typedef struct given {
  vvi_mesh mesh;
  vvi_mesh_topology top;
} given;

vv_status shell_measure(const vv_group *g, vv_need *need)
{
  need->arena->dense = true;
  given *raw = need->found = VVI_ARENA_NEW(need->arena, given, 1);
  if (raw == NULL) return VV_NOMEM;
  vv_status status = shell_mesh(g, need->arena, &raw->mesh, &raw->top);
  vvi_mesh_topology_shed(&raw->mesh, &raw->top);
  if (status == VV_OK) status = check_thickness(g, &raw->mesh);
  if (shell_loads_check(g) != VV_OK && status == VV_OK) status = VV_SCENE;
  const int copies = shell_copies(g);
  need->nodes = (int64_t)copies * raw->mesh.nodes;
  need->elements = (int64_t)copies * raw->mesh.triangles;
  need->patches = copies;
  shell_body k = {0};
  if (read_inelastic(g, &k) != VV_OK && status == VV_OK) status = VV_SCENE;
  need->internal = (int64_t)k.columns * need->elements;
  need->loads = copies * shell_loads_count(g);
  if (status == VV_OK && need->elements > INT32_MAX / 4)
    return vv_complain(g, "mesh", "%lld triangles are more than a model can hold", (long long)need->elements);
  return status;
}

/* ---- borders ---- */

/* Which border nodes a row of `edges` means: marks them in hold[]. */
static vv_status hold_row(const vv_group *e, const vvi_mesh *mesh, const vvi_mesh_topology *t, unsigned char *hold)
{
  const shell_hold how = vv_is(e, "hold", "free")        ? SHELL_FREE
                         : vv_is(e, "hold", "supported") ? SHELL_SUPPORTED
                                                         : SHELL_CLAMPED;
  const int64_t loop = vv_integer(e, "loop");
  int n, found = 0;
  const double *low = vv_has(e, "low") ? vv_numbers(e, "low", &n) : NULL;
  const double *high = vv_has(e, "high") ? vv_numbers(e, "high", &n) : NULL;
  if (loop > t->loops) return vv_complain(e, "loop", "the mesh has %d border curves", t->loops);
  for (int l = 0; l < t->loops; l++)
    for (int i = t->loop_first[l]; (loop == 0 || loop == l + 1) && i < t->loop_first[l + 1]; i++) {
      const double *x = mesh->x + 3 * (int64_t)t->loop[i];
      bool in = true;
      for (int c = 0; c < 3; c++) in = in && (low == NULL || x[c] >= low[c]) && (high == NULL || x[c] <= high[c]);
      if (in) hold[t->loop[i]] = (unsigned char)how, found++;
    }
  if (found == 0) return vv_complain(e, NULL, "no border node is meant: the mesh has %d border curves", t->loops);
  return VV_OK;
}

static vv_status hold_nodes(const vv_group *g, const given *raw, unsigned char *hold)
{
  for (int i = 0; vv_has(g, "edges") && i < vv_count(g, "edges"); i++)
    VV_TRY(hold_row(vv_item(g, "edges", i), &raw->mesh, &raw->top, hold));
  return VV_OK;
}

/* ---- the mesh in the order of its tiles ---- */

/* What is known of one body while it is filled in. */
typedef struct part {
  const vv_group *group;
  vvi_arena *arena, scratch; /* of the model; of this call */
  vvi_arena *early;          /* until the mesh is cut: the mesh as it was given, and who is whose neighbour */
  const given *raw;
  int threads;
  vvi_mesh mesh;       /* in the order of the tiles */
  int *order;          /* [nodes] old numbers */
  int *mate, *beside;  /* [triangles] as vvi_mesh_pair finds them, old numbers */
  unsigned char *hold; /* [nodes] */
  int64_t held;
  int32_t *held_node; /* [held] those that a border holds */
  bool closed;        /* there is no border */
  shell_net net;      /* lists: until the mesh is cut */
  shell_cut *cut;
  double *mass; /* [nodes] */
  char why[VVI_MESH_WHY];
} part;

static vv_status order_mesh(part *w, const unsigned char *raw_hold, int size)
{
  const vvi_mesh *raw = &w->raw->mesh;
  int *triangles = VVI_ARENA_NEW(w->early, int, raw->triangles), *mate = VVI_ARENA_NEW(w->early, int, raw->triangles),
      *now = VVI_ARENA_NEW(w->early, int, raw->triangles);
  w->order = VVI_ARENA_NEW(&w->scratch, int, raw->nodes);
  w->hold = VVI_ARENA_NEW(&w->scratch, unsigned char, raw->nodes);
  if (!triangles || !mate || !now || !w->order || !w->hold) return VV_NOMEM;
  VV_TRY(vvi_mesh_bisect(raw, size, 1, w->beside, triangles, w->order, w->why));
  VV_TRY(vvi_mesh_renumber(&w->scratch, raw, triangles, w->order, &w->mesh, w->why));
#pragma omp parallel if (raw->triangles > SHELL_MANY)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < raw->nodes; i++) w->hold[i] = raw_hold[w->order[i]];
#pragma omp for schedule(static)
    for (int t = 0; t < raw->triangles; t++) now[triangles[t]] = t;
#pragma omp for schedule(static)
    for (int t = 0; t < raw->triangles; t++) mate[t] = w->mate[triangles[t]] < 0 ? -1 : now[w->mate[triangles[t]]];
  }
  vvi_mesh_topology top;
  VV_TRY(vvi_mesh_topology_renumber(w->early, &w->mesh, &w->raw->top, triangles, w->order, &top, w->why));
  VV_TRY(shell_net_make(w->early, &w->mesh, &top, w->hold, &w->net, w->why));
  w->net.mate = mate;
  return VV_OK;
}

/* Triangles of a tile, at most `most`: all tiles alike, and four or a multiple of four of them, so that threads get the same
 * share; whole groups. */
static int tile_size(int triangles, int most)
{
  const int fit = (triangles + most - 1) / most, tiles = fit < 4 ? fit : (fit + 3) / 4 * 4;
  return ((triangles + tiles - 1) / tiles + SHELL_GROUP - 1) / SHELL_GROUP * SHELL_GROUP;
}

/* Along a side of a triangle, that contact sees. */
static int pieces_of(const vv_group *g)
{
  return vv_is(g, "contact", "smooth") ? 1 << vv_integer(g, "contact_levels") : 1;
}

/* Tiles of up to 256 triangles, whose entries for x, y and z fit into the local memory of an accelerator, of 2048 where most are irregular: then classes fill their groups better.  Smaller ones where long
 * fans make a tile touch too many nodes. */
static vv_status cut_mesh(part *w)
{
  const vvi_mesh *raw = &w->raw->mesh;
  int size = tile_size(raw->triangles, SHELL_TILE);
  unsigned char *hold = VVI_ARENA_NEW(w->early, unsigned char, raw->nodes);
  w->cut = VVI_ARENA_NEW(w->arena, shell_cut, 1);
  w->mate = VVI_ARENA_NEW(w->early, int, raw->triangles), w->beside = VVI_ARENA_NEW(w->early, int, raw->triangles);
  if (hold == NULL || w->cut == NULL || w->mate == NULL || w->beside == NULL) return VV_NOMEM;
  VV_TRY(vvi_mesh_pair(raw, &w->raw->top, w->mate, w->beside, w->why));
  VV_TRY(hold_nodes(w->group, w->raw, hold));
  VV_TRY(order_mesh(w, hold, size));
  if (raw->triangles > SHELL_TILE && shell_irregular_share(&w->net) > 0.5) {
    size = tile_size(raw->triangles, SHELL_ROUGH_TILE);
    VV_TRY(order_mesh(w, hold, size));
  }
  vv_status status = shell_cut_make(w->arena, &w->net, size, pieces_of(w->group), w->threads, w->cut, w->why);
  while (status == VV_SCENE && size > 32) {
    size /= 2;
    VV_TRY(order_mesh(w, hold, size));
    status = shell_cut_make(w->arena, &w->net, size, pieces_of(w->group), w->threads, w->cut, w->why);
  }
  return status;
}

/* ---- constants, references, masses ---- */

/* [shell 6, 7, 9] */
static void fill_constants(const vv_group *g, bool closed, shell_body *k)
{
  const vv_group *m = vv_sub(g, "material");
  const double E = vv_number(m, "young"), nu = vv_number(m, "poisson"), h = vv_number(g, "thickness");
  const double k_m = E * h / (1.0 - nu * nu), mu = E / (2.0 * (1.0 + nu)), unit = SHELL_A * SHELL_A;
  *k = (shell_body){.young = E,
                    .poisson = nu,
                    .density = vv_number(m, "density"),
                    .thickness = h,
                    .law = vv_is(m, "law", "neo-hookean") ? SHELL_NEO_HOOKE : SHELL_STVK,
                    .membrane = k_m / (4.0 * unit),
                    .bend = k_m * h * h * unit / (24.0 * SHELL_D * SHELL_D),
                    .mu = mu,
                    .lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
                    .neo = mu * h / (4.0 * unit),
                    .lever = h / sqrt(3.0) * unit / SHELL_D,
                    .limit = !vv_is(g, "contact", "control"),
                    .closed = closed,
                    .mean = E / (4.0 * (1.0 - nu)),
                    .trace = nu / (1.0 - nu)};
}

/* What stands on a ghost goes to its sources: by their weights where nothing is held, so that the sum is kept; by their
 * squares, as kinetic energy does, where the border cannot follow.                                            [shell 15] */
static void ghost_mass(const shell_tile *t, const shell_ghost *g, bool held, double m, double *mass)
{
  for (int i = 0; i < g->count; i++) {
    const double w = g->w[i], v = g->w[i] + g->v[i];
    mass[shell_tile_node(t, g->source[i])] += held ? fmax(w * w, v * v) * m : w * m;
  }
}

static bool is_held(const double *free, const shell_tile *t, const shell_ghost *g)
{
  for (int i = 0; i < g->count; i++)
    if (free[shell_tile_node(t, g->source[i])] == 0.0) return true;
  return false;
}

/* m_I = rho h sum over elements of A0 N_I. */
static void local_mass(const shell_tile *t, const unsigned char *inside, double rho_h, double *local)
{
  memset(local, 0, sizeof *local * (size_t)shell_tile_nodes(t));
  for (int i = 0; i < t->groups; i++)
    for (int lane = 0; lane < SHELL_GROUP; lane++) {
      shell_patch p;
      const int e = shell_lane_element(&t->group[i], lane);
      if (e < 0 || (inside != NULL && !inside[t->element0 + e])) continue;
      shell_patch_of(t, &t->group[i], lane, &p);
      const double area = 0.5 * sqrt(p.rest[0] * p.rest[1] - p.rest[2] * p.rest[2]) / (SHELL_A * SHELL_A);
      for (int k = 0; k < p.nodes; k++) local[p.at[k] / 4] += rho_h * area * p.weight[k][W_N];
    }
}

static void add_mass(const shell_tile *t, const double *free, const double *local, double *mass)
{
  for (int i = 0; i < t->own + t->halo; i++) mass[shell_tile_node(t, i)] += local[i];
  for (int i = 0; i < t->ghosts; i++)
    ghost_mass(t, &t->ghost[i], is_held(free, t, &t->ghost[i]), local[t->own + t->halo + i], mass);
}

void shell_tile_mass(const shell_tile *t, const unsigned char *inside, const double *free, double rho_h, double *mass)
{
  double local[SHELL_MOST_LOCAL];
  local_mass(t, inside, rho_h, local);
  add_mass(t, free, local, mass);
}

/* Places of the nodes of a mesh: component c of node i is x[i * by_node + c * by_component]. */
typedef struct places {
  const double *x;
  int64_t by_node, by_component;
} places;

/* The ghosts of a tile where this copy is. */
static vv_status place_ghosts(part *w, const double turn[9], const places *at, shell_tile *t)
{
  if (t->ghosts == 0) return VV_OK;
  shell_ghost *ghost = VVI_ARENA_NEW(w->arena, shell_ghost, t->ghosts);
  if (ghost == NULL) return VV_NOMEM;
  for (int i = 0; i < t->ghosts; i++) {
    const shell_ghost *in = &t->ghost[i];
    shell_ghost named = *in;
    double x[3 * SHELL_SOURCES];
    for (int k = 0; k < in->count; k++) {
      const double *from = at->x + shell_tile_node(t, in->source[k]) * at->by_node;
      for (int c = 0; c < 3; c++) x[3 * k + c] = from[c * at->by_component];
      named.source[k] = k;
    }
    shell_ghost_place(&named, turn, x, &ghost[i]);
    memcpy(ghost[i].source, in->source, sizeof in->source);
  }
  t->ghost = ghost;
  return VV_OK;
}

/* References and masses, from the mesh where it was made. */
static vv_status fill_masses(part *w, const shell_body *k)
{
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int n = w->mesh.nodes;
  double *q = VVI_ARENA_NEW(&w->scratch, double, 3 * (int64_t)n), *free = VVI_ARENA_NEW(&w->scratch, double, n);
  double *local = VVI_ARENA_NEW(&w->scratch, double, w->cut->slots);
  w->mass = VVI_ARENA_NEW(&w->scratch, double, n);
  if (q == NULL || free == NULL || local == NULL || w->mass == NULL) return VV_NOMEM;
#pragma omp parallel for schedule(static) if (n > SHELL_MANY)
  for (int i = 0; i < n; i++) {
    free[i] = w->hold[i] == SHELL_FREE;
    for (int c = 0; c < 3; c++) q[c * (int64_t)n + i] = w->mesh.x[3 * (int64_t)i + c];
  }
  for (int i = 0; i < w->cut->tiles; i++) VV_TRY(place_ghosts(w, one, &(places){w->mesh.x, 3, 1}, &w->cut->tile[i]));
#pragma omp parallel for schedule(static) if (n > SHELL_MANY)
  for (int i = 0; i < w->cut->tiles; i++) {
    shell_tile *t = &w->cut->tile[i];
    t->cls = w->cut->cls;
    shell_tile_rest((shell_law)k->law, t, n, q);
    const double *r = t->group[0].rest, unit = SHELL_A * SHELL_A;
    t->side2 = fmax(r[0], r[SHELL_GROUP]) / unit;
    t->area = 0.5 * sqrt(r[0] * r[SHELL_GROUP] - r[2 * SHELL_GROUP] * r[2 * SHELL_GROUP]) / unit;
    local_mass(t, NULL, k->density * k->thickness, local + t->slot);
  }
  for (int i = 0; i < w->cut->tiles; i++) add_mass(&w->cut->tile[i], free, local + w->cut->tile[i].slot, w->mass);
  for (int i = 0; i < n; i++)
    if (w->hold[i] == SHELL_FREE && w->mass[i] <= 0.0)
      return vv_complain(w->group, "mesh", "node %d gets no mass: its triangles are too uneven; use a smoother mesh",
                         w->order[i]);
  return VV_OK;
}

/* A band of one triangle must be able to take the energy of breaking, and its patch must fit into its record.     [mat 24] */
static vv_status check_failure(const part *w, const shell_body *k)
{
  const vv_group *m = vv_sub(w->group, "material");
  double largest = 0.0;
  if (!shell_can_break(k)) return VV_OK;
  for (int i = 0; i < w->cut->classes; i++)
    if (w->cut->cls[i].nodes > SHELL_CUT_NODES)
      return vv_complain(w->group, "mesh", "a triangle with %d nodes around it cannot break; use a more even mesh",
                         w->cut->cls[i].nodes);
  for (int i = 0; i < w->cut->tiles; i++)
    for (int j = 0; j < w->cut->tile[i].groups; j++)
      for (int lane = 0; lane < SHELL_GROUP; lane++) {
        const shell_group *g = &w->cut->tile[i].group[j];
        const double *r = g->rest + lane;
        if (shell_lane_element(g, lane) < 0) continue;
        largest = fmax(largest, r[0] * r[SHELL_GROUP] - r[2 * SHELL_GROUP] * r[2 * SHELL_GROUP]);
      }
  const double l = sqrt(sqrt(3.0) * 0.5 * sqrt(largest)) / SHELL_A;
  const double most = 2.0 * k->young * k->failure.energy / (k->failure.begin * k->failure.begin);
  if (k->failure.energy == 0.0 || l < most) return VV_OK;
  return vv_complain(vv_sub(m, "failure"), "energy",
                     "triangles of height %.6g m store more than that: they must be lower than 2 E G/s^2 = %.6g m", l,
                     most);
}

/* ---- the plan of the block ---- */

static void *grow(vvi_arena *arena, void *old, int64_t n, int64_t more, int64_t *room, size_t size)
{
  if (n + more <= *room) return old;
  const int64_t wanted = 2 * *room > n + more ? 2 * *room : n + more;
  void *list = vvi_arena_alloc(arena, size * (size_t)wanted);
  if (list == NULL) return NULL;
  if (n > 0) memcpy(list, old, size * (size_t)n);
  *room = wanted;
  return list;
}

static vv_status plan_room(vvi_arena *arena, shell_plan *plan, const part *w, int copies)
{
  plan->tile =
      grow(arena, plan->tile, plan->tiles, (int64_t)copies * w->cut->tiles, &plan->tile_room, sizeof *plan->tile);
  plan->component =
      grow(arena, plan->component, plan->components, copies, &plan->component_room, sizeof *plan->component);
  plan->held_node =
      grow(arena, plan->held_node, plan->held, copies * w->held + 1, &plan->held_room, sizeof *plan->held_node);
  return plan->tile == NULL || plan->component == NULL || plan->held_node == NULL ? VV_NOMEM : VV_OK;
}

static vv_status add_tiles(part *w, vv_fill *f, shell_plan *plan, int copy, const shell_placement *at)
{
  const int64_t node0 = f->body->node0 + (int64_t)copy * w->cut->nodes;
  const int64_t element0 = f->body->element0 + (int64_t)copy * w->cut->elements;
  const places rest = {shell_node(f->block, SHELL_REST) + node0, 1, f->block->stride};
  for (int i = 0; i < w->cut->tiles; i++) {
    shell_tile *t = &plan->tile[plan->tiles++];
    *t = w->cut->tile[i];
    t->body = f->body_in_block;
    t->node0 = node0, t->element0 += element0, t->slot0 = plan->slots;
    t->z = f->block->z0 + f->body->z0 +
           (int64_t)shell_of(f->block, f->body_in_block)->columns * (t->element0 - f->body->element0);
    VV_TRY(place_ghosts(w, at->turn, &rest, t));
  }
  plan->slots += w->cut->slots;
  for (int64_t i = 0; i < w->held; i++) plan->held_node[plan->held++] = (int32_t)(node0 + w->held_node[i]);
  plan->component[plan->components++] =
      (shell_component){.cut = w->cut, .node0 = node0, .element0 = element0, .body = f->body_in_block};
  return VV_OK;
}

/* ---- one copy ---- */

static void fill_columns(const part *w, vv_fill *f, int64_t node0, const double *x)
{
  vv_block *b = f->block;
  double *m = b->node_real + SHELL_MASS * b->stride, *minv = b->node_real + SHELL_INVERSE_MASS * b->stride;
  double *rest = b->node_real + SHELL_REST * b->stride, *number = b->node_real + SHELL_NUMBER * b->stride;
#pragma omp parallel for schedule(static) if (w->mesh.nodes > SHELL_MANY)
  for (int i = 0; i < w->mesh.nodes; i++) {
    const int64_t at = node0 + i;
    m[at] = w->mass[i];
    minv[at] = w->hold[i] == SHELL_FREE ? 1.0 / w->mass[i] : 0.0;
    number[at] = w->order[i];
    for (int c = 0; c < 3; c++) rest[c * b->stride + at] = f->q[c * b->column + at] = x[3 * (int64_t)i + c];
  }
}

static bool in_box(const vv_group *box, const double x[3])
{
  const double *low = vv_has(box, "low") ? vv_numbers(box, "low", NULL) : NULL;
  const double *high = vv_has(box, "high") ? vv_numbers(box, "high", NULL) : NULL;
  for (int c = 0; c < 3; c++)
    if ((low != NULL && x[c] < low[c]) || (high != NULL && x[c] > high[c])) return false;
  return true;
}

/* A region without a node moves nothing: a mistake. */
static vv_status check_regions(const part *w)
{
  for (int k = 0; vv_has(w->group, "velocities") && k < vv_count(w->group, "velocities"); k++) {
    const vv_group *box = vv_item(w->group, "velocities", k);
    int i = 0;
    while (i < w->mesh.nodes && !in_box(box, w->mesh.x + 3 * (int64_t)i)) i++;
    if (i == w->mesh.nodes)
      return vv_complain(
          box, vv_has(box, "low") ? "low" : "high",
          "no node of the mesh lies in this box; its corners are places of the mesh, before the shell is "
          "turned and put to its centre");
  }
  return VV_OK;
}

/* Velocity of a node by the regions of the mesh that it lies in. */
static void add_regions(const part *w, int i, double v[3])
{
  const int n = vv_has(w->group, "velocities") ? vv_count(w->group, "velocities") : 0;
  for (int k = 0; k < n; k++) {
    const vv_group *box = vv_item(w->group, "velocities", k);
    const double *more = vv_numbers(box, "velocity", NULL);
    for (int c = 0; c < 3 && in_box(box, w->mesh.x + 3 * (int64_t)i); c++) v[c] += more[c];
  }
}

static void fill_motion(const part *w, vv_fill *f, int64_t node0, const shell_placement *at, const double *x)
{
  const vv_block *b = f->block;
  double mass = 0.0, centre[3] = {0, 0, 0};
  for (int i = 0; i < w->mesh.nodes; i++) {
    mass += w->mass[i];
    for (int c = 0; c < 3; c++) centre[c] += w->mass[i] * x[3 * (int64_t)i + c];
  }
#pragma omp parallel for schedule(static) if (w->mesh.nodes > SHELL_MANY)
  for (int i = 0; i < w->mesh.nodes; i++) {
    double arm[3], turn[3];
    for (int c = 0; c < 3; c++) arm[c] = x[3 * (int64_t)i + c] - centre[c] / mass;
    vvi_cross3(at->spin, arm, turn);
    add_regions(w, i, turn);
    for (int c = 0; c < 3; c++)
      f->p[c * b->column + node0 + i] = w->hold[i] == SHELL_FREE ? w->mass[i] * (at->velocity[c] + turn[c]) : 0.0;
  }
}

static void fill_elements(const part *w, vv_fill *f, int copy)
{
  const int64_t node0 = f->body->node0 + (int64_t)copy * w->cut->nodes;
  const int64_t element0 = f->body->element0 + (int64_t)copy * w->cut->elements;
#pragma omp parallel for schedule(static) if (w->cut->elements > SHELL_MANY)
  for (int64_t i = 0; i < 3 * (int64_t)w->cut->elements; i++)
    f->block->element_node[3 * element0 + i] = (int32_t)(node0 + w->cut->triangle[i]);
}

static void fill_patch(const part *w, vv_fill *f, int copy)
{
  const shell_body *k = shell_of(f->block, f->body_in_block);
  f->block->patch[f->body->patch0 + copy] = (vv_patch){.type = VV_PATCH_SURFACE,
                                                       .body = f->body->index,
                                                       .node = f->body->node0 + (int64_t)copy * w->cut->nodes,
                                                       .nodes = w->cut->nodes,
                                                       .element = f->body->element0 + (int64_t)copy * w->cut->elements,
                                                       .elements = w->cut->elements,
                                                       .thickness = k->thickness,
                                                       .pieces = w->cut->pieces,
                                                       .closed = k->closed != 0.0,
                                                       .feature = "surface"};
}

/* Columns, motion and corners, from the mesh. */
static vv_status fill_nodes(part *w, vv_fill *f, int copy, const shell_placement *at)
{
  const int64_t node0 = f->body->node0 + (int64_t)copy * w->mesh.nodes;
  double *x = VVI_ARENA_NEW(&w->scratch, double, 3 * (int64_t)w->mesh.nodes);
  if (x == NULL) return VV_NOMEM;
#pragma omp parallel for schedule(static) if (w->mesh.nodes > SHELL_MANY)
  for (int i = 0; i < w->mesh.nodes; i++) {
    vvi_apply33(at->turn, w->mesh.x + 3 * (int64_t)i, x + 3 * (int64_t)i);
    for (int c = 0; c < 3; c++) x[3 * (int64_t)i + c] += at->centre[c];
  }
  fill_columns(w, f, node0, x);
  fill_motion(w, f, node0, at, x);
  fill_elements(w, f, copy);
  return VV_OK;
}

/* known: its nodes are there. */
static vv_status fill_copy(part *w, vv_fill *f, shell_plan *plan, int copy, bool known)
{
  const shell_placement at = shell_place(w->group, copy);
  if (!known) VV_TRY(fill_nodes(w, f, copy, &at));
  VV_TRY(add_tiles(w, f, plan, copy, &at));
  fill_patch(w, f, copy);
  return VV_OK;
}

/* ---- all together ---- */

static vv_status list_held(part *w)
{
  for (int i = 0; i < w->mesh.nodes; i++) w->held += w->hold[i] != SHELL_FREE;
  if ((w->held_node = VVI_ARENA_NEW(&w->scratch, int32_t, w->held + 1)) == NULL) return VV_NOMEM;
  for (int32_t i = 0, n = 0; i < w->mesh.nodes; i++)
    if (w->hold[i] != SHELL_FREE) w->held_node[n++] = i;
  return VV_OK;
}

static vv_status make_tiles(part *w)
{
  const vv_status cut = cut_mesh(w);
  w->closed = w->net.ghosts == 0;
  vvi_arena_free(w->early);
  VV_TRY(cut);
  VV_TRY(check_regions(w));
  return list_held(w);
}

/* What a prepared file has of a body beside the columns of its block. */
static vv_status keep_part(part *w, const vv_fill *f)
{
  vv_ctx *ctx = vvi_group_ctx(w->group);
  const int body = f->body->index;
  if (vvi_ctx_prepared(ctx) == NULL) return VV_OK;
  if (shell_can_break(shell_of(f->block, f->body_in_block)))
    return vv_complain(w->group, "material", "a shell that may break cannot be prepared; run the scene as it is");
  VV_TRY(vvi_keep_value(ctx, &w->held, sizeof w->held, "shell%d.holds", body));
  VV_TRY(vvi_keep(ctx, &w->held_node, sizeof *w->held_node, w->held, "shell%d.held", body));
  return shell_cut_keep(ctx, body, w->arena, w->cut);
}

static vv_status fill_part(part *w, vv_fill *f)
{
  vv_block *b = f->block;
  vv_ctx *ctx = vvi_group_ctx(w->group);
  shell_plan *plan = b->plan;
  shell_body *k = (shell_body *)(void *)(b->body_real + (int64_t)f->body_in_block * SHELL_BODY_COLUMNS);
  const int copies = shell_copies(w->group);
  const bool known = vvi_is_prepared(ctx);
  if (!known) VV_TRY(make_tiles(w));
  VV_TRY(vvi_keep_value(ctx, &w->closed, sizeof w->closed, "shell%d.closed", f->body->index));
  fill_constants(w->group, w->closed, k);
  VV_TRY(read_inelastic(w->group, k));
  if (k->damping.mass > 0.0) b->viscous = true;
  if (!known) {
    VV_TRY(fill_masses(w, k));
    VV_TRY(check_failure(w, k));
  } else if ((w->cut = VVI_ARENA_NEW(w->arena, shell_cut, 1)) == NULL) {
    return VV_NOMEM;
  }
  VV_TRY(keep_part(w, f));
  VV_TRY(plan_room(w->arena, plan, w, copies));
  const int64_t held = plan->held;
  for (int i = 0; i < copies; i++) VV_TRY(fill_copy(w, f, plan, i, known));
  VV_TRY(shell_loads_fill(w->group, f, copies, plan->components - copies));
  if (plan->held > held || f->body->n_load > 0 || vvi_norm3(b->gravity) > 0.0) b->booked = true;
  return VV_OK;
}

vv_status shell_fill(const vv_group *g, vv_fill *f)
{
  vv_block *b = f->block;
  if (b->plan == NULL) {
    shell_plan *plan = b->plan = VVI_ARENA_NEW(f->arena, shell_plan, 1);
    if (plan == NULL) return VV_NOMEM;
    atomic_flag_clear(&plan->busy);
    plan->force = shell_tile_force(2), plan->audit = shell_tile_audit(2), plan->flow = shell_tile_flow(2);
  }
  part w = {.group = g, .arena = f->arena, .early = f->early, .raw = f->found, .threads = b->threads};
  w.scratch.dense = true;
  vv_status status = fill_part(&w, f);
  if (status != VV_OK && w.why[0] != '\0') status = vv_complain(g, "mesh", "%s", w.why);
  vvi_arena_free(&w.scratch);
  if (status != VV_OK) return status;
  shell_plan *plan = b->plan;
  if (f->body_in_block + 1 < b->n_body) return VV_OK;
  plan->sums0 = 4 * plan->slots + (b->n_load > 0 ? 6 * b->nodes : 0);
  plan->reals = plan->sums0 + SHELL_SUMS * plan->tiles;
  if (shell_tear_prepare(f->arena, b) != VV_OK) return vv_complain(g, "mesh", "out of memory for what can break");
  for (int64_t i = 0; plan->where == NULL && i < plan->components; i++) /* only what breaks asks for them again */
    if (plan->component[i].cut->triangle != NULL)
      vvi_forget(plan->component[i].cut->triangle, 3 * sizeof(int) * (size_t)plan->component[i].cut->elements);
  if (vvi_ctx_net(vvi_group_ctx(g)) == NULL)
    VV_TRY(shell_tiles_open(f->arena, plan, NULL, 0)); /* ranks take their own */
  plan->slot = VVI_ARENA_NEW(f->arena, double, plan->reals);
  if (plan->slot == NULL) return vv_complain(g, "mesh", "out of memory for the forces");
  return shell_pace_keep(vvi_group_ctx(g), b, f->arena);
}
