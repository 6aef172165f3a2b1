/* visviva/ext.h  tier: extend.  The tables that a body kind or a stepper fills.
 *
 * A kind is one const table of batch functions over a block: all bodies of that kind in the model, structure of arrays.
 * Nothing here allocates: kinds say what they need (measure), the model places it, they fill it. */
#pragma once
#include "visviva/book.h"
#include "visviva/fields.h"
#include "visviva/model.h"
#include "visviva/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a table may claim; one test loops over the catalog and proves every claim ------------------------------- */
enum vv_claim_flag {
  VV_EXPLICIT = 1, /* drift needs no iteration                                             */
  VV_FLAT = 2,     /* configuration space is R^n: drift is q += h M^-1 p, M constant        */
  VV_LINEAR = 4,   /* force is affine in q                                                 */
  VV_SYMPLECTIC = 8,
  VV_KEEPS_ENERGY = 16,   /* exactly (to rounding)                                                */
  VV_KEEPS_MOMENTUM = 32, /* linear and angular                                                   */
  VV_REVERSIBLE = 64,
  VV_NO_PENETRATION = 128
};

/* ---- histories: how a load or a driven end varies in time ------------------------------------------------------------ */
typedef enum vv_history_kind { VV_CONSTANT, VV_RAMP, VV_PULSE, VV_HARMONIC, VV_TABLE } vv_history_kind;
typedef struct vv_history {
  vv_history_kind kind;
  double amplitude, start, duration, frequency, phase;
  const double *time, *value; /* [n] table */
  int n;
} vv_history;
VV_API double vv_history_at(const vv_history *h, double t);

typedef struct vv_load {
  int32_t body, node; /* index of the body in the block; node within the block, -1: all nodes of the body */
  bool motion;        /* a driven displacement rather than a force */
  bool follower;      /* turns with the frame of its node */
  double value[6];    /* force or displacement, then moment (N or m, N m; per length when on all nodes) */
  double at[3];       /* point of action of the force, in the axes of its node (m); rigid bodies only */
  vv_history history;
} vv_load;

/* ---- blocks ----------------------------------------------------------------------------------------------------------- */
typedef struct vv_need {
  int64_t nodes, elements;
  int64_t
      internal; /* reals of internal variables (plastic strain, branches, damage): part of the state, behind all places */
  int32_t patches, loads;
  struct vvi_arena *arena; /* given: lasts until the body is filled */
  void *found;             /* what measure leaves there for fill; may be NULL */
} vv_need;

typedef enum vv_patch_type {
  VV_PATCH_TIP,      /* a point with an outward direction */
  VV_PATCH_PLANE,    /* the half space direction.x >= offset is free */
  VV_PATCH_CURVE,    /* the nodes of a body in order, and the segments between them */
  VV_PATCH_SPHERE,   /* free outside, or inside */
  VV_PATCH_CYLINDER, /* round, endless, about the line through centre along direction */
  VV_PATCH_BOX,      /* free outside, or inside: a room */
  VV_PATCH_SOLID,    /* rigid shapes carried by nodes: one shape, a copy at each node */
  VV_PATCH_SURFACE,  /* triangles between nodes: a thin surface that can touch on both sides */
  VV_PATCH_TYPES
} vv_patch_type;

struct vv_solid; /* geom/solid.h: a rigid shape */

/* A piece of surface that can touch.  Where a curve has 4 corners, q of a node is its place and, by rows, its frame. */
typedef struct vv_patch {
  vv_patch_type type;
  int32_t body;
  int64_t node;  /* tip, curve, solid, surface: its (first) node within the block; -1: fixed in space */
  int64_t nodes; /* curve, solid, surface: how many.  tip: 0, or so many one behind the other inside of a chain of nodes
                          whose element i joins nodes i and i + 1: each sleeps until one of its two elements is broken */
  int64_t element;     /* surface: its first triangle within the block (element_node holds their corners) */
  int64_t elements;    /* surface: how many */
  int pieces;          /* surface: along each side of a triangle, where xi may be asked; 0, 1: the triangle is flat */
  double thickness;    /* surface: m.  curve: root of the area of its section */
  bool closed;         /* curve: the last node is joined to the first.  surface: no border, normals outward */
  int corners;         /* curve: points of a section that can touch: 1 (the centroid, or round about it) or 4 */
  const char *feature; /* name in events.csv: first, last, node, plane, sphere */
  double direction[3]; /* unit; outward direction of a tip, normal of a plane, axis of a cylinder */
  double offset;       /* plane: n.x = offset */
  double centre[3];    /* sphere, cylinder, box */
  double frame[9];     /* box: its axes, by rows */
  double half[3];      /* box: half its edges; curve with 4 corners: half the section along d1, d2 */
  double radius;       /* sphere, cylinder; of a round curve, of the edges of one with 4 corners */
  bool inside;         /* sphere, cylinder, box: the inside is free */
  double reach;        /* tip: distance from the node to the unstressed tip, along direction (m) */
  double compliance;   /* of the massless part in front of the node (m/N); 0: hard */
  bool held;           /* its node is fixed or driven: an impulse does not move it */
  bool guided;         /* it moves along `direction` only; a guide takes the rest of an impulse */
  const struct vv_solid *solid; /* solid: its shape in the frame of a node */
} vv_patch;

typedef struct vv_body {
  const char *name;
  const struct vv_body_kind *kind;
  const vv_group *group;
  int32_t index, block;  /* in the model; its block */
  int64_t node0, n_node; /* slice of the block */
  int64_t element0, n_element;
  int64_t z0, n_z; /* slice of the internal variables of the block */
  int32_t patch0, n_patch;
  int32_t load0, n_load;
} vv_body;

struct vv_net; /* visviva/net.h */
/* Nodes one behind the other. */
typedef struct vv_span {
  int64_t first, n;
} vv_span;
typedef struct vv_block {
  const struct vv_body_kind *kind;
  unsigned claims; /* the kind's; fill may take some back (VV_LINEAR for a nonlinear material) */
  int32_t n_body;
  const vv_body *const *body; /* [n_body] */
  int64_t nodes, elements;
  int64_t stride; /* nodes rounded up to a multiple of 8 */
  int64_t column; /* distance between columns of q and of p: nodes, or more so that columns share no cache set */
  int64_t q0, p0; /* start of this block in state.q, state.p; q is [node_q][column], p is [node_p][column] */
  int64_t z0; /* internal variables: z = q + z0, with q that of the block; written by flow alone, zero at the start */
  int64_t z_reals;         /* how many; 0: none */
  void *plan;              /* the kind's own, placed by fill in the arena of the model; NULL where it needs none */
  int32_t patches, patch0; /* patch0: start in the model's patch list */
  int32_t n_load;
  double *node_real;     /* [node_reals][stride]  kind's own columns */
  double *element_real;  /* [element_reals][elements] */
  int32_t *element_node; /* [elements][element_nodes]  node within the block */
  double *body_real;     /* [n_body][body_reals] */
  vv_patch *patch;       /* [patches] */
  vv_load *load;         /* [n_load] */
  double gravity[3];     /* m/s^2 */
  bool driven, booked;   /* set by fill: has driven nodes; has loads, supports or gravity to book */
  bool viscous;          /* set by fill: momenta are damped before and after steps */
  bool breaks;           /* set by fill: elements may break */
  int threads;
  int64_t spans; /* over ranks: the nodes that this rank moves, q and p of all others are not kept up; 0: all of them */
  vv_span *span; /* [spans] */
  const unsigned char *inside; /* [elements] those of a sub-domain (vv_vary_table.restrict_to); NULL: all */
} vv_block;

/* The body of a block that owns a node: their nodes lie one behind the other. */
static inline int32_t vv_body_of_node(const vv_block *b, int64_t node)
{
  int32_t lo = 0, hi = b->n_body - 1;
  while (lo < hi) {
    const int32_t mid = lo + (hi - lo + 1) / 2;
    if (b->body[mid]->node0 <= node)
      lo = mid;
    else
      hi = mid - 1;
  }
  return lo;
}

/* What fill gets: the block, the body (slices), and the initial state of the block (already offset by q0, p0). */
typedef struct vv_fill {
  vv_block *block;
  const vv_body *body;
  int32_t body_in_block;
  double *q, *p;
  struct vvi_arena *arena; /* of the model: what a kind places here lives as long */
  struct vvi_arena
      *early; /* what measure has left is there; fill may use it, and free it when nothing of it is needed any more */
  void *found;
} vv_fill;

/* A material point: patch within the block and surface coordinates.  Curve: xi[0] counts nodes from the first (3.25 lies
 * on the segment behind node 3), xi[1] is the corner of the section; arm leads in space from there to where an impulse
 * acts, for round sections.  Solid: xi[0] counts nodes (whole numbers), arm leads from the node to the point.  Surface:
 * element counts its triangles from the first, the weights of its corners are 1 - xi[0] - xi[1], xi[0], xi[1]. */
typedef struct vv_point {
  int32_t patch;
  int32_t element;
  double xi[2];
  double arm[3];
} vv_point;

typedef struct vv_output_field {
  const char *name, *unit;
  int components;   /* 1, 3 or 4 */
  bool on_elements; /* else on nodes */
} vv_output_field;

/* What a contact at the nodes of a block feels: a node moves and turns as a rigid frame, or only moves (no spin, no inverse
 * inertia), or not at all (both zero).  Symmetric matrices: xx yy zz yz xz xy. */
typedef struct vv_mover {
  double place[3], turn[9];    /* m; turn by rows, body to space */
  double velocity[3], spin[3]; /* m/s, rad/s */
  double inverse_mass[6];      /* 1/kg */
  double inverse_inertia[6];   /* 1/(kg m^2), space axes */
} vv_mover;

/* A surface of triangles to draw, in the frame of each node of a body. */
typedef struct vv_skin {
  int points, triangles;
  const double *point; /* [points][3] m */
  const int *triangle; /* [triangles][3] */
} vv_skin;

/* First variations and sub-domains: what the structure checks need.  NULL in a kind that does not offer them.
 * A variation has as many numbers per node as a momentum: dq, dp are [node_p][column].  In flat kinds dq is the change of
 * q; in others it is a tangent vector (beam: dx, and dtheta with dLambda = dtheta^ Lambda), and the momentum form is
 * p.dq, whose exterior derivative has the term `twist` beside dp.dq. */
typedef struct vv_vary_table {
  /* dp += h D(force)(q) dq */
  void (*kick)(const vv_block *b, double h, const double *q, const double *dq, double *dp);
  /* tangent of drift at (q, p) before the drift: dq += h M^-1 dp.  Flat kinds only, NULL in others */
  void (*drift)(const vv_block *b, double h, const double *q, const double *p, double *dq, double *dp);
  /* dx[n][3]: how material points move when q moves by dq */
  void (*surface)(const vv_block *b, const double *q, const double *dq, int n, const vv_point *pt, double *dx);
  /* sub: the block with only the elements where inside[e] != 0, or in kinds without elements the nodes (its element_real and
   * node_real are storage of the caller, same sizes; inside lives as long; its kind may be another, of which only kick and
   * vary->kick are called); share[np]: the part of each node's mass that belongs to them */
  void (*restrict_to)(const vv_block *b, const unsigned char *inside, vv_block *sub, double *share);
  /* p += h (gravity alone), also of a sub-domain; may be NULL */
  void (*weigh)(const vv_block *b, double h, double *p);

  /* Kinds that are not flat; NULL in the others. */

  /* Tangent of drift at (q, p) before the drift, whose length varies by dh too.  d_energy[nodes]: variation of each
   * node's part of drift_energy */
  void (*flight)(const vv_block *b, double h, double dh, const double *q, const double *p, double *dq, double *dp,
                 double *d_energy);
  /* The sum of p.[dq_v, dq_w] over the block; magnitude: the sum of its parts without signs is added */
  double (*twist)(const vv_block *b, const double *p, const double *dq_v, const double *dq_w, double *magnitude);
  /* Typical sizes: of a variation of each coordinate, and of the mass that it moves */
  void (*sizes)(const vv_block *b, double *dq, double *mass);
  /* Takes out of dq or dp what supports do not allow; may be NULL */
  void (*hold)(const vv_block *b, double *d);
  /* d: the variation that leads from q to the places of q_to in the block `to`, to first order where they are near; false: they
   * are where no motion leads (off the line of a bar) */
  bool (*between)(const vv_block *b, const double *q, const vv_block *to, const double *q_to, double *d);
} vv_vary_table;

/* Evolution in space: what one node did at all times, and what the element before it did to it, give the same of the next node.
 * Levels are counted from 0; row j of an array belongs to level j. */
typedef struct vv_space_line {
  double *q;                /* [levels][node_q] */
  double *flux;             /* [levels][node_p] force and torque of the element before on the node */
  double *dq[2], *dflux[2]; /* [levels][node_p] two first variations of both; NULL: none */
} vv_space_line;
typedef struct vv_space_table {
  /* Why this body (index in the block) cannot; NULL: it can */
  const char *(*refuse)(const vv_block *b, int32_t body);
  /* From node i (of the block), known at the levels first ... last, h apart, to the node behind it, at first + 1 ... last - 1.
   * Returns the level at which it has no solution, -1: none. */
  int64_t (*march)(const vv_block *b, int64_t node, int64_t first, int64_t last, double h, const vv_space_line *from,
                   vv_space_line *to);
  /* sum over the levels of dflux ^ dq of two variations, with what the space adds where it is not flat; *magnitude: of its
   * parts without signs is added */
  double (*form)(const vv_block *b, int64_t first, int64_t last, double h, const vv_space_line *at, double *magnitude);
} vv_space_table;

/* Kick and drift of some nodes of a block (of a flat kind, without internal variables), with the bits that those of the whole
 * block give them; all other nodes are left alone.  States of one call differ, and have columns of their own. */
typedef struct vv_some_table {
  /* Room for what kicks of a set of nodes need to know of it; NULL: no memory. */
  void *(*set)(const vv_block *b, struct vvi_arena *arena);
  /* Nodes on whose positions the forces on n nodes depend, these among them, into out[nodes]; those with mark[node] are there
   * already, the others are marked.  The n nodes are the set from now on.  Returns how many it wrote; -1: this block has none of
   * these functions. */
  int64_t (*around)(const vv_block *b, int64_t n, const int32_t *node, void *set, unsigned char *mark, int32_t *out);
  int64_t (*reals)(const vv_block *b); /* of the scratch of a kick */
  /* The n nodes of a set, a kick of length h, then a drift (0: none); in so many states at once, each with a scratch of its own. */
  void (*kick)(const vv_block *b, double h, double drift, int64_t n, const int32_t *node, const void *set, int states,
               double *const scratch[], double *const q[], double *const p[]);
  /* The first step of states that begin at the places q0, with momenta of their own, where the force is f: p += kick f, and a drift of
   * length h to q. */
  void (*set_out)(const vv_block *b, double kick, double h, int64_t n, const int32_t *node, const double *q0,
                  const double *f, int states, double *const q[], double *const p[]);
} vv_some_table;

/* Single elements of two nodes, for steps of their own: of a block without loads, supports and internal variables. */
typedef struct vv_apart_table {
  void (*steps)(const vv_block *b, double *out); /* out[elements]: 2/omega of each alone */
  void (*kick)(const vv_block *b, int64_t element, double h, const double *q, double *p);
  void (*drift)(const vv_block *b, int64_t node, double h, double *q, double *p);
} vv_apart_table;

/* Places moved by tangent vectors, which have the columns of momenta; of a block without supports. */
typedef struct vv_lie_table {
  void (*move)(const vv_block *b, const double *q0, const double *u, double *q); /* q = exp(u) q0 */
  /* k: how fast u changes where q = exp(u) q0 and the momenta are p, to fourth order in u */
  void (*rate)(const vv_block *b, const double *u, const double *q, const double *p, double *k);
} vv_lie_table;

/* A node that is a rigid body.  Its q is its place, a quaternion (w first) that turns its principal axes to space axes, and
 * what rounding left out of these seven sums; its p are momentum and spin about the centre, in space axes. */
typedef struct vv_frame {
  double mass, inertia[3]; /* kg, kg m^2 about its axes; a moment may be 0 (a needle) */
  bool held;               /* it does not move */
} vv_frame;

/* A node of a body that bends, in an energy-momentum step: forces F and moments M on it do the work F.u + M.theta, and the arm R
 * of a material point is the mean of those at both ends, so that theta x R is how it changes. */
typedef struct vv_implicit_node {
  double place[3];       /* m: at the start */
  double u[3], theta[3]; /* the step, as found so far */
} vv_implicit_node;

/* The step of one body in parts, so that contacts can act within it.  Loads and answers are [nodes of the body][VV_IMPLICIT_ROW]:
 * force and moment, or motion and turn.  work: of this body, kept from begin to finish. */
enum { VV_IMPLICIT_ROW = 8 };
typedef struct vv_implicit_parts {
  bool turns;                                       /* nodes have moments and turn; else they only move */
  int64_t (*work)(const vv_block *b, int32_t body); /* reals */
  /* A step of length h from t is to be found; it starts as a flight. */
  void (*begin)(const vv_block *b, int32_t body, double t, double h, const double *q, const double *p, const double *v,
                double *work);
  /* One correction of Newton's iteration under these loads (N, N m), by a new tangent or the last one.  Sizes of the correction
   * and of the whole step, in one unit.  false: there is none. */
  bool (*correct)(double *work, const double *load, bool fresh, double *added, double *whole);
  /* What loads x change of the step, to first order, by the last tangent; in place.  part: of itself that may be left, where that is
   * found by iteration. */
  void (*respond)(double *work, double part, double *x);
  double (*lacks)(const double *work); /* J: of the energy, what the step as found does not balance; NULL: nothing */
  void (*node)(const double *work, int64_t node, vv_implicit_node *out);
  void (*rate)(const double *work, int64_t node, double v[6]); /* m/s, rad/s: at the start */
  void (*guide)(const double *work, double e[3]); /* the line along which all nodes move; NULL: they are free */
  /* The step is taken, and what came from outside booked, but for contacts. */
  void (*finish)(double *work, double *q, double *p, double *v, vv_posted *post);
} vv_implicit_parts;

/* Discrete-gradient form: what the energy-momentum stepper needs of a kind.  NULL in a kind that does not offer it.
 * v is the memory of the block between steps, [node_v][nodes]; work is scratch. */
typedef struct vv_implicit_table {
  /* All nodes, where they are rigid bodies: the stepper moves them itself, contacts and all, node_v is 0 and the functions
   * below are NULL.  NULL: they are not. */
  void (*frames)(const vv_block *b, vv_frame *out);
  int node_v;
  int64_t (*work)(const vv_block *b); /* reals of scratch */
  void (*start)(const vv_block *b, const double *q, const double *p, double *v);
  /* NULL: there are only parts, and velocities are momenta over masses.
   * One step from t to t + h, what came from outside booked; p: the momentum of each node at the new time.  Returns
   * iterations, or -1 when they did not converge. */
  int (*step)(const vv_block *b, double t, double h, double *q, double *p, double *v, double *work, vv_posted *post);
  void (*audit)(const vv_block *b, const double *q, const double *v,
                vv_totals *sum); /* adds kinetic and strain only; without
                                                                                        step strain alone */
  /* As the kind's, by the strains of this form; NULL: they are the same */
  void (*output)(const vv_block *b, int field, const double *q, const double *p, double *out);
  const vv_implicit_parts *parts; /* NULL: no contacts */
} vv_implicit_table;

/* A block on an accelerator: its columns live there between steps.  NULL in a kind that does not run there.  Every function
 * gives the bits of its counterpart in vv_body_kind.  Work is queued; what fails is kept by the device (device/device.h). */
struct vvi_device;
enum { VV_DEVICE_SLOTS = 16 }; /* of totals */
/* Clusters of strips of nodes that stay on a device: how much they may move before the processor looks (docs/theory/sheets), and
 * how much they have moved and are about to. */
typedef struct vv_motion_budget {
  double path, stray; /* so far, in space and beside the flight of the body */
  double wake, nap;   /* budgets of the two */
  double fly[3];      /* the displacement of the body in a drift, about */
} vv_motion_budget;
typedef struct vv_motion_row {
  double path, stray;
  double box[6]; /* least and largest h (p + h/2 f)/m of its strips */
  double at[6];  /* of its spots: where they are, */
  double off[6]; /* and how far from their references */
} vv_motion_row;
enum { VV_PAST_WAKE = 1, VV_PAST_NAP = 2 };
enum { VV_DEVICE_GUESSES = 16384 };
enum { VV_DEVICE_CRUISE = 64 }; /* steps at once, at the most */
/* Trial flights from the present places and momenta, of which nothing stays: half a kick by the forces of `press`, a drift, then so
 * many kicks and drifts; in steps of h, and of -h.  Each flight begins with other momenta of some nodes. */
enum { VV_DEVICE_FLIGHTS = 3, VV_DEVICE_KICKS = 5 }; /* at the most */
typedef struct vv_device_flights {
  int flights, kicks;
  double h;
  int64_t n, pushed;
  const int32_t *node, *pushed_node; /* [n] whose places are asked for; [pushed] that begin with */
  const double *p;                   /* [flights][3][pushed] */
  double *q;                         /* [2][kicks + 1][flights][3][n] there and back, after each drift */
} vv_device_flights;

typedef struct vv_device_table {
  const char *(*refuse)(const vv_block *b);               /* what of it does not run there; NULL: all does */
  void *(*open)(const vv_block *b, struct vvi_device *d); /* tables and room; NULL: out of memory */
  void (*close)(void *own);
  void (*up)(void *own, const double *q, const double *p); /* NULL: stays as it is there */
  void (*down)(void *own, double *q, double *p);           /* waits; NULL: not wanted */
  void (*kick)(void *own, double t, double h);
  void (*drift)(void *own, double h);
  void (*leap)(void *own, double t, double h); /* kick(t, h/2), drift(h) */
  void (*stride)(void *own, double h);
  void (*post)(void *own, double t, double h, vv_posted *post); /* NULL: the columns come down for it */
  void (*force)(void *own, double t, const double *q,
                double *f); /* f: what kick(t, 1) makes of momenta that are zero */
  /* Totals of the present state are noted in a slot there; n slots come down; one of these is added.  NULL: the columns come down
   * for them. */
  void (*note)(void *own, int slot);
  void (*noted)(void *own, int n);
  void (*totals)(const void *own, int slot, vv_totals *sum);
  void (*keep)(void *own); /* the state is set aside there, beside the one of the last time, */
  void (*back)(void *own); /* and taken back; once more: the one before */
  /* Blocks with internal variables, or that are viscous; NULL in kinds that have none.  Losses may wait until `settle`. */
  void (*flow)(void *own, double h, vv_posted *post);
  void (*settle)(void *own, vv_posted *post);
  void (*viscous)(void *own, double h, vv_posted *post);
  /* Nodes that only move and stay there while the processor answers contacts: it gets bounds of what strips of them are about to do,
   * and the columns of those that it asks for.  NULL in kinds whose columns go up and forces come down instead. */
  void (*strips)(void *own, int64_t n, const int32_t *strip); /* once: [n][2] first node, how many */
  /* Once, then: the strips of each cluster, strip[first[i]] to strip[first[i + 1] - 1], and half[i]: half edges of the box of its
   * displacements over what those of its strips span; in the same way its spots, the nodes that its vertices are: none where they
   * are sums of nodes. */
  void (*clusters)(void *own, int64_t n, const int32_t *first, const int32_t *strip, const double *half,
                   const int32_t *spot0, const int32_t *spot);
  void (*press)(void *own, double t); /* f, there: what kick(t, 1) makes of momenta that are zero */
  void (*push)(void *own, double h);  /* p += h f */
  /* A drift of length h comes; drifted: the one of the last call has been.  Budgets of n clusters are these, and how far they have
   * moved, all told; what so many drifts like the coming one may use up, of all clusters; rows of these n; columns of some nodes,
   * VV_DEVICE_GUESSES at the most, as `bring` has them.  Then, for the same drift, rows of others. */
  void (*bounds)(void *own, double h, bool drifted, double drifts, int64_t n, const int32_t *cluster,
                 const vv_motion_budget *budget, unsigned char *past, vv_motion_row *row, int64_t nodes,
                 const int32_t *node, double *q, double *p, double *f);
  /* Steps of push(h/2), drift(h), press, push(h/2), VV_DEVICE_CRUISE at the most, with budgets as above; before each of them is found
   * whether its drift may use one up.  Then: how many can be taken before one may.  And: of these n were meant, and the state is that
   * behind them. */
  void (*cruise)(void *own, double h, bool drifted, int64_t steps, int64_t n, const int32_t *cluster,
                 const vv_motion_budget *budget);
  int64_t (*cruised)(void *own);
  void (*cruise_back)(void *own, int64_t n);
  void (*rows)(void *own, int64_t n, const int32_t *cluster, vv_motion_row *row);
  /* References of the spots of n clusters from a first one on, [3] each; those of these clusters are where they are now. */
  void (*references)(void *own, int32_t first, int64_t n, const double *reference);
  void (*refer)(void *own, int64_t n, const int32_t *cluster);
  void (*bring)(void *own, int64_t n, const int32_t *node, double *q, double *p, double *f);
  void (*give)(void *own, int64_t n, const int32_t *node, const double *p);
  bool (*flies)(void *own); /* once: is there room for trial flights? */
  void (*fly)(void *own, const vv_device_flights *w);
} vv_device_table;

/* q and p below are those of the block: q[node_q][column], p[node_p][column]. */
typedef struct vv_body_kind {
  const char *name, *doc;
  const char *example; /* a body of this kind, as written in a scene: the claims are proved on it */
  unsigned claims;
  const vv_schema *schema;
  int node_q, node_p, node_reals, element_reals, element_nodes, body_reals;
  int node_bytes, contact_bytes; /* memory of a node beyond its columns, and where something can touch it; measured */
  int n_output;
  const vv_output_field *output_field; /* [n_output]; 0 is "position" (3 components, on nodes) */
  vv_status (*measure)(const vv_group *g, vv_need *need);
  vv_status (*fill)(const vv_group *g, vv_fill *f);
  void (*kick)(const vv_block *b, double t, double h, const double *q,
               double *p);                                         /* p += h (force + gravity + loads) */
  int (*drift)(const vv_block *b, double h, double *q, double *p); /* returns iterations */
  void (*drift_node)(const vv_block *b, int64_t node, double h, double *q,
                     double *p); /* the same for one node alone; NULL where gaps are quadratic in h */
  /* After a drift of length h with momenta p, at frozen q and p: the internal variables follow the configuration, once, and
   * what that dissipates is booked by the mean stress of the drift [mat 2].  h = 0: nothing moved, only what is remembered of
   * the configuration is taken anew (post is NULL).  NULL where measure never asks for internal variables. */
  void (*flow)(const vv_block *b, double h, double *q, const double *p, vv_posted *post);
  /* Between two steps, at frozen q: momenta are damped for a time h, the loss of kinetic energy is booked [mat 11]; NULL where
   * fill never sets `viscous` */
  void (*viscous)(const vv_block *b, double h, const double *q, double *p, vv_posted *post);
  void (*drive)(const vv_block *b, double t, double h, double *q, double *p,
                vv_posted *post); /* speed of driven nodes for [t, t+h]; NULL where fill never sets `driven` */
  void (*post)(const vv_block *b, double t, double h, const double *q, const double *p,
               vv_posted *post); /* books one kick; p: momentum of the drift beside it */
  void (*stride)(const vv_block *b, double h, double *q,
                 double *p); /* kick(h/2) kick(h/2) drift(h) in one pass; may be NULL; only without loads */
  /* flow(h), then as stride; flow(h), then f += force at t: in one pass.  NULL: one after the other is as good */
  void (*flow_stride)(const vv_block *b, double h, double *q, double *p, vv_posted *post);
  void (*flow_kick)(const vv_block *b, double t, double h, double *q, const double *p, double *f, vv_posted *post);
  /* In one pass, of a block without loads that one rank has: f becomes what kick(t, 1) makes of momenta that are zero, p += h f;
   * p += a f, drift(h), and then, unless `kick` is 0, the force behind it, p += kick f.  NULL: one after the other is as good */
  void (*force_kick)(const vv_block *b, double h, const double *q, double *f, double *p);
  void (*leap)(const vv_block *b, double a, double h, double kick, double *q, double *f, double *p);
  void (*audit)(const vv_block *b, const double *q, const double *p, vv_totals *sum); /* adds */
  /* The same of body j of the block alone; NULL: energies of single bodies are not written */
  void (*audit_body)(const vv_block *b, int32_t j, const double *q, const double *p, vv_totals *sum);
  /* J: strain energy that the rounding of q makes of nothing; NULL: none, a body at rest has exactly zero */
  double (*energy_floor)(const vv_block *b, const double *q);
  double (*stable_step)(const vv_block *b); /* 2/omega_max */
  /* The same of every body alone, to a percent, whatever else is in the block: out[n_body].  NULL: that of the block */
  void (*stable_steps)(const vv_block *b, double *out);
  /* What is left of the stable step in this configuration, over that at rest: 1 or so, less where elements are crushed; *element:
   * the one that says so.  NULL: the stable step does not change to speak of. */
  double (*step_left)(const vv_block *b, const double *q, int64_t *element);
  /* out[elements of a body] 1: the element is broken, and nothing meets it any more; asked where fill sets `breaks`. */
  void (*broken)(const vv_block *b, const double *q, int32_t body_in_block, unsigned char *out);
  void (*surface)(const vv_block *b, const double *q, int n, const vv_point *pt, double *x); /* x[n][3] */
  void (*push)(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt,
               double *w); /* w[n][3] = J M^-1 p */
  void (*pull)(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r,
               double *p); /* p += J^T r */
  void (*inverse_mass)(const vv_block *b, const double *q, int n, const vv_point *pt,
                       double *a); /* a[n][6] = J M^-1 J^T: xx yy zz yz xz xy */
  void (*output)(const vv_block *b, int field, const double *q, const double *p,
                 double *out); /* out[count][components] */
  /* All nodes of the block as movers; NULL: this kind does not meet solids. */
  void (*movers)(const vv_block *b, const double *q, const double *p, vv_mover *out);
  /* One of them. */
  void (*mover)(const vv_block *b, int64_t node, const double *q, const double *p, vv_mover *out);
  /* p += what an impulse and a moment (j[0..2], j[3..5], space axes) do to one node; supports are not looked at. */
  void (*scatter)(const vv_block *b, int64_t node, const double *q, const double j[6], double *p);
  /* What a body of the block looks like, where it is not lines and triangles between nodes; NULL: these. */
  bool (*skin)(const vv_block *b, int32_t body_in_block, vv_skin *out);
  /* Kinetic energy of a drift of length h from (q, p): minus the derivative of its own action by h.  NULL: that of p. */
  double (*drift_energy)(const vv_block *b, double h, const double *q, const double *p);
  /* p = M v, the momenta of given velocities, becomes that whose drift of length h moves every node by exactly these
   * velocities; NULL: it is already. */
  void (*launch)(const vv_block *b, double h, const double *q, double *p);
  /* Coefficient of h^2 in the energy that drift(h) itself keeps, over the kinetic energy; NULL: not known (0 where flat) */
  double (*drift_excess)(const vv_block *b, const double *q, const double *p);
  /* s: the slowest time in which an element of a body (of the model) answers a blow; NULL: the stable step */
  double (*answer_time)(const vv_block *b, int32_t body);
  /* How far the worst element is from its last sensible shape: 1 is flat, or folded; NULL: nothing is known of it. */
  double (*distortion)(const vv_block *b, const double *q);
  /* The largest strain of an element whose law is linear in it: at 1 the terms that the law leaves out are as large as those that it
   * has; NULL: no such law. [ledger 20] */
  double (*stretch)(const vv_block *b, const double *q);
  /* Ranks: takes a share of the block, whose other functions then work on it and ask for what they need of others; gather
   * brings q and p of all others to rank 0.  NULL: every rank does all of it.  settle: what others need is given back, now that
   * a run is made; from then on all ranks call output and audit_body, and rank 0 has what they tell.  release: q and p of others
   * are given back. */
  vv_status (*share)(vv_block *b, const struct vv_net *net, struct vvi_arena *arena);
  void (*settle)(vv_block *b);
  void (*release)(const vv_block *b, double *q, double *p);
  void (*unshare)(vv_block *b);
  int64_t (*pieces)(const vv_block *b); /* that ranks can be given */
  void (*gather)(const vv_block *b, double *q, double *p);
  int (*owner)(const vv_block *b, int64_t node); /* the rank that moves a node of a block that is shared */
  const vv_some_table *some;   /* NULL: forces of all nodes are asked for where those of some would do */
  const vv_apart_table *apart; /* NULL: all elements have one step */
  const vv_lie_table *lie;     /* NULL in flat kinds, and where there is none */
  const vv_vary_table *vary;
  const vv_space_table *space; /* NULL: no evolution in space */
  /* Another grid of the same body: places and momenta of body j of block `to` from those of body i of block `from`; what it had
   * of momentum and angular momentum it has again, to rounding, unless it is held.  Returns why not; NULL: done.  The whole may
   * be NULL */
  const char *(*transfer)(const vv_block *from, int32_t i, const double *q, const double *p, const vv_block *to,
                          int32_t j, double *q_to, double *p_to);
  const vv_implicit_table *implicit;
  const vv_device_table *device;
  /* m^2 of surface, or m of line, that belongs to each node where nothing is stressed: out[nodes]; impulses of contact over it and
   * time are tractions.  NULL: contact is no field of this kind */
  void (*extent)(const vv_block *b, double *out);
  const char *extent_unit, *traction_unit;
} vv_body_kind;

/* ---- steppers --------------------------------------------------------------------------------------------------------- */
struct vv_step;
typedef struct vv_stepper_kind {
  const char *name, *doc;
  unsigned claims;                      /* of its second-order form, without contact */
  int64_t (*memory)(const vv_model *m); /* reals it keeps in state.memory behind those of the pairs; NULL: none */
  void (*start)(const vv_model *m, vv_state *x); /* fills them from q, p; NULL where memory is */
  vv_status (*prepare)(struct vv_step *s);       /* sizes, options; scratch from the arena of s */
  void (*audit)(struct vv_step *s,
                vv_totals *sum); /* sum: plain totals in, those in the energy that the method balances out */
  vv_status (*step)(struct vv_step *s, int64_t n, vv_report *r); /* n steps with nothing observed between */
  void (*forget)(struct vv_step *s); /* the state was changed from outside: what was found in the old one is void; NULL:
                                        nothing is kept from step to step */
} vv_stepper_kind;

/* ---- the catalog: const arrays, NULL-terminated -------------------------------------------------------------------------- */
typedef struct vv_catalog {
  const vv_body_kind *const *body;
  const vv_stepper_kind *const *stepper;
} vv_catalog;
VV_API const vv_catalog *vv_catalog_default(void);

#ifdef __cplusplus
}
#endif
