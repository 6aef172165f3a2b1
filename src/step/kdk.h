/* step/kdk.h  Kick, drift, kick on a fixed grid of times, as far as steppers share it: one force a step, springs of massless
 * tips, contacts that are answered before the drift, the energy that is balanced. */
#pragma once
#include "contact/solution/shadow.h"
#include "step/step.h"

typedef struct vvi_kdk {
  double *f;          /* [np] force of the present configuration */
  double *z;          /* [np] scratch momentum */
  bool keep;          /* f is used for both kicks beside it: one force a step */
  bool known, steady; /* it belongs to the present configuration; at any time */
  double known_at;    /* s: the time it belongs to */
  bool idle;          /* kicks post nothing: no gravity, loads, drives or springs, */
  bool coasts;        /* and rigid bodies alone: they change nothing, either */
  bool modified;      /* linear bodies: the step keeps an energy exactly */
  bool
      mends; /* massless tips among them: what a spring that comes or goes leaves is taken out of the motion [bars 17a] */
  int n_turned, *turned; /* [pairs] the springs that came or went in this substep, where it mends */
  bool holds;            /* bodies that are not linear: hard pairs know whether they are held */
  double *driven;        /* [pairs] m/s: what drives gave their rates as the step began; NULL: nothing is driven */
  double *hidden;        /* [pairs] N s: half kicks of what is held, while something damps; NULL: nothing does */
  vvi_shadow *shadow;    /* hard pairs of bars that are not linear; NULL: none */
  vv_posted
      book[2]; /* what the last step posted on both sides of its drift, where contact may find the next one like it */
} vvi_kdk;

/* Arrays, and which energy is balanced: s->energy, s->exact. */
vv_status vvi_kdk_prepare(struct vv_step *s, vvi_kdk *k);
const double *vvi_kdk_force(struct vv_step *s, vvi_kdk *k, double t);
/* Before all else in a substep: drives. */
void vvi_kdk_drive(struct vv_step *s, vvi_kdk *k, double t, double h);
/* Contacts that the coming drift would close.  *halve: nothing was changed, take two half steps instead. */
vv_status vvi_kdk_answer(struct vv_step *s, vvi_kdk *k, double t, double h, bool may_halve, bool *halve, vv_report *r);
void vvi_kdk_kick(struct vv_step *s, vvi_kdk *k, double t, double h);
/* What supports and drives give in a kick of length h: of the whole of a step, or of one half; again: as in the last one. */
void vvi_kdk_book_half(struct vv_step *s, vvi_kdk *k, int half, double t, double h);
void vvi_kdk_book_again(struct vv_step *s, const vvi_kdk *k);
void vvi_kdk_book(struct vv_step *s, double t, double h);
/* From t to t + h, internal variables after it. */
void vvi_kdk_drift(struct vv_step *s, vvi_kdk *k, double t, double h);
/* Half a kick at t, what it gives, and the drift; true: and the half kick behind it. */
bool vvi_kdk_leap(struct vv_step *s, vvi_kdk *k, double t, double h);
/* Behind the second half kick: springs that came or went in this substep pay what they brought.          [bars 17b] */
void vvi_kdk_settle(struct vv_step *s, vvi_kdk *k, double t);
/* An approaching pair is turned round at this place. */
void vvi_kdk_respond(struct vv_step *s, const vvi_pair *c, double t, double direction);
/* Steps, `most` at the most, in which an accelerator has all there is and nothing can touch: at once.  How many. */
int64_t vvi_kdk_cruise(struct vv_step *s, const vvi_kdk *k, int64_t most);
/* One step: the substeps of the composition, then the notes of its end. */
typedef vv_status vvi_substep(struct vv_step *s, double t, double h, vv_report *r);
vv_status vvi_kdk_compose(struct vv_step *s, vvi_kdk *k, vvi_substep *substep, vv_report *r);
void vvi_kdk_audit(struct vv_step *s, vvi_kdk *k, vv_totals *sum);
void vvi_kdk_forget(struct vv_step *s, vvi_kdk *k);
