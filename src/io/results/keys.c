/* io/results/keys.c  Shapes of elastic bodies at contacts: pictures between two frames go through them.
 *
 * /keys                    attribute first: keys of the run that are not in here (0, unless a file was put aside)
 * /keys/time               [keys], ascending
 * /keys/bodies/NAME/FIELD  [keys][nodes][3]: the field that touches (attribute `surface` of /bodies/NAME); directors of beams
 *
 * The simulation offers positions at contacts (vv_view.key).  One is kept for each small stretch of time in which contacts
 * begin, several in a frame while they last, and no more than START + EACH of them for each frame: a heap that never rests
 * would fill the file.  All of this depends on step numbers alone, so a resumed run keeps the same. */
#include "io/results/writer.h"
#include "io/units.h"
#include "model/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OBJECT_TEXT = 520, START = 256, EACH = 2 };

const char *vvi_body_surface(const vv_body *b)
{
  return vvi_output_find(b->kind, "limit") >= 0 && vv_is(b->group, "contact", "limit") ? "limit" : "position";
}

static bool is_shape(const vv_body *b, const char *field)
{
  if (field[0] == 'd' && strlen(field) == 2) return true; /* d1, d2, d3 */
  return strcmp(field, vvi_body_surface(b)) == 0;
}

/* Fields of elastic bodies that say where they are. */
static bool wanted(const vv_results *r, const vvi_series_slot *s)
{
  const vv_body *b = &r->model->body[s->body];
  return b->n_element > 0 && is_shape(b, b->kind->output_field[s->field].name);
}

static void object_of(const vv_results *r, const vvi_series_slot *s, bool field, char out[OBJECT_TEXT])
{
  const vv_body *b = &r->model->body[s->body];
  char name[VVI_OBJECT_TEXT];
  vvi_body_object(b, field ? b->kind->output_field[s->field].name : NULL, name);
  snprintf(out, OBJECT_TEXT, "/keys%s", name);
}

static vv_status create_series(vv_results *r, vvi_series_slot *s)
{
  vvi_h5 *f = &r->frames.h5;
  const vv_body *b = &r->model->body[s->body];
  const vv_output_field *field = &b->kind->output_field[s->field];
  char object[OBJECT_TEXT], unit[VVI_UNIT_BYTES];
  object_of(r, s, false, object);
  if (!vvi_h5_has(f, object)) VV_TRY(vvi_h5_group(f, object));
  object_of(r, s, true, object);
  VV_TRY(vvi_h5_series_create(f, object, VVI_H5_DOUBLE, b->n_node, field->components, &s->key_id));
  return vvi_h5_set_text(f, object, "unit", vvi_unit(r->model, field->unit, unit));
}

vv_status vvi_keys_create(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  char unit[VVI_UNIT_BYTES];
  fr->key_first = r->marks.keys;
  VV_TRY(vvi_h5_group(&fr->h5, "/keys"));
  VV_TRY(vvi_h5_set_whole(&fr->h5, "/keys", "first", fr->key_first));
  VV_TRY(vvi_h5_group(&fr->h5, "/keys/bodies"));
  VV_TRY(vvi_h5_series_create(&fr->h5, "/keys/time", VVI_H5_DOUBLE, 0, 1, &fr->key_id));
  VV_TRY(vvi_h5_set_text(&fr->h5, "/keys/time", "unit", vvi_unit(r->model, "s", unit)));
  for (int i = 0; i < fr->n_slot; i++)
    if (wanted(r, &fr->slot[i])) VV_TRY(create_series(r, &fr->slot[i]));
  return VV_OK;
}

vv_status vvi_keys_continue(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  char object[OBJECT_TEXT];
  VV_TRY(vvi_h5_get_whole(&fr->h5, "/keys", "first", &fr->key_first));
  const int64_t least = r->marks.keys - fr->key_first;
  VV_TRY(vvi_h5_series_open(&fr->h5, "/keys/time", VVI_H5_DOUBLE, 0, 1, least, &fr->key_id));
  for (int i = 0; i < fr->n_slot; i++) {
    vvi_series_slot *s = &fr->slot[i];
    if (!wanted(r, s)) continue;
    const vv_body *b = &r->model->body[s->body];
    object_of(r, s, true, object);
    VV_TRY(vvi_h5_series_open(&fr->h5, object, VVI_H5_DOUBLE, b->n_node, b->kind->output_field[s->field].components,
                              least, &s->key_id));
  }
  return VV_OK;
}

vv_status vvi_keys_cut(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  const int64_t keep = r->marks.keys - fr->key_first;
  VV_TRY(vvi_h5_series_cut(&fr->h5, fr->key_id, keep));
  for (int i = 0; i < fr->n_slot; i++)
    if (wanted(r, &fr->slot[i])) VV_TRY(vvi_h5_series_cut(&fr->h5, fr->slot[i].key_id, keep));
  return VV_OK;
}

/* A frame of the same step shows it already; and see above.  After a resume the simulation may offer a second one of a cell. */
static bool is_due(const vv_results *r, const vv_key *k)
{
  const double frames = (double)k->step / r->frame_every, nearest = round(round(frames) * r->frame_every);
  const double cell = fmax(1.0, r->frame_every / 32.0), last = (double)r->marks.last_key;
  if ((double)k->step == nearest || (double)r->marks.keys >= START + EACH * floor(frames)) return false;
  return last < 0.0 || floor((double)k->step / cell) != floor(last / cell);
}

static vv_status put_key(vv_results *r, const vv_view *view, const vv_key *k)
{
  vvi_frames *fr = &r->frames;
  const int64_t row = r->marks.keys - fr->key_first;
  vv_state then = *view->state; /* shapes depend on q alone */
  then.q = (double *)k->q, then.t = k->time, then.step = k->step;
  VV_TRY(vvi_h5_series_put(&fr->h5, fr->key_id, VVI_H5_DOUBLE, row, &k->time));
  const vv_block *read = NULL;
  for (int i = 0, field = -1; i < fr->n_slot; i++) {
    const vvi_series_slot *s = &fr->slot[i];
    const vv_body *b = &r->model->body[s->body];
    const vv_block *block = &r->model->block[b->block];
    if (!wanted(r, s)) continue;
    if (read != block || field != s->field) VV_TRY(vvi_sys_output(r->model, block, s->field, &then, fr->buffer));
    read = block, field = s->field;
    const double *value = fr->buffer + b->node0 * b->kind->output_field[s->field].components;
    VV_TRY(vvi_h5_series_put(&fr->h5, s->key_id, VVI_H5_DOUBLE, row, value));
  }
  r->marks.keys++;
  r->marks.last_key = k->step;
  return VV_OK;
}

vv_status vvi_keys_write(vv_results *r, const vv_view *view)
{
  for (int64_t i = 0; i < view->n_key; i++)
    if (is_due(r, &view->key[i])) VV_TRY(put_key(r, view, &view->key[i]));
  return VV_OK;
}
