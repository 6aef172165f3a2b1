/* contact/joints/build.c  The scene's `joints`: ends, equations, assemblies, and what is refused. */
#include "contact/joints.h"
#include "contact/pairs.h"
#include "contact/shapes/solids.h"
#include "contact/sheets.h"
#include "math/so3.h"
#include "model/bind.h"

#include <stdlib.h>
#include <string.h>

/* Ends may be apart by this part of the size, and part by this part of the speeds: what the digits of a scene leave. */
static const double APART = 1e-9, PARTING = 1e-6;
/* Of the fastest node that is joined: rounding, which is all that is left at a point that is at rest. */
static const double ROUNDED = 1e-14;

/* ---- kinds ---- */

typedef struct kind {
  const char *name;
  bool axis, turns; /* needs an axis; has rows that turn its ends */
  int rows;
  vvi_tie tie[VVI_JOINT_ROWS];
} kind;

/* Axis 2 is the one that the scene gives. */
#define ALL_PLACES                              \
  {VVI_TIE_PLACE, 0, 0}, {VVI_TIE_PLACE, 1, 0}, \
  {                                             \
    VVI_TIE_PLACE, 2, 0                         \
  }
#define ALL_ANGLES                              \
  {VVI_TIE_ANGLE, 1, 2}, {VVI_TIE_ANGLE, 2, 0}, \
  {                                             \
    VVI_TIE_ANGLE, 0, 1                         \
  }
#define AXIS_ALONG       \
  {VVI_TIE_ANGLE, 0, 2}, \
  {                      \
    VVI_TIE_ANGLE, 1, 2  \
  }
#define ON_AXIS          \
  {VVI_TIE_ALONG, 0, 0}, \
  {                      \
    VVI_TIE_ALONG, 1, 0  \
  }
static const kind kinds[] = {
    {"ball", false, false, 3, {ALL_PLACES}},
    {"hinge", true, true, 5, {ALL_PLACES, AXIS_ALONG}},
    {"slider", true, true, 5, {ALL_ANGLES, ON_AXIS}},
    {"cylinder", true, true, 4, {AXIS_ALONG, ON_AXIS}},
    {"weld", false, true, 6, {ALL_PLACES, ALL_ANGLES}},
    {"distance", false, false, 1, {{VVI_TIE_LENGTH, 0, 0}}},
    {"plane", true, false, 1, {{VVI_TIE_ALONG, 2, 0}}},
};

static const kind *kind_of(const vv_group *g)
{
  for (int i = 0; i < VV_COUNT(kinds); i++)
    if (vv_is(g, "kind", kinds[i].name)) return &kinds[i];
  return NULL;
}

/* ---- ends ---- */

typedef struct builder {
  vv_model *m;
  const double *q, *p;
  struct vvi_joints *out;
  vvi_arena scratch;
} builder;

static void mover_of(const builder *k, int32_t block, int64_t node, vv_mover *out)
{
  const vv_block *b = &k->m->block[block];
  b->kind->mover(b, node, k->q + b->q0, k->p + b->p0, out);
}

/* A node of a body is listed once. */
static int32_t list_node(builder *k, int32_t body, int64_t node)
{
  struct vvi_joints *o = k->out;
  const int32_t block = k->m->body[body].block;
  for (int32_t i = 0; i < o->nodes; i++)
    if (o->node[i].block == block && o->node[i].node == node) return i;
  o->node[o->nodes] = (vvi_joint_node){.block = block, .body = body, .node = node, .mover = -1};
  return o->nodes++;
}

static bool is_frame(const vv_block *b)
{
  return b->kind->node_p == 6;
}

/* The node of a body that is nearest to a point. */
static int64_t nearest(const builder *k, const vv_body *body, const double x[3])
{
  int64_t best = body->node0;
  double least = INFINITY;
  for (int64_t i = body->node0; i < body->node0 + body->n_node; i++) {
    vv_mover m;
    mover_of(k, body->block, i, &m);
    const double d[3] = {m.place[0] - x[0], m.place[1] - x[1], m.place[2] - x[2]};
    if (vvi_dot3(d, d) < least) least = vvi_dot3(d, d), best = i;
  }
  return best;
}

/* One end at the point x with axes (by rows) in space. */
static vv_status make_end(builder *k, const vv_group *g, int32_t body, const double x[3], const double axes[9],
                          vvi_joint *j, int side)
{
  vvi_joint_end *e = &j->end[side];
  e->node = -1;
  memcpy(e->arm, x, sizeof e->arm);
  memcpy(e->axis, axes, sizeof e->axis);
  if (body < 0 || k->m->body[body].n_node == 0) return VV_OK; /* the ground, or an obstacle */
  const vv_body *b = &k->m->body[body];
  const vv_block *block = &k->m->block[b->block];
  if (block->kind->mover == NULL)
    return vv_complain(g, "bodies", "'%s' of kind %s cannot be joined", b->name, block->kind->name);
  if (b->n_element == 0 && b->n_node > 1)
    return vv_complain(g, "bodies", "'%s' has %lld copies; give each body that is joined a name of its own", b->name,
                       (long long)b->n_node);
  const int64_t node = nearest(k, b, x);
  vv_mover m;
  mover_of(k, b->block, node, &m);
  const double d[3] = {x[0] - m.place[0], x[1] - m.place[1], x[2] - m.place[2]};
  if (!is_frame(block) && vvi_norm3(d) > 1e-6 * k->m->length_scale)
    return vv_complain(g, side == 1 && vv_has(g, "to") ? "to" : "at",
                       "nodes of a %s are points: the joint must be at one; the nearest of '%s' is [%.9g, %.9g, %.9g]",
                       block->kind->name, b->name, m.place[0], m.place[1], m.place[2]);
  vvi_tapply33(m.turn, d, e->arm);
  if (!is_frame(block)) memset(e->arm, 0, sizeof e->arm);
  for (int i = 0; i < 3; i++) vvi_tapply33(m.turn, axes + 3 * i, e->axis[i]);
  e->node = list_node(k, body, node);
  return VV_OK;
}

/* ---- one joint ---- */

/* A body that a motion drives, or that does not move at all. */
static vv_status check_body(const builder *k, const vv_group *g, int32_t body)
{
  const vv_body *who = body >= 0 ? &k->m->body[body] : NULL;
  const vv_block *b = who != NULL ? &k->m->block[who->block] : NULL;
  bool driven = who != NULL && vvi_motion_of(who->group) != NULL;
  for (int32_t i = 0; b != NULL && i < b->n_load; i++)
    driven |= b->load[i].motion && b->body[b->load[i].body]->index == body;
  if (!driven) return VV_OK;
  return vv_complain(g, "bodies", "'%s' has a given motion; bodies that are driven cannot be joined yet", who->name);
}

static vv_status read_bodies(const builder *k, const vv_group *g, vvi_joint *j)
{
  const int n = vv_names(g, "bodies");
  if (n != 2) return vv_complain(g, "bodies", "names %d; a joint is between two bodies, or [NAME, ground]", n);
  for (int i = 0; i < 2; i++) {
    const char *name = vv_name_at(g, "bodies", i);
    j->body[i] = strcmp(name, "ground") == 0 ? -1 : vvi_model_body_find(k->m, name);
    if (j->body[i] < 0 && strcmp(name, "ground") != 0)
      return vv_complain(g, "bodies", "there is no body '%s'; a grid of copies has NAME-0, NAME-1, ...", name);
    VV_TRY(check_body(k, g, j->body[i]));
  }
  return VV_OK;
}

static vv_status read_axes(const vv_group *g, const kind *t, double axes[9])
{
  double n[3] = {0, 0, 1}, across[2][3];
  if (t->axis != vv_has(g, "axis"))
    return vv_complain(g, "axis", t->axis ? "a %s needs one" : "a %s has none", t->name);
  if (t->axis) memcpy(n, vv_numbers(g, "axis", NULL), sizeof n);
  const double size = vvi_norm3(n);
  if (!(size > 0.0)) return vv_complain(g, "axis", "has no direction");
  for (int c = 0; c < 3; c++) n[c] /= size;
  vvi_across(n, across);
  memcpy(axes, across[0], 3 * sizeof *axes);
  memcpy(axes + 3, across[1], 3 * sizeof *axes);
  memcpy(axes + 6, n, sizeof n);
  return VV_OK;
}

/* Points that only move have no axes to carry, and nothing to turn. */
static vv_status check_frames(const builder *k, const vv_group *g, const kind *t, const vvi_joint *j)
{
  for (int s = 0; s < 2; s++) {
    const int32_t n = j->end[s].node;
    if (n < 0 || is_frame(&k->m->block[k->out->node[n].block])) continue;
    const char *name = k->m->body[k->out->node[n].body].name;
    if (t->turns)
      return vv_complain(g, "kind", "nodes of '%s' do not turn: it takes ball, distance and plane, and no %s", name,
                         t->name);
    if (strcmp(t->name, "plane") == 0 && s == 0)
      return vv_complain(g, "bodies", "the first carries the plane, and nodes of '%s' do not turn: name it second",
                         name);
  }
  if (j->end[0].node < 0 && j->end[1].node < 0)
    return vv_complain(g, "bodies", "neither of them moves: there is nothing to join");
  if (j->end[0].node == j->end[1].node) return vv_complain(g, "bodies", "both ends are at one node");
  return VV_OK;
}

static double size_of(const builder *k, const vvi_joint *j)
{
  double size = fmax(vvi_norm3(j->end[0].node >= 0 ? j->end[0].arm : (const double[3]){0}),
                     vvi_norm3(j->end[1].node >= 0 ? j->end[1].arm : (const double[3]){0}));
  size = fmax(size, j->length);
  return size > 0.0 ? size : k->m->length_scale;
}

/* Do the ends fit each other where they are?  Both at one point: always; where the scene gives two they must. */
static vv_status check_start(const builder *k, const vvi_joint *j, const vv_mover *at)
{
  double g[VVI_JOINT_ROWS], most = 0.0;
  vvi_joint_gaps(j, at, g);
  for (int r = 0; r < j->rows; r++)
    if (j->tie[r].type != VVI_TIE_ANGLE) most = fmax(most, fabs(g[r]));
  if (most <= APART * fmax(j->size, k->m->length_scale)) return VV_OK;
  if (j->tie[0].type == VVI_TIE_LENGTH)
    return vv_complain(j->group, "length", "is %.9g, but the ends are %.9g apart at the start", j->length,
                       j->length + g[0]);
  return vv_complain(j->group, vv_has(j->group, "to") ? "to" : "at",
                     "the ends of this %s are %.3g from where it wants them; move one", vv_text(j->group, "kind"),
                     most);
}

static vv_status read_joint(builder *k, const vv_group *g, vvi_joint *j)
{
  const kind *t = kind_of(g);
  const bool distance = strcmp(t->name, "distance") == 0;
  double axes[9];
  *j = (vvi_joint){.group = g, .rows = t->rows};
  memcpy(j->tie, t->tie, sizeof j->tie);
  VV_TRY(read_bodies(k, g, j));
  VV_TRY(read_axes(g, t, axes));
  if (distance != vv_has(g, "to") && distance) return vv_complain(g, "to", "a distance has two ends: give the second");
  if (vv_has(g, "length") && !distance) return vv_complain(g, "length", "belongs to 'kind: distance'");
  const double *at = vv_numbers(g, "at", NULL), *to = vv_has(g, "to") ? vv_numbers(g, "to", NULL) : at;
  VV_TRY(make_end(k, g, j->body[0], at, axes, j, 0));
  VV_TRY(make_end(k, g, j->body[1], to, axes, j, 1));
  const double d[3] = {to[0] - at[0], to[1] - at[1], to[2] - at[2]};
  if (distance) j->length = vv_has(g, "length") ? vv_number(g, "length") : vvi_norm3(d);
  if (distance && !(j->length > 0.0 && vvi_norm3(d) > 0.0))
    return vv_complain(g, "to", "is where 'at' is: ends without a distance are a ball");
  j->size = size_of(k, j);
  return check_frames(k, g, t, j);
}

/* An interface: every node of the second body in the plane of the first. */
static vv_status read_interface(builder *k, const vv_group *g)
{
  enum { MOST = 400 }; /* on a plane that moves they all feel each other */
  vvi_joint first;
  struct vvi_joints *o = k->out;
  VV_TRY(read_joint(k, g, &first));
  if (strcmp(kind_of(g)->name, "plane") != 0) return vv_complain(g, "nodes", "all belongs to 'kind: plane'");
  const vv_body *b = first.body[1] >= 0 ? &k->m->body[first.body[1]] : NULL;
  if (b == NULL || b->n_node == 0) return vv_complain(g, "bodies", "the second one slides, and must have nodes");
  if (first.end[0].node >= 0 && b->n_node > MOST)
    return vv_complain(g, "nodes", "'%s' has %lld nodes; on a plane that moves at most %d can slide", b->name,
                       (long long)b->n_node, MOST);
  for (int64_t i = 0; i < b->n_node; i++) {
    vvi_joint *j = &o->joint[o->n++];
    vv_mover m;
    *j = first;
    mover_of(k, b->block, b->node0 + i, &m);
    memset(j->end[1].arm, 0, sizeof j->end[1].arm);
    j->end[1].node = list_node(k, first.body[1], b->node0 + i);
  }
  return VV_OK;
}

static int64_t most_joints(const vv_model *m)
{
  int64_t n = 0;
  for (int i = 0; i < vv_count(m->root, "joints"); i++) {
    const vv_group *g = vv_item(m->root, "joints", i);
    const int body = vv_names(g, "bodies") == 2 ? vvi_model_body_find(m, vv_name_at(g, "bodies", 1)) : -1;
    n += 1 + (vv_is(g, "nodes", "all") && body >= 0 ? m->body[body].n_node : 0);
  }
  return n;
}

/* ---- assemblies ---- */

/* In implicit steps an impulse on a node of a body that bends moves all of it, and a block of nodes that only move is one body
 * there: its nodes feel each other.  The number of such a body; -1: the node stands alone. */
static int32_t whole_of(const vv_model *m, const vvi_joint_node *n)
{
  const vv_block *b = &m->block[n->block];
  if (!vv_is(vv_sub(m->root, "method"), "step", "energy-momentum") || m->body[n->body].n_element == 0) return -1;
  return (b->claims & VV_FLAT) != 0 && b->kind->node_p == 3 ? b->body[0]->index : n->body;
}

static void join_wholes(builder *k, int32_t *root)
{
  const struct vvi_joints *o = k->out;
  for (int32_t i = 0; i < o->nodes; i++)
    for (int32_t j = i + 1; j < o->nodes && whole_of(k->m, &o->node[i]) >= 0; j++)
      if (whole_of(k->m, &o->node[i]) == whole_of(k->m, &o->node[j])) vvi_group_join(root, i, j);
}

/* The first node of each. */
static vv_status list_wholes(builder *k)
{
  struct vvi_joints *o = k->out;
  if ((o->whole = VVI_ARENA_NEW(&k->m->arena, int32_t, o->nodes)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < o->nodes; i++) {
    const int32_t of = whole_of(k->m, &o->node[i]);
    int32_t j = 0;
    while (of >= 0 && whole_of(k->m, &o->node[j]) != of) j++;
    o->whole[i] = of >= 0 ? j : -1;
  }
  return VV_OK;
}

static vv_status sort_all(builder *k)
{
  struct vvi_joints *o = k->out;
  const int32_t n = o->nodes;
  int32_t *root = VVI_ARENA_NEW(&k->scratch, int32_t, n), *place = VVI_ARENA_NEW(&k->scratch, int32_t, n);
  vvi_joint_node *node = VVI_ARENA_NEW(&k->m->arena, vvi_joint_node, n);
  vvi_joint *joint = VVI_ARENA_NEW(&k->m->arena, vvi_joint, o->n);
  o->assembly = VVI_ARENA_NEW(&k->m->arena, vvi_assembly, n);
  if (!root || !place || !node || !joint || !o->assembly) return VV_NOMEM;
  for (int32_t i = 0; i < n; i++) root[i] = i;
  for (int32_t i = 0; i < o->n; i++) {
    const vvi_joint_end *e = o->joint[i].end;
    if (e[0].node >= 0 && e[1].node >= 0) vvi_group_join(root, e[0].node, e[1].node);
  }
  join_wholes(k, root);
  int32_t nodes = 0, joints = 0;
  for (int32_t r = 0; r < n; r++) {
    if (vvi_group_of(root, r) != r) continue;
    vvi_assembly *a = &o->assembly[o->assemblies];
    *a = (vvi_assembly){.joint0 = joints, .node0 = nodes};
    for (int32_t i = r; i < n; i++)
      if (vvi_group_of(root, i) == r)
        place[i] = nodes, node[nodes] = o->node[i], node[nodes++].assembly = o->assemblies;
    for (int32_t i = 0; i < o->n; i++) {
      const vvi_joint_end *e = o->joint[i].end;
      if (vvi_group_of(root, e[0].node >= 0 ? e[0].node : e[1].node) != r) continue;
      a->fixed |= e[0].node < 0 || e[1].node < 0;
      joint[joints++] = o->joint[i];
    }
    a->nodes = nodes - a->node0, a->joints = joints - a->joint0;
    o->assemblies++;
  }
  for (int32_t i = 0; i < o->n; i++)
    for (int s = 0; s < 2; s++)
      if (joint[i].end[s].node >= 0) joint[i].end[s].node = place[joint[i].end[s].node];
  o->node = node, o->joint = joint;
  return VV_OK;
}

static int by_number(const void *x, const void *y)
{
  const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return (a > b) - (a < b);
}

static int64_t number_of(const vv_model *m, int32_t a, int32_t b)
{
  return (int64_t)(a < b ? a : b) * m->n_body + (a < b ? b : a);
}

static vv_status list_pairs(builder *k)
{
  struct vvi_joints *o = k->out;
  if ((o->pair = VVI_ARENA_NEW(&k->m->arena, int64_t, o->n)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < o->n; i++)
    if (o->joint[i].body[0] >= 0 && o->joint[i].body[1] >= 0)
      o->pair[o->pairs++] = number_of(k->m, o->joint[i].body[0], o->joint[i].body[1]);
  qsort(o->pair, (size_t)o->pairs, sizeof *o->pair, by_number);
  return VV_OK;
}

bool vvi_joints_join(const vv_model *m, int32_t a, int32_t b)
{
  if (m->joints == NULL || m->joints->pairs == 0) return false;
  const int64_t number = number_of(m, a, b);
  return bsearch(&number, m->joints->pair, (size_t)m->joints->pairs, sizeof number, by_number) != NULL;
}

/* ---- the start ---- */

/* Velocities that part the ends by more than the digits of a scene explain are a mistake. */
static vv_status check_velocities(const builder *k, const vv_mover *at)
{
  vv_status status = VV_OK;
  double fastest = 0.0, most = 0.0; /* what a joint at rest rounds to, where others move */
  for (int32_t i = 0; i < k->out->nodes; i++) {
    fastest = fmax(fastest, vvi_norm3(at[i].velocity) + vvi_norm3(at[i].spin) * k->m->length_scale);
    most = fmax(most, vvi_norm3(at[i].spin) + vvi_norm3(at[i].velocity) / k->m->length_scale);
  }
  for (int32_t i = 0; i < k->out->n; i++) {
    const vvi_joint *j = &k->out->joint[i];
    vvi_joint_rows rows;
    double u[VVI_JOINT_ROWS], part = 0.0, turn = 0.0, speed = 0.0, spin = 0.0;
    vvi_joint_rows_at(j, at, &rows);
    vvi_joint_speeds(j, &rows, at, u);
    for (int r = 0; r < j->rows; r++)
      if (j->tie[r].type == VVI_TIE_ANGLE)
        turn = fmax(turn, fabs(u[r]));
      else
        part = fmax(part, fabs(u[r]));
    for (int s = 0; s < 2; s++) {
      const vv_mover *m = j->end[s].node >= 0 ? &at[j->end[s].node] : NULL;
      if (m == NULL) continue;
      speed = fmax(speed, vvi_norm3(m->velocity) + vvi_norm3(m->spin) * vvi_norm3(j->end[s].arm));
      spin = fmax(spin, vvi_norm3(m->spin));
    }
    if (part > PARTING * speed + ROUNDED * fastest)
      status = vv_complain(j->group, "bodies", "the velocities of the two pull this %s apart by %.3g m/s at the start",
                           vv_text(j->group, "kind"), part);
    else if (turn > PARTING * spin + ROUNDED * most)
      status = vv_complain(j->group, "bodies", "the spins of the two turn this %s by %.3g rad/s against its axis",
                           vv_text(j->group, "kind"), turn);
  }
  return status;
}

static vv_status check_all(builder *k, double *p)
{
  const struct vvi_joints *o = k->out;
  vv_status status = VV_OK;
  vv_mover *at = VVI_ARENA_NEW(&k->scratch, vv_mover, o->nodes);
  if (at == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < o->nodes; i++) mover_of(k, o->node[i].block, o->node[i].node, &at[i]);
  for (int32_t i = 0; i < o->n; i++)
    if (check_start(k, &o->joint[i], at) != VV_OK) status = VV_SCENE;
  if (status == VV_OK) status = check_velocities(k, at);
  if (status != VV_OK) return status;
  struct vvi_joint_step *w;
  k->m->joints = k->out;
  VV_TRY(vvi_joint_create(k->m, &k->scratch, NULL, &w));
  vvi_joints_mend(w, k->q, p, NULL);
  return VV_OK;
}

vv_status vvi_joints_build(vv_model *m, const double *q, double *p)
{
  const int n = vv_count(m->root, "joints");
  vv_status status = VV_OK;
  if (n == 0) return VV_OK;
  struct vvi_joints *o = VVI_ARENA_NEW(&m->arena, struct vvi_joints, 1);
  if (o == NULL) return VV_NOMEM;
  builder k = {.m = m, .q = q, .p = p, .out = o};
  const int64_t most = most_joints(m);
  if (most > INT32_MAX / 16) return vv_complain(m->root, "joints", "are too many");
  o->joint = VVI_ARENA_NEW(&m->arena, vvi_joint, most);
  o->node = VVI_ARENA_NEW(&m->arena, vvi_joint_node, 2 * most);
  if (o->joint == NULL || o->node == NULL) return VV_NOMEM;
  for (int i = 0; i < n; i++) {
    const vv_group *g = vv_item(m->root, "joints", i);
    const bool all = vv_is(g, "nodes", "all");
    if ((all ? read_interface(&k, g) : read_joint(&k, g, &o->joint[o->n])) != VV_OK)
      status = VV_SCENE;
    else if (!all)
      o->n++;
  }
  if (status == VV_OK) status = sort_all(&k);
  if (status == VV_OK) status = list_wholes(&k);
  if (status == VV_OK) status = list_pairs(&k);
  if (status == VV_OK) status = check_all(&k, p);
  vvi_arena_free(&k.scratch);
  return status;
}

/* ---- with contact ---- */

/* Surfaces of this body meet something, or shells meet it. */
static bool meets_surfaces(const vv_model *m, int32_t body)
{
  for (int32_t i = 0; m->sheets != NULL && i < m->sheets->n_body; i++)
    if (m->sheets->body[i].body == body) return true;
  return false;
}

/* Tips of bars along a line answer each other alone. */
static vv_status refuse_pairs(const vv_model *m)
{
  for (int32_t i = 0; i < m->joints->nodes; i++)
    for (int32_t k = 0; k < m->pairs->n; k++) {
      const vvi_pair *c = &m->pairs->pair[k];
      const int32_t body = m->joints->node[i].body;
      if (c->patch_a->body == body || c->patch_b->body == body)
        return vv_complain(m->body[body].group, NULL,
                           "'%s' is joined, and its tips meet others along a line, which is not solved together; say "
                           "'search: general' in `contacts`, or 'response: none'",
                           m->body[body].name);
    }
  return VV_OK;
}

vv_status vvi_joints_settle(vv_model *m)
{
  struct vvi_joints *o = m->joints;
  if (o != NULL) VV_TRY(refuse_pairs(m));
  if (o == NULL || (m->solids == NULL && m->sheets == NULL)) return VV_OK;
  if (vvi_model_implicit(m)) return VV_OK; /* all are rows of one step */
  for (int32_t i = 0; i < o->nodes; i++) {
    vvi_joint_node *n = &o->node[i];
    if (m->solids != NULL && m->solids->first[n->block] >= 0) n->mover = m->solids->first[n->block] + (int32_t)n->node;
    if (meets_surfaces(m, n->body))
      return vv_complain(m->body[n->body].group, NULL,
                         "'%s' is joined and can meet a shell or a beam with corners, which is not solved together "
                         "yet; add `contacts: [{between: [%s, OTHER], response: none}]`",
                         m->body[n->body].name, m->body[n->body].name);
  }
  for (int32_t i = 0; i < o->assemblies; i++) {
    const vvi_assembly *a = &o->assembly[i];
    int32_t in = 0;
    for (int32_t k = 0; k < a->nodes; k++) in += o->node[a->node0 + k].mover >= 0;
    for (int32_t k = 0; in > 0 && in < a->nodes && k < a->nodes; k++) {
      const vvi_joint_node *n = &o->node[a->node0 + k];
      if (n->mover < 0)
        return vv_complain(m->body[n->body].group, NULL,
                           "'%s' is joined to bodies that can touch something, which a %s cannot follow yet; set "
                           "`contacts: [{response: none}]`",
                           m->body[n->body].name, m->block[n->block].kind->name);
    }
  }
  return VV_OK;
}
