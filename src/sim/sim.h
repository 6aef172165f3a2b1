/* sim/sim.h  The struct of a run, and functions shared by the files of this room. */
#pragma once
#include "sim/pace.h"
#include "sim/stop.h"
#include "step/step.h"
#include "visviva/sim.h"

enum { VVI_MAX_OBSERVERS = 8, VVI_MAX_CLAIMS = 16, VVI_MAX_CONTROLLERS = 8 };

typedef struct vvi_observer {
  int64_t every;
  vv_next_fn *next; /* NULL: every `every` steps */
  int64_t at;       /* the step it waits for, where it has its own rhythm */
  int64_t seen;     /* events of the log it has been told */
  int64_t told;     /* and finished episodes of contact */
  int64_t keyed;    /* and positions at contacts */
  vv_observe_fn *fn;
  void *user;
} vvi_observer;

/* Places some steps ago, to notice that nothing moves any more. */
enum { VVI_FROZEN_STEPS = 1024 };
typedef struct vvi_frozen {
  double *q; /* [nq]; NULL: nothing touches */
  double t;
  int64_t step, impacts;
} vvi_frozen;
typedef struct vvi_controller {
  int64_t every;
  vv_control_fn *fn;
  void *user;
} vvi_controller;

struct vv_sim {
  const vv_model *model;
  vv_state *state;
  vv_ledger ledger;
  struct vv_step step;
  vvi_arena arena;
  vvi_log log;
  vvi_keys keys;
  vvi_observer observer[VVI_MAX_OBSERVERS];
  int n_observer;
  vv_claim claim[VVI_MAX_CLAIMS];
  double base[VVI_MAX_CLAIMS]; /* their bounds for a short run; exact ones grow with rounding */
  bool by_size;                /* the claim `penetration`: over the size of the smaller of two bodies */
  int n_claim;
  vvi_frozen frozen;
  vvi_stops stops;
  bool shadow;       /* the energy of fourth order is judged */
  double *half_kick; /* [np] scratch; NULL: no loads on bodies that fly exactly */
  vvi_pace pace;
  bool started;
  bool restored;  /* from a checkpoint, and no step was made since */
  vv_state *left; /* as the last call left it; NULL: nothing is kept from step to step that a change would make wrong */
  bool fresh;     /* ledger.now is that of the present state */
  bool touched;   /* the caller acted since it was closed: `before` holds the totals then */
  bool may_fold;  /* a beam that does not meet itself could be inside of itself */
  bool side_told, fold_told; /* that something went into the side of a bar, a beam into itself */
  bool rewritten;            /* he may have moved q, too */
  vv_totals before;
  struct vvi_act *act; /* [n_act] forces and prescribed motions */
  int n_act, act_room;
  vvi_led *led; /* [led_room] what drives bear in the coming step */
  int64_t led_room;
  vvi_controller controller[VVI_MAX_CONTROLLERS];
  int n_controller;
  vv_mover *mover; /* [mover_room] scratch: the nodes of one block */
  int64_t mover_room;
  vv_poll_fn *poll;
  void *poll_user;
  double polled;            /* clock of the last poll */
  volatile int interrupted; /* set by vv_sim_interrupt, from a signal handler or another thread */
};

/* The jump rule of the scene, `auto` resolved.  (sim/compile.c) */
vvi_jump vvi_jump_chosen(const vv_model *m);

/* The first body with a position or momentum whose square is not finite; NULL: none.  (sim/compile.c) */
const vv_body *vvi_lost_body(const vv_model *m, const double *q, const double *p);

/* What this method promises for this scene, with bounds.  (sim/claims.c) */
void vvi_claims_make(vv_sim *sim);
void vvi_claims_lead(vv_sim *sim); /* from now on: where bodies are led to */
/* Judges them by the ledger as it stands. */
void vvi_claims_judge(vv_sim *sim, bool precise);

/* ---- the ledger of a run (sim/audit.c) ---- */

/* Totals of the present state, in the energy that the method balances; nodal: the plain energy. */
void vvi_sim_audit(vv_sim *sim, vv_totals *balanced, double *nodal);
/* Opens the ledger with those of the start. */
void vvi_sim_open(vv_sim *sim);
/* Closes it with these; with those of now, unless it is closed already. */
void vvi_sim_close(vv_sim *sim, const vv_totals *balanced, double nodal);
void vvi_sim_close_now(vv_sim *sim);

/* ---- observers and the log (sim/observe.c) ---- */

/* Half of what histories and the log have is free: steps allocate nothing. */
void vvi_sim_make_room(vv_sim *sim);
/* What everybody has been told goes. */
void vvi_sim_trim_log(vv_sim *sim);
void vvi_sim_trim_episodes(vv_sim *sim);
/* Tells the observers that are due, or all. */
vv_status vvi_sim_tell(vv_sim *sim, bool first, bool last, bool all, bool hopeless);
/* Steps, of n, until somebody must be told; whether one must now; whether the log is filling up. */
int64_t vvi_sim_until_next(const vv_sim *sim, int64_t n);
bool vvi_sim_due(const vv_sim *sim);
bool vvi_sim_waiting(const vv_sim *sim);

/* ---- what ends a run (sim/check.c): the reason goes into the report ---- */

/* Numbers that are not finite, energy from nothing, bodies that hold each other in the air. */
void vvi_sim_check(vv_sim *sim, vv_report *r);
/* Steps that are too long for what is crushed; and in how many parts they are taken. */
void vvi_sim_check_step(vv_sim *sim, vv_report *r);
double vvi_sim_parts(const vv_sim *sim);
/* Conditions of the scene. */
void vvi_sim_check_stops(vv_sim *sim, vv_report *r);

/* ---- what the caller does to a run (sim/act.c) ---- */

/* Bodies of the scene that have a `motion` follow it from now on. */
vv_status vvi_act_scene(vv_sim *sim);
/* Books what was done since the ledger was closed. */
void vvi_act_settle(vv_sim *sim);
/* Controllers that are due, then the first halves of forces and prescribed motions; booked. */
vv_status vvi_act_before(vv_sim *sim);
/* Their second halves, after a step. */
void vvi_act_after(vv_sim *sim);
/* The body that is farthest from its prescribed motion, and by how much; NULL: all are on their way. */
const vv_body *vvi_act_astray(const vv_sim *sim, double *by);
/* Is a rigid body led?  m: how far one is from where it should be, at the most. */
bool vvi_act_leads(const vv_sim *sim);
double vvi_act_off(const vv_sim *sim);
/* Steps that may be taken at once, of n. */
int64_t vvi_act_until(const vv_sim *sim, int64_t n);
