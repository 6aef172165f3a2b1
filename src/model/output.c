/* model/output.c  What the kinds can tell of a state, body by body: the fields that results.h5 holds. */
#include "model/output.h"

#include <stdlib.h>
#include <string.h>

static const vv_body *body_at(const vv_model *m, int body)
{
  return body >= 0 && body < m->n_body ? &m->body[body] : NULL;
}

int vvi_output_find(const vv_body_kind *kind, const char *name)
{
  for (int i = 0; i < kind->n_output; i++)
    if (strcmp(kind->output_field[i].name, name) == 0) return i;
  return -1;
}

static int field_find(const vv_body *b, const char *name)
{
  return b != NULL && name != NULL ? vvi_output_find(b->kind, name) : -1;
}

int vv_model_fields(const vv_model *m, int body)
{
  const vv_body *b = body_at(m, body);
  return b != NULL ? b->kind->n_output : 0;
}

const char *vv_model_field(const vv_model *m, int body, int i)
{
  return i >= 0 && i < vv_model_fields(m, body) ? m->body[body].kind->output_field[i].name : NULL;
}

int64_t vv_model_field_size(const vv_model *m, int body, const char *field, int *components)
{
  const vv_body *b = body_at(m, body);
  const int i = field_find(b, field);
  const vv_output_field *f = i >= 0 ? &b->kind->output_field[i] : NULL;
  if (components != NULL) *components = f != NULL ? f->components : 0;
  return f == NULL ? 0 : f->on_elements ? b->n_element : b->n_node;
}

int vv_model_body(const vv_model *m, const char *name)
{
  return name != NULL ? vvi_model_body_find(m, name) : -1;
}

int64_t vv_model_broken(const vv_model *m, const vv_state *x, int body)
{
  int64_t count = 0;
  if (m == NULL || x == NULL || body < -1 || body >= m->n_body) return -1;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    unsigned char *broken = b->breaks ? calloc((size_t)b->elements + 1, 1) : NULL;
    if (b->breaks && broken == NULL) return -1;
    for (int32_t j = 0; b->breaks && j < b->n_body; j++) {
      if (body >= 0 && b->body[j]->index != body) continue;
      b->kind->broken(b, x->q + b->q0, j, broken);
      for (int64_t e = 0; e < b->body[j]->n_element; e++) count += broken[e];
    }
    free(broken);
  }
  return count;
}

bool vv_model_slice(const vv_model *m, int body, vv_slice *out)
{
  const vv_body *b = body_at(m, body);
  *out = (vv_slice){0};
  if (b == NULL || b->n_node == 0) return false;
  const vv_block *k = &m->block[b->block];
  *out = (vv_slice){.q0 = k->q0 + b->node0,
                    .p0 = k->p0 + b->node0,
                    .column = k->column,
                    .nodes = b->n_node,
                    .node_q = k->kind->node_q,
                    .node_p = k->kind->node_p};
  return true;
}

int64_t vv_model_elements(const vv_model *m, int body, int *corners)
{
  const vv_body *b = body_at(m, body);
  const int n = b != NULL ? b->kind->element_nodes : 0;
  if (corners != NULL) *corners = n;
  return n > 0 && m->block[b->block].element_node != NULL ? b->n_element : 0;
}

vv_status vv_model_connect(const vv_model *m, int body, int64_t *out)
{
  int corners;
  const int64_t n = vv_model_elements(m, body, &corners);
  if (n == 0) return vvi_fail(m->ctx, VV_ARG, "there is no body %d, or it has no elements", body);
  const vv_body *b = &m->body[body];
  const int32_t *node = m->block[b->block].element_node + b->element0 * corners;
  for (int64_t i = 0; i < n * corners; i++) out[i] = node[i] - b->node0;
  return VV_OK;
}

/* A kind tells of its whole block; the slice of the body is cut out of it. */
vv_status vv_model_output(const vv_model *m, const vv_state *s, int body, const char *field, double *out)
{
  const vv_body *b = body_at(m, body);
  const int i = field_find(b, field);
  if (b == NULL) return vvi_fail(m->ctx, VV_ARG, "there is no body %d; the scene has %d", body, m->n_body);
  if (i < 0)
    return vvi_fail(m->ctx, VV_ARG, "body '%s' of kind %s has no field '%.60s'", b->name, b->kind->name,
                    field != NULL ? field : "");
  if (s->nq != m->nq || s->np != m->np) return vvi_fail(m->ctx, VV_ARG, "the state belongs to another model");
  const vv_output_field *f = &b->kind->output_field[i];
  const vv_block *block = &m->block[b->block];
  if (block->n_body == 1) return vvi_sys_output(m, block, i, s, out);
  const int64_t all = f->on_elements ? block->elements : block->nodes, n = f->on_elements ? b->n_element : b->n_node;
  const size_t row = (size_t)f->components, first = (size_t)(f->on_elements ? b->element0 : b->node0);
  double *whole = malloc(sizeof(double) * row * (size_t)(all > 0 ? all : 1));
  if (whole == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  const vv_status status = vvi_sys_output(m, block, i, s, whole);
  if (status == VV_OK) memcpy(out, whole + row * first, sizeof(double) * row * (size_t)n);
  free(whole);
  return status;
}

vv_status vv_model_totals(const vv_model *m, const vv_state *s, int body, double out[VV_BODY_TOTALS])
{
  vv_totals t;
  if (body_at(m, body) == NULL)
    return vvi_fail(m->ctx, VV_ARG, "there is no body %d; the scene has %d", body, m->n_body);
  if (s->nq != m->nq || s->np != m->np) return vvi_fail(m->ctx, VV_ARG, "the state belongs to another model");
  VV_TRY(vvi_sys_audit_body(m, s, body, &t));
  out[0] = t.kinetic, out[1] = t.strain, out[2] = t.potential;
  for (int c = 0; c < 3; c++) out[3 + c] = t.p[c], out[6 + c] = t.L[c];
  return VV_OK;
}
