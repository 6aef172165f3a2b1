/* body/rigid/rigid.h  Rigid bodies: columns of their tables, and who does what in this folder.
 *
 * A node is a body: its place x is the centre of mass, its quaternion q turns principal axes to space axes.  Momenta are p
 * and the spin h about the centre, both in space: only impulses and loads touch them.  x and q are sums that keep what
 * rounding leaves out (their carries), so that 1e7 steps lose nothing.
 *
 * One entry of a scene is one shape, with one copy or many; copies are the nodes of its body.
 *
 *   fields.c   words             shape.c    words -> a solid and its weight        places.c   where the copies are
 *   build.c    measure, fill     formulas.h one flight: written once, compiled for one double and for eight
 *   flight.c   drift             loads.c    gravity, loads and their booking
 *   surface.c  what contact sees of it, and its skin           audit.c  energies, momenta, output
 *   movers.c   all bodies as movers, by mover.h                vary.c   first variations
 *   device.c   on an accelerator: rigid.cl, with columns.h, formulas.h, turn.h and flight.h as they are */
#pragma once
#include "body/rigid/columns.h"
#include "geom/solid.h"
#include "math/spin.h"
#include "model/model.h"

/* The constants of a body: all doubles, so that they live in body_real. */
typedef struct rigid_body {
  double kind;      /* rigid_class */
  double centre[3]; /* of mass, in the axes of the shape (m) */
  double turn[4];   /* quaternion from principal axes to those of the shape */
  double drag[2];   /* 1/s: how fast momentum and spin fade */
} rigid_body;
enum { RIGID_BODY_COLUMNS = sizeof(rigid_body) / sizeof(double) };

/* What a patch points to: the solid in the frame of a node, and how to draw it in the axes of the shape. */
typedef struct rigid_shape {
  vv_solid solid; /* first, so that a pointer to it is one to the whole */
  vv_skin skin;
} rigid_shape;

static inline const double *rigid_node(const vv_block *b, int column)
{
  return b->node_real + column * b->stride;
}

static inline const rigid_body *rigid_of(const vv_block *b, int32_t body_in_block)
{
  return (const rigid_body *)(const void *)(b->body_real + (int64_t)body_in_block * RIGID_BODY_COLUMNS);
}

static inline void rigid_take(int64_t column, const double *from, int64_t i, int first, int n, double *to)
{
  for (int c = 0; c < n; c++) to[c] = from[(first + c) * column + i];
}

/* The spin omega = R I^-1 R^T h of node i, in space; r: R, by rows. */
static inline void rigid_spin(const vv_block *b, int64_t i, const double r[9], const double h[3], double omega[3])
{
  double body[3];
  vvi_tapply33(r, h, body);
  for (int c = 0; c < 3; c++) body[c] *= rigid_node(b, RIGID_INVERSE_INERTIA + c)[i];
  vvi_apply33(r, body, omega);
}

/* ---- fields.c, build.c ---- */
extern const vv_schema rigid_schema;
vv_status rigid_measure(const vv_group *g, vv_need *need);
vv_status rigid_fill(const vv_group *g, vv_fill *f);

/* ---- shape.c ---- */

typedef struct rigid_weight {
  double mass;       /* kg */
  double centre[3];  /* m, axes of the shape */
  double inertia[9]; /* kg m^2, about the centre */
} rigid_weight;

/* The solid of a body in the axes of the shape, and what it weighs (not of a fixed one).  NULL: complained. */
vv_solid *rigid_solid(const vv_group *g, vvi_arena *arena, rigid_weight *w);
/* A rotation in words (quaternion, axis and angle, vector), of length 1; complains about what is none. */
vv_status rigid_orientation(const vv_group *g, const char *name, double q[4]);

/* ---- places.c ---- */

/* Where a copy starts: place and turn of the shape, velocity of its centre of mass and angular velocity in space. */
typedef struct rigid_place {
  double x[3], turn[4], velocity[3], spin[3];
} rigid_place;

/* How many copies; -1: complained. */
int64_t rigid_copies(const vv_group *g);
vv_status rigid_places(const vv_group *g, int64_t n, rigid_place *out);

/* ---- flight.c ---- */
int rigid_drift(const vv_block *b, double h, double *q, double *p);
void rigid_drift_node(const vv_block *b, int64_t node, double h, double *q, double *p);
void rigid_stride(const vv_block *b, double h, double *q, double *p);

/* ---- loads.c ---- */
vv_status rigid_loads_check(const vv_group *g, int64_t copies);
int32_t rigid_loads_count(const vv_group *g);
void rigid_loads_fill(const vv_group *g, vv_fill *f, const rigid_body *k);
void rigid_kick(const vv_block *b, double t, double h, const double *q, double *p);
void rigid_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post);
void rigid_post(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post);

/* ---- surface.c ---- */
void rigid_surface(const vv_block *b, const double *q, int n, const vv_point *pt, double *x);
void rigid_push(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt, double *w);
void rigid_pull(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r, double *p);
void rigid_inverse_mass(const vv_block *b, const double *q, int n, const vv_point *pt, double *a);
bool rigid_skin(const vv_block *b, int32_t body_in_block, vv_skin *out);

/* ---- movers.c ---- */
void rigid_movers(const vv_block *b, const double *q, const double *p, vv_mover *out);
void rigid_mover(const vv_block *b, int64_t node, const double *q, const double *p, vv_mover *out);
void rigid_scatter(const vv_block *b, int64_t node, const double *q, const double j[6], double *p);

/* ---- audit.c ---- */
void rigid_audit(const vv_block *b, const double *q, const double *p, vv_totals *sum);
void rigid_audit_body(const vv_block *b, int32_t j, const double *q, const double *p, vv_totals *sum);
enum { RIGID_OUTPUTS = 7 };
extern const vv_output_field rigid_output_field[];
void rigid_output(const vv_block *b, int field, const double *q, const double *p, double *out);

/* ---- device.c ---- */
extern const vv_device_table rigid_device_table;

/* ---- vary.c ---- */
extern const vv_vary_table rigid_vary;

/* ---- implicit.c ---- */
extern const vv_implicit_table rigid_implicit;
