/* body/bar/bar.h  Elastic bar on a line: columns of its tables.
 *
 * A bar is guided on the line x(s) = origin + s axis.  Its nodes carry masses m_i at reference coordinates X_i; q is the
 * displacement u_i along the axis, p the momentum.  Neighbours are joined by springs k_e = E S/l_e, so that
 *
 *   V(u) = 1/2 sum_e k_e (u_{e+1} - u_e)^2,   f_i = N_i - N_{i-1},   N_i = k_i (u_{i+1} - u_i)            [bars 1]
 *
 * The neo-Hookean law, with stretch L = 1 + (u_{e+1} - u_e)/l, has the same stiffness at L = 1:
 *
 *   V_e = (k l^2/3) (L^2/2 + 1/L - 3/2),   N = (k l/3) (L - 1/L^2),   dN/du = (k/3) (1 + 2/L^3)            [bars 1a]
 *
 * All bars of a scene lie behind each other in one block; k = 0 behind the last node of each bar, so one loop serves all. */
#pragma once
#include "body/bar/law.h"
#include "model/material.h"
#include "model/model.h"

/* lengths and stiffnesses of the springs; masses that an element gives to its two nodes */
enum bar_element_column { BAR_LENGTH, BAR_SPRING, BAR_MASS_LEFT, BAR_MASS_RIGHT, BAR_AREA, BAR_ELEMENT_COLUMNS };
/* axis and origin of the line; held flags (0 free, 1 fixed, 2 driven) of the two ends; gravity along the axis */
enum bar_body_column {
  BAR_AXIS = 0,
  BAR_ORIGIN = 3,
  BAR_HELD_FIRST = 6,
  BAR_HELD_LAST = 7,
  BAR_GRAVITY = 8,
  BAR_INELASTIC = 9, /* a bar_inelastic */
};

/* What a bar does beside being elastic; all doubles.  In the state it has columns [bar_z_column] each: plastic strain and alpha
 * where it can flow, one strain of each Maxwell branch, where it can break damage, whether the crack is closed and what it owes,
 * energy dissipated; then a mark for every piece, 0 as long as it has not flowed. */
typedef struct bar_inelastic {
  double young, area;
  double columns;               /* in the state; 0: none, the bar is elastic */
  double branch0, damage, lost; /* which column; damage -1: it cannot break */
  vvi_plastic plastic;
  vvi_damping damping;
  vvi_failure failure;
} bar_inelastic;
enum { BAR_BODY_COLUMNS = BAR_INELASTIC + sizeof(bar_inelastic) / sizeof(double) };
enum { BAR_Z_PLASTIC = 0, BAR_Z_ALPHA = 1 }; /* columns of a bar that can flow */
enum { BAR_PIECE = 64 };                     /* elements with one mark */

/* Reals of a column in the state: whole lines of memory. */
static inline int64_t bar_z_column(int64_t elements)
{
  return (elements + 7) / 8 * 8;
}

static inline const double *bar_node(const vv_block *b, int column)
{
  return b->node_real + column * b->stride;
}

static inline const double *bar_element(const vv_block *b, int column)
{
  return b->element_real + column * b->elements;
}

static inline const double *bar_body(const vv_block *b, int32_t body_in_block)
{
  return b->body_real + body_in_block * BAR_BODY_COLUMNS;
}

static inline const bar_inelastic *bar_law_of(const vv_block *b, int32_t body_in_block)
{
  return (const bar_inelastic *)(const void *)(bar_body(b, body_in_block) + BAR_INELASTIC);
}

/* The force does not depend on internal variables. */
static inline bool bar_is_elastic(const vv_block *b, int32_t body_in_block)
{
  return bar_law_of(b, body_in_block)->columns == 0.0;
}

static inline bool bar_is_linear(const vv_block *b)
{
  return (b->claims & VV_LINEAR) != 0;
}

/* Force of the spring behind node i, its stiffness and its energy, when it is longer by du. */
static inline double bar_force(const vv_block *b, int64_t i, double du)
{
  const double law = bar_is_linear(b) ? 0.0 : bar_node(b, BAR_LAW)[i];
  return bar_spring(law, bar_node(b, BAR_STIFFNESS)[i], bar_node(b, BAR_SPAN)[i], du);
}

static inline double bar_stiffness(const vv_block *b, int64_t i, double du)
{
  const double k = bar_node(b, BAR_STIFFNESS)[i];
  if (bar_is_linear(b) || bar_node(b, BAR_LAW)[i] == 0.0) return k;
  const double s = 1.0 + du / bar_node(b, BAR_SPAN)[i];
  return k / 3.0 * (1.0 + 2.0 / (s * s * s));
}

static inline double bar_energy(const vv_block *b, int64_t i, double du)
{
  const double k = bar_node(b, BAR_STIFFNESS)[i];
  if (bar_is_linear(b) || bar_node(b, BAR_LAW)[i] == 0.0) return 0.5 * k * du * du;
  const double l = bar_node(b, BAR_SPAN)[i], e = du / l, s = 1.0 + e;
  return k * l * l * e * e * (1.5 + 0.5 * e) /
         (3.0 * s); /* L^2/2 + 1/L - 3/2 = e^2 (3 + e)/(2 L), without cancellation */
}

/* ---- flow.c: bars with internal variables ---- */

/* Force of element e (of its body, from 0), and the energy it stores; and what the cracks of a body keep. */
double bar_flow_force(const vv_block *b, int32_t body_in_block, int64_t e, const double *u);
double bar_flow_energy(const vv_block *b, int32_t body_in_block, int64_t e, const double *u);
double bar_flow_kept(const vv_block *b, int32_t body_in_block, const double *u);
void bar_flow_kick(const vv_block *b, int32_t body_in_block, double h, const double *u, double *p);
void bar_flow(const vv_block *b, double h, double *u, const double *p, vv_posted *post);
/* Flow, two half kicks and a drift of one body with internal variables. */
void bar_flow_stride_body(const vv_block *b, int32_t body_in_block, double h, double *u, double *p, vv_posted *post);
void bar_viscous(const vv_block *b, double h, const double *u, double *p, vv_posted *post);
/* Column of the state of body j. */
const double *bar_flow_column(const vv_block *b, int32_t body_in_block, int column, const double *u);

extern const vv_schema bar_schema;
vv_status bar_measure(const vv_group *g, vv_need *need);
vv_status bar_fill(const vv_group *g, vv_fill *f);
double bar_stable_step(const vv_block *b);
void bar_stable_steps(const vv_block *b, double *out);
/* Springs of the nodes [i0, i0 + n), with nothing attached beyond them: p += h f(u). */
void bar_kick_slice(const vv_block *b, int64_t i0, int64_t n, double h, const double *u, double *p);
int bar_drift(const vv_block *b, double h, double *u, double *p);
extern const vv_vary_table bar_vary;
extern const vv_space_table bar_space;
/* ---- transfer.c ---- */
const char *bar_transfer(const vv_block *from, int32_t i, const double *u, const double *p, const vv_block *to,
                         int32_t j, double *u_to, double *p_to);
extern const vv_implicit_table bar_implicit;
/* ---- device.c ---- */
extern const vv_device_table bar_device_table;
