/* validation/beams.h  The beams of the 2015 paper: scenes, runs, errors, orders. */
#pragma once
#include "body/beam/beam.h"
#include "visviva/visviva.h"

/* masses: section 4.2, straight, three point masses and loads.  arc: section 4.3.  smooth: the beam of 4.3 with a strain
 * that vanishes at the ends with its derivative.  flight: the straight beam of 4.2 without masses, moving as a whole. */
typedef enum beams_shape { BEAMS_MASSES, BEAMS_ARC, BEAMS_SMOOTH, BEAMS_FLIGHT } beams_shape;
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
  int order;      /* 0: 2 */
  bool one_point; /* strain; the paper's trapezoid otherwise */
  bool drift;     /* the paper's start */
  bool twelve;    /* masses: velocity with -12 in place of the printed -10 */
  bool unloaded;  /* masses: no loads */
  bool modified;  /* audit the energy of fourth order */
  double boost[3];
} beams_def;

extern const char *const beams_scheme_name[BEAMS_SCHEMES];

/* A run that is moved by hand. */
typedef struct beams_run {
  beams_def def;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
  double wall; /* s, in steps */
} beams_run;

vv_status beams_open(vv_ctx *ctx, const beams_def *def, beams_run *run);
void beams_close(beams_run *run);
vv_status beams_steps(beams_run *run, int64_t n); /* VV_ARG where nature stopped it */
/* masses: the same motion without the loads, whose time is over; the ledger begins anew. */
vv_status beams_unload(vv_ctx *ctx, beams_run *run);

void beams_node(const beams_run *run, int64_t node, double x[3], double frame[9]);
/* Node at the fraction k/n of the length. */
void beams_at(const beams_run *run, int k, int n, double x[3]);
vv_totals beams_totals(const beams_run *run);     /* nodal */
double beams_energy(const beams_run *run);        /* that the method balances */
double beams_energy_before(const beams_run *run); /* nodal, with the momenta before the kick: (61) of the paper */
double beams_frame_defect(const beams_run *run);  /* largest entry of Lambda^T Lambda - 1 */
double beams_distance(const beams_run *a, const beams_run *b); /* largest difference of a place, same mesh */

/* ---- the paper's error: relative 2-norm of (Lambda, x) in every node of space and time, Frobenius, sqrt(dt dl) ---- */

enum { BEAMS_GROUP = 8 };
/* Runs n members and a reference side by side to `end`; their steps are whole multiples of the shortest.  error[i]: of
 * member i at the times and nodes that it shares with the reference. */
vv_status beams_errors(vv_ctx *ctx, const beams_def *reference, int n, const beams_def member[], double end,
                       double error[]);

double beams_fit(int n, const double h[], const double error[]);  /* slope of log error over log h, least squares */
double beams_last(int n, const double h[], const double error[]); /* of the last pair */
