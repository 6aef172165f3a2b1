/* ledger/episodes.c  See episodes.h.                                                                        [ledger 15] */
#include "ledger/episodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64, SHORT_STEPS = 4 };
static const double patience = 8.0; /* mean pauses */

/* ---- memory ---- */

static bool grow(void **array, int64_t *room, int64_t wanted, size_t size)
{
  if (wanted <= *room) return true;
  int64_t more = *room > 0 ? *room : FIRST_ROOM;
  while (more < wanted) more *= 2;
  void *bigger = realloc(*array, (size_t)more * size);
  if (bigger == NULL) return false;
  *array = bigger, *room = more;
  return true;
}

static bool fit_pairs(vvi_episodes *e, int64_t n);
static bool fit_curves(vvi_episodes *e, int64_t n);

/* Small scenes never need more. */
static bool fit_first(vvi_episodes *e)
{
  enum { SAMPLES = 4096 };
  return fit_pairs(e, 1) && fit_curves(e, 1) && grow((void **)&e->done, &e->done_room, 1, sizeof *e->done) &&
         grow((void **)&e->sample, &e->sample_room, SAMPLES, sizeof *e->sample);
}

vvi_episodes *vvi_episodes_create(int32_t bodies, double h)
{
  vvi_episodes *e = calloc(1, sizeof *e);
  double *pause = calloc((size_t)bodies + 1, sizeof *pause);
  if (e == NULL || pause == NULL) {
    free(e), free(pause);
    return NULL;
  }
  e->bodies = bodies, e->h = fabs(h), e->way = h < 0.0 ? -1.0 : 1.0, e->pause = pause, e->told = -INFINITY;
  for (int32_t i = 0; i < bodies; i++) pause[i] = SHORT_STEPS * e->h;
  if (fit_first(e)) return e;
  vvi_episodes_destroy(e);
  return NULL;
}

void vvi_episodes_destroy(vvi_episodes *e)
{
  if (e == NULL) return;
  free(e->pause), free(e->pair), free(e->slot), free(e->curve), free(e->spare), free(e->live), free(e->done);
  free(e->sample);
  free(e);
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

void vvi_episodes_reserve(vvi_episodes *e, int64_t pairs)
{
  if (e == NULL) return;
  (void)(fit_pairs(e, larger(2 * e->n, pairs)) && fit_curves(e, larger(2 * e->curves, pairs)) &&
         grow((void **)&e->done, &e->done_room, larger(2 * e->n_done, pairs), sizeof *e->done) &&
         grow((void **)&e->sample, &e->sample_room, larger(2 * e->n_sample, pairs), sizeof *e->sample));
}

void vvi_episodes_clear(vvi_episodes *e)
{
  if (e == NULL) return;
  e->n = e->curves = e->spares = e->n_live = e->begun = e->missed = e->n_done = e->all_done = e->n_sample = e->again =
      0;
  e->told = -INFINITY;
  for (int64_t i = 0; i < e->slots; i++) e->slot[i] = -1;
}

/* About the step. */
static int64_t bin_of(const vvi_episodes *e, double t)
{
  return (int64_t)floor(t / e->h + 0.5);
}

/* ---- pairs ---- */

static uint64_t name_hash(const int32_t body[2], const int32_t copy[2])
{
  const int32_t name[4] = {body[0], body[1], copy[0], copy[1]};
  return vvi_hash(VVI_HASH_SEED, name, sizeof name);
}

static bool is_pair(const vvi_touch_pair *k, const int32_t body[2], const int32_t copy[2])
{
  return memcmp(k->all.body, body, sizeof k->all.body) == 0 && memcmp(k->all.copy, copy, sizeof k->all.copy) == 0;
}

static int64_t *slot_of(const vvi_episodes *e, const int32_t body[2], const int32_t copy[2])
{
  uint64_t i = name_hash(body, copy);
  for (;; i++) {
    int64_t *slot = &e->slot[i & (uint64_t)(e->slots - 1)];
    if (*slot < 0 || is_pair(&e->pair[*slot], body, copy)) return slot;
  }
}

/* Room for n pairs: entries, a place in the list of the open ones, a table at most half full. */
static bool fit_pairs(vvi_episodes *e, int64_t n)
{
  int64_t lives = e->room;
  if (!grow((void **)&e->live, &lives, n, sizeof *e->live)) return false;
  if (!grow((void **)&e->pair, &e->room, n, sizeof *e->pair)) return false;
  if (2 * n <= e->slots) return true;
  int64_t slots = e->slots;
  if (!grow((void **)&e->slot, &slots, 4 * n, sizeof *e->slot)) return false;
  e->slots = slots;
  for (int64_t i = 0; i < slots; i++) e->slot[i] = -1;
  for (int64_t i = 0; i < e->n; i++) *slot_of(e, e->pair[i].all.body, e->pair[i].all.copy) = i;
  return true;
}

/* Points of one pair come one after the other: mostly it is the last one again. */
static vvi_touch_pair *find(vvi_episodes *e, const int32_t body[2], const int32_t copy[2])
{
  if (e->last < e->n && is_pair(&e->pair[e->last], body, copy)) return &e->pair[e->last];
  if (!fit_pairs(e, e->n + 1)) return NULL;
  int64_t *slot = slot_of(e, body, copy);
  e->last = *slot >= 0 ? *slot : e->n;
  if (*slot >= 0) return &e->pair[*slot];
  vvi_touch_pair *k = &e->pair[e->n];
  memset(k, 0, sizeof *k);
  memcpy(k->all.body, body, sizeof k->all.body);
  memcpy(k->all.copy, copy, sizeof k->all.copy);
  k->all.peak_force = k->all.peak_time = NAN;
  k->now.pair = e->n;
  k->curve = -1;
  *slot = e->n++;
  return k;
}

/* ---- force ---- */

static bool fit_curves(vvi_episodes *e, int64_t n)
{
  int64_t room = e->curve_room;
  return grow((void **)&e->spare, &room, n, sizeof *e->spare) &&
         grow((void **)&e->curve, &e->curve_room, n, sizeof *e->curve);
}

static int64_t take_curve(vvi_episodes *e)
{
  if (e->spares > 0) return e->spare[--e->spares];
  return fit_curves(e, e->curves + 1) ? e->curves++ : -1;
}

/* Bins in pairs: those of a level lie at multiples of its width. */
static void coarsen(vvi_curve *c)
{
  const int64_t odd = (c->first >> c->level) & 1, used = (c->used + odd + 1) / 2;
  for (int64_t j = 0; j < used; j++) {
    const int64_t left = 2 * j - odd, right = left + 1;
    for (int k = 0; k < 2; k++)
      c->sum[j][k] = (left >= 0 ? c->sum[left][k] : 0.0) + (right < c->used ? c->sum[right][k] : 0.0);
  }
  for (int64_t j = used; j < c->used; j++) c->sum[j][0] = c->sum[j][1] = 0.0;
  c->used = used, c->level++;
}

/* The same at n bins of level 0 one after the other. */
static void deposit(vvi_curve *c, int64_t bin, int64_t n, const vvi_instant *a)
{
  if (bin < c->first) bin = c->first; /* stages of a composed step go back and forth */
  while (((bin + n - 1) >> c->level) - (c->first >> c->level) >= VVI_CURVE_BINS) coarsen(c);
  for (int64_t part; n > 0; bin += part, n -= part) {
    const int64_t j = (bin >> c->level) - (c->first >> c->level),
                  end = ((bin >> c->level) + 1) * ((int64_t)1 << c->level);
    part = n < end - bin ? n : end - bin;
    c->sum[j][0] += (double)part * a->normal, c->sum[j][1] += (double)part * a->across;
    if (j >= c->used) c->used = j + 1;
  }
}

/* ---- sums ---- */

/* n x to twice the working precision. */
static void add_times(vv_sum *s, double n, double x)
{
  const double product = n * x;
  vvi_sum_add(s, product);
  vvi_sum_add(s, fma(n, x, -product));
}

/* n instants that are alike, the first of them at a bin; curve NULL: it is not asked for.                 [ledger 15a] */
static void add_up(vvi_touch_pair *k, vvi_curve *curve, int64_t bin, int64_t n, const vvi_instant *a)
{
  vv_episode *now = &k->now;
  const double times = (double)n;
  if (n == 0) return;
  now->normal += times * a->normal, now->tangential += times * a->across, now->energy_lost += times * a->lost;
  k->all.normal += times * a->normal, k->all.tangential += times * a->across, k->all.energy_lost += times * a->lost;
  for (int c = 0; c < 3; c++) {
    now->impulse[c] += times * a->j[c], k->moment[c] += times * a->moment[c];
    add_times(&k->impulse[c], times, a->j[c]);
  }
  if (curve != NULL) deposit(curve, bin, n, a);
}

/* All instants of the present episode; those that are alike end. */
static void add_up_all(vvi_touch_pair *k, vvi_curve *curve)
{
  add_up(k, curve, k->bin - k->alike, k->alike, &k->same);
  add_up(k, curve, k->bin, 1, &k->last);
  k->alike = 0, k->last = (vvi_instant){0};
}

vvi_touch_pair vvi_episodes_sum(const vvi_touch_pair *k)
{
  vvi_touch_pair out = *k;
  if (k->curve >= 0) add_up_all(&out, NULL);
  return out;
}

/* The last instant is over. */
static void pass_on(vvi_touch_pair *k, vvi_curve *curve)
{
  if (k->alike > 0 && memcmp(&k->same, &k->last, sizeof k->same) == 0) {
    k->alike++;
    return;
  }
  add_up(k, curve, k->bin - k->alike, k->alike, &k->same);
  k->same = k->last, k->alike = 1;
}

/* (S_{j-1} + 2 S_j + S_{j+1})/4 over the width; outside there is none. */
static double smooth(const vvi_curve *c, int64_t j, int k)
{
  double s[3];
  for (int64_t i = 0; i < 3; i++) s[i] = j + i - 1 >= 0 && j + i - 1 < c->used ? c->sum[j + i - 1][k] : 0.0;
  return 0.25 * (s[0] + 2.0 * s[1] + s[2]);
}

/* By the clock of the run: what came first backwards was last. */
static void turn_round(vv_episode *e, vv_force_sample *sample)
{
  const double touch = -e->release;
  e->release = -e->touch, e->touch = touch, e->peak_time = -e->peak_time;
  for (int64_t i = 0, k = e->samples - 1; i <= k; i++, k--) {
    const vv_force_sample last = sample[k];
    sample[k] = sample[i], sample[i] = last;
    sample[k].time = -sample[k].time;
    if (i != k) sample[i].time = -sample[i].time;
  }
}

/* The window: duration/sqrt(instants), rounded up to 2^n steps.                                            [ledger 15] */
static void finish(const vvi_episodes *e, const vvi_touch_pair *given, vv_episode *out, vv_force_sample *sample)
{
  vvi_touch_pair own = *given, *k = &own;
  vvi_curve curve = {0};
  if (k->curve >= 0) {
    curve = e->curve[k->curve];
    add_up_all(k, &curve);
  }
  *out = k->now;
  const double duration = out->release - out->touch, n = (double)out->instants;
  out->mean_force = out->peak_force = out->peak_time = NAN;
  out->window = 0.0, out->samples = 0;
  for (int c = 0; c < 3; c++) out->x[c] = out->normal != 0.0 ? k->moment[c] / out->normal : k->last_x[c];
  if (k->curve < 0 || !(duration > 0.5 * e->h) || out->instants < 2) return;
  while (ldexp(e->h, (int)curve.level) < duration / sqrt(n)) coarsen(&curve);
  const double width = ldexp(e->h, (int)curve.level);
  const int64_t first = curve.first >> curve.level;
  out->window = width;
  out->mean_force = out->normal / duration * (n - 1.0) / n;
  out->peak_force = -INFINITY;
  for (int64_t j = -1; j <= curve.used; j++) {
    const vv_force_sample s = {.time = width * ((double)(first + j) + 0.5) - 0.5 * e->h,
                               .normal = smooth(&curve, j, 0) / width,
                               .tangential = smooth(&curve, j, 1) / width};
    if (s.normal > out->peak_force) out->peak_force = s.normal, out->peak_time = s.time;
    sample[out->samples++] = s;
  }
}

void vvi_episode_finish(const vvi_episodes *e, const vvi_touch_pair *k, vv_episode *out, vv_force_sample *sample)
{
  finish(e, k, out, sample);
  if (e->way < 0.0) turn_round(out, sample);
}

/* The last window that is over gives the size, the last impulse the direction. */
bool vvi_episode_force(const vvi_episodes *e, const vvi_touch_pair *k, double t, double x[3], double force[3])
{
  vv_force_sample sample[VVI_CURVE_BINS + 2];
  vv_episode now;
  double size = 0.0;
  const double *j = k->last.j, last = sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]);
  if (e->way < 0.0) return false;
  vvi_episode_finish(e, k, &now, sample);
  for (int64_t i = 0; i < now.samples; i++)
    if (sample[i].time + 0.5 * now.window <= t || i == 0) size = hypot(sample[i].normal, sample[i].tangential);
  if (!(size > 0.0) || !(last > 0.0) || t > now.release + now.window) return false;
  for (int c = 0; c < 3; c++) x[c] = k->last_x[c], force[c] = size * j[c] / last;
  return true;
}

/* ---- episodes ---- */

static double longest_pause(const vvi_episodes *e, const vvi_touch_pair *k)
{
  const double *pause = e->pause, seed = fmax(pause[k->all.body[0]], pause[k->all.body[1]]);
  if (k->now.instants < 2) return seed;
  return fmax(seed, patience * (k->now.release - k->now.touch) / (double)(k->now.instants - 1));
}

static void end(vvi_episodes *e, vvi_touch_pair *k)
{
  vv_force_sample sample[VVI_CURVE_BINS + 2];
  vv_episode now;
  vvi_episode_finish(e, k, &now, sample);
  add_up_all(k, NULL);
  k->now = now;
  vv_contact_total *all = &k->all;
  all->duration += k->now.release - k->now.touch;
  if (k->now.peak_force > all->peak_force || isnan(all->peak_force))
    all->peak_force = k->now.peak_force, all->peak_time = k->now.peak_time;
  k->now.open = all->open = 0;
  e->spare[e->spares++] = k->curve;
  k->curve = -1;
  e->all_done++;
  if (!grow((void **)&e->done, &e->done_room, e->n_done + 1, sizeof *e->done)) {
    e->missed += k->now.impulses;
    return;
  }
  if (!grow((void **)&e->sample, &e->sample_room, e->n_sample + k->now.samples, sizeof *e->sample)) k->now.samples = 0;
  vv_episode *out = &e->done[e->n_done++];
  *out = k->now;
  out->first = e->n_sample;
  memcpy(e->sample + e->n_sample, sample, sizeof *sample * (size_t)out->samples);
  e->n_sample += out->samples;
}

static bool begin(vvi_episodes *e, vvi_touch_pair *k, const vvi_blow *b, double speed)
{
  const int64_t curve = take_curve(e), pair = k->now.pair;
  if (curve < 0) return false;
  k->now = (vv_episode){
      .pair = pair, .number = k->all.episodes++, .touch = b->t, .release = b->t, .speed = speed, .open = 1};
  memcpy(k->now.body, k->all.body, sizeof k->now.body);
  memcpy(k->now.copy, k->all.copy, sizeof k->now.copy);
  memset(k->moment, 0, sizeof k->moment);
  memset(&e->curve[curve], 0, sizeof *e->curve);
  k->last = (vvi_instant){0}, k->alike = 0;
  k->bin = e->curve[curve].first = bin_of(e, b->t);
  if (k->now.number == 0) k->all.touch = b->t;
  k->curve = curve, k->begun = e->begun++, k->all.open = 1;
  e->live[e->n_live++] = pair;
  return true;
}

static void forget_live(vvi_episodes *e, int64_t pair)
{
  int64_t n = 0;
  for (int64_t i = 0; i < e->n_live; i++)
    if (e->live[i] != pair) e->live[n++] = e->live[i];
  e->n_live = n;
}

/* Alike are only those of bins one after the other. */
static void next_instant(vvi_touch_pair *k, vvi_curve *curve, int64_t bin)
{
  k->now.instants++;
  if (k->last.impulses > 0) pass_on(k, curve);
  if (bin != k->bin + 1) {
    add_up(k, curve, k->bin + 1 - k->alike, k->alike, &k->same);
    k->alike = 0;
  }
  k->bin = bin, k->last = (vvi_instant){0};
}

static void gather(vvi_touch_pair *k, vvi_curve *curve, int64_t bin, const vvi_blow *b, const double j[3],
                   double across)
{
  vv_episode *now = &k->now;
  vvi_instant back = {0}, *at = b->back ? &back : &k->last;
  if (!b->back) {
    if (b->t > now->release || now->instants == 0) next_instant(k, curve, bin);
    now->impulses++, k->all.impulses++, at->impulses++;
  }
  now->release = fmax(now->release, b->t);
  k->all.release = now->release;
  at->normal += b->normal, at->across += b->back ? -across : across, at->lost += b->lost;
  for (int c = 0; c < 3; c++) at->j[c] += j[c], at->moment[c] += b->normal * b->x[c], k->last_x[c] = b->x[c];
  if (b->back) add_up(k, curve, bin, 1, at);
}

/* Along n; where the change is not told, lost = -normal (before + after)/2. */
static double speed_after(const vvi_blow *b)
{
  if (b->change != 0.0) return b->speed + b->change;
  return -b->speed - (b->normal != 0.0 ? 2.0 * b->lost / b->normal : 0.0);
}

/* As it would be told forwards, but for the clock: what was after was before. */
static vvi_blow turned(const vvi_blow *b)
{
  vvi_blow out = *b;
  out.speed = speed_after(b);
  out.t = -b->t, out.normal = -b->normal, out.lost = -b->lost;
  for (int c = 0; c < 3; c++) out.slide[c] = -b->slide[c], out.aside[c] = -b->aside[c];
  return out;
}

void vvi_episodes_add(vvi_episodes *e, const vvi_blow *given)
{
  if (e == NULL) return;
  vvi_episodes_settle(e);
  const vvi_blow own = e->way < 0.0 ? turned(given) : *given, *b = &own;
  const bool turn = b->body[0] > b->body[1] || (b->body[0] == b->body[1] && b->copy[0] > b->copy[1]);
  const int32_t body[2] = {b->body[turn], b->body[!turn]}, copy[2] = {b->copy[turn], b->copy[!turn]};
  const double sign = turn ? -1.0 : 1.0;
  vvi_touch_pair *k = find(e, body, copy);
  if (k != NULL && k->curve >= 0 && b->t - k->now.release > longest_pause(e, k)) {
    end(e, k);
    forget_live(e, k->now.pair);
  }
  if (k == NULL || (k->curve < 0 && !begin(e, k, b, b->speed))) {
    e->missed++;
    return;
  }
  if (e->way < 0.0 && !b->back && b->t > k->now.release) k->now.speed = b->speed; /* the first touch comes last */
  double j[3];
  for (int c = 0; c < 3; c++) j[c] = sign * (b->normal * b->n[c] + b->slide[c] + b->aside[c]);
  const double across = sqrt(b->slide[0] * b->slide[0] + b->slide[1] * b->slide[1] + b->slide[2] * b->slide[2]);
  e->told = b->t;
  gather(k, &e->curve[k->curve], bin_of(e, b->t), b, j, across);
}

/* ---- all of it again ---- */

static void come_again(vvi_episodes *e, vvi_touch_pair *k)
{
  const int64_t n = e->again;
  pass_on(k, &e->curve[k->curve]);
  k->alike += n - 1, k->bin += n;
  k->now.instants += n, k->now.impulses += n * k->last.impulses, k->all.impulses += n * k->last.impulses;
  k->now.release = k->all.release = e->until;
}

void vvi_episodes_settle(vvi_episodes *e)
{
  if (e == NULL || e->again == 0) return;
  for (int64_t i = 0; i < e->n_live; i++) {
    vvi_touch_pair *k = &e->pair[e->live[i]];
    if (k->now.release == e->told) come_again(e, k);
  }
  e->told = e->until, e->again = 0;
}

static double first_end(const vvi_episodes *e)
{
  double first = INFINITY;
  for (int64_t i = 0; i < e->n_live; i++) {
    const vvi_touch_pair *k = &e->pair[e->live[i]];
    if (k->now.release != e->told) first = fmin(first, k->now.release + longest_pause(e, k));
  }
  return first - e->h; /* well before it */
}

bool vvi_episodes_again(vvi_episodes *e, double t)
{
  t *= e->way;
  if (!isfinite(e->told) || bin_of(e, t) != bin_of(e, e->told) + e->again + 1) return false;
  if (e->again == 0) e->deadline = first_end(e);
  e->again++, e->until = t;
  return true;
}

void vvi_episodes_step(vvi_episodes *e, double t)
{
  if (e == NULL || e->n_live == 0) return;
  t *= e->way;
  if (e->again > 0 && t <= e->deadline) return;
  vvi_episodes_settle(e);
  int64_t n = 0;
  for (int64_t i = 0; i < e->n_live; i++) {
    vvi_touch_pair *k = &e->pair[e->live[i]];
    if (t - k->now.release > longest_pause(e, k))
      end(e, k);
    else
      e->live[n++] = e->live[i];
  }
  e->n_live = n;
}

void vvi_episodes_drop(vvi_episodes *e, int64_t episodes)
{
  if (e == NULL || episodes <= 0) return;
  const int64_t left = e->n_done - episodes, samples = left > 0 ? e->done[episodes].first : e->n_sample;
  memmove(e->done, e->done + episodes, sizeof *e->done * (size_t)left);
  memmove(e->sample, e->sample + samples, sizeof *e->sample * (size_t)(e->n_sample - samples));
  for (int64_t i = 0; i < left; i++) e->done[i].first -= samples;
  e->n_done = left, e->n_sample -= samples;
}

/* ---- copies and checkpoints ---- */

int64_t vvi_episodes_open(const vvi_episodes *e)
{
  return e != NULL ? e->n_live : 0;
}

/* The list of open episodes is in the order in which they began: so is that of the run that wrote them. */
static void list_live(vvi_episodes *e)
{
  e->n_live = 0;
  for (int64_t i = 0; i < e->n; i++) {
    if (e->pair[i].curve < 0) continue;
    int64_t at = e->n_live++;
    for (; at > 0 && e->pair[e->live[at - 1]].begun > e->pair[i].begun; at--) e->live[at] = e->live[at - 1];
    e->live[at] = i;
  }
}

static bool is_known(const vvi_episodes *e, const vvi_touch_pair *k)
{
  for (int i = 0; i < 2; i++)
    if (k->all.body[i] < 0 || k->all.body[i] >= e->bodies) return false;
  return true;
}

bool vvi_episodes_load(vvi_episodes *e, int64_t pairs, const vvi_touch_pair *pair, int64_t curves,
                       const vvi_curve *curve)
{
  vvi_episodes_clear(e);
  int64_t next = 0;
  for (int64_t i = 0; i < pairs; i++) {
    if (!is_known(e, &pair[i]) || !fit_pairs(e, e->n + 1)) return false;
    vvi_touch_pair *k = &e->pair[e->n];
    *k = pair[i];
    *slot_of(e, k->all.body, k->all.copy) = e->n++;
    e->begun += k->all.episodes;
    e->all_done += k->all.episodes - (k->all.open != 0);
    if (k->curve < 0) continue;
    if (next == curves || (k->curve = take_curve(e)) < 0) return false;
    e->curve[k->curve] = curve[next++];
  }
  list_live(e);
  return next == curves;
}

bool vvi_episodes_copy(vvi_episodes *e, const vvi_episodes *from)
{
  vvi_episodes_clear(e);
  if (from == NULL || from->way != e->way) return true; /* forwards and backwards are two stories */
  VV_ASSERT(from->again == 0);
  for (int64_t i = 0; i < from->n; i++) {
    if (!is_known(e, &from->pair[i]) || !fit_pairs(e, e->n + 1)) return false;
    vvi_touch_pair *k = &e->pair[e->n];
    *k = from->pair[i];
    *slot_of(e, k->all.body, k->all.copy) = e->n++;
    if (k->curve < 0) continue;
    if ((k->curve = take_curve(e)) < 0) return false;
    e->curve[k->curve] = from->curve[from->pair[i].curve];
  }
  e->begun = from->begun, e->all_done = from->all_done, e->missed = from->missed;
  list_live(e);
  return true;
}

/* ---- for the caller ---- */

static double normal_of(const vvi_touch_pair *k)
{
  return vvi_episodes_sum(k).all.normal;
}

int64_t vvi_episodes_strongest(const vvi_episodes *e, int64_t n, int64_t *pair)
{
  int64_t used = 0;
  for (int64_t i = 0; e != NULL && i < e->n; i++) {
    int64_t at = used < n ? used++ : n; /* the last one falls out */
    for (; at > 0 && normal_of(&e->pair[pair[at - 1]]) < normal_of(&e->pair[i]); at--)
      if (at < n) pair[at] = pair[at - 1];
    if (at < n) pair[at] = i;
  }
  return used;
}

int64_t vv_ledger_pairs(const vv_ledger *l)
{
  return l->episodes != NULL ? l->episodes->n : 0;
}

vv_status vv_ledger_pair(const vv_ledger *l, int64_t pair, vv_contact_total *out)
{
  if (pair < 0 || pair >= vv_ledger_pairs(l)) return VV_ARG;
  const vvi_touch_pair *k = &l->episodes->pair[pair], sum = vvi_episodes_sum(k);
  *out = sum.all;
  for (int c = 0; c < 3; c++) out->impulse[c] = vv_sum_value(&sum.impulse[c]);
  if (l->episodes->way < 0.0) out->touch = -k->all.release, out->release = -k->all.touch;
  if (k->curve < 0) return VV_OK;
  vv_force_sample sample[VVI_CURVE_BINS + 2];
  vv_episode now;
  vvi_episode_finish(l->episodes, k, &now, sample);
  out->duration += now.release - now.touch;
  if (now.peak_force > out->peak_force || isnan(out->peak_force))
    out->peak_force = now.peak_force, out->peak_time = now.peak_time;
  return VV_OK;
}
