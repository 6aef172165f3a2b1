/* body/beam/fields.c  The keys of a beam.  Each row is documentation, default and check at once. */
#include "body/beam/beam.h"

/* clang-format off */
static const vv_field material_field[] = {
  {.name = "young",   .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "Young's modulus"},
  {.name = "poisson", .type = VV_NUMBER, .unit = "1", .lo = -1, .hi = 0.5, .flags = VV_OPEN_LO, .deflt = "0.3", .doc = "Poisson's ratio; gives the shear modulus young/(2 (1 + poisson))"},
  {.name = "density", .type = VV_NUMBER, .unit = "kg/m^3", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "mass per volume"},
  {.name = "law",     .type = VV_WORD, .words = "linear|j2", .deflt = "linear", .doc = "linear in the strains of the section. j2: its fibres flow beyond `yield`"},
  VVI_PLASTIC_FIELDS,
  VVI_FAILURE_FIELD,
  {.name = "fibres",  .type = VV_NUMBERS, .unit = "1", .lo = 1, .hi = 100, .flags = VV_OPTIONAL, .doc = "law j2: rectangles: along d1 and d2 (default [5, 5]); circles and tubes: rings and fibres in a ring (default [3, 12])"},
};
static const vv_schema material_schema = {"material", material_field, VV_COUNT(material_field), "linear in the strains of the section, or plastic"};

static const vv_field stiffness_field[] = {
  {.name = "shear",   .type = VV_NUMBERS, .unit = "1", .lo = 0, .hi = 1e6, .flags = VV_OPEN_LO, .deflt = "[1, 1]", .doc = "shear correction factors along d1 and d2: 5/6 for a rectangle in engineering tables, 1 in the papers"},
  {.name = "torsion", .type = VV_NUMBER, .unit = "m^4", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "torsion constant; default: the polar moment, right for circles and tubes and used in the papers (a square twists with 0.1406 side^4)"},
};
static const vv_schema stiffness_schema = {"stiffness", stiffness_field, VV_COUNT(stiffness_field), "corrections of the section's stiffness"};

static const vv_field straight_field[] = {
  {.name = "stretch", .type = VV_NUMBER, .unit = "1", .lo = 1e-3, .hi = 1e3, .deflt = "1", .doc = "length over the reference length"},
};
static const vv_schema straight_schema = {"straight", straight_field, VV_COUNT(straight_field), "a straight line along d3"};
static const vv_field arc_field[] = {
  {.name = "angle",   .type = VV_NUMBER, .unit = "rad", .lo = -6.283185307179587, .hi = 6.283185307179587, .flags = VV_REQUIRED, .doc = "by which the beam turns from end to end, about d2: towards d1 where it is positive; 2*pi with closed is a ring"},
  {.name = "stretch", .type = VV_NUMBER, .unit = "1", .lo = 1e-3, .hi = 1e3, .deflt = "1", .doc = "length over the reference length"},
};
static const vv_schema arc_schema = {"arc", arc_field, VV_COUNT(arc_field), "a circular arc in the plane of d1 and d3"};
static const vv_field ring_field[] = {
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the line of centroids"},
  {.name = "normal", .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 1]", .doc = "of the plane of the ring"},
};
static const vv_schema ring_schema = {"ring", ring_field, VV_COUNT(ring_field), "a closed circle, unstressed: 'position' is its centre, and length, closed, rest, axis and normal follow"};
static const vv_field helix_field[] = {
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "of the cylinder it winds on"},
  {.name = "pitch",  .type = VV_NUMBER, .unit = "m", .flags = VV_REQUIRED, .doc = "advance per turn along the axis of the cylinder; negative: left-handed"},
};
static const vv_schema helix_schema = {"helix", helix_field, VV_COUNT(helix_field), "a helix, without stretch; the words axis and normal give the tangent and the direction to the cylinder's axis at the first node"};
static const vv_field constant_field[] = {
  {.name = "strain",    .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 1]", .doc = "convective strain Lambda^T x': shear, shear, stretch"},
  {.name = "curvature", .type = VV_VECTOR, .unit = "1/m", .deflt = "[0, 0, 0]", .doc = "convective curvature: bending about d1, d2, twist"},
  {.name = "steps",     .type = VV_WORD, .words = "exact|cayley", .deflt = "exact", .doc = "exact: nodes lie on the curve with these strains. cayley: from node to node by the Cayley map, so that the discrete strains have these values (the impact papers)"},
};
static const vv_schema constant_schema = {"uniform", constant_field, VV_COUNT(constant_field), "constant convective strain and curvature"};
static const vv_field bump_field[] = {
  {.name = "curvature", .type = VV_VECTOR, .unit = "1/m", .deflt = "[0, 0, 0]", .doc = "largest curvature, at the middle"},
  {.name = "strain",    .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 0]", .doc = "largest excess of the strain over [0, 0, 1], at the middle"},
};
static const vv_schema bump_schema = {"bump", bump_field, VV_COUNT(bump_field), "strain and curvature vary as sin^2(pi S/L): smooth, and nothing pulls at the free ends"};
static const vv_field nodes_field[] = {
  {.name = "file", .type = VV_TEXT, .flags = VV_REQUIRED | VV_PATH, .doc = "table with a header row of names and one row per node: x y z, then optionally d1x .. d1z d3x .. d3z (frames; default: along the polygon), vx vy vz, wx wy wz (velocity and spin, in space); commas or blanks between; path from the scene's folder"},
};
static const vv_schema nodes_schema = {"nodes", nodes_field, VV_COUNT(nodes_field), "places, frames and motion from a file"};
static const vv_field shape_field[] = {
  {.name = "straight", .type = VV_GROUP, .sub = &straight_schema, .flags = VV_OPTIONAL, .doc = "a straight line along d3"},
  {.name = "arc",      .type = VV_GROUP, .sub = &arc_schema, .flags = VV_OPTIONAL, .doc = "a circular arc in the plane of d1 and d3"},
  {.name = "ring",     .type = VV_GROUP, .sub = &ring_schema, .flags = VV_OPTIONAL, .doc = "a closed circle about 'position'"},
  {.name = "helix",    .type = VV_GROUP, .sub = &helix_schema, .flags = VV_OPTIONAL, .doc = "a helix"},
  {.name = "uniform",  .type = VV_GROUP, .sub = &constant_schema, .flags = VV_OPTIONAL, .doc = "constant convective strain and curvature"},
  {.name = "bump",     .type = VV_GROUP, .sub = &bump_schema, .flags = VV_OPTIONAL, .doc = "smooth strain that vanishes at the ends"},
  {.name = "nodes",    .type = VV_GROUP, .sub = &nodes_schema, .flags = VV_OPTIONAL, .doc = "from a file"},
};
static const vv_schema shape_schema = {"shape", shape_field, VV_COUNT(shape_field), "exactly one of these"};

static const vv_field ends_field[] = {
  {.name = "first", .type = VV_WORD, .words = "free|pinned|clamped|slope", .deflt = "free", .doc = "free; pinned: the position is fixed, the frame rotates; clamped: both fixed; slope: clamped, and the neighbour stays on the line through d3"},
  {.name = "last",  .type = VV_WORD, .words = "free|pinned|clamped|slope", .deflt = "free", .doc = "as first"},
};
static const vv_schema ends_schema = {"ends", ends_field, VV_COUNT(ends_field), "supports"};

#define PROFILE_FIELDS(what) \
  {.name = "at",        .type = VV_NUMBERS, .unit = "1", .lo = 0, .hi = 1, .flags = VV_REQUIRED, .doc = "fractions of the length, in order; repeat one for a jump (a node exactly there takes the first value)"}, \
  {.name = "factor",    .type = VV_NUMBERS, .unit = "1", .flags = VV_REQUIRED, .doc = "one per fraction; linear between, constant outside"}, \
  {.name = "direction", .type = VV_VECTOR, .unit = what, .flags = VV_REQUIRED, .doc = "added times the factor"}
static const vv_field profile_field[] = {PROFILE_FIELDS("m/s")}, spin_profile_field[] = {PROFILE_FIELDS("rad/s")};
static const vv_schema profile_schema = {"profile", profile_field, VV_COUNT(profile_field), "initial velocity that varies along the beam"};
static const vv_schema spin_profile_schema = {"spin profile", spin_profile_field, VV_COUNT(spin_profile_field), "initial angular velocity of the frames that varies along the beam"};

static const vv_field toward_field[] = {
  {.name = "position",  .type = VV_VECTOR, .unit = "m", .flags = VV_REQUIRED | VV_MOVED, .doc = "of the first node then"},
  {.name = "strain",    .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 1]", .doc = "convective strain then"},
  {.name = "curvature", .type = VV_VECTOR, .unit = "1/m", .deflt = "[0, 0, 0]", .doc = "convective curvature then"},
  {.name = "time",      .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "after which it would be there"},
};
static const vv_schema toward_schema = {"toward", toward_field, VV_COUNT(toward_field), "initial velocity by a second shape, as in the impact papers"};

static const vv_field mass_field[] = {
  {.name = "at",      .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1, .flags = VV_REQUIRED, .doc = "fraction of the length; a node must be there"},
  {.name = "mass",    .type = VV_NUMBER, .unit = "kg", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED, .doc = "at the centroid of the section"},
  {.name = "inertia", .type = VV_VECTOR, .unit = "kg m^2", .lo = 0, .hi = 1e30, .deflt = "[0, 0, 0]", .doc = "moments of inertia about d1, d2, d3"},
};
static const vv_schema mass_schema = {"masses", mass_field, VV_COUNT(mass_field), "point masses"};

static const vv_field load_field[] = {
  {.name = "at",       .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1, .flags = VV_REQUIRED, .doc = "fraction of the length; a node must be there"},
  {.name = "force",    .type = VV_VECTOR, .unit = "N", .deflt = "[0, 0, 0]", .doc = "in space, or in the frame of the node (follower)"},
  {.name = "moment",   .type = VV_VECTOR, .unit = "N m", .deflt = "[0, 0, 0]", .doc = "in space, or in the frame of the node (follower)"},
  {.name = "follower", .type = VV_BOOLEAN, .deflt = "false", .doc = "true: force and moment turn with the node"},
  {.name = "history",  .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how it varies in time"},
};
static const vv_schema load_schema = {"loads", load_field, VV_COUNT(load_field), "forces and moments on nodes"};

static const vv_field spread_field[] = {
  {.name = "force",    .type = VV_VECTOR, .unit = "N/m", .deflt = "[0, 0, 0]", .doc = "per reference length, in space or in the frames of the nodes (follower)"},
  {.name = "moment",   .type = VV_VECTOR, .unit = "N", .deflt = "[0, 0, 0]", .doc = "moment per reference length"},
  {.name = "follower", .type = VV_BOOLEAN, .deflt = "false", .doc = "true: force and moment turn with the nodes"},
  {.name = "history",  .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how it varies in time"},
};
static const vv_schema spread_schema = {"distributed", spread_field, VV_COUNT(spread_field), "loads on the whole length"};

static const vv_field beam_field[] = {
  {.name = "length",           .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "unstressed length; required, but of a ring it follows from the radius"},
  {.name = "elements",         .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 1e8, .flags = VV_REQUIRED, .doc = "number of elements, equal unless 'grading' or 'spacing' says otherwise"},
  {.name = "grading",          .type = VV_NUMBER, .unit = "1", .lo = 1e-3, .hi = 1e3, .deflt = "1", .doc = "length of the last element over the first, geometric"},
  {.name = "spacing",          .type = VV_NUMBERS, .unit = "1", .lo = 0, .hi = 1e15, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "lengths of the elements, one for each, in any unit: they share the length in this proportion"},
  {.name = "closed",           .type = VV_BOOLEAN, .deflt = "false", .doc = "true: the end is joined to the beginning (a ring)"},
  {.name = "material",         .type = VV_GROUP, .sub = &material_schema, .flags = VV_REQUIRED, .doc = "elastic constants and density"},
  {.name = "section",          .type = VV_CHOICE, .sub = &vvi_section_schema, .flags = VV_REQUIRED, .doc = "cross-section"},
  VVI_DAMPING_FIELD,
  {.name = "stiffness",        .type = VV_GROUP, .sub = &stiffness_schema, .doc = "corrections of the section's stiffness"},
  {.name = "shape",            .type = VV_CHOICE, .sub = &shape_schema, .deflt = "straight", .doc = "initial shape"},
  {.name = "rest",             .type = VV_WORD, .words = "straight|shape", .deflt = "straight", .doc = "straight: the unstressed beam is straight, and a curved initial shape springs back. shape: the initial shape is unstressed (not for bump and nodes)"},
  {.name = "position",         .type = VV_VECTOR, .unit = "m", .flags = VV_MOVED, .deflt = "[0, 0, 0]", .doc = "of the first node (added to the positions of a file); of the centre of a ring"},
  {.name = "axis",             .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 1]", .doc = "direction of d3 at the first node (not with a file)"},
  {.name = "normal",           .type = VV_VECTOR, .unit = "1", .deflt = "[1, 0, 0]", .doc = "direction of d1 at the first node, made perpendicular to the axis; the default along such an axis becomes [0, 1, 0] (a file without frames carries it along its polygon)"},
  {.name = "velocity",         .type = VV_VECTOR, .unit = "m/s", .deflt = "[0, 0, 0]", .doc = "of all nodes"},
  {.name = "spin",             .type = VV_VECTOR, .unit = "rad/s", .deflt = "[0, 0, 0]", .doc = "rigid rotation about the centre of mass, in space"},
  {.name = "velocity_profile", .type = VV_LIST, .sub = &profile_schema, .flags = VV_OPTIONAL, .doc = "more velocity, varying along the beam"},
  {.name = "spin_profile",     .type = VV_LIST, .sub = &spin_profile_schema, .flags = VV_OPTIONAL, .doc = "more angular velocity of the frames alone"},
  {.name = "toward",           .type = VV_GROUP, .sub = &toward_schema, .flags = VV_OPTIONAL, .doc = "more velocity: every node is on its way to a second uniform shape (shape uniform with steps cayley)"},
  {.name = "ends",             .type = VV_GROUP, .sub = &ends_schema, .doc = "supports"},
  {.name = "copies",           .type = VV_GROUP, .sub = &vvi_copies_schema, .flags = VV_OPTIONAL, .doc = "many of the same, NAME-0, NAME-1, ..."},
  {.name = "masses",           .type = VV_LIST, .sub = &mass_schema, .flags = VV_OPTIONAL, .doc = "point masses"},
  {.name = "loads",            .type = VV_LIST, .sub = &load_schema, .flags = VV_OPTIONAL, .doc = "forces and moments on nodes"},
  {.name = "distributed",      .type = VV_LIST, .sub = &spread_schema, .flags = VV_OPTIONAL, .doc = "loads on the whole length"},
  {.name = "touch",            .type = VV_WORD, .words = "section|centroid", .deflt = "section", .doc = "what of a section comes into contact. section: a round one its radius, a rectangle its four corners, a general one its centroid. centroid: the line of centroids (the papers)"},
  {.name = "rounding",         .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e30, .deflt = "0", .doc = "radius of the edges of a rectangle as contact sees it; mass and stiffness are those of the sharp section. energy-momentum needs it where such a beam meets another one, a box or a shell without thickness"},
  {.name = "strain",           .type = VV_WORD, .words = "one-point|trapezoid|cayley|exp|exp-se3", .deflt = "one-point", .doc = "one-point: strain at the middle of an element, no locking. trapezoid: at its two nodes (the 2015 paper; locks in shear on coarse meshes). cayley: by the Cayley map of SE(3) between its nodes (the multisymplectic papers of 2016 and 2017), no locking. exp: as trapezoid, with the rotation vector of the exponential between the sections ((16) of the 2015 paper). exp-se3: by the exponential of SE(3), constant strains along a helix. energy-momentum always takes one point"},
  {.name = "drift",            .type = VV_WORD, .words = "lgvi|lavi-cayley|lavi-cay|lavi-exp|cayley", .deflt = "lgvi", .doc = "how a node turns and moves freely. lgvi: group variables, closed form. lavi-*: Lie algebra variables with the Cayley map of SE(3), the Cayley map of SO(3) with its tangent, or the exponential. cayley: another name for lavi-cayley, with strain cayley the multisymplectic scheme. energy-momentum has no drift: the word does nothing there"},
};
const vv_schema beam_schema = {"beam", beam_field, VV_COUNT(beam_field), "geometrically exact beam in space"};
/* clang-format on */
