/* model/scene_fields.c  The keys of a scene but those of bodies.  Each row is documentation, default and check at once. */
#include "model/expression.h"
#include "model/model.h"

/* clang-format off */
static const vv_field units_field[] = {
  {.name = "length", .type = VV_TEXT, .deflt = "m",  .doc = "name of the unit of length; numbers are not converted"},
  {.name = "mass",   .type = VV_TEXT, .deflt = "kg", .doc = "name of the unit of mass"},
  {.name = "time",   .type = VV_TEXT, .deflt = "s",  .doc = "name of the unit of time"},
};
static const vv_schema units_schema = {"units", units_field, VV_COUNT(units_field), "names of consistent units, printed and recorded"};

static const vv_field safety_field[] = {
  {.name = "safety", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "fraction of the stable step"},
  {.name = "adapt",  .type = VV_BOOLEAN, .deflt = "false", .doc = "true: where shells that flow or break are crushed until the step is too long for them, it is taken in 2, 4, ... up to 64 parts from the next whole step on; false: the run stops there"},
  {.name = "variational", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e6, .flags = VV_OPTIONAL, .doc = "bars and beams in the leapfrog, contacts by massless tips: the discrete energy equation chooses the length of each step, about that of the fraction. The number is the weight that holds steps together: 0.01 is usual, the smaller, the more they differ"},
  {.name = "asynchronous", .type = VV_BOOLEAN, .deflt = "false", .doc = "bars and beams in the leapfrog, contacts by massless tips: every element takes steps of its own, the fraction of its own stable step; whole steps are that of the largest, up to 64 times the smallest"},
  {.name = "kicks", .type = VV_WORD, .words = "golden|plain", .deflt = "golden", .doc = "with 'variational': a step is two drifts and three kicks. golden: of sizes for which its energy grows with its length, so that the equation has a root. plain: as two steps of kick, drift, kick; then there is none now and then, and such a step, counted as a fallback, is as long as the last one"},
};
static const vv_schema safety_schema = {"time.step", safety_field, VV_COUNT(safety_field), "step as a fraction of the stable step"};

static const vv_field time_field[] = {
  {.name = "end",  .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "the run ends at the last whole step not after this time"},
  {.name = "step", .type = VV_EITHER, .unit = "s", .lo = 0, .hi = 1e12, .sub = &safety_schema, .flags = VV_OPEN_LO, .doc = "time step, or a fraction of the stable step.  Left out: 0.8 of it for linear bars, 0.5 where something bends or is not linear, 0.3 where that may touch something, and for bars where impacts cut steps or massless ends touch in whole ones"},
};
static const vv_schema time_schema = {"time", time_field, VV_COUNT(time_field), "how long and how finely"};

static const vv_field method_field[] = {
  {.name = "step",  .type = VV_WORD, .words = "auto|leapfrog|dcr2005|event|energy-momentum|rkmk", .deflt = "auto", .doc = "leapfrog: kick, drift, kick; contact acts at whole steps.  dcr2005: contacts overlap, are projected and respond, as in 2005; taken by itself where a contact has a projection.  event: the step is cut at the contact time.  energy-momentum: implicit, keeps energy exactly, through contact too (bars, round beams, shells, rigid bodies).  rkmk: Runge-Kutta-Munthe-Kaas of order 4, bars, beams and shells that nothing holds or meets, for comparison.  auto: event where linear or yielding bars and planes alone can touch, without loads and drives, else leapfrog"},
  {.name = "jump",  .type = VV_WORD, .words = "auto|slab|nodal|modified", .deflt = "auto", .doc = "which energy an event balances. slab: the discrete energy of the time slabs (the papers). nodal: the energy at the contact time. modified: the energy that the step itself conserves exactly (linear bodies). auto: modified where it can, else nodal"},
  {.name = "on_off", .type = VV_WORD, .words = "balanced|printed", .deflt = "balanced", .doc = "massless ends of bars (tips split, cell) with jump slab. balanced: a small impulse keeps the energy of the slabs where a contact begins or ends. printed: no impulse, (4.14) of the 2017 paper; energy is not balanced there"},
  {.name = "simultaneous", .type = VV_WORD, .words = "reflections|complementarity", .deflt = "reflections", .doc = "impacts of rigid bodies at one time. reflections: pass by pass, those that approach (Newton's cradle: one in, one out). complementarity: bodies that touch are blocked together"},
  {.name = "locate", .type = VV_WORD, .words = "auto|none|exact", .deflt = "auto", .doc = "impacts of rigid balls. exact: each at its own time within the step. none: before the position update that would make them overlap. auto: exact where only balls, planes and rooms touch, with restitution 1"},
  {.name = "halvings", .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 40, .deflt = "0", .doc = "rigid bodies: locate impacts by halving the step around them up to so many times"},
  {.name = "start", .type = VV_WORD, .words = "half-kick|drift", .deflt = "half-kick", .doc = "half-kick: velocities belong to the start (order 2).  drift: they belong to the first drift, before any kick (the 2015 paper; order 1)"},
  {.name = "order", .type = VV_INTEGER, .unit = "1", .lo = 2, .hi = 6, .deflt = "2", .doc = "2, 4 or 6; 4 and 6 by composition of steps of order 2; impacts of beams keep the order with jump nodal and restitution 1; contacts at rest, slab and contacts of beams with other bodies are of order 2"},
};
static const vv_schema method_schema = {"method", method_field, VV_COUNT(method_field), "stepper and jump rule"};

static const vv_field friction_field[] = {
  {.name = "static",  .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e3, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "what holds: it slides where more would be needed to stop it in one step"},
  {.name = "kinetic", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e3, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "once it slides; not above static"},
};
static const vv_schema friction_schema = {"friction", friction_field, VV_COUNT(friction_field), "a coefficient that holds, and a smaller one that slides"};

static const vv_field contact_field[] = {
  {.name = "between",     .type = VV_NAMES, .words = "all", .deflt = "all", .doc = "two bodies, or all; one body alone: it and itself. The most specific line wins"},
  {.name = "restitution", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1, .deflt = "1", .doc = "ratio of separation to approach speed of the touching nodes"},
  {.name = "friction",    .type = VV_EITHER, .unit = "1", .lo = 0, .hi = 1e3, .deflt = "0", .sub = &friction_schema, .doc = "Coulomb coefficient, or one that holds and one that slides (leapfrog)"},
  {.name = "rolling",     .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .deflt = "0", .doc = "resistance to rolling of rigid bodies (leapfrog): the arm at which the normal force acts in front of what rolls; a ball of radius R stays on slopes up to rolling/R"},
  {.name = "response",    .type = VV_WORD, .words = "auto|reflect|dcr|multiplier|penalty|none", .deflt = "auto", .doc = "reflect: bounce at the contact time (event).  dcr: decomposition response at whole steps (leapfrog).  multiplier, penalty: in energy-momentum steps, by an impulse or by a spring.  none: the pair passes through.  auto: the one that fits the stepper"},
  {.name = "stiffness",   .type = VV_NUMBER, .unit = "N/m", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "of the spring of 'response: penalty'; with a restitution e below 1 it gives back the share e^2 of what it took, along a line that is steeper by 1/e^2"},
  {.name = "layer",       .type = VV_NUMBER, .unit = "N/m^3", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "a massless elastic layer between beams or shells and obstacles or rigid balls: its modulus over its thickness. Contact lasts while the bodies press, and does not chatter (leapfrog)"},
  {.name = "arms",        .type = VV_WORD, .words = "D|C|printed", .deflt = "D", .doc = "multiplier only: where its impulse acts. D: at one point of the modified configuration. C: half way between the two points of the predictor (the paper, corrected). printed: as C, with the places at the start of the step where the middle belongs, (13) of the paper but for its signs: angular momentum is not kept"},
  {.name = "self",        .type = VV_WORD, .words = "auto|true|false", .deflt = "auto", .doc = "true: each body also touches itself (beams, surfaces). auto: surfaces (shells) do, beams do not. An entry with one body in 'between' says so for that one alone"},
  {.name = "thickness",   .type = VV_BOOLEAN, .deflt = "false", .doc = "true: surfaces (shells) keep half the sum of their thicknesses apart; false: their middle surfaces touch"},
  {.name = "search",      .type = VV_WORD, .words = "auto|general", .deflt = "auto", .doc = "ends of bars in leapfrog. general: their contacts are found and resolved as those of shells. auto: the same where anything but bars and planes is in the scene; bars alone are paired along their line, once and for all"},
  {.name = "projection",  .type = VV_WORD, .words = "anticipate|none|paper|kept|recomputed|predictor|half-step", .deflt = "anticipate", .doc = "dcr only. anticipate: respond before the drift that would penetrate. none: respond after it, positions untouched (both second order). paper: the 2005 paper's own step, penetrate, project, respond; kept, recomputed, predictor, half-step: four readings of it, of which predictor comes closest to its figures"},
  {.name = "correction",  .type = VV_WORD, .words = "none|energy|angular|both", .deflt = "none", .doc = "of a projection that moves positions. energy: the response takes back the work that the projection did, as the nodal forces times the way ((15) of the 2005 paper). angular: the angular momentum that it changed is taken back by turning the nodes of the pair (surfaces). The paper proposes both and runs neither"},
};
static const vv_schema contact_schema = {"contacts", contact_field, VV_COUNT(contact_field), "who touches whom, and how"};

static const vv_field record_field[] = {
  {.name = "every",      .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "time between frames (results.h5, paraview); default: 200 frames in a run, every fourth of them for ParaView"},
  {.name = "bodies",     .type = VV_WORD, .words = "auto|true|false", .deflt = "auto", .doc = "write bodies.csv: energy and momentum of each body, with every frame. auto: where 2 to 50 bodies move"},
  {.name = "ledger",     .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 1e12, .flags = VV_OPTIONAL, .doc = "steps between rows of ledger.csv; default: 1, or as many as make some 20,000 rows of a longer run"},
  {.name = "events",     .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 1e12, .deflt = "100000", .doc = "most impacts in events.csv and results.h5: the first half of them as they come, the others spread over the run. The summary says how many are left out; ledger.csv counts and contacts.csv sums up all of them"},
  {.name = "probes",     .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "time between rows of probes.csv, and between looks at 'stop'; default: every step, or as many as make some 20,000 rows"},
  {.name = "checkpoint", .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "time between checkpoints; default: a tenth of the run, but not more than one in two seconds of computing"},
  {.name = "modified",   .type = VV_BOOLEAN, .deflt = "false", .doc = "add the column energy_h2 to ledger.csv: the energy that the step keeps to fourth order (explicit steps of order 2)"},
  {.name = "traction",   .type = VV_BOOLEAN, .deflt = "false", .doc = "add the fields contact_normal and contact_tangential of shells (Pa) and beams (N/m) to the frames: the impulse that contact gave each node since the last frame, along its normals and across them, over that time and over the part of the body at rest that belongs to the node (leapfrog, one process, no device)"},
  {.name = "pause",      .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "impulses of two bodies that follow each other within this time belong to one contact (contacts.csv); default: 4 steps, or 16 times what an element of the two needs to respond, and in any case 8 times the mean pause of the contact so far"},
  {.name = "paraview",   .type = VV_BOOLEAN, .deflt = "true", .doc = "write paraview/run.pvd and its frames"},
};
static const vv_schema record_schema = {"record", record_field, VV_COUNT(record_field), "what is written, and how often"};

static const vv_field probe_field[] = {
  {.name = "name",    .type = VV_TEXT, .flags = VV_REQUIRED, .doc = "of its columns in probes.csv, and for 'stop'"},
  {.name = "body",    .type = VV_TEXT, .flags = VV_REQUIRED, .doc = "which body"},
  {.name = "measure", .type = VV_WORD, .words = "position|displacement|velocity|angular_velocity|orientation|d1|d2|d3|limit|momentum|angular_momentum|kinetic_energy|energy|strain|curvature|stress|mises|n|m|thickness|plastic_strain|damage|energy_density|dissipated_density|number", .flags = VV_REQUIRED, .doc = "what: the fields of results.h5 that this kind of body has (n, m: resultants of beams), and kinetic_energy, angular_momentum (about the origin) and energy (kinetic, elastic and potential)"},
  {.name = "node",    .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 2e9, .flags = VV_OPTIONAL, .doc = "at this node of the body, or copy of a rigid one, counted from 0"},
  {.name = "element", .type = VV_INTEGER, .unit = "1", .lo = 0, .hi = 2e9, .flags = VV_OPTIONAL, .doc = "in this element, counted from 0"},
  {.name = "point",   .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "at the node or element that is nearest to this point at the start"},
  {.name = "low",     .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "over nodes or elements that are above this corner of a box at the start; by default the whole body"},
  {.name = "high",    .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "and below this one"},
  {.name = "take",    .type = VV_WORD, .words = "auto|sum|mean|most", .deflt = "auto", .doc = "over several nodes or elements. most: the largest size. auto: the sum of momenta and energies, the mean of the rest"},
};
static const vv_schema probe_schema = {"probes", probe_field, VV_COUNT(probe_field), "quantities that are written to probes.csv"};

static const vv_field stop_field[] = {
  {.name = "probe",      .type = VV_TEXT, .flags = VV_OPTIONAL, .doc = "a probe that is above or below a bound"},
  {.name = "component",  .type = VV_WORD, .words = "auto|x|y|z|size", .deflt = "auto", .doc = "of that probe. auto: the one it has, or the size"},
  {.name = "above",      .type = VV_NUMBER, .unit = VVI_ANY_UNIT, .flags = VV_OPTIONAL, .doc = "bound of the probe: -5 cm, 2 kN; a number without a unit is in that of the probe"},
  {.name = "below",      .type = VV_NUMBER, .unit = VVI_ANY_UNIT, .flags = VV_OPTIONAL, .doc = "bound of the probe: -5 cm, 2 kN; a number without a unit is in that of the probe"},
  {.name = "separation", .type = VV_NAMES, .flags = VV_OPTIONAL, .doc = "two bodies that have touched, and have not for the time 'for'"},
  {.name = "for",        .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_OPTIONAL, .doc = "how long bodies have been apart or at rest; default: 100 steps"},
  {.name = "rest",       .type = VV_NUMBER, .unit = "m/s", .lo = 0, .hi = 1e12, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "every node has been slower than this for the time 'for'"},
  {.name = "after",      .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .deflt = "0", .doc = "not before this time"},
};
static const vv_schema stop_schema = {"stop", stop_field, VV_COUNT(stop_field), "the run ends when one of these is so: a probe's bound, separation or rest"};

static const vv_field constant_field[] = {
  {.name = "amplitude", .type = VV_NUMBER, .unit = "1", .deflt = "1", .doc = "factor on the load"},
};
static const vv_schema constant_schema = {"constant", constant_field, VV_COUNT(constant_field), "always on"};
static const vv_field ramp_field[] = {
  {.name = "amplitude", .type = VV_NUMBER, .unit = "1", .deflt = "1", .doc = "factor on the load at the end of the ramp"},
  {.name = "start",     .type = VV_NUMBER, .unit = "s", .deflt = "0", .doc = "the ramp begins"},
  {.name = "duration",  .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "from zero to the amplitude; constant afterwards"},
};
static const vv_schema ramp_schema = {"ramp", ramp_field, VV_COUNT(ramp_field), "rises linearly, then constant"};
static const vv_field pulse_field[] = {
  {.name = "amplitude", .type = VV_NUMBER, .unit = "1", .deflt = "1", .doc = "peak factor on the load"},
  {.name = "start",     .type = VV_NUMBER, .unit = "s", .deflt = "0", .doc = "the pulse begins"},
  {.name = "duration",  .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e12, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "length of the pulse; zero outside"},
};
static const vv_schema pulse_schema = {"pulse", pulse_field, VV_COUNT(pulse_field), "(1 - cos)/2 pulse"};
static const vv_field harmonic_field[] = {
  {.name = "amplitude", .type = VV_NUMBER, .unit = "1", .deflt = "1", .doc = "factor on the load"},
  {.name = "frequency", .type = VV_NUMBER, .unit = "rad/s", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "angular frequency"},
  {.name = "phase",     .type = VV_NUMBER, .unit = "rad", .deflt = "0", .doc = "amplitude * sin(frequency t + phase)"},
};
static const vv_schema harmonic_schema = {"harmonic", harmonic_field, VV_COUNT(harmonic_field), "a sine"};
static const vv_field table_field[] = {
  {.name = "time",  .type = VV_NUMBERS, .unit = "s", .flags = VV_REQUIRED, .doc = "increasing times"},
  {.name = "value", .type = VV_NUMBERS, .unit = "1", .flags = VV_REQUIRED, .doc = "one factor per time; linear between, constant outside"},
};
static const vv_schema table_schema = {"table", table_field, VV_COUNT(table_field), "piecewise linear"};
static const vv_field history_field[] = {
  {.name = "constant", .type = VV_GROUP, .sub = &constant_schema, .flags = VV_OPTIONAL, .doc = "always on"},
  {.name = "ramp",     .type = VV_GROUP, .sub = &ramp_schema, .flags = VV_OPTIONAL, .doc = "rises linearly, then constant"},
  {.name = "pulse",    .type = VV_GROUP, .sub = &pulse_schema, .flags = VV_OPTIONAL, .doc = "(1 - cos)/2 pulse"},
  {.name = "harmonic", .type = VV_GROUP, .sub = &harmonic_schema, .flags = VV_OPTIONAL, .doc = "a sine"},
  {.name = "table",    .type = VV_GROUP, .sub = &table_schema, .flags = VV_OPTIONAL, .doc = "piecewise linear"},
};
const vv_schema vvi_history_schema = {"history", history_field, VV_COUNT(history_field), "how a load or a driven end varies in time"};

static const vv_field motion_field[] = {
  {.name = "velocity",     .type = VV_VECTOR, .unit = "m/s", .deflt = "[0, 0, 0]", .doc = "a steady motion"},
  {.name = "displacement", .type = VV_VECTOR, .unit = "m", .deflt = "[0, 0, 0]", .doc = "times the history, counted from its value at the start"},
  {.name = "history",      .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how the displacement varies in time"},
  {.name = "spin",         .type = VV_VECTOR, .unit = "rad/s", .deflt = "[0, 0, 0]", .doc = "a steady turning about the centre of mass, in space"},
};
const vv_schema vvi_motion_schema = {"motion", motion_field, VV_COUNT(motion_field), "prescribed motion; what it takes is booked as external work"};

static const vv_field torus_field[] = {
  {.name = "ring",   .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "radius of the ring"},
  {.name = "tube",   .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "radius of the tube"},
  {.name = "around", .type = VV_INTEGER, .unit = "1", .lo = 3, .hi = 1e5, .flags = VV_REQUIRED, .doc = "divisions along the ring"},
  {.name = "across", .type = VV_INTEGER, .unit = "1", .lo = 4, .hi = 1e5, .flags = VV_REQUIRED, .doc = "divisions around the tube, an even number"},
};
const vv_schema vvi_torus_schema = {"torus", torus_field, VV_COUNT(torus_field), "a torus about z"};

static const vv_field grid_field[] = {
  {.name = "count",   .type = VV_VECTOR, .unit = "1", .lo = 1, .hi = 1e8, .flags = VV_REQUIRED, .doc = "copies along x, y, z: whole numbers"},
  {.name = "spacing", .type = VV_VECTOR, .unit = "m", .flags = VV_REQUIRED, .doc = "from copy to copy along x, y, z; the first copy is where the body is"},
};
const vv_schema vvi_grid_schema = {"grid", grid_field, VV_COUNT(grid_field), "rows, columns and layers; x counts fastest, then y"};
static const vv_field copies_field[] = {
  {.name = "grid", .type = VV_GROUP, .sub = &vvi_grid_schema, .flags = VV_REQUIRED, .doc = "rows, columns and layers"},
};
const vv_schema vvi_copies_schema = {"copies", copies_field, VV_COUNT(copies_field), "many of the same, each a body of its own"};

static const vv_field joint_field[] = {
  {.name = "kind",   .type = VV_WORD, .words = "ball|hinge|slider|cylinder|weld|distance|plane", .flags = VV_REQUIRED, .doc = "ball: the two points stay together.  hinge: they also turn about the axis alone.  slider: the second moves along the axis of the first and does not turn.  cylinder: it may also turn about that axis.  weld: nothing moves.  distance: the two points keep their distance.  plane: the point of the second stays in a plane of the first, and slides in it"},
  {.name = "bodies", .type = VV_NAMES, .words = "ground", .flags = VV_REQUIRED | VV_AMONG, .doc = "two bodies, or one and `ground`; an obstacle is as good as the ground.  Joined bodies do not touch each other unless a line of `contacts` names both"},
  {.name = "at",     .type = VV_VECTOR, .unit = "m", .flags = VV_REQUIRED, .doc = "where it is at the start, in space; beams, bars and shells are joined at their nearest node"},
  {.name = "to",     .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "the point of the second body; by default that of the first.  A distance needs it"},
  {.name = "axis",   .type = VV_VECTOR, .unit = "1", .flags = VV_OPTIONAL, .doc = "of hinge, slider and cylinder; the normal of a plane; carried by the first body"},
  {.name = "nodes",  .type = VV_WORD, .words = "nearest|all", .deflt = "nearest", .doc = "of a plane. nearest: the node of the second body at the point. all: every node of it slides in the plane, as along an interface that cannot open"},
  {.name = "length", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "of a distance; by default that at the start, and no other is accepted"},
};
static const vv_schema joint_schema = {"joints", joint_field, VV_COUNT(joint_field), "what holds bodies together"};

static const vv_field scene_field[] = {
  {.name = "visviva",  .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 1, .flags = VV_REQUIRED, .doc = "version of this grammar"},
  {.name = "include",  .type = VV_LATER, .words = "a file, or a list of files", .flags = VV_OPTIONAL, .doc = "scene files whose keys hold where this one says nothing: maps are joined key by key, everything else is replaced; later files take precedence over earlier ones; paths count from the folder of this file"},
  {.name = "title",    .type = VV_TEXT, .deflt = "untitled", .doc = "one line about the scene"},
  {.name = "units",    .type = VV_GROUP, .sub = &units_schema, .doc = "names of consistent units"},
  {.name = "parameters", .type = VV_LATER, .words = "a map of names and numbers", .flags = VV_OPTIONAL, .doc = "numbers with names, for formulas: {speed: 5 m/s}; each may use those before it, and `visviva run --set speed=6` gives it another value"},
  {.name = "materials", .type = VV_LATER, .words = "a map of names and materials", .flags = VV_OPTIONAL, .doc = "materials with names: {steel: {young: 210 GPa, density: 7850}}, and then `material: steel` in any body; a kind of body takes the keys it knows"},
  {.name = "sections", .type = VV_LATER, .words = "a map of names and sections", .flags = VV_OPTIONAL, .doc = "sections of bars and beams with names: {round: {circle: {radius: 5 mm}}}, and then `section: round`"},
  {.name = "time",     .type = VV_GROUP, .sub = &time_schema, .flags = VV_REQUIRED, .doc = "how long and how finely"},
  {.name = "method",   .type = VV_GROUP, .sub = &method_schema, .doc = "stepper and jump rule"},
  {.name = "gravity",  .type = VV_VECTOR, .unit = "m/s^2", .deflt = "[0, 0, 0]", .doc = "acceleration of gravity"},
  {.name = "bodies",   .type = VV_BODIES, .flags = VV_REQUIRED, .doc = "name: {kind: ..., ...}"},
  {.name = "contacts", .type = VV_LIST, .sub = &contact_schema, .deflt = "[{between: all}]", .doc = "who touches whom, and how"},
  {.name = "joints",   .type = VV_LIST, .sub = &joint_schema, .flags = VV_OPTIONAL, .doc = "what holds bodies together, or to the ground"},
  {.name = "probes",   .type = VV_LIST, .sub = &probe_schema, .flags = VV_OPTIONAL, .doc = "quantities that are written to probes.csv"},
  {.name = "stop",     .type = VV_LIST, .sub = &stop_schema, .flags = VV_OPTIONAL, .doc = "when to end before time.end"},
  {.name = "record",   .type = VV_GROUP, .sub = &record_schema, .doc = "what is written, and how often"},
};
const vv_schema vvi_scene_schema = {"scene", scene_field, VV_COUNT(scene_field), "the top level of a scene file"};
/* clang-format on */
