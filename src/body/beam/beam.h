/* body/beam/beam.h  Geometrically exact beam: columns of its tables, and who does what in this folder.
 *
 * Node a carries x_a and the frame Lambda_a, whose columns are the directors d1, d2 (in the section) and d3 (along the
 * beam), and two momenta, both in space: P_a, and S_a about its own centroid.  An element of length l joins neighbours;
 * with D = x_b - x_a, R = Lambda_a^T Lambda_b and psi = cay^-1(R) = 2/(1 + tr R) vee(R - R^T) its energy is      [beam 1]
 *
 *   V = l/2 (G - G0).C1 (G - G0) + 1/(2l) (psi - psi0).C2 (psi - psi0),   G = (Lambda_a + Lambda_b)^T D/(2l)
 *
 * or, by the paper's trapezoid rule, with the mean of the two energies of G_a = Lambda_a^T D/l and G_b = Lambda_b^T D/l, or,
 * by the Cayley map of SE(3), with G = (1 - psi^/2) Lambda_a^T D/l [beam 50].
 * All beams lie behind each other in one block; constants belong to a body, because its elements are equal, or differ by their
 * length alone (graded).
 *
 *   fields.c   words             shape.c    initial places and frames        build.c    words -> columns
 *   constants.h  columns, and the constants of a body
 *   formulas.h one element, one node; sums.h  what they add to the totals; twice.h  both, for one double and for eight
 *   sweep.c    kick, drift, stride over strips        lavi.c   the other drifts      loads.c  loads, supports, booking
 *   audit.c    energies, momenta, output              polygon.c  shapes from a file
 *   flow.c     beams that flow or damp: fibres of the section, branches
 *   vary.c     first variations and sub-domains: what the structure checks need
 *   device.c   on an accelerator: sweep.cl, nodes.cl, with constants.h, formulas.h, sums.h, retraction.h, totals.h as they are
 *   director.h the energy-momentum form: director.c steps and books, director_form.c residual and tangent */
#pragma once
#include "body/beam/constants.h"
#include "math/vec3.h"
/* after these two: */
#include "body/beam/totals.h"
#include "model/material.h"
#include "model/model.h"

/* What a beam does beside being elastic; all doubles, behind beam_body in body_real. */
typedef struct beam_inelastic {
  double columns; /* reals of an element in the state beside its fibres; 0: none, the beam is elastic */
  double fibres;  /* 0: never flows */
  double young, shear;
  double glass;  /* stiffness of the branches over the elastic one */
  double damage; /* which column; 0: it cannot break */
  vvi_plastic plastic;
  vvi_damping damping;
  vvi_failure failure;
} beam_inelastic;
enum {
  BEAM_INELASTIC = sizeof(beam_body) / sizeof(double),
  BEAM_BODY_COLUMNS = BEAM_INELASTIC + sizeof(beam_inelastic) / sizeof(double)
};

static inline const double *beam_node(const vv_block *b, int column)
{
  return b->node_real + column * b->stride;
}

static inline const beam_body *beam_of(const vv_block *b, int32_t body_in_block)
{
  return (const beam_body *)(const void *)(b->body_real + (int64_t)body_in_block * BEAM_BODY_COLUMNS);
}

/* The constants of the element behind node i of body j; own: room for those of a graded beam.               [grids 10] */
static inline const beam_body *beam_element_of(const vv_block *b, int32_t body_in_block, int64_t i, beam_body *own)
{
  const beam_body *k = beam_of(b, body_in_block);
  if (k->graded == 0.0) return k;
  *own = *k;
  own->l = beam_node(b, BEAM_SPAN)[i];
  return own;
}

static inline const beam_inelastic *beam_law_of(const vv_block *b, int32_t body_in_block)
{
  return (const beam_inelastic *)(const void *)(b->body_real + (int64_t)body_in_block * BEAM_BODY_COLUMNS +
                                                BEAM_INELASTIC);
}

static inline bool beam_is_elastic(const vv_block *b, int32_t body_in_block)
{
  return beam_law_of(b, body_in_block)->columns == 0.0;
}

/* A fibre of a section: where it is (along d1, d2), and how much of the area it stands for. */
typedef struct beam_fibre {
  double at[2], area;
} beam_fibre;
/* The plan of a block: fibres of each body; NULL: none of them flows. */
typedef struct beam_fibres {
  const beam_fibre *fibre; /* [fibres] */
  double reach[2];         /* the farthest along d1, d2 */
} beam_fibres;

/* The place and frame of node i; moments of inertia of node i about its directors. */
static inline void beam_get(const vv_block *b, const double *q, int64_t i, double x[3], double frame[9])
{
  for (int c = 0; c < 3; c++) x[c] = q[(BEAM_X + c) * b->column + i];
  for (int c = 0; c < 9; c++) frame[c] = q[(BEAM_FRAME + c) * b->column + i];
}

static inline void beam_put(const vv_block *b, double *q, int64_t i, const double x[3], const double frame[9])
{
  for (int c = 0; c < 3; c++) q[(BEAM_X + c) * b->column + i] = x[c];
  for (int c = 0; c < 9; c++) q[(BEAM_FRAME + c) * b->column + i] = frame[c];
}

static inline void beam_inertia(const vv_block *b, const beam_body *k, int64_t i, double inertia[3])
{
  for (int c = 0; c < 3; c++)
    inertia[c] = beam_node(b, BEAM_WEIGHT)[i] * k->inertia[c] + beam_node(b, BEAM_POINT_INERTIA + c)[i];
}

/* ---- fields.c, build.c ---- */
extern const vv_schema beam_schema;
vv_status beam_measure(const vv_group *g, vv_need *need);
vv_status beam_fill(const vv_group *g, vv_fill *f);
double beam_stable_step(const vv_block *b);
void beam_stable_steps(const vv_block *b, double *out);
double beam_answer_time(const vv_block *b, int32_t body);

/* ---- shape.c ---- */

/* Initial places and frames: x[n][3], frame[n][9] by rows, for a beam of `length` with `elements` elements (n nodes). */
vv_status beam_shape(const vv_group *g, int64_t n, int64_t elements, double length, double *x, double *frame);
/* Initial velocity v[n][3] and angular velocity w[n][3], both in space, of nodes at x with masses m. */
vv_status beam_motion(const vv_group *g, int64_t n, int64_t elements, const double *x, const double *frame,
                      const double *m, double *v, double *w);
/* Where node i is, as a fraction of the length: grading, spacing, or i/elements.                            [grids 10] */
double beam_fraction(const vv_group *g, int64_t i, int64_t elements);
bool beam_is_graded(const vv_group *g);
double beam_length(const vv_group *g);                           /* m: the word, or that of a ring */
bool beam_closed(const vv_group *g);                             /* the word, or a ring */
vv_status beam_shape_check(const vv_group *g, int64_t elements); /* all words of shape and motion, files included */

/* ---- sweep.c ---- */
void beam_kick(const vv_block *b, double t, double h, const double *q, double *p);
int beam_drift(const vv_block *b, double h, double *q, double *p);
void beam_stride(const vv_block *b, double h, double *q, double *p);
void beam_flow(const vv_block *b, double h, double *q, const double *p, vv_posted *post);
void beam_flow_stride(const vv_block *b, double h, double *q, double *p, vv_posted *post);
/* The drift of one node, the same bits as in beam_drift. */
void beam_drift_one(const vv_block *b, int64_t node, double h, double *q, double *p);
/* Internal force and torque (about the own centroid) on the two nodes of the element behind node i of body j:
 * force on the left node (the right one gets its opposite), torque on the left, torque on the right. */
void beam_element_force(const vv_block *b, int32_t j, int64_t i, const double *q, double force[3], double left[3],
                        double right[3]);
/* Node behind node i: the next, or the first of a closed body; -1 at an open end. */
int64_t beam_next(const vv_block *b, int32_t j, int64_t i);

/* ---- lavi.c ---- */

/* Drift of node i of body j by the rule of the body, by Newton's iteration; returns iterations. */
int beam_drift_node(const vv_block *b, const beam_body *k, int64_t i, double h, double *q, double *p);

/* The turn of an lgvi drift without its move: for a node that a sweep has moved already but could not turn. */
int beam_turn_node(const vv_block *b, const beam_body *k, int64_t i, double h, double *q, double *p);

double beam_drift_energy(const vv_block *b, double h, const double *q, const double *p);
void beam_launch(const vv_block *b, double h, const double *q, double *p);

/* ---- loads.c ---- */

/* Node of a beam at the fraction s of its length; -1: none there. */
int64_t beam_node_at(const vv_group *g, double s, int64_t n, int64_t elements);
vv_status beam_loads_check(const vv_group *g, int64_t n, int64_t elements);
int32_t beam_loads_count(const vv_group *g);
void beam_loads_fill(const vv_group *g, vv_fill *f, int64_t elements);
/* Force and moment of a load on one node at time t, in space; the node must be one it acts on. */
void beam_load_on(const vv_block *b, const vv_load *load, double t, int64_t node, const double frame[9],
                  double force[3], double moment[3]);
/* Nodes of body j that a load acts on: [*from, *to) of the block. */
void beam_load_reach(const vv_block *b, int32_t j, const vv_load *load, int64_t *from, int64_t *to);
/* Gravity and loads of body j in a kick. */
void beam_kick_outside(const vv_block *b, int32_t j, double t, double h, const double *q, double *p);
/* Supports take what a kick gave to the nodes they hold: held momenta are 0, a slope leaves the part along its line. */
void beam_hold(const vv_block *b, int32_t j, double *p);
/* Books h times a force at x, and h times a moment of its own. */
void beam_post_wrench(vv_posted *post, const double x[3], const double force[3], const double moment[3], double h);
void beam_post(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post);

/* ---- flow.c ---- */

/* Internal variables.  Columns [elements] of a body: strains after the last drift; resultants of the plastic strain; strains
 * when its fibres were last looked at, and how far the stress may go from there before they must be again (squared); J
 * dissipated; then the strains of every branch, and damage where it can break.  Behind the columns, for every eight elements and
 * every fibre: its plastic strains (along, shear, shear) and alpha, [elements/8][fibres][BEAM_Z_FIBRE][8]. */
enum beam_internal {
  BEAM_Z_STRAIN = 0,
  BEAM_Z_PLASTIC = 6,
  BEAM_Z_SEEN = 12,
  BEAM_Z_MARGIN = 18,
  BEAM_Z_LOST = 19,
  BEAM_Z_COLUMNS = 20
};
enum { BEAM_Z_FIBRE = 4, BEAM_Z_BRANCH = 6, BEAM_LANES = 8 };
enum { BEAM_MOST_FIBRES = 400 };
vv_status beam_law_read(const vv_group *g, beam_inelastic *law);
vv_status beam_fibres_fill(const vv_group *g, vv_fill *f);
/* A body with internal variables. */
typedef struct beam_run {
  const beam_body *k;
  const beam_inelastic *law;
  const beam_fibre *fibre;
  int64_t n;                /* elements */
  double *z;                /* columns [n] */
  double *fibres;           /* behind them */
  double *damage;           /* its column; NULL: it cannot break */
  double stiff[6], soft[6]; /* against the strains, without branches; 1 over it */
  double reach[2];          /* of the fibres */
} beam_run;
beam_run beam_run_of(const vv_block *b, int32_t body_in_block, const double *q);
/* Elements [e, e + count) of a body after a drift of length h to the strains `now`; e is a multiple of BEAM_LANES.  over: -1
 * where fibres must be looked at; lost: plastic, viscous, by damage, J, is added to. */
void beam_flow_eight(const beam_run *x, int64_t e, int count, double h, const double now[6][BEAM_LANES],
                     const int64_t over[BEAM_LANES], double lost[3][BEAM_LANES]);
/* What element e (of its body) stores with the strains G - G0, K - K0, both in e6. */
double beam_flow_energy(const vv_block *b, int32_t body_in_block, int64_t e, const double *q, const double e6[6]);
/* Strains of the element between two nodes, less those at rest: G, then K = psi/l.  (audit.c) */
void beam_element_strain(const vv_block *b, int32_t body_in_block, const double *q, int64_t left, int64_t right,
                         double e6[6]);
void beam_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post);
/* Largest alpha of the fibres of element e; J it has dissipated; its damage; its resultants n, m. */
double beam_flow_lost(const vv_block *b, int32_t body_in_block, int64_t e, const double *q);
/* Pa: the largest equivalent stress of its fibres; of beams without fibres that of the outline, e6 the strains. */
double beam_mises(const vv_block *b, int32_t body_in_block, int64_t e, const double *q, const double e6[6]);
double beam_flow_alpha(const vv_block *b, int32_t body_in_block, int64_t e, const double *q);
/* out[elements of the body] 1: broken; contact then sees two ends in place of a piece of the curve. */
void beam_broken(const vv_block *b, const double *q, int32_t body_in_block, unsigned char *out);
double beam_flow_damage(const vv_block *b, int32_t body_in_block, int64_t e, const double *q);
void beam_flow_resultants(const vv_block *b, int32_t body_in_block, int64_t e, const double *q, const double e6[6],
                          double out[6]);

/* ---- surface.c ---- */
void beam_surface(const vv_block *b, const double *q, int n, const vv_point *pt, double *x);
void beam_push(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt, double *w);
void beam_pull(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r, double *p);
void beam_inverse_mass(const vv_block *b, const double *q, int n, const vv_point *pt, double *a);
void beam_movers(const vv_block *b, const double *q, const double *p, vv_mover *out);
void beam_mover(const vv_block *b, int64_t node, const double *q, const double *p, vv_mover *out);
void beam_scatter(const vv_block *b, int64_t node, const double *q, const double j[6], double *p);

/* ---- audit.c ---- */
void beam_audit(const vv_block *b, const double *q, const double *p, vv_totals *sum);
void beam_add_sums(const double all[BEAM_SUMS], vv_totals *sum);
void beam_audit_body(const vv_block *b, int32_t j, const double *q, const double *p, vv_totals *sum);
double beam_energy_floor(const vv_block *b, const double *q);
double beam_distortion(const vv_block *b, const double *q);
double beam_stretch(const vv_block *b, const double *q);
double beam_drift_excess(const vv_block *b, const double *q, const double *p);
enum { BEAM_OUTPUTS = 21 };
extern const vv_output_field beam_output_field[];
void beam_output(const vv_block *b, int field, const double *q, const double *p, double *out);
void beam_extent(const vv_block *b, double *out);
void beam_element_steps(const vv_block *b, double *out); /* build.c */
extern const vv_apart_table beam_apart;                  /* sweep.c */
extern const vv_lie_table beam_lie;                      /* group.c */

/* ---- exponential.c ---- */

void beam_exp_force(const beam_body *k, const double D[3], const double A[9], const double B[9], double f[3],
                    double left[3], double right[3]);
/* From r = Lambda_a^T D and psi: the rotation vector phi, and c, r itself or (helix) the way of the exponential of SE(3). */
void beam_exp_strain(bool helix, const double r[3], const double psi[3], double c[3], double phi[3]);

/* The same with the strains of the energy-momentum form. */
void beam_director_output(const vv_block *b, int field, const double *q, const double *p, double *out);

/* ---- director.c ---- */
extern const vv_implicit_table beam_implicit;

/* ---- device.c ---- */
extern const vv_device_table beam_device_table;

/* ---- vary.c ---- */
extern const vv_vary_table beam_vary;
extern const vv_space_table beam_space;

/* ---- transfer.c ---- */
const char *beam_transfer(const vv_block *from, int32_t i, const double *q, const double *p, const vv_block *to,
                          int32_t j, double *q_to, double *p_to);
