/* tests/support/wave.c  d'Alembert's solution, event by event. */
#include "wave.h"

#include <math.h>
#include <stddef.h>

/* Events closer than this fraction of the travel times are one event: 20 and 10 + 10 must not become two. */
static const double same_time = 1e-12;
/* Tips whose free velocities differ by less than this fraction kiss. */
static const double same_speed = 1e-14;

/* ---- building the list of pieces --------------------------------------------------------------------------------- */

typedef struct front {
  double next;      /* time of the next event */
  double merge;     /* events up to this time happen together with it */
  double speed_tol; /* below this the tips kiss */
  int echo[2];      /* piece whose outgoing wave comes back next, per side */
} front;

static double finite_tau(const wave_bars *w)
{
  return w->wall ? w->tau[WAVE_A] : fmin(w->tau[WAVE_A], w->tau[WAVE_B]);
}

static void set_bar(wave_bars *w, wave_side side, wave_bar bar, double v)
{
  w->bar[side] = bar;
  w->c[side] = sqrt(bar.young / bar.density);
  w->impedance[side] = sqrt(bar.young * bar.density) * bar.area;
  w->tau[side] = 2 * bar.length / w->c[side];
  w->v0[side] = v;
}

static bool bar_ok(wave_bar b)
{
  return b.length > 0 && b.young > 0 && b.density > 0 && b.area > 0;
}

/* The tips are pressed together: common velocity and force from the two impedances. */
static void press(const wave_bars *w, wave_piece *p)
{
  double za = w->impedance[WAVE_A], zb = w->impedance[WAVE_B];
  double wa = p->incoming[WAVE_A], wb = p->incoming[WAVE_B];
  double v = w->wall ? 0 : (za * wa + zb * wb) / (za + zb);
  p->tip[WAVE_A] = p->tip[WAVE_B] = v;
  p->force = w->wall ? za * wa : za * zb * (wa - wb) / (za + zb);
}

/* Phase, velocities and force that follow from the incoming waves and from touching or not. */
static void settle(const wave_bars *w, wave_piece *p, bool touching, double speed_tol)
{
  double approach = p->incoming[WAVE_A] - p->incoming[WAVE_B];
  p->phase = !touching || approach < -speed_tol ? WAVE_FREE : approach > speed_tol ? WAVE_PRESSED : WAVE_KISSING;
  p->force = 0;
  for (int s = 0; s < 2; s++) p->tip[s] = p->incoming[s];
  if (p->phase != WAVE_FREE) press(w, p);
  if (p->phase == WAVE_KISSING) p->force = 0; /* it is of rounding size, of either sign */
  for (int s = 0; s < 2; s++) p->outgoing[s] = 2 * p->tip[s] - p->incoming[s];
}

/* When a free gap closes; infinity where it does not. */
static double closing_time(const wave_piece *p)
{
  double approach = p->tip[WAVE_A] - p->tip[WAVE_B];
  if (p->phase != WAVE_FREE || approach <= 0 || p->gap <= 0) return INFINITY;
  return p->start + p->gap / approach;
}

static double echo_time(const wave_bars *w, const front *f, int side)
{
  if (w->wall && side == WAVE_B) return INFINITY;
  return f->echo[side] < w->n ? w->piece[f->echo[side]].start + w->tau[side] : INFINITY;
}

static void find_next(const wave_bars *w, front *f)
{
  f->next = closing_time(&w->piece[w->n - 1]);
  for (int s = 0; s < 2; s++) f->next = fmin(f->next, echo_time(w, f, s));
  f->merge = f->next + same_time * finite_tau(w);
}

static double piece_gap(const wave_piece *p, double dt)
{
  return p->phase == WAVE_FREE ? p->gap + dt * (p->tip[WAVE_B] - p->tip[WAVE_A]) : 0;
}

/* Everything that is an integral continues from the piece before. */
static void carry_on(const wave_piece *old, wave_piece *p)
{
  double dt = p->start - old->start;
  p->gap = piece_gap(old, dt);
  for (int s = 0; s < 2; s++) {
    p->incoming[s] = old->incoming[s];
    p->x[s] = old->x[s] + dt * old->tip[s];
    p->sum[s] = old->sum[s] + dt * old->outgoing[s];
    p->square[s] = old->square[s] + dt * old->outgoing[s] * old->outgoing[s];
  }
}

/* The next piece begins: waves that arrive now replace the incoming ones. */
static void append(wave_bars *w, front *f)
{
  const wave_piece *old = &w->piece[w->n - 1];
  wave_piece *p = &w->piece[w->n];
  *p = (wave_piece){.start = f->next};
  bool touching = old->phase != WAVE_FREE || closing_time(old) <= f->merge;
  carry_on(old, p);
  if (touching) p->gap = 0;
  for (int s = 0; s < 2; s++)
    while (echo_time(w, f, s) <= f->merge) p->incoming[s] = w->piece[f->echo[s]++].outgoing[s];
  settle(w, p, touching, f->speed_tol);
  bool news = p->phase != old->phase || p->incoming[0] != old->incoming[0] || p->incoming[1] != old->incoming[1];
  if (news) w->n++; /* an echo that changes nothing needs no piece */
}

/* The history begins at t_start with this gap; with gap 0 the first piece is the impact itself. */
static bool solve(wave_bars *w, double gap, double t_start, double t_end)
{
  w->t_start = t_start, w->t_end = t_end;
  double va = w->v0[WAVE_A], vb = w->v0[WAVE_B];
  if (!(va > vb) || !(t_end >= t_start) || !(gap >= 0)) return false;
  front f = {.speed_tol = same_speed * (fabs(va) + fabs(vb))};
  w->piece[0] = (wave_piece){.incoming = {va, vb}, .gap = gap};
  settle(w, &w->piece[0], gap == 0, f.speed_tol);
  w->n = 1;
  for (find_next(w, &f); f.next <= t_end - t_start; find_next(w, &f)) {
    if (w->n == WAVE_PIECES) return false;
    append(w, &f);
  }
  return true;
}

bool wave_two_bars_apart(wave_bars *w, wave_bar a, wave_bar b, double va, double vb, double gap, double t_start,
                         double t_end)
{
  if (!bar_ok(a) || !bar_ok(b)) return false;
  w->wall = false;
  set_bar(w, WAVE_A, a, va);
  set_bar(w, WAVE_B, b, vb);
  return solve(w, gap, t_start, t_end);
}

bool wave_two_bars(wave_bars *w, wave_bar a, wave_bar b, double va, double vb, double t_touch, double t_end)
{
  return wave_two_bars_apart(w, a, b, va, vb, 0, t_touch, t_end);
}

bool wave_bar_on_wall(wave_bars *w, wave_bar a, double va, double t_touch, double t_end)
{
  if (!bar_ok(a)) return false;
  w->wall = true;
  set_bar(w, WAVE_A, a, va);
  set_bar(w, WAVE_B, a, 0); /* never used: a wall sends nothing back */
  return solve(w, 0, t_touch, t_end);
}

/* ---- reading it -------------------------------------------------------------------------------------------------- */

/* The piece that holds the time s after the start; NULL before the start. */
static const wave_piece *piece_at(const wave_bars *w, double s)
{
  if (s < 0) return NULL;
  int lo = 0, hi = w->n;
  while (hi - lo > 1) {
    int mid = lo + (hi - lo) / 2;
    if (w->piece[mid].start <= s)
      lo = mid;
    else
      hi = mid;
  }
  return &w->piece[lo];
}

/* outgoing, and its integrals since the start, at the time s after the start. */
static double outgoing(const wave_bars *w, wave_side side, double s)
{
  const wave_piece *p = piece_at(w, s);
  return p ? p->outgoing[side] : w->v0[side];
}

static double sum_outgoing(const wave_bars *w, wave_side side, double s)
{
  const wave_piece *p = piece_at(w, s);
  return p ? p->sum[side] + (s - p->start) * p->outgoing[side] : s * w->v0[side];
}

static double sum_square(const wave_bars *w, wave_side side, double s)
{
  const wave_piece *p = piece_at(w, s);
  if (!p) return s * w->v0[side] * w->v0[side];
  return p->square[side] + (s - p->start) * p->outgoing[side] * p->outgoing[side];
}

double wave_tip_velocity(const wave_bars *w, wave_side side, double t)
{
  const wave_piece *p = piece_at(w, t - w->t_start);
  return p ? p->tip[side] : w->v0[side];
}

double wave_tip_displacement(const wave_bars *w, wave_side side, double t)
{
  double s = t - w->t_start;
  const wave_piece *p = piece_at(w, s);
  return p ? p->x[side] + (s - p->start) * p->tip[side] : s * w->v0[side];
}

double wave_force(const wave_bars *w, double t)
{
  const wave_piece *p = piece_at(w, t - w->t_start);
  return p ? p->force : 0;
}

double wave_gap(const wave_bars *w, double t)
{
  double s = t - w->t_start;
  const wave_piece *p = piece_at(w, s);
  return p ? piece_gap(p, s - p->start) : w->piece[0].gap + s * (w->v0[WAVE_B] - w->v0[WAVE_A]);
}

double wave_impulse(const wave_bars *w, double t)
{
  double s = t - w->t_start, impulse = 0;
  for (int i = 0; i < w->n && w->piece[i].start < s; i++) {
    double stop = i + 1 < w->n ? fmin(s, w->piece[i + 1].start) : s;
    impulse += w->piece[i].force * (stop - w->piece[i].start);
  }
  return impulse;
}

wave_phase wave_phase_at(const wave_bars *w, double t)
{
  const wave_piece *p = piece_at(w, t - w->t_start);
  return p ? p->phase : WAVE_FREE;
}

/* ---- contact intervals ------------------------------------------------------------------------------------------- */

/* First piece from i on that is closed (or open), w->n where there is none. */
static int seek(const wave_bars *w, int i, bool closed)
{
  while (i < w->n && (w->piece[i].phase != WAVE_FREE) != closed) i++;
  return i;
}

static double start_of(const wave_bars *w, int i)
{
  return i < w->n ? w->t_start + w->piece[i].start : w->t_end;
}

/* Index of the piece with which the first contact ends. */
static int first_opening(const wave_bars *w)
{
  return seek(w, seek(w, 0, true), false);
}

double wave_opening(const wave_bars *w)
{
  return start_of(w, first_opening(w));
}

double wave_release(const wave_bars *w)
{
  int i = first_opening(w);
  while (i > 0 && w->piece[i - 1].phase == WAVE_KISSING) i--;
  return start_of(w, i);
}

int wave_contacts(const wave_bars *w)
{
  int count = 0;
  for (int i = seek(w, 0, true); i < w->n; i = seek(w, seek(w, i, false), true)) count++;
  return count;
}

bool wave_contact(const wave_bars *w, int which, double *on, double *off)
{
  int i = seek(w, 0, true);
  for (int k = 0; k < which; k++) i = seek(w, seek(w, i, false), true);
  if (which < 0 || i >= w->n) return false;
  *on = start_of(w, i);
  *off = start_of(w, seek(w, i, false));
  return true;
}

/* ---- whole bars and fields --------------------------------------------------------------------------------------- */

static bool is_wall(const wave_bars *w, wave_side side)
{
  return w->wall && side == WAVE_B;
}

double wave_mass(const wave_bars *w, wave_side side)
{
  const wave_bar *b = &w->bar[side];
  return is_wall(w, side) ? INFINITY : b->density * b->area * b->length;
}

/* The waves inside a bar at one time are what left the tip during the last travel time: means are integrals over it. */
double wave_mean_velocity(const wave_bars *w, wave_side side, double t)
{
  double s = t - w->t_start, tau = w->tau[side];
  if (is_wall(w, side)) return 0;
  return (sum_outgoing(w, side, s) - sum_outgoing(w, side, s - tau)) / tau;
}

double wave_energy(const wave_bars *w, wave_side side, double t)
{
  double s = t - w->t_start, tau = w->tau[side];
  if (is_wall(w, side)) return 0;
  return 0.5 * wave_mass(w, side) * (sum_square(w, side, s) - sum_square(w, side, s - tau)) / tau;
}

/* Times after the start at which the two waves that meet at X left the tip: [0] runs away, [1] was reflected. */
static void departure(const wave_bars *w, wave_side side, double X, double t, double left[2])
{
  double L = w->bar[side].length, s = t - w->t_start;
  double depth = side == WAVE_A ? L - X : X;
  left[0] = s - depth / w->c[side];
  left[1] = s - (2 * L - depth) / w->c[side];
}

double wave_velocity(const wave_bars *w, wave_side side, double X, double t)
{
  double left[2];
  if (is_wall(w, side)) return 0;
  departure(w, side, X, t, left);
  return 0.5 * (outgoing(w, side, left[0]) + outgoing(w, side, left[1]));
}

double wave_strain(const wave_bars *w, wave_side side, double X, double t)
{
  double left[2];
  if (is_wall(w, side)) return 0;
  departure(w, side, X, t, left);
  double d = 0.5 * (outgoing(w, side, left[0]) - outgoing(w, side, left[1])) / w->c[side];
  return side == WAVE_A ? d : -d; /* A's outgoing wave runs to the left */
}

double wave_displacement(const wave_bars *w, wave_side side, double X, double t)
{
  double left[2], at_start[2];
  if (is_wall(w, side)) return 0;
  departure(w, side, X, t, left);
  departure(w, side, X, w->t_start, at_start);
  double u = 0;
  for (int k = 0; k < 2; k++) u += sum_outgoing(w, side, left[k]) - sum_outgoing(w, side, at_start[k]);
  return 0.5 * u;
}
