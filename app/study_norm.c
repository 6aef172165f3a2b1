/* app/study_norm.c  Two runs side by side: which nodes have the same position, and how far apart they are. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a body shows ---- */

static bool has(const vv_model *m, int body, const char *field)
{
  int components;
  return vv_model_field_size(m, body, field, &components) > 0 && components == 3;
}

static const char *field_name(const study *s, const vv_model *m, int body, int field)
{
  static const char *const frame[STUDY_FIELDS - 1] = {"d1", "d2", "d3"};
  if (field > 0 && field < STUDY_FIELDS) return frame[field - 1];
  return s->norm == STUDY_END && has(m, body, "displacement") ? "displacement" : "position";
}

static double word_of(const study_run *r, int body, const char *name)
{
  char path[64], word[64];
  snprintf(path, sizeof path, "bodies[%d].%s", body, name);
  return vv_model_word(r->scene.model, path, word, sizeof word) ? strtod(word, NULL) : 0;
}

static double *new_values(int64_t n)
{
  double *value = calloc((size_t)n, 3 * sizeof(double));
  if (value == NULL) app_error("out of memory");
  return value;
}

bool study_body_open(study *s, study_run *r)
{
  const vv_model *m = r->scene.model;
  const int n = vv_model_bodies(m);
  r->body = calloc((size_t)n, sizeof *r->body);
  if (r->body == NULL) return app_error("out of memory") == APP_DONE;
  for (int i = 0; i < n; i++) {
    study_body *b = &r->body[i];
    const double elements = word_of(r, i, "elements");
    if (!has(m, i, "position")) continue;
    b->nodes = vv_model_field_size(m, i, "position", NULL);
    b->elements = (int64_t)elements;
    b->length = elements > 0 ? word_of(r, i, "length") / elements : 0;
    b->n_field = has(m, i, "d1") && has(m, i, "d2") && has(m, i, "d3") ? STUDY_FIELDS : 1;
    s->frames |= b->n_field > 1;
    for (int k = 0; k < b->n_field; k++)
      if ((b->value[k] = new_values(b->nodes)) == NULL) return false;
  }
  return true;
}

void study_body_close(study_run *r)
{
  for (int i = 0; r->body != NULL && i < vv_model_bodies(r->scene.model); i++) {
    for (int k = 0; k < STUDY_FIELDS; k++) free(r->body[i].value[k]);
    free(r->body[i].twin);
  }
  free(r->body);
  r->body = NULL;
}

double study_reach(const study_run *r)
{
  double most = 0;
  for (int i = 0; r->body != NULL && i < vv_model_bodies(r->scene.model); i++) {
    const int64_t n = r->body[i].n_field > 0 ? r->body[i].nodes : 0;
    double *x = n > 0 ? new_values(n) : NULL;
    if (x != NULL && vv_model_output(r->scene.model, r->scene.state, i, "position", x) == VV_OK)
      for (int64_t k = 0; k < 3 * n; k++) most = fmax(most, fabs(x[k]));
    free(x);
  }
  return most;
}

bool study_sample(study *s, study_run *r)
{
  for (int i = 0; i < vv_model_bodies(r->scene.model); i++) {
    for (int k = 0; k < r->body[i].n_field; k++) {
      const char *field = field_name(s, r->scene.model, i, k);
      const vv_status status = vv_model_output(r->scene.model, r->scene.state, i, field, r->body[i].value[k]);
      if (status == VV_OK) continue;
      app_messages(r->scene.ctx, status);
      return false;
    }
  }
  return true;
}

/* ---- nodes at the same position ---- */

/* Places of the unstressed nodes along the line of a body that has displacements (a bar): out[nodes]. */
static bool line_places(const study_run *r, int body, const double from[3], const double along[3], double *out)
{
  const int64_t n = r->body[body].nodes;
  double *x = new_values(n), *u = new_values(n);
  bool ok = x != NULL && u != NULL;
  ok = ok && vv_model_output(r->scene.model, r->scene.state, body, "position", x) == VV_OK;
  ok = ok && vv_model_output(r->scene.model, r->scene.state, body, "displacement", u) == VV_OK;
  for (int64_t i = 0; ok && i < n; i++) {
    out[i] = 0;
    for (int c = 0; c < 3; c++) out[i] += (x[3 * i + c] - u[3 * i + c] - from[c]) * along[c];
  }
  free(x);
  free(u);
  return ok;
}

/* Both lists ascend: one walk finds what is in both. */
static void match_places(int64_t n, const double *mine, int64_t n_ref, const double *ref, double near, int64_t *twin)
{
  for (int64_t i = 0, k = 0; i < n; i++) {
    while (k < n_ref && ref[k] < mine[i] - near) k++;
    twin[i] = k < n_ref && fabs(ref[k] - mine[i]) <= near ? k : -1;
  }
}

/* A bar's nodes need not be at equal distances, nor at its ends: they are matched by their places. */
static bool match_bar(const study *s, study_run *r, int body)
{
  const study_body *mine = &r->body[body], *ref = &s->reference.body[body];
  double *place = new_values(mine->nodes), *ref_place = new_values(ref->nodes), *end = new_values(ref->nodes);
  double along[3] = {0}, size = 0;
  bool ok = place != NULL && ref_place != NULL && end != NULL;
  ok = ok && vv_model_output(s->reference.scene.model, s->reference.scene.state, body, "position", end) == VV_OK;
  for (int c = 0; ok && c < 3; c++) along[c] = end[3 * (ref->nodes - 1) + c] - end[c], size += along[c] * along[c];
  for (int c = 0; c < 3; c++) along[c] /= size > 0 ? sqrt(size) : 1;
  ok = ok && line_places(r, body, end, along, place) && line_places(&s->reference, body, end, along, ref_place);
  if (ok) match_places(mine->nodes, place, ref->nodes, ref_place, 1e-9 * sqrt(size), mine->twin);
  free(place);
  free(ref_place);
  free(end);
  return ok;
}

static bool report_elements(const study *s, const study_run *r, int body)
{
  const long long mine = r->body[body].elements, ref = s->reference.body[body].elements;
  char name[128], words[STUDY_TEXT];
  app_clean(name, sizeof name, vv_model_body_name(r->scene.model, body));
  app_clean(words, sizeof words, r->words);
  if (mine > 0 && ref % mine == 0)
    app_error("body '%s': none of its nodes with %lld elements (%s) is at the position of a node of the reference "
              "with "
              "%lld; cells have their nodes in the middle: take 3, 9 or 27 times as many elements, not 2 or 4",
              name, mine, words, ref);
  else
    app_error(
        "body '%s' has %lld elements in the run with %s and %lld in the reference, which is no multiple of it, so "
        "their nodes are at different positions; take numbers of elements that divide %lld, or name others with "
        "--reference bodies.%s.elements=N",
        name, mine, words, ref, ref, name);
  return false;
}

static bool match_body(study *s, study_run *r, int body)
{
  study_body *mine = &r->body[body];
  const study_body *ref = &s->reference.body[body];
  mine->twin = calloc((size_t)mine->nodes, sizeof *mine->twin);
  if (mine->twin == NULL) return app_error("out of memory") == APP_DONE;
  if (ref->nodes == 0 || ref->n_field != mine->n_field || (mine->elements > 0 && ref->elements % mine->elements != 0))
    return report_elements(s, r, body);
  const int64_t ratio = mine->elements > 0 ? ref->elements / mine->elements : 1;
  int64_t common = 0;
  if (has(r->scene.model, body, "displacement") && mine->nodes > 1 && ref->nodes > 1) {
    if (!match_bar(s, r, body)) return app_error("out of memory") == APP_DONE;
  } else {
    for (int64_t i = 0; i < mine->nodes; i++) mine->twin[i] = i * ratio < ref->nodes ? i * ratio : -1;
  }
  for (int64_t i = 0; i < mine->nodes; i++) common += mine->twin[i] >= 0;
  r->common += common;
  return common > 0 || report_elements(s, r, body);
}

bool study_twins(study *s, study_run *r)
{
  const int n = vv_model_bodies(r->scene.model);
  if (n != vv_model_bodies(s->reference.scene.model))
    return app_error("the reference has another number of bodies") == APP_DONE;
  for (int i = 0; i < n; i++) {
    if (r->body[i].nodes == 0) continue;
    if (!match_body(s, r, i)) return false;
    if (s->norm == STUDY_PAPER && !(r->body[i].length > 0))
      return app_error("body '%s' of kind %s has no element length, which --norm paper needs; use --norm end",
                       vv_model_body_name(r->scene.model, i), vv_model_body_kind(r->scene.model, i)) == APP_DONE;
  }
  return r->common > 0 || app_error("nothing moves in this scene, so there is nothing to compare") == APP_DONE;
}

/* ---- differences ---- */

static double squares_of_node(const study_body *b, const study_body *ref, int64_t i, int64_t k, double *size)
{
  double sum = 0;
  *size = b->n_field > 1 ? 0 : 3; /* a body without frames has those of its line, and they never turn */
  for (int f = 0; f < b->n_field; f++) {
    const double *x = b->value[f] + 3 * i, *y = ref->value[f] + 3 * k;
    for (int c = 0; c < 3; c++) {
      sum += (x[c] - y[c]) * (x[c] - y[c]);
      *size += y[c] * y[c];
    }
  }
  return sum;
}

double study_squares(const study *s, const study_run *r)
{
  double all = 0;
  for (int i = 0; i < vv_model_bodies(r->scene.model); i++) {
    const study_body *b = &r->body[i], *ref = &s->reference.body[i];
    double sum = 0, size;
    for (int64_t k = 0; k < b->nodes; k++) {
      if (b->twin[k] < 0) continue;
      const double d = squares_of_node(b, ref, k, b->twin[k], &size);
      sum += s->norm == STUDY_PAPER ? d / size : d;
    }
    all += s->norm == STUDY_PAPER ? r->step * b->length * sum : sum;
  }
  return all;
}
