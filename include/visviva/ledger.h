/* visviva/ledger.h  tier: use.  Every joule and every newton-second has a name.
 *
 * Audited: totals computed from the state.  Posted: work and impulses that the steppers book while they act.
 *   closure  = (total - external_work - joint_work + losses - initial total) / energy scale   [ledger 1]
 *              losses: friction, restitution, step_loss, plastic work, viscosity, damage
 *              and 0 where the rounding of places alone explains it                   [ledger 10]
 *   drift    = |p - impulse - initial p| / momentum scale                             [ledger 2] */
#pragma once
#include "visviva/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vv_ledger vv_ledger; /* its fields are read by the functions below */

/* The columns: name in C, name in ledger.csv and in Python, unit.  New ones come at the end: numbers stay.
 * Energies are those that the method balances (vv_sim_energy_kind); nodal_total is the plain one.  Drifts are relative.
 * max_*: largest of the run so far.  impulse, moment: from outside (loads, gravity, supports, obstacles, the caller).
 * energy_h2 is not a number unless record.modified asks for it. */
#define VV_LEDGER_LIST(X)                      \
  X(KINETIC, "kinetic", "J")                   \
  X(STRAIN, "strain", "J")                     \
  X(POTENTIAL, "potential", "J")               \
  X(CONTACT, "contact", "J")                   \
  X(EXTERNAL_WORK, "external_work", "J")       \
  X(FRICTION_LOSS, "friction_loss", "J")       \
  X(RESTITUTION_LOSS, "restitution_loss", "J") \
  X(TOTAL, "total", "J")                       \
  X(CLOSURE, "closure", "1")                   \
  X(P_X, "p_x", "kg m/s")                      \
  X(P_Y, "p_y", "kg m/s")                      \
  X(P_Z, "p_z", "kg m/s")                      \
  X(L_X, "L_x", "kg m^2/s")                    \
  X(L_Y, "L_y", "kg m^2/s")                    \
  X(L_Z, "L_z", "kg m^2/s")                    \
  X(CONTACTS, "contacts", "1")                 \
  X(PENETRATION, "penetration", "m")           \
  X(NODAL_TOTAL, "nodal_total", "J")           \
  X(IMPACTS, "impacts", "1")                   \
  X(ENERGY_H2, "energy_h2", "J")               \
  X(INITIAL_TOTAL, "initial_total", "J")       \
  X(ENERGY_SCALE, "energy_scale", "J")         \
  X(P_DRIFT, "p_drift", "1")                   \
  X(L_DRIFT, "L_drift", "1")                   \
  X(MAX_CLOSURE, "max_closure", "1")           \
  X(MAX_P_DRIFT, "max_p_drift", "1")           \
  X(MAX_L_DRIFT, "max_L_drift", "1")           \
  X(MAX_PENETRATION, "max_penetration", "m")   \
  X(IMPULSE_X, "impulse_x", "kg m/s")          \
  X(IMPULSE_Y, "impulse_y", "kg m/s")          \
  X(IMPULSE_Z, "impulse_z", "kg m/s")          \
  X(MOMENT_X, "moment_x", "kg m^2/s")          \
  X(MOMENT_Y, "moment_y", "kg m^2/s")          \
  X(MOMENT_Z, "moment_z", "kg m^2/s")          \
  X(HELD, "held", "1")                         \
  X(FALLBACKS, "fallbacks", "1")               \
  X(MAX_DISTORTION, "max_distortion", "1")     \
  X(DISTORTION_WHEN, "distortion_when", "s")   \
  X(PLASTIC_WORK, "plastic_work", "J")         \
  X(VISCOUS_LOSS, "viscous_loss", "J")         \
  X(DAMAGE_LOSS, "damage_loss", "J")           \
  X(STEP_LOSS, "step_loss", "J")               \
  X(JOINT_WORK, "joint_work", "J")             \
  X(MAX_STRETCH, "max_stretch", "1")           \
  X(STRETCH_WHEN, "stretch_when", "s")
#define VV_LEDGER_ENUM(name, text, unit) VV_LEDGER_##name,
typedef enum vv_ledger_column { VV_LEDGER_LIST(VV_LEDGER_ENUM) VV_LEDGER_COLUMNS } vv_ledger_column;

VV_API int vv_ledger_columns(void);            /* of the library: not fewer than VV_LEDGER_COLUMNS of the header */
VV_API const char *vv_ledger_name(int column); /* NULL: there is no such column */
VV_API const char *vv_ledger_unit(int column);
VV_API int vv_ledger_find(const char *name);                            /* -1: none */
VV_API double vv_ledger_get(const vv_ledger *ledger, int column);       /* not a number: there is no such column */
VV_API void vv_ledger_row(const vv_ledger *ledger, int n, double *out); /* out[n]: the first n columns */

/* ---- contact histories: what two bodies did to each other, from what the steppers book ----
 *
 * Impulses of two bodies belong to one episode while the pause between them is no longer than the shortest of interest (four
 * steps, or sixteen times what an element of these bodies needs to answer), or eight times the mean pause so far.
 * Forces are mean values over a window of duration/sqrt(impulses), rounded up to 2^n steps: it shrinks with the mesh, while it
 * holds more and more impulses.                                                                            [ledger 15] */
typedef struct vv_episode {
  int32_t body[2];                      /* index (vv_model_body), a before b; the same twice: it touches itself */
  int32_t copy[2];                      /* of a body with copies; -1: it has none */
  int64_t pair;                         /* number of these two, by their first touch in the run */
  int64_t number;                       /* of the episode in the pair: 0, 1, ... */
  int64_t impulses;                     /* that were booked, points of contact counted apart */
  int64_t instants;                     /* at so many different times */
  double touch, release;                /* s: the first and the last of them */
  double normal, tangential;            /* N s: sums of sizes */
  double impulse[3];                    /* N s: what b got and a gave */
  double mean_force;                    /* N, along normals; not a number where everything happened at once */
  double peak_force, peak_time, window; /* N, s, s: the largest mean over a window */
  double energy_lost;                   /* J: what the impulses took from the motion */
  double speed;                         /* m/s: approach at the first touch, negative */
  double x[3];                          /* m: mean of the points, weighted by impulse */
  int64_t first, samples;               /* of its force: where in the list that came with it, and how many */
  int64_t open;                         /* 1: not over yet */
} vv_episode;

/* Mean force of an episode in a window about a time. */
typedef struct vv_force_sample {
  double time, normal, tangential; /* s, N, N */
} vv_force_sample;

/* All episodes of two bodies together. */
typedef struct vv_contact_total {
  int32_t body[2], copy[2];
  int64_t episodes, impulses;
  double touch, release;     /* s: first and last of the run */
  double duration;           /* s: of all episodes */
  double normal, tangential; /* N s */
  double impulse[3];         /* N s: what b got */
  double energy_lost;        /* J */
  double peak_force,
      peak_time; /* N, s: of the finished episodes and of the present one; not a number: none has a force */
  int64_t open;
} vv_contact_total;

VV_API int64_t vv_ledger_pairs(const vv_ledger *ledger); /* of bodies that have touched */
VV_API VV_NODISCARD vv_status vv_ledger_pair(const vv_ledger *ledger, int64_t pair, vv_contact_total *out);

/* A ledger of the caller's own, to hold that of a checkpoint or a copy. */
VV_API VV_NODISCARD vv_status vv_ledger_create(vv_ledger **out);
VV_API VV_NODISCARD vv_status vv_ledger_copy(vv_ledger *to, const vv_ledger *from);
VV_API void vv_ledger_destroy(vv_ledger *ledger);

#ifdef __cplusplus
}
#endif
