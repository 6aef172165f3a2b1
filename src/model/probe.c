/* model/probe.c  Probes: finds what a probe measures, and reads it from a state. */
#include "model/probe.h"
#include "math/math.h"
#include "model/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which quantity ---- */

static vv_status complain_measure(const vv_group *g, const vv_body *body)
{
  char known[256] = "";
  for (int i = 0; i < body->kind->n_output; i++)
    if (strcmp(body->kind->output_field[i].name, "kinetic_energy") != 0 &&
        strcmp(body->kind->output_field[i].name, "angular_momentum") != 0) /* every body has these */
      snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "",
               body->kind->output_field[i].name);
  return vv_complain(g, "measure", "'%s' has none, it is a %s; known: %s, kinetic_energy, angular_momentum, energy",
                     body->name, body->kind->name, known);
}

/* From what it is computed, how wide it is and where it lives. */
static vv_status choose_measure(const vv_group *g, const vv_body *body, vvi_probe *p)
{
  const char *name = vv_text(g, "measure");
  p->source = strcmp(name, "kinetic_energy") == 0     ? VVI_PROBE_KINETIC
              : strcmp(name, "angular_momentum") == 0 ? VVI_PROBE_ANGULAR
              : strcmp(name, "energy") == 0           ? VVI_PROBE_ENERGY
                                                      : VVI_PROBE_FIELD;
  p->field = vvi_output_find(body->kind, p->source == VVI_PROBE_FIELD ? name : "momentum");
  if (p->field < 0) return complain_measure(g, body);
  const vv_output_field *f = &body->kind->output_field[p->field];
  p->on_elements = f->on_elements;
  p->width = p->source == VVI_PROBE_FIELD ? f->components : p->source == VVI_PROBE_ANGULAR ? 3 : 1;
  p->unit = p->source == VVI_PROBE_FIELD ? f->unit : p->source == VVI_PROBE_ANGULAR ? "kg m^2/s" : "J";
  return VV_OK;
}

/* ---- where ---- */

/* Where a node or the middle of an element is. */
static void place_of(const vvi_probe *p, const vv_mover *mover, int64_t i, double x[3])
{
  const vv_block *b = p->block;
  const int corners = b->kind->element_nodes;
  x[0] = x[1] = x[2] = 0.0;
  if (!p->on_elements) memcpy(x, mover[i].place, 3 * sizeof *x);
  for (int k = 0; p->on_elements && k < corners; k++)
    for (int c = 0; c < 3; c++) x[c] += mover[b->element_node[corners * i + k]].place[c] / corners;
}

typedef struct range {
  int64_t from, n;
} range;

static range range_of(const vvi_probe *p, const vv_body *body)
{
  return p->on_elements ? (range){body->element0, body->n_element} : (range){body->node0, body->n_node};
}

static vv_status take_all(vv_model *m, vvi_probe *p, int64_t from, int64_t n)
{
  p->at = VVI_ARENA_NEW(&m->arena, int64_t, n);
  if (p->at == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  for (int64_t i = 0; i < n; i++) p->at[i] = from + i;
  p->n = n;
  return VV_OK;
}

static vv_status take_nearest(vv_model *m, const vv_group *g, vvi_probe *p, range r, const vv_mover *mover)
{
  const double *point = vv_numbers(g, "point", NULL);
  double least = INFINITY;
  int64_t best = r.from;
  for (int64_t i = r.from; i < r.from + r.n; i++) {
    double x[3], d[3];
    place_of(p, mover, i, x);
    for (int c = 0; c < 3; c++) d[c] = x[c] - point[c];
    if (vvi_dot3(d, d) < least) least = vvi_dot3(d, d), best = i;
  }
  return take_all(m, p, best, 1);
}

static vv_status take_region(vv_model *m, const vv_group *g, vvi_probe *p, range r, const vv_mover *mover)
{
  const double *low = vv_has(g, "low") ? vv_numbers(g, "low", NULL) : NULL;
  const double *high = vv_has(g, "high") ? vv_numbers(g, "high", NULL) : NULL;
  VV_TRY(take_all(m, p, r.from, r.n));
  p->n = 0;
  for (int64_t i = r.from; i < r.from + r.n; i++) {
    double x[3];
    bool in = true;
    place_of(p, mover, i, x);
    for (int c = 0; c < 3; c++) in = in && (low == NULL || x[c] >= low[c]) && (high == NULL || x[c] <= high[c]);
    if (in) p->at[p->n++] = i;
  }
  if (p->n == 0)
    return vv_complain(g, vv_has(g, "low") ? "low" : "high", "no %s lies in this box at the start",
                       p->on_elements ? "element" : "node");
  return VV_OK;
}

static vv_status take_index(vv_model *m, const vv_group *g, vvi_probe *p, range r, const char *word)
{
  const int64_t i = vv_integer(g, word);
  if (p->on_elements != (word[0] == 'e'))
    return vv_complain(g, word, "'%s' is given on %s; use '%s'", vv_text(g, "measure"),
                       p->on_elements ? "elements" : "nodes", p->on_elements ? "element" : "node");
  if (i >= r.n) return vv_complain(g, word, "there are %lld, numbered from 0", (long long)r.n);
  return take_all(m, p, r.from + i, 1);
}

static vv_status choose_place(vv_model *m, const vv_group *g, const vv_body *body, vvi_probe *p, const vv_mover *mover)
{
  const range r = range_of(p, body);
  const bool box = vv_has(g, "low") || vv_has(g, "high");
  const int given = vv_has(g, "node") + vv_has(g, "element") + vv_has(g, "point") + box;
  if (r.n == 0) return vv_complain(g, "body", "'%s' has nothing to measure", body->name);
  if (given > 1) return vv_complain(g, NULL, "give one of node, element, point, and low with high");
  if (p->source == VVI_PROBE_ENERGY && given > 0) return vv_complain(g, "measure", "energy is that of the whole body");
  if (vv_has(g, "node")) return take_index(m, g, p, r, "node");
  if (vv_has(g, "element")) return take_index(m, g, p, r, "element");
  if (vv_has(g, "point")) return take_nearest(m, g, p, r, mover);
  return box ? take_region(m, g, p, r, mover) : take_all(m, p, r.from, r.n);
}

/* Quantities that add up are summed over a body or region, others are averaged, where the scene does not say. */
static void choose_take(const vv_group *g, vvi_probe *p)
{
  static const char *const adds[] = {"momentum", "angular_momentum", "kinetic_energy", "energy"};
  bool sum = false;
  for (int i = 0; i < VV_COUNT(adds); i++) sum |= vv_is(g, "measure", adds[i]);
  p->take = vv_is(g, "take", "sum")    ? VVI_TAKE_SUM
            : vv_is(g, "take", "mean") ? VVI_TAKE_MEAN
            : vv_is(g, "take", "most") ? VVI_TAKE_MOST
            : p->n == 1                ? VVI_TAKE_ONE
            : sum                      ? VVI_TAKE_SUM
                                       : VVI_TAKE_MEAN;
  p->components = p->take == VVI_TAKE_MOST ? 1 : p->width;
}

static vv_status check_name(const vv_model *m, const vv_group *g, int n)
{
  static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const char *name = vv_text(g, "name");
  if (name[0] == '\0' || strspn(name, good) != strlen(name) || strlen(name) > 64)
    return vv_complain(g, "name", "may have letters, digits, _ and -, at most 64 of them");
  for (int i = 0; i < n; i++)
    if (strcmp(m->probes->probe[i].name, name) == 0) return vv_complain(g, "name", "'%s' is another probe", name);
  return VV_OK;
}

static vv_status make_one(vv_model *m, const vv_group *g, const double *q, const double *p, vvi_probe *out)
{
  const int body = vvi_model_body_find(m, vv_text(g, "body"));
  if (body < 0) return vv_complain(g, "body", "there is no body '%.64s'", vv_text(g, "body"));
  const vv_body *b = &m->body[body];
  *out = (vvi_probe){.group = g, .name = vv_text(g, "name"), .body = body, .block = &m->block[b->block]};
  if (out->block->kind->movers == NULL || b->n_node == 0)
    return vv_complain(g, "body", "'%s' does not move: there is nothing to measure", b->name);
  VV_TRY(choose_measure(g, b, out));
  vv_mover *mover = malloc((size_t)out->block->nodes * sizeof *mover);
  if (mover == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  out->block->kind->movers(out->block, q + out->block->q0, p + out->block->p0, mover);
  const vv_status status = choose_place(m, g, b, out, mover);
  free(mover);
  choose_take(g, out);
  return status;
}

vv_status vvi_probes_make(vv_model *m, const double *q, const double *p)
{
  const int n = vv_has(m->root, "probes") ? vv_count(m->root, "probes") : 0;
  if (n == 0) return VV_OK;
  m->probes = VVI_ARENA_NEW(&m->arena, vvi_probes, 1);
  if (m->probes != NULL) m->probes->probe = VVI_ARENA_NEW(&m->arena, vvi_probe, n);
  if (m->probes == NULL || m->probes->probe == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  vvi_probes *all = m->probes;
  vv_status status = VV_OK;
  for (int i = 0; i < n; i++) {
    const vv_group *g = vv_item(m->root, "probes", i);
    if (check_name(m, g, i) != VV_OK || make_one(m, g, q, p, &all->probe[i]) != VV_OK) status = VV_SCENE;
    if (status != VV_OK) {
      all->probe[i].name = "";
      continue;
    }
    const vv_block *b = all->probe[i].block;
    const int64_t most = b->nodes > b->elements ? b->nodes : b->elements, room = 4 * 4 * most; /* four fields of four */
    all->probe[i].column = all->columns;
    all->columns += all->probe[i].components;
    if (room > all->room) all->room = room;
  }
  all->n = n;
  return status;
}

int vvi_probe_find(const vv_model *m, const char *name)
{
  for (int i = 0; m->probes != NULL && i < m->probes->n; i++)
    if (strcmp(m->probes->probe[i].name, name) == 0) return i;
  return -1;
}

const char *vvi_probe_axis(const vvi_probe *p, int component)
{
  static const char *const three[] = {"_x", "_y", "_z"}, *const four[] = {"_w", "_x", "_y", "_z"};
  return p->components == 1 ? "" : p->components == 4 ? four[component] : three[component];
}

/* ---- reading ---- */

/* An output field of the block, by name, or NULL where the kind has none. */
static vv_status field(const vv_model *m, const vvi_probe *p, const vv_state *x, const char *name, double **out)
{
  const int f = vvi_output_find(p->block->kind, name);
  if (f < 0) *out = NULL;
  return f < 0 ? VV_OK : vvi_sys_output(m, p->block, f, x, *out);
}

/* (v.p + w.h)/2 of each node, in place of the first field. */
static vv_status read_kinetic(const vv_model *m, const vvi_probe *p, const vv_state *x, double *values)
{
  const int64_t n = p->block->nodes;
  double *v = values + 4 * n, *w = values + 8 * n, *h = values + 12 * n, *j = values;
  VV_TRY(field(m, p, x, "momentum", &j));
  VV_TRY(field(m, p, x, "velocity", &v));
  VV_TRY(field(m, p, x, "angular_velocity", &w));
  VV_TRY(field(m, p, x, "angular_momentum", &h));
  for (int64_t i = 0; i < n; i++) {
    double sum = vvi_dot3(j + 3 * i, v + 3 * i);
    if (w != NULL && h != NULL) sum += vvi_dot3(w + 3 * i, h + 3 * i);
    values[i] = 0.5 * sum; /* behind what is still to be read */
  }
  return VV_OK;
}

/* x x p + h of each node, about the origin. */
static vv_status read_angular(const vv_model *m, const vvi_probe *p, const vv_state *x, double *values)
{
  const int64_t n = p->block->nodes;
  double *place = values + 4 * n, *h = values + 8 * n, *j = values;
  VV_TRY(field(m, p, x, "momentum", &j));
  VV_TRY(field(m, p, x, "position", &place));
  VV_TRY(field(m, p, x, "angular_momentum", &h));
  for (int64_t i = 0; i < n; i++) {
    double arm[3];
    vvi_cross3(place + 3 * i, j + 3 * i, arm);
    for (int c = 0; c < 3; c++) values[3 * i + c] = arm[c] + (h != NULL ? h[3 * i + c] : 0.0);
  }
  return VV_OK;
}

static vv_status read_energy(const vv_model *m, const vvi_probe *p, const vv_state *x, double *out)
{
  vv_totals sum;
  VV_TRY(vvi_sys_audit_body(m, x, p->body, &sum));
  *out = sum.kinetic + sum.strain + sum.potential;
  return VV_OK;
}

static void gather(const vvi_probe *p, const double *values, double *out)
{
  for (int c = 0; c < p->components; c++) out[c] = 0.0;
  for (int64_t i = 0; i < p->n; i++) {
    const double *v = values + p->width * p->at[i];
    double size = 0.0;
    for (int c = 0; c < p->width; c++) size += v[c] * v[c];
    if (p->take == VVI_TAKE_MOST) out[0] = fmax(out[0], sqrt(size));
    for (int c = 0; c < p->width && p->take != VVI_TAKE_MOST; c++) out[c] += v[c];
  }
  for (int c = 0; c < p->components && p->take == VVI_TAKE_MEAN; c++) out[c] /= (double)p->n;
}

vv_status vvi_probes_read(const vv_model *m, const vv_state *x, double *scratch, double *out)
{
  for (int i = 0; i < m->probes->n; i++) {
    const vvi_probe *p = &m->probes->probe[i];
    double *to = out + p->column;
    if (p->source == VVI_PROBE_ENERGY) {
      VV_TRY(read_energy(m, p, x, to));
      continue;
    }
    if (p->source == VVI_PROBE_KINETIC)
      VV_TRY(read_kinetic(m, p, x, scratch));
    else if (p->source == VVI_PROBE_ANGULAR)
      VV_TRY(read_angular(m, p, x, scratch));
    else
      VV_TRY(vvi_sys_output(m, p->block, p->field, x, scratch));
    gather(p, scratch, to);
  }
  return VV_OK;
}
