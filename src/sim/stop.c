/* sim/stop.c  Conditions of the scene that end a run: looked at, and remembered in the ledger. */
#include "sim/stop.h"
#include "ledger/episodes.h"
#include "math/math.h"
#include "model/expression.h"
#include "model/probe.h"
#include "step/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20000, QUIET_STEPS = 100 };

static int count(const vv_model *m)
{
  return vv_has(m->root, "stop") ? vv_count(m->root, "stop") : 0;
}

static const vv_group *stop_of(const vv_model *m, int i)
{
  return vv_item(m->root, "stop", i);
}

/* ---- words ---- */

static vv_status check_one(const vv_model *m, const vv_group *g)
{
  const int given = vv_has(g, "probe") + vv_has(g, "separation") + vv_has(g, "rest");
  const bool bound = vv_has(g, "above") || vv_has(g, "below");
  if (given != 1) return vv_complain(g, NULL, "give one of probe, separation and rest");
  if (vv_has(g, "for") && vv_has(g, "probe")) return vv_complain(g, "for", "is for 'separation' and 'rest'");
  if (bound && !vv_has(g, "probe")) return vv_complain(g, vv_has(g, "above") ? "above" : "below", "is for 'probe'");
  if (vv_has(g, "separation") && vv_names(g, "separation") != 2)
    return vv_complain(g, "separation", "names %d bodies; two can part", vv_names(g, "separation"));
  for (int k = 0; vv_has(g, "separation") && k < 2; k++)
    if (vvi_model_body_find(m, vv_name_at(g, "separation", k)) < 0)
      return vv_complain(g, "separation", "'%s' stands for several copies; name one of them",
                         vv_name_at(g, "separation", k));
  if (!vv_has(g, "probe")) return VV_OK;
  const int probe = vvi_probe_find(m, vv_text(g, "probe"));
  if (probe < 0) return vv_complain(g, "probe", "there is no probe '%.64s' in 'probes'", vv_text(g, "probe"));
  if (!bound) return vv_complain(g, "probe", "needs a bound: 'above' or 'below'");
  for (int k = 0; k < 2; k++) {
    const char *name = k == 0 ? "above" : "below", *measured = m->probes->probe[probe].unit;
    const char *unit = vv_has(g, name) ? vvi_group_unit(g, name) : "";
    if (unit[0] != '\0' && !vvi_units_agree(unit, measured))
      return vv_complain(g, name, "is in %s, and the probe '%s' in %s", unit, vv_text(g, "probe"), measured);
  }
  const int n = m->probes->probe[probe].components;
  if (n != 3 && !vv_is(g, "component", "auto") && !vv_is(g, "component", "size"))
    return vv_complain(g, "component", "'%s' has %d component%s", vv_text(g, "probe"), n, n > 1 ? "s, of no axis" : "");
  return VV_OK;
}

vv_status vvi_stops_check(vv_model *m)
{
  const vv_group *record = vv_sub(m->root, "record");
  vv_status status = VV_OK;
  m->probe_every =
      vv_has(record, "probes") ? vv_number(record, "probes") / m->step : 1.0 + floor((double)(m->steps - 1) / ROWS);
  if (!(m->probe_every > 1.0)) m->probe_every = 1.0;
  if (vv_has(record, "probes") && m->probes == NULL && count(m) == 0)
    return vv_complain(record, "probes", "there are no 'probes' in this scene");
  if (count(m) > VV_COUNT(((vv_ledger *)0)->touched))
    return vv_complain(m->root, "stop", "at most %d conditions", (int)VV_COUNT(((vv_ledger *)0)->touched));
  for (int i = 0; i < count(m); i++)
    if (check_one(m, stop_of(m, i)) != VV_OK) status = VV_SCENE;
  return status;
}

vv_status vvi_stops_open(const vv_model *m, vvi_stops *s)
{
  bool probes = false, rest = false;
  *s = (vvi_stops){.n = count(m)};
  for (int i = 0; i < s->n; i++) probes |= vv_has(stop_of(m, i), "probe"), rest |= vv_has(stop_of(m, i), "rest");
  if (rest && (s->p = malloc(sizeof(double) * (size_t)(m->np + 1))) == NULL)
    return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  if (!probes) return VV_OK;
  s->value = malloc(sizeof(double) * (size_t)m->probes->columns);
  s->scratch = malloc(sizeof(double) * (size_t)m->probes->room);
  return s->value != NULL && s->scratch != NULL ? VV_OK : vvi_fail(m->ctx, VV_NOMEM, "out of memory");
}

void vvi_stops_free(vvi_stops *s)
{
  free(s->value);
  free(s->scratch);
  free(s->p);
  *s = (vvi_stops){0};
}

/* ---- rhythm: the steps nearest to multiples of probe_every ---- */

bool vvi_stops_due(const vv_model *m, int64_t step)
{
  return (double)step == round(round((double)step / m->probe_every) * m->probe_every);
}

int64_t vvi_stops_wait(const vv_model *m, int64_t step)
{
  double k = floor((double)step / m->probe_every);
  while (!(round(k * m->probe_every) > (double)step)) k += 1.0;
  return (int64_t)round(k * m->probe_every) - step;
}

/* ---- looking ---- */

static bool names_pair(const vv_group *g, const char *a, const char *b)
{
  const char *x = vv_name_at(g, "separation", 0), *y = vv_name_at(g, "separation", 1);
  return (strcmp(x, a) == 0 && strcmp(y, b) == 0) || (strcmp(x, b) == 0 && strcmp(y, a) == 0);
}

void vvi_stops_note(const vv_model *m, const vv_event *event, int64_t n, vv_ledger *l)
{
  for (int i = 0; i < count(m); i++) {
    const vv_group *g = stop_of(m, i);
    for (int64_t e = 0; vv_has(g, "separation") && e < n; e++)
      if (event[e].body_a != NULL && event[e].body_b != NULL && names_pair(g, event[e].body_a, event[e].body_b))
        l->touched[i] = fmax(l->touched[i], event[e].time > 0.0 ? event[e].time : 0.5 * m->step);
  }
}

/* With momenta as they are shown: what lies still has h f/2 in the state.                                      [contact 27] */
static bool slower(const vv_model *m, const vvi_stops *s, const vv_state *x, double bound)
{
  for (int64_t i = 0; i < m->np; i++) s->p[i] = x->p[i] + (m->shown > 0 ? x->memory[m->shown + i] : 0.0);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->movers == NULL) continue;
    for (int64_t k = 0; k < b->nodes; k++) {
      vv_mover at;
      b->kind->mover(b, k, x->q + b->q0, s->p + b->p0, &at);
      if (vvi_dot3(at.velocity, at.velocity) >= bound * bound) return false;
    }
  }
  return true;
}

static double probed(const vv_model *m, const vvi_stops *s, const vv_group *g)
{
  const vvi_probe *p = &m->probes->probe[vvi_probe_find(m, vv_text(g, "probe"))];
  const double *v = s->value + p->column;
  const char axis = vv_text(g, "component")[0];
  double size = 0.0;
  if (p->components == 1) return axis == 's' ? fabs(v[0]) : v[0];
  if (axis >= 'x' && axis <= 'z') return v[axis - 'x'];
  for (int c = 0; c < p->components; c++) size += v[c] * v[c];
  return sqrt(size);
}

static bool holds(const vv_model *m, const vvi_stops *s, const vv_state *x, const vv_ledger *l, int i)
{
  const vv_group *g = stop_of(m, i);
  const double quiet = x->t - l->touched[i], enough = vv_has(g, "for") ? vv_number(g, "for") : QUIET_STEPS * m->step;
  if (x->t < vv_number(g, "after")) return false;
  if (vv_has(g, "rest")) return quiet >= enough;
  if (vv_has(g, "separation")) return l->touched[i] > 0.0 && quiet >= enough;
  const double value = probed(m, s, g);
  return (vv_has(g, "above") && value > vv_number(g, "above")) || (vv_has(g, "below") && value < vv_number(g, "below"));
}

/* Massless tips close and open: between the two there is no event, but a history that goes on. */
static void note_histories(const vv_model *m, vv_ledger *l)
{
  for (int i = 0; l->episodes != NULL && i < count(m); i++) {
    const vv_group *g = stop_of(m, i);
    for (int64_t k = 0; vv_has(g, "separation") && k < l->episodes->n; k++) {
      const vv_contact_total *c = &l->episodes->pair[k].all;
      if (names_pair(g, m->body[c->body[0]].name, m->body[c->body[1]].name))
        l->touched[i] = fmax(l->touched[i], c->release > 0.0 ? c->release : 0.5 * m->step);
    }
  }
}

int vvi_stops_look(const vv_model *m, vvi_stops *s, const vv_state *x, vv_ledger *l)
{
  note_histories(m, l);
  for (int i = 0; i < s->n; i++)
    if (vv_has(stop_of(m, i), "rest") && !slower(m, s, x, vv_number(stop_of(m, i), "rest"))) l->touched[i] = x->t;
  if (s->value != NULL && vvi_probes_read(m, x, s->scratch, s->value) != VV_OK) return -1;
  for (int i = 0; i < s->n; i++)
    if (holds(m, s, x, l, i)) return i;
  return -1;
}

void vvi_stops_tell(const vv_model *m, int stop, double t, char *out, size_t size)
{
  const vv_group *g = stop_of(m, stop);
  if (vv_has(g, "rest"))
    snprintf(out, size, "t = %.9g: everything has been slower than %g", t, vv_number(g, "rest"));
  else if (vv_has(g, "separation"))
    snprintf(out, size, "t = %.9g: '%.60s' and '%.60s' have parted", t, vv_name_at(g, "separation", 0),
             vv_name_at(g, "separation", 1));
  else
    snprintf(out, size, "t = %.9g: the probe '%.60s' is beyond its bound", t, vv_text(g, "probe"));
}
