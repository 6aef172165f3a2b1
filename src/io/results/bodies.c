/* io/results/bodies.c  bodies.csv: energy and momentum of every body that moves, with every frame; of bars and beams also what is
 * conserved along the body itself, P = sum of its elements, and what drives it, C of the last element less C of the first:
 * dP/dt = C_last - C_first where nothing acts between them.                                                   [bars 54, 56] */
#include "io/results/writer.h"
#include "io/units.h"
#include "model/output.h"

enum { NUMBER_TEXT = 32, FEW = 50 };

typedef struct vvi_body_material {
  bool has;
  double momentum, force;
} vvi_body_material;

static int field_of(const vv_block *b, const char *name)
{
  return vvi_output_find(b->kind, name);
}

static bool has_material(const vv_block *b)
{
  return b->elements > 0 && field_of(b, "pseudomomentum") >= 0 && field_of(b, "configurational_force") >= 0;
}

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
  if (r->body_material != NULL) {
    VV_TRY(vvi_file_print(&r->bodies, ",%s", vvi_unit(r->model, "kg m/s", text)));
    VV_TRY(vvi_file_print(&r->bodies, ",%s", vvi_unit(r->model, "N", text)));
  }
  VV_TRY(vvi_file_text(&r->bodies, "\nstep,time,body,kinetic,strain,potential,p_x,p_y,p_z,L_x,L_y,L_z"));
  return vvi_file_text(&r->bodies, r->body_material != NULL ? ",pseudomomentum,configurational_force\n" : "\n");
}

static vv_status make_material(vv_results *r)
{
  int64_t most = 0;
  for (int i = 0; i < r->model->n_block; i++) {
    const vv_block *b = &r->model->block[i];
    if (has_material(b) && b->elements > most) most = b->elements;
  }
  if (most == 0) return VV_OK;
  r->body_material = VVI_ARENA_NEW(&r->arena, vvi_body_material, r->model->n_body);
  r->body_elements = VVI_ARENA_NEW(&r->arena, double, most);
  return r->body_material == NULL || r->body_elements == NULL ? VV_NOMEM : VV_OK;
}

vv_status vvi_bodies_open(vv_results *r)
{
  if (!wanted(r)) return VV_OK;
  const char *path = vvi_path(&r->arena, r->folder, "bodies.csv");
  r->body_total = VVI_ARENA_NEW(&r->arena, vv_totals, r->model->n_body);
  if (path == NULL || r->body_total == NULL) return VV_NOMEM;
  VV_TRY(make_material(r));
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

static vv_status fill_material(vv_results *r, const vv_block *b, const vv_state *s)
{
  const double *of = r->body_elements;
  VV_TRY(vvi_sys_output(r->model, b, field_of(b, "pseudomomentum"), s, r->body_elements));
  for (int32_t j = 0; j < b->n_body; j++) {
    vvi_body_material *k = &r->body_material[b->body[j]->index];
    *k = (vvi_body_material){.has = true};
    for (int64_t e = 0; e < b->body[j]->n_element; e++) k->momentum += of[b->body[j]->element0 + e];
  }
  VV_TRY(vvi_sys_output(r->model, b, field_of(b, "configurational_force"), s, r->body_elements));
  for (int32_t j = 0; j < b->n_body; j++) {
    const int64_t first = b->body[j]->element0;
    r->body_material[b->body[j]->index].force = of[first + b->body[j]->n_element - 1] - of[first];
  }
  return VV_OK;
}

/* Its columns; of a body without them they are empty. */
static vv_status write_material(vv_results *r, const vvi_body_material *k)
{
  char momentum[NUMBER_TEXT] = "", force[NUMBER_TEXT] = "";
  if (k->has) vvi_put_number(momentum, k->momentum), vvi_put_number(force, k->force);
  return vvi_file_print(&r->bodies, ",%s,%s\n", momentum, force);
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
  const bool more = r->body_material != NULL;
  VV_TRY(vvi_file_write(&r->bodies, text, more ? n - 1 : n));
  return more ? write_material(r, &r->body_material[t - r->body_total]) : VV_OK;
}

vv_status vvi_bodies_rows(vv_results *r, const vv_view *view)
{
  if (r->body_total == NULL) return VV_OK;
  VV_TRY(vvi_sys_audit_bodies(r->model, view->state, r->body_total));
  for (int i = 0; i < r->model->n_block && r->body_material != NULL; i++)
    if (has_material(&r->model->block[i])) VV_TRY(fill_material(r, &r->model->block[i], view->state));
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
