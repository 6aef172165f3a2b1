/* sweep/cases.c  Every value of every case, drawn once and written down as text: nobody draws again.
 *
 * Case = draw + draws * (place in the lists, the last list counting fastest).  A value depends on seed, draw and name, so
 * that every combination of listed values meets the same draws, and a variable more changes no other. */
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double normal(vvi_stream *s)
{
  const double u = vvi_stream_uniform(s), v = vvi_stream_uniform(s);
  return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}

/* Drawn again while it lies outside; the plan has seen to it that this ends. */
static double bounded_normal(vvi_stream *s, const vvi_vary *v)
{
  enum { MOST = 100000 };
  double x = 0.0;
  for (int i = 0; i < MOST; i++) {
    x = v->a + v->b * normal(s);
    if (x >= v->low && x <= v->high) return x;
  }
  return fmin(fmax(x, v->low), v->high);
}

static double whole(vvi_stream *s, const vvi_vary *v)
{
  const double x = v->a + floor(vvi_stream_uniform(s) * (v->b - v->a + 1.0));
  return fmin(x, v->b);
}

static void put_vector(vvi_text *t, int n, const double *x, const char *unit)
{
  for (int i = 0; i < n; i++) {
    vvi_text_put(t, i > 0 ? ", " : "[");
    vvi_text_number(t, x[i]);
    if (unit[0] != '\0') vvi_text_print(t, " %s", unit);
  }
  vvi_text_put(t, "]");
}

/* Equal chances for equal areas of the sphere: the third component is uniform (Archimedes). */
static void direction(vvi_text *t, vvi_stream *s, const vvi_vary *v)
{
  const double z = 2.0 * vvi_stream_uniform(s) - 1.0, angle = 2.0 * M_PI * vvi_stream_uniform(s);
  const double length = v->a + (v->b - v->a) * vvi_stream_uniform(s), r = sqrt(1.0 - z * z);
  const double x[3] = {length * r * cos(angle), length * r * sin(angle), length * z};
  put_vector(t, 3, x, v->unit);
}

/* A quaternion uniform on the sphere in four dimensions: a rotation without a preferred one (Shoemake 1992). */
static void rotation(vvi_text *t, vvi_stream *s)
{
  const double u = vvi_stream_uniform(s), a = 2.0 * M_PI * vvi_stream_uniform(s),
               b = 2.0 * M_PI * vvi_stream_uniform(s);
  const double q[4] = {sqrt(u) * cos(b), sqrt(1.0 - u) * sin(a), sqrt(1.0 - u) * cos(a), sqrt(u) * sin(b)};
  put_vector(t, 4, q, "");
}

static void draw(vvi_text *t, const vvi_plan *plan, const vvi_vary *v, int64_t number)
{
  vvi_stream s = vvi_stream_of(plan->seed, number, v->path);
  double x = 0.0;
  switch (v->law) {
  case VVI_LAW_DIRECTION:
    direction(t, &s, v);
    return;
  case VVI_LAW_ROTATION:
    rotation(t, &s);
    return;
  case VVI_LAW_CHOICE:
    vvi_text_put(t, v->word[(int)fmin(floor(vvi_stream_uniform(&s) * v->n), v->n - 1)]);
    return;
  case VVI_LAW_UNIFORM:
    x = v->a + (v->b - v->a) * vvi_stream_uniform(&s);
    break;
  case VVI_LAW_LOGUNIFORM:
    x = fmin(fmax(exp(log(v->a) + (log(v->b) - log(v->a)) * vvi_stream_uniform(&s)), v->a), v->b);
    break;
  case VVI_LAW_NORMAL:
    x = bounded_normal(&s, v);
    break;
  default:
    x = whole(&s, v);
  }
  vvi_text_number(t, x);
  if (v->unit[0] != '\0') vvi_text_print(t, " %s", v->unit);
}

/* The word of a list in case `number`: the lists count as the digits of a number do. */
static void put_listed(vvi_text *t, const vvi_plan *plan, int i, int64_t number)
{
  int64_t rest = number / plan->draws;
  for (int k = plan->n_vary - 1; k > i; k--)
    if (plan->vary[k].law == VVI_LAW_LIST) rest /= plan->vary[k].n;
  const vvi_vary *v = &plan->vary[i];
  vvi_text_put(t, v->word[rest % v->n]);
  if (v->unit[0] != '\0') vvi_text_print(t, " %s", v->unit);
}

void vvi_cases_draw(const vvi_plan *plan, vvi_text *out)
{
  const int64_t n = vvi_plan_cases(plan);
  vvi_locale locale = vvi_locale_enter();
  vvi_text value = {0};
  vvi_text_put(out, "case");
  for (int i = 0; i < plan->n_vary; i++) {
    vvi_text_put(out, ",");
    vvi_text_cell(out, plan->vary[i].path);
  }
  for (int64_t k = 0; k < n; k++) {
    vvi_text_print(out, "\n%lld", (long long)k);
    for (int i = 0; i < plan->n_vary; i++) {
      value.n = 0;
      if (plan->vary[i].law == VVI_LAW_LIST)
        put_listed(&value, plan, i, k);
      else
        draw(&value, plan, &plan->vary[i], k % plan->draws);
      vvi_text_put(out, ",");
      vvi_text_cell(out, value.c != NULL ? value.c : "");
    }
  }
  vvi_text_put(out, "\n");
  out->nomem |= value.nomem;
  vvi_text_free(&value);
  vvi_locale_leave(&locale);
}

vv_status vvi_cases_cut(vv_ctx *ctx, const vvi_plan *plan, char *text, int64_t cases, const char **value)
{
  enum { MOST = 258 };
  char *cell[MOST], *at = text;
  for (int64_t k = -1; k < cases; k++) {
    char wanted[32];
    const int n = *at != '\0' ? vvi_csv_cut(at, cell, MOST, &at) : -1;
    snprintf(wanted, sizeof wanted, "%lld", (long long)k);
    if (n != plan->n_vary + 1 || strcmp(cell[0], k < 0 ? "case" : wanted) != 0)
      return vvi_fail(ctx, VV_IO, "cases.csv: damaged at case %lld; make the sweep anew", (long long)k);
    for (int i = 0; k >= 0 && i < plan->n_vary; i++) value[k * plan->n_vary + i] = cell[i + 1];
  }
  return VV_OK;
}
