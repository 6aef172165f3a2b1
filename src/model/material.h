/* model/material.h  What materials do beside being elastic: words, constants, and the one return map of all kinds.
 *
 * All structs hold doubles alone, so that they live in body_real.  Theory: docs/theory/mat.md. */
#pragma once
#include "model/model.h"

#include <math.h>

enum { VVI_PIECES = 16, VVI_BRANCHES = 8 };

/* Yield stress over the plastic strain alpha: y + sum slope_k max(0, alpha - at_k), a polygon; times a factor of the rate. */
typedef struct vvi_plastic {
  double yield;     /* Pa; 0: never flows */
  double kinematic; /* Pa: modulus of linear kinematic hardening in tension */
  double pieces;
  double at[VVI_PIECES], slope[VVI_PIECES];
  double rate_law; /* vvi_rate_law */
  double rate;     /* 1/s: of reference */
  double exponent; /* Cowper-Symonds: its exponent.  Johnson-Cook: its coefficient */
} vvi_plastic;
typedef enum vvi_rate_law { VVI_NO_RATE, VVI_COWPER_SYMONDS, VVI_JOHNSON_COOK } vvi_rate_law;

/* Maxwell branches beside the elastic law: part times its stiffness behind a dashpot of relaxation time `time`. */
typedef struct vvi_damping {
  double mass;      /* 1/s: p' = -mass p */
  double stiffness; /* s: of Kelvin and Voigt */
  double bulk;      /* 1: of the critical viscosity of an element */
  double branches;
  double time[VVI_BRANCHES]; /* s */
  double part[VVI_BRANCHES]; /* 1 */
} vvi_damping;

/* Softening from a plastic strain or a stress on; energy 0: at once. */
typedef struct vvi_failure {
  double strain; /* 1: of the plastic strain; 0: not by it */
  double stress; /* Pa: tension; 0: not by it */
  double energy; /* J/m^2 of broken section */
} vvi_failure;

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
vv_status vvi_failure_read(const vv_group *material, bool plastic, vvi_failure *out);
vv_status vvi_damping_read(const vv_group *body, vvi_damping *out);

/* Says what is not a mistake but worth knowing: polygons that miss their law, tips of bars that will chatter. */
void vvi_material_warn(const vv_model *m);

/* ---- laws ---- */

/* Sum of the parts: glassy stiffness over the elastic one, less 1. */
double vvi_damping_glass(const vvi_damping *d);
/* Damping ratio of a vibration with this circular frequency, by the branches.                                    [mat 10] */
double vvi_damping_ratio(const vvi_damping *d, double omega);
/* Polygon and its slope at alpha, without the rate. */
double vvi_plastic_yield(const vvi_plastic *p, double alpha, double *slope);

typedef struct vvi_returned {
  double x, y;   /* factors of the two parts of the stress */
  double dalpha; /* growth of the plastic strain; 0: it stays elastic */
  double theta;
} vvi_returned;

/* The return map of bars, fibres, sheets and solids: A and B are the squares of the two parts of the trial stress, a and b
 * their moduli.  h: s, for the rate.                                                                          [mat 4, 5] */
vvi_returned vvi_plastic_return(const vvi_plastic *p, double A, double a, double B, double b, double alpha, double h);

/* One Maxwell branch in a step, r = h/(2 time): its strain e follows from that before and the strains at both ends. [mat 9] */
static inline double vvi_branch(double r, double e, double before, double after)
{
  return ((1.0 - r) * e + r * (before + after)) / (1.0 + r);
}
