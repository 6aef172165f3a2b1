/* step/accelerate.h  A run on an accelerator: where its columns are, and when they move between device and host.
 *
 * Two ways.  Resident: nothing can touch; all steps are taken there, and the state comes down when somebody looks.  Otherwise
 * the host answers contacts and keeps the books.  Then blocks of points stay on the device (step/stay.c), which sends bounds of
 * what they are about to do, and the nodes that the search asks for; of other blocks it computes the forces. */
#pragma once
#include "device/device.h"
#include "step/step.h"

typedef struct vvi_accelerator {
  vvi_device *device;
  void **own;    /* [n_block] a block there; NULL: it has no nodes */
  double *q, *p; /* room for the columns of blocks whose kind has no sums there; NULL: none has */
  bool resident;
  bool ahead;     /* the device has steps that the state on the host has not */
  bool there;     /* it holds the state of the host, or what has become of it */
  int run, taken; /* resident: steps that were taken beforehand, with their totals; those of them that were asked for */
  double run_h;   /* their length */
  bool early;     /* as many steps behind them are queued, too */
  int runs;       /* that were used up in a row */
  int rhythm;     /* single steps in a row whose totals were asked for */
  bool audited;   /* those of the last one were */
  int64_t step;   /* of the state on the host while the device is ahead */
  double t;       /* its time */
  vv_ledger *before;    /* the ledger then */
  vv_state *kept;       /* blocks stay while contacts are answered: the state then; NULL: none does */
  unsigned char *stays; /* [n_block] it does */
  int32_t **here;       /* [n_block][nodes] the time at which a node was brought; */
  int32_t now;          /* drifts so far, from 1 on */
  int64_t cruising;     /* steps that were queued at once */
  int32_t **asked;      /* [n_block][nodes] the time at which a node was last asked for; */
  int32_t **guess;      /* [n_block][VV_DEVICE_GUESSES] those of this drift, or of the last one: */
  int32_t *guesses;     /* [n_block] how many */
  int32_t *guessed;     /* [n_block] the time of the last bounds */
  int32_t *some;        /* [most nodes] that are asked for */
  double *f;            /* [np] forces on the host, of nodes that are here */
} vvi_accelerator;

/* Opens what the context asks for; s->accelerator stays NULL where that is the processor.  `auto` is silent; what is asked for
 * by name and cannot be had is refused. */
vv_status vvi_accelerate(struct vv_step *s, bool structure);
void vvi_accelerator_close(vvi_accelerator *a, const vv_model *m);
/* The state of the host is that of the device. */
void vvi_bring_down(struct vv_step *s);
/* And the other way round, where it does not hold it. */
void vvi_send_up(struct vv_step *s);
/* The host may write its state: the device gets it again before the next step. */
void vvi_host_writes(struct vv_step *s);
/* Resident: n steps of kick, drift, kick. */
vv_status vvi_resident_steps(struct vv_step *s, int64_t n, vv_report *r);
/* Totals of the present state: true, they were taken there. */
bool vvi_resident_audit(struct vv_step *s, vv_totals *sum);
/* f: the force at time t. */
void vvi_device_force(struct vv_step *s, double t, double *f);
/* The same after a drift of length h that ends at t, behind the flow of what has internal variables. */
void vvi_device_flow(struct vv_step *s, double t, double h, double *f);
/* ---- blocks that stay there while contacts are answered here (step/stay.c) ---- */

vv_status vvi_stay_create(struct vv_step *s);
void vvi_stay_close(vvi_accelerator *a, const vv_model *m);
static inline bool vvi_stays(const struct vv_step *s, int block)
{
  return s->accelerator != NULL && s->accelerator->stays != NULL && s->accelerator->stays[block];
}
/* Whole columns of the momenta of blocks that are here, y += a x; the others by the force that is there. */
void vvi_stay_push(struct vv_step *s, double h, const double *f);
void vvi_stay_post(struct vv_step *s, double t, double h);
void vvi_stay_viscous(struct vv_step *s, double h);
void vvi_stay_drift(struct vv_step *s, double h);
/* Every node stays there, and what is kept of the state is that of the last look. */
bool vvi_all_stay(const struct vv_step *s);
/* Before a step: the device has the state, and what is kept of it is whole. */
void vvi_stay_begin(struct vv_step *s);
/* The state is what was kept; where nothing stays it is left alone. */
void vvi_stay_back(struct vv_step *s);
/* Did the device fail?  Then the state is again what the host last had, and the report says so. */
bool vvi_device_lost(struct vv_step *s, vv_report *r);
