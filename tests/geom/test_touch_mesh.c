/* tests/geom/test_touch_mesh.c  Meshes: the same answers as the block they are made of; flat regions without ghosts; valleys. */
#include "shapes.h"

#include "geom/mesh.h"
#include "geom/touch.h"
#include "geom/tree.h"

#include <stdlib.h>

static const vvi_pose home = {{0.0, 0.0, 0.0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const int cube[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static vv_solid *mesh_of_block(vvi_arena *arena, const vv_solid *block, bool hollow)
{
  char why[VVI_WHY];
  vv_solid *s = vvi_solid_new(arena, 1);
  s->part->hollow = hollow;
  if (!vvi_part_mesh(arena, s->part, 8, block->part->polyhedron->vertex, 12, cube[0], why)) fail_msg("%s", why);
  vvi_solid_finish(s);
  return s;
}

static void random_pose(uint64_t *seed, double spread, vvi_pose *p)
{
  for (int i = 0; i < 3; i++) p->place[i] = spread * noise(seed);
  random_turn(seed, p->turn);
}

/* Outside: mesh against every convex shape, and two meshes. */
static void test_mesh_is_block(void **state)
{
  (void)state;
  uint64_t seed = 61;
  for (int j = 0; j <= RANDOM_SHAPES; j++)
    for (int k = 0; k < 400; k++) {
      vvi_arena arena = {0};
      vvi_spot s[64], t[64];
      double wanted, gap, back, x[3], n[3], m[3];
      vvi_pose pa, pb;
      const vv_solid *block = random_solid(&arena, 3, &seed), *mesh = mesh_of_block(&arena, block, false);
      const vv_solid *b = random_solid(&arena, j < RANDOM_SHAPES ? j : 3, &seed);
      const vv_solid *c = j < RANDOM_SHAPES ? b : mesh_of_block(&arena, b, false);
      random_pose(&seed, 1.0, &pa);
      random_pose(&seed, 1.0, &pb);
      vvi_solids_touch(block, &pa, b, &pb, 10.0, 64, t, &wanted);
      const int found = vvi_solids_touch(mesh, &pa, c, &pb, 10.0, 64, s, &gap);
      vvi_solids_touch(c, &pb, mesh, &pa, 10.0, 64, t, &back);
      if (wanted > 1e-6) {
        assert_true(found > 0);
        check_near(gap, wanted, 1e-11);
        check_near(back, wanted, 1e-11);
        /* the normal separates the convex solids */
        check_least(own_separation(block, &pa, b, &pb, s[least_spot(found, s)].n), gap - 1e-10);
      }
      for (int i = 0; i < 3; i++) x[i] = 2.0 * noise(&seed);
      const double d = vvi_solid_distance(mesh, &pa, x, n);
      check_near(d, vvi_solid_distance(block, &pa, x, m), 1e-13);
      if (fabs(d) > 1e-3 && d > 0.0)
        for (int i = 0; i < 3; i++) check_near(n[i], m[i], 1e-10);
      vvi_arena_free(&arena);
    }
}

/* Inside: a hollow mesh and a hollow block. */
static void test_hollow_mesh(void **state)
{
  (void)state;
  uint64_t seed = 71;
  const double half[3] = {2.0, 2.5, 3.0};
  for (int j = 0; j < RANDOM_SHAPES; j++)
    for (int k = 0; k < 200; k++) {
      vvi_arena arena = {0};
      vvi_spot s[128], t[128];
      double wanted, gap;
      vvi_pose pa, pb;
      const vv_solid *block = one_part(&arena, VVI_PART_BLOCK, half, 0.0, true),
                     *mesh = mesh_of_block(&arena, block, true);
      const vv_solid *b = random_solid(&arena, j, &seed);
      random_pose(&seed, 0.3, &pa);
      random_pose(&seed, 0.3, &pb);
      vvi_solids_touch(block, &pa, b, &pb, 10.0, 128, t, &wanted);
      const int n = vvi_solids_touch(mesh, &pa, b, &pb, 10.0, 128, s, &gap);
      assert_true(n > 0);
      check_near(gap, wanted, 1e-11);
      for (int i = 0; i < n; i++) check_least(s[i].gap, wanted - 1e-11);
      vvi_arena_free(&arena);
    }
}

/* A slab whose top is a grid of 2 N^2 triangles with heights z(x, y). */
enum { N = 8 };
typedef double height(double x, double y);
static vv_solid *grid(vvi_arena *arena, height *z)
{
  enum { W = N + 1 };
  double x[2 * W * W * 3];
  int t[(4 * N * N + 8 * N) * 3], n = 0;
  char why[VVI_WHY];
  for (int k = 0; k < 2 * W * W; k++) {
    const int i = k % W, j = k / W % W;
    x[3 * k] = 4.0 * i / N - 2.0, x[3 * k + 1] = 4.0 * j / N - 2.0;
    x[3 * k + 2] = k < W * W ? z(x[3 * k], x[3 * k + 1]) : -3.0;
  }
#define TRIANGLE(a, b, c) t[n++] = (a), t[n++] = (b), t[n++] = (c)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      const int a = j * W + i, b = a + 1, c = a + W, d = c + 1, o = W * W;
      TRIANGLE(a, b, d);
      TRIANGLE(a, d, c);
      TRIANGLE(o + a, o + d, o + b);
      TRIANGLE(o + a, o + c, o + d);
    }
  for (int i = 0; i < N; i++) {
    const int o = W * W, f = N * W;
    TRIANGLE(i + 1, i, o + i);
    TRIANGLE(i + 1, o + i, o + i + 1);
    TRIANGLE(f + i, f + i + 1, o + f + i);
    TRIANGLE(f + i + 1, o + f + i + 1, o + f + i);
    TRIANGLE(i * W, (i + 1) * W, o + i * W);
    TRIANGLE((i + 1) * W, o + (i + 1) * W, o + i * W);
    TRIANGLE((i + 1) * W + N, i * W + N, o + i * W + N);
    TRIANGLE((i + 1) * W + N, o + i * W + N, o + (i + 1) * W + N);
  }
#undef TRIANGLE
  vv_solid *s = vvi_solid_new(arena, 1);
  if (!vvi_part_mesh(arena, s->part, 2 * W * W, x, n / 3, t, why)) fail_msg("%s", why);
  vvi_solid_finish(s);
  return s;
}

static double level(double x, double y)
{
  return 0.0 * x * y;
}

static double valley(double x, double y)
{
  return fabs(x) + 0.0 * y;
}

static double ridge(double x, double y)
{
  return -fabs(x) + 0.0 * y;
}

/* On a flat grid a ball has one spot, straight up, also over edges and vertices; a block its four corners. */
static void test_flat_grid(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[128];
  double gap;
  uint64_t seed = 81;
  const double half[3] = {0.4, 0.6, 0.2}, none[3] = {0.0, 0.0, 0.7};
  const vv_solid *floor = grid(&arena, level), *ball = one_part(&arena, VVI_PART_BALL, none, 0.3, false);
  const vv_solid *block = one_part(&arena, VVI_PART_BLOCK, half, 0.0, false),
                 *capsule = one_part(&arena, VVI_PART_CAPSULE, none, 0.2, false);
  for (int k = 0; k < 500; k++) {
    vvi_pose p = home;
    const double g = k % 5 == 0 ? 0.0 : k % 5 == 1 ? -1e-9 : 0.05 + 0.04 * noise(&seed);
    p.place[0] = k < 20 ? -1.0 + 0.1 * k : noise(&seed), p.place[1] = k < 20 ? 0.5 : noise(&seed), p.place[2] = 0.3 + g;
    int n = vvi_solids_touch(floor, &home, ball, &p, 0.2, 128, s, &gap);
    assert_int_equal(n, 1);
    check_near(s[0].gap, g, 1e-14);
    check_near(s[0].n[2], 1.0, 1e-14);
    check_near(hypot(s[0].x[0] - p.place[0], s[0].x[1] - p.place[1]), 0.0, 1e-14);
    /* a block, turned about z */
    const double w[3] = {0.0, 0.0, k < 20 ? 0.0 : 3.0 * noise(&seed)};
    vvi_exp(w, p.turn);
    p.place[2] = 0.2 + g;
    n = vvi_solids_touch(floor, &home, block, &p, 0.2, 128, s, &gap);
    if (n != 4) fail_msg("block %d has %d spots", k, n);
    for (int i = 0; i < 4; i++) {
      double d[3], y[3];
      for (int c = 0; c < 3; c++) d[c] = s[i].x[c] - p.place[c];
      vvi_tapply33(p.turn, d, y);
      check_near(fabs(y[0]), 0.4, 1e-12);
      check_near(fabs(y[1]), 0.6, 1e-12);
      check_near(s[i].gap, g, 1e-13);
      check_near(s[i].n[2], 1.0, 1e-14);
    }
    /* a capsule lying */
    const double v[3] = {0.0, 0.5 * VV_PI, 0.0};
    vvi_exp(v, p.turn);
    n = vvi_solids_touch(floor, &home, capsule, &p, 0.1, 128, s, &gap);
    if (n != 2 && k >= 20)
      fail_msg("capsule %d has %d spots", k, n); /* along the lines of the grid there may be more */
    check_least(n, 2.0);
    for (int i = 0; i < n; i++) {
      check_near(s[i].gap, g, 1e-13);
      check_near(s[i].n[2], 1.0, 1e-14);
    }
  }
  vvi_arena_free(&arena);
}

/* In a valley a ball touches both sides, on a ridge only the ridge; both with exact distances. */
static void test_valley_and_ridge(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[128];
  double gap;
  const double none[3] = {0.0, 0.0, 0.0};
  const vv_solid *ball = one_part(&arena, VVI_PART_BALL, none, 0.3, false);
  const vv_solid *v = grid(&arena, valley), *r = grid(&arena, ridge);
  for (int k = 0; k < 40; k++) {
    vvi_pose p = home;
    p.place[1] = -1.0 + 0.05 * k, p.place[2] = 0.3 * sqrt(2.0) + 0.001 * k;
    assert_int_equal(vvi_solids_touch(v, &home, ball, &p, 0.1, 128, s, &gap), 2);
    check_near(s[0].gap, p.place[2] * sqrt(0.5) - 0.3, 1e-14);
    check_near(s[1].gap, s[0].gap, 1e-14);
    check_near(s[0].n[0] + s[1].n[0], 0.0, 1e-14);
    p.place[2] = 0.3 + 0.001 * k;
    assert_int_equal(vvi_solids_touch(r, &home, ball, &p, 0.1, 128, s, &gap), 1);
    check_near(s[0].gap, 0.001 * k, 1e-14);
    check_near(s[0].n[2], 1.0, 1e-14);
  }
  /* a block standing on the ridge with its flat side: both ends of the line */
  const double half[3] = {0.3, 0.6, 0.2};
  const vv_solid *block = one_part(&arena, VVI_PART_BLOCK, half, 0.0, false);
  vvi_pose p = home;
  p.place[1] = 0.1, p.place[2] = 0.2;
  const int n = vvi_solids_touch(r, &home, block, &p, 0.01, 128, s, &gap);
  check_least(n, 2.0);
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    low = fmin(low, s[i].x[1]), high = fmax(high, s[i].x[1]);
    check_near(s[i].gap, 0.0, 1e-13);
    check_near(s[i].n[2], 1.0, 1e-13);
  }
  check_near(low, -0.5, 1e-12);
  check_near(high, 0.7, 1e-12);
  vvi_arena_free(&arena);
}

/* A mesh on a half space and a mesh on a mesh stand on their corners. */
static void test_mesh_stands(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[128];
  double gap;
  const double half[3] = {0.5, 0.5, 0.5};
  const vv_solid *mesh = mesh_of_block(&arena, one_part(&arena, VVI_PART_BLOCK, half, 0.0, false), false);
  const vv_solid *plane = one_part(&arena, VVI_PART_HALF_SPACE, half, 0.0, false), *floor = grid(&arena, level);
  vvi_pose p = home;
  p.place[2] = 0.5;
  const vv_solid *ground[2] = {plane, floor};
  for (int k = 0; k < 2; k++) {
    const int n = vvi_solids_touch(ground[k], &home, mesh, &p, 0.01, 128, s, &gap);
    int corners = 0;
    for (int i = 0; i < n; i++) {
      check_near(s[i].gap, 0.0, 1e-13);
      check_near(s[i].n[2], 1.0, 1e-13);
      corners += fabs(fabs(s[i].x[0]) - 0.5) < 1e-12 && fabs(fabs(s[i].x[1]) - 0.5) < 1e-12;
    }
    assert_int_equal(corners, 4);
  }
  /* a fine flat bottom on a plane: the border stays when there is little room */
  vvi_pose q = home;
  q.place[2] = 3.0;
  const int n = vvi_solids_touch(plane, &home, floor, &q, 0.01, 24, s, &gap);
  double most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, s[i].x[0] + s[i].x[1]);
  check_near(most, 4.0, 1e-12);
  vvi_arena_free(&arena);
}

/* ---- rough meshes against every pair of their triangles ---- */

enum { ROUGH = 80 };

/* A sphere of 80 triangles whose nodes are moved in and out. */
static vv_solid *rough_ball(vvi_arena *arena, double rough, uint64_t *seed)
{
  char why[VVI_MESH_WHY];
  vvi_mesh m;
  vv_solid *s = vvi_solid_new(arena, 1);
  assert_int_equal(vvi_mesh_sphere(arena, VVI_MESH_ICOSAHEDRON, 2, 0, 1.0, &m, why), VV_OK);
  assert_int_equal(m.triangles, ROUGH);
  for (int i = 0; i < m.nodes; i++) {
    const double far = 1.0 + rough * noise(seed);
    for (int c = 0; c < 3; c++) m.x[3 * i + c] *= far;
  }
  if (!vvi_part_mesh(arena, s->part, m.nodes, m.x, m.triangles, m.triangle, why)) fail_msg("%s", why);
  vvi_solid_finish(s);
  return s;
}

static double segment_distance(const double *p, const double *q, const double *r, const double *s)
{
  double u[3], v[3], w[3], d[3];
  for (int i = 0; i < 3; i++) u[i] = q[i] - p[i], v[i] = s[i] - r[i], w[i] = p[i] - r[i];
  const double a = vvi_dot3(u, u), b = vvi_dot3(u, v), c = vvi_dot3(v, v), e = vvi_dot3(u, w), f = vvi_dot3(v, w);
  double best = INFINITY;
  /* the free minimum, and those with one end held: the least of all that are allowed */
  const double den = a * c - b * b;
  double at[5][2] = {
      {(b * f - c * e) / den, (a * f - b * e) / den}, {0, f / c}, {1, (f + b) / c}, {-e / a, 0}, {(b - e) / a, 1}};
  for (int k = 0; k < 5; k++) {
    const double x = k == 0 ? at[k][0] : fmin(1.0, fmax(0.0, at[k][0])),
                 y = k == 0 ? at[k][1] : fmin(1.0, fmax(0.0, at[k][1]));
    if (!(x >= 0.0 && x <= 1.0 && y >= 0.0 && y <= 1.0)) continue;
    for (int i = 0; i < 3; i++) d[i] = w[i] + x * u[i] - y * v[i];
    best = fmin(best, vvi_norm3(d));
  }
  return best;
}

static double least_distance(const vvi_surface *f, const vvi_pose *pf, const vvi_surface *g, const vvi_pose *pg)
{
  double best = INFINITY;
  for (int s = 0; s < f->triangles; s++)
    for (int t = 0; t < g->triangles; t++) {
      double a[3][3], b[3][3], y[3], part[3], d[3];
      for (int k = 0; k < 3; k++) {
        vvi_pose_point(pf, f->vertex + 3 * f->triangle[3 * s + k], a[k]);
        vvi_pose_point(pg, g->vertex + 3 * g->triangle[3 * t + k], b[k]);
      }
      for (int k = 0; k < 3; k++) {
        vvi_triangle_near(a[0], a[1], a[2], b[k], y, part);
        vvi_sub3(b[k], y, d);
        best = fmin(best, vvi_norm3(d));
        vvi_triangle_near(b[0], b[1], b[2], a[k], y, part);
        vvi_sub3(a[k], y, d);
        best = fmin(best, vvi_norm3(d));
        for (int l = 0; l < 3; l++) best = fmin(best, segment_distance(a[k], a[(k + 1) % 3], b[l], b[(l + 1) % 3]));
      }
    }
  return best;
}

/* The search leaves out whole regions by their normals: never the one that is nearest. */
static void test_rough_meshes(void **state)
{
  (void)state;
  uint64_t seed = 97;
  for (int k = 0; k < 60; k++) {
    vvi_arena arena = {0};
    vvi_spot s[64];
    double gap;
    const double rough = k % 3 == 0 ? 0.0 : k % 3 == 1 ? 0.1 : 0.5;
    const vv_solid *a = rough_ball(&arena, rough, &seed), *b = rough_ball(&arena, rough, &seed);
    vvi_pose pa = home, pb = home;
    random_turn(&seed, pa.turn);
    random_turn(&seed, pb.turn);
    for (int i = 0; i < 3; i++) pb.place[i] = noise(&seed);
    const double length = vvi_norm3(pb.place);
    for (int i = 0; i < 3; i++) pb.place[i] *= (2.05 + 2.0 * rough) / length;
    const double wanted = least_distance(a->part->surface, &pa, b->part->surface, &pb);
    const int n = vvi_solids_touch(a, &pa, b, &pb, wanted + 0.3, 64, s, &gap);
    assert_true(n > 0);
    check_near(gap, wanted, 1e-12);
    vvi_arena_free(&arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mesh_is_block),    cmocka_unit_test(test_hollow_mesh), cmocka_unit_test(test_flat_grid),
      cmocka_unit_test(test_valley_and_ridge), cmocka_unit_test(test_mesh_stands), cmocka_unit_test(test_rough_meshes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
