/* step/event/modified.h  The jump rule `modified`: events conserve the energy that the step itself conserves.
 *
 * On a linear system one step of length h is the exact flow over time h of a modified energy Ht.  With y = (w h/2)^2 =
 * sin^2(theta/2) for a mode of frequency w, and Z = (h^2/4) K M^-1 acting on momenta, the fraction a of a step is  [bars 22]
 *
 *   q(a) = q + M^-1 [ (h^2/4) c_a(Z) f + h S_a(Z) p ],      c_a(y) = (1 - cos(a theta))/y
 *   p(a) = p + h S_a(Z) f - Z [ c_a(Z) p + h S_a(Z) f ],    S_a(y) = sin(a theta)/sin(theta)
 *
 *   Ht = H(q, p) + 1/2 p.M^-1 (G(Z) - 1) p + (h^2/8) f.M^-1 gamma(Z) f,                                        [bars 24]
 *   G = theta/sin(theta),  gamma = ((1 - y) G - 1)/y.
 *
 * All four functions are analytic on [0, 1): Chebyshev polynomials of low degree on [0, (h/h_stable)^2] evaluate them to
 * rounding with forces only.  No eigenmodes, cost linear in the mesh, and momentum is exact because every term but S_a f is
 * an image of K. */
#pragma once
#include "step/event/event.h"
#include "step/variation.h"

typedef struct vvi_modified_work {
  int n; /* Chebyshev points */
  double y_max;
  long double *y, *theta;    /* [n] the points, and the turn of a mode in one step */
  long double *basis;        /* [n][n] coefficient k of a function from its value at point j */
  long double *value;        /* [n] values at the points */
  double *kinetic, *strain;  /* [n] coefficients of G - 1 and gamma */
  double *c, *s, *r;         /* [n] coefficients of c_a, S_a and S_a - R_a */
  double *mu, *nu;           /* [pairs][n] gap(a) = gap + sum_j mu_j c_a(y_j) + nu_j S_a(y_j) */
  double *gap;               /* [pairs] gap at the start of the fraction */
  bool *near;                /* [pairs] could meet within this step */
  double *t0, *t1, *x;       /* [np] two polynomials of a vector, scratch */
  double *cf, *sf, *cp, *sp; /* [np] c_a(Z) f, S_a(Z) f, c_a(Z) p, S_a(Z) p */
} vvi_modified_work;

/* ---- modified_energy.c ---- */

/* c_a(y) and S_a(y); coefficients of a function from its values at the points. */
long double vvi_modified_c(double a, long double y, long double theta);
long double vvi_modified_s(double a, long double theta);
void vvi_modified_coefficients(const vvi_modified_work *w, const long double *value, double *c);
/* The next Chebyshev polynomial of Z of a vector: z from t and the one before, z. */
void vvi_modified_chebyshev_next(struct vv_step *s, const double *t, double *z, bool first);
/* Two polynomials of Z of a vector v, by their coefficients. */
void vvi_modified_polynomial(struct vv_step *s, const double *v, const double *c1, double *out1, const double *c2,
                             double *out2);
/* v.M^-1 z. */
double vvi_modified_inner(struct vv_step *s, const double *v, const double *z);
/* Ht of the present state. */
double vvi_modified_energy(struct vv_step *s);

/* ---- modified_flow.c ---- */

/* cf = M (q(a) - q), sp = M (q' - q); see there. */
void vvi_modified_displacements(struct vv_step *s, double a, const double *f, const double *p);
void vvi_modified_flow_coefficients(vvi_modified_work *w, double a);
/* The fraction a of a step, taken and booked. */
void vvi_modified_flow(struct vv_step *s, double t, double a);
/* Variations at an event of one pair: of the length of the fraction, of the energy, across the jump. */
void vvi_modified_vary_length(struct vv_step *s, const vvi_pair *c);
void vvi_modified_vary_energy(struct vv_step *s, double d[VARY_U]);
void vvi_modified_vary_jump(struct vv_step *s, const vvi_pair *c, bool bounce, double impulse,
                            const double change[VARY_U]);

/* ---- modified_gap.c ---- */

/* Fraction of the step to the earliest event within `rest` of it; its pairs are in w->set.  INFINITY: none. */
double vvi_modified_next(struct vv_step *s, double rest);
