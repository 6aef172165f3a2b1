/* io/results/frames.c  Frames: results.h5 and the ParaView files, from the output columns of the kinds.
 *
 * results.h5    /            attributes: visviva, title, frames (written last, after everything of the frame)
 *               /time /step  [frames]
 *               /bodies/NAME attributes: name, kind, index, surface (the field that says where its nodes touch others)
 *               /bodies/NAME/FIELD     [frames][nodes or elements][components]; attributes: unit, components, on
 *               /bodies/NAME/elements  [elements][nodes of an element], numbered within the body
 *               /bodies/NAME/skin_points [n][3], skin_triangles [m][3]: what the body looks like, where that is not
 *               lines between nodes; at every node, turned by its orientation and moved to its position
 *               /bodies/NAME/contact_extent [nodes]: what belongs to each node, m^2 of shells, m of beams (record.traction)
 *               /events      attribute first: events of the run that are not in here (0, unless a file was put aside)
 *               /poses/NAME  [poses] where a rigid body (index, copy) was at an impact: time, place, quaternion w, i, j, k
 *               /keys        shapes of elastic bodies at contacts (keys.c)
 *               /events/NAME [events] or [events][3], the rows of events.csv; bodies by their index, kinds by code */
#include "io/results/writer.h"
#include "io/units.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECT_TEXT = VVI_OBJECT_TEXT, ROW_NUMBERS = 3 };

/* '/' separates groups in HDF5 and "." is the group itself. */
void vvi_body_object(const vv_body *b, const char *field, char out[OBJECT_TEXT])
{
  const int head = snprintf(out, OBJECT_TEXT, "/bodies/");
  snprintf(out + head, OBJECT_TEXT - (size_t)head, "%.200s", b->name);
  if (strcmp(b->name, ".") == 0) out[head] = '_';
  for (char *c = out + head; *c != '\0'; c++)
    if (*c == '/') *c = '_';
  if (field == NULL) return;
  const size_t used = strlen(out);
  snprintf(out + used, OBJECT_TEXT - used, "/%s", field);
}

static int64_t slice(const vv_body *b, const vv_output_field *f, int64_t *first)
{
  *first = f->on_elements ? b->element0 : b->node0;
  return f->on_elements ? b->n_element : b->n_node;
}

/* ---- layout ---- */

static vv_status create_elements(vv_results *r, const vv_body *b)
{
  const vv_block *block = &r->model->block[b->block];
  const int nodes = b->kind->element_nodes;
  const int64_t n = b->n_element * nodes, dims[2] = {b->n_element, nodes};
  if (n == 0) return VV_OK;
  int64_t *element = VVI_ARENA_NEW(&r->arena, int64_t, n);
  if (element == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < n; i++) element[i] = block->element_node[b->element0 * nodes + i] - b->node0;
  char object[OBJECT_TEXT];
  vvi_body_object(b, "elements", object);
  return vvi_h5_write(&r->frames.h5, object, VVI_H5_INT64, 2, dims, element);
}

/* The place of a body among those of its block. */
static int32_t in_block(const vv_block *block, const vv_body *b)
{
  int32_t j = 0;
  while (block->body[j] != b) j++;
  return j;
}

static vv_status create_skin(vv_results *r, const vv_body *b)
{
  vvi_h5 *f = &r->frames.h5;
  const vv_block *block = &r->model->block[b->block];
  char object[OBJECT_TEXT], unit[VVI_UNIT_BYTES];
  vv_skin skin;
  if (b->kind->skin == NULL || !b->kind->skin(block, in_block(block, b), &skin)) return VV_OK;
  vvi_body_object(b, "skin_points", object);
  VV_TRY(vvi_h5_write(f, object, VVI_H5_DOUBLE, 2, (const int64_t[2]){skin.points, 3}, skin.point));
  VV_TRY(vvi_h5_set_text(f, object, "unit", vvi_unit(r->model, "m", unit)));
  vvi_body_object(b, "skin_triangles", object);
  return vvi_h5_write(f, object, VVI_H5_INT32, 2, (const int64_t[2]){skin.triangles, 3}, skin.triangle);
}

/* What tractions are over: with them the impulses of contact are known again. */
static vv_status create_extent(vv_results *r, const vv_body *b)
{
  vvi_h5 *f = &r->frames.h5;
  char object[OBJECT_TEXT], unit[VVI_UNIT_BYTES];
  if (r->model->traction == 0 || b->kind->extent == NULL || b->n_node == 0) return VV_OK;
  b->kind->extent(&r->model->block[b->block], r->frames.buffer);
  vvi_body_object(b, "contact_extent", object);
  VV_TRY(vvi_h5_write(f, object, VVI_H5_DOUBLE, 1, &b->n_node, r->frames.buffer + b->node0));
  return vvi_h5_set_text(f, object, "unit", vvi_unit(r->model, b->kind->extent_unit, unit));
}

static vv_status create_body(vv_results *r, const vv_body *b)
{
  vvi_h5 *f = &r->frames.h5;
  char object[OBJECT_TEXT];
  vvi_body_object(b, NULL, object);
  VV_TRY(vvi_h5_group(f, object));
  VV_TRY(vvi_h5_set_text(f, object, "name", b->name));
  VV_TRY(vvi_h5_set_text(f, object, "kind", b->kind->name));
  VV_TRY(vvi_h5_set_whole(f, object, "index", b->index));
  VV_TRY(vvi_h5_set_text(f, object, "surface", vvi_body_surface(b)));
  VV_TRY(create_skin(r, b));
  VV_TRY(create_extent(r, b));
  return create_elements(r, b);
}

static vv_status create_slot(vv_results *r, vvi_series_slot *s)
{
  vvi_h5 *f = &r->frames.h5;
  const vv_body *b = &r->model->body[s->body];
  const vv_output_field *field = &b->kind->output_field[s->field];
  char object[OBJECT_TEXT], unit[VVI_UNIT_BYTES];
  int64_t first;
  const int64_t count = slice(b, field, &first);
  vvi_body_object(b, field->name, object);
  VV_TRY(vvi_h5_series_create(f, object, VVI_H5_DOUBLE, count, field->components, &s->id));
  VV_TRY(vvi_h5_set_text(f, object, "unit", vvi_unit(r->model, field->unit, unit)));
  VV_TRY(vvi_h5_set_whole(f, object, "components", field->components));
  return vvi_h5_set_text(f, object, "on", field->on_elements ? "elements" : "nodes");
}

/* ---- poses of rigid bodies at their impacts: pictures between two frames go through them ---- */

static const char *const pose_name[VVI_POSE_SERIES] = {"time", "body", "copy", "x", "y", "z", "w", "i", "j", "k"};

static void pose_object(int i, char out[OBJECT_TEXT])
{
  snprintf(out, OBJECT_TEXT, "/poses/%s", pose_name[i]);
}

static vv_status create_poses(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  char object[OBJECT_TEXT], unit[VVI_UNIT_BYTES];
  fr->pose_first = r->marks.poses;
  VV_TRY(vvi_h5_group(&fr->h5, "/poses"));
  VV_TRY(vvi_h5_set_whole(&fr->h5, "/poses", "first", fr->pose_first));
  for (int i = 0; i < VVI_POSE_SERIES; i++) {
    pose_object(i, object);
    VV_TRY(vvi_h5_column_create(&fr->h5, object, VVI_H5_DOUBLE, 0, &fr->pose[i]));
    const char *si = i == 0 ? "s" : i > 2 && i < 6 ? "m" : "1";
    VV_TRY(vvi_h5_set_text(&fr->h5, object, "unit", vvi_unit(r->model, si, unit)));
  }
  return VV_OK;
}

static vv_status continue_poses(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  char object[OBJECT_TEXT];
  VV_TRY(vvi_h5_get_whole(&fr->h5, "/poses", "first", &fr->pose_first));
  for (int i = 0; i < VVI_POSE_SERIES; i++) {
    pose_object(i, object);
    VV_TRY(vvi_h5_column_open(&fr->h5, object, VVI_H5_DOUBLE, 0, r->marks.poses - fr->pose_first, &fr->pose[i]));
  }
  return VV_OK;
}

static void times(const double a[4], const double b[4], double c[4])
{
  const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  c[0] = w, c[1] = x, c[2] = y;
}

/* Frames show the axes of the shape, the state has the principal ones: the turn between them never changes. */
static vv_status shape_axes(vv_results *r, const vv_view *view, int32_t body, double turn[4])
{
  const vv_body *b = &r->model->body[body];
  const vv_block *block = &r->model->block[b->block];
  double state[4];
  for (int f = 0; f < block->kind->n_output; f++) {
    if (strcmp(block->kind->output_field[f].name, "orientation") != 0) continue;
    VV_TRY(vvi_sys_output(r->model, block, f, view->state, r->frames.buffer));
    for (int k = 0; k < 4; k++)
      state[k] = (k > 0 ? -1.0 : 1.0) * view->state->q[block->q0 + (3 + k) * block->column + b->node0];
    times(state, r->frames.buffer + 4 * b->node0, turn);
  }
  return VV_OK;
}

static vv_status put_pose(vv_results *r, const vv_view *view, double time, int32_t body, int64_t copy,
                          const double pose[7])
{
  vvi_frames *fr = &r->frames;
  double value[VVI_POSE_SERIES] = {time, (double)body, (double)copy};
  if (body < 0 || (pose[3] == 0.0 && pose[4] == 0.0 && pose[5] == 0.0 && pose[6] == 0.0)) return VV_OK;
  double *axes = fr->axes + 4 * body;
  if (axes[0] == 0.0 && axes[1] == 0.0 && axes[2] == 0.0 && axes[3] == 0.0) VV_TRY(shape_axes(r, view, body, axes));
  memcpy(value + 3, pose, 3 * sizeof *pose);
  times(pose + 3, axes, value + 6);
  const int64_t row = r->marks.poses++ - fr->pose_first;
  for (int i = 0; i < VVI_POSE_SERIES; i++) VV_TRY(vvi_h5_column_put(&fr->h5, &fr->pose[i], row, &value[i]));
  return VV_OK;
}

/* ---- events ---- */

static const struct {
  const char *name, *unit;
  size_t at;
  int n; /* 0: a plain number */
} event_number[] = {{"time", "s", offsetof(vv_event, time), 0},
                    {"x", "m", offsetof(vv_event, x), 3},
                    {"n", "1", offsetof(vv_event, n), 3},
                    {"normal_speed", "m/s", offsetof(vv_event, normal_speed), 0},
                    {"normal_impulse", "N s", offsetof(vv_event, normal_impulse), 0},
                    {"tangential_impulse", "N s", offsetof(vv_event, tangential_impulse), 0},
                    {"energy_jump", "J", offsetof(vv_event, energy_jump), 0}};
static const char *const event_whole[] = {"body_a", "body_b", "kind", "node_a", "node_b"};
static const char *const event_kind[] = {"bounce", "on", "off", "hold", "stop"}; /* by code */
_Static_assert(VV_COUNT(event_number) + VV_COUNT(event_whole) == VVI_EVENT_SERIES, "one dataset each");

static void event_object(int i, char out[OBJECT_TEXT])
{
  const int whole = i - VV_COUNT(event_number);
  snprintf(out, OBJECT_TEXT, "/events/%s", whole < 0 ? event_number[i].name : event_whole[whole]);
}

static vv_status create_events(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  char object[OBJECT_TEXT], unit[VVI_UNIT_BYTES], codes[OBJECT_TEXT];
  fr->event_first = r->marks.events;
  VV_TRY(vvi_h5_group(&fr->h5, "/events"));
  VV_TRY(vvi_h5_set_whole(&fr->h5, "/events", "first", fr->event_first));
  for (int i = 0; i < VVI_EVENT_SERIES; i++) {
    const bool number = i < VV_COUNT(event_number);
    event_object(i, object);
    VV_TRY(vvi_h5_column_create(&fr->h5, object, number ? VVI_H5_DOUBLE : VVI_H5_INT32, number ? event_number[i].n : 0,
                                &fr->event[i]));
    if (number) VV_TRY(vvi_h5_set_text(&fr->h5, object, "unit", vvi_unit(r->model, event_number[i].unit, unit)));
  }
  size_t used = 0;
  for (int k = 0; k < VV_COUNT(event_kind); k++)
    used += (size_t)snprintf(codes + used, sizeof codes - used, "%s%d %s", k > 0 ? ", " : "", k, event_kind[k]);
  return vvi_h5_set_text(&fr->h5, "/events/kind", "codes", codes);
}

static vv_status continue_events(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  char object[OBJECT_TEXT];
  VV_TRY(vvi_h5_get_whole(&fr->h5, "/events", "first", &fr->event_first));
  for (int i = 0; i < VVI_EVENT_SERIES; i++) {
    event_object(i, object);
    const bool number = i < VV_COUNT(event_number);
    VV_TRY(vvi_h5_column_open(&fr->h5, object, number ? VVI_H5_DOUBLE : VVI_H5_INT32, number ? event_number[i].n : 0,
                              r->marks.events - fr->event_first, &fr->event[i]));
  }
  return VV_OK;
}

static int32_t kind_code(const char *kind)
{
  for (int k = 0; k < VV_COUNT(event_kind); k++)
    if (kind != NULL && strcmp(kind, event_kind[k]) == 0) return k;
  return -1;
}

static int32_t body_code(const vv_model *m, const char *name)
{
  return name != NULL ? (int32_t)vvi_model_body_find(m, name) : -1;
}

vv_status vvi_frames_event(vv_results *r, const vv_view *view, const vv_event *e)
{
  vvi_frames *fr = &r->frames;
  vvi_h5_column *c = fr->event;
  const int64_t row = r->marks.events++ - fr->event_first;
  const int32_t whole[] = {body_code(r->model, e->body_a), body_code(r->model, e->body_b), kind_code(e->kind),
                           (int32_t)e->node_a, (int32_t)e->node_b};
  for (int i = 0; i < VV_COUNT(event_number); i++)
    VV_TRY(vvi_h5_column_put(&fr->h5, c++, row, (const char *)e + event_number[i].at));
  for (int i = 0; i < VV_COUNT(whole); i++) VV_TRY(vvi_h5_column_put(&fr->h5, c++, row, &whole[i]));
  VV_TRY(put_pose(r, view, e->time, whole[0], e->node_a, e->pose_a));
  return put_pose(r, view, e->time, whole[1], e->node_b, e->pose_b);
}

/* ---- tables: their rows wait for a block of their own, or for a frame ---- */

enum { TABLES = 4 };

static vvi_h5_column *table(vvi_frames *fr, int i, int *n)
{
  static const int columns[TABLES] = {VVI_EVENT_SERIES, VVI_POSE_SERIES, VVI_EPISODE_SERIES, VVI_SAMPLE_SERIES};
  vvi_h5_column *const first[TABLES] = {fr->event, fr->pose, fr->episode, fr->sample};
  *n = columns[i];
  return first[i];
}

vv_status vvi_frames_flush(vv_results *r, bool to_disk)
{
  vvi_frames *fr = &r->frames;
  for (int i = 0, n; i < TABLES; i++) {
    vvi_h5_column *c = table(fr, i, &n);
    for (int k = 0; k < n; k++) VV_TRY(vvi_h5_column_write(&fr->h5, &c[k]));
  }
  return vvi_h5_flush(&fr->h5, to_disk);
}

static void free_tables(vvi_frames *fr)
{
  for (int i = 0, n; i < TABLES; i++) {
    vvi_h5_column *c = table(fr, i, &n);
    for (int k = 0; k < n; k++) vvi_h5_column_free(&c[k]);
  }
}

/* ---- the file ---- */

static vv_status create_h5(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  char unit[VVI_UNIT_BYTES];
  VV_TRY(vvi_h5_create(r->ctx, r->h5_path, &fr->h5));
  VV_TRY(vvi_h5_set_text(&fr->h5, "/", "visviva", vv_version()));
  VV_TRY(vvi_h5_set_text(&fr->h5, "/", "title", r->model->title != NULL ? r->model->title : ""));
  VV_TRY(vvi_h5_set_whole(&fr->h5, "/", "frames", 0));
  VV_TRY(vvi_h5_series_create(&fr->h5, "/time", VVI_H5_DOUBLE, 0, 1, &fr->time_id));
  VV_TRY(vvi_h5_set_text(&fr->h5, "/time", "unit", vvi_unit(r->model, "s", unit)));
  VV_TRY(vvi_h5_series_create(&fr->h5, "/step", VVI_H5_INT64, 0, 1, &fr->step_id));
  VV_TRY(vvi_h5_group(&fr->h5, "/bodies"));
  for (int i = 0; i < r->model->n_body; i++) VV_TRY(create_body(r, &r->model->body[i]));
  for (int i = 0; i < fr->n_slot; i++) VV_TRY(create_slot(r, &fr->slot[i]));
  VV_TRY(create_events(r));
  VV_TRY(create_poses(r));
  VV_TRY(vvi_contacts_create(r));
  VV_TRY(vvi_keys_create(r));
  r->marks.h5_frames = 0;
  return vvi_h5_flush(&fr->h5, false);
}

/* Forgets the frames and events after the checkpoint: events.csv is cut already. */
static vv_status cut_all(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  const int64_t frames = r->marks.h5_frames, events = r->marks.events - fr->event_first;
  VV_TRY(vvi_h5_series_cut(&fr->h5, fr->time_id, frames));
  VV_TRY(vvi_h5_series_cut(&fr->h5, fr->step_id, frames));
  for (int i = 0; i < fr->n_slot; i++) VV_TRY(vvi_h5_series_cut(&fr->h5, fr->slot[i].id, frames));
  for (int i = 0; i < VVI_EVENT_SERIES; i++) VV_TRY(vvi_h5_column_cut(&fr->h5, &fr->event[i], events));
  for (int i = 0; i < VVI_POSE_SERIES; i++)
    VV_TRY(vvi_h5_column_cut(&fr->h5, &fr->pose[i], r->marks.poses - fr->pose_first));
  VV_TRY(vvi_keys_cut(r));
  return vvi_contacts_cut(r);
}

/* One row more, taken back at once: what is damaged inside a dataset shows when it grows, and then the run has begun. */
static vv_status grow(vv_results *r, const int64_t *id, int n, int64_t rows)
{
  for (int i = 0; i < n; i++) {
    VV_TRY(vvi_h5_series_put(&r->frames.h5, id[i], VVI_H5_DOUBLE, rows, r->frames.buffer));
    VV_TRY(vvi_h5_series_cut(&r->frames.h5, id[i], rows));
  }
  return VV_OK;
}

static vv_status grow_columns(vv_results *r, vvi_h5_column *c, int n, int64_t rows)
{
  for (int i = 0; i < n; i++) {
    VV_TRY(vvi_h5_column_put(&r->frames.h5, &c[i], rows, (const double[ROW_NUMBERS]){0}));
    VV_TRY(vvi_h5_column_cut(&r->frames.h5, &c[i], rows));
  }
  return VV_OK;
}

static vv_status try_all(vv_results *r, int64_t longest)
{
  vvi_frames *fr = &r->frames;
  const vvi_marks *m = &r->marks;
  const int64_t frames[] = {fr->time_id, fr->step_id};
  memset(fr->buffer, 0, sizeof *fr->buffer * (size_t)longest);
  VV_TRY(grow(r, frames, VV_COUNT(frames), m->h5_frames));
  for (int i = 0; i < fr->n_slot; i++) VV_TRY(grow(r, &fr->slot[i].id, 1, m->h5_frames));
  VV_TRY(grow_columns(r, fr->event, VVI_EVENT_SERIES, m->events - fr->event_first));
  VV_TRY(grow_columns(r, fr->pose, VVI_POSE_SERIES, m->poses - fr->pose_first));
  VV_TRY(grow_columns(r, fr->episode, VVI_EPISODE_SERIES, m->episodes - fr->episode_first));
  VV_TRY(grow_columns(r, fr->sample, VVI_SAMPLE_SERIES, m->samples - fr->sample_first));
  return grow(r, &fr->key_id, 1, m->keys - fr->key_first);
}

/* Opens the file of the interrupted run.  Nothing is cut before all of it was found to be as this program would make it. */
static vv_status continue_h5(vv_results *r, int64_t longest)
{
  vvi_frames *fr = &r->frames;
  char object[OBJECT_TEXT];
  const int64_t frames = r->marks.h5_frames;
  VV_TRY(vvi_h5_open(r->ctx, r->h5_path, true, &fr->h5));
  VV_TRY(vvi_h5_series_open(&fr->h5, "/time", VVI_H5_DOUBLE, 0, 1, frames, &fr->time_id));
  VV_TRY(vvi_h5_series_open(&fr->h5, "/step", VVI_H5_INT64, 0, 1, frames, &fr->step_id));
  for (int i = 0; i < fr->n_slot; i++) {
    const vv_body *b = &r->model->body[fr->slot[i].body];
    const vv_output_field *field = &b->kind->output_field[fr->slot[i].field];
    int64_t first;
    const int64_t count = slice(b, field, &first);
    vvi_body_object(b, field->name, object);
    VV_TRY(vvi_h5_series_open(&fr->h5, object, VVI_H5_DOUBLE, count, field->components, frames, &fr->slot[i].id));
  }
  VV_TRY(continue_events(r));
  VV_TRY(continue_poses(r));
  VV_TRY(vvi_contacts_continue(r));
  VV_TRY(vvi_keys_continue(r));
  VV_TRY(cut_all(r));
  VV_TRY(try_all(r, longest));
  VV_TRY(vvi_h5_set_whole(&fr->h5, "/", "frames", frames));
  return vvi_h5_flush(&fr->h5, false);
}

/* A file that a kill left unreadable is put aside, never overwritten: what can be saved from it is the user's. */
static vv_status open_h5(vv_results *r, int64_t longest)
{
  if (!r->resumed) return create_h5(r);
  if (vvi_exists(r->h5_path) && !vvi_is_link(r->h5_path) && continue_h5(r, longest) == VV_OK) return VV_OK;
  free_tables(&r->frames);
  (void)!vvi_h5_close(&r->frames.h5);
  VV_TRY(vvi_put_aside(r->ctx, &r->arena, r->h5_path, "frames go on"));
  return create_h5(r);
}

/* ---- sizes ---- */

static bool shown(const vv_block *b)
{
  return b->nodes > 0 && b->kind->n_output > 0 && b->kind->output != NULL;
}

/* How many datasets, how many blocks with nodes, how long the longest field; fills the slots when they are there. */
static void measure(const vv_model *m, vvi_frames *fr, int64_t *longest)
{
  fr->n_slot = fr->n_vtu = 0;
  *longest = 1;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (!shown(b)) continue;
    fr->n_vtu++;
    for (int k = 0; k < b->kind->n_output; k++) {
      const vv_output_field *f = &b->kind->output_field[k];
      const int64_t length = (f->on_elements ? b->elements : b->nodes) * f->components;
      if (length > *longest) *longest = length;
      for (int j = 0; j < b->n_body; j++) {
        int64_t first;
        if (slice(b->body[j], f, &first) == 0) continue;
        if (fr->slot != NULL) fr->slot[fr->n_slot] = (vvi_series_slot){.body = b->body[j]->index, .field = k};
        fr->n_slot++;
      }
    }
  }
}

static vv_status prepare_paraview(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  VV_TRY(vvi_folder_create(r->ctx, r->paraview_folder));
  fr->vtu = VVI_ARENA_NEW(&r->arena, vvi_vtu, fr->n_vtu + 1);
  if (fr->vtu == NULL) return VV_NOMEM;
  for (int i = 0, k = 0; i < r->model->n_block; i++)
    if (shown(&r->model->block[i]))
      VV_TRY(vvi_vtu_prepare(r->model, &r->model->block[i], r->paraview_folder, &r->arena, &fr->vtu[k++]));
  VV_TRY(vvi_spots_prepare(r->ctx, r->paraview_folder, &r->arena, &fr->vtu[fr->n_vtu]));
  VV_TRY(vvi_pvd_open(r->ctx, r->pvd_path, r->resumed ? r->marks.pvd_bytes : 0, fr->n_vtu + 1, &r->arena, &fr->pvd));
  r->marks.pvd_bytes = fr->pvd.bytes;
  return VV_OK;
}

vv_status vvi_frames_open(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  int64_t longest;
  fr->pvd.fd = -1;
  measure(r->model, fr, &longest);
  fr->slot = VVI_ARENA_NEW(&r->arena, vvi_series_slot, fr->n_slot);
  fr->buffer = VVI_ARENA_NEW(&r->arena, double, longest);
  fr->axes = VVI_ARENA_NEW(&r->arena, double, 4 * (int64_t)r->model->n_body);
  if (fr->slot == NULL || fr->buffer == NULL || fr->axes == NULL)
    return vvi_fail(r->ctx, VV_NOMEM, "out of memory for the frames");
  measure(r->model, fr, &longest);
  VV_TRY(open_h5(r, longest));
  return r->paraview ? prepare_paraview(r) : VV_OK;
}

void vvi_frames_move(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  fr->h5.ctx = fr->pvd.ctx = r->ctx;
  for (int i = 0, k = 0; fr->vtu != NULL && i < r->model->n_block; i++)
    if (shown(&r->model->block[i])) fr->vtu[k++].block = &r->model->block[i];
}

/* ---- one frame ---- */

/* All fields of a block; `slot` is the next dataset to fill. */
static vv_status write_block(vv_results *r, const vv_view *view, const vv_block *b, int *slot, vvi_vtu *vtu)
{
  vvi_frames *fr = &r->frames;
  if (vtu != NULL) VV_TRY(vvi_vtu_begin(vtu, r->ctx, r->marks.frames));
  for (int k = 0; k < b->kind->n_output; k++) {
    const vv_output_field *f = &b->kind->output_field[k];
    VV_TRY(vvi_sys_output(r->model, b, k, view->state, fr->buffer));
    for (; *slot < fr->n_slot; ++*slot) {
      const vvi_series_slot *s = &fr->slot[*slot];
      const vv_body *body = &r->model->body[s->body];
      if (body->kind != b->kind || s->field != k) break;
      int64_t first;
      slice(body, f, &first);
      VV_TRY(vvi_h5_series_put(&fr->h5, s->id, VVI_H5_DOUBLE, r->marks.h5_frames, fr->buffer + first * f->components));
    }
    if (vtu != NULL) VV_TRY(vvi_vtu_put(vtu, r->ctx, k, fr->buffer));
  }
  return vtu != NULL ? vvi_vtu_end(vtu, r->ctx) : VV_OK;
}

vv_status vvi_frames_write(vv_results *r, const vv_view *view)
{
  vvi_frames *fr = &r->frames;
  const int64_t frame = r->marks.h5_frames;
  const bool drawn = r->paraview && (r->marks.frames % r->vtu_every == 0 || view->last);
  int slot = 0, block = 0;
  VV_TRY(vvi_h5_series_put(&fr->h5, fr->time_id, VVI_H5_DOUBLE, frame, &view->state->t));
  VV_TRY(vvi_h5_series_put(&fr->h5, fr->step_id, VVI_H5_INT64, frame, &view->state->step));
  for (int i = 0; i < r->model->n_block; i++) {
    const vv_block *b = &r->model->block[i];
    if (!shown(b)) continue;
    VV_TRY(write_block(r, view, b, &slot, drawn ? &fr->vtu[block] : NULL));
    block++;
  }
  VV_TRY(vvi_h5_set_whole(&fr->h5, "/", "frames", frame + 1));
  VV_TRY(vvi_frames_flush(r, false));
  const bool meets = view->ledger->episodes != NULL;
  if (drawn && meets) VV_TRY(vvi_contacts_frame(r, view));
  if (drawn && fr->n_vtu > 0) VV_TRY(vvi_pvd_add(&fr->pvd, view->state->t, fr->n_vtu + meets, fr->vtu));
  r->marks.frames++;
  r->marks.h5_frames++;
  r->marks.pvd_bytes = r->paraview ? fr->pvd.bytes : 0;
  r->marks.last_frame = view->state->step;
  return VV_OK;
}

vv_status vvi_frames_close(vv_results *r)
{
  vvi_frames *fr = &r->frames;
  for (int i = 0; fr->vtu != NULL && i <= fr->n_vtu; i++) vvi_vtu_abandon(&fr->vtu[i]);
  free(fr->spot);
  fr->spot = NULL, fr->spot_room = 0;
  const vv_status rows = fr->h5.id != 0 && !r->broken ? vvi_frames_flush(r, false) : VV_OK;
  free_tables(fr);
  const vv_status h5 = vvi_h5_close(&fr->h5);
  const vv_status pvd = vvi_pvd_close(&fr->pvd);
  return rows != VV_OK ? rows : h5 != VV_OK ? h5 : pvd;
}
