/* tests/physics/test_rigid_words.c  The words of a rigid body: what they weigh, where they stand, and what is refused. */
#include "check.h"
#include "run.h"

#include "body/rigid/rigid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static const char head[] = "visviva: 1\ntime: {end: 1, step: 0.1}\ncontacts: []\nbodies:\n";

static run_record open_body(const char *words)
{
  char text[2 * TEXT];
  snprintf(text, sizeof text, "%s  b: {kind: rigid, %s}\n", head, words);
  return run_prepare(text, NULL);
}

/* ---- weights ---- */

/* Mass and inertia as they act: from the momenta of a body that moves and turns.  Column c of the inertia is h for
 * omega = e_c; the axes are those of the shape, which is not turned. */
static void weight_of(const char *words, double *mass, double inertia[9])
{
  for (int c = 0; c < 3; c++) {
    char text[TEXT];
    double h[3], p[3];
    snprintf(text, sizeof text, "%s, velocity: [1, 0, 0], spin: [%d, %d, %d]", words, c == 0, c == 1, c == 2);
    run_record r = open_body(text);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "angular_momentum", h), VV_OK);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "momentum", p), VV_OK);
    for (int k = 0; k < 3; k++) inertia[3 * k + c] = h[k];
    *mass = p[0];
    run_free(&r);
  }
}

static void check_weight(const char *words, double mass, const double moment[3])
{
  double m, inertia[9];
  weight_of(words, &m, inertia);
  check_near(m, mass, 1e-14 * mass);
  for (int c = 0; c < 9; c++)
    check_near(inertia[c], c % 4 == 0 ? moment[c / 4] : 0.0, 1e-13 * (moment[0] + moment[1] + moment[2]));
}

/* Tables of moments of inertia, and limits that they must have. */
static void test_weights(void **unused)
{
  (void)unused;
  const double pi = VV_PI;
  check_weight("shape: {ball: {radius: 0.5}}, mass: 3", 3, (double[]){0.3, 0.3, 0.3});
  check_weight("shape: {ball: {radius: 0.5}}, density: 6", pi, (double[]){0.1 * pi, 0.1 * pi, 0.1 * pi});
  check_weight("shape: {box: {size: [1, 2, 3]}}, density: 2", 12, (double[]){13, 10, 5});
  check_weight("shape: {cylinder: {length: 3, radius: 2, axis: [1, 0, 0]}}, mass: 12", 12, (double[]){24, 21, 21});
  /* two half balls of mass a and a cylinder of mass b: moments from the plane faces shifted to the middle */
  const double a = 4.0 / 3.0 * pi, b = 2.0 * pi;
  const double across = b * (4.0 / 12.0 + 0.25) + a * (0.4 + 1.0 + 3.0 / 8.0 * 2.0), along = 0.5 * b + 0.4 * a;
  check_weight("shape: {capsule: {length: 2, radius: 1}}, density: 1", a + b, (double[]){across, across, along});
  check_weight("shape: {capsule: {length: 2, radius: 0}}, mass: 3", 3, (double[]){1, 1, 0});
  check_weight("shape: {shell: {radius: 2}}, mass: 3", 3, (double[]){8, 8, 8});
  const double v = 4.0 / 3.0 * pi * (27.0 - 8.0), w = 8.0 / 15.0 * pi * (243.0 - 32.0);
  check_weight("shape: {shell: {radius: 2, thickness: 1}}, density: 1", v, (double[]){w, w, w});
  const double cube = 5.0 / 18.0 * 9.0 * 4.0; /* of a skin of 9 kg with edges of 2 m */
  check_weight("shape: {room: {size: [2, 2, 2]}}, mass: 9", 9, (double[]){cube, cube, cube});
  const double room = 64.0 * 32.0 / 12.0 - 8.0 * 8.0 / 12.0;
  check_weight("shape: {room: {size: [2, 2, 2], thickness: 1}}, density: 1", 56, (double[]){room, room, room});
  check_weight("shape: {ball: {radius: 0.5}}, mass: 3, inertia: [1, 2, 2.5]", 3, (double[]){1, 2, 2.5});
}

/* A thin wall becomes a skin. */
static void test_thin_walls(void **unused)
{
  (void)unused;
  static const char *const shape[2] = {"shell: {radius: 2", "room: {size: [1, 2, 3]"};
  for (int k = 0; k < 2; k++) {
    char text[TEXT];
    double m, skin[9], wall[9];
    snprintf(text, sizeof text, "shape: {%s}}, mass: 3", shape[k]);
    weight_of(text, &m, skin);
    snprintf(text, sizeof text, "shape: {%s, thickness: 1e-7}}, mass: 3", shape[k]);
    weight_of(text, &m, wall);
    for (int c = 0; c < 9; c++) check_near(wall[c], skin[c], 1e-6 * skin[0]);
  }
}

/* A dumb-bell about its common centre, by Steiner's rule; its axis is skew. */
#define BELL                                                                                                           \
  "shape: {compound: {parts: [{shape: {ball: {radius: 0.5}}, centre: [1, 2, 2], density: 2}, {shape: {ball: {radius: " \
  "0.5}}, centre: [-1, -2, -2]}]}}, mass: 3"
static void test_compound(void **unused)
{
  (void)unused;
  const double axis[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, own = 0.4 * 0.25 * 3.0, reduced = 2.0 * 1.0 / 3.0;
  double m, inertia[9];
  weight_of(BELL, &m, inertia);
  check_near(m, 3.0, 1e-14);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      check_near(inertia[3 * i + j], (i == j ? own + reduced * 36.0 : 0.0) - reduced * 36.0 * axis[i] * axis[j], 1e-12);
  run_record r = open_body(BELL ", position: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}");
  double x[3], q[4];
  assert_int_equal(vv_model_output(r.model, r.state, 0, "position", x), VV_OK);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "orientation", q), VV_OK);
  const double centre[3] = {-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0}; /* (1, 2, 2)/3, turned */
  for (int c = 0; c < 3; c++) check_near(x[c], 1.0 + centre[c], 1e-14);
  const double turned[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, sign = q[0] < 0.0 ? -1.0 : 1.0;
  for (int c = 0; c < 4; c++) check_near(sign * q[c], turned[c], 1e-14);
  assert_true(rigid_of(&r.model->block[0], 0)->kind == RIGID_TOP);
  run_free(&r);
}

/* ---- meshes from files ---- */

static const char mesh_file[] = "rigid_words_mesh.txt"; /* the content tells the format */

/* The sides of a block, four corners each, counterclockwise from outside; bit c of a corner: the high end along c. */
static const int side[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

/* Blocks about the origin: OBJ, with corners of its own for every side.  turn: this side is written the other way round, 6:
 * all; leave: this one is missing; -1: none. */
static void write_block(FILE *f, const double half[3], int turn, int leave)
{
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 4; k++) {
      const int v = side[i][turn == i || turn == 6 ? 3 - k : k];
      fprintf(f, "v %g %g %g\n", v & 1 ? half[0] : -half[0], v & 2 ? half[1] : -half[1], v & 4 ? half[2] : -half[2]);
    }
  for (int i = 0; i < 6; i++)
    if (i != leave) fprintf(f, "f %d %d %d %d\n", 4 * i - 24, 4 * i - 23, 4 * i - 22, 4 * i - 21);
}

/* The same sides as triangles of a text STL file. */
static void write_stl(FILE *f, const double half[3])
{
  fprintf(f, "solid block\n");
  for (int i = 0; i < 12; i++) {
    fprintf(f, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++) {
      const int v = side[i / 2][k == 0 ? 0 : k + i % 2];
      fprintf(f, "vertex %g %g %g\n", v & 1 ? half[0] : -half[0], v & 2 ? half[1] : -half[1],
              v & 4 ? half[2] : -half[2]);
    }
    fprintf(f, "endloop\nendfacet\n");
  }
  fprintf(f, "endsolid block\n");
}

static FILE *open_mesh(void)
{
  FILE *f = fopen(mesh_file, "w");
  assert_non_null(f);
  return f;
}

#define FILED "shape: {mesh: {file: rigid_words_mesh.txt, scale: 0.5}}"

/* A block from a file weighs what a block weighs; a block within it that is inside out is a cavity. */
static void test_mesh_files(void **unused)
{
  (void)unused;
  static const double half[3] = {1, 2, 3}, inner[3] = {0.5, 0.5, 0.5};
  for (int k = 0; k < 3; k++) {
    FILE *f = open_mesh();
    if (k == 1)
      write_stl(f, half);
    else
      write_block(f, half, -1, -1);
    if (k == 2) write_block(f, inner, 6, -1);
    assert_int_equal(fclose(f), 0);
    const double less = k == 2 ? 0.5 * 0.5 * 0.5 : 0.0, own = less * 2.0 * 0.25 / 6.0;
    check_weight(FILED ", density: 2", 12 - 2 * less, (double[]){13 - own, 10 - own, 5 - own});
  }
  remove(mesh_file);
}

/* A torus of flat pieces has the weight of a round one up to the square of their angles: (2 pi/n)^2/6 of the area of a
 * polygon in its circle, and the like along the ring. */
static void test_torus(void **unused)
{
  (void)unused;
  const double R = 2.0, r = 0.5, e = pow(2.0 * VV_PI / 64.0, 2.0);
  double m, inertia[9];
  weight_of("shape: {mesh: {torus: {ring: 2, tube: 0.5, around: 64, across: 64}}}, density: 1", &m, inertia);
  const double whole = 2.0 * VV_PI * VV_PI * R * r * r;
  check_near(m / whole, 1.0, e);
  check_near(inertia[8] / (whole * (R * R + 0.75 * r * r)), 1.0, 2.0 * e);
  check_near(inertia[0] / (whole * (0.5 * R * R + 0.625 * r * r)), 1.0, 2.0 * e);
}

/* Faces are named as the file counts them, with their lines: 24 corners stand before them. */
static void test_bad_meshes(void **unused)
{
  (void)unused;
  static const double half[3] = {1, 2, 3};
  static const struct {
    int turn, leave;
    const char *said;
  } bad[] = {{-1, 5, "open at this edge"}, {3, -1, "opposite sides up"}, {6, -1, "inside out"}};
  for (int i = 0; i < 3; i++) {
    FILE *f = open_mesh();
    char text[TEXT], message[TEXT];
    write_block(f, half, bad[i].turn, bad[i].leave);
    assert_int_equal(fclose(f), 0);
    snprintf(text, sizeof text, "%s  b: {kind: rigid, " FILED ", density: 1}\n", head);
    assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
    if (strstr(message, bad[i].said) == NULL || strstr(message, "face ") == NULL || strstr(message, "(line ") == NULL)
      fail_msg("'%s' does not name a face with '%s'", message, bad[i].said);
    if (bad[i].turn == 3 && strstr(message, "face 4 (line 28)") == NULL) fail_msg("'%s': not face 4", message);
  }
  remove(mesh_file);
}

/* Both sides of a sheet enclose nothing, however the plane lies: its rounding has any sign. */
static void test_flat_mesh(void **unused)
{
  (void)unused;
  for (int i = 0; i < 20; i++) {
    const double u = 0.37 * i, v = 0.11 * i * i, far = i < 10 ? 0.0 : 1e3;
    const double height[4] = {far, far + u, far + u + v, far + v};
    char text[TEXT], message[TEXT];
    for (int file = 0; file < 2; file++) {
      FILE *f = open_mesh();
      for (int k = 0; k < 4; k++) fprintf(f, "v %d %d %.17g\n", k == 1 || k == 2, k > 1, height[k]);
      fprintf(f, "f 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n");
      assert_int_equal(fclose(f), 0);
      const int n = snprintf(text, sizeof text, "%s  b: {kind: rigid, density: 1, ", head);
      if (file)
        snprintf(text + n, sizeof text - (size_t)n, FILED "}\n");
      else
        snprintf(text + n, sizeof text - (size_t)n,
                 "shape: {mesh: {points: [[0, 0, %.17g], [1, 0, %.17g], [1, 1, %.17g], [0, 1, %.17g]], faces: [[0, 1, "
                 "2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]}}}\n",
                 height[0], height[1], height[2], height[3]);
      assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
      if (strstr(message, "flat") == NULL) fail_msg("'%s' does not say flat", message);
    }
  }
  remove(mesh_file);
}

/* ---- places ---- */

static void output(const run_record *r, const char *field, double *out)
{
  assert_int_equal(vv_model_output(r->model, r->state, 0, field, out), VV_OK);
}

/* One rotation in three ways. */
static void test_orientations(void **unused)
{
  (void)unused;
  static const char *const way[3] = {"{axis: [0, 3, 4], angle: 1.2}", "{vector: [0, 0.72, 0.96]}",
                                     "{quaternion: [0.8253356149096783, 0, 0.3387854840370213, 0.45171397871602834]}"};
  for (int k = 0; k < 3; k++) {
    char text[TEXT];
    double q[4], w[3];
    snprintf(text, sizeof text,
             "shape: {cylinder: {length: 1, radius: 1, axis: [1, 0, 0]}}, mass: 1, orientation: %s, spin: [0, 1, 0], "
             "spin_axes: shape",
             way[k]);
    run_record r = open_body(text);
    output(&r, "orientation", q);
    output(&r, "angular_velocity", w);
    const double want[4] = {cos(0.6), 0.0, 0.6 * sin(0.6), 0.8 * sin(0.6)}, sign = q[0] < 0.0 ? -1.0 : 1.0;
    for (int c = 0; c < 4; c++) check_near(sign * q[c], want[c], 1e-15);
    double turn[9];
    vvi_quaternion_matrix(want, turn);
    for (int c = 0; c < 3; c++) check_near(w[c], turn[3 * c + 1], 4e-15);
    run_free(&r);
  }
}

static void test_copies(void **unused)
{
  (void)unused;
  enum { N = 24 };
  static const char words[] =
      "shape: {box: {size: [1, 2, 3]}}, mass: 1, position: [1, 0, 0], copies: {grid: {count: [2, "
      "3, 4], spacing: [10, 20, 30]}, jitter: 0.5, orientation: random, speed: 2, spin: 3";
  char text[TEXT];
  double x[3 * N], v[3 * N], w[3 * N], q[4 * N], again[3 * N], other[3 * N];
  snprintf(text, sizeof text, "%s, seed: 7}", words);
  run_record r = open_body(text);
  output(&r, "position", x), output(&r, "velocity", v), output(&r, "angular_velocity", w), output(&r, "orientation", q);
  run_free(&r);
  r = open_body(text);
  output(&r, "position", again);
  run_free(&r);
  assert_memory_equal(x, again, sizeof x);
  snprintf(text, sizeof text, "%s, seed: 8}", words);
  r = open_body(text);
  output(&r, "position", other);
  run_free(&r);
  assert_memory_not_equal(x, other, sizeof x);
  double mean[3] = {0}, trace = 0.0;
  for (int i = 0; i < N; i++) {
    const double place[3] = {1.0 + 10.0 * (i % 2), 20.0 * (i / 2 % 3), 30.0 * (i / 6)};
    for (int c = 0; c < 3; c++) {
      check_most(fabs(x[3 * i + c] - place[c]), 0.5);
      mean[c] += v[3 * i + c] / N;
    }
    check_near(vvi_norm3(v + 3 * i), 2.0, 1e-14);
    check_near(vvi_norm3(w + 3 * i), 3.0, 1e-13);
    check_near(q[4 * i] * q[4 * i] + q[4 * i + 1] * q[4 * i + 1] + q[4 * i + 2] * q[4 * i + 2] +
                   q[4 * i + 3] * q[4 * i + 3],
               1.0, 1e-14);
    trace += q[4 * i] * q[4 * i] / N;
  }
  check_most(vvi_norm3(mean), 2.0 * 4.0 / sqrt(N)); /* four deviations */
  check_near(trace, 0.25, 4.0 * 0.25 / sqrt(N));
}

static void test_places(void **unused)
{
  (void)unused;
  static const char file[] = "test_rigid_places.csv";
  FILE *f = fopen(file, "w");
  assert_non_null(f);
  fprintf(f, "x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n1,2,3,2,0,0,0,0,0,1,0,0,5\n-1,0,0,0,0,0,1,7,0,0,0,0,0\n");
  fclose(f);
  run_record r = open_body("shape: {ball: {radius: 1}}, mass: 1, position: [10, 0, 0], velocity: [1, 0, 0], copies: "
                           "{places: test_rigid_places.csv}");
  double x[6], v[6], w[6], q[8];
  output(&r, "position", x), output(&r, "velocity", v), output(&r, "angular_velocity", w), output(&r, "orientation", q);
  assert_memory_equal(x, ((double[]){11, 2, 3, 9, 0, 0}), sizeof x);
  assert_memory_equal(v, ((double[]){1, 0, 1, 8, 0, 0}), sizeof v);
  for (int c = 0; c < 8; c++) check_near(fabs(q[c]), c == 0 || c == 7 ? 1.0 : 0.0, 0.0);
  check_near(w[2], 5.0, 1e-15);
  run_free(&r);
  remove(file);
}

/* ---- what is refused ---- */

#define BALL "shape: {ball: {radius: 1}}"
#define MASS BALL ", mass: 1"

/* clang-format off */
static const struct {
  const char *words, *said;
} wrong[] = {
  {BALL, "'density' or 'mass' is missing"},
  {BALL ", mass: 1, density: 1", "keep one of the two"},
  {BALL ", mass: .nan", "is not a finite number"},
  {BALL ", mass: 0", "out of range"},
  {BALL ", density: 1e-300", "check the units"},
  {"shape: {ball: {radius: -1}}, mass: 1", "out of range"},
  {"shape: {sphere: {radius: 1}}, mass: 1", "unknown"},
  {"shape: {capsule: {length: 1, radius: 0}}, density: 1", "no volume"},
  {"shape: {capsule: {length: 1, radius: 1, axis: [0, 0, 0]}}, density: 1", "must not be zero"},
  {"shape: {shell: {radius: 1}}, density: 1", "no volume"},
  {"shape: {compound: {parts: []}}, density: 1", "the list is empty"},
  {"shape: {hull: {points: [0, 0, 0, 1]}}, density: 1", "not three for each"},
  {"shape: {hull: {}}, density: 1", "are missing"},
  {"shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}, density: 1", "shape.hull: "},
  {"shape: {hull: {file: nowhere.csv}}, density: 1", "cannot be opened"},
  {"shape: {mesh: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces: [0, 2, 1, 0, 1, 9]}}, density: 1", "names point 9"},
  {"shape: {mesh: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces: [0, 2, 1, 0, 1, 3]}}, density: 1", "shape.mesh: "},
  {"shape: {mesh: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}, density: 1", "are missing"},
  {"shape: {mesh: {}}, density: 1", "are missing"},
  {"shape: {mesh: {file: nowhere.stl}}, density: 1", "nowhere.stl"},
  {"shape: {mesh: {file: nowhere.stl, faces: [0, 1, 2]}}, density: 1", "in one way"},
  {"shape: {mesh: {torus: {ring: 1, tube: 0.2, around: 8, across: 5}}}, density: 1", "shape.mesh.torus"},
  {"shape: {mesh: {torus: {ring: 1, tube: 2, around: 8, across: 6}}}, density: 1", "shape.mesh.torus"},
  {MASS ", inertia: [1, 1, 3]", "no body has these moments"},
  {MASS ", inertia: [0, 0, 0]", "two of the moments"},
  {MASS ", orientation: {quaternion: [1, 0, 0]}", "write four"},
  {MASS ", orientation: {quaternion: [0, 0, 0, 0]}", "no direction"},
  {MASS ", orientation: {axis: [0, 0, 1]}", "go together"},
  {MASS ", orientation: {axis: [0, 0, 0], angle: 1}", "must not be zero"},
  {MASS ", orientation: {vector: [0, 0, 1], quaternion: [1, 0, 0, 0]}", "in one way"},
  {MASS ", copies: {}", "need a grid or a file"},
  {MASS ", copies: {grid: {count: [1, 2, 2.5], spacing: [1, 1, 1]}}", "not a whole number"},
  {MASS ", copies: {grid: {count: [1e4, 1e4, 10], spacing: [1, 1, 1]}}", "1e8 at most"},
  {MASS ", copies: {places: nowhere.csv}", "cannot be opened"},
  {MASS ", loads: [{history: constant}]", "neither a force nor a moment"},
  {MASS ", loads: [{force: [1, 0, 0], copy: 1}]", "there are copies 0 to 0"},
  {MASS ", loads: [{moment: [1, 0, 0], at: [1, 0, 0]}]", "needs a force"},
  {BALL ", fixed: true, velocity: [1, 0, 0]", "does not move"},
  {BALL ", fixed: true, spin: [1, 0, 0]", "does not turn"},
  {BALL ", fixed: true, loads: [{force: [1, 0, 0]}]", "does nothing"},
};
/* clang-format on */

static void test_refused(void **unused)
{
  (void)unused;
  for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
    char text[TEXT], message[TEXT];
    snprintf(text, sizeof text, "%s  b: {kind: rigid, %s}\n", head, wrong[i].words);
    const vv_status status = run_refused(text, message, sizeof message);
    if (status == VV_OK || strstr(message, wrong[i].said) == NULL || strstr(message, "bodies.b") == NULL)
      fail_msg("%s\nsaid: %s\nnot: %s", wrong[i].words, message, wrong[i].said);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weights),      cmocka_unit_test(test_thin_walls), cmocka_unit_test(test_compound),
      cmocka_unit_test(test_orientations), cmocka_unit_test(test_copies),     cmocka_unit_test(test_places),
      cmocka_unit_test(test_refused),      cmocka_unit_test(test_mesh_files), cmocka_unit_test(test_torus),
      cmocka_unit_test(test_bad_meshes),   cmocka_unit_test(test_flat_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
