/* visviva/book.h  tier: extend.  What is in the ledger: for steppers, which write it, and tests.  Not part of the ABI: programs
 * read it by the accessors of ledger.h. */
#pragma once
#include "visviva/ledger.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vv_totals {
  double kinetic, strain, potential, contact; /* J; potential: gravity; contact: stored in closed contact springs */
  double p[3], L[3];                          /* linear and angular momentum (about the origin) */
  double p_abs, L_abs;                        /* sum |p_i|, sum |x_i x p_i|: scales for relative drifts */
} vv_totals;

/* Two bodies that overlap: how deep, and the size of the smaller one. */
typedef struct vv_overlap {
  double depth, size; /* m */
} vv_overlap;

/* A sum that keeps its rounding error (Neumaier): 1e7 small postings lose nothing. */
typedef struct vv_sum {
  double value, carry;
} vv_sum;

typedef struct vv_posted {
  vv_sum external_work, friction_loss, restitution_loss; /* J, since the start */
  vv_sum step_loss;  /* J: along normals of contacts that last: what finite steps make of rest and sliding */
  vv_sum joint_work; /* J: what joints did to the kinetic energy, which is an error of the step: they do no work */
  vv_sum plastic_work, viscous_loss, damage_loss; /* J: what materials dissipate */
  vv_sum impulse[3], moment[3];                   /* external: loads, gravity, supports, obstacles */
  double impulse_abs, moment_abs;                 /* sizes of what loads and supports exchanged: rounding scales */
  double single[2];                               /* the same of single impulses, and their moments     [ledger 2a] */
  double joint_half;                              /* J: the largest kinetic energy of half a joint impulse */
  double joint_gap;                               /* m: the farthest that a joint was from where it should be */
  double joint_faded; /* J: that energy times the part of motion that media took, summed up [joint 8c] */
  double stray;       /* J^2: sum of squares of what impacts of bodies that bend may have brought unseen [shadow 7b] */
  vv_sum found;    /* J: what ordinary answers brought to the energy of fourth order beside their work [shadow 7a]; */
  double findable; /* J^2: sum of squares of what theory lets this be of blows [shadow 7], */
  double held;     /* J: and of contacts that hold, at the most [shadow 8, ledger 10a] */
  double pressed;  /* J: the same of contacts that press without a blow, sum over all steps [ledger 10b] */
  double lent;     /* J^2: sum of squares of what contacts lent, of each no more than it may [contact 30b] */
  double cuts;     /* J: what cuts of shells have lent and damage has not taken since; in the column contact [mat 25] */
} vv_posted;

struct vv_ledger {
  vv_totals initial, now;          /* audited, in the energy that the method balances (energy_kind) */
  double nodal_initial, nodal_now; /* the plain energy H(q, p) at the same times */
  double modified_now; /* the energy kept to fourth order (record.modified); not a number where not asked for */
  vv_posted posted;
  double energy_scale, p_scale, L_scale; /* largest seen so far */
  double told[8];                        /* impulse, single[0], moment, single[1] when the last step ended */
  double rounding;         /* J: strain energy that the rounding of places makes of nothing, in one drift */
  double reach;            /* m: farthest place from the origin at the start: angular momenta round at eps reach |p| */
  double energy_floor;     /* J: the same of all drifts so far: a gap below it is none */
  double closure;          /* now */
  double p_drift, L_drift; /* now */
  double max_closure, max_p_drift, max_L_drift, max_penetration, max_event_residual; /* over the run, absolute values */
  double max_nodal_closure;
  double max_gap, max_nodal_gap; /* J: the same, not yet divided by the energy scale, which may still grow */
  double penetration;            /* now */
  vv_overlap overlap;            /* the one, of all steps, that is the largest part of the smaller body */
  vv_overlap side;               /* the deepest that something was inside a bar; in `overlap`, too */
  int32_t side_of[2];            /* the bar, and what was inside */
  vv_overlap
      folded; /* the deepest, of the rows, that a beam was inside of itself, where nobody asked it to meet itself */
  int32_t folded_body;                    /* that beam */
  double max_distortion, distortion_when; /* of elements: 1 is flat or folded; s: when it was so first, -1: never */
  double max_stretch, stretch_when;       /* the same of strains: 1 is beyond what the law means */
  double kick_energy; /* J: largest (h^2/8) f.M^-1 f so far, of bodies that fly exactly, under loads; else 0 */
  int64_t contacts;   /* closed or touching pairs at this step */
  int64_t impacts;    /* events since the start */
  int64_t fallbacks;  /* events whose energy equation had no root; contacts that the last resort stopped */
  int64_t held;       /* contacts held together because bounces accumulated */
  double anchor_energy,
      anchor_invariant;  /* modified jump: energy at the last full audit, and the step's own invariant there */
  int64_t anchor_events; /* events and lifts then; -1: no audit yet */
  double claim_worst[16], claim_when[16]; /* worst value of each claim so far, and its time */
  double claim_gap;                       /* J: that of the energy, before it is divided by the scale */
  double most_lost[6];   /* J: the largest losses so far: of restitution, friction, steps and the three of materials */
  double max_shrink;     /* J: by which one of them was later found below that */
  double least_sum;      /* J: the smallest sum of energy and losses, less that at the start and work from outside */
  double max_rise;       /* J: by which it was later found above that */
  double touched[8];     /* s: when the bodies of each stop condition last touched, or moved; 0: never */
  double shadow_initial; /* J: the energy kept to fourth order at the start; not a number: it is not what is judged */
  double max_joint_work; /* J: its largest size so far */
  double max_pair_debt;  /* J: the most that was lent to pairs of tips, of all of them together */
  double most_lent;      /* J: what one step may lend a pair of tips, at the most so far [bars 19c] */
  double lifted; /* J^2: sum of squares of what such pairs were lent where they press and are lifted [bars 19] */
  double max_shadow_gap;         /* J: largest gap of it in the books, */
  double max_shadow_off;         /* J: and its largest distance from the plain energy */
  int64_t sane;                  /* last step at which the energy was within reason */
  int64_t still;                 /* how often in a row nothing had moved although impacts were answered */
  double step_parts;             /* in which a step is taken, because something is crushed; 0: one */
  int64_t next_look;             /* step at which the shapes of what may be crushed are looked at again */
  struct vvi_episodes *episodes; /* contact histories (ledger/episodes.h); NULL: nothing can touch */
};

VV_API double vv_sum_value(const vv_sum *s);
VV_API double
vv_posted_losses(const vv_posted *b); /* J: friction, restitution, step, plastic work, viscosity, damage */
VV_API double vv_totals_energy(const vv_totals *t); /* kinetic + strain + potential + contact */

#ifdef __cplusplus
}
#endif
