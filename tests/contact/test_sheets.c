/* tests/contact/test_sheets.c  Surfaces of triangles that meet: closest points, crossings, rows, lists; no body kind. */
#include "check.h"

#include "contact/broad/search.h"
#include "contact/island/island.h"
#include "contact/rows/feature.h"
#include "contact/shapes/facets.h"
#include "math/math.h"
#include "sheets.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- closest points ---- */

static void sum_of(const double x[4][3], const double c[4], double d[3])
{
  for (int i = 0; i < 3; i++) d[i] = c[0] * x[0][i] + c[1] * x[1][i] + c[2] * x[2][i] + c[3] * x[3][i];
}

static void random_points(uint64_t *seed, double x[4][3])
{
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) x[k][i] = sheet_noise(seed);
}

/* At the minimum no other point of the features is nearer; what was returned is a point of them. */
static void closest_points(void **unused)
{
  (void)unused;
  uint64_t seed = 3;
  for (int trial = 0; trial < 20000; trial++) {
    double x[4][3], d[3], c[4];
    vvi_closest at;
    const vvi_feature f = trial % 2 == 0 ? VVI_VERTEX_FACE : VVI_EDGE_EDGE;
    random_points(&seed, x);
    if (trial % 5 == 0) memcpy(x[3], x[2], sizeof x[3]), x[3][0] += 1e-3; /* thin */
    vvi_closest_at(f, (const double(*)[3])x, &at);
    for (int k = 0; k < 4; k++) c[k] = (f == VVI_VERTEX_FACE ? k > 0 : k > 1) ? -at.c[k] : at.c[k];
    for (int k = 0; k < 4; k++) check_least(c[k], -1e-15);
    check_near(f == VVI_VERTEX_FACE ? c[1] + c[2] + c[3] : c[2] + c[3], 1.0, 1e-15);
    check_near(f == VVI_VERTEX_FACE ? c[0] : c[0] + c[1], 1.0, 1e-15);
    sum_of((const double(*)[3])x, at.c, d);
    check_near(vvi_norm3(d), at.d, 1e-15);
    for (int other = 0; other < 30; other++) {
      double s = sheet_noise(&seed) + 0.5, t = sheet_noise(&seed) + 0.5;
      double y[4] = {1.0 - s, s, t - 1.0, -t};
      if (f == VVI_VERTEX_FACE) {
        if (s + t > 1.0) s = 1.0 - s, t = 1.0 - t;
        y[0] = 1.0, y[1] = -(1.0 - s - t), y[2] = -s, y[3] = -t;
      }
      sum_of((const double(*)[3])x, y, d);
      check_least(vvi_norm3(d), at.d * (1.0 - 1e-9));
    }
    check_most(vvi_separation(f, (const double(*)[3])x, at.n), at.d * (1.0 + 1e-12) + 1e-15);
  }
}

/* ---- crossings ---- */

/* Features that are made to meet at a known time and place are found, from either side; those that stay apart are not. */
static void crossings(void **unused)
{
  (void)unused;
  uint64_t seed = 11;
  int found = 0;
  for (int trial = 0; trial < 20000; trial++) {
    double m[4][3], x[4][3], y[4][3], d[3], time, v[4][3];
    vvi_closest at;
    const vvi_feature f = trial % 2 == 0 ? VVI_VERTEX_FACE : VVI_EDGE_EDGE;
    const double when = 0.05 + 0.9 * (sheet_noise(&seed) + 0.5), s = 0.5 + 0.9 * sheet_noise(&seed);
    random_points(&seed, m);
    double c[4] = {1.0 - s, s, -0.5, -0.5};
    if (f == VVI_VERTEX_FACE) c[0] = 1.0, c[1] = -0.2, c[2] = -0.5, c[3] = -0.3;
    sum_of((const double(*)[3])m, c, d);
    for (int k = 0; k < (f == VVI_VERTEX_FACE ? 1 : 2); k++)
      for (int i = 0; i < 3; i++) m[k][i] -= d[i]; /* now they meet */
    random_points(&seed, v);
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 3; i++) x[k][i] = m[k][i] - when * v[k][i], y[k][i] = m[k][i] + (1.0 - when) * v[k][i];
    const bool hit = vvi_crossing(f, (const double(*)[3])x, (const double(*)[3])y, 1e-6, &time, &at);
    assert_true(hit);
    check_most(time, when + 1e-6);
    check_near(vvi_norm3(at.n), 1.0, 1e-12);
    sum_of((const double(*)[3])x, at.c, d);
    check_least(vvi_dot3(d, at.n), -1e-9); /* towards the side at the start */
    /* a plane that holds them apart at both ends does so in between */
    vvi_closest_at(f, (const double(*)[3])x, &at);
    const double gap = vvi_separation(f, (const double(*)[3])x, at.n);
    if (gap > 1e-6 && vvi_separation(f, (const double(*)[3])y, at.n) > 1e-6) fail_msg("a plane parts what meets");
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 3; i++) y[k][i] = x[k][i] + 0.3 * at.d * v[k][i] / 0.87;
    if (vvi_crossing(f, (const double(*)[3])x, (const double(*)[3])y, 1e-6, &time, &at)) found++;
  }
  assert_int_equal(found, 0);
}

/* Everything in one plane: the cubic vanishes identically. */
static void crossings_in_a_plane(void **unused)
{
  (void)unused;
  const double x[4][3] = {{2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const double y[4][3] = {{-1, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const double past[4][3] = {{2, 0.9, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  double time;
  vvi_closest at;
  assert_true(vvi_crossing(VVI_VERTEX_FACE, x, y, 1e-6, &time, &at));
  check_near(time, 0.4, 1e-5);
  check_near(at.n[0], sqrt(0.5), 1e-3);
  assert_false(vvi_crossing(VVI_VERTEX_FACE, x, past, 1e-6, &time, &at));
  const double a[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
               b[4][3] = {{0, 2, 0}, {1, 2, 0}, {0, 1, 0}, {1, 1, 0}};
  assert_true(vvi_crossing(VVI_EDGE_EDGE, a, b, 1e-6, &time, &at)); /* parallel edges */
  check_near(time, 0.5, 1e-5);
  check_near(at.n[1], -1.0, 1e-9);
  /* edges that turn and are parallel just when they meet: (e1 x e2).e3 = 2 (tau - 1/2)^2 */
  const double c[4][3] = {{0, 0, 1}, {1, 0, 1}, {0, 0, 0}, {1, 0.5, 0}},
               d[4][3] = {{0, 0, -1}, {1, 0, -1}, {0, 0, 0}, {1, -0.5, 0}};
  assert_true(vvi_crossing(VVI_EDGE_EDGE, c, d, 1e-6, &time, &at));
  check_near(time, 0.5, 1e-5);
  check_least(at.n[2], 0.9);
  /* and those that pass beside each other */
  const double e[4][3] = {{0, 0, 1}, {1, 0, 1}, {0, 0.1, 0}, {1, 0.1, 0}},
               g[4][3] = {{0, 0, -1}, {1, 0, -1}, {0, 0.1, 0}, {1, 0.1, 0}};
  assert_false(vvi_crossing(VVI_EDGE_EDGE, e, g, 1e-6, &time, &at));
}

/* ---- rows ---- */

typedef struct four {
  vvi_arena arena;
  struct vvi_sheets sheets;
  vvi_points at;
  vvi_sheet_motion motion;
  double q[12], p[12], f[12];
} four;

static void four_open(four *w)
{
  static const int32_t triangle[3] = {1, 2, 3};
  const double x[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, inverse[4] = {1, 1, 1, 1};
  const vvi_sheet_part part = {.body = {.carrier = VVI_CARRY_POINTS, .movers = 4},
                               .vertices = 4,
                               .elements = 1,
                               .element = triangle,
                               .x = x,
                               .inverse = inverse};
  *w = (four){.q = {0}};
  assert_int_equal(vvi_sheets_assemble(&w->arena, 1, &part, &w->sheets), VV_OK);
  w->at = (vvi_points){.q = w->q, .p = w->p, .f = w->f, .column = 4};
  w->motion = (vvi_sheet_motion){.sheets = &w->sheets, .h = 1.0, .at = &w->at};
}

static void totals(const four *w, double p[3], double l[3], double *energy, double *scale)
{
  *energy = 0.0, scale[0] = scale[1] = 0.0;
  for (int c = 0; c < 3; c++) p[c] = l[c] = 0.0;
  for (int k = 0; k < 4; k++) {
    const double x[3] = {w->q[k], w->q[4 + k], w->q[8 + k]}, y[3] = {w->p[k], w->p[4 + k], w->p[8 + k]};
    double m[3];
    vvi_cross3(x, y, m);
    for (int c = 0; c < 3; c++) p[c] += y[c], l[c] += m[c];
    *energy += 0.5 * w->sheets.inverse[k] * vvi_dot3(y, y);
    scale[0] += vvi_norm3(y), scale[1] += vvi_norm3(x) * vvi_norm3(y);
  }
}

static double largest(const double a[3], const double b[3])
{
  return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

/* Rows of a pair as a contact of the island solver: four points, no moments. */
static void contact_of(const four *w, const vvi_feature_pair *k, const vvi_row rub[2], double e, double mu,
                       vvi_leg leg[4], double inverse[4][12], vvi_island_contact *c)
{
  const vvi_row *row[3] = {&k->normal, &rub[0], &rub[1]};
  *c = (vvi_island_contact){.legs = 4, .friction = mu};
  for (int l = 0; l < 4; l++) {
    const int32_t m = k->normal.part[l].mover;
    leg[l] = (vvi_leg){.mover = l};
    memset(inverse[l], 0, sizeof inverse[l]);
    for (int a = 0; a < 3; a++) inverse[l][a] = w->sheets.inverse[m];
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < 3; a++) {
        leg[l].force[i][a] = row[i]->part[l].force[a];
        c->free[i] += row[i]->part[l].force[a] * w->sheets.inverse[m] * w->p[4 * a + m];
      }
  }
  c->b[0] = -e * c->free[0];
}

/* 1e5 pairs of random masses, places, velocities; weights and normals also from another configuration than the places: rows
 * exchange momentum and angular momentum exactly, and the law of the island is Newton's and Coulomb's. */
static void responses(void **unused)
{
  (void)unused;
  uint64_t seed = 5;
  int slides = 0, sticks = 0, pairs = 0;
  double worst_p = 0, worst_l = 0, worst_e = 0, worst_u = 0;
  four w;
  vvi_arena arena = {0};
  vvi_island_work *solver;
  four_open(&w);
  assert_int_equal(vvi_island_create(&arena, 4, 1, &solver), VV_OK);
  for (int trial = 0; pairs < 100000; trial++) {
    double p0[3], l0[3], e0, p1[3], l1[3], e1, scale[2], x[4][3], t[2][3], inverse[4][12], change[4][6], work = 0.0;
    vvi_closest at;
    vvi_row rub[2];
    vvi_leg leg[4];
    vvi_island_contact c;
    vvi_island_stats stats;
    const double e = (double)(trial % 3) / 2.0, mu = (trial / 3) % 3 == 0 ? 0.0 : (trial / 3) % 3 == 1 ? 0.3 : 1.0;
    const vvi_feature f = trial % 2 == 0 ? VVI_VERTEX_FACE : VVI_EDGE_EDGE;
    random_points(&seed, x);
    vvi_closest_at(f, (const double(*)[3])x, &at);
    for (int k = 0; k < 4; k++) {
      w.sheets.inverse[k] = exp(2.0 * sheet_noise(&seed));
      for (int a = 0; a < 3; a++)
        w.q[4 * a + k] = x[k][a] + 0.02 * sheet_noise(&seed), w.p[4 * a + k] = sheet_noise(&seed);
    }
    vvi_feature_pair k = {.vertices = 4, .vertex = {0, 1, 2, 3}};
    memcpy(k.c, at.c, sizeof k.c);
    memcpy(k.n, at.n, sizeof k.n);
    vvi_across(k.n, t);
    if (!vvi_feature_rows(&w.motion, &k, NULL, (const double(*)[3])t, rub)) continue;
    if (k.normal.n != 4 || rub[0].n != 4 || rub[1].n != 4) continue;
    contact_of(&w, &k, rub, e, mu, leg, inverse, &c);
    if (!(c.free[0] < 0.0)) continue;
    pairs++;
    totals(&w, p0, l0, &e0, scale);
    vvi_island_problem problem = {.movers = 4,
                                  .contacts = 1,
                                  .inverse = (const double(*)[12])inverse,
                                  .leg = leg,
                                  .contact = &c,
                                  .speed = 1.0,
                                  .change = change};
    assert_true(vvi_island_solve(solver, &problem, 1, &stats) && stats.converged);
    for (int l = 0; l < 4; l++)
      for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) w.p[4 * a + k.normal.part[l].mover] += c.j[i] * leg[l].force[i][a];
    totals(&w, p1, l1, &e1, scale);
    for (int i = 0; i < 3; i++) work += 0.5 * c.j[i] * (c.free[i] + c.after[i]);
    const double rubbed = hypot(c.j[1], c.j[2]), slip = hypot(c.after[1], c.after[2]);
    check_least(c.j[0], 0.0);
    check_most(rubbed, mu * c.j[0] * (1.0 + 1e-9) + 1e-12);
    const bool rim = rubbed > mu * c.j[0] * (1.0 - 1e-9);
    if (mu > 0.0 && !rim) check_most(slip, 1e-12);
    if (mu > 0.0 && rim) check_most(c.j[1] * c.after[1] + c.j[2] * c.after[2], -(1.0 - 1e-6) * rubbed * slip + 1e-12);
    slides += rim && mu > 0.0, sticks += !rim && mu > 0.0;
    if (mu == 0.0) {
      const double jump = 0.5 * (1.0 - e * e) * c.free[0] * c.free[0] / k.normal.inverse;
      worst_e = fmax(worst_e, fabs(e1 - e0 + jump) / e0);
    }
    if (e == 0.0) check_most(work, 1e-13); /* with e > 0 Newton's law and friction together may bring some */
    worst_u = fmax(worst_u, fabs(c.after[0] - c.b[0]));
    worst_e = fmax(worst_e, fabs(e1 - e0 - work) / e0);
    worst_p = fmax(worst_p, largest(p0, p1) / scale[0]);
    worst_l = fmax(worst_l, largest(l0, l1) / scale[1]);
  }
  vvi_arena_free(&w.arena);
  vvi_arena_free(&arena);
  print_message("  momentum %.1e, angular momentum %.1e, energy %.1e, speed %.1e; %d slide, %d stick\n", worst_p,
                worst_l, worst_e, worst_u, slides, sticks);
  check_most(worst_p, 1e-12);
  check_most(worst_l, 1e-12);
  check_most(worst_e, 1e-12);
  check_most(worst_u, 1e-12);
  assert_true(slides > 1000 && sticks > 1000);
}

/* ---- beams with corners ---- */

/* Signed volume; every edge must belong to two triangles. */
static double closed_volume(const vvi_sheet_part *p)
{
  double sum = 0.0;
  for (int32_t e = 0; e < p->elements; e++) {
    const int32_t *v = p->element + 3 * e;
    double n[3];
    vvi_cross3(p->x + 3 * v[1], p->x + 3 * v[2], n);
    sum += vvi_dot3(p->x + 3 * v[0], n) / 6.0;
    for (int k = 0; k < 3; k++) {
      int same = 0;
      for (int32_t f = 0; f < 3 * p->elements; f++) {
        const int32_t *u = p->element + f / 3 * 3;
        const int32_t a = u[f % 3], b = u[(f % 3 + 1) % 3];
        same += (a == v[k] && b == v[(k + 1) % 3]) || (b == v[k] && a == v[(k + 1) % 3]);
      }
      assert_int_equal(same, 2);
    }
  }
  return sum;
}

/* The surface of a beam with corners has no holes; a closed one that comes home a quarter turned is not wrung there: its
 * longest edge is that of any other piece.                                                                [sheets 16] */
static void prisms(void **unused)
{
  (void)unused;
  enum { N = 48 };
  const double radius = 1.0, pi = acos(-1.0);
  for (int quarters = -1; quarters < 4; quarters++) { /* -1: straight and open */
    vvi_arena arena = {0};
    vvi_sheet_part part = {.elements = 0};
    vv_mover mover[N] = {0};
    const vv_patch patch = {.nodes = N, .half = {0.05, 0.05}, .closed = quarters >= 0};
    for (int i = 0; i < N; i++) {
      const double a = 2.0 * pi * i / N, b = quarters * 0.25 * a, out[3] = {cos(a), sin(a), 0}, up[3] = {0, 0, 1},
                   along[3] = {sin(a), -cos(a), 0};
      vv_mover *m = &mover[i];
      for (int c = 0; c < 3; c++) {
        m->place[c] = radius * out[c];
        m->turn[3 * c] = cos(b) * out[c] + sin(b) * up[c];
        m->turn[3 * c + 1] = cos(b) * up[c] - sin(b) * out[c], m->turn[3 * c + 2] = -along[c];
      }
      if (quarters >= 0) continue;
      *m = (vv_mover){.place = {0, 0, 0.02 * i}, .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    }
    assert_int_equal(vvi_sheet_prism(&arena, &patch, false, mover, &part), VV_OK);
    const double volume = fabs(closed_volume(&part)), exact = quarters < 0 ? 0.01 * 0.02 * (N - 1) : 0.01 * 2.0 * pi;
    double longest = 0.0;
    for (int32_t e = 0; e < 3 * part.elements; e++) {
      const double *x = part.x + 3 * part.element[e], *y = part.x + 3 * part.element[e / 3 * 3 + (e % 3 + 1) % 3];
      const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
      longest = fmax(longest, vvi_norm3(d));
    }
    /* chords: (2 pi/N)^2/6; a face folded along one diagonal: half a tetrahedron of volume s^2 l sin(twist)/6, four times */
    const double off = pow(2.0 * pi / N, 2) / 6.0 + sin(quarters * 0.5 * pi / N) / 3.0;
    check_near(volume, exact, (quarters < 0 ? 1e-12 : 1.1 * off) * exact);
    const double piece = 2.0 * pi * (radius + 0.05 * sqrt(2.0)) / N + 0.05 * sqrt(2.0) * quarters * 0.5 * pi / N;
    if (quarters >= 0) check_most(longest, hypot(0.1, piece) * 1.02); /* a diagonal of a face */
    vvi_arena_free(&arena);
  }
}

/* ---- lists ---- */

static int by_pair(const void *x, const void *y)
{
  const vvi_sheet_pair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

/* Edges of one body may stand either way round. */
static void canonical(vvi_sheet_pair *p, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    if (p[i].a < 0 && -1 - p[i].a > p[i].b) {
      const int32_t e = -1 - p[i].a;
      p[i].a = -1 - p[i].b, p[i].b = e;
    }
  qsort(p, (size_t)n, sizeof *p, by_pair);
}

static void random_world(sheet_world *w, uint64_t *seed, int bodies, double spread, bool self)
{
  char why[VVI_MESH_WHY];
  sheet_world_open(w, 4000);
  for (int b = 0; b < bodies; b++) {
    vvi_mesh mesh;
    const double size[3] = {1, 1, 1},
                 place[3] = {spread * sheet_noise(seed), spread * sheet_noise(seed), spread * sheet_noise(seed)};
    const double axis[3] = {sheet_noise(seed), sheet_noise(seed), 0.1},
                 velocity[3] = {sheet_noise(seed), sheet_noise(seed), 0};
    const int n[3] = {2 + b % 2, 3, 2};
    if (b % 3 == 2)
      assert_int_equal(vvi_mesh_sphere(&w->arena, VVI_MESH_OCTAHEDRON, 1, 2, 0.5, &mesh, why), VV_OK);
    else
      assert_int_equal(vvi_mesh_box(&w->arena, size, n, &mesh, why), VV_OK);
    for (int i = 0; i < 3 * mesh.nodes; i++) mesh.x[i] += 0.05 * sheet_noise(seed);
    sheet_world_add(w, &mesh, place, axis, 5.0 * sheet_noise(seed), velocity, 1.0);
  }
  sheet_world_close(w, self, 1e-3, 1);
}

/* The lists of all clusters of two bodies. */
static int64_t listed(const sheet_world *w, int32_t a, int32_t b, vvi_sheet_pair *out)
{
  const vvi_sheet_search *s = w->search;
  int64_t n = 0;
  for (int32_t c = 0; c < s->n_list; c++) {
    const vvi_sheet_list *l = &s->list[s->order[c]];
    if (w->sheets.cluster[l->a].body != a || w->sheets.cluster[l->b].body != b) continue;
    memcpy(out + n, s->pair + l->first, sizeof *out * (size_t)l->n);
    n += l->n;
  }
  return n;
}

/* Away from the origin, all of it. */
static void carry(sheet_world *w, double way)
{
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < w->nodes; i++) w->q[c * w->room + i] += way * (c + 1);
}

/* m pairs that are listed are the n below skin, each once, and others that are farther apart: bounds let some of these through. */
static void check_listed(const vvi_sheet_search *s, double skin, int64_t n, vvi_sheet_pair *all, int64_t m,
                         vvi_sheet_pair *mine)
{
  int64_t found = 0;
  canonical(all, n);
  canonical(mine, m);
  for (int64_t i = 0; i < m; i++) {
    vvi_closest at;
    assert_true(i == 0 || by_pair(&mine[i - 1], &mine[i]) < 0);
    if (found < n && by_pair(&all[found], &mine[i]) == 0) {
      found++;
      continue;
    }
    vvi_sheet_closest(&s->motion, mine[i].a, mine[i].b, false, &at);
    assert_true(at.d >= skin);
  }
  assert_int_equal(found, n);
}

/* On random scenes, overlapping or not, the lists hold the pairs that looking at everything finds. */
static void lists_are_complete(void **unused)
{
  (void)unused;
  uint64_t seed = 21;
  enum { ROOM = 400000 };
  vvi_sheet_pair *all = malloc(sizeof *all * ROOM), *mine = malloc(sizeof *mine * ROOM);
  int64_t total = 0;
  for (int scene = 0; scene < 12; scene++) {
    sheet_world w;
    random_world(&w, &seed, 2 + scene % 4, 0.5 + 0.4 * (scene % 5), true);
    if (scene % 2 == 1) carry(&w, 300.0); /* floats are off by 2e-5 there */
    vvi_sheet_search *s = w.search;
    s->skin = 0.02 + 0.1 * (scene % 3), s->motion.h = 1e-4;
    s->opening = 1.0;
    vvi_sheet_measure(s);
    assert_true(vvi_sheet_collect(s));
    for (int32_t a = 0; a < w.sheets.n_body; a++)
      for (int32_t b = a; b < w.sheets.n_body; b++) {
        const int64_t n = vvi_sheet_all_pairs(&s->motion, a, b, s->skin, all, ROOM), m = listed(&w, a, b, mine);
        assert_true(n <= ROOM);
        check_listed(s, s->skin, n, all, m, mine);
        total += n;
      }
    sheet_world_free(&w);
  }
  free(all);
  free(mine);
  assert_true(total > 10000);
}

/* Edges that cross in a point, where no direction between closest points is left, are listed. */
static void crossed_edges_are_listed(void **unused)
{
  (void)unused;
  uint64_t seed = 4;
  const double none[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
  for (int trial = 0; trial < 500; trial++) {
    sheet_world w;
    double x[2][9], m[3];
    int triangle[3] = {0, 1, 2};
    for (int i = 0; i < 18; i++) x[i / 9][i % 9] = sheet_noise(&seed);
    const double s = 0.5 + 0.8 * sheet_noise(&seed), t = 0.5 + 0.8 * sheet_noise(&seed);
    for (int c = 0; c < 3; c++) m[c] = (1.0 - s) * x[0][c] + s * x[0][3 + c] - (1.0 - t) * x[1][c] - t * x[1][3 + c];
    for (int i = 0; i < 9; i++) x[1][i] += m[i % 3];
    sheet_world_open(&w, 100);
    for (int b = 0; b < 2; b++) {
      const vvi_mesh mesh = {.nodes = 3, .triangles = 1, .x = x[b], .triangle = triangle};
      sheet_world_add(&w, &mesh, none, axis, 0.0, none, 1.0);
    }
    sheet_world_close(&w, false, 1e-6, 1);
    vvi_sheet_search *k = w.search;
    vvi_sheet_pair all[20], mine[20];
    k->motion.h = 1e-9, k->skin = 1e-5, k->opening = 1.0;
    vvi_sheet_measure(k);
    assert_true(vvi_sheet_collect(k));
    const int64_t n = vvi_sheet_all_pairs(&k->motion, 0, 1, 1e-5, all, 20);
    assert_true(n >= 1 && n <= 20);
    check_listed(k, 1e-5, n, all, listed(&w, 0, 1, mine), mine);
    sheet_world_free(&w);
  }
}

/* ---- how long lists live ---- */

/* Bodies that swing, turn and shiver, each in its own time: the velocities of a moment. */
static void swing(sheet_world *w, double t, double size)
{
  memset(w->f, 0, sizeof(double) * 3 * (size_t)w->room);
  for (int b = 0; b < w->bodies; b++) {
    const double rate = 1.0 + 0.37 * b, along[3] = {cos(1.7 * b), sin(1.7 * b), cos(0.9 * b + 1.0)},
                 spin[3] = {0.3 * sin(rate * t), 0.2 * cos(0.7 * rate * t), 0.3 * cos(1.3 * t + b)};
    for (int i = w->first[b]; i < w->first[b + 1]; i++) {
      double arm[3], v[3];
      for (int c = 0; c < 3; c++) arm[c] = w->q[c * w->room + i] - w->q[c * w->room + w->first[b]];
      vvi_cross3(spin, arm, v);
      for (int c = 0; c < 3; c++)
        w->p[c * w->room + i] = size / w->inverse[i] *
                                (along[c] * cos(rate * t) + v[c] + 0.05 * cos(3.0 * t + (double)i + 2.0 * (double)c));
    }
  }
}

/* Every pair that the coming drift may bring into the layer is in a list, whenever that was built. */
static int64_t missing(const sheet_world *w, vvi_sheet_pair *all, vvi_sheet_pair *mine, int room)
{
  const vvi_sheet_search *s = w->search;
  double step = 0.0;
  int64_t lost = 0;
  for (int i = 0; i < w->nodes; i++) {
    const double d[3] = {w->p[i], w->p[w->room + i], w->p[2 * w->room + i]};
    step = fmax(step, s->motion.h * w->inverse[i] * vvi_norm3(d));
  }
  for (int32_t a = 0; a < w->sheets.n_body; a++)
    for (int32_t b = a; b < w->sheets.n_body; b++) {
      int64_t n = vvi_sheet_all_pairs(&s->motion, a, b, s->margin[0] + step, all, room), m = listed(w, a, b, mine);
      assert_true(n <= room && m <= room);
      canonical(all, n);
      canonical(mine, m);
      for (int64_t i = 0, j = 0; i < n; i++) {
        while (j < m && by_pair(&mine[j], &all[i]) < 0) j++;
        lost += j == m || by_pair(&mine[j], &all[i]) != 0;
      }
    }
  return lost;
}

static void swing_on(sheet_world *w, double t, double h, double size)
{
  vvi_sheet_search *s = w->search;
  s->motion.h = h;
  swing(w, t, size);
  vvi_sheet_measure(s);
  assert_true(vvi_sheet_collect(s));
}

static void swing_done(sheet_world *w, double h)
{
  vvi_sheet_advance(w->search);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < w->nodes; i++) w->q[c * w->room + i] += h * w->inverse[i] * w->p[c * w->room + i];
}

/* Lists that live on stay complete: ways that add up, ways that cancel, bodies that go together and against each other.
 * [sheets 24] */
static void lists_stay_complete(void **unused)
{
  (void)unused;
  uint64_t seed = 57;
  enum { ROOM = 400000, STEPS = 150 };
  vvi_sheet_pair *all = malloc(sizeof *all * ROOM), *mine = malloc(sizeof *mine * ROOM);
  for (int scene = 0; scene < 4; scene++) {
    const double h = 0.1, size = 0.05 * (1 << scene);
    sheet_world w;
    random_world(&w, &seed, 4, 1.0, true);
    for (int k = 0; k < STEPS; k++) {
      swing_on(&w, h * k, h, size);
      assert_int_equal(missing(&w, all, mine, ROOM), 0);
      swing_done(&w, h);
    }
    assert_true(w.search->builds < (int64_t)STEPS * w.search->n_list);
    if (scene == 3) assert_true(w.search->moves > w.sheets.n_cluster); /* some have left their boxes */
    sheet_world_free(&w);
  }
  free(all);
  free(mine);
}

/* Pairs inside the layer, of all bodies, that are not near. */
static int64_t overlooked(const sheet_world *w, vvi_sheet_pair *all, vvi_sheet_pair *mine, int room)
{
  const vvi_sheet_search *s = w->search;
  int64_t n = 0, lost = 0;
  assert_true(s->n_near <= room);
  for (int32_t i = 0; i < s->n_near; i++) mine[i] = (vvi_sheet_pair){.a = s->near[i].a, .b = s->near[i].b};
  for (int32_t a = 0; a < w->sheets.n_body; a++)
    for (int32_t b = a; b < w->sheets.n_body; b++)
      n += vvi_sheet_all_pairs(&s->motion, a, b, s->margin[0], all + n, room - n);
  assert_true(n <= room);
  canonical(all, n);
  canonical(mine, s->n_near);
  for (int64_t i = 0, j = 0; i < n; i++) {
    while (j < s->n_near && by_pair(&mine[j], &all[i]) < 0) j++;
    lost += j == s->n_near || by_pair(&mine[j], &all[i]) != 0;
  }
  return lost;
}

/* What comes near is found, though most lists sleep: near pairs are those of looking at everything, in the order of the
 * meshes.                                                                                                   [sheets 26] */
static void sleepers_wake(void **unused)
{
  (void)unused;
  uint64_t seed = 59;
  enum { ROOM = 400000, STEPS = 200 };
  vvi_sheet_pair *all = malloc(sizeof *all * ROOM), *mine = malloc(sizeof *mine * ROOM);
  int64_t near = 0, lists = 0, awake = 0;
  for (int scene = 0; scene < 6; scene++) {
    const double h = 0.02, size = 0.05 * (1 << scene % 3);
    sheet_world w;
    random_world(&w, &seed, 5, 1.2, true);
    vvi_sheet_search *s = w.search;
    s->margin[0] = 0.01;
    vvi_sheet_forget(s);
    for (int k = 0; k < STEPS; k++) {
      swing_on(&w, h * k, h, size);
      assert_int_equal(overlooked(&w, all, mine, ROOM), 0);
      for (int32_t i = 1; i < s->n_near; i++) {
        const vvi_sheet_list *l = &s->list[s->near[i - 1].couple], *m = &s->list[s->near[i].couple];
        const vvi_sheet_found before = vvi_sheet_found_of(&w.sheets, l->a, l->b, 0),
                              behind = vvi_sheet_found_of(&w.sheets, m->a, m->b, 0);
        const int sign = vvi_sheet_by_meshes(&before, &behind);
        assert_true(sign < 0 || (sign == 0 && s->near[i - 1].place < s->near[i].place));
      }
      near += s->n_near, lists += s->n_list, awake += s->n_awake;
      swing_done(&w, h);
    }
    sheet_world_free(&w);
  }
  print_message("  %lld near pairs, %.0f %% of lists awake\n", (long long)near, 100.0 * (double)awake / (double)lists);
  check_least((double)near, 1000);
  check_most((double)awake, 0.9 * (double)lists);
  free(all);
  free(mine);
}

/* What swings within the skin needs its lists once, however long the way that it has gone. */
static void swinging_builds_nothing(void **unused)
{
  (void)unused;
  uint64_t seed = 58;
  sheet_world w;
  random_world(&w, &seed, 4, 1.0, true);
  const double h = 0.1, size = 0.04 * w.search->skin; /* lists begin with 0.3 of it */
  for (int k = 0; k < 600; k++) swing_on(&w, h * k, h, size), swing_done(&w, h);
  const double path = 600 * h * size * (2.0 / 3.14159);
  check_least(path, w.search->skin);
  assert_int_equal(w.search->builds, w.search->n_list);
  sheet_world_free(&w);
}

/* Four points nearly on a line, of masses that differ by a thousand: rows push and turn nothing as a whole all the same. */
static void test_flat_rows(void **unused)
{
  (void)unused;
  uint64_t seed = 17;
  double sum = 0.0, turn = 0.0;
  int rows = 0;
  for (int trial = 0; trial < 20000; trial++) {
    const double flat = pow(10.0, -8.0 * (0.5 + sheet_noise(&seed)));
    double x[4][3], h[4][3], mass[4], t[3], p[3] = {0, 0, 0}, l[3] = {0, 0, 0}, size = 0.0, arm = 0.0;
    const double a = 0.5 + sheet_noise(&seed), b = 0.5 + sheet_noise(&seed), c[4] = {1.0 - a, a, -(1.0 - b), -b};
    for (int k = 0; k < 4; k++) {
      mass[k] = k < 2 ? 0.02 : 20.0;
      for (int i = 0; i < 3; i++) x[k][i] = (i == 0 ? 1.0 : flat) * sheet_noise(&seed);
    }
    for (int i = 0; i < 3; i++) t[i] = sheet_noise(&seed);
    if (!vvi_torque_free(4, 2, (const double(*)[3])x, mass, c, t, h)) continue;
    rows++;
    for (int k = 0; k < 4; k++) {
      double moment[3];
      vvi_cross3(x[k], h[k], moment);
      for (int i = 0; i < 3; i++) p[i] += h[k][i], l[i] += moment[i];
      size += vvi_norm3(h[k]), arm += vvi_norm3(x[k]) * vvi_norm3(h[k]);
    }
    sum = fmax(sum, vvi_norm3(p) / size), turn = fmax(turn, vvi_norm3(l) / arm);
  }
  print_message("  flat rows: %d, push %.1e, turn %.1e\n", rows, sum, turn);
  check_least(rows, 1000);
  check_most(sum, 1e-13);
  check_most(turn, 1e-9); /* what turn_by takes for a line */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat_rows),      cmocka_unit_test(closest_points),
      cmocka_unit_test(crossings),           cmocka_unit_test(crossings_in_a_plane),
      cmocka_unit_test(responses),           cmocka_unit_test(prisms),
      cmocka_unit_test(lists_are_complete),  cmocka_unit_test(crossed_edges_are_listed),
      cmocka_unit_test(lists_stay_complete), cmocka_unit_test(swinging_builds_nothing),
      cmocka_unit_test(sleepers_wake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
