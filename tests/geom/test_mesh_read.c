/* tests/geom/test_mesh_read.c  Mesh files: what is written comes back to the bit in every format, dialects are understood, and
 * each fault is told with its place. */
#include "check.h"
#include "geom/mesh.h"
#include "math/math.h"

#include <locale.h>
#include <stdio.h>
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

/* ---- bytes in the making ---- */

typedef struct bytes {
  size_t size;
  bool big; /* numbers in big-endian order */
  char at[1 << 17];
} bytes;

static bytes file;

static void begin(bool big)
{
  file.size = 0, file.big = big;
}

__attribute__((format(printf, 1, 2))) static void text(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  file.size += (size_t)vsnprintf(file.at + file.size, sizeof file.at - file.size, format, list);
  va_end(list);
  assert_true(file.size < sizeof file.at);
}

static void put_bits(uint64_t v, int width)
{
  for (int i = 0; i < width; i++) file.at[file.size++] = (char)(v >> 8 * (file.big ? width - 1 - i : i));
}

static void put_double(double v)
{
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  put_bits(bits, 8);
}

static void put_float(double v)
{
  const float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  put_bits(bits, 4);
}

static vv_status parse(const char *name, vvi_mesh *out)
{
  return vvi_mesh_parse(&arena, name, file.at, file.size, out, why);
}

/* Every line ends in CR LF. */
static void to_crlf(void)
{
  static char copy[sizeof file.at];
  size_t n = 0;
  for (size_t i = 0; i < file.size; i++) {
    if (file.at[i] == '\n') copy[n++] = '\r';
    copy[n++] = file.at[i];
    assert_true(n + 2 < sizeof copy);
  }
  memcpy(file.at, copy, n);
  file.size = n;
}

/* ---- the mesh ---- */

/* A ball whose coordinates need all digits; for STL rounded to floats. */
static vvi_mesh ball(bool floats)
{
  vvi_mesh m;
  assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_ICOSAHEDRON, 3, 0, 0.7, &m, why), VV_OK);
  for (int i = 0; floats && i < 3 * m.nodes; i++) m.x[i] = (double)(float)m.x[i];
  return m;
}

static void must_equal(const vvi_mesh *got, const vvi_mesh *wanted)
{
  assert_int_equal(got->nodes, wanted->nodes);
  assert_int_equal(got->triangles, wanted->triangles);
  assert_memory_equal(got->x, wanted->x, sizeof(double) * 3 * (size_t)wanted->nodes);
  assert_memory_equal(got->triangle, wanted->triangle, sizeof(int) * 3 * (size_t)wanted->triangles);
  for (int t = 0; t < got->triangles; t++) assert_int_equal(got->face[t], t + 1);
}

/* The nodes of an STL file come in the order of the corners. */
static void must_match(const vvi_mesh *got, const vvi_mesh *wanted)
{
  assert_int_equal(got->nodes, wanted->nodes);
  assert_int_equal(got->triangles, wanted->triangles);
  for (int h = 0; h < 3 * got->triangles; h++)
    assert_memory_equal(got->x + 3 * got->triangle[h], wanted->x + 3 * wanted->triangle[h], 3 * sizeof(double));
}

static void good(const char *name, vvi_mesh *out)
{
  if (parse(name, out) != VV_OK) fail_msg("%s", why);
}

/* ---- OBJ ---- */

static void test_obj(void **unused)
{
  (void)unused;
  const vvi_mesh m = ball(false);
  vvi_mesh out;
  begin(false);
  text("# a ball\nmtllib ball.mtl\no ball\n");
  for (int i = 0; i < m.nodes; i++) text("v %.17g %.17g %.17g\n", m.x[3 * i], m.x[3 * i + 1], m.x[3 * i + 2]);
  text("vn 0 0 1\nvt 0 0\nusemtl steel\ns 1\n");
  for (int t = 0; t < m.triangles; t++)
    text("f %d %d/1 %d//1 # face\n", m.triangle[3 * t] + 1, m.triangle[3 * t + 1] + 1, m.triangle[3 * t + 2] - m.nodes);
  good("ball", &out); /* by content */
  must_equal(&out, &m);
  assert_int_equal(out.line[0], 3 + m.nodes + 4 + 1);
  to_crlf();
  good("ball.stl", &out); /* content before extension */
  must_equal(&out, &m);
}

static void test_obj_dialects(void **unused)
{
  (void)unused;
  vvi_mesh out;
  begin(false);
  text("\xef\xbb\xbf# cube top\r\n\n  v 0 0 0 1.0\nv\t1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\nv -1 .5 0\n"
       "f -5/1/1 -4/2/1 \\\n -3/3/1 -2/4/1\\\n -1\nl 1 2\np 1\n\nf 1 2 3");
  good("x.obj", &out);
  assert_int_equal(out.nodes, 5);
  assert_int_equal(out.triangles, 4); /* a pentagon as a fan of three, and one more */
  const int fan[12] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 1, 2}, face[4] = {1, 1, 1, 2}, line[4] = {8, 8, 8, 14};
  assert_memory_equal(out.triangle, fan, sizeof fan);
  assert_memory_equal(out.face, face, sizeof face);
  assert_memory_equal(out.line, line, sizeof line);
  begin(false);
  text("v 0 0 0\nv 3 0 0\nv 3.5 1 0\nv 0 1 0\nf 1 2 3 4\n"); /* the other diagonal is shorter */
  good("x.obj", &out);
  const int quad[6] = {1, 2, 3, 1, 3, 0};
  assert_memory_equal(out.triangle, quad, sizeof quad);
  begin(false);
  text("f 1 2 3\nv 0 0 0\nv 3 0 0\nv 3.5 1 0\n"); /* nodes may follow */
  good("x.obj", &out);
  assert_int_equal(out.triangles, 1);
}

/* ---- STL ---- */

static void stl_text(const vvi_mesh *m)
{
  begin(false);
  text("solid a ball of facet normal vertex\n");
  for (int t = 0; t < m->triangles; t++) {
    if (t == 20) text("endsolid a ball\n\nSOLID another\n");
    text("  facet normal nan 0 -1\n    outer loop\n");
    for (int c = 0; c < 3; c++) {
      const double *x = m->x + 3 * m->triangle[3 * t + c];
      text("      %s %.9g %.9g %.9g\n", t % 2 == 0 ? "vertex" : "VERTEX", x[0], x[1], x[2]);
    }
    text("    endloop\n  endfacet\n");
  }
  text("endsolid\n");
}

static void test_stl(void **unused)
{
  (void)unused;
  const vvi_mesh m = ball(true);
  vvi_mesh out;
  stl_text(&m);
  file.at[file.size] = '\0';
  /* %.9g gives a float back, but a double beside it */
  good("ball.obj", &out);
  assert_int_equal(out.nodes, m.nodes);
  assert_int_equal(out.triangles, m.triangles);
  for (int h = 0; h < 3 * out.triangles; h++)
    for (int c = 0; c < 3; c++) check_near((float)out.x[3 * out.triangle[h] + c], m.x[3 * m.triangle[h] + c], 0.0);
  assert_int_equal(out.line[1], 9);
  to_crlf();
  good("ball", &out);
  assert_int_equal(out.nodes, m.nodes);
  begin(false);
  text("%-80s", "solid in name only");
  put_bits((uint64_t)m.triangles, 4);
  for (int t = 0; t < m.triangles; t++) {
    for (int c = 0; c < 3; c++) put_float(NAN);
    for (int k = 0; k < 9; k++) put_float(m.x[3 * m.triangle[3 * t + k / 3] + k % 3]);
    put_bits(0, 2);
  }
  good("ball.obj", &out);
  must_match(&out, &m);
  assert_null(out.line);
}

/* Corners that do not quite meet: a tolerance joins them. */
static void test_stl_tolerance(void **unused)
{
  (void)unused;
  const vvi_mesh m = ball(false);
  vvi_mesh raw, out;
  begin(false);
  text("solid\n");
  for (int t = 0; t < m.triangles; t++) {
    text("facet normal 0 0 0 outer loop ");
    for (int c = 0; c < 3; c++) {
      const double *x = m.x + 3 * m.triangle[3 * t + c];
      text("vertex %.17g %.17g %.17g\n", x[0] + 1e-7 * (t % 3), x[1], x[2] - 1e-7 * (t % 2));
    }
    text("endloop endfacet\n");
  }
  text("endsolid\n");
  good("x.stl", &raw);
  check_least(raw.nodes, 2 * m.nodes);
  assert_int_equal(vvi_mesh_merge(&arena, &raw, 1e-6, &out, why), VV_OK);
  assert_int_equal(out.nodes, m.nodes);
  vvi_mesh_report report;
  assert_int_equal(vvi_mesh_check(&out, 0.1, 1e-6, &report, why), VV_OK);
  assert_int_equal(vvi_mesh_refuse(&out, &report, ~0u, why), VV_OK);
  assert_int_equal(vvi_mesh_check(&raw, 0.1, 0.0, &report, why), VV_OK);
  assert_int_equal(vvi_mesh_refuse(&raw, &report, ~0u, why), VV_SCENE);
  assert_non_null(strstr(why, "merge"));
}

/* ---- PLY ---- */

enum { ASCII, LITTLE, BIG };

static void ply(const vvi_mesh *m, int format)
{
  static const char *const name[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  begin(format == BIG);
  text("ply\nformat %s 1.0\ncomment end_header of a ball\nobj_info none\nelement vertex %d\nproperty uchar red\n"
       "property double x\nproperty float64 z\nproperty list ushort float extra\nproperty double y\nelement face %d\n"
       "property int16 flag\nproperty list uint8 uint vertex_index\nelement edge 1\nproperty int vertex1\nend_header\n",
       name[format], m->nodes, m->triangles);
  for (int i = 0; i < m->nodes; i++) {
    const double *x = m->x + 3 * i;
    if (format == ASCII) text("255 %.17g %.17g %d %s%.17g\n", x[0], x[2], i % 3, &"1.5 nan "[4 * (2 - i % 3)], x[1]);
    if (format == ASCII) continue;
    put_bits(200, 1);
    put_double(x[0]);
    put_double(x[2]);
    put_bits((uint64_t)(i % 3), 2);
    for (int k = 0; k < i % 3; k++) put_float(NAN);
    put_double(x[1]);
  }
  for (int t = 0; t < m->triangles; t++) {
    const int *v = m->triangle + 3 * t;
    if (format == ASCII) text("-3 3 %d %d %d\n", v[0], v[1], v[2]);
    if (format == ASCII) continue;
    put_bits((uint64_t)-3, 2);
    put_bits(3, 1);
    for (int c = 0; c < 3; c++) put_bits((uint64_t)v[c], 4);
  }
  if (format == ASCII)
    text("7\n");
  else
    put_bits(7, 4);
}

static void test_ply(void **unused)
{
  (void)unused;
  const vvi_mesh m = ball(false);
  vvi_mesh out;
  for (int format = ASCII; format <= BIG; format++) {
    ply(&m, format);
    good("ball.msh", &out);
    must_equal(&out, &m);
    assert_int_equal(out.line == NULL, format != ASCII);
  }
  ply(&m, ASCII);
  to_crlf();
  good("ball", &out);
  must_equal(&out, &m);
  begin(true); /* floats, signed indices, head with CR LF, faces first, a quadrilateral and a pentagon */
  text("ply\r\nformat binary_big_endian 1.0\r\nelement face 2\r\nproperty list int char vertex_indices\r\n"
       "element none 1000000000000\r\nelement vertex 5\r\nproperty float x\r\nproperty short y\r\nproperty char z\r\n"
       "end_header\r\n");
  const int corner[2][6] = {{4, 0, 1, 2, 3}, {5, 0, 1, 2, 3, 4}};
  for (int f = 0; f < 2; f++) {
    put_bits((uint64_t)corner[f][0], 4);
    for (int c = 1; c <= corner[f][0]; c++) put_bits((uint64_t)corner[f][c], 1);
  }
  const int place[5][3] = {{0, 0, 0}, {4, 0, 0}, {4, 300, -1}, {0, 300, 0}, {-2, -300, -128}};
  for (int i = 0; i < 5; i++) {
    put_float(place[i][0] + 0.5);
    put_bits((uint64_t)place[i][1], 2);
    put_bits((uint64_t)place[i][2], 1);
  }
  good("x.ply", &out);
  assert_int_equal(out.triangles, 5);
  for (int i = 0; i < 15; i++) check_near(out.x[i], place[i / 3][i % 3] + 0.5 * (i % 3 == 0), 0.0);
}

/* ---- Gmsh ---- */

typedef struct gmsh_style {
  bool binary, big;
  int size; /* bytes of a size */
} gmsh_style;

static void put_size(const gmsh_style *s, uint64_t v)
{
  if (s->binary)
    put_bits(v, s->size);
  else
    text("%llu ", (unsigned long long)v);
}

static void put_int(const gmsh_style *s, int v)
{
  if (s->binary)
    put_bits((uint64_t)(int64_t)v, 4);
  else
    text("%d ", v);
}

static void put_real(const gmsh_style *s, double v)
{
  if (s->binary)
    put_double(v);
  else
    text("%.17g ", v);
}

static void line(const gmsh_style *s)
{
  if (!s->binary) text("\n");
}

static uint64_t tag_of(int node)
{
  return 100000 - 7 * (uint64_t)node;
}

static void gmsh_nodes(const gmsh_style *s, const vvi_mesh *m)
{
  text("$Nodes\n");
  const int half = m->nodes / 2; /* two blocks, the second with parameters, then a point that no face uses */
  const uint64_t head[4] = {3, (uint64_t)m->nodes + 1, tag_of(m->nodes - 1), 200000};
  for (int i = 0; i < 4; i++) put_size(s, head[i]);
  line(s);
  for (int b = 0; b < 2; b++) {
    const int from = b == 0 ? 0 : half, to = b == 0 ? half : m->nodes;
    put_int(s, 2), put_int(s, -1), put_int(s, b), put_size(s, (uint64_t)(to - from)), line(s);
    for (int i = from; i < to; i++) put_size(s, tag_of(i)), line(s);
    for (int i = from; i < to; i++) {
      for (int c = 0; c < 3; c++) put_real(s, m->x[3 * i + c]);
      if (b == 1) put_real(s, 0.1), put_real(s, 0.2);
      line(s);
    }
  }
  put_int(s, 0), put_int(s, 1), put_int(s, 0), put_size(s, 1), line(s), put_size(s, 200000), line(s);
  for (int c = 0; c < 3; c++) put_real(s, 0.0);
  text("\n$EndNodes\n");
}

static void gmsh_elements(const gmsh_style *s, const vvi_mesh *m)
{
  text("$Elements\n");
  const int half = m->triangles / 3;
  const uint64_t head[4] = {5, (uint64_t)m->triangles + 3, 1, 9999};
  for (int i = 0; i < 4; i++) put_size(s, head[i]);
  line(s);
  put_int(s, 0), put_int(s, 1), put_int(s, 15), put_size(s, 1), line(s); /* a point */
  put_size(s, 1), put_size(s, 200000), line(s);
  put_int(s, 1), put_int(s, 1), put_int(s, 1), put_size(s, 1), line(s); /* a line */
  put_size(s, 2), put_size(s, tag_of(0)), put_size(s, tag_of(1)), line(s);
  for (int b = 0; b < 2; b++) {
    const int from = b == 0 ? 0 : half, to = b == 0 ? half : m->triangles;
    put_int(s, 2), put_int(s, b + 1), put_int(s, 2), put_size(s, (uint64_t)(to - from)), line(s);
    for (int t = from; t < to; t++) {
      put_size(s, (uint64_t)t + 10);
      for (int c = 0; c < 3; c++) put_size(s, tag_of(m->triangle[3 * t + c]));
      line(s);
    }
  }
  put_int(s, 3), put_int(s, 1), put_int(s, 4), put_size(s, 1), line(s); /* a tetrahedron */
  put_size(s, 9999);
  for (int c = 0; c < 4; c++) put_size(s, tag_of(c));
  text("\n$EndElements\n");
}

static void gmsh(const gmsh_style *s, const vvi_mesh *m)
{
  begin(s->big);
  text("$MeshFormat\n4.1 %d %d\n", s->binary, s->size);
  if (s->binary) put_bits(1, 4), text("\n");
  text("$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"$ball\"\n$EndPhysicalNames\n$Entities\n");
  for (int i = 0; i < 4; i++) put_size(s, 0);
  text("\n$EndEntities\n");
  gmsh_nodes(s, m);
  gmsh_elements(s, m);
  text("$NodeData\n0\n$EndNodeData\n");
}

static void test_gmsh(void **unused)
{
  (void)unused;
  static const gmsh_style style[] = {
      {false, false, 8}, {true, false, 8}, {true, true, 8}, {true, false, 4}, {true, true, 4}};
  const vvi_mesh m = ball(false);
  vvi_mesh out;
  for (int k = 0; k < VV_COUNT(style); k++) {
    gmsh(style + k, &m);
    good("ball.stl", &out);
    must_equal(&out, &m); /* the point that no face uses is gone */
    assert_int_equal(out.line == NULL, style[k].binary);
  }
  gmsh(style, &m);
  to_crlf();
  good("ball", &out);
  must_equal(&out, &m);
  begin(false);
  text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
       "$EndNodes\n$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n");
  good("x.msh", &out);
  const int quad[6] = {0, 1, 2, 0, 2, 3};
  assert_int_equal(out.triangles, 2);
  assert_memory_equal(out.triangle, quad, sizeof quad);
}

/* ---- faults ---- */

typedef struct fault {
  const char *name, *text, *say;
} fault;

#define PLY(head, body) "ply\nformat ascii 1.0\nelement vertex 3\n" head "\nend_header\n" body
#define XYZ             "property float x\nproperty float y\nproperty float z\n"
#define FACES           "element face 1\nproperty list uchar int vertex_indices"
#define MSH             "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES           "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n1 1 0\n$EndNodes\n"

static const fault faults[] = {
    {"a.obj", "v 0 0\n", "'a.obj' line 1: a node with 2 numbers"},
    {"a.obj", "v 0 0 0\nv 0 0 zero\n", "line 2: not a number in column 7"},
    {"a.obj", "v 0 0 0x10\n", "line 1: not a number in column 7"},
    {"a.obj", "v 0 0 1e999\n", "line 1: not a finite number"},
    {"a.obj", "v 0 0 nan\n", "line 1: not a finite number"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face with 2 corners"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: face 1 names node 4 (counted from 1), but there are 3"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4: this face names node 0"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "line 4: this face names node -4"},
    {"a.obj", "v 0 0 0\nf 1 1.5 1\n", "line 2: not a whole number in column 5"},
    {"a.obj", "v 0 0 0\n", "no faces"},
    {"a.obj", "# nothing\nfacet\n", "line 2: no such word in an OBJ file: column 1"},
    {"a.obj", "v 0 0 0.00000000000000000000000000000000000000000000000000000000000000000000001\n", "more than 63"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "'a.stl' line 5: a vertex with 2 numbers"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop",
     "line 5: column 1: 'vertex' must stand here"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter ring\n", "line 3: column 7: 'loop' must stand here"},
    {"a.stl", "solid\nfacet normal 0 0 1\n", "ends where 'outer' must follow"},
    {"a.stl", "solid x\n", "without 'endsolid'"},
    {"a.stl", "solid x\nendsolid x\n", "no faces"},
    {"a.stl", "solid x\nface\n", "line 2: column 1: 'facet' must stand here"},
    {"a.stl", "not STL at all", "byte 0: the file ends here"},
    {"a.ply", "ply\nformat ascii 2.0\n", "line 2: this version of PLY"},
    {"a.ply", "ply\nformat utf8 1.0\n", "line 2: no such format; it is"},
    {"a.ply", "ply\nelement vertex many\n", "line 2: not a whole number in column"},
    {"a.ply", "ply\nelement vertex -1\n", "cannot be negative"},
    {"a.ply", "ply\nproperty float x\n", "before the first element"},
    {"a.ply", PLY("property float128 x", ""), "line 4: no such type of numbers in column 10"},
    {"a.ply", PLY("property float x", ""), "must have the properties x, y and z"},
    {"a.ply", PLY(XYZ, ""), "must have one list 'vertex_indices'"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "the head has no end"},
    {"a.ply", PLY(XYZ FACES, "0 0 0\n1 0 0\n"), "ends before its last element"},
    {"a.ply", PLY(XYZ FACES, "0 0 0\n1 0\n0 1 0\n3 0 1 2\n"), "line 11: a number is missing"},
    {"a.ply", PLY(XYZ FACES, "0 0 0\n1 0 0\n0 1 0 0\n3 0 1 2\n"), "line 12: more on this line"},
    {"a.ply", PLY(XYZ FACES, "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"), "line 13: face 1 names node 3 (counted from 0)"},
    {"a.ply", PLY(XYZ FACES, "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n"), "line 13: face 1 names node -1"},
    {"a.ply", PLY(XYZ FACES, "0 0 0\n1 0 0\n0 1 0\n2 0 1\n"), "line 13: a face with 2 corners"},
    {"a.ply", PLY(XYZ FACES, "0 0 0\n1 0 inf\n0 1 0\n2 0 1\n"), "line 11: not a finite number in column 5"},
    {"a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 2\n" XYZ FACES "\nend_header\n01234567",
     "byte 177"},
    {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
     "line 2: this version of Gmsh's format is not read; save as 4.1"},
    {"a.msh", "$MeshFormat\n4.1 0 3\n$EndMeshFormat\n", "sizes of 3 bytes"},
    {"a.msh", "$MeshFormat\n4.1 1 8\nabcd", "byte 24: the number one"},
    {"a.msh", NODES, "must begin with $MeshFormat"},
    {"a.msh", MSH "$Elements\n0 0 0 0\n$EndElements\n", "before the nodes"},
    {"a.msh", MSH NODES NODES, "a second section of nodes"},
    {"a.msh", MSH "$Nodes\n1 2 1 3\n2 1 0 2\n5\n5\n0 0 0\n1 0 0\n", "two nodes have the tag 5"},
    {"a.msh", MSH "$Nodes\n1 3 1 3\n2 1 0 2\n5\n6\n0 0 0\n1 0 0\n", "hold 2 nodes, but 3 are announced"},
    {"a.msh", MSH "$Nodes\n1 2 1 3\n2 1 0 -2\n", "line 6: -2 stands where no negative"},
    {"a.msh", MSH "$Nodes\n1 2 1 3\n2 1 0 2\n1 2 0 0", "the file ends here"},
    {"a.msh", MSH "$Comments\n$EndComment\n", "has no end"},
    {"a.msh", MSH NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 4\n", "line 17: a face has a node with the tag 4"},
    {"a.msh", MSH NODES "$Elements\n1 1 1 1\n2 1 9 1\n1 1 2 3 1 2 3\n", "not flat"},
    {"a.msh", MSH NODES "$Elements\n1 1 1 1\n2 1 77 1\n1 1 2 3\n", "type 77 are not known"},
    {"a.msh", MSH NODES "$Elements\n1 1 1 1\n1 1 1 1\n1 1 2\n$EndElements\n", "no faces"},
    {"a.msh", MSH "junk\n", "line 4: column 1: a section must begin here"},
    {"a.dat", "hello\n", "is no mesh known here; give OBJ, STL, PLY or Gmsh 4.1"},
    {"a.obj", "", "'a.obj' is empty"},
};

static void test_faults(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(faults); i++) {
    vvi_mesh out;
    const vv_status status = vvi_mesh_parse(&arena, faults[i].name, faults[i].text, strlen(faults[i].text), &out, why);
    if (status != VV_SCENE || strstr(why, faults[i].say) == NULL)
      fail_msg("%s: status %d, '%s', wanted '%s'", faults[i].text, status, status != VV_OK ? why : "", faults[i].say);
    assert_null(out.x);
  }
  vvi_mesh out;
  begin(false); /* binary: a node that is nowhere, and a count that lies */
  text("%-80s", "");
  put_bits(1, 4);
  for (int k = 0; k < 12; k++) put_float(k == 7 ? INFINITY : 1.0);
  put_bits(0, 2);
  assert_int_equal(parse("a.stl", &out), VV_SCENE);
  assert_non_null(strstr(why, "byte 84: node 2 is at (1, inf, 1), which is nowhere"));
  file.at[80] = 2;
  assert_int_equal(parse("a.stl", &out), VV_SCENE);
  assert_non_null(strstr(why, "2 facets fill 100 bytes, but 50 follow"));
}

/* A decimal comma outside does not matter. */
static void test_locale(void **unused)
{
  (void)unused;
  vvi_mesh out;
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL && setlocale(LC_NUMERIC, "de_DE.utf8") == NULL) skip();
  static const char file_text[] = "v 0.5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const vv_status status = vvi_mesh_parse(&arena, "a.obj", file_text, strlen(file_text), &out, why);
  setlocale(LC_NUMERIC, "C");
  assert_int_equal(status, VV_OK);
  check_near(out.x[0], 0.5, 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_obj, forget),    cmocka_unit_test_teardown(test_obj_dialects, forget),
      cmocka_unit_test_teardown(test_stl, forget),    cmocka_unit_test_teardown(test_stl_tolerance, forget),
      cmocka_unit_test_teardown(test_ply, forget),    cmocka_unit_test_teardown(test_gmsh, forget),
      cmocka_unit_test_teardown(test_faults, forget), cmocka_unit_test_teardown(test_locale, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
