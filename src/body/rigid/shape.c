/* body/rigid/shape.c  Reads the shape of a rigid body and computes its solid, mass and inertia. */
#include "body/rigid/rigid.h"

#include "geom/mesh.h"
#include "model/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- directions ---- */

/* Right-handed axes by rows with the third along `axis`; those of the shape themselves where they do. */
static bool axes_about(const double axis[3], double rows[9])
{
  const double size = vvi_norm3(axis);
  if (!(size > 1e-150) || !isfinite(size)) return false;
  for (int c = 0; c < 3; c++) rows[6 + c] = axis[c] / size;
  int least = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(rows[6 + c]) < fabs(rows[6 + least])) least = c;
  for (int c = 0; c < 3; c++) rows[c] = (c == least ? 1.0 : 0.0) - rows[6 + least] * rows[6 + c];
  const double across = vvi_norm3(rows);
  for (int c = 0; c < 3; c++) rows[c] /= across;
  vvi_cross3(rows + 6, rows, rows + 3);
  return true;
}

/* cos(|v|/2), sin(|v|/2) v/|v| */
static void quaternion_of_vector(const double v[3], double angle, double q[4])
{
  const double size = vvi_norm3(v), s = size > 0.0 ? sin(0.5 * angle) / size : 0.0;
  q[0] = size > 0.0 ? cos(0.5 * angle) : 1.0;
  for (int c = 0; c < 3; c++) q[1 + c] = s * v[c];
}

static vv_status quaternion_word(const vv_group *o, double q[4])
{
  int n;
  const double *v = vv_numbers(o, "quaternion", &n);
  if (n != 4) return vv_complain(o, "quaternion", "has %d numbers; write four: w, x, y, z", n);
  const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
  if (!(size > 1e-100) || !isfinite(size))
    return vv_complain(o, "quaternion", "has no direction; [1, 0, 0, 0] does not turn");
  for (int c = 0; c < 4; c++) q[c] = v[c] / size;
  return VV_OK;
}

vv_status rigid_orientation(const vv_group *g, const char *name, double q[4])
{
  const vv_group *o = vv_sub(g, name);
  const bool axis = vv_has(o, "axis"), angle = vv_has(o, "angle");
  q[0] = 1.0, q[1] = q[2] = q[3] = 0.0;
  if (vv_has(o, "quaternion") + (axis || angle) + vv_has(o, "vector") > 1)
    return vv_complain(g, name, "say it in one way: quaternion, or axis and angle, or vector");
  if (axis != angle) return vv_complain(o, axis ? "axis" : "angle", "'axis' and 'angle' go together");
  if (vv_has(o, "quaternion")) return quaternion_word(o, q);
  if (vv_has(o, "vector")) {
    const double *v = vv_numbers(o, "vector", NULL);
    quaternion_of_vector(v, vvi_norm3(v), q);
  } else if (axis) {
    double rows[9];
    if (!axes_about(vv_numbers(o, "axis", NULL), rows)) return vv_complain(o, "axis", "must not be zero");
    quaternion_of_vector(rows + 6, vv_number(o, "angle"), q);
  }
  return VV_OK;
}

/* ---- parts ---- */

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* What geometry says about a part becomes a complaint about its words. */
static vv_status no_shape(const vv_group *g, const char *why)
{
  return vv_complain(g, NULL, "%s", why[0] != '\0' ? why : "out of memory for the shape");
}

static vv_status ball_part(const vv_group *s, vvi_part *part)
{
  part->type = VVI_PART_BALL;
  part->radius = vv_number(s, "radius");
  return VV_OK;
}

static vv_status block_part(const vv_group *s, vvi_part *part)
{
  part->type = VVI_PART_BLOCK;
  for (int c = 0; c < 3; c++) part->half[c] = 0.5 * vv_numbers(s, "size", NULL)[c];
  return VV_OK;
}

/* The front passes through the origin of the shape, the block lies behind it. */
static vv_status plate_part(const vv_group *s, vvi_part *part)
{
  const double width = vv_number(s, "width");
  part->type = VVI_PART_BLOCK;
  part->half[0] = part->half[1] = 0.5 * width;
  part->half[2] = 0.5 * (vv_has(s, "thickness") ? vv_number(s, "thickness") : 0.1 * width);
  if (!axes_about(vv_numbers(s, "normal", NULL), part->frame)) return vv_complain(s, "normal", "must not be zero");
  for (int c = 0; c < 3; c++) part->centre[c] = -part->half[2] * part->frame[6 + c];
  return VV_OK;
}

static vv_status round_part(const vv_group *s, vvi_part_type type, vvi_part *part)
{
  part->type = type;
  part->radius = vv_number(s, "radius");
  part->half[2] = 0.5 * vv_number(s, "length");
  return axes_about(vv_numbers(s, "axis", NULL), part->frame) ? VV_OK : vv_complain(s, "axis", "must not be zero");
}

/* Triples of numbers, written out under `name` or in a table with three columns; *value lives in the arena. */
static vv_status triples(const vv_group *s, const char *name, const char *file, const char *columns, vvi_arena *arena,
                         int *n, double **value)
{
  const bool listed = vv_has(s, name), filed = vv_has(s, file);
  vvi_columns t = {0};
  int numbers = 0;
  if (listed == filed)
    return vv_complain(s, name, listed ? "stand here and in a file; keep one" : "are missing: three numbers for each");
  if (filed) {
    VV_TRY(vvi_columns_read(s, file, columns, &t));
    if (t.columns != 3 || t.rows > 10000000) {
      vvi_columns_free(&t);
      return vv_complain(s, file, "needs three columns, %s, and ten million lines at most", columns);
    }
    numbers = 3 * (int)t.rows;
  } else {
    vv_numbers(s, name, &numbers);
    if (numbers % 3 != 0) return vv_complain(s, name, "has %d numbers, not three for each", numbers);
  }
  *n = numbers / 3;
  *value = VVI_ARENA_NEW(arena, double, numbers);
  int order[3];
  for (int c = 0; c < 3; c++) order[c] = vvi_columns_column(&t, (const char[2]){columns[2 * c], '\0'});
  for (int i = 0; *value != NULL && i < numbers; i++)
    (*value)[i] = filed ? vvi_columns_at(&t, i / 3, order[i % 3]) : vv_numbers(s, name, NULL)[i];
  vvi_columns_free(&t);
  return *value != NULL ? VV_OK : VV_NOMEM;
}

/* Points are in the frame of the solid already for geometry: turned and moved here. */
static void place_points(const vvi_part *part, int n, double *point)
{
  for (int i = 0; i < n; i++) {
    double x[3];
    vvi_tapply33(part->frame, point + 3 * i, x);
    for (int c = 0; c < 3; c++) point[3 * i + c] = part->centre[c] + x[c];
  }
}

static vv_status hull_part(const vv_group *s, vvi_arena *arena, vvi_part *part)
{
  char why[VVI_WHY] = "";
  int n;
  double *point;
  VV_TRY(triples(s, "points", "file", "x|y|z", arena, &n, &point));
  part->type = VVI_PART_HULL;
  place_points(part, n, point);
  return vvi_part_hull(arena, part, n, point, why) ? VV_OK : no_shape(s, why);
}

static vv_status triangles_of(const vv_group *s, vvi_arena *arena, int points, int *n, int **triangle)
{
  double *face = NULL;
  VV_TRY(triples(s, "faces", "faces_file", "a|b|c", arena, n, &face));
  *triangle = VVI_ARENA_NEW(arena, int, 3 * *n);
  if (*triangle == NULL) return VV_NOMEM;
  for (int i = 0; i < 3 * *n; i++) {
    if (face[i] != floor(face[i]) || face[i] < 0.0 || face[i] >= points)
      return vv_complain(s, vv_has(s, "faces") ? "faces" : "faces_file",
                         "triangle %d names point %g; there are points 0 to %d", i / 3, face[i], points - 1);
    (*triangle)[i] = (int)face[i];
  }
  return VV_OK;
}

/* All that a closed surface cannot have; a piece that is inside out is a cavity, unless nothing is left of the volume.
 * Slivers are allowed down to those that have no normal. */
static vv_status check_solid(const vvi_mesh *m, char *why)
{
  const double normal = 1e-11;
  const unsigned all = (1u << VVI_MESH_FAULTS) - 1, cavity = 1u << VVI_MESH_INSIDE_OUT;
  vvi_mesh_report report;
  VV_TRY(vvi_mesh_check(m, normal, 0.0, &report, why));
  VV_TRY(vvi_mesh_refuse(m, &report, all & ~cavity, why));
  if (vvi_mesh_flat(m)) return VV_OK; /* has no side that could be wrong; refused with all other shapes */
  return vvi_mesh_volume(m) > 0.0 ? VV_OK : vvi_mesh_refuse(m, &report, cavity, why);
}

/* Nodes at one place are one: many programs write corners once for each face. */
static vv_status parse(const vv_group *s, vvi_arena *arena, vvi_mesh *out, char *why)
{
  char *bytes;
  size_t size;
  vvi_mesh all, merged;
  VV_TRY(vvi_beside_read(s, "file", &bytes, &size));
  vv_status status = vvi_mesh_parse(arena, vv_text(s, "file"), bytes, size, &all, why);
  free(bytes);
  if (status == VV_OK) status = vvi_mesh_merge(arena, &all, 0.0, &merged, why);
  if (status == VV_OK) status = vvi_mesh_drop_unused(arena, &merged, out, why);
  return status == VV_OK ? check_solid(out, why) : status;
}

static vv_status make_torus(const vv_group *s, vvi_arena *arena, vvi_mesh *out, char *why)
{
  const vv_group *t = vv_sub(s, "torus");
  return vvi_mesh_torus(arena, vv_number(t, "ring"), vv_number(t, "tube"), (int)vv_integer(t, "around"),
                        (int)vv_integer(t, "across"), out, why);
}

static vv_status listed_mesh(const vv_group *s, vvi_arena *arena, vvi_mesh *out)
{
  VV_TRY(triples(s, "points", "points_file", "x|y|z", arena, &out->nodes, &out->x));
  return triangles_of(s, arena, out->nodes, &out->triangles, &out->triangle);
}

static vv_status mesh_part(const vv_group *s, vvi_arena *arena, vvi_part *part)
{
  const bool file = vv_has(s, "file"), torus = vv_has(s, "torus");
  const bool listed = vv_has(s, "points") || vv_has(s, "points_file") || vv_has(s, "faces") || vv_has(s, "faces_file");
  char why[VVI_MESH_WHY] = "";
  vvi_mesh m = {0};
  if (file + torus + listed > 1) return vv_complain(s, NULL, "say it in one way: a file, a torus, or points and faces");
  const vv_status status = file    ? parse(s, arena, &m, why)
                           : torus ? make_torus(s, arena, &m, why)
                                   : listed_mesh(s, arena, &m);
  if (status != VV_OK && why[0] != '\0') return vv_complain(s, file ? "file" : "torus", "%s", why);
  if (status != VV_OK) return status;
  const double scale = vv_number(s, "scale");
  for (int64_t i = 0; i < 3 * (int64_t)m.nodes; i++) m.x[i] *= scale;
  part->type = VVI_PART_MESH;
  return vvi_part_mesh(arena, part, m.nodes, m.x, m.triangles, m.triangle, why) ? VV_OK : no_shape(s, why);
}

/* The part named `shape` in g, about the origin of `part`, whose centre and frame are set. */
static vv_status make_part(const vv_group *g, vvi_arena *arena, vvi_part *part)
{
  const vv_group *s = vv_sub(g, "shape");
  const char *word = vv_text(g, "shape");
  char why[VVI_WHY] = "";
  double own[9], all[9];
  if (strcmp(word, "hull") == 0) return hull_part(s, arena, part);
  if (strcmp(word, "mesh") == 0) return mesh_part(s, arena, part);
  memcpy(all, part->frame, sizeof all);
  memcpy(part->frame, identity, sizeof identity);
  if (strcmp(word, "ball") == 0 || strcmp(word, "shell") == 0)
    VV_TRY(ball_part(s, part));
  else if (strcmp(word, "plate") == 0)
    VV_TRY(plate_part(s, part));
  else if (strcmp(word, "box") == 0 || strcmp(word, "room") == 0)
    VV_TRY(block_part(s, part));
  else
    VV_TRY(round_part(s, strcmp(word, "capsule") == 0 ? VVI_PART_CAPSULE : VVI_PART_CYLINDER, part));
  part->hollow = strcmp(word, "shell") == 0 || strcmp(word, "room") == 0;
  memcpy(own, part->frame, sizeof own);
  vvi_mul33(own, all, part->frame); /* rows: own axes in those of the part, then in those of the solid */
  return vvi_part_finish(arena, part, why) ? VV_OK : no_shape(s, why);
}

static vv_status compound_parts(const vv_group *s, vvi_arena *arena, vv_solid *solid)
{
  vv_status status = VV_OK;
  for (int i = 0; i < solid->parts; i++) {
    const vv_group *g = vv_item(s, "parts", i);
    vvi_part *part = &solid->part[i];
    double q[4], turn[9];
    if (rigid_orientation(g, "orientation", q) != VV_OK) {
      status = VV_SCENE;
      continue;
    }
    vvi_quaternion_matrix(q, turn);
    for (int c = 0; c < 9; c++) part->frame[c] = turn[3 * (c % 3) + c / 3]; /* its axes are the columns */
    memcpy(part->centre, vv_numbers(g, "centre", NULL), sizeof part->centre);
    part->density = vv_number(g, "density");
    if (make_part(g, arena, part) != VV_OK) status = VV_SCENE;
  }
  return status;
}

/* ---- weights: of density 1, or of a skin of 1 kg/m^2 ---- */

/* The wall between two balls or blocks with one centre: outer less inner.                                 [rigid 16] */
static void wall_weight(const vv_group *g, vvi_weight *w)
{
  const vv_group *s = vv_sub(g, "shape");
  const double t = vv_number(s, "thickness");
  *w = (vvi_weight){0};
  if (vv_is(g, "shape", "shell")) {
    const double a = vv_number(s, "radius"), b = a + t;
    w->volume = 4.0 / 3.0 * VV_PI * t * (a * a + a * b + b * b);
    const double fifth = a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b;
    for (int c = 0; c < 9; c += 4) w->inertia[c] = 8.0 / 15.0 * VV_PI * t * fifth;
    return;
  }
  const double *in = vv_numbers(s, "size", NULL), out[3] = {in[0] + 2.0 * t, in[1] + 2.0 * t, in[2] + 2.0 * t};
  const double inner = in[0] * in[1] * in[2], outer = out[0] * out[1] * out[2];
  w->volume = 2.0 * t * (in[1] * in[2] + out[0] * in[2] + out[0] * out[1]);
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    w->inertia[4 * c] = (outer * (out[d] * out[d] + out[e] * out[e]) - inner * (in[d] * in[d] + in[e] * in[e])) / 12.0;
  }
}

/* A line: volume holds its length; nothing about itself.                                                  [rigid 15] */
static void line_weight(const vvi_part *part, vvi_weight *w)
{
  const double *e = part->frame + 6, length = 2.0 * part->half[2], across = length * length * length / 12.0;
  *w = (vvi_weight){.volume = length};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) w->inertia[3 * i + j] = across * ((i == j ? 1.0 : 0.0) - e[i] * e[j]);
}

/* True: w is of a density; false: of a line or a skin, which have none. */
static bool weigh(const vv_group *g, const vv_solid *solid, vvi_weight *w)
{
  const bool container = vv_is(g, "shape", "shell") || vv_is(g, "shape", "room");
  if (vv_is(g, "shape", "capsule") && solid->part->radius == 0.0) {
    line_weight(solid->part, w);
    return false;
  }
  if (container && vv_number(vv_sub(g, "shape"), "thickness") == 0.0) {
    vvi_solid_weigh_skin(solid, w);
    return false;
  }
  if (container)
    wall_weight(g, w);
  else
    vvi_solid_weigh(solid, w);
  return true;
}

/* Moments of inertia of a real body obey I1 + I2 >= I3 and so on. */
static bool triangle(const double j[3])
{
  const double slack = 1e-12 * (j[0] + j[1] + j[2]);
  return j[0] + j[1] - j[2] >= -slack && j[1] + j[2] - j[0] >= -slack && j[2] + j[0] - j[1] >= -slack;
}

static vv_status own_inertia(const vv_group *g, double inertia[9])
{
  const double *j = vv_numbers(g, "inertia", NULL);
  if (!triangle(j))
    return vv_complain(g, "inertia", "no body has these moments: each must not exceed the sum of the other two");
  if ((j[0] > 0.0) + (j[1] > 0.0) + (j[2] > 0.0) < 2)
    return vv_complain(g, "inertia", "two of the moments at least must be positive");
  for (int c = 0; c < 9; c++) inertia[c] = c % 4 == 0 ? j[c / 4] : 0.0;
  return VV_OK;
}

static vv_status weigh_body(const vv_group *g, const vv_solid *solid, rigid_weight *out)
{
  const bool density = vv_has(g, "density"), mass = vv_has(g, "mass");
  vvi_weight w;
  *out = (rigid_weight){0};
  const bool full = weigh(g, solid, &w);
  memcpy(out->centre, w.centre, sizeof w.centre);
  if (vv_boolean(g, "fixed")) return VV_OK;
  if (density && mass) return vv_complain(g, "mass", "'density' is given too; keep one of the two");
  if (!density && !mass) return vv_complain(g, "mass", "'density' or 'mass' is missing");
  if (density && !full)
    return vv_complain(g, "density", "a %s of no thickness has no volume; give 'mass'", vv_text(g, "shape"));
  const double scale = density ? vv_number(g, "density") : vv_number(g, "mass") / w.volume;
  out->mass = density ? scale * w.volume : vv_number(g, "mass");
  for (int c = 0; c < 9; c++) out->inertia[c] = scale * w.inertia[c];
  if (vv_has(g, "inertia")) VV_TRY(own_inertia(g, out->inertia));
  if (!(out->mass > 1e-290) || !isfinite(out->mass) || !isfinite(1.0 / out->mass))
    return vv_complain(g, density ? "density" : "mass", "makes a mass of %g kg; check the units", out->mass);
  return VV_OK;
}

/* What bodies outside of a container meet: the same shape, larger by the thickness of the walls. */
static vv_status make_outside(const vv_group *g, vvi_arena *arena, vv_solid *solid)
{
  const double t = vv_number(vv_sub(g, "shape"), "thickness");
  vv_solid *out = vvi_solid_new(arena, 1);
  char why[VVI_WHY] = "";
  if (out == NULL) return no_shape(vv_sub(g, "shape"), why);
  out->part[0] = solid->part[0];
  out->part[0].hollow = false;
  out->part[0].radius += t;
  for (int k = 0; k < 3; k++) out->part[0].half[k] += t;
  if (!vvi_part_finish(arena, out->part, why)) return no_shape(vv_sub(g, "shape"), why);
  vvi_solid_finish(out);
  solid->outside = out;
  return VV_OK;
}

vv_solid *rigid_solid(const vv_group *g, vvi_arena *arena, rigid_weight *w)
{
  const vv_group *s = vv_sub(g, "shape");
  const bool compound = vv_is(g, "shape", "compound");
  const int parts = compound ? vv_count(s, "parts") : 1;
  if (parts < 1) {
    vv_complain(s, "parts", "is empty; write one part at least");
    return NULL;
  }
  vv_solid *solid = vvi_solid_new(arena, parts);
  if (solid == NULL) {
    vv_complain(g, "shape", "out of memory for the shape");
    return NULL;
  }
  for (int i = 0; i < parts; i++) {
    memcpy(solid->part[i].frame, identity, sizeof identity);
    solid->part[i].density = 1.0;
  }
  if ((compound ? compound_parts(s, arena, solid) : make_part(g, arena, solid->part)) != VV_OK) return NULL;
  vvi_solid_finish(solid);
  if (solid->hollow && make_outside(g, arena, solid) != VV_OK) return NULL;
  return weigh_body(g, solid, w) == VV_OK ? solid : NULL;
}
