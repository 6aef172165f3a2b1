/* model/history.c  How a load or a driven end varies in time. */
#include "math/math.h"
#include "model/bind.h"
#include "model/model.h"

#include <string.h>

static double table_at(const vv_history *h, double t)
{
  if (t <= h->time[0]) return h->value[0];
  if (t >= h->time[h->n - 1]) return h->value[h->n - 1];
  int lo = 0, hi = h->n - 1;
  while (hi - lo > 1) {
    const int mid = (lo + hi) / 2;
    if (h->time[mid] <= t)
      lo = mid;
    else
      hi = mid;
  }
  const double x = (t - h->time[lo]) / (h->time[hi] - h->time[lo]);
  return h->value[lo] + x * (h->value[hi] - h->value[lo]);
}

double vv_history_at(const vv_history *h, double t)
{
  const double s = h->duration > 0.0 ? (t - h->start) / h->duration : 0.0;
  switch (h->kind) {
  case VV_CONSTANT:
    return h->amplitude;
  case VV_RAMP:
    return h->amplitude * (s <= 0.0 ? 0.0 : s >= 1.0 ? 1.0 : s);
  case VV_PULSE: /* (1 - cos)/2 = sin^2 */
    return s <= 0.0 || s >= 1.0 ? 0.0 : h->amplitude * sin(VV_PI * s) * sin(VV_PI * s);
  case VV_HARMONIC:
    return h->amplitude * sin(h->frequency * t + h->phase);
  case VV_TABLE:
    return table_at(h, t);
  }
  return 0.0;
}

static double table_rate(const vv_history *h, double t)
{
  for (int i = 1; i < h->n; i++)
    if (t >= h->time[i - 1] && t < h->time[i]) return (h->value[i] - h->value[i - 1]) / (h->time[i] - h->time[i - 1]);
  return 0.0;
}

double vvi_history_rate(const vv_history *h, double t)
{
  const double s = h->duration > 0.0 ? (t - h->start) / h->duration : 0.0;
  const bool inside = s > 0.0 && s < 1.0;
  switch (h->kind) {
  case VV_CONSTANT:
    return 0.0;
  case VV_RAMP:
    return inside ? h->amplitude / h->duration : 0.0;
  case VV_PULSE:
    return inside ? h->amplitude * VV_PI / h->duration * sin(2.0 * VV_PI * s) : 0.0;
  case VV_HARMONIC:
    return h->amplitude * h->frequency * cos(h->frequency * t + h->phase);
  case VV_TABLE:
    return table_rate(h, t);
  }
  return 0.0;
}

vv_history vvi_history_from(const vv_group *g, const char *name)
{
  const char *word = vv_text(g, name);
  const vv_group *c = vv_sub(g, name);
  if (strcmp(word, "ramp") == 0 || strcmp(word, "pulse") == 0)
    return (vv_history){.kind = word[0] == 'r' ? VV_RAMP : VV_PULSE,
                        .amplitude = vv_number(c, "amplitude"),
                        .start = vv_number(c, "start"),
                        .duration = vv_number(c, "duration")};
  if (strcmp(word, "harmonic") == 0)
    return (vv_history){.kind = VV_HARMONIC,
                        .amplitude = vv_number(c, "amplitude"),
                        .frequency = vv_number(c, "frequency"),
                        .phase = vv_number(c, "phase")};
  if (strcmp(word, "table") == 0) {
    vv_history h = {.kind = VV_TABLE};
    h.time = vv_numbers(c, "time", &h.n);
    h.value = vv_numbers(c, "value", &h.n);
    return h;
  }
  return (vv_history){.kind = VV_CONSTANT, .amplitude = vv_number(c, "amplitude")};
}

vv_status vvi_history_check(const vv_group *g, const char *name)
{
  if (!vv_is(g, name, "table")) return VV_OK;
  const vv_group *c = vv_sub(g, name);
  int nt, nv;
  const double *time = vv_numbers(c, "time", &nt);
  vv_numbers(c, "value", &nv);
  if (nt != nv) return vv_complain(c, "value", "has %d numbers, but 'time' has %d; give one value per time", nv, nt);
  for (int i = 1; i < nt; i++)
    if (!(time[i] > time[i - 1]))
      return vv_complain(c, "time", "must increase, but entry %d is not after entry %d", i + 1, i);
  return VV_OK;
}

/* ---- histories that are too fast for the step ---- */

/* Loads act at the ends of steps: what happens between two of them is not seen. */
static void warn_one(const vv_group *g, const char *name, double h)
{
  const vv_history y = vvi_history_from(g, name);
  if (y.kind == VV_PULSE && y.duration < 4.0 * h)
    vvi_warn(g, name,
             "the pulse lasts %.3g, and a step %.3g: less than 4 steps do not see its impulse; use a shorter step",
             y.duration, h);
  if (y.kind == VV_HARMONIC && y.frequency * h > 1.0)
    vvi_warn(g, name, "%.3g steps a period do not follow this harmonic; use 7 or more",
             2.0 * VV_PI / (y.frequency * h));
  for (int i = 1; y.kind == VV_TABLE && i < y.n; i++)
    if (y.time[i] - y.time[i - 1] < h && y.value[i] != y.value[i - 1]) {
      vvi_warn(g, name,
               "entries %d and %d of the table are closer than a step of %.3g, which may miss what lies between", i,
               i + 1, h);
      break;
    }
}

void vvi_history_warn(const vv_group *g, double h)
{
  for (int i = 0; i < g->schema->n; i++) {
    const vv_field *f = &g->schema->field[i];
    const vvi_value *v = &g->value[i];
    if (!v->has) continue;
    if (f->sub == &vvi_history_schema)
      warn_one(g, f->name, h);
    else if (v->sub != NULL)
      vvi_history_warn(v->sub, h);
    for (int k = 0; (f->type == VV_LIST || f->type == VV_BODIES) && k < v->n; k++) vvi_history_warn(v->list.item[k], h);
  }
}
