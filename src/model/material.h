/* model/material.h  Plasticity, damping and failure: keys, constants, and the one return map of all kinds.
 *
 * Theory: docs/theory/mat.md. */
#pragma once
#include "model/laws.h"
#include "model/model.h"

#include <math.h>

/* ---- words ---- */

extern const vv_schema vvi_hardening_schema, vvi_rate_schema, vvi_failure_schema, vvi_damping_schema;
/* clang-format off */
#define VVI_PLASTIC_FIELDS \
  {.name = "yield",     .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "law j2: stress at which it begins to flow, in tension"}, \
  {.name = "hardening", .type = VV_EITHER, .unit = "Pa", .lo = 0, .hi = 1e30, .sub = &vvi_hardening_schema, .flags = VV_OPTIONAL, .doc = "law j2: modulus of linear isotropic hardening, or a map; default: none"}, \
  {.name = "rate",      .type = VV_CHOICE, .sub = &vvi_rate_schema, .flags = VV_OPTIONAL, .doc = "law j2: how the yield stress grows with the rate of plastic strain"}
#define VVI_FAILURE_FIELD \
  {.name = "failure",   .type = VV_GROUP, .sub = &vvi_failure_schema, .flags = VV_OPTIONAL, .doc = "when and how it breaks"}
#define VVI_DAMPING_FIELD \
  {.name = "damping",   .type = VV_GROUP, .sub = &vvi_damping_schema, .flags = VV_OPTIONAL, .doc = "what takes energy out of its vibrations"}
/* clang-format on */

/* Reads the words of a material whose law is j2; complaints name them.  kinematic: this kind of body has it. */
vv_status vvi_plastic_read(const vv_group *material, bool kinematic, vvi_plastic *out);
/* Words of `law: j2` in a material with another law are refused. */
vv_status vvi_plastic_refuse(const vv_group *material);
/* plastic: NULL where the law does not flow. */
vv_status vvi_failure_read(const vv_group *material, const vvi_plastic *plastic, vvi_failure *out);
vv_status vvi_damping_read(const vv_group *body, vvi_damping *out);

/* Says what is not a mistake but worth knowing: polygons that miss their law, tips of bars that will chatter. */
void vvi_material_warn(const vv_model *m, bool touches);

/* ---- laws ---- */

/* Sum of the parts: glassy stiffness over the elastic one, less 1. */
double vvi_damping_glass(const vvi_damping *d);
/* Damping ratio of a vibration with this circular frequency, by the branches.                                    [mat 10] */
double vvi_damping_ratio(const vvi_damping *d, double omega);
/* Polygon and its slope at alpha, without the rate. */
double vvi_plastic_yield(const vvi_plastic *p, double alpha, double *slope);

/* Damage of an element of length l whose plastic strain is alpha.                                               [mat 14b] */
double vvi_plastic_damage(const vvi_plastic *p, const vvi_failure *f, double l, double alpha);

/* The return map of bars, fibres, sheets and solids: A and B are the squares of the two parts of the trial stress, a and b
 * their moduli.  h: s, for the rate.                                                                          [mat 4, 5] */
vvi_returned vvi_plastic_return(const vvi_plastic *p, double A, double a, double B, double b, double alpha, double h);

/* One Maxwell branch in a step, r = h/(2 time): its strain e follows from that before and the strains at both ends. [mat 9] */
static inline double vvi_branch(double r, double e, double before, double after)
{
  return ((1.0 - r) * e + r * (before + after)) / (1.0 + r);
}
