/* contact/pairs/line.c  Tips of bars that can touch: those on one line keep their order, so only neighbours, and walls. */
#include "contact/pairs/line.h"
#include "contact/shapes/rules.h"

#include "math/math.h"

#include <stdlib.h>

/* A tip on its line: which line, which way it looks along it, and where the middle of its body is. */
typedef struct line_tip {
  int32_t patch, body;
  int line, looks; /* looks: +1 along the line's direction, -1 against it */
  double middle;
} line_tip;

typedef struct line {
  double point[3], direction[3];
} line;

static void position(const vv_model *m, const double *q, int32_t patch, double x[3])
{
  int32_t local;
  const vv_block *b = vvi_model_patch_block(m, patch, &local);
  const vv_point pt = {.patch = local};
  b->kind->surface(b, q + b->q0, 1, &pt, x);
}

static bool on_line(const line *l, const double x[3], const double direction[3], double scale)
{
  double d[3], across[3];
  if (fabs(vvi_dot3(l->direction, direction)) < 1.0 - 1e-12) return false;
  for (int c = 0; c < 3; c++) d[c] = x[c] - l->point[c];
  vvi_cross3(d, l->direction, across);
  return vvi_norm3(across) <= 1e-9 * (vvi_norm3(d) + scale);
}

/* The line of a point and a direction, added to the list if it is new. */
static int find_line(line *list, int *n, const double x[3], const double direction[3], double scale)
{
  for (int i = 0; i < *n; i++)
    if (on_line(&list[i], x, direction, scale)) return i;
  for (int c = 0; c < 3; c++) list[*n].point[c] = x[c], list[*n].direction[c] = direction[c];
  return (*n)++;
}

/* Middle of a body along a direction: the mean of its tips. */
static double middle(const vv_model *m, const double *q, const vv_body *body, const double direction[3])
{
  const vv_block *b = &m->block[body->block];
  double sum = 0.0, x[3];
  int n = 0;
  for (int32_t i = 0; i < body->n_patch; i++) {
    if (vvi_patch_sleeps(&b->patch[body->patch0 + i])) continue;
    position(m, q, b->patch0 + body->patch0 + i, x);
    sum += vvi_dot3(x, direction), n++;
  }
  return sum / n;
}

/* By line, then along it, then by body; the tip that looks back before the one that looks ahead. */
static int by_place(const void *x, const void *y)
{
  const line_tip *a = x, *b = y;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
  if (a->body != b->body) return a->body < b->body ? -1 : 1;
  return a->looks - b->looks;
}

static int collect(const vv_model *m, const double *q, line_tip *tip, line *list)
{
  int n = 0, n_line = 0;
  for (int32_t i = 0; i < m->n_patch; i++) {
    const vv_patch *p = vvi_model_patch(m, i);
    if (p->type != VV_PATCH_TIP || vvi_patch_sleeps(p)) continue; /* pieces of a bar keep to their line, too */
    double x[3];
    position(m, q, i, x);
    const int k = find_line(list, &n_line, x, p->direction, m->length_scale);
    tip[n++] = (line_tip){.patch = i,
                          .body = p->body,
                          .line = k,
                          .looks = vvi_dot3(list[k].direction, p->direction) > 0.0 ? 1 : -1,
                          .middle = middle(m, q, &m->body[p->body], list[k].direction)};
  }
  qsort(tip, (size_t)n, sizeof *tip, by_place);
  return n;
}

vv_status vvi_search_line(const vv_model *m, const double *q, vvi_candidate_fn *found, void *user)
{
  line_tip *tip = calloc((size_t)m->n_patch + 1, sizeof *tip);
  line *list = calloc((size_t)m->n_patch + 1, sizeof *list);
  vv_status status = tip != NULL && list != NULL ? VV_OK : VV_NOMEM;
  const int n = status == VV_OK ? collect(m, q, tip, list) : 0;
  for (int i = 0; i + 1 < n; i++) {
    const bool meet = tip[i].line == tip[i + 1].line && tip[i].looks > 0 && tip[i + 1].looks < 0;
    const int32_t x = tip[i].patch, y = tip[i + 1].patch;
    if (meet && found(user, x < y ? x : y, x < y ? y : x) != VV_OK) status = VV_SCENE;
  }
  for (int32_t b = 0; b < m->n_patch; b++) {
    const vv_patch *p = vvi_model_patch(m, b);
    for (int i = 0; p->type == VV_PATCH_PLANE && i < n; i++) {
      const bool faces = vvi_dot3(vvi_model_patch(m, tip[i].patch)->direction, p->direction) < -1e-12;
      if (faces && found(user, tip[i].patch, b) != VV_OK) status = VV_SCENE;
    }
  }
  free(tip);
  free(list);
  return status;
}
