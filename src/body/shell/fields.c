/* body/shell/fields.c  The keys of a shell.  Each row is documentation, default and check at once. */
#include "body/shell/shell.h"

/* clang-format off */
static const vv_field material_field[] = {
  {.name = "young",   .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "Young's modulus"},
  {.name = "poisson", .type = VV_NUMBER, .unit = "1", .lo = -1, .hi = 0.5, .flags = VV_OPEN_LO | VV_OPEN_HI, .deflt = "0.3", .doc = "Poisson's ratio"},
  {.name = "density", .type = VV_NUMBER, .unit = "kg/m^3", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "mass per volume"},
  {.name = "law",     .type = VV_WORD, .words = "stvk|neo-hookean|j2", .deflt = "stvk", .doc = "stvk: St Venant-Kirchhoff, linear in the Green strain, for small strains and any rotations. neo-hookean: compressible, for large strains; plane stress, thickness follows. j2: as stvk up to `yield`, then it flows, as far as it likes"},
  VVI_PLASTIC_FIELDS,
  {.name = "points",  .type = VV_INTEGER, .unit = "1", .lo = 2, .hi = 9, .flags = VV_OPTIONAL, .doc = "law j2: points through the thickness (default 5); 7 for spring-back"},
  VVI_FAILURE_FIELD,
};
static const vv_schema material_schema = {"material", material_field, VV_COUNT(material_field), "elastic law of the sheet, in plane stress"};

static const vv_field sphere_field[] = {
  {.name = "radius",    .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the nodes of the control mesh; the surface itself lies a little inside"},
  {.name = "base",      .type = VV_WORD, .words = "octahedron|icosahedron", .deflt = "octahedron", .doc = "8 or 20 triangles that are cut"},
  {.name = "frequency", .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 4096, .deflt = "1", .doc = "divisions of every edge of the base"},
  {.name = "level",     .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 12, .deflt = "0", .doc = "times that every triangle is cut into four; 8 or 20 times frequency^2 4^level triangles"},
};
static const vv_schema sphere_schema = {"sphere", sphere_field, VV_COUNT(sphere_field), "a sphere"};
static const vv_field disc_field[] = {
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the border"},
  {.name = "rings",  .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 4096, .flags = VV_REQUIRED, .doc = "of triangles; 6 rings^2 triangles"},
};
static const vv_schema disc_schema = {"disc", disc_field, VV_COUNT(disc_field), "a flat disc, normal along z"};
static const vv_field rectangle_field[] = {
  {.name = "size",   .type = VV_NUMBERS, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "along x and y"},
  {.name = "pieces", .type = VV_NUMBERS, .unit = "1", .lo = 1, .hi = 1e4, .flags = VV_REQUIRED, .doc = "along x and y, whole numbers"},
};
static const vv_schema rectangle_schema = {"rectangle", rectangle_field, VV_COUNT(rectangle_field), "a flat rectangle, normal along z"};
static const vv_field cube_field[] = {
  {.name = "edge",   .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the control mesh; edges and corners of the surface are rounded"},
  {.name = "pieces", .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 4096, .flags = VV_REQUIRED, .doc = "divisions of an edge; 12 pieces^2 triangles"},
};
static const vv_schema cube_schema = {"cube", cube_field, VV_COUNT(cube_field), "a hollow cube"};
static const vv_field box_field[] = {
  {.name = "size",   .type = VV_VECTOR, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "edges along x, y, z"},
  {.name = "pieces", .type = VV_VECTOR, .unit = "1", .lo = 1, .hi = 4096, .flags = VV_REQUIRED, .doc = "of the edges, whole numbers"},
};
static const vv_schema box_schema = {"box", box_field, VV_COUNT(box_field), "a hollow box"};
static const vv_field cylinder_field[] = {
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the nodes of the control mesh"},
  {.name = "height", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "along z"},
  {.name = "around", .type = VV_INTEGER, .unit = "1", .lo = 3, .hi = 1e5, .flags = VV_REQUIRED, .doc = "divisions around"},
  {.name = "along",  .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 1e5, .flags = VV_REQUIRED, .doc = "divisions along"},
  {.name = "closed", .type = VV_BOOLEAN, .deflt = "false", .doc = "true: a disc at either end"},
};
static const vv_schema cylinder_schema = {"cylinder", cylinder_field, VV_COUNT(cylinder_field), "a cylinder about z"};
static const vv_field file_field[] = {
  {.name = "path",   .type = VV_TEXT, .flags = VV_REQUIRED | VV_PATH, .doc = "a surface in OBJ, STL, PLY or Gmsh 4.1 format; path from the scene's folder"},
  {.name = "scale",  .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e15, .flags = VV_OPEN_LO, .deflt = "1", .doc = "its coordinates are multiplied by this"},
  {.name = "refine", .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 8, .deflt = "0", .doc = "times that every triangle is cut into four"},
};
static const vv_schema file_schema = {"file", file_field, VV_COUNT(file_field), "a mesh from a file"};
static const vv_field mesh_field[] = {
  {.name = "sphere",    .type = VV_GROUP, .sub = &sphere_schema, .flags = VV_OPTIONAL, .doc = "a sphere"},
  {.name = "disc",      .type = VV_GROUP, .sub = &disc_schema, .flags = VV_OPTIONAL, .doc = "a flat disc"},
  {.name = "rectangle", .type = VV_GROUP, .sub = &rectangle_schema, .flags = VV_OPTIONAL, .doc = "a flat rectangle"},
  {.name = "cube",      .type = VV_GROUP, .sub = &cube_schema, .flags = VV_OPTIONAL, .doc = "a hollow cube"},
  {.name = "box",       .type = VV_GROUP, .sub = &box_schema, .flags = VV_OPTIONAL, .doc = "a hollow box"},
  {.name = "cylinder",  .type = VV_GROUP, .sub = &cylinder_schema, .flags = VV_OPTIONAL, .doc = "a cylinder"},
  {.name = "torus",     .type = VV_GROUP, .sub = &vvi_torus_schema, .flags = VV_OPTIONAL, .doc = "a torus"},
  {.name = "file",      .type = VV_GROUP, .sub = &file_schema, .flags = VV_OPTIONAL, .doc = "from a file"},
};
static const vv_schema mesh_schema = {"mesh", mesh_field, VV_COUNT(mesh_field), "exactly one of these; the control mesh of the surface, about the origin"};

static const vv_field edge_field[] = {
  {.name = "hold", .type = VV_WORD, .words = "free|supported|clamped", .flags = VV_REQUIRED, .doc = "supported: the position is fixed, the surface rotates freely. clamped: position and slope are fixed"},
  {.name = "loop", .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 1e9, .deflt = "0", .doc = "which border curve, from 1 in the order of the lowest node on it; 0: all"},
  {.name = "low",  .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "only border nodes above this corner of a box, in the coordinates of the mesh"},
  {.name = "high", .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "only border nodes below this corner of a box"},
};
static const vv_schema edge_schema = {"edges", edge_field, VV_COUNT(edge_field), "what holds the border; later rows win"};

static const vv_field load_field[] = {
  {.name = "at",      .type = VV_VECTOR, .unit = "m", .flags = VV_REQUIRED, .doc = "in the coordinates of the mesh; the nearest node takes it, at its point of the surface"},
  {.name = "force",   .type = VV_VECTOR, .unit = "N", .flags = VV_REQUIRED, .doc = "in space"},
  {.name = "history", .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how it varies in time"},
};
static const vv_schema load_schema = {"loads", load_field, VV_COUNT(load_field), "forces at points; every copy has them"};

static const vv_field pressure_field[] = {
  {.name = "value",   .type = VV_NUMBER, .unit = "Pa", .flags = VV_REQUIRED, .doc = "along the normal: positive blows a closed shell up"},
  {.name = "history", .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how it varies in time"},
};
static const vv_schema pressure_schema = {"pressure", pressure_field, VV_COUNT(pressure_field), "pressure that stays normal to the surface"};

static const vv_field copy_field[] = {
  {.name = "centre",   .type = VV_VECTOR, .unit = "m", .flags = VV_REQUIRED, .doc = "added to that of the body"},
  {.name = "rotation", .type = VV_VECTOR, .unit = "rad", .deflt = "[0, 0, 0]", .doc = "after that of the body: axis times angle"},
  {.name = "velocity", .type = VV_VECTOR, .unit = "m/s", .deflt = "[0, 0, 0]", .doc = "added to that of the body"},
  {.name = "spin",     .type = VV_VECTOR, .unit = "rad/s", .deflt = "[0, 0, 0]", .doc = "added to that of the body"},
};
static const vv_schema copy_schema = {"copies", copy_field, VV_COUNT(copy_field), "equal shells, each a surface of its own"};

static const vv_field region_field[] = {
  {.name = "velocity", .type = VV_VECTOR, .unit = "m/s", .flags = VV_REQUIRED, .doc = "added to that of the body"},
  {.name = "low",      .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "only nodes above this corner of a box, in the coordinates of the mesh"},
  {.name = "high",     .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "only nodes below this corner of a box"},
};
static const vv_schema region_schema = {"velocities", region_field, VV_COUNT(region_field), "more velocity, of the nodes in a box; boxes may overlap, and then add up"};

static const vv_field shell_field[] = {
  {.name = "mesh",      .type = VV_CHOICE, .sub = &mesh_schema, .flags = VV_REQUIRED, .doc = "control mesh of the surface at rest"},
  {.name = "thickness", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the unstressed sheet"},
  {.name = "material",  .type = VV_GROUP, .sub = &material_schema, .flags = VV_REQUIRED, .doc = "elastic constants and density"},
  VVI_DAMPING_FIELD,
  {.name = "centre",    .type = VV_VECTOR, .unit = "m", .flags = VV_MOVED, .deflt = "[0, 0, 0]", .doc = "where the origin of the mesh goes"},
  {.name = "rotation",  .type = VV_VECTOR, .unit = "rad", .deflt = "[0, 0, 0]", .doc = "of the mesh about its origin: axis times angle"},
  {.name = "velocity",  .type = VV_VECTOR, .unit = "m/s", .deflt = "[0, 0, 0]", .doc = "of all nodes"},
  {.name = "velocities", .type = VV_LIST, .sub = &region_schema, .flags = VV_OPTIONAL, .doc = "more velocity, by regions; every copy has it"},
  {.name = "spin",      .type = VV_VECTOR, .unit = "rad/s", .deflt = "[0, 0, 0]", .doc = "rigid rotation about the centre of mass, in space"},
  {.name = "copies",    .type = VV_LIST, .sub = &copy_schema, .flags = VV_OPTIONAL, .doc = "several equal shells in one body, placed one by one"},
  {.name = "grid",      .type = VV_GROUP, .sub = &vvi_grid_schema, .flags = VV_OPTIONAL, .doc = "many of the same in rows, columns and layers, each a body of its own, NAME-0, NAME-1, ..."},
  {.name = "edges",     .type = VV_LIST, .sub = &edge_schema, .flags = VV_OPTIONAL, .doc = "what holds the border of an open shell; free where nothing is said"},
  {.name = "loads",     .type = VV_LIST, .sub = &load_schema, .flags = VV_OPTIONAL, .doc = "forces at points"},
  {.name = "pressure",  .type = VV_LIST, .sub = &pressure_schema, .flags = VV_OPTIONAL, .doc = "pressure on the surface"},
  {.name = "contact",   .type = VV_WORD, .words = "control|limit|smooth", .deflt = "control", .doc = "what comes into contact. control: the control mesh. limit: the mesh through the points of the limit surface. smooth: the limit surface itself, cut into smaller triangles, 2^n along each side (contact_levels)"},
  {.name = "contact_levels", .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 2, .deflt = "1", .doc = "of 'contact: smooth': how often its triangles are halved; the distance from the limit surface falls by four each time"},
};
const vv_schema shell_schema = {"shell", shell_field, VV_COUNT(shell_field), "thin shell on a subdivision surface"};
/* clang-format on */
