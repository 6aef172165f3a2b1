/* step/contact.h  Contact within a step: the engine of contact/contact.h, its log and its columns of the ledger; balls that
 * are met at their own times. */
#pragma once
#include "contact/contact.h"
#include "step/step.h"

vv_status vvi_contact_prepare(struct vv_step *s);
/* Changes the momenta so that nothing meets in the coming drift; f: the force here, NULL: there is none.  halve: nothing was
 * changed, take two half steps instead. */
vv_status vvi_contact_answer(struct vv_step *s, double t, double h, const double *f, bool may_halve, bool *halve,
                             vv_report *r);
void vvi_contact_drifted(struct vv_step *s, double h);
void vvi_contact_note_gaps(struct vv_step *s, double *deepest, vv_overlap *overlap, int64_t *contacts);
/* Kinetic energy and momenta as they are shown, and what the difference and debts add to `contact`.        [contact 27] */
void vvi_contact_audit(const struct vv_step *s, vv_totals *sum);

/* ---- impacts of balls at their own times (step/locate) ---- */

/* Why impacts cannot be located exactly; NULL: they can. */
const char *vvi_locatable(const vv_model *m);
vv_status vvi_locate_prepare(struct vv_step *s);
vv_status vvi_locate_act(struct vv_step *s, double t, double h, const double *f, vv_report *r);
/* What a medium takes in between it takes of momenta as they are shown, with half of what contacts hold [contact 27]: what rests loses
 * nothing, and bears all of its weight.                                                                            [mat 11a] */
void vvi_contact_show(struct vv_step *s);
void vvi_contact_hide(struct vv_step *s);
