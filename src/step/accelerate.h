/* step/accelerate.h  A run on an accelerator: where its columns are, and who brings them where they are needed.
 *
 * Two ways.  Resident: nothing can touch; all steps are taken there, and the state comes down when somebody looks.  Otherwise
 * the host steps, answers contacts and keeps the books, and the device computes the forces. */
#pragma once
#include "device/device.h"
#include "step/step.h"

typedef struct vvi_accelerator {
  vvi_device *device;
  void **own;    /* [n_block] a block there; NULL: it has no nodes */
  double *q, *p; /* room for the columns of blocks whose kind has no sums there; NULL: none has */
  bool resident;
  bool ahead;        /* resident: the device has steps that the state on the host has not */
  bool there;        /* resident: it holds the state of the host, or what has become of it */
  int64_t step;      /* of the state on the host while the device is ahead */
  double t;          /* its time */
  vv_ledger *before; /* the ledger then */
} vvi_accelerator;

/* Opens what the context asks for; s->accelerator stays NULL where that is the processor.  `auto` is silent; what is asked for
 * by name and cannot be had is refused. */
vv_status vvi_accelerate(struct vv_step *s, bool structure);
void vvi_accelerator_close(vvi_accelerator *a, const vv_model *m);
/* The state of the host is that of the device. */
void vvi_bring_down(struct vv_step *s);
/* The host may write its state: the device gets it again before the next step. */
void vvi_host_writes(struct vv_step *s);
/* Resident: n steps of kick, drift, kick. */
vv_status vvi_resident_steps(struct vv_step *s, int64_t n, vv_report *r);
/* Totals of the present state: true, they were taken there. */
bool vvi_resident_audit(const struct vv_step *s, vv_totals *sum);
/* f: the force at time t. */
void vvi_device_force(struct vv_step *s, double t, double *f);
/* Did the device fail?  Then the state is again what the host last had, and the report says so. */
bool vvi_device_lost(struct vv_step *s, vv_report *r);
