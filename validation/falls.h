/* validation/falls.h  The falling beam of the two impact papers: scenes, runs, what is read off. */
#pragma once
#include "visviva/book.h"
#include "visviva/visviva.h"

/* standing: upright at rest; lying: on an incline of friction 0.4 whose slope is 3/9.5 */
typedef enum falls_pose { FALLS_THROWN, FALLS_STANDING, FALLS_LYING } falls_pose;

/* Zero means the published value: floor, nodal jump, order 2, centroid, gravity 10. */
typedef struct falls_def {
  double over; /* time of (5.14): 4e-5 fast, 8e-5 slow, 20e-5 slowest */
  int elements;
  double step, end;
  const char *jump, *touch;
  int order;
  double lift;          /* of the whole beam */
  double gravity;       /* times 10 */
  double friction;      /* of all contacts */
  const char *obstacle; /* shape in place of the floor */
  bool data_2016;       /* the initial data of the 2016 paper (examples/demoures2016) */
  falls_pose pose;
  bool printed_moments; /* bending stiffness with I = rho a^4/12, as printed */
  bool triangles;       /* masses of the scheme on triangles alone: the last element is a massless tail, left out */
  bool structure;       /* first variations are carried along */
  int watch;            /* node whose places falls_tip gives; 0: the last */
  double perturb;       /* size of a relative change of all momenta, by `seed` */
  int seed;
  int64_t every; /* levels looked at; 0: all */
  bool series;   /* keep the series */
} falls_def;

enum { FALLS_FIRST = 3, FALLS_SAMPLES = 2000 };
enum { FALLS_J3, FALLS_P1, FALLS_P2, FALLS_MOMENTA };

typedef struct falls_record {
  int64_t impacts, fallbacks, held;
  double time[FALLS_FIRST], speed[FALLS_FIRST]; /* of the first impacts */
  double start, end;                            /* energy that the method balances */
  double momentum[FALLS_MOMENTA];               /* at t = 0 */
  double error;                                 /* largest |energy - booked|, over the initial energy */
  double drift[FALLS_MOMENTA];                  /* largest change, over the initial value */
  double residual, jump; /* at impacts: of the energy equation; energy jump over the initial energy */
  double rubbed;         /* booked friction work */
  double penetration;
  double slip; /* largest change of a place */
  bool stopped;
  double symplectic, multisymplectic, noether, configurational; /* residuals */
  int n;                                                        /* series */
  double t[FALLS_SAMPLES], closure[FALLS_SAMPLES], J3[FALLS_SAMPLES];
} falls_record;

vv_status falls_run(vv_ctx *ctx, const falls_def *def, falls_record *out);
/* The tip at n times; inside a step by a partial step that is thrown away. */
vv_status falls_tip(vv_ctx *ctx, const falls_def *def, int n, const double when[], double tip[][3]);
/* Time at which two runs, one of them perturbed, are `far` apart in some node; end + 1: never. */
vv_status falls_horizon(vv_ctx *ctx, const falls_def *def, double perturb, int n, const double far[], double when[]);
/* n runs, the first as it is and the others perturbed. */
typedef struct falls_crowd {
  double mean, deviation; /* of the impacts */
  int64_t least, most;
  double error; /* median of the largest energy errors (of the levels looked at) */
} falls_crowd;
vv_status falls_ensemble(vv_ctx *ctx, const falls_def *def, int n, falls_crowd *out);
