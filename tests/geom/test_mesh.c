/* tests/geom/test_mesh.c  Meshes made here: counts, Euler's number, orientation, areas and volumes of order 2; rings, loops,
 * orientation mended, numbering in blocks. */
#include "check.h"
#include "geom/mesh.h"
#include "math/math.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static vvi_arena arena;
static char why[VVI_MESH_WHY];

static int forget(void **unused)
{
  (void)unused;
  vvi_arena_free(&arena);
  return 0;
}

static const double *node(const vvi_mesh *m, int i)
{
  return m->x + 3 * (size_t)i;
}

static uint64_t random_bits(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

static vvi_mesh_topology topology_of(const vvi_mesh *m)
{
  vvi_mesh_topology top;
  assert_int_equal(vvi_mesh_topology_of(&arena, m, &top, why), VV_OK);
  return top;
}

/* ---- shapes ---- */

typedef struct shape {
  const char *name;
  vv_status (*make)(int n, vvi_mesh *out);
  double area, volume; /* exact; volume 0: open */
  int euler, loops;
  double order; /* ratio of errors from n to 2 n; 0: exact */
} shape;

static vv_status octa(int n, vvi_mesh *out)
{
  return vvi_mesh_sphere(&arena, VVI_MESH_OCTAHEDRON, n, 0, 2.0, out, why);
}

static vv_status icosa(int n, vvi_mesh *out)
{
  return vvi_mesh_sphere(&arena, VVI_MESH_ICOSAHEDRON, n, 0, 2.0, out, why);
}

/* n is 4 times a power of two: frequency 4, then levels */
static vv_status levels(int n, vvi_mesh *out)
{
  int level = 0;
  for (int k = n; k > 4; k /= 2) level++;
  return vvi_mesh_sphere(&arena, VVI_MESH_OCTAHEDRON, 4, level, 2.0, out, why);
}

static vv_status disc(int n, vvi_mesh *out)
{
  return vvi_mesh_disc(&arena, 2.0, n, out, why);
}

static vv_status rectangle(int n, vvi_mesh *out)
{
  return vvi_mesh_rectangle(&arena, (const double[2]){2.0, 3.0}, (const int[2]){n, 2 * n - 1}, out, why);
}

static vv_status box(int n, vvi_mesh *out)
{
  return vvi_mesh_box(&arena, (const double[3]){1.0, 2.0, 3.0}, (const int[3]){n, n + 1, n + 2}, out, why);
}

static vv_status tube(int n, vvi_mesh *out)
{
  return vvi_mesh_cylinder(&arena, 2.0, 3.0, 4 * n, n, false, out, why);
}

static vv_status can(int n, vvi_mesh *out)
{
  return vvi_mesh_cylinder(&arena, 2.0, 3.0, 4 * n, n + 1, true, out, why);
}

static vv_status torus(int n, vvi_mesh *out)
{
  return vvi_mesh_torus(&arena, 2.0, 0.5, 4 * n, 2 * n, out, why);
}

static const shape shapes[] = {
    {"octahedron", octa, 16.0 * VV_PI, 32.0 / 3.0 * VV_PI, 2, 0, 4.0},
    {"icosahedron", icosa, 16.0 * VV_PI, 32.0 / 3.0 * VV_PI, 2, 0, 4.0},
    {"levels", levels, 16.0 * VV_PI, 32.0 / 3.0 * VV_PI, 2, 0, 4.0},
    {"disc", disc, 4.0 * VV_PI, 0.0, 1, 1, 4.0},
    {"rectangle", rectangle, 6.0, 0.0, 1, 1, 0.0},
    {"box", box, 22.0, 6.0, 2, 0, 0.0},
    {"tube", tube, 12.0 * VV_PI, 0.0, 0, 2, 4.0},
    {"can", can, 20.0 * VV_PI, 12.0 * VV_PI, 2, 0, 4.0},
    {"torus", torus, 4.0 * VV_PI *VV_PI, VV_PI *VV_PI, 0, 0, 4.0},
};

/* V - E + F, all edges shared by two triangles or on the border, one piece, nodes used, neighbours mutual. */
static void check_topology(const shape *s, const vvi_mesh *m)
{
  const vvi_mesh_topology top = topology_of(m);
  assert_int_equal(m->nodes - top.edges + m->triangles, s->euler);
  assert_true(top.manifold);
  assert_true(top.oriented);
  assert_int_equal(top.closed, s->loops == 0);
  assert_int_equal(top.loops, s->loops);
  assert_int_equal(top.parts, 1);
  int border = 0;
  for (int e = 0; e < top.edges; e++) {
    assert_true(top.edge_uses[e] == 1 || top.edge_uses[e] == 2);
    border += top.edge_uses[e] == 1;
  }
  assert_int_equal(2 * top.edges - border, 3 * m->triangles);
  assert_int_equal(top.loop_first[top.loops], border);
  for (int i = 0; i < m->nodes; i++) assert_int_equal(top.fans[i], 1);
  for (int h = 0; h < 3 * m->triangles; h++) {
    const int t = top.neighbour[h];
    int back = t < 0;
    for (int c = 0; t >= 0 && c < 3; c++) back += top.neighbour[3 * t + c] == h / 3;
    assert_int_equal(back, 1);
  }
}

static void test_shapes(void **unused)
{
  (void)unused;
  for (int k = 0; k < VV_COUNT(shapes); k++) {
    const shape *s = shapes + k;
    double before[2] = {0, 0};
    for (int n = 8; n <= 64; n *= 2) {
      vvi_mesh m;
      vvi_mesh_report report;
      assert_int_equal(s->make(n, &m), VV_OK);
      if (n < 64) check_topology(s, &m);
      assert_int_equal(vvi_mesh_check(&m, 0.3, 1e-9, &report, why), VV_OK); /* shapes are good, too */
      if (vvi_mesh_refuse(&m, &report, ~(s->loops > 0 ? 1u << VVI_MESH_OPEN : 0u), why) != VV_OK)
        fail_msg("%s, n = %d: %s", s->name, n, why);
      const double error[2] = {s->area - vvi_mesh_area(&m), s->volume > 0.0 ? s->volume - vvi_mesh_volume(&m) : 0.0};
      for (int i = 0; i < 2; i++) {
        if (s->order == 0.0)
          check_most(fabs(error[i]), m.triangles * DBL_EPSILON * s->area); /* of the sum */
        else if (n == 64 && (i == 0 || s->volume > 0.0))
          check_near(before[i] / error[i], s->order, 0.05);
        before[i] = error[i];
      }
      vvi_arena_free(&arena);
    }
  }
}

/* Every triangle of a body that surrounds the origin looks away from it; every node lies on the surface. */
static void test_outward(void **unused)
{
  (void)unused;
  for (int k = 0; k < VV_COUNT(shapes); k++) {
    vvi_mesh m;
    assert_int_equal(shapes[k].make(6 + 2 * (k == 2), &m), VV_OK);
    for (int t = 0; t < m.triangles; t++) {
      const double *a = node(&m, m.triangle[3 * t]), *b = node(&m, m.triangle[3 * t + 1]),
                   *c = node(&m, m.triangle[3 * t + 2]);
      double u[3], v[3], n[3], out[3], mid[3];
      for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], v[i] = c[i] - a[i], mid[i] = (a[i] + b[i] + c[i]) / 3.0;
      vvi_cross3(u, v, n);
      memcpy(out, mid, sizeof out);
      if (shapes[k].make == torus) { /* away from the middle of the tube */
        const double r = hypot(mid[0], mid[1]);
        out[0] -= 2.0 * mid[0] / r, out[1] -= 2.0 * mid[1] / r;
      }
      if (shapes[k].make == disc || shapes[k].make == rectangle) out[2] = 1.0;
      check_least(vvi_dot3(n, out), 0.1 * vvi_norm3(n) * vvi_norm3(out));
    }
    if (k < 3)
      for (int i = 0; i < m.nodes; i++) check_near(vvi_norm3(node(&m, i)), 2.0, 1e-15);
  }
}

static void test_counts(void **unused)
{
  (void)unused;
  vvi_mesh m;
  for (int n = 1; n < 9; n++) {
    assert_int_equal(octa(n, &m), VV_OK);
    assert_int_equal(m.triangles, 8 * n * n);
    assert_int_equal(m.nodes, 4 * n * n + 2);
    assert_int_equal(icosa(n, &m), VV_OK);
    assert_int_equal(m.triangles, 20 * n * n);
    assert_int_equal(m.nodes, 10 * n * n + 2);
    assert_int_equal(disc(n, &m), VV_OK);
    assert_int_equal(m.triangles, 6 * n * n);
    assert_int_equal(m.nodes, 3 * n * n + 3 * n + 1);
    assert_int_equal(vvi_mesh_box(&arena, (const double[3]){1, 1, 1}, (const int[3]){n, n, n}, &m, why), VV_OK);
    assert_int_equal(m.triangles, 12 * n * n);
    assert_int_equal(m.nodes, 6 * n * n + 2);
  }
  for (int level = 0; level < 4; level++) {
    assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_ICOSAHEDRON, 3, level, 1.0, &m, why), VV_OK);
    assert_int_equal(m.triangles, 180 << 2 * level);
  }
  for (int around = 3; around < 40; around++) { /* ends of any number of pieces */
    assert_int_equal(vvi_mesh_cylinder(&arena, 1.0, 1.0, around, 2, true, &m, why), VV_OK);
    const vvi_mesh_topology top = topology_of(&m);
    assert_true(top.closed && top.manifold && top.oriented);
    assert_int_equal(m.nodes - top.edges + m.triangles, 2);
    const double polygon = 0.5 * around * sin(2.0 * VV_PI / around);
    check_least(vvi_mesh_volume(&m), 0.7 * polygon); /* staggered rows cut corners off */
  }
}

static void test_valence(void **unused)
{
  (void)unused;
  vvi_mesh m;
  int four = 0, five = 0;
  assert_int_equal(octa(7, &m), VV_OK);
  vvi_mesh_topology top = topology_of(&m);
  for (int i = 0; i < m.nodes; i++)
    four += top.valence[i] == 4, assert_true(top.valence[i] == 4 || top.valence[i] == 6);
  assert_int_equal(four, 6);
  assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_ICOSAHEDRON, 2, 2, 1.0, &m, why), VV_OK);
  top = topology_of(&m);
  for (int i = 0; i < m.nodes; i++)
    five += top.valence[i] == 5, assert_true(top.valence[i] == 5 || top.valence[i] == 6);
  assert_int_equal(five, 12);
  assert_int_equal(disc(5, &m), VV_OK);
  top = topology_of(&m);
  for (int i = 0; i < m.nodes; i++)
    if (vvi_norm3(node(&m, i)) < 1.99) assert_int_equal(top.valence[i], 6);
  assert_int_equal(torus(4, &m), VV_OK);
  top = topology_of(&m);
  for (int i = 0; i < m.nodes; i++) assert_int_equal(top.valence[i], 6);
}

/* A third of the area of its triangles at every node: the centre in the middle, the same moment about every axis. */
static void test_cube_balance(void **unused)
{
  (void)unused;
  for (int n = 1; n < 6; n++) {
    vvi_mesh m;
    double first[3] = {0}, second[9] = {0};
    assert_int_equal(vvi_mesh_box(&arena, (const double[3]){1, 1, 1}, (const int[3]){n, n, n}, &m, why), VV_OK);
    for (int h = 0; h < 3 * m.triangles; h++) /* all triangles have one area */
      for (int c = 0; c < 9; c++) {
        const double *x = node(&m, m.triangle[h]);
        if (c < 3) first[c] += x[c];
        second[c] += x[c / 3] * x[c % 3];
      }
    for (int c = 0; c < 9; c++) {
      if (c < 3) check_most(fabs(first[c]), 1e-12);
      check_near(second[c], c % 4 == 0 ? second[0] : 0.0, 1e-12 * second[0]);
    }
  }
}

/* ---- topology ---- */

/* The ring of a node goes round it counterclockwise, neighbours being joined by an edge; at a border it is open. */
static void test_rings(void **unused)
{
  (void)unused;
  for (int k = 0; k < 4; k++) {
    vvi_mesh m;
    assert_int_equal(shapes[k].make(4, &m), VV_OK);
    const vvi_mesh_topology top = topology_of(&m);
    for (int i = 0; i < m.nodes; i++) {
      int ring[16], joined = 0;
      const int n = vvi_mesh_ring(&m, &top, i, ring), triangles = top.first[i + 1] - top.first[i];
      const bool border = n > triangles;
      assert_int_equal(n, triangles + border);
      for (int j = 0; j < n - border; j++)
        for (int t = 0; t < m.triangles; t++)
          for (int c = 0; c < 3; c++)
            joined += m.triangle[3 * t + c] == i && m.triangle[3 * t + (c + 1) % 3] == ring[j] &&
                      m.triangle[3 * t + (c + 2) % 3] == ring[(j + 1) % n];
      assert_int_equal(joined, triangles);
    }
  }
}

/* Border curves: closed, every border node once, the surface to the left. */
static void test_loops(void **unused)
{
  (void)unused;
  vvi_mesh m;
  assert_int_equal(tube(5, &m), VV_OK);
  vvi_mesh_topology top = topology_of(&m);
  assert_int_equal(top.loops, 2);
  for (int l = 0; l < 2; l++) {
    const int n = top.loop_first[l + 1] - top.loop_first[l], *loop = top.loop + top.loop_first[l];
    assert_int_equal(n, 20);
    double turn = 0.0;
    for (int i = 0; i < n; i++) {
      const double *a = node(&m, loop[i]), *b = node(&m, loop[(i + 1) % n]);
      check_near(a[2], node(&m, loop[0])[2], 0.0);
      turn += atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
    }
    check_near(turn, node(&m, loop[0])[2] < 0.0 ? 2.0 * VV_PI : -2.0 * VV_PI, 1e-12);
  }
  assert_int_equal(rectangle(3, &m), VV_OK);
  top = topology_of(&m);
  double area = 0.0;
  for (int i = 0, n = top.loop_first[1]; i < n; i++) {
    const double *a = node(&m, top.loop[i]), *b = node(&m, top.loop[(i + 1) % n]);
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  check_near(area, 6.0, 1e-14);
}

static void flip(vvi_mesh *m, int t)
{
  const int keep = m->triangle[3 * t];
  m->triangle[3 * t] = m->triangle[3 * t + 1];
  m->triangle[3 * t + 1] = keep;
}

/* Triangles turned at random come back to the volume they had; which ones were turned is told. */
static void test_orient(void **unused)
{
  (void)unused;
  uint64_t seed = 5;
  vvi_mesh m;
  assert_int_equal(torus(6, &m), VV_OK);
  const double volume = vvi_mesh_volume(&m);
  for (int round = 0; round < 5; round++) {
    int flipped = 0, turned = 0;
    for (int t = 0; t < m.triangles; t++)
      if (round == 4 || random_bits(&seed) % 3 == 0) flip(&m, t), flipped++;
    assert_int_equal(vvi_mesh_orient(&m, &turned, why), VV_OK);
    assert_int_equal(turned, flipped);
    check_near(vvi_mesh_volume(&m), volume, 1e-12);
    assert_true(topology_of(&m).oriented);
  }
  assert_int_equal(disc(4, &m), VV_OK); /* open: as the first triangle */
  int turned;
  for (int t = 0; t < m.triangles; t++)
    if (t % 2 == 1) flip(&m, t);
  assert_int_equal(vvi_mesh_orient(&m, &turned, why), VV_OK);
  assert_int_equal(turned, m.triangles / 2);
  /* a strip of triangles that is closed after half a turn */
  double x[3 * 10];
  int triangle[3 * 10];
  for (int i = 0; i < 10; i++) {
    const double a = 2.0 * VV_PI * (i / 2) / 5, h = i % 2 == 0 ? -0.2 : 0.2;
    x[3 * i] = (1.0 + h * cos(0.5 * a)) * cos(a), x[3 * i + 1] = (1.0 + h * cos(0.5 * a)) * sin(a);
    x[3 * i + 2] = h * sin(0.5 * a);
    const int next[4] = {i, i + 1, i + 2, 0};
    for (int c = 0; c < 3; c++) triangle[3 * i + c] = next[c] < 10 ? next[c] : (next[c] - 10) ^ 1;
  }
  vvi_mesh strip = {.nodes = 10, .triangles = 10, .x = x, .triangle = triangle};
  const vvi_mesh_topology top = topology_of(&strip);
  assert_true(top.manifold);
  assert_int_equal(strip.nodes - top.edges + strip.triangles, 0);
  assert_int_equal(vvi_mesh_orient(&strip, &turned, why), VV_SCENE);
  assert_non_null(strstr(why, "one side"));
}

/* ---- numbering ---- */

/* Which blocks touch a node, by looking at all: through the nodes around it, too. */
static void touched(const vvi_mesh *m, const vvi_mesh_topology *top, int block, int rings, int i, int *low, int *high)
{
  int ring[32], n = 0;
  if (rings > 0) n = vvi_mesh_ring(m, top, i, ring);
  ring[n++] = i;
  *low = INT32_MAX, *high = -1;
  for (int t = 0; t < m->triangles; t++)
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < n; k++)
        if (m->triangle[3 * t + c] == ring[k]) {
          if (t / block < *low) *low = t / block;
          if (t / block > *high) *high = t / block;
        }
}

static void test_bisect(void **unused)
{
  (void)unused;
  for (int rings = 0; rings < 2; rings++) {
    vvi_mesh m, out;
    const int block = 100;
    assert_int_equal(octa(9, &m), VV_OK); /* 648 triangles */
    int *order = calloc((size_t)(m.triangles + m.nodes), sizeof *order), *nodes = order + m.triangles;
    assert_int_equal(vvi_mesh_bisect(&m, block, rings, NULL, order, nodes, why), VV_OK);
    int *seen = calloc((size_t)m.triangles, sizeof *seen);
    for (int t = 0; t < m.triangles; t++) seen[order[t]]++;
    for (int i = 0; i < m.nodes; i++) seen[nodes[i]] += 2;
    for (int t = 0; t < m.triangles; t++) assert_int_equal(seen[t], t < m.nodes ? 3 : 1);
    assert_int_equal(vvi_mesh_renumber(&arena, &m, order, nodes, &out, why), VV_OK);
    check_near(vvi_mesh_volume(&out), vvi_mesh_volume(&m), 1e-12);
    const vvi_mesh_topology top = topology_of(&out);
    int before = -1;
    for (int i = 0; i < out.nodes; i++) {
      int owner, high, low, wide;
      touched(&out, &top, block, 0, i, &owner, &high);
      touched(&out, &top, block, rings, i, &low, &wide);
      const int key = 2 * owner + (low != wide);
      check_least(key, before);
      before = key;
    }
    free(order);
    free(seen);
  }
}

static bool are_neighbours(const vvi_mesh_topology *top, int t, int other)
{
  for (int c = 0; c < 3; c++)
    if (top->neighbour[3 * t + c] == other) return true;
  return false;
}

/* An octahedral sphere is regular but for the four triangles at each of its six corners: all others have partners, and no block parts
 * them.  Blocks of six: the last one is not full. */
static void test_pairs(void **unused)
{
  (void)unused;
  vvi_mesh m;
  assert_int_equal(octa(11, &m), VV_OK); /* 968 triangles */
  const int n = m.triangles, block = 6;
  int *mate = calloc((size_t)(4 * n + m.nodes), sizeof *mate), *beside = mate + n, *order = beside + n, *at = order + n;
  const vvi_mesh_topology top = topology_of(&m);
  assert_int_equal(vvi_mesh_pair(&m, &top, mate, beside, why), VV_OK);
  int alone = 0;
  for (int t = 0; t < n; t++) {
    alone += mate[t] < 0;
    assert_true(beside[t] >= 0 && beside[beside[t]] == t && are_neighbours(&top, t, beside[t]));
    assert_true(mate[t] < 0 || mate[t] == beside[t]);
    for (int c = 0; c < 3 && mate[t] >= 0; c++) assert_int_equal(top.valence[m.triangle[3 * t + c]], 6);
  }
  assert_int_equal(alone, 24);
  assert_int_equal(vvi_mesh_bisect(&m, block, 1, beside, order, at + n, why), VV_OK);
  for (int k = 0; k < n; k++) at[order[k]] = k;
  for (int t = 0; t < n; t++) assert_int_equal(at[t] / block, at[beside[t]] / block);
  free(mate);
}

/* Blocks are compact: few nodes belong to more than one. */
static void test_compact(void **unused)
{
  (void)unused;
  vvi_mesh m, out;
  const int block = 512;
  assert_int_equal(octa(48, &m), VV_OK); /* 18432 triangles, 9218 nodes, 36 blocks */
  int *order = calloc((size_t)(m.triangles + m.nodes), sizeof *order);
  assert_int_equal(vvi_mesh_bisect(&m, block, 0, NULL, order, order + m.triangles, why), VV_OK);
  assert_int_equal(vvi_mesh_renumber(&arena, &m, order, order + m.triangles, &out, why), VV_OK);
  int *last = malloc(sizeof *last * (size_t)m.nodes), touches = 0;
  memset(last, -1, sizeof *last * (size_t)m.nodes);
  for (int h = 0; h < 3 * m.triangles; h++) {
    touches += last[out.triangle[h]] != h / 3 / block;
    last[out.triangle[h]] = h / 3 / block;
  }
  /* a square block of 16 x 16 cells has 17 x 17 nodes: 289 for 256 of its own, 13 % more */
  check_most(touches / (double)m.nodes, 1.25);
  free(order);
  free(last);
}

static void assert_same(const void *a, const void *b, int n)
{
  assert_memory_equal(a, b, sizeof(int) * (size_t)n);
}

/* What is known of a mesh follows it to other numbers: with a border and without, loops and the starts of fans included. */
static void test_topology_renumber(void **unused)
{
  (void)unused;
  for (int k = 0; k < 2; k++) {
    vvi_mesh m, out;
    assert_int_equal(k == 0 ? octa(13, &m) : vvi_mesh_disc(&arena, 1.0, 9, &m, why), VV_OK);
    int *order = calloc((size_t)(m.triangles + m.nodes), sizeof *order), *nodes = order + m.triangles;
    assert_int_equal(vvi_mesh_bisect(&m, 64, 1, NULL, order, nodes, why), VV_OK);
    assert_int_equal(vvi_mesh_renumber(&arena, &m, order, nodes, &out, why), VV_OK);
    const vvi_mesh_topology before = topology_of(&m), whole = topology_of(&out);
    vvi_mesh_topology top;
    assert_int_equal(vvi_mesh_topology_renumber(&arena, &out, &before, order, nodes, &top, why), VV_OK);
    assert_same(top.neighbour, whole.neighbour, 3 * m.triangles);
    assert_same(top.valence, whole.valence, m.nodes);
    assert_same(top.first, whole.first, m.nodes + 1);
    assert_same(top.around, whole.around, 3 * m.triangles);
    assert_int_equal(top.loops, k);
    assert_int_equal(whole.loops, k);
    assert_same(top.loop_first, whole.loop_first, k + 1);
    assert_same(top.loop, whole.loop, whole.loop_first[k]);
    free(order);
  }
}

/* Meshes that are large enough to be shared by threads are the same for any number of them. */
static void test_threads(void **unused)
{
  (void)unused;
  vvi_mesh m[3];
  vvi_mesh_topology top[3];
  int *order[3], team = 0;
  for (int k = 0; k < 3; k++) {
    const int before = vvi_team_usual(k == 0 ? 1 : k == 1 ? 2 : 7);
    team = k == 0 ? before : team;
    assert_int_equal(octa(60, &m[k]), VV_OK); /* 28800 triangles */
    top[k] = topology_of(&m[k]);
    order[k] = calloc((size_t)(m[k].triangles + m[k].nodes), sizeof *order[k]);
    assert_int_equal(vvi_mesh_bisect(&m[k], 256, 1, NULL, order[k], order[k] + m[k].triangles, why), VV_OK);
  }
  vvi_team_usual(team);
  const int n = m[0].triangles;
  for (int k = 1; k < 3; k++) {
    assert_memory_equal(m[0].x, m[k].x, 3 * sizeof(double) * (size_t)m[0].nodes);
    assert_same(m[0].triangle, m[k].triangle, 3 * n);
    assert_int_equal(top[0].edges, top[k].edges);
    assert_same(top[0].edge, top[k].edge, 2 * top[0].edges);
    assert_same(top[0].edge_triangle, top[k].edge_triangle, 2 * top[0].edges);
    assert_same(top[0].side, top[k].side, 3 * n);
    assert_same(top[0].around, top[k].around, 3 * n);
    assert_same(order[0], order[k], n + m[0].nodes);
  }
  for (int k = 0; k < 3; k++) free(order[k]);
}

/* Three spheres whose triangles come mixed: pieces are told apart, and numbered as they first show, by any number of threads. */
static void test_pieces(void **unused)
{
  (void)unused;
  enum { PIECES = 3 };
  vvi_mesh one, all;
  assert_int_equal(octa(60, &one), VV_OK); /* 28800 triangles */
  const int n = one.triangles;
  all = (vvi_mesh){.nodes = PIECES * one.nodes, .triangles = PIECES * n};
  all.x = VVI_ARENA_NEW(&arena, double, 3 * all.nodes), all.triangle = VVI_ARENA_NEW(&arena, int, 3 * all.triangles);
  int *piece = calloc((size_t)(PIECES * n), sizeof *piece), first[PIECES] = {-1, -1, -1}, shown = 0;
  for (int i = 0; i < 3 * PIECES * one.nodes; i++) all.x[i] = one.x[i % (3 * one.nodes)] + 4.0 * (i / (3 * one.nodes));
  for (int i = 0; i < PIECES * n; i++) { /* 7919 is a prime: every triangle once */
    const int at = (int)((7919 * (int64_t)i + 11 * n / 6) % (PIECES * n)), which = at / n;
    for (int c = 0; c < 3; c++) all.triangle[3 * i + c] = one.triangle[3 * (at % n) + c] + which * one.nodes;
    if (first[which] < 0) first[which] = shown++;
    piece[i] = first[which];
  }
  for (int k = 0; k < 3; k++) {
    const int before = vvi_team_usual(k == 0 ? 1 : k == 1 ? 2 : 7);
    const vvi_mesh_topology top = topology_of(&all);
    vvi_team_usual(before);
    assert_int_equal(top.parts, PIECES);
    assert_same(top.part, piece, PIECES * n);
  }
  free(piece);
}

/* A fan of more triangles than are sorted in place. */
static void test_long_fan(void **unused)
{
  (void)unused;
  enum { N = 100 };
  double x[3 * (N + 1)] = {0};
  int triangle[3 * N];
  for (int i = 0; i < N; i++) {
    const int from = (37 * i) % N; /* in no order */
    x[3 * (i + 1)] = cos(2.0 * VV_PI * i / N), x[3 * (i + 1) + 1] = sin(2.0 * VV_PI * i / N);
    triangle[3 * i] = 0, triangle[3 * i + 1] = 1 + from, triangle[3 * i + 2] = 1 + (from + 1) % N;
  }
  const vvi_mesh m = {.nodes = N + 1, .triangles = N, .x = x, .triangle = triangle};
  const vvi_mesh_topology top = topology_of(&m);
  int ring[N];
  assert_int_equal(top.edges, 2 * N);
  assert_int_equal(top.loops, 1);
  assert_int_equal(vvi_mesh_ring(&m, &top, 0, ring), N);
  for (int i = 0; i < N; i++) assert_int_equal(ring[(i + 1) % N], 1 + ring[i] % N);
}

/* ---- refusals ---- */

static void test_sizes_refused(void **unused)
{
  (void)unused;
  vvi_mesh m;
  const double size[3] = {1, 1, 1}, flat[3] = {1, 0, 1};
  const int n[3] = {1, 1, 1}, none[3] = {1, 0, 1};
  assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_OCTAHEDRON, 0, 0, 1.0, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_OCTAHEDRON, 1, 0, -1.0, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_OCTAHEDRON, 1, 14, 1.0, &m, why), VV_ARG);
  assert_non_null(strstr(why, "smaller level"));
  assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_ICOSAHEDRON, 1, 0, NAN, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_disc(&arena, 1.0, 0, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_disc(&arena, INFINITY, 1, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_rectangle(&arena, flat, n, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_rectangle(&arena, size, none, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_rectangle(&arena, size, (const int[2]){40000, 40000}, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_box(&arena, flat, n, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_box(&arena, size, none, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_cylinder(&arena, 1.0, 1.0, 2, 1, false, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_cylinder(&arena, 1.0, 0.0, 3, 1, false, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_torus(&arena, 1.0, 1.0, 8, 8, &m, why), VV_ARG);
  assert_int_equal(vvi_mesh_torus(&arena, 1.0, 0.5, 8, 7, &m, why), VV_ARG);
  assert_non_null(strstr(why, "even"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_shapes, forget),
      cmocka_unit_test_teardown(test_outward, forget),
      cmocka_unit_test_teardown(test_counts, forget),
      cmocka_unit_test_teardown(test_valence, forget),
      cmocka_unit_test_teardown(test_cube_balance, forget),
      cmocka_unit_test_teardown(test_rings, forget),
      cmocka_unit_test_teardown(test_loops, forget),
      cmocka_unit_test_teardown(test_orient, forget),
      cmocka_unit_test_teardown(test_bisect, forget),
      cmocka_unit_test_teardown(test_compact, forget),
      cmocka_unit_test_teardown(test_sizes_refused, forget),
      cmocka_unit_test_teardown(test_pairs, forget),
      cmocka_unit_test_teardown(test_topology_renumber, forget),
      cmocka_unit_test_teardown(test_threads, forget),
      cmocka_unit_test_teardown(test_pieces, forget),
      cmocka_unit_test_teardown(test_long_fan, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
