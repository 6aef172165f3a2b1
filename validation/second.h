/* validation/second.h  A second program for the beams of 2015, 2016 and 2017, to compare the library with.
 *
 * It shares no line with the library and no derivation: the papers' discrete Lagrangians are written down, nodes with a
 * rotation matrix and a place, and everything else is done by brute force.  Derivatives are taken by a complex step, which is
 * exact to rounding, the discrete Euler-Lagrange equations are solved node by node by iteration, and the scheme with
 * directors keeps all twelve coordinates of a node and six multipliers, in a banded matrix. */
#pragma once
#include <stdbool.h>

typedef struct second_node {
  double r[3][3], x[3]; /* frame, its columns are the directors; place */
  double p[3], s[3];    /* momenta in space; s: about the place */
} second_node;

/* Square section. */
typedef struct second_beam {
  int elements;
  double length, side, young, poisson, density;
  bool
      group_strain; /* differences along the beam by the Cayley map of SE(3) (2016, 2017); else the trapezoid of 2015 */
  bool group_time;  /* and in time, (63) of 2015 with its retraction and 2017; else lgvi, F J_d - J_d F^T */
  double gravity;   /* along -z */
  bool masses;      /* section 4.2 of 2015: point masses 10, 1, 10 and pulses of force on the ends and the middle */
} second_beam;

enum { SECOND_NODES = 96 };

/* ---- places and frames to begin with ---- */

/* g_0 exp(S (k, g)), S = 0 ... length, or g_0 tau(l (k, g))^a with the Cayley map of SE(3). */
void second_shape(const second_beam *b, const double x[3], const double d3[3], const double d1[3], const double k[3],
                  const double g[3], bool cayley, second_node *n);
/* Section 4.2: velocities (-10 as printed, or -12) times (0.05, 0.1, 0.15). */
void second_profile(const second_beam *b, bool twelve, second_node *n);

/* ---- explicit steps ---- */

void second_kick(const second_beam *b, second_node *n, double t, double h);
void second_drift(const second_beam *b, second_node *n, double h);
void second_step(const second_beam *b, second_node *n, double t, double h);
/* The papers' start: n flies to `toward` in the time `over`, left velocity xi = tau^-1(g^-1 g_toward)/over, and its first
 * flight of length h is g tau(h xi).  Without `toward`: at rest. */
void second_first_flight(const second_beam *b, second_node *n, const second_node *toward, double over, double h);
/* Energy of a flight of length h between two rows of nodes: K_d/h + (V + V')/2. */
double second_slab_energy(const second_beam *b, const second_node *from, const second_node *to, double h);

/* ---- a floor at z = 0 ---- */

typedef struct second_impacts {
  int n, room;
  double *time, *speed; /* [room] */
} second_impacts;
/* One step of h at t; where a node comes to the floor the step is cut there and the node's momentum is turned back. */
void second_fall(const second_beam *b, second_node *n, double t, double h, second_impacts *seen);

/* ---- directors and multipliers: the energy-momentum scheme of 4.1.3 of 2015 ---- */

typedef struct second_feem second_feem;
/* From frames, places and linear momenta; 0: no memory. */
second_feem *second_feem_open(const second_beam *b, const second_node *n);
void second_feem_close(second_feem *f);
/* False: not converged. */
bool second_feem_step(second_feem *f, double t, double h);
void second_feem_look(const second_feem *f, second_node *n); /* places and frames */

/* ---- of both ---- */
double second_pulse(double t);                            /* of 4.2: (1 - cos)/2 of 0.1 s, 200 N */
double second_point_mass(const second_beam *b, int node); /* kg */
double second_load_sign(const second_beam *b, int node);  /* +1, -1 or 0 */
extern const double second_load_way[3], second_velocity_way[3];
