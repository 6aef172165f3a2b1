/* step/crowd_answer.h  Between step/crowd.c (who) and step/crowd_answer.c (how). */
#pragma once
#include "step/crowd.h"

/* Velocity of b relative to a at the common point. */
void vvi_contact_velocity(const struct vv_step *s, const vvi_contact *c, const double *p, double w[3]);
/* One round: impulses on the contacts that would overlap, their nodes flown again. */
void vvi_crowd_answer(struct vv_step *s, vvi_flight *f);
/* Flies one node again. */
void vvi_crowd_fly(struct vv_step *s, vvi_flight *f, int32_t node);
/* Would it still overlap?  Brings its row up to date. */
bool vvi_crowd_again(struct vv_step *s, const vvi_flight *f, vvi_contact *c);
