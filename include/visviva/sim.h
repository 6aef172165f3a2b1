/* visviva/sim.h  tier: use.  The loop: step, close the ledger, tell the observers. */
#pragma once
#include "visviva/ledger.h"
#include "visviva/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One impact.  Bodies and features are names that live as long as the model. */
typedef struct vv_event {
  double time;
  const char *body_a, *feature_a, *body_b, *feature_b;
  const char *kind;    /* bounce, on, off, hold */
  double x[3], n[3];   /* common point; unit normal from a to b */
  double normal_speed; /* before; negative: approaching */
  double normal_impulse, tangential_impulse;
  double
      energy_jump; /* J: change of the energy the method balances; what restitution takes, and what the balance missed */
  double residual;             /* |energy equation| / energy scale after the jump was solved */
  int64_t node_a, node_b;      /* of the body, where it was touched; -1: fixed in space */
  double pose_a[7], pose_b[7]; /* of a rigid body then: position, turn as a quaternion (w first); all 0: not known */
} vv_event;

/* Why a run ended. */
#define VV_REASON_LIST(X)                                                      \
  X(DONE, "done")                                                              \
  X(INTERRUPTED, "interrupted")                                                \
  X(UNSTABLE, "not a number or energy out of bounds")                          \
  X(TOO_MANY_EVENTS, "too many events in one step")                            \
  X(NOT_CONVERGED, "a solver did not converge")                                \
  X(OBSERVER, "an observer (output) failed")                                   \
  X(CROWDED, "more contacts than there is room for")                           \
  X(STEP_TOO_LONG, "the step has become too long for what the bodies are now") \
  X(STOPPED, "a stop condition of the scene was met")                          \
  X(DEVICE, "the device (accelerator) failed")
#define VV_REASON_ENUM(name, text) VV_REASON_##name,
typedef enum vv_reason { VV_REASON_LIST(VV_REASON_ENUM) VV_REASON_COUNT } vv_reason;
VV_API const char *vv_reason_text(vv_reason reason);

typedef struct vv_report {
  vv_reason reason;
  int64_t steps;        /* done by this call */
  int64_t shared_steps; /* of these, on all threads; the others were faster on one */
  int64_t events;       /* in this call */
  double wall_seconds;  /* of this call */
  char message[256];    /* what happened and where, empty when done */
  double step_seconds;  /* of wall_seconds: in steps; the rest went into audits, observers and files */
} vv_report;

/* A promise of the method, and whether the run kept it. */
typedef struct vv_claim {
  const char *name; /* energy, momentum, angular_momentum, penetration, event_balance, symplectic... */
  const char
      *nature; /* exact; bounded: by theory; guard: wide, kept means that it did not blow up; ", losses booked" */
  double bound, worst; /* relative, but of penetration: a length */
  double when;         /* time of the worst value */
  bool kept;
} vv_claim;

typedef struct vv_sim vv_sim;

/* What an observer sees.  Everything is const: observers never change a run. */
/* Positions at the end of a step in which a contact began or lasted: pictures between two frames go through them. */
typedef struct vv_key {
  double time;
  int64_t step;
  const double *q; /* as vv_state.q */
} vv_key;

typedef struct vv_view {
  const vv_model *model;
  const vv_state *state;
  const vv_ledger *ledger;
  const vv_event *event; /* [n_event] events since this observer was last called, oldest first */
  int64_t n_event;
  bool first, last;          /* first call of this run; last call (done, stopped or interrupted) */
  bool hopeless;             /* last, and the state is not worth keeping: the run was stopped as unstable */
  const vv_episode *episode; /* [n_episode] contacts that ended since this observer was last called */
  int64_t n_episode;
  const vv_force_sample *sample; /* their forces: sample[episode.first .. first + samples - 1] */
  const vv_key *key;             /* [n_key] positions at contacts since this observer was last called */
  int64_t n_key;
} vv_view;
typedef vv_status vv_observe_fn(const vv_view *view, void *user);

typedef struct vv_sim_def {
  double step;          /* 0: the scene's; may be negative: backwards in time */
  bool check_structure; /* propagate first variations, check symplectic, multisymplectic and Noether sums */
  int cookie;
} vv_sim_def;

VV_API vv_sim_def vv_sim_default(void);
/* The state is borrowed and moved in place.  It may be changed between calls: after vv_sim_edit what that brings or takes is
 * booked as external; without it it is in no book. */
VV_API VV_NODISCARD vv_status vv_sim_create(const vv_model *model, vv_state *state, const vv_sim_def *def,
                                            vv_sim **out);
VV_API void vv_sim_destroy(vv_sim *sim);

/* Calls fn at the start, then after every `every` steps (0: first and last only), and at the end. */
VV_API VV_NODISCARD vv_status vv_sim_observe(vv_sim *sim, int64_t every, vv_observe_fn *fn, void *user);
/* The same for an observer with a rhythm of its own: next(step, user) is the first step after `step` that it wants to see.
 * It is also called when many events wait to be told. */
typedef int64_t vv_next_fn(int64_t step, void *user);
VV_API VV_NODISCARD vv_status vv_sim_observe_when(vv_sim *sim, vv_next_fn *next, vv_observe_fn *fn, void *user);

/* Values at both times: momenta of `from` are changed so that the steps of the model lead to where the bodies of `end` are in
 * the state `to`, by Newton's method from those it has.  The same bodies in both, with the same numbers of nodes.  For bars and
 * beams in leapfrog steps without contact. */
typedef struct vv_arrival {
  int iterations;
  double distance; /* m, rad: what is left between the end of the run and `to`, largest of all nodes */
} vv_arrival;
VV_API VV_NODISCARD vv_status vv_sim_arrive(const vv_model *model, vv_state *from, const vv_model *end,
                                            const vv_state *to, vv_arrival *out);

/* Evolution in space: a body with free ends moves for some steps; then what its first node did, at all times, is marched along
 * the body and compared with that run.  One row for each node, row[nodes of the body]; *n: those that were reached, fewer where a
 * step along the body has no solution.  For bars and beams in leapfrog steps without contact. */
typedef struct vv_space_row {
  int64_t node, levels; /* the node is known at so many levels: two fewer with every node */
  double difference;    /* m (and components of frames): largest from the run */
  double growth;        /* of a short disturbance of the first node, up to here */
  double form;          /* of dflux ^ dq, summed over all levels: change since the first node, relative */
} vv_space_row;
VV_API VV_NODISCARD vv_status vv_sim_space(const vv_model *model, const vv_state *initial, int body, int64_t steps,
                                           vv_space_row *row, int64_t *n);

/* Observers and controllers with this `user` are no longer called.  Not from inside one. */
VV_API void vv_sim_dismiss(vv_sim *sim, const void *user);

/* Advances; returns VV_OK even if nature stopped the run: look at the report. */
VV_API VV_NODISCARD vv_status vv_sim_steps(vv_sim *sim, int64_t n, vv_report *report);
VV_API VV_NODISCARD vv_status vv_sim_run(vv_sim *sim, vv_report *report); /* to time.end */
/* To the first whole step that is not before time t; no step where t is past. */
VV_API VV_NODISCARD vv_status vv_sim_until(vv_sim *sim, double t, vv_report *report);
VV_API void vv_sim_interrupt(vv_sim *sim); /* async-signal-safe: stop after the current step */
/* Calls fn a few times a second while steps are taken, in the thread of the caller; true: stop, as vv_sim_interrupt does.
 * NULL: no longer. */
typedef bool vv_poll_fn(void *user);
VV_API void vv_sim_poll(vv_sim *sim, vv_poll_fn *fn, void *user);

/* ---- acting on a run: what the caller does is booked as external work, impulse and moment, never lost ----
 *
 * Between two calls of vv_sim_steps, or inside a controller.  The work of an impulse at fixed positions is the change of the
 * energy that the method balances, and the books are brought up to date at the next step or look at the ledger.
 * `body` is an index (vv_model_body), `node` counts in the body, -1: every node of it.  Vectors have space axes.  Moments and
 * spins are about the node and want a kind with frames (beams, rigid bodies); NULL: none.  Supports take what acts on a node
 * they hold.  Refused (VV_UNSUPPORTED) for beams in energy-momentum steps, which keep velocities of their own. */

/* An impulse (N s) and a moment of impulse (N m s), now. */
VV_API VV_NODISCARD vv_status vv_sim_push(vv_sim *sim, int body, int64_t node, const double impulse[3],
                                          const double moment[3]);
/* A velocity and an angular velocity, now; NULL: stays. */
VV_API VV_NODISCARD vv_status vv_sim_set_velocity(vv_sim *sim, int body, int64_t node, const double velocity[3],
                                                  const double spin[3]);
/* A force (N) and a moment (N m) from now on, until they are set again; both NULL: no longer.  Half of its impulse acts
 * before each step and half after it. */
VV_API VV_NODISCARD vv_status vv_sim_force(vv_sim *sim, int body, int64_t node, const double force[3],
                                           const double moment[3]);
/* Prescribed motion from now on, until it is set again; both NULL: free again.  Drives lead the nodes so that
 * each step ends where the prescribed motion leads, with the prescribed velocity.  An impact inside a step acts on the body
 * with its own mass; the deviation is taken back in the next step, and all of it is booked.  A node that is joined: refused. */
VV_API VV_NODISCARD vv_status vv_sim_prescribe(vv_sim *sim, int body, int64_t node, const double velocity[3],
                                               const double spin[3]);
/* Announces that the caller is about to write q or p, and hands out the state to write; what the change brings or takes is
 * booked.  Valid until the next step. */
VV_API VV_NODISCARD vv_status vv_sim_edit(vv_sim *sim, vv_state **state);
/* Calls fn before every step whose number is a multiple of `every`; it may use the functions above.  A status other than
 * VV_OK stops the run, which hands it on. */
typedef vv_status vv_control_fn(vv_sim *sim, void *user);
VV_API VV_NODISCARD vv_status vv_sim_control(vv_sim *sim, int64_t every, vv_control_fn *fn, void *user);

VV_API const vv_model *vv_sim_model(const vv_sim *sim);
VV_API const vv_state *vv_sim_state(const vv_sim *sim);
/* Lives as long as the simulation and follows it.  Before the first step it is empty. */
VV_API const vv_ledger *vv_sim_ledger(const vv_sim *sim);
/* Steps whose length the energy equation chooses (time.step.variational): the shortest and the longest so far (s), and how
 * many there were.  false: all have the length of the scene. */
VV_API bool vv_sim_lengths(const vv_sim *sim, double *shortest, double *longest, int64_t *taken);
VV_API const char *vv_sim_device(const vv_sim *sim);                  /* its name; NULL: the processor does all */
VV_API const char *vv_sim_energy_kind(const vv_sim *sim);             /* nodal, slab, modified or director */
VV_API int vv_sim_claims(const vv_sim *sim, const vv_claim **claims); /* how many; judged at the last step done */

/* What the structure checks found so far (def.check_structure): largest relative residuals. */
typedef struct vv_structure {
  double symplectic;      /* of the two-form w(p, q) on propagated first variations */
  double multisymplectic; /* of its local form on sub-domains, with border fluxes and event terms */
  double noether;         /* of the momentum balance on sub-domains */
  double
      configurational; /* of the balance of configurational forces in the middle of bars and beams: falls with the square
                             of mesh and step in smooth motions.  NAN: no body long enough, or no slabs */
  double
      local_energy; /* of the balance of energy of single elements: falls with the square of the step.  NAN: no body offers
                          it, or no slabs */
  bool sub_domains; /* multisymplectic and noether were checked: every step is made of slabs */
  bool ended;       /* no derivative exists any more: simultaneous events, restitution below 1, an unsolvable event */
  double ended_at;  /* time of that */
} vv_structure;
VV_API bool vv_sim_structure(const vv_sim *sim, vv_structure *out); /* false: not checked */

/* ---- observers that keep rows and events in memory of the caller ---- */

/* Rows of `columns` numbers: step, time, then the first columns of the ledger.  Register with vv_sim_observe.  Rows that do
 * not fit are counted in `missed`.  The same step is not kept twice. */
typedef struct vv_rows {
  double *row; /* [capacity][columns] */
  int64_t capacity, n, missed;
  int32_t columns;
} vv_rows;
VV_API VV_NODISCARD vv_status vv_rows_observe(const vv_view *view, void *rows);
/* Events, copied as they come. */
typedef struct vv_events {
  vv_event *event; /* [capacity] */
  int64_t capacity, n, missed;
} vv_events;
VV_API VV_NODISCARD vv_status vv_events_observe(const vv_view *view, void *events);

/* Continue a run: the ledger as it was (a checkpoint holds state and ledger; forces and prescribed motions of the caller are
 * not in it). */
VV_API VV_NODISCARD vv_status vv_sim_restore(vv_sim *sim, const vv_ledger *ledger);

/* A run goes on with other grids of its bars and beams: `to` is the model of the same bodies, by name and kind, with other numbers
 * or lengths of elements.  Places lie between those of the old nodes, velocities are interpolated or averaged, and a rigid motion
 * of each free body gives back its momenta to rounding.  The step of `to` must divide the time of `state`.  Then a simulation of
 * `to` is made and takes over the book: what the new grid holds less of the energy is added to step_loss, what it holds more to
 * external_work; *lost tells it. */
VV_API VV_NODISCARD vv_status vv_sim_transfer(const vv_model *from, const vv_state *state, const vv_model *to,
                                              vv_state *out);
VV_API VV_NODISCARD vv_status vv_sim_adopt(vv_sim *sim, const vv_ledger *ledger, double *lost);

#ifdef __cplusplus
}
#endif
