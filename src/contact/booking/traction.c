/* contact/booking/traction.c  What contact gave the nodes, for the field of model/traction.h; nothing where nobody asked.
 *
 * Impulses are gathered with the movers as they are given: rows of features change within a step, and what joints answer is no
 * contact.  At the end they go to the books of the nodes, and the half of those that hold is pending, as in the ledger.
 * [contact 32] */
#include "contact/contact.h"

#include <string.h>

bool vvi_touches_fit(struct vvi_contact_step *w, int64_t old, int64_t n)
{
  if (w->traction.nodes == 0) return true;
  w->touch = vvi_arena_grow(w->arena, w->touch, sizeof *w->touch, old, old, n);
  w->pending_at = vvi_arena_grow(w->arena, w->pending_at, sizeof *w->pending_at, old, w->pendings, n);
  return w->touch != NULL && w->pending_at != NULL;
}

/* j times the rows of a leg: the first pushes along the normal, the others across. */
static void add_leg(const vvi_leg *leg, const double j[3], double part, vvi_node_impulse to)
{
  for (int c = 0; c < 3; c++) {
    to[VVI_TRACTION_NORMAL][c] += part * j[0] * leg->force[0][c];
    to[VVI_TRACTION_ACROSS][c] += part * (j[1] * leg->force[1][c] + j[2] * leg->force[2][c]);
  }
}

/* What is frozen to something outside took nothing. */
void vvi_touch_add(struct vvi_contact_step *w, const vvi_contact *c, const double j[3])
{
  for (int l = 0; w->touch != NULL && l < c->legs; l++) {
    const vvi_leg *leg = &w->leg[c->first + l];
    vvi_mover_given *to = &w->touch[leg->mover];
    if (w->work[leg->mover].frozen == 2) continue;
    add_leg(leg, j, 1.0, to->given);
    if (c->near >= 0) add_leg(leg, j, c->steady, to->steady);
  }
}

/* What stops a mover beyond the impulses of its contacts has no normal of its own, and counts as normal. */
void vvi_touch_stop(struct vvi_contact_step *w, int32_t mover, const double extra[3])
{
  for (int c = 0; w->touch != NULL && c < 3; c++) w->touch[mover].given[VVI_TRACTION_NORMAL][c] += extra[c];
}

void vvi_touch_scale(struct vvi_contact_step *w, int32_t mover, double s)
{
  for (int k = 0; w->touch != NULL && k < VVI_TRACTION_PARTS; k++)
    for (int c = 0; c < 3; c++) w->touch[mover].given[k][c] *= s;
}

void vvi_touch_clear(struct vvi_contact_step *w, int32_t mover)
{
  if (w->touch != NULL) w->touch[mover] = (vvi_mover_given){0};
}

void vvi_touch_show_nothing(struct vvi_contact_step *w, int32_t mover)
{
  if (w->touch != NULL) memset(w->touch[mover].steady, 0, sizeof w->touch->steady);
}

/* ---- the books of the nodes ---- */

static int64_t node_of(const struct vvi_contact_step *w, int32_t mover)
{
  const int64_t first = vvi_traction_first(w->model, w->work[mover].block);
  return first < 0 ? -1 : first + w->work[mover].node;
}

static void add(double (*to)[3], double part, double (*j)[3])
{
  for (int k = 0; k < VVI_TRACTION_PARTS; k++)
    for (int c = 0; c < 3; c++) to[k][c] += part * j[k][c];
}

static void nothing_pending(struct vvi_contact_step *w)
{
  vvi_node_impulse *pending = w->traction.pending;
  if (w->pendings < 0) memset(pending, 0, sizeof *pending * (size_t)w->traction.nodes); /* nobody knows which */
  for (int32_t i = 0; i < w->pendings; i++) memset(pending[w->pending_at[i]], 0, sizeof *pending);
  w->pendings = 0;
}

static bool is_nothing(double (*j)[3])
{
  for (int k = 0; k < VVI_TRACTION_PARTS; k++)
    for (int c = 0; c < 3; c++)
      if (j[k][c] != 0.0) return false;
  return true;
}

static void pend(struct vvi_contact_step *w, int32_t mover, double part, double (*j)[3])
{
  const int64_t node = node_of(w, mover);
  if (node < 0 || is_nothing(j)) return;
  w->pending_at[w->pendings++] = node;
  add(w->traction.pending[node], part, j);
}

/* Spots keep their rows: what of them holds is known at the end alone. */
static void add_spots(struct vvi_contact_step *w, const vvi_contact_group *g)
{
  for (int32_t i = 0; i < g->n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    for (int l = 0; c->near < 0 && c->steady > 0.0 && l < c->legs; l++) {
      const vvi_leg *leg = &w->leg[c->first + l];
      add_leg(leg, c->j, c->steady, w->touch[leg->mover].steady);
    }
  }
}

void vvi_touch_book(struct vvi_contact_step *w, bool shows)
{
  if (w->touch == NULL) return;
  if (shows) nothing_pending(w);
  for (int32_t k = 0; k < w->groups; k++) {
    const vvi_contact_group *g = &w->group[k];
    if (shows) add_spots(w, g);
    for (int32_t i = 0; i < g->movers; i++) {
      const int32_t mover = g->mover[i];
      const int64_t node = node_of(w, mover);
      if (node >= 0 && w->work[mover].touched) add(w->traction.given[node], w->sign, w->touch[mover].given);
      if (shows) pend(w, mover, 0.5 * w->sign, w->touch[mover].steady);
    }
  }
}

/* Half an impulse is taken back before the first step, and all of it is pending.                             [contact 27a] */
void vvi_touch_start(struct vvi_contact_step *w, const vvi_contact_group *g)
{
  if (w->touch != NULL && w->pendings < 0) nothing_pending(w);
  for (int32_t i = 0; w->touch != NULL && i < g->movers; i++) {
    const int32_t mover = g->mover[i];
    const int64_t node = node_of(w, mover);
    if (node < 0 || !w->work[mover].touched) continue;
    add(w->traction.given[node], -1.0, w->touch[mover].given);
    pend(w, mover, 1.0, w->touch[mover].given);
  }
}
