/* io/results/bodies.c  bodies.csv: energy and momentum of every body that moves, with every frame. */
#include "io/results/writer.h"
#include "io/units.h"

enum { NUMBER_TEXT = 32, FEW = 50 };

static bool moves(const vv_body *b)
{
  return b->n_node > 0 && b->kind->audit_body != NULL;
}

/* By default only where there are few: a thousand bodies would fill the disk with what nobody reads. */
static bool wanted(const vv_results *r)
{
  const vv_group *record = vv_sub(r->model->root, "record");
  int n = 0;
  for (int i = 0; i < r->model->n_body; i++) n += moves(&r->model->body[i]);
  return vv_is(record, "bodies", "true") || (vv_is(record, "bodies", "auto") && n <= FEW && n > 1);
}

static vv_status write_head(vv_results *r)
{
  static const char *const unit[] = {"J", "J", "J", "kg m/s", "kg m/s", "kg m/s", "kg m^2/s", "kg m^2/s", "kg m^2/s"};
  char text[VVI_UNIT_BYTES];
  VV_TRY(vvi_file_print(&r->bodies, "# units: 1,%s,-", vvi_unit(r->model, "s", text)));
  for (int i = 0; i < VV_COUNT(unit); i++) VV_TRY(vvi_file_print(&r->bodies, ",%s", vvi_unit(r->model, unit[i], text)));
  return vvi_file_text(&r->bodies, "\nstep,time,body,kinetic,strain,potential,p_x,p_y,p_z,L_x,L_y,L_z\n");
}

vv_status vvi_bodies_open(vv_results *r)
{
  if (!wanted(r)) return VV_OK;
  const char *path = vvi_path(&r->arena, r->folder, "bodies.csv");
  r->body_total = VVI_ARENA_NEW(&r->arena, vv_totals, r->model->n_body);
  if (path == NULL || r->body_total == NULL) return VV_NOMEM;
  bool fresh = true;
  if (r->resumed) {
    VV_TRY(vvi_file_continue(r->ctx, path, r->marks.bodies_bytes, (uint64_t)r->marks.bodies_hash, &r->bodies, &fresh));
    if (fresh) VV_TRY(vvi_put_aside(r->ctx, &r->arena, path, "rows go on"));
  }
  if (fresh) {
    VV_TRY(vvi_file_create(r->ctx, path, &r->bodies));
    VV_TRY(write_head(r));
  }
  VV_TRY(vvi_file_flush(&r->bodies, false));
  vvi_bodies_mark(r);
  return VV_OK;
}

void vvi_bodies_mark(vv_results *r)
{
  if (r->body_total == NULL) return;
  r->marks.bodies_bytes = r->bodies.bytes;
  r->marks.bodies_hash = (int64_t)r->bodies.hash;
}

static vv_status write_body(vv_results *r, const vv_view *view, const char *name, const vv_totals *t)
{
  const double value[] = {t->kinetic, t->strain, t->potential, t->p[0], t->p[1], t->p[2], t->L[0], t->L[1], t->L[2]};
  char text[VV_COUNT(value) * NUMBER_TEXT], time[NUMBER_TEXT];
  size_t n = 0;
  vvi_put_number(time, view->state->t);
  VV_TRY(vvi_file_print(&r->bodies, "%lld,%s,", (long long)view->state->step, time));
  VV_TRY(vvi_csv_word(&r->bodies, name));
  for (int i = 0; i < VV_COUNT(value); i++) {
    n += (size_t)vvi_put_number(text + n, value[i]);
    text[n++] = i + 1 < VV_COUNT(value) ? ',' : '\n';
  }
  return vvi_file_write(&r->bodies, text, n);
}

vv_status vvi_bodies_rows(vv_results *r, const vv_view *view)
{
  if (r->body_total == NULL) return VV_OK;
  VV_TRY(vvi_sys_audit_bodies(r->model, view->state, r->body_total));
  for (int i = 0; i < r->model->n_body; i++)
    if (moves(&r->model->body[i])) VV_TRY(write_body(r, view, r->model->body[i].name, &r->body_total[i]));
  vvi_bodies_mark(r);
  return VV_OK;
}

vv_status vvi_bodies_flush(vv_results *r, bool to_disk)
{
  return r->body_total != NULL ? vvi_file_flush(&r->bodies, to_disk) : VV_OK;
}

vv_status vvi_bodies_close(vv_results *r)
{
  return r->body_total != NULL ? vvi_file_close(&r->bodies) : VV_OK;
}
