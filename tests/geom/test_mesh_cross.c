/* tests/geom/test_mesh_cross.c  Intersecting triangles: signs against whole numbers, pairs against another algorithm in whole
 * numbers, all pairs against all pairs, and the slack of touching bodies. */
#include "check.h"
#include "geom/mesh.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

static vvi_arena arena;
static char why[VVI_MESH_WHY];

static int forget(void **unused)
{
  (void)unused;
  vvi_arena_free(&arena);
  return 0;
}

static int64_t random_int(uint64_t *seed, int64_t size)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)(*seed >> 24) % (2 * size + 1) - size;
}

static int sign_of(wide v)
{
  return (v > 0) - (v < 0);
}

static wide determinant(const int64_t p[4][3])
{
  wide d[3][3];
  for (int i = 0; i < 9; i++) d[i / 3][i % 3] = (wide)p[i / 3 + 1][i % 3] - p[0][i % 3];
  wide sum = 0;
  for (int i = 0; i < 3; i++)
    sum += d[0][i] * (d[1][(i + 1) % 3] * d[2][(i + 2) % 3] - d[1][(i + 2) % 3] * d[2][(i + 1) % 3]);
  return sum;
}

/* The fourth point in the plane of the others, or one unit away from it: the plain determinant does not know. */
static void test_signs(void **unused)
{
  (void)unused;
  uint64_t seed = 11;
  int zeros = 0, hard = 0;
  for (int n = 0; n < 20000; n++) {
    int64_t p[4][3];
    double x[4][3];
    const int64_t i = random_int(&seed, 3), j = random_int(&seed, 3);
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < 3; k++) p[k][c] = random_int(&seed, INT64_C(1) << (n % 2 == 0 ? 36 : 10));
      p[3][c] = p[0][c] + i * (p[1][c] - p[0][c]) + j * (p[2][c] - p[0][c]) + (n % 3 == 0 ? 0 : random_int(&seed, 1));
    }
    for (int k = 0; k < 4 && n % 7 == 0; k++) p[k][n % 3] = p[0][n % 3]; /* a plane along two axes */
    for (int k = 0; k < 12; k++) x[k / 3][k % 3] = ldexp((double)p[k / 3][k % 3], -30);
    const int wanted = sign_of(determinant((const int64_t(*)[3])p));
    assert_int_equal(vvi_side_of(x[0], x[1], x[2], x[3]), wanted);
    assert_int_equal(vvi_side_of(x[1], x[0], x[2], x[3]), -wanted);
    zeros += wanted == 0, hard += wanted != 0 && n % 2 == 0;
  }
  check_least(zeros, 1000);
  check_least(hard, 1000);
}

/* ---- pairs ---- */

static wide dot(const wide a[3], const wide b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const wide a[3], const wide b[3], wide c[3])
{
  for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The point where pq meets the plane, times s_p - s_q, tried against the three edges in the plane. */
static bool meets(const int64_t *p, const int64_t *q, const int64_t t[3][3])
{
  wide u[3], v[3], n[3], wp[3], wq[3];
  for (int c = 0; c < 3; c++) {
    u[c] = t[1][c] - t[0][c], v[c] = t[2][c] - t[0][c];
    wp[c] = p[c] - t[0][c], wq[c] = q[c] - t[0][c];
  }
  cross(u, v, n);
  const wide sp = dot(n, wp), sq = dot(n, wq), size = sp - sq;
  if (!((sp > 0 && sq < 0) || (sp < 0 && sq > 0))) return false;
  for (int k = 0; k < 3; k++) {
    wide edge[3], from[3], out[3];
    for (int c = 0; c < 3; c++) {
      edge[c] = t[(k + 1) % 3][c] - t[k][c];
      from[c] = (q[c] * sp - p[c] * sq) - t[k][c] * size; /* times size */
    }
    cross(edge, from, out);
    if (sign_of(dot(n, out)) * sign_of(size) < 0) return false;
  }
  return true;
}

static void test_pairs(void **unused)
{
  (void)unused;
  uint64_t seed = 3;
  int yes = 0;
  for (int n = 0; n < 100000; n++) {
    int64_t p[2][3][3];
    double x[18];
    const double *t[2][3];
    const int64_t size = n % 2 == 0 ? 2 : 1000; /* small: many touch exactly */
    for (int k = 0; k < 18; k++) {
      p[k / 9][k / 3 % 3][k % 3] = random_int(&seed, size);
      x[k] = (double)p[k / 9][k / 3 % 3][k % 3] * 0.125;
    }
    for (int k = 0; k < 6; k++) t[k / 3][k % 3] = x + 3 * k;
    bool wanted = false;
    for (int k = 0; k < 6; k++) {
      const int a = k / 3;
      wanted |= meets(p[a][k % 3], p[a][(k + 1) % 3], (const int64_t(*)[3])p[1 - a]);
    }
    assert_int_equal(vvi_triangles_intersect(t[0], t[1], 0.0), wanted);
    assert_int_equal(vvi_triangles_intersect(t[1], t[0], 0.0), wanted);
    yes += wanted;
  }
  check_least(yes, 10000);
  check_most(yes, 50000);
}

/* ---- meshes ---- */

typedef struct pile {
  int nodes, triangles;
  double *x;
  int *triangle, *body;
} pile;

static pile new_pile(void)
{
  enum { MOST = 4000 };
  return (pile){.x = VVI_ARENA_NEW(&arena, double, 3 * MOST),
                .triangle = VVI_ARENA_NEW(&arena, int, 3 * MOST),
                .body = VVI_ARENA_NEW(&arena, int, MOST)};
}

/* A copy of the mesh, turned about z, then moved. */
static void put(pile *p, const vvi_mesh *m, double angle, double x, double y, double z)
{
  const int body = p->triangles > 0 ? p->body[p->triangles - 1] + 1 : 0;
  const double move[3] = {x, y, z}, c = cos(angle), s = sin(angle);
  for (int i = 0; i < m->nodes; i++) {
    const double *from = m->x + 3 * i;
    const double to[3] = {c * from[0] - s * from[1], s * from[0] + c * from[1], from[2]};
    for (int k = 0; k < 3; k++) p->x[3 * (p->nodes + i) + k] = to[k] + move[k];
  }
  for (int h = 0; h < 3 * m->triangles; h++) p->triangle[3 * p->triangles + h] = m->triangle[h] + p->nodes;
  for (int t = 0; t < m->triangles; t++) p->body[p->triangles + t] = body;
  p->nodes += m->nodes, p->triangles += m->triangles;
}

static int64_t brute(const pile *p, bool within)
{
  int64_t found = 0;
  for (int s = 0; s < p->triangles; s++)
    for (int t = s + 1; t < p->triangles; t++) {
      const double *a[3], *b[3];
      bool share = false;
      for (int k = 0; k < 9; k++) share |= p->triangle[3 * s + k / 3] == p->triangle[3 * t + k % 3];
      if (share || (!within && p->body[s] == p->body[t])) continue;
      for (int c = 0; c < 3; c++) a[c] = p->x + 3 * p->triangle[3 * s + c], b[c] = p->x + 3 * p->triangle[3 * t + c];
      found += vvi_triangles_intersect(a, b, 1e-9);
    }
  return found;
}

static int64_t count(const pile *p, bool within, double slack, int pair[2])
{
  return vvi_mesh_intersections(p->x, p->triangles, p->triangle, p->body, within, slack, pair);
}

static void test_bodies(void **unused)
{
  (void)unused;
  vvi_mesh cube, ball;
  const double size[3] = {1, 1, 1};
  int pair[2] = {-1, -1};
  assert_int_equal(vvi_mesh_box(&arena, size, (const int[3]){4, 4, 4}, &cube, why), VV_OK);
  assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_ICOSAHEDRON, 4, 0, 0.6, &ball, why), VV_OK);
  pile apart = new_pile();
  for (int k = 0; k < 8; k++) put(&apart, &cube, 0.0, 1.001 * (k % 2), 1.001 * (k / 2 % 2), 1.001 * (k / 4));
  assert_int_equal(count(&apart, true, 0.0, pair), 0);
  assert_int_equal(pair[0], -1);
  pile close = new_pile();
  for (int k = 0; k < 4; k++) put(&close, &cube, 0.3 * k, 0.9 * (k % 2), 0.8 * (k / 2), 0.1 * k);
  put(&close, &ball, 0.0, 0.5, 0.5, 0.7);
  const int64_t found = count(&close, false, 1e-9, pair);
  check_least((double)found, 100);
  assert_int_equal(found, brute(&close, false));
  assert_int_equal(found, count(&close, true, 1e-9, pair)); /* none meets itself */
  assert_true(close.body[pair[0]] != close.body[pair[1]]);
  pile folded = new_pile();
  put(&folded, &ball, 0.0, 0.0, 0.0, 0.0);
  folded.x[0] *= -1.2, folded.x[1] *= -1.2, folded.x[2] *= -1.2; /* a node through the other side */
  assert_int_equal(count(&folded, false, 1e-9, pair), 0);
  check_least((double)count(&folded, true, 1e-9, pair), 5);
  assert_int_equal(count(&folded, true, 1e-9, pair), brute(&folded, true));
  assert_int_equal(vvi_mesh_intersections(folded.x, 0, NULL, NULL, true, 0.0, NULL), 0);
}

/* A corner that stands above a face, reaches less than the slack into it, or more. */
static void test_slack(void **unused)
{
  (void)unused;
  vvi_mesh cube;
  const double size[3] = {1, 1, 1}, tip[3][3] = {{0.3, 0.1, 1.0}, {-0.2, 0.3, 1.0}, {-0.1, -0.3, 1.0}};
  int side[9] = {0, 1, 2, 0, 2, 3, 0, 3, 1};
  assert_int_equal(vvi_mesh_box(&arena, size, (const int[3]){2, 2, 2}, &cube, why), VV_OK);
  static const double deep[] = {-1e-12, 5e-10, 2e-9, 1e-3};
  for (int k = 0; k < VV_COUNT(deep); k++) {
    double x[12] = {0.1, 0.17, -deep[k]};
    memcpy(x + 3, tip, sizeof tip);
    const vvi_mesh tent = {.nodes = 4, .triangles = 3, .x = x, .triangle = side};
    pile p = new_pile();
    put(&p, &cube, 0.0, 0.0, 0.0, -0.5);
    put(&p, &tent, 0.0, 0.0, 0.0, 0.0);
    assert_int_equal(count(&p, true, 1e-9, NULL) > 0, deep[k] > 1e-9);
    assert_int_equal(count(&p, true, 0.0, NULL) > 0, deep[k] > 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_signs, forget),
      cmocka_unit_test_teardown(test_pairs, forget),
      cmocka_unit_test_teardown(test_bodies, forget),
      cmocka_unit_test_teardown(test_slack, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
