/* validation/beams.h  The beams of the 2015 paper: scenes, runs, errors, orders. */
#pragma once
#include "visviva/book.h"
#include "visviva/visviva.h"

/* masses: section 4.2, straight, three point masses and loads.  arc: section 4.3, its length 3/4 of the
 * unstressed one; chord: the same with the chord in place of the length.  smooth: the beam of 4.3 with a strain
 * that vanishes at the ends with its derivative.  flight: the straight beam of 4.2 without masses, moving as a whole. */
typedef enum beams_shape { BEAMS_MASSES, BEAMS_ARC, BEAMS_CHORD, BEAMS_SMOOTH, BEAMS_FLIGHT } beams_shape;
typedef enum beams_scheme {
  BEAMS_LGVI,
  BEAMS_LAVI,     /* Cayley map of SE(3) */
  BEAMS_LAVI_CAY, /* Cayley map of SO(3) with its tangent */
  BEAMS_LAVI_EXP,
  BEAMS_FEEM,
  BEAMS_SCHEMES
} beams_scheme;

typedef struct beams_def {
  beams_shape shape;
  beams_scheme scheme;
  int elements;
  double step;
  int order;        /* 0: 2 */
  bool rkmk;        /* Runge-Kutta-Munthe-Kaas in time */
  bool exponential; /* strain `exp`: (16) of the paper as printed */
  bool one_point;   /* strain; the paper's trapezoid otherwise */
  bool drift;       /* the paper's start */
  bool twelve;      /* masses: velocity with -12 in place of the printed -10 */
  bool unloaded;    /* masses: no loads */
  bool modified;    /* audit the energy of fourth order */
  double boost[3];
} beams_def;

extern const char *const beams_scheme_name[BEAMS_SCHEMES];

/* A run that is moved by hand. */
typedef struct beams_run {
  beams_def def;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
  double wall;  /* s, in steps */
  double *seen; /* fields of all nodes, read when somebody looks: place, d1, d2, d3, [elements + 1][3] each */
  bool stale;   /* the state has moved since */
} beams_run;

vv_status beams_open(vv_ctx *ctx, const beams_def *def, beams_run *run);
void beams_close(beams_run *run);
vv_status beams_steps(beams_run *run, int64_t n); /* VV_ARG where nature stopped it; 0: opens the ledger */
/* masses: the same motion without the loads, whose time is over; the ledger begins anew. */
vv_status beams_unload(vv_ctx *ctx, beams_run *run);

/* The twelve numbers of a node: place, then the directors. */
void beams_node(beams_run *run, int64_t node, double g[12]);
/* Node at the fraction k/n of the length. */
void beams_at(beams_run *run, int k, int n, double x[3]);
/* Stress resultants of an element in the axes of its section. */
void beams_stress(beams_run *run, int element, double n[3], double m[3]);
double beams_energy(const beams_run *run); /* that the method balances */
/* (61) of the paper, factors corrected: the energy with the momenta before the kick.  `twin` is the same beam with a tiny
 * step: what it adds to the momenta is the force. */
vv_status beams_energy_before(const beams_run *run, beams_run *twin, double *energy);
double beams_frame_defect(beams_run *run); /* largest entry of Lambda^T Lambda - 1 */

/* ---- the paper's error: relative 2-norm of (Lambda, x) in every node of space and time, Frobenius, sqrt(dt dl) ---- */

enum { BEAMS_GROUP = 8 };
/* Runs n members and a reference side by side to `end`; their steps are whole multiples of the shortest.  error[i]: of
 * member i at the times and nodes that it shares with the reference. */
vv_status beams_errors(vv_ctx *ctx, const beams_def *reference, int n, const beams_def member[], double end,
                       double error[]);
