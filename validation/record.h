/* validation/record.h  Runs a scene through the public door and keeps what the chapters look at. */
#pragma once
#include "cases.h"
#include "visviva/book.h"
#include "visviva/visviva.h"

/* A tip that is followed: the end node of a bar and the massless part in front of it. */
typedef struct record_tip {
  int64_t first, nodes; /* the bar's slice of state.q */
  int64_t node;         /* its end node, in state.q */
  double mass;          /* of the end node */
  double bar_mass;
  double compliance; /* of the massless part in front of the node; 0: hard */
} record_tip;

typedef struct record_plan {
  int n_tip; /* 2: bars A and B; 1: bar A and a wall at rest */
  record_tip tip[2];
  double gap; /* clearance at the start */
  bool structure;
  int64_t every;  /* keep every so many levels; 0: all */
  double perturb; /* size of a fixed random change of the initial positions and velocities */
} record_plan;

typedef struct record_event {
  double time, speed, impulse;
  double energy_jump; /* J */
  bool opens;         /* "off": a soft contact ends */
} record_event;

typedef struct record {
  int64_t n, room; /* time levels, the start included */
  double *t;       /* [n] */
  double *u[2];    /* [n] displacement of the end nodes */
  double *v[2];    /* [n] their velocity */
  double *at[2]; /* [n] displacement of the material tip; both tips where they touch                       [bars 17] */
  double *speed[2]; /* [n] its velocity */
  double *p[2];     /* [n] momentum of the bars */
  double *force;    /* [n] of closed massless tips; 0 for hard ones */
  double *closure;  /* [n] relative energy error, in the energy that the method balances */
  double *nodal;    /* [n] the same of the plain energy H(q, p) */
  int64_t n_event, event_room;
  record_event *event;
  bool soft; /* the tips have massless parts */
  vv_ledger ledger;
  vv_report report;
  vv_structure structure;
  double stable_step, step;
  vv_state *end; /* the last state */
} record;

/* The spec is run as it is.  A run that nature stopped is not an error: look at the report. */
vv_status record_run(vv_ctx *ctx, const vv_spec *spec, const record_plan *plan, record *out);
void record_free(record *r);

/* The published two-bar cases. */
record_plan record_case_plan(const cases_def *def);
vv_status record_case(vv_ctx *ctx, const cases_def *def, const record_plan *plan,
                      record *out); /* plan NULL: the usual */

/* What the tables show. */
double record_first(const record *r);            /* time of the first event */
double record_last(const record *r);             /* of the last event */
int64_t record_contacts(const record *r);        /* bounces, or closed intervals of a soft contact */
int64_t record_level(const record *r, double t); /* last level not after t */
double record_mean_velocity(const record *r, const record_plan *plan, int side);
/* Mean contact force between two times, from the momentum of bar A. */
double record_force(const record *r, double from, double to);
/* Root mean square of (end node velocity - exact), both sides, in [from, to]. */
double record_oscillation(const record *r, const wave_bars *w, double from, double to);
double record_oscillation_max(const record *r, const wave_bars *w, double from, double to);
/* Of the material tips while they touch (hard tips: all the time): largest speed, largest distance from the exact one. */
double record_tip_speed(const record *r, double from, double to);
/* Root mean square of the latter, hard tips all the time. */
double record_tip_oscillation(const record *r, const wave_bars *w, double from, double to);
double record_tip_deviation(const record *r, const wave_bars *w, double from, double to);
/* |difference of the end states| / |perturbation| of two runs. */
double record_growth(const record *a, const record *b, double size);
