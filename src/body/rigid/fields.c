/* body/rigid/fields.c  The keys of a rigid body.  Each row is documentation, default and check at once. */
#include "body/rigid/rigid.h"

/* clang-format off */
static const vv_field ball_field[] = {
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "radius"},
};
static const vv_schema ball_schema = {"ball", ball_field, VV_COUNT(ball_field), "a full ball"};
static const vv_field box_field[] = {
  {.name = "size", .type = VV_VECTOR, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "edges along x, y, z of the shape"},
};
static const vv_schema box_schema = {"box", box_field, VV_COUNT(box_field), "a full block about its middle"};
static const vv_field capsule_field[] = {
  {.name = "length", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "between the centres of the two caps"},
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED, .doc = "of the caps; 0: a line, which takes 'mass' and does not turn about itself"},
  {.name = "axis",   .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 1]", .doc = "direction in the axes of the shape"},
};
static const vv_schema capsule_schema = {"capsule", capsule_field, VV_COUNT(capsule_field), "a rod with round ends about its middle"};
static const vv_field cylinder_field[] = {
  {.name = "length", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "between the two flat ends"},
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "radius"},
  {.name = "axis",   .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 1]", .doc = "direction in the axes of the shape"},
};
static const vv_schema cylinder_schema = {"cylinder", cylinder_field, VV_COUNT(cylinder_field), "a full cylinder about its middle"};
static const vv_field hull_field[] = {
  {.name = "points", .type = VV_NUMBERS, .unit = "m", .lo = -1e15, .hi = 1e15, .flags = VV_OPTIONAL, .doc = "x, y, z of each point, in the axes of the shape"},
  {.name = "file",   .type = VV_TEXT, .flags = VV_OPTIONAL | VV_PATH, .doc = "table with the header row x y z and one row per point, instead of points"},
};
static const vv_schema hull_schema = {"hull", hull_field, VV_COUNT(hull_field), "the smallest convex body that holds all points"};
static const vv_field mesh_field[] = {
  {.name = "file",   .type = VV_TEXT, .flags = VV_OPTIONAL | VV_PATH, .doc = "a surface in OBJ, STL, PLY or Gmsh 4.1 format, faces counterclockwise from outside; path from the scene's folder"},
  {.name = "torus",  .type = VV_GROUP, .sub = &vvi_torus_schema, .flags = VV_OPTIONAL, .doc = "a torus about z, instead of a file"},
  {.name = "scale",  .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e15, .flags = VV_OPEN_LO, .deflt = "1", .doc = "all coordinates are multiplied by this: 0.001 for a file in mm"},
  {.name = "points", .type = VV_NUMBERS, .unit = "m", .lo = -1e15, .hi = 1e15, .flags = VV_OPTIONAL, .doc = "x, y, z of each point, in the axes of the shape"},
  {.name = "faces",  .type = VV_NUMBERS, .unit = "1", .lo = 0, .hi = 2e9, .flags = VV_OPTIONAL, .doc = "three points of each triangle, counted from 0, counterclockwise from outside"},
  {.name = "points_file", .type = VV_TEXT, .flags = VV_OPTIONAL | VV_PATH, .doc = "table with the header row x y z and one row per point, instead of points"},
  {.name = "faces_file",  .type = VV_TEXT, .flags = VV_OPTIONAL | VV_PATH, .doc = "table with the header row a b c and one row per triangle, instead of faces"},
};
static const vv_schema mesh_schema = {"mesh", mesh_field, VV_COUNT(mesh_field), "a closed surface of triangles: a file, a torus, or points and faces"};
static const vv_field shell_field[] = {
  {.name = "radius",    .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the hollow inside"},
  {.name = "thickness", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .deflt = "0", .doc = "of the wall, outside the radius; 0: a skin, which takes 'mass'"},
};
static const vv_schema shell_schema = {"shell", shell_field, VV_COUNT(shell_field), "a hollow ball: what starts in it meets its inside, all else its outside"};
static const vv_field room_field[] = {
  {.name = "size",      .type = VV_VECTOR, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the hollow inside, along x, y, z of the shape"},
  {.name = "thickness", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .deflt = "0", .doc = "of the walls, outside the size; 0: a skin, which takes 'mass'"},
};
static const vv_field plate_field[] = {
  {.name = "normal",    .type = VV_VECTOR, .unit = "1", .flags = VV_REQUIRED, .doc = "of its front, which passes through 'position'; points to the free side; need not have length 1"},
  {.name = "width",     .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "edge of the square front"},
  {.name = "thickness", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "behind the front; default: a tenth of the width"},
};
static const vv_schema plate_schema = {"plate", plate_field, VV_COUNT(plate_field), "a square plate by its front: a finite floor or wall, which may move"};
static const vv_schema room_schema = {"room", room_field, VV_COUNT(room_field), "a hollow block: what starts in it meets its inside, all else its outside"};

static const vv_field orientation_field[] = {
  {.name = "quaternion", .type = VV_NUMBERS, .unit = "1", .flags = VV_OPTIONAL, .doc = "w, x, y, z; brought to length 1"},
  {.name = "axis",       .type = VV_VECTOR, .unit = "1", .flags = VV_OPTIONAL, .doc = "turned about this direction, by 'angle'"},
  {.name = "angle",      .type = VV_NUMBER, .unit = "rad", .flags = VV_OPTIONAL, .doc = "about 'axis'; right-handed"},
  {.name = "vector",     .type = VV_VECTOR, .unit = "rad", .flags = VV_OPTIONAL, .doc = "axis times angle in one"},
};
static const vv_schema orientation_schema = {"orientation", orientation_field, VV_COUNT(orientation_field), "a rotation in one of three ways; none: not turned"};

static const vv_field part_shape_field[] = {
  {.name = "ball",     .type = VV_GROUP, .sub = &ball_schema, .flags = VV_OPTIONAL, .doc = "a full ball"},
  {.name = "box",      .type = VV_GROUP, .sub = &box_schema, .flags = VV_OPTIONAL, .doc = "a full block"},
  {.name = "capsule",  .type = VV_GROUP, .sub = &capsule_schema, .flags = VV_OPTIONAL, .doc = "a rod with round ends"},
  {.name = "cylinder", .type = VV_GROUP, .sub = &cylinder_schema, .flags = VV_OPTIONAL, .doc = "a full cylinder"},
  {.name = "hull",     .type = VV_GROUP, .sub = &hull_schema, .flags = VV_OPTIONAL, .doc = "the convex hull of points"},
};
static const vv_schema part_shape_schema = {"part shape", part_shape_field, VV_COUNT(part_shape_field), "exactly one of these"};
static const vv_field part_field[] = {
  {.name = "shape",       .type = VV_CHOICE, .sub = &part_shape_schema, .flags = VV_REQUIRED, .doc = "what it is"},
  {.name = "centre",      .type = VV_VECTOR, .unit = "m", .deflt = "[0, 0, 0]", .doc = "where its own origin lies in the axes of the compound"},
  {.name = "orientation", .type = VV_GROUP, .sub = &orientation_schema, .doc = "how it is turned there, about its own origin"},
  {.name = "density",     .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e12, .flags = VV_OPEN_LO, .deflt = "1", .doc = "relative to that of the body"},
};
static const vv_schema part_schema = {"parts", part_field, VV_COUNT(part_field), "parts of a compound"};
static const vv_field compound_field[] = {
  {.name = "parts", .type = VV_LIST, .sub = &part_schema, .flags = VV_REQUIRED, .doc = "shapes in one frame; where they overlap the mass counts twice"},
};
static const vv_schema compound_schema = {"compound", compound_field, VV_COUNT(compound_field), "several shapes that move as one"};

static const vv_field shape_field[] = {
  {.name = "ball",     .type = VV_GROUP, .sub = &ball_schema, .flags = VV_OPTIONAL, .doc = "a full ball"},
  {.name = "box",      .type = VV_GROUP, .sub = &box_schema, .flags = VV_OPTIONAL, .doc = "a full block"},
  {.name = "capsule",  .type = VV_GROUP, .sub = &capsule_schema, .flags = VV_OPTIONAL, .doc = "a rod with round ends, or a line"},
  {.name = "cylinder", .type = VV_GROUP, .sub = &cylinder_schema, .flags = VV_OPTIONAL, .doc = "a full cylinder"},
  {.name = "hull",     .type = VV_GROUP, .sub = &hull_schema, .flags = VV_OPTIONAL, .doc = "the convex hull of points"},
  {.name = "mesh",     .type = VV_GROUP, .sub = &mesh_schema, .flags = VV_OPTIONAL, .doc = "a closed surface of triangles"},
  {.name = "compound", .type = VV_GROUP, .sub = &compound_schema, .flags = VV_OPTIONAL, .doc = "several shapes that move as one"},
  {.name = "shell",    .type = VV_GROUP, .sub = &shell_schema, .flags = VV_OPTIONAL, .doc = "a hollow ball"},
  {.name = "plate",    .type = VV_GROUP, .sub = &plate_schema, .flags = VV_OPTIONAL, .doc = "a square plate by its front: a wall or floor of finite size"},
  {.name = "room",     .type = VV_GROUP, .sub = &room_schema, .flags = VV_OPTIONAL, .doc = "a hollow block"},
};
static const vv_schema shape_schema = {"shape", shape_field, VV_COUNT(shape_field), "exactly one of these"};

static const vv_field copies_field[] = {
  {.name = "grid",        .type = VV_GROUP, .sub = &vvi_grid_schema, .flags = VV_OPTIONAL, .doc = "rows, columns and layers"},
  {.name = "places",      .type = VV_TEXT, .flags = VV_OPTIONAL | VV_PATH, .doc = "table with a header row of names and one row per copy: x y z, then optionally qw qx qy qz (turns the body after 'orientation'), vx vy vz, wx wy wz (added to 'velocity' and 'spin', in space); x y z are added to 'position'; path from the scene's folder"},
  {.name = "jitter",      .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .deflt = "0", .doc = "each coordinate is moved by a random length, at most this far either way"},
  {.name = "orientation", .type = VV_WORD, .words = "same|random", .deflt = "same", .doc = "same: as 'orientation' of the body. random: every direction is equally likely"},
  {.name = "speed",       .type = VV_NUMBER, .unit = "m/s", .lo = 0, .hi = 1e12, .deflt = "0", .doc = "a velocity of this size in a random direction, added to 'velocity'"},
  {.name = "spin",        .type = VV_NUMBER, .unit = "rad/s", .lo = 0, .hi = 1e12, .deflt = "0", .doc = "an angular velocity of this size about a random direction, added to 'spin'"},
  {.name = "seed",        .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 9007199254740992, .deflt = "1", .doc = "of what is random: the same seed gives the same scene everywhere"},
};
static const vv_schema copies_schema = {"copies", copies_field, VV_COUNT(copies_field), "many of the same"};

static const vv_field load_field[] = {
  {.name = "force",    .type = VV_VECTOR, .unit = "N", .deflt = "[0, 0, 0]", .doc = "in space, or in the axes of the shape (follower)"},
  {.name = "moment",   .type = VV_VECTOR, .unit = "N m", .deflt = "[0, 0, 0]", .doc = "in space, or in the axes of the shape (follower)"},
  {.name = "at",       .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "point of the body that the force acts on, in the axes of the shape; default: the centre of mass"},
  {.name = "follower", .type = VV_BOOLEAN, .deflt = "false", .doc = "true: force and moment turn with the body"},
  {.name = "copy",     .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 2e9, .flags = VV_OPTIONAL, .doc = "which copy, counted from 0; default: each of them"},
  {.name = "history",  .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how it varies in time"},
};
static const vv_schema load_schema = {"loads", load_field, VV_COUNT(load_field), "forces and moments"};

static const vv_field damping_field[] = {
  {.name = "linear",  .type = VV_NUMBER, .unit = "1/s", .lo = 0, .hi = 1e30, .deflt = "0", .doc = "momentum fades by exp(-linear t)"},
  {.name = "angular", .type = VV_NUMBER, .unit = "1/s", .lo = 0, .hi = 1e30, .deflt = "0", .doc = "spin fades by exp(-angular t)"},
};
static const vv_schema damping_schema = {"drag", damping_field, VV_COUNT(damping_field), "drag of a medium at rest, booked as viscous_loss"};

static const vv_field rigid_field[] = {
  {.name = "shape",       .type = VV_CHOICE, .sub = &shape_schema, .flags = VV_REQUIRED, .doc = "what it is"},
  {.name = "density",     .type = VV_NUMBER, .unit = "kg/m^3", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "mass per volume (of containers: of the wall); this or mass"},
  {.name = "mass",        .type = VV_NUMBER, .unit = "kg", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "of one copy, spread evenly over the shape; this or density"},
  {.name = "inertia",     .type = VV_VECTOR, .unit = "kg m^2", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL, .doc = "moments about the axes of the shape through the centre of mass, instead of those of an even mass"},
  {.name = "fixed",       .type = VV_BOOLEAN, .deflt = "false", .doc = "true: held in space, whatever hits it; needs no mass"},
  {.name = "position",    .type = VV_VECTOR, .unit = "m", .deflt = "[0, 0, 0]", .doc = "of the origin of the shape"},
  {.name = "orientation", .type = VV_GROUP, .sub = &orientation_schema, .doc = "how the shape is turned about its origin"},
  {.name = "velocity",    .type = VV_VECTOR, .unit = "m/s", .deflt = "[0, 0, 0]", .doc = "of the centre of mass"},
  {.name = "spin",        .type = VV_VECTOR, .unit = "rad/s", .deflt = "[0, 0, 0]", .doc = "angular velocity"},
  {.name = "spin_axes",   .type = VV_WORD, .words = "space|shape", .deflt = "space", .doc = "which axes 'spin' counts in"},
  {.name = "motion",      .type = VV_GROUP, .sub = &vvi_motion_schema, .flags = VV_OPTIONAL, .doc = "prescribed: the body follows it whatever hits it; impacts act on it with its own mass, and what brings it back is booked as external work"},
  {.name = "copies",      .type = VV_GROUP, .sub = &copies_schema, .flags = VV_OPTIONAL, .doc = "many of the same"},
  {.name = "loads",       .type = VV_LIST, .sub = &load_schema, .flags = VV_OPTIONAL, .doc = "forces and moments"},
  {.name = "damping",     .type = VV_GROUP, .sub = &damping_schema, .flags = VV_OPTIONAL, .doc = "drag of a medium at rest"},
};
const vv_schema rigid_schema = {"rigid", rigid_field, VV_COUNT(rigid_field), "rigid body, one or many copies"};
/* clang-format on */
