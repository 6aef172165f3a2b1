/* step/sheets.h  Contacts of surfaces, answered before the drift that would make them meet: positions are never moved, so
 * that the potential energy is untouched and, for e = 1, so is the kinetic one. */
#pragma once
#include "contact/response/dcr.h"
#include "contact/sheets.h"
#include "step/step.h"

/* What the state remembers, behind everything else: what is lent to pairs with e = 1 (the bank) and with e < 1, the most of
 * the latter so far, and the guard layer chosen at the start. */
enum { VVI_SHEET_BANK, VVI_SHEET_GUARD, VVI_SHEET_LENT, VVI_SHEET_MOST, VVI_SHEET_MEMORY };

typedef struct vvi_sheet_counts {
  int64_t impulses, sweeps, pushes, repeats; /* since the start; most sweeps of a step: */
  int64_t most_sweeps, evaluations, crossings;
  int64_t rounds;              /* repeated because others answered what was pushed here */
  int64_t zones;               /* moved as one piece, because nothing else helped */
  int64_t unresolved;          /* steps that ended with a pair violated */
  int64_t rowless;             /* crossings without a usable row */
  double pushed;               /* J brought by pushes */
  double searching, answering; /* s of wall time */
  double nearest;              /* smallest distance less the thickness, over the guard */
} vvi_sheet_counts;

/* One impulse, as it is logged. */
typedef struct vvi_sheet_event {
  const vvi_dcr *pair;
  int32_t couple;
  bool rests; /* inside the layer, pressed rather than thrown */
  double speed, impulse, slide, lost;
  double rub[3]; /* N s: what friction gave, in space, along the normal's side */
} vvi_sheet_event;

/* What a pair with e < 1 has been given in this step, along the row of weights c and normal n. */
typedef struct vvi_sheet_memo {
  double c[4], n[3];
  double impulse, rub[3]; /* Ns; rub in space */
  double target;          /* m/s: the speed along n that it asks for */
} vvi_sheet_memo;

typedef struct vvi_zone_member {
  int32_t root, mover;
  bool fixed; /* touches what does not move */
} vvi_zone_member;

struct vvi_sheets_step {
  vvi_sheet_search *search;
  double h;
  double *bank;             /* energy lent to pairs with e = 1 pushed apart; of the state */
  double *lent;             /* [2] and to those with e < 1: now (negative), the most so far; of the state */
  double own_lent[2];       /* where there is no state */
  double lost, rubbed;      /* J of this step, not yet booked: of pairs with e < 1, and by friction */
  double pushed;            /* J brought by pushes in this step, less what was given back */
  vv_posted *post;          /* of the ledger */
  int32_t *changed, *dirty; /* [movers] when its momentum was last changed; those changed in this step */
  int32_t n_dirty, serial;
  vvi_sheet_memo *memo; /* [memo_room] NULL: nothing loses energy */
  int32_t n_memo, memo_room;
  int sweep;               /* the present one */
  int32_t *zone;           /* [movers] zones.c: towards the first mover of its zone; -1: in none */
  vvi_zone_member *member; /* [movers] */
  int32_t n_member;
  int patience;    /* sweeps before there are zones */
  int32_t ignored; /* crossings seen in this step for which there was no impulse */
  int64_t acted;   /* pairs answered in this step */
  double deepest;  /* of what is unresolved in this step */
  vvi_sheet_counts count;
  void (*log)(void *user, const vvi_sheet_event *e); /* NULL: none */
  void *user;
  /* of the stepper */
  struct vv_step *step;
  double t;
  bool ready;                     /* the guard is chosen */
  double *q, *p;                  /* [nq], [np] flights of frames; NULL: none */
  vv_mover *mover, *force;        /* [nodes of a block] of those that turn: velocities, accelerations; NULL: none */
  struct vvi_sheets_paper *paper; /* pairs of the 2005 paper's step; NULL: there are none */
};

/* ---- the core: search, sweeps, books; motion.at, motion.h and the frames are set ---- */

vv_status vvi_sheets_create(const struct vvi_sheets *m, vvi_arena *arena, int threads, struct vvi_sheets_step **out);
/* The layer of every couple: max(1e-3 edge, travel of a step) for e = 1, 3e-3 edge for e < 1. */
void vvi_sheets_guard(struct vvi_sheets_step *w, double guard);
/* Changes momenta until nothing meets in the coming drift.  False: no room. */
bool vvi_sheets_settle(struct vvi_sheets_step *w);

/* ---- zones that move as one piece (zones.c) ---- */

void vvi_zones_open(struct vvi_sheets_step *w);
/* The movers of a row belong together; false: they already did, or cannot. */
bool vvi_zones_join(struct vvi_sheets_step *w, const vvi_row *r);
void vvi_zones_move(struct vvi_sheets_step *w);

/* ---- within a run ---- */

vv_status vvi_sheets_prepare(struct vv_step *s);
/* f: force at the present configuration; that of rigid bodies at rest is taken out (vvi_solids_lend) */
vv_status vvi_sheets_act(struct vv_step *s, double t, double h, double *f, vv_report *r);
/* The 2005 paper's step, where the scene asks for it (paper.c); stage 0: before the second kick, 1: after it. */
vv_status vvi_sheets_paper_create(struct vvi_sheets_step *w, vvi_arena *arena);
void vvi_sheets_resolve(struct vv_step *s, double t, double direction, int stage);
/* The state was changed from outside. */
void vvi_sheets_forget(struct vvi_sheets_step *w);
double vvi_sheets_bank(const struct vv_step *s); /* contact energy: what is lent, negative */
double vvi_sheets_lent(const struct vv_step *s); /* J: the most that pairs with e < 1 owed at any time */
void vvi_sheets_note(struct vv_step *s, double *deepest, int64_t *contacts);
