/* io/results/contacts.c  Contact histories in results.h5.
 *
 * /contacts        attribute first: contacts of the run that are not in here (0, unless a file was put aside)
 * /contacts/NAME   [contacts], the columns of contacts.csv; bodies by their index
 * /contacts/force  time, normal, tangential: [samples]; `contact` is the row in /contacts that a sample belongs to */
#include "io/results/writer.h"
#include "io/units.h"
#include "ledger/episodes.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { OBJECT_TEXT = 64, WHOLES = 8 };

static const struct {
  const char *name, *unit;
  size_t at;
} number[] = {{"touch", "s", offsetof(vv_episode, touch)},
              {"release", "s", offsetof(vv_episode, release)},
              {"normal_impulse", "N s", offsetof(vv_episode, normal)},
              {"tangential_impulse", "N s", offsetof(vv_episode, tangential)},
              {"impulse_x", "N s", offsetof(vv_episode, impulse)},
              {"impulse_y", "N s", offsetof(vv_episode, impulse) + sizeof(double)},
              {"impulse_z", "N s", offsetof(vv_episode, impulse) + 2 * sizeof(double)},
              {"mean_force", "N", offsetof(vv_episode, mean_force)},
              {"peak_force", "N", offsetof(vv_episode, peak_force)},
              {"peak_time", "s", offsetof(vv_episode, peak_time)},
              {"window", "s", offsetof(vv_episode, window)},
              {"energy_lost", "J", offsetof(vv_episode, energy_lost)},
              {"approach_speed", "m/s", offsetof(vv_episode, speed)},
              {"x", "m", offsetof(vv_episode, x)},
              {"y", "m", offsetof(vv_episode, x) + sizeof(double)},
              {"z", "m", offsetof(vv_episode, x) + 2 * sizeof(double)}};
static const char *const whole[] = {"pair", "number", "body_a", "copy_a", "body_b", "copy_b", "impulses", "open"};
static const char *const sample_name[] = {"contact", "time", "normal", "tangential"};
_Static_assert(VV_COUNT(number) + WHOLES == VVI_EPISODE_SERIES && VV_COUNT(whole) == WHOLES, "one dataset each");
_Static_assert(VV_COUNT(sample_name) == VVI_SAMPLE_SERIES, "one dataset each");

static void object_of(int i, char out[OBJECT_TEXT])
{
  const int at = i - WHOLES;
  snprintf(out, OBJECT_TEXT, "/contacts/%s", at < 0 ? whole[i] : number[at].name);
}

static void sample_object(int i, char out[OBJECT_TEXT])
{
  snprintf(out, OBJECT_TEXT, "/contacts/force/%s", sample_name[i]);
}

vv_status vvi_contacts_create(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  vvi_h5 *f = &fr->h5;
  char object[OBJECT_TEXT], unit[VVI_UNIT_BYTES];
  static const char *const sample_unit[] = {"1", "s", "N", "N"};
  fr->episode_first = r->marks.episodes, fr->sample_first = r->marks.samples;
  VV_TRY(vvi_h5_group(f, "/contacts"));
  VV_TRY(vvi_h5_group(f, "/contacts/force"));
  VV_TRY(vvi_h5_set_whole(f, "/contacts", "first", fr->episode_first));
  VV_TRY(vvi_h5_set_whole(f, "/contacts/force", "first", fr->sample_first));
  for (int i = 0; i < VVI_EPISODE_SERIES; i++) {
    object_of(i, object);
    VV_TRY(vvi_h5_column_create(f, object, i < WHOLES ? VVI_H5_INT64 : VVI_H5_DOUBLE, 0, &fr->episode[i]));
    if (i >= WHOLES) VV_TRY(vvi_h5_set_text(f, object, "unit", vvi_unit(r->model, number[i - WHOLES].unit, unit)));
  }
  for (int i = 0; i < VVI_SAMPLE_SERIES; i++) {
    sample_object(i, object);
    VV_TRY(vvi_h5_column_create(f, object, i == 0 ? VVI_H5_INT64 : VVI_H5_DOUBLE, 0, &fr->sample[i]));
    VV_TRY(vvi_h5_set_text(f, object, "unit", vvi_unit(r->model, sample_unit[i], unit)));
  }
  return VV_OK;
}

vv_status vvi_contacts_continue(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  vvi_h5 *f = &fr->h5;
  char object[OBJECT_TEXT];
  VV_TRY(vvi_h5_get_whole(f, "/contacts", "first", &fr->episode_first));
  VV_TRY(vvi_h5_get_whole(f, "/contacts/force", "first", &fr->sample_first));
  for (int i = 0; i < VVI_EPISODE_SERIES; i++) {
    object_of(i, object);
    VV_TRY(vvi_h5_column_open(f, object, i < WHOLES ? VVI_H5_INT64 : VVI_H5_DOUBLE, 0,
                              r->marks.episodes - fr->episode_first, &fr->episode[i]));
  }
  for (int i = 0; i < VVI_SAMPLE_SERIES; i++) {
    sample_object(i, object);
    VV_TRY(vvi_h5_column_open(f, object, i == 0 ? VVI_H5_INT64 : VVI_H5_DOUBLE, 0, r->marks.samples - fr->sample_first,
                              &fr->sample[i]));
  }
  return VV_OK;
}

vv_status vvi_contacts_cut(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  for (int i = 0; i < VVI_EPISODE_SERIES; i++)
    VV_TRY(vvi_h5_column_cut(&fr->h5, &fr->episode[i], r->marks.episodes - fr->episode_first));
  for (int i = 0; i < VVI_SAMPLE_SERIES; i++)
    VV_TRY(vvi_h5_column_cut(&fr->h5, &fr->sample[i], r->marks.samples - fr->sample_first));
  return VV_OK;
}

static vv_status put_sample(vv_results *r, const vv_force_sample *s, int64_t row)
{
  vvi_frames *fr = &r->frames;
  const int64_t at = r->marks.samples++ - fr->sample_first;
  const double value[] = {s->time, s->normal, s->tangential};
  VV_TRY(vvi_h5_column_put(&fr->h5, &fr->sample[0], at, &row));
  for (int i = 1; i < VVI_SAMPLE_SERIES; i++) VV_TRY(vvi_h5_column_put(&fr->h5, &fr->sample[i], at, &value[i - 1]));
  return VV_OK;
}

static vv_status put_episode(vv_results *r, const vv_episode *e, const vv_force_sample *sample)
{
  vvi_frames *fr = &r->frames;
  const int64_t row = r->marks.episodes++ - fr->episode_first;
  const int64_t value[WHOLES] = {e->pair,    e->number,  e->body[0],  e->copy[0],
                                 e->body[1], e->copy[1], e->impulses, e->open};
  VV_TRY(vvi_csv_contact(r, e));
  for (int i = 0; i < WHOLES; i++) VV_TRY(vvi_h5_column_put(&fr->h5, &fr->episode[i], row, &value[i]));
  for (int i = WHOLES; i < VVI_EPISODE_SERIES; i++)
    VV_TRY(vvi_h5_column_put(&fr->h5, &fr->episode[i], row, (const char *)e + number[i - WHOLES].at));
  for (int64_t k = 0; k < e->samples; k++) VV_TRY(put_sample(r, &sample[k], row));
  return VV_OK;
}

vv_status vvi_contacts_ended(vv_results *r, const vv_view *view)
{
  for (int64_t i = 0; i < view->n_episode; i++)
    VV_TRY(put_episode(r, &view->episode[i], view->sample + view->episode[i].first));
  return VV_OK;
}

vv_status vvi_contacts_open(vv_results *r, const vv_ledger *ledger)
{
  const vvi_episodes *e = ledger->episodes;
  vv_force_sample sample[VVI_CURVE_BINS + 2];
  vv_episode now;
  const vvi_marks marks = r->marks; /* they belong to the end of this call alone */
  for (int64_t i = 0; e != NULL && i < e->n_live; i++) {
    vvi_episode_finish(e, &e->pair[e->live[i]], &now, sample);
    VV_TRY(put_episode(r, &now, sample));
  }
  r->marks.episodes = marks.episodes, r->marks.samples = marks.samples;
  return VV_OK;
}

vv_status vvi_contacts_frame(vv_results *r, const vv_view *view)
{
  vvi_frames *fr = &r->frames;
  const vvi_episodes *e = view->ledger->episodes;
  int64_t n = 0;
  if (e->n_live > fr->spot_room) {
    double *bigger = realloc(fr->spot, sizeof(double) * VVI_SPOT * 2 * (size_t)e->n_live);
    if (bigger == NULL) return vvi_fail(r->ctx, VV_NOMEM, "out of memory for the contacts of a frame");
    fr->spot = bigger, fr->spot_room = 2 * e->n_live;
  }
  for (int64_t i = 0; r->marks.frames > 0 && i < e->n_live; i++) { /* nothing has happened before the first frame */
    const vvi_touch_pair *k = &e->pair[e->live[i]];
    double *spot = fr->spot + VVI_SPOT * n;
    if (!vvi_episode_force(e, k, view->state->t, spot, spot + 3)) continue;
    spot[6] = (double)k->now.pair, spot[7] = k->now.body[0], spot[8] = k->now.body[1];
    n++;
  }
  return vvi_spots_write(&fr->vtu[fr->n_vtu], r->ctx, r->marks.frames, n, fr->spot);
}
