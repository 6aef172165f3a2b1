/* geom/touch_mesh.c  Surfaces of triangles against everything.
 *
 * Each triangle near the other solid is a convex core of its own.  A spot it gives counts when its normal n belongs to the
 * place of the surface it is on: at an edge or a vertex no neighbouring triangle may rise above the plane through the point
 * with normal n, otherwise the neighbour is nearer and has its own spot.  So the inner edges of a flat region give none,
 * the sides of a valley one each, and a ridge its own. */
#include "geom/touch_mesh.h"
#include "geom/core.h"
#include "geom/tree.h"

/* How far (as sine) a neighbour may rise and still count as level. */
#define FLAT  1e-6
/* 1 - cosine below which a normal is that of the triangle. */
#define LEVEL 1e-13
enum { MOST = 128, FEW = 32 }; /* spots of a pair, of a triangle */

/* A mesh as one side of a pair; sign -1: seen from inside. */
typedef struct mesh {
  const vvi_surface *f;
  const vvi_pose *pose;
  double sign;
} mesh;

/* A triangle of it, in space: a core with the normal to the free side. */
static void triangle_core(const mesh *m, int t, vvi_core *k)
{
  const int *v = m->f->triangle + 3 * t;
  double local[3];
  k->type = VVI_CORE_POINTS;
  k->points = 3;
  k->round = 0.0;
  k->polyhedron = NULL, k->pose = NULL, k->half = NULL, k->width = 0.0;
  for (int i = 0; i < 3; i++) {
    vvi_pose_point(m->pose, m->f->vertex + 3 * v[i], k->p[i]);
    k->id[i] = (uint32_t)v[i];
  }
  double size = 0.0;
  for (int i = 0; i < 3; i++) k->c[i] = (k->p[0][i] + k->p[1][i] + k->p[2][i]) / 3.0;
  for (int i = 0; i < 3; i++) {
    double d[3];
    vvi_sub3(k->p[i], k->c, d);
    size = fmax(size, vvi_dot3(d, d));
  }
  k->size = sqrt(size);
  vvi_surface_normal(m->f, t, local);
  for (int i = 0; i < 3; i++) local[i] *= m->sign;
  vvi_apply33(m->pose->turn, local, k->e + 6);
  vvi_across(k->e + 6, (double(*)[3])k->e);
}

/* Sine of the height of vertex w over the plane through vertex v with normal n (in the mesh's frame). */
static double rise(const vvi_surface *f, int v, int w, const double n[3])
{
  double d[3];
  vvi_sub3(f->vertex + 3 * w, f->vertex + 3 * v, d);
  return vvi_dot3(d, n) / vvi_norm3(d);
}

/* The corner of the neighbour across the edge opposite to corner k that is not on the edge. */
static int across(const vvi_surface *f, int t, int k)
{
  const int u = f->neighbour[3 * t + k], a = f->triangle[3 * t + (k + 1) % 3], b = f->triangle[3 * t + (k + 2) % 3];
  for (int i = 0; i < 3; i++)
    if (f->triangle[3 * u + i] != a && f->triangle[3 * u + i] != b) return f->triangle[3 * u + i];
  return a;
}

/* No triangle around the vertex rises over the plane with normal n; `bent`: some go below it. */
static bool level_vertex(const vvi_surface *f, int t, int corner, const double n[3], bool *bent)
{
  const int v = f->triangle[3 * t + corner], first = t;
  int c = corner;
  *bent = false;
  for (int guard = 0; guard < 1000; guard++) {
    const double up = rise(f, v, f->triangle[3 * t + (c + 1) % 3], n);
    if (up > FLAT) return false;
    if (up < -FLAT) *bent = true;
    c = vvi_surface_turn(f, &t, c);
    if (t == first) return true;
  }
  return false;
}

/* Does the spot with normal n (from this mesh) at the point y of triangle t belong there?  corner: it is a vertex or the
 * nearest point of the other solid, which may be over an edge that is none. */
static bool belongs(const mesh *m, int t, const double y[3], const double normal[3], bool corner)
{
  const vvi_surface *f = m->f;
  const int *v = f->triangle + 3 * t;
  double d[3], local[3], n[3], own[3], z[3], part[3];
  vvi_sub3(y, m->pose->place, d);
  vvi_tapply33(m->pose->turn, d, local);
  vvi_tapply33(m->pose->turn, normal, n);
  vvi_surface_normal(f, t, own);
  for (int i = 0; i < 3; i++) own[i] *= m->sign;
  const double facing = vvi_dot3(own, n);
  vvi_triangle_near(f->vertex + 3 * v[0], f->vertex + 3 * v[1], f->vertex + 3 * v[2], local, z, part);
  int zero = 0, away = 0, at = 0;
  for (int k = 0; k < 3; k++) {
    if (part[k] < 1e-7)
      zero++, away = k;
    else
      at = k;
  }
  if (zero == 0 || (corner && facing > 1.0 - LEVEL)) return facing > 0.9;
  if (zero == 1) {
    const int a = v[(away + 1) % 3], w = across(f, t, away);
    if (rise(f, a, w, own) > -FLAT) return false; /* flat or hollow: not an edge one can stand on */
    return rise(f, a, w, n) <= FLAT && rise(f, a, v[away], n) <= FLAT;
  }
  bool bent;
  double mean[3] = {own[0], own[1], own[2]};
  if (!level_vertex(f, t, at, n, &bent) || !bent) return false;
  int s = t, c = at;
  for (int guard = 0; guard < 1000; guard++) { /* outwards, not into a dent from below */
    c = vvi_surface_turn(f, &s, c);
    if (s == t) break;
    vvi_surface_normal(f, s, own);
    for (int i = 0; i < 3; i++) mean[i] += m->sign * own[i];
  }
  return vvi_dot3(mean, n) > 0.0;
}

/* Keeps those spots that belong to the mesh (side 1: it is a; -1: b) and whose gap is possible.  round: the
 * nearest point is none of its corners; corners: the triangle's own count. */
static void sift(const mesh *m, int t, double side, double least, bool round, bool corners, vvi_spots *s)
{
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    const vvi_spot *o = &s->out[i];
    double y[3], normal[3];
    vvi_mad3(o->x, -0.5 * side * o->gap, o->n, y);
    for (int k = 0; k < 3; k++) normal[k] = side * o->n[k];
    const uint32_t kind = o->key & 3u;
    const bool corner =
        kind == (side > 0.0 ? VVI_KEY_VERTEX_B : VVI_KEY_VERTEX_A) || (round && kind == VVI_KEY_NEAREST);
    if (!corners && kind == VVI_KEY_VERTEX_A) continue;
    if (o->gap >= least && belongs(m, t, y, normal, corner)) s->out[n++] = *o;
  }
  s->n = n;
}

/* Adds what was sifted to the list; of equal keys the nearer stays. */
static void add_new(const vvi_spots *few, vvi_spots *s)
{
  for (int i = 0; i < few->n; i++) {
    const vvi_spot *o = &few->out[i];
    int k = 0;
    while (k < s->n && s->out[k].key != o->key) k++;
    if (k == s->n)
      vvi_spot_add(s, o->x, o->n, o->gap, o->key);
    else if (o->gap < s->out[k].gap)
      s->out[k] = *o;
  }
}

/* Name of the place on the triangle, so that neighbours give the same spot the same key. */
static uint32_t place_name(const vvi_core *k, const double y[3], int t)
{
  double z[3], part[3];
  vvi_triangle_near(k->p[0], k->p[1], k->p[2], y, z, part);
  uint32_t id[3];
  int n = 0;
  for (int i = 0; i < 3; i++)
    if (part[i] >= 1e-7) id[n++] = k->id[i];
  return n == 1 ? vvi_mix(1, id[0]) : n == 2 ? vvi_mix(2, vvi_edge_name(id[0], id[1])) : vvi_mix(3, (uint32_t)t);
}

/* A ball against a triangle: the nearest point; behind the triangle the depth counts. */
static void touch_ball(const vvi_core *k, int t, const vvi_core *b, vvi_spots *s)
{
  double y[3], part[3], d[3], n[3], x[3];
  vvi_triangle_near(k->p[0], k->p[1], k->p[2], b->p[0], y, part);
  vvi_sub3(b->p[0], y, d);
  const double length = vvi_norm3(d), height = vvi_dot3(d, k->e + 6);
  const bool inside = part[0] > 1e-12 && part[1] > 1e-12 && part[2] > 1e-12;
  const bool own = inside || length < 1e-12 * b->size;
  const double apart = own ? height : length, gap = apart - b->round;
  for (int i = 0; i < 3; i++) n[i] = own ? k->e[6 + i] : d[i] / length;
  vvi_mad3(b->p[0], -(b->round + 0.5 * gap), n, x);
  const uint32_t key = vvi_pair_key(place_name(k, y, t), 0, own ? VVI_KEY_VERTEX_B : VVI_KEY_NEAREST);
  vvi_spot_add(s, x, n, gap, key);
}

/* The least gap a spot can have: that of the nearest points where the cores are apart, else some depth. */
static double possible(const vvi_apart *near, double deep, const vvi_core *other)
{
  return near->gap > 0.0 ? near->gap - other->round - 1e-9 * other->size : -deep - other->round;
}

/* A ball is inside of the solid where the nearest triangle has it behind: then, and only then, those in front of which it is
 * not count. */
static void choose_side(const vvi_core *b, vvi_spots *s)
{
  double nearest = INFINITY;
  for (int i = 0; i < s->n; i++) {
    const double apart = s->out[i].gap + b->round;
    if (fabs(apart) < fabs(nearest)) nearest = apart;
  }
  int n = 0;
  for (int i = 0; i < s->n; i++)
    if (s->out[i].gap + b->round >= 0.0 || nearest < 0.0) s->out[n++] = s->out[i];
  s->n = n;
}

/* One triangle against a convex core: nearest points and patches, or, where these belong to a neighbour, the patch over
 * the triangle alone. */
static void touch_core(const mesh *m, int t, const vvi_core *k, const vvi_core *other, vvi_spots *s)
{
  vvi_apart near;
  vvi_spot found[FEW];
  vvi_spots few = {.out = found, .room = FEW, .margin = s->margin, .bound = INFINITY};
  const double deep = 0.5 * other->size;
  if (other->points == 1) {
    touch_ball(k, t, other, &few);
    sift(m, t, 1.0, -2.0 * other->size, true, true, &few);
    add_new(&few, s);
    return;
  }
  if (!vvi_cores_apart(k, other, s->margin + other->round, k->e + 6, &near) || near.gap - other->round >= s->margin)
    return;
  near.id_a = place_name(k, near.a, t);
  const bool mine = near.gap > -deep && belongs(m, t, near.a, near.n, true);
  if (mine)
    vvi_cores_spots(k, other, &near, &few);
  else if (near.gap <= 0.0 || vvi_dot3(near.n, k->e + 6) > 0.0)
    vvi_cores_face_patch(k, other, k->e + 6, &few);
  sift(m, t, 1.0, possible(&near, deep, other), other->type == VVI_CORE_CYLINDER, mine, &few);
  add_new(&few, s);
}

/* ---- boxes ---- */

/* The box about a core in the frame of a pose, with all that is nearer than `skin`. */
static void core_box(const vvi_core *k, const vvi_pose *pose, double skin, double low[3], double high[3])
{
  for (int i = 0; i < 3; i++) {
    const double d[3] = {pose->turn[i], pose->turn[3 + i], pose->turn[6 + i]}, back[3] = {-d[0], -d[1], -d[2]};
    double x[3];
    uint32_t id;
    const double base = vvi_dot3(pose->place, d), more = k->round + skin;
    vvi_core_support(k, d, x, &id);
    high[i] = vvi_dot3(x, d) - base + more;
    vvi_core_support(k, back, x, &id);
    low[i] = vvi_dot3(x, d) - base - more;
  }
}

static bool boxes_meet(const double low[3], const double high[3], const vvi_box_node *n)
{
  return low[0] <= n->high[0] && n->low[0] <= high[0] && low[1] <= n->high[1] && n->low[1] <= high[1] &&
         low[2] <= n->high[2] && n->low[2] <= high[2];
}

/* A ball about all of it, in the frame of the mesh. */
typedef struct ball {
  double c[3], r;
} ball;

static bool ball_meets(const ball *b, const vvi_box_node *n)
{
  double dd = 0.0;
  for (int i = 0; i < 3; i++) {
    const double d = fmax(0.0, fmax(n->low[i] - b->c[i], b->c[i] - n->high[i]));
    dd += d * d;
  }
  return dd <= b->r * b->r;
}

static ball core_ball(const vvi_core *k, const vvi_pose *pose, double skin)
{
  ball b = {.r = k->size + skin};
  double d[3];
  vvi_sub3(k->c, pose->place, d);
  vvi_tapply33(pose->turn, d, b.c);
  return b;
}

/* Calls for every triangle whose box, or that of its leaf, meets the box and the ball. */
typedef void visit(void *user, int t);
static void query(const vvi_surface *f, const double low[3], const double high[3], const ball *about, visit *see,
                  void *user)
{
  int stack[VVI_TREE_DEPTH], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const int at = stack[--top];
    const vvi_box_node *n = &f->tree->node[at];
    if (!boxes_meet(low, high, n) || !ball_meets(about, n)) continue;
    if (n->right) {
      stack[top++] = n->right;
      stack[top++] = at + 1;
      continue;
    }
    for (int i = 0; i < n->count; i++) see(user, f->tree->order[n->first + i]);
  }
}

/* ---- mesh and convex core ---- */

typedef struct hunt {
  const mesh *m;
  const vvi_core *other;
  const mesh *second; /* the other is a triangle of this mesh */
  int triangle;
  vvi_spots *s;
} hunt;

static void see_core(void *user, int t)
{
  const hunt *h = user;
  vvi_core k;
  triangle_core(h->m, t, &k);
  const double *n = k.e + 6, back[3] = {-n[0], -n[1], -n[2]};
  double x[3], d[3];
  uint32_t id;
  vvi_core_support(h->other, back, x, &id);
  vvi_sub3(x, k.p[0], d);
  const double low = vvi_dot3(d, n) - h->other->round;
  if (low >= h->s->margin) return;
  vvi_core_support(h->other, n, x, &id);
  vvi_sub3(x, k.p[0], d);
  if (vvi_dot3(d, n) + h->other->round < 0.0) return; /* all of it behind the triangle */
  touch_core(h->m, t, &k, h->other, h->s);
}

/* ---- two meshes ---- */

/* Triangle t of the first against triangle h->triangle of the second: a spot must belong to both. */
static void see_triangle(const hunt *h, int t, const vvi_core *k)
{
  vvi_apart near;
  vvi_spot found[FEW];
  vvi_spots few = {.out = found, .room = FEW, .margin = h->s->margin, .bound = INFINITY};
  const double deep = 0.5 * fmin(k->size, h->other->size);
  if (!vvi_cores_apart(k, h->other, h->s->margin, k->e + 6, &near) || near.gap >= h->s->margin) return;
  const double back[3] = {-near.n[0], -near.n[1], -near.n[2]};
  near.id_a = place_name(k, near.a, t);
  near.id_b = place_name(h->other, near.b, h->triangle);
  const bool mine =
      near.gap > -deep && belongs(h->m, t, near.a, near.n, true) && belongs(h->second, h->triangle, near.b, back, true);
  if (mine)
    vvi_cores_spots(k, h->other, &near, &few);
  else if (vvi_dot3(k->e + 6, h->other->e + 6) < 0.0 && (near.gap <= 0.0 || vvi_dot3(near.n, k->e + 6) > 0.0))
    vvi_cores_face_patch(k, h->other, k->e + 6, &few);
  const double least = possible(&near, deep, h->other);
  sift(h->m, t, 1.0, least, false, mine, &few);
  sift(h->second, h->triangle, -1.0, least, false, true, &few);
  add_new(&few, h->s);
}

/* A node of a tree in space: a ball about its box, and the cone of its normals. */
typedef struct region {
  double c[3], r, axis[3], angle;
} region;

static region region_of(const mesh *m, int node)
{
  const vvi_box_node *n = &m->f->tree->node[node];
  const vvi_cone *cone = &m->f->tree->cone[node];
  double local[3], half[3], axis[3];
  region k;
  for (int i = 0; i < 3; i++) {
    local[i] = 0.5 * (n->low[i] + n->high[i]);
    half[i] = 0.5 * (n->high[i] - n->low[i]);
    axis[i] = m->sign * cone->axis[i];
  }
  vvi_pose_point(m->pose, local, k.c);
  vvi_apply33(m->pose->turn, axis, k.axis);
  k.r = vvi_norm3(half);
  k.angle = cone->angle;
  return k;
}

/* Can a spot of gap < margin lie between the two?  Where they are apart its normal n points from a to b: it belongs to the
 * normals of a, and -n to those of b, of which a face may be tilted by acos 0.9 (belongs). */
static bool can_touch(const region *a, const region *b, double margin)
{
  const double tilt = 0.4511;
  double d[3], back[3];
  vvi_sub3(b->c, a->c, d);
  const double length = vvi_norm3(d), both = a->r + b->r;
  if (length - both >= margin) return false;
  if (!(length > both)) return true;
  const double spread = asin(both / length);
  for (int i = 0; i < 3; i++) d[i] /= length, back[i] = -d[i];
  return acos(vvi_clamp(vvi_dot3(d, a->axis), -1.0, 1.0)) <= a->angle + spread &&
         acos(vvi_clamp(vvi_dot3(back, b->axis), -1.0, 1.0)) <= b->angle + spread + tilt;
}

static void touch_leaves(const mesh *a, const vvi_box_node *na, const region *ra, const mesh *b, const vvi_box_node *nb,
                         const region *rb, vvi_spots *s)
{
  vvi_core ka[VVI_LEAF], kb;
  region one = *ra, other = *rb;
  for (int i = 0; i < na->count; i++) triangle_core(a, a->f->tree->order[na->first + i], &ka[i]);
  for (int j = 0; j < nb->count; j++) {
    const int t = b->f->tree->order[nb->first + j];
    triangle_core(b, t, &kb);
    hunt h = {.m = a, .other = &kb, .second = b, .triangle = t, .s = s};
    other.r = kb.size;
    for (int i = 0; i < na->count; i++) {
      one.r = ka[i].size;
      for (int c = 0; c < 3; c++) one.c[c] = ka[i].c[c], other.c[c] = kb.c[c];
      if (can_touch(&one, &other, s->margin)) see_triangle(&h, a->f->tree->order[na->first + i], &ka[i]);
    }
  }
}

/* Where the room is full, only nearer spots matter. */
static void narrow(vvi_spots *s)
{
  double most = -INFINITY;
  if (s->n < s->room) return;
  for (int i = 0; i < s->n; i++) most = fmax(most, s->out[i].gap);
  s->margin = fmin(s->margin, most);
}

/* Both trees at once, the larger node first.  Of fine meshes nearly all pairs within the margin face elsewhere, and whole
 * regions of them are left out by their normals. */
static void touch_meshes(const mesh *a, const mesh *b, vvi_spots *s)
{
  int stack[2 * VVI_TREE_DEPTH][2], top = 0;
  stack[top][0] = stack[top][1] = 0, top++;
  while (top > 0) {
    top--;
    const int i = stack[top][0], j = stack[top][1];
    const vvi_box_node *na = &a->f->tree->node[i], *nb = &b->f->tree->node[j];
    const region ra = region_of(a, i), rb = region_of(b, j);
    if (!can_touch(&ra, &rb, s->margin)) continue;
    if (!na->right && !nb->right) {
      touch_leaves(a, na, &ra, b, nb, &rb, s);
      narrow(s);
      continue;
    }
    const bool first = na->right && (!nb->right || ra.r >= rb.r);
    stack[top][0] = first ? na->right : i, stack[top][1] = first ? j : nb->right, top++;
    stack[top][0] = first ? i + 1 : i, stack[top][1] = first ? j : j + 1, top++;
  }
}

static double box_gap(const double low[3], const double high[3], const vvi_box_node *n)
{
  double dd = 0.0;
  for (int i = 0; i < 3; i++) {
    const double d = fmax(0.0, fmax(n->low[i] - high[i], low[i] - n->high[i]));
    dd += d * d;
  }
  return sqrt(dd);
}

static void touch_convex(const mesh *m, const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  vvi_core k;
  double low[3], high[3];
  if (b->part->type == VVI_PART_PIPE)
    vvi_core_bar(b, a, s->margin, &k);
  else
    vvi_core_of(b, &k);
  core_box(&k, m->pose, s->margin, low, high);
  vvi_spots_bound(s, s->margin + (a->part->hollow ? 0.0 : box_gap(low, high, m->f->tree->node)));
  hunt h = {.m = m, .other = &k, .s = s};
  const ball about = core_ball(&k, m->pose, s->margin);
  query(m->f, low, high, &about, see_core, &h);
  if (k.points == 1) choose_side(&k, s);
}

void vvi_touch_mesh(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  const bool turn = a->part->type != VVI_PART_MESH;
  if (turn) {
    const vvi_placed *hold = a;
    a = b, b = hold;
    s->flip = !s->flip;
  }
  vvi_spot found[MOST];
  vvi_spots few = {.out = found, .room = MOST, .margin = s->margin, .bound = INFINITY};
  const mesh m = {a->part->surface, a->pose, a->part->hollow ? -1.0 : 1.0};
  if (b->part->type == VVI_PART_MESH) {
    const mesh other = {b->part->surface, b->pose, 1.0};
    touch_meshes(&m, &other, &few);
    vvi_spots_bound(&few, few.margin);
  } else
    touch_convex(&m, a, b, &few);
  vvi_spots_bound(s, few.bound);
  for (int i = 0; i < few.n; i++) vvi_spot_add(s, found[i].x, found[i].n, found[i].gap, found[i].key);
}
