/* step/event/cut.c  What cutting a step at its events brings, and who pays it back.
 *
 * A slab of length h from node 0 to node 1 changes H less what is posted by (h^2/8) [F.M^-1 F], whatever the forces are [ledger 6],
 * and a jump at a frozen configuration changes no force.  A whole step of length h keeps H - (h^2/8) F.M^-1 F; one that is cut into
 * slabs h_i brings beside that
 *
 *   C = sum_i (h_i^2/8) (F_i+1.M^-1 F_i+1 - F_i.M^-1 F_i) - (h^2/8) (F_n.M^-1 F_n - F_0.M^-1 F_0),                [bars 19b]
 *
 * of either sign, and upwards in the mean.  It is known when the step ends, and is lent to the pair that acted last: as what it is
 * lifted by, its next events pay it back.                                                                    [bars 19a] */
#include "step/event/event.h"

#include "step/variation.h"

#include <math.h>

/* Before the first event of a step; w->f: the force there. */
static void begin(struct vv_step *s)
{
  vvi_event_work *w = s->own;
  w->brought = 0.0, w->kick = w->kick_first = vvi_half_kick_energy(s, w->f, w->x);
}

void vvi_event_cut_before(struct vv_step *s)
{
  const vvi_event_work *w = s->own;
  if (s->lends && w->events == 1) begin(s);
}

void vvi_event_cut_after(struct vv_step *s, double length)
{
  vvi_event_work *w = s->own;
  if (!s->lends || w->events == 0) return;
  const double kick = vvi_half_kick_energy(s, w->f, w->x);
  vvi_note_loan(s, s->h * s->h * fmax(kick, w->kick), 0.0);
  w->brought += length * length * (kick - w->kick);
  w->kick = kick;
}

void vvi_event_cut_end(struct vv_step *s, double h)
{
  vvi_event_work *w = s->own;
  if (!s->lends || w->events == 0) return;
  const double brought = w->brought - h * h * (w->kick - w->kick_first);
  const vvi_pair *c = vvi_event_pair(s, 0);
  if (vvi_event_varies(s)) vvi_variation_stop(s, s->state->t);
  if (c->restitution < 1.0)
    vvi_pair_lose(s, c, -brought, &s->ledger->posted.step_loss);
  else
    *vvi_pair_debt(s, c) -= brought;
}
