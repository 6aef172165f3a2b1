/* app/study_contact.c  What a run of a study touched: norms of impacts, and until when two runs went the same way. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is kept of a run ---- */

static vv_status keep(study_contacts *c, const vv_episode *e)
{
  if (c->n == STUDY_CONTACTS) return VV_OK; /* the first ones are those that are compared */
  if (c->n == c->room) {
    const int64_t room = c->room > 0 ? 2 * c->room : 64;
    vv_episode *more = realloc(c->episode, (size_t)room * sizeof *more);
    if (more == NULL) return VV_NOMEM;
    c->episode = more, c->room = room;
  }
  c->episode[c->n++] = *e;
  return VV_OK;
}

/* The energy is looked at in steps that do not depend on how the run was cut into stretches. */
vv_status study_watch(const vv_view *view, void *user)
{
  study_run *r = user;
  if (view->state->step % r->look == 0 && view->state->step > 0)
    r->contact.energy = fmax(r->contact.energy, fabs(vv_ledger_get(view->ledger, VV_LEDGER_CLOSURE)));
  vv_status status = VV_OK;
  for (int64_t i = 0; i < view->n_episode && status == VV_OK; i++) status = keep(&r->contact, &view->episode[i]);
  return status;
}

static int by_touch(const void *x, const void *y)
{
  const vv_episode *a = x, *b = y;
  if (a->touch != b->touch) return a->touch < b->touch ? -1 : 1;
  return (a->pair > b->pair) - (a->pair < b->pair);
}

/* A contact that is not over yet, where it is the only one of its two bodies: its sums are those of the pair. */
static vv_status keep_open(study_run *r)
{
  const vv_ledger *ledger = vv_sim_ledger(r->sim);
  vv_status status = VV_OK;
  for (int64_t i = 0; i < vv_ledger_pairs(ledger) && status == VV_OK; i++) {
    vv_contact_total all;
    if (vv_ledger_pair(ledger, i, &all) != VV_OK || all.open == 0 || all.episodes > 1) continue;
    vv_episode e = {.pair = i, .touch = all.touch, .release = all.release, .peak_force = all.peak_force, .open = 1};
    memcpy(e.body, all.body, sizeof e.body);
    memcpy(e.copy, all.copy, sizeof e.copy);
    memcpy(e.impulse, all.impulse, sizeof e.impulse);
    status = keep(&r->contact, &e);
  }
  return status;
}

bool study_contacts_close(study_run *r)
{
  if (keep_open(r) != VV_OK) return app_error("out of memory") == APP_DONE;
  if (r->contact.n > 1) qsort(r->contact.episode, (size_t)r->contact.n, sizeof *r->contact.episode, by_touch);
  return true;
}

/* ---- norms ---- */

static bool same_bodies(const vv_episode *a, const vv_episode *b)
{
  return memcmp(a->body, b->body, sizeof a->body) == 0 && memcmp(a->copy, b->copy, sizeof a->copy) == 0;
}

/* The first contact of the reference, in another run; NULL: there it has not happened. */
static const vv_episode *first_of(const study *s, const study_run *r)
{
  const study_contacts *ref = &s->reference.contact;
  for (int64_t i = 0; ref->n > 0 && i < r->contact.n; i++)
    if (same_bodies(&r->contact.episode[i], &ref->episode[0])) return &r->contact.episode[i];
  return NULL;
}

static double size3(const double x[3])
{
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

double study_contact_value(const study *s, const study_run *r)
{
  if (s->norm == STUDY_ENERGY) return r->contact.energy;
  const vv_episode *e = first_of(s, r);
  if (e == NULL) return NAN;
  return s->norm == STUDY_TOUCH ? e->touch : s->norm == STUDY_FORCE ? e->peak_force : size3(e->impulse);
}

double study_contact_error(const study *s, const study_run *r)
{
  const double mine = study_contact_value(s, r), ref = study_contact_value(s, &s->reference);
  if (s->norm == STUDY_ENERGY) return mine;
  if (s->norm == STUDY_TOUCH) return fabs(mine - ref);
  const vv_episode *e = first_of(s, r);
  if (s->norm == STUDY_FORCE || e == NULL) return fabs(mine - ref) / fabs(ref);
  double d[3];
  for (int c = 0; c < 3; c++) d[c] = e->impulse[c] - s->reference.contact.episode[0].impulse[c];
  return size3(d) / ref;
}

/* Units of force are named where they have a name. */
const char *study_contact_unit(const study *s)
{
  char joule[64];
  if (s->norm == STUDY_TOUCH) return s->time_unit;
  if (strcmp(app_energy_unit(&s->reference.scene, joule, sizeof joule), "J") != 0) return "";
  return s->norm == STUDY_FORCE ? "N" : s->norm == STUDY_IMPULSE ? "N s" : "";
}

/* ---- chaos ---- */

/* Contacts of two runs in their order: how many come in the same order, each nearer to its twin than a quarter of the time that
 * has passed since the one before; *t: when the first comes that does not.  Contacts after the shorter list say nothing. */
int64_t study_contacts_agree(const study_run *a, const study_run *b, double *t)
{
  const study_contacts *x = &a->contact, *y = &b->contact;
  int64_t i = 0;
  for (; i < x->n && i < y->n; i++) {
    const double pause = y->episode[i].touch - (i > 0 ? y->episode[i - 1].touch : 0.0);
    *t = fmin(x->episode[i].touch, y->episode[i].touch);
    if (!same_bodies(&x->episode[i], &y->episode[i])) return i;
    if (fabs(x->episode[i].touch - y->episode[i].touch) > 0.25 * pause + a->step) return i;
  }
  *t = INFINITY;
  return i;
}
