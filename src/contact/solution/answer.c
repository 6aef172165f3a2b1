/* contact/solution/answer.c  One island in one pass: what is asked of its contacts, the impulses that give it, and what that does to
 * gaps that are not linear.
 *
 *   hit   (U- < 0 and it closes in this drift):  b_n = -e U-                                                  [contact 24]
 *   held  (else):                                b_n = (target - gap + e gamma)/h,  gamma = max(0, gap - target - h U-)
 *
 * The work of the normal parts is J (1 - e) U-/2 <= 0 where it is hit and -J (1 - e) gamma/(2h) <= 0 where it is held: there
 * is no threshold between bounce and rest.  For e = 1 all work is zero: a reflection, for any number of contacts. */
#include "contact/contact.h"
#include "math/math.h"

#include <string.h>

/* Islands of more than FEW contacts that move may be off by a two hundredth of what contacts keep, of heaps (VVI_HEAP)
 * by a quarter, half the way to where they answer again; nothing overlaps, and books are exact.  Not with e = 1, which promises
 * that nothing is lost. */
enum { ROUNDS = 12, LOWERINGS = 4, RUBS = 3, FEW = 8, PATIENCE = 4, SOON = 30 };

/* Of work: what is rounding.  Of impulses: what is so near an answer that it is scaled to one, and how many times the momenta that are
 * there they may be; of these momenta, ten times the rounding of [island 5].                             [contact 24b, 29b] */
static const double ROUNDING = 1e-12, NEAR = 1e-3, RUN_AWAY = 1e3, LEFT = 4e-14;

/* ---- what is asked ---- */

/* m/s that a unit impulse along n changes U by; what is frozen to something outside stays. */
static double compliance(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double d = 0.0;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *leg = &w->leg[c->first + l];
    const vv_mover *m = &w->near->mover[leg->mover];
    double v[3], s[3];
    if (w->work[leg->mover].frozen == 2) continue;
    vvi_times6(m->inverse_mass, leg->force[0], v);
    vvi_times6(m->inverse_inertia, leg->moment[0], s);
    d += vvi_dot3(v, leg->force[0]) + vvi_dot3(s, leg->moment[0]);
  }
  return d;
}

/* With e = 1 a pair that brought energy, squeezed between others, gives it back where it bounces next: (1 - e^2) U^2/(2 D) of a
 * contact alone, an nth of the debt by each of the n contacts of the island, and at most a tenth of what it has. [contact 30a] */
static double repaying(const struct vvi_contact_step *w, const vvi_contact *c, int32_t n)
{
  const double owed = c->hits == 0 ? vvi_contact_owed(w, c) : 0.0, u = c->before[0];
  const double d = owed > 0.0 ? compliance(w, c) : 0.0;
  if (!(d > 0.0)) return 1.0;
  return sqrt(1.0 - fmin(0.1, 2.0 * owed * d / ((double)n * u * u)));
}

/* Fills b and the velocities of the contact in its problem, one of n. */
static void ask(struct vvi_contact_step *w, vvi_contact *c, double e, int32_t n, vvi_island_contact *o)
{
  vvi_contact_velocity(w, c, true, c->before);
  vvi_contact_velocity(w, c, false, o->free);
  const double u = c->before[0], from = c->gap - c->target, above = fabs(from) > vvi_contact_slack(c) ? from : 0.0;
  /* what lies still within a twentieth of where contacts hold stays there: corners at rest do not contradict each other */
  const double room = above <= 0.05 * c->keep && w->h * fabs(u) <= 1e-5 * c->keep ? 0.0 : above;
  /* what is pressed together is asked to end where it holds, or where it bounces from there: not as much earlier as its gap */
  const bool hit =
      u < 0.0 && room + w->h * o->free[0] - vvi_contact_curl(w, c) < 0.0 && !(n > FEW && c->pressed && e < 1.0);
  const bool holds = c->block && !(c->calm && e == 1.0); /* calm without losses is a reflection */
  c->blow = hit && !c->pressed;
  c->b_t[0] = c->b_t[1] = 0.0;
  c->lowered = 0;
  c->held = c->placed = false, c->steady = 0.0;
  if (hit)
    c->b_n = -(e == 1.0 ? repaying(w, c, n) : e) * u;
  else if (room < w->h * u && !holds) /* it came out of something: no gain, the next pass answers what is in the way */
    c->b_n = -u;
  else
    c->placed = true, c->b_n = (e * fmax(0.0, room - w->h * u) - room) / w->h;
}

/* m/s: the most that a contact may be asked for so that it brings no more than `allowed`: J (U- + b)/2 with J = (b - Uf)/D. */
static double most_asked(const struct vvi_contact_step *w, const vvi_contact *c, double free, double allowed)
{
  const double u = c->before[0];
  return 0.5 * (free - u + sqrt((u + free) * (u + free) + 8.0 * compliance(w, c) * allowed));
}

/* One of a crowd, in turn with others: the first blow of the step has its restitution, what follows and what is pressed together
 * is reflected, U+ = -U-, which neither brings nor takes anything.  Reflections may throw something to and fro for ever: from the
 * PATIENCE-th time on it gets the smallest impulse that takes it to its target, as one that came out of something does once it is
 * in the way again; what that brings, J (U- + b)/2 with J = (b - Uf)/D, is at most what is `allowed`.         [contact 26c] */
static void ask_in_turn(struct vvi_contact_step *w, vvi_contact *c, double allowed, vvi_island_contact *o)
{
  vvi_contact_velocity(w, c, true, c->before);
  vvi_contact_velocity(w, c, false, o->free);
  const double u = c->before[0], room = c->gap - c->target;
  const double e = c->pressed || c->j[0] > 0.0 ? 1.0 : c->calm ? 0.0 : c->restitution;
  c->blow = u < 0.0 && !c->pressed;
  c->b_t[0] = c->b_t[1] = 0.0;
  c->lowered = 0;
  c->held = c->placed = false, c->steady = 0.0;
  const bool out = u >= 0.0 && room < w->h * u; /* it came out of something */
  if (c->hits >= PATIENCE || (out && c->hits > 0))
    c->b_n = fmin(-room / w->h, most_asked(w, c, o->free[0], allowed));
  else if (u < 0.0 || out)
    c->b_n = -(out ? 1.0 : e) * u;
  else
    c->b_n = (e * (room - w->h * u) - room) / w->h;
}

/* ---- resistance to rolling ---- */

/* Behind contacts and joints, for each contact that resists rolling, moments across its normal: impulses at the arm `size`.
 *                                                                                                              [island 17] */
static void add_rolling(const struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act,
                        int32_t legs)
{
  g->rolls = 0;
  for (int32_t i = 0; w->rolls && i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    const double arm = c->near < 0 ? w->near->solids->rule[c->law].rolling : 0.0;
    if (!(arm > 0.0) || c->calm == VVI_CALM_RUB) continue;
    vvi_island_contact *o = &g->problem[n + g->links + g->rolls++];
    *o = (vvi_island_contact){.first = legs, .rows = 3, .rolls = arm / c->size, .mate = i};
    for (int32_t e = g->problem[i].first; e < g->problem[i].first + g->problem[i].legs; e++) {
      const vvi_leg *from = &g->leg[e];
      const vvi_working *m = &w->work[g->who[from->mover]];
      const double side = vvi_dot3(from->force[0], c->n) > 0.0 ? c->size : -c->size;
      vvi_leg *leg = &g->leg[legs++];
      *leg = (vvi_leg){.mover = from->mover};
      for (int k = 1; k < 3; k++)
        for (int d = 0; d < 3; d++) leg->moment[k][d] = side * c->t[k - 1][d];
      for (int k = 1; k < 3; k++) o->free[k] += vvi_dot3(leg->moment[k], m->now + 3);
      o->legs++;
    }
  }
}

static const vvi_island_contact *rolling_at(const vvi_contact_group *g, int32_t n, int32_t k)
{
  return &g->problem[n + g->links + k];
}

/* J that it does: j.(U- + U+)/2. */
static double work_of_rolling(const struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_island_contact *o)
{
  double sum = 0.0;
  for (int k = 1; k < 3; k++) {
    double before = o->free[k];
    for (int32_t e = o->first; e < o->first + o->legs; e++)
      before -= vvi_dot3(g->leg[e].moment[k], w->work[g->who[g->leg[e].mover]].kick + 3);
    sum += 0.5 * o->j[k] * (before + o->after[k]);
  }
  return sum;
}

/* Moments on one mover alone are those of something outside. */
static void accept_rolling(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, bool still)
{
  for (int32_t r = 0; r < g->rolls; r++) {
    const vvi_island_contact *o = rolling_at(g, n, r);
    vvi_contact *c = &w->contact[act[o->mate]];
    const double work = work_of_rolling(w, g, o);
    c->work[1] += work;
    if (still) g->lost += work;
    for (int32_t e = o->first; e < o->first + o->legs; e++)
      for (int d = 0; d < 3; d++) {
        const double m = o->j[1] * g->leg[e].moment[1][d] + o->j[2] * g->leg[e].moment[2][d];
        if (!still) w->work[g->who[g->leg[e].mover]].held[3 + d] += c->steady * m;
        if (o->legs > 1) continue;
        g->outside[3 + d] += m;
        g->pending[3 + d] += c->steady * m;
      }
  }
}

/* Local numbers for the movers of the island, its legs and inverse masses. */
static int32_t number(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act)
{
  int32_t movers = 0, legs = 0;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    vvi_island_contact *o = &g->problem[i];
    *o = (vvi_island_contact){.first = legs, .friction = c->calm == VVI_CALM_RUB ? 0.0 : c->friction};
    if (o->friction > 0.0) o->kinetic = w->near->solids->rule[c->law].kinetic;
    for (int l = 0; l < c->legs; l++) {
      const vvi_leg *leg = &w->leg[c->first + l];
      vvi_working *m = &w->work[leg->mover];
      if (m->frozen == 2) continue; /* an obstacle for the rest of the step */
      if (m->local < 0) {
        const vv_mover *at = &w->near->mover[leg->mover];
        memcpy(g->inverse[movers], at->inverse_mass, sizeof at->inverse_mass);
        memcpy(g->inverse[movers] + 6, at->inverse_inertia, sizeof at->inverse_inertia);
        g->who[movers] = leg->mover;
        m->local = movers++;
      }
      g->leg[legs] = *leg;
      g->leg[legs++].mover = m->local;
      o->legs++;
    }
  }
  movers = vvi_linked_number(w, g, n, movers, &legs);
  add_rolling(w, g, n, act, legs);
  return movers;
}

/* ---- the impulses of all contacts on one mover, and what joints answer ---- */

static void gather(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, int32_t movers, double (*out)[6])
{
  memset(out, 0, sizeof *out * (size_t)movers);
  for (int32_t i = 0; i < n; i++) {
    const vvi_island_contact *o = &g->problem[i];
    const int axes = o->friction > 0.0 ? 3 : 1;
    for (int l = 0; l < o->legs; l++) {
      const vvi_leg *leg = &g->leg[o->first + l];
      double *y = out[leg->mover];
      double f[6] = {0};
      for (int k = 0; k < axes; k++)
        for (int c = 0; c < 3; c++) f[c] += o->j[k] * leg->force[k][c], f[3 + c] += o->j[k] * leg->moment[k][c];
      for (int c = 0; c < 6; c++) y[c] += f[c];
    }
  }
  for (int32_t r = 0; r < g->rolls; r++) {
    const vvi_island_contact *o = rolling_at(g, n, r);
    for (int32_t e = o->first; e < o->first + o->legs; e++)
      for (int k = 1; k < 3; k++)
        for (int c = 0; c < 3; c++) out[g->leg[e].mover][3 + c] += o->j[k] * g->leg[e].moment[k][c];
  }
  vvi_linked_spread(w, g, movers, out);
}

/* A contact alone without friction on one or two movers, the most frequent case, needs no solver: J = max(0, (b - Uf)/D). */
static bool in_closed_form(const struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_contact *c)
{
  vvi_island_contact *o = &g->problem[0];
  if (o->friction > 0.0 || g->links > 0 || g->rolls > 0) return false;
  const double d = compliance(w, c);
  memset(o->j, 0, sizeof o->j);
  if (d > 0.0) o->j[0] = fmax(0.0, (c->b_n - o->free[0]) / d);
  memcpy(o->after, o->free, sizeof o->after);
  o->after[0] += d * o->j[0];
  return isfinite(o->j[0] + o->after[0]);
}

/* m/s that the answer may be off by, each contact by a part of its own target. */
static double loose(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act)
{
  const double part = g->n > VVI_HEAP ? 0.25 : n > FEW ? 5e-3 : 0.0;
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    if (!(c->restitution < 1.0 && c->target > 0.0)) return 0.0;
    most = fmax(most, c->target);
  }
  for (int32_t i = 0; i < n; i++) g->problem[i].strict = most / w->contact[act[i]].target;
  return part * most / w->h;
}

/* Of rigid bodies alone, in a group of many contacts, a ten thousandth of what the forces of a step bring: what is slower is as
 * good as at rest.  What bends is light beside what presses it: a velocity that is off by little is a large impulse there, and
 * sweeps lead nowhere. */
static double slow_heap(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act,
                        int32_t movers)
{
  double most = 0.0;
  if (g->n <= VVI_HEAP) return 0.0;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    if (c->near >= 0 || !vvi_pair_rigid(w, c->a, c->b)) return 0.0;
  }
  for (int32_t i = 0; i < movers; i++) most = fmax(most, vvi_norm3(w->work[g->who[i]].kick));
  return 1e-4 * most;
}

/* Where surfaces float and are pressed together more features hold than there are motions: most solves end after a few iterations,
 * the others after hundreds or not at all.  They get SOON, and answer in turn if that is not enough.  What leans on something may
 * come to rest, and is solved. */
static bool may_turn(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act)
{
  for (int32_t i = 0; g->floats && 2 * n >= VVI_CROWD && i < n; i++)
    if (w->contact[act[i]].calm) return false;
  return g->floats && 2 * n >= VVI_CROWD;
}

/* N s: of all movers of the island; *light: the largest inverse mass. */
static double momenta_of(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t movers, double *light)
{
  double sum = 0.0;
  *light = 0.0;
  for (int32_t i = 0; i < movers; i++) {
    const double *a = g->inverse[i], most = fmax(a[0], fmax(a[1], a[2]));
    const vvi_working *m = &w->work[g->who[i]];
    if (most > 0.0) sum += (vvi_norm3(m->now) + vvi_norm3(m->kick)) / most;
    *light = fmax(*light, most);
  }
  return sum;
}

/* Is that no answer?  Impulses that press against each other and move nothing know no bound.  The law may ask for some: as many times
 * the momenta that are there as the angle is small that friction lacks for a jam.  More than RUN_AWAY times are no answer: their
 * rounding would be more than 1e-13 of these momenta.  Contacts of rigid bodies are few enough to be solved: what is left of the law
 * leaves three quarters of where each of them lies, and what rounding of places and of these momenta explains.      [contact 29b] */
static bool jams(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act,
                 int32_t movers, const vvi_island_stats *stats)
{
  double largest = 0.0, least = INFINITY, light;
  bool rigid = true;
  const double momentum = momenta_of(w, g, movers, &light);
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    largest = fmax(largest, g->problem[i].j[0]);
    least = fmin(least, 0.25 * c->target + vvi_contact_slack(c));
    rigid &= c->near < 0;
  }
  if (!(largest <= RUN_AWAY * momentum)) return true;
  return rigid && !stats->accepted && !(stats->residual <= least / w->h + LEFT * light * momentum);
}

/* Where there is no answer (no memory, numbers that leave their range) nothing is pushed: in the end the piece is frozen, and told.
 * False: not solved, where may_turn(). */
static bool solve(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, int32_t movers,
                  vvi_island_work *solver)
{
  const int32_t rows = n + g->links + g->rolls;
  vvi_island_stats stats = {0};
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    vvi_island_contact *o = &g->problem[i];
    o->b[0] = c->b_n, o->b[1] = c->b_t[0], o->b[2] = c->b_t[1];
  }
  g->count.solves++;
  const bool closed = n == 1 && in_closed_form(w, g, &w->contact[act[0]]);
  g->count.closed += closed;
  vvi_island_problem p = {.movers = movers,
                          .contacts = rows,
                          .inverse = (const double(*)[12])g->inverse,
                          .leg = g->leg,
                          .contact = g->problem,
                          .speed = g->speed,
                          .loose = loose(w, g, n, act),
                          .slow = slow_heap(w, g, n, act, movers),
                          .newton = may_turn(w, g, n, act) ? SOON : 0,
                          .change = g->change};
  if (!closed && !vvi_island_solve(solver, &p, w->team, &stats))
    for (int32_t i = 0; i < rows; i++) {
      memset(g->problem[i].j, 0, sizeof g->problem[i].j);
      memcpy(g->problem[i].after, g->problem[i].free, sizeof g->problem[i].after);
    }
  g->jams = n > 1 && jams(w, g, n, act, movers, &stats);
  g->count.newton += stats.newton;
  g->count.looked += (int64_t)rows * (1 + stats.newton + stats.sweeps + stats.gradient);
  return p.newton == 0 || stats.converged || stats.accepted;
}

/* ---- energy ---- */

static double work_of(const vvi_contact *c, const vvi_island_contact *o, double part[2])
{
  part[0] = 0.5 * o->j[0] * (c->before[0] + o->after[0]);
  part[1] = 0.5 * (o->j[1] * (c->before[1] + o->after[1]) + o->j[2] * (c->before[2] + o->after[2]));
  return part[0] + part[1];
}

/* J that half a kick of the movers holds: what rows that hold may bring at the most.                       [contact 22a] */
static double allowance(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t movers)
{
  double sum = 0.0;
  for (int32_t i = 0; i < movers; i++) sum += vvi_half_kick(g->inverse[i], g->inverse[i] + 6, w->work[g->who[i]].kick);
  return sum;
}

/* With e = 1 the impulses are scaled along themselves so that their work along the normals is what the rows ask for, whatever the
 * solver left: s = 2 (W - J.u)/(J_n.(D J)_n), u half way between U- and Uf.  Without friction W is 0.  With it two rows may face each
 * other within the angle of friction, as where an edge is caught at a corner: they jam, and no solver comes to an end.  There W is
 * J_n.(U- + b)/2, 0 of blows; what is within rounding keeps its bits.  False: with friction, and not near an answer.
 *                                                                                                [many 5, contact 24b] */
static bool reflect(const struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act)
{
  double plain = 0.0, square = 0.0, due = 0.0, size = 0.0;
  bool rubs = false;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    const vvi_island_contact *o = &g->problem[i];
    if (c->restitution < 1.0 || g->rolls > 0) return true;
    rubs |= o->friction > 0.0;
    plain += 0.5 * o->j[0] * (c->before[0] + o->free[0]);
    square += o->j[0] * (o->after[0] - o->free[0]);
    due += 0.5 * o->j[0] * (c->before[0] + c->b_n);
    size += o->j[0] * (fabs(c->before[0]) + fabs(o->free[0]) + fabs(o->after[0]));
  }
  const double s = square > 0.0 ? 2.0 * ((rubs ? due : 0.0) - plain) / square : 1.0;
  if (rubs && fabs(plain + 0.5 * square - due) <= ROUNDING * size) return true;
  if (!(fabs(s - 1.0) < (rubs ? NEAR : 1e-6))) return !rubs; /* rows that only hold: the work is not zero but less */
  for (int32_t i = 0; i < n; i++) {
    vvi_island_contact *o = &g->problem[i];
    for (int k = 0; k < 3; k++) {
      o->j[k] *= s;
      o->after[k] = o->free[k] + s * (o->after[k] - o->free[k]);
    }
  }
  return true;
}

/* Friction that brings energy turns a slip around within the step: it is measured from where the slip came.  True: again. */
static bool rub_less(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act)
{
  double sum = 0.0, size = 0.0, part[2];
  bool any = false;
  for (int32_t i = 0; i < n; i++) {
    work_of(&w->contact[act[i]], &g->problem[i], part);
    sum += part[1], size += fabs(part[1]);
  }
  if (!(sum > 1e-14 * size)) return false;
  for (int32_t i = 0; i < n; i++) {
    vvi_contact *c = &w->contact[act[i]];
    work_of(c, &g->problem[i], part);
    if (!(part[1] > 0.0) || (c->b_t[0] == -c->before[1] && c->b_t[1] == -c->before[2])) continue;
    c->b_t[0] = -c->before[1], c->b_t[1] = -c->before[2];
    any = true;
  }
  return any;
}

/* ---- gaps that turn ---- */

static bool must_fly(const struct vvi_contact_step *w, int32_t n, const int32_t *act)
{
  for (int32_t i = 0; i < n; i++)
    if (w->contact[act[i]].turns || w->contact[act[i]].block) return true;
  return false;
}

/* m/s that the impulses of the island change U of one of its contacts by, along its first `axes` axes. */
static void add_changes(const vvi_contact_group *g, const vvi_island_contact *o, int axes, double u[3])
{
  for (int l = 0; l < o->legs; l++) {
    const vvi_leg *leg = &g->leg[o->first + l];
    const double *a = g->inverse[leg->mover], *j = g->change[leg->mover];
    double v[3], s[3];
    vvi_times6(a, j, v);
    vvi_times6(a + 6, j + 3, s);
    for (int k = 0; k < axes; k++) u[k] += vvi_dot3(leg->force[k], v) + vvi_dot3(leg->moment[k], s);
  }
}

/* U+ of all contacts with the impulses that joints answered exactly, whatever the solver left of their rows: books are exact. */
static void see_after(const vvi_contact_group *g, int32_t n)
{
  for (int32_t i = 0; i < n; i++) {
    vvi_island_contact *o = &g->problem[i];
    memcpy(o->after, o->free, sizeof o->after);
    add_changes(g, o, o->friction > 0.0 ? 3 : 1, o->after);
  }
}

static void fly_island(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, int32_t movers)
{
  gather(w, g, n, movers, g->change);
  for (int32_t i = 0; i < movers; i++) w->work[g->who[i]].flown = false;
  for (int32_t i = 0; i < movers; i++)
    if (vvi_linked(w, g->who[i]) < 0)
      vvi_mover_fly(w, g->who[i], g->change[i]);
    else if (!w->work[g->who[i]].flown)
      vvi_linked_fly(w, vvi_linked(w, g->who[i]), g);
}

/* Contacts of one pair, which lie side by side: the end of those that begin with i, at the flown poses. */
static int32_t pair_ahead(struct vvi_contact_step *w, int32_t i, int32_t n, const int32_t *act)
{
  const vvi_contact *first = &w->contact[act[i]];
  int32_t end = i + 1;
  while (first->near < 0 && end < n && w->contact[act[end]].a == first->a && w->contact[act[end]].b == first->b) end++;
  vvi_pair_fly(w, first); /* the side that takes no part */
  vvi_pair_ahead(w, end - i, act + i, NULL, NULL);
  return end;
}

static void land_island(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t movers)
{
  for (int32_t i = 0; i < movers; i++) w->work[g->who[i]].flown = false;
}

/* How far the ways of contacts that hold bend away from straight ones depends on spins, which the impulses of the last step
 * give nearly: what is asked for knows it from the first solve on, and most islands need no other.          [contact 28] */
static void foresee(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, int32_t movers)
{
  fly_island(w, g, n, movers);
  for (int32_t i = 0, end; i < n; i = end) {
    end = pair_ahead(w, i, n, act);
    for (int32_t k = i; k < end; k++) {
      vvi_contact *c = &w->contact[act[k]];
      double change[3] = {0.0};
      add_changes(g, &g->problem[k], 1, change);
      const double straight = c->gap + w->h * (g->problem[k].free[0] + change[0]);
      const double bend = c->ahead - straight;
      if (c->known && c->placed && c->restitution < 1.0 && c->turns && fabs(bend) > 0.01 * c->target)
        c->b_n -= bend / w->h;
      c->looked = -1;
    }
  }
  land_island(w, g, movers);
}

/* Gaps after the drift with the impulses found; what must be asked anew.  True: something must.              [contact 28] */
static bool look_ahead(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, int32_t movers)
{
  bool changed = false;
  fly_island(w, g, n, movers);
  for (int32_t i = 0, end; i < n; i = end) {
    end = pair_ahead(w, i, n, act);
    for (int32_t k = i; k < end; k++) {
      vvi_contact *c = &w->contact[act[k]];
      const vvi_island_contact *o = &g->problem[k];
      const double gamma = fmax(0.0, c->gap - c->target - w->h * c->before[0]),
                   goal = c->target + c->restitution * gamma;
      c->looked = -1;
      if (!c->known) continue;
      if (c->ahead < 0.5 * c->target - vvi_contact_slack(c) && (c->restitution < 1.0 || (c->pressed && !c->calm))) {
        const double b = o->after[0] + (c->target - c->ahead) / w->h;
        if (b > c->b_n + 1e-15 * g->speed) c->b_n = b, changed = true;
      } else if (c->pressed && c->restitution < 1.0 && o->j[0] > 0.0 && c->ahead > goal + 0.5 * c->target &&
                 c->ahead < c->keep + c->size && (n <= FEW || c->curl <= c->keep) && c->lowered < LOWERINGS &&
                 c->ahead > goal + vvi_contact_slack(c)) {
        c->b_n = o->after[0] + (goal - c->ahead) / w->h;
        c->lowered++, changed = true;
      }
    }
  }
  land_island(w, g, movers);
  return changed;
}

/* ---- rest ---- */

static bool leans(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act)
{
  for (int32_t i = 0; i < n; i++)
    if (w->contact[act[i]].open && g->problem[i].j[0] > 0.0) return true;
  return false;
}

/* Everything leans on something fixed and moves by rounding only. */
static bool rests(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act,
                  int32_t movers)
{
  double load = 0.0, noise = 0.0;
  if (!w->forced || !leans(w, g, n, act)) return false;
  for (int32_t i = 0; i < movers; i++) {
    const double *a = g->inverse[i], *j = g->change[i], most = fmax(a[0], fmax(a[1], a[2]));
    load = fmax(load, vvi_norm3(w->work[g->who[i]].kick));
    noise = fmax(noise, most * vvi_norm3(j));
  }
  const double tol = fmax((double)movers * fmax(1e-13 * g->speed, 4e-15 * noise), 1e-10 * load);
  for (int32_t i = 0; i < movers; i++) {
    const vvi_working *m = &w->work[g->who[i]];
    const double *a = g->inverse[i], *b = a + 6, *j = g->change[i];
    double v[3], s[3];
    vvi_times6(a, j, v);
    vvi_times6(b, j + 3, s);
    for (int c = 0; c < 3; c++) v[c] += m->now[c], s[c] += m->now[3 + c];
    const double mass = a[0] + a[1] + a[2], inertia = b[0] + b[1] + b[2];
    if (w->model->block[m->block].kind->node_p < 3) return false;
    if (vvi_dot3(v, v) > tol * tol || vvi_dot3(s, s) * mass > tol * tol * inertia) return false;
  }
  return true;
}

/* Of a mover whose inverse mass is a multiple of 1, or of one on a guide. */
static double mass_of(const vv_mover *m)
{
  const double *a = m->inverse_mass, sum = a[0] + a[1] + a[2], off = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
  const bool guided = off > 0.0 || a[0] != a[1] || a[1] != a[2];
  return sum > 0.0 ? (guided ? 1.0 : 3.0) / sum : 0.0;
}

static void invert6(const double a[6], double out[6])
{
  double c[6];
  const double det = vvi_adjoint6(a, c), size = a[0] + a[1] + a[2];
  const bool good = det > 1e-30 * size * size * size;
  for (int k = 0; k < 6; k++) out[k] = good ? c[k] / det : 0.0;
}

/* What a mover got beyond the impulses of contacts comes from outside. */
static void post_extra(const struct vvi_contact_step *w, vvi_contact_group *g, int32_t mover, const double extra[6])
{
  double turn[3];
  vvi_cross3(w->near->mover[mover].place, extra, turn);
  for (int c = 0; c < 3; c++) g->outside[c] += extra[c], g->outside[3 + c] += turn[c] + extra[3 + c];
}

/* What an impulse would have done to a frozen piece that slides: nothing takes it. */
static void less_frozen(const struct vvi_contact_step *w, const vvi_contact *c, const vvi_island_contact *o,
                        double part[2])
{
  for (int l = 0; o->legs < c->legs && l < c->legs; l++) {
    const vvi_leg *leg = &w->leg[c->first + l];
    const vvi_working *m = &w->work[leg->mover];
    for (int i = 0; m->frozen == 2 && i < 3; i++)
      part[i > 0] -= o->j[i] * (vvi_dot3(leg->force[i], m->now) + vvi_dot3(leg->moment[i], m->now + 3));
  }
}

/* A frozen mover took nothing of an impulse: it stands for something outside. */
static void post_frozen(const struct vvi_contact_step *w, vvi_contact_group *g, const vvi_contact *c,
                        const vvi_island_contact *o)
{
  for (int l = 0; o->legs < c->legs && l < c->legs; l++) {
    const vvi_leg *leg = &w->leg[c->first + l];
    double extra[6] = {0};
    if (w->work[leg->mover].frozen != 2) continue;
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) extra[k] -= o->j[i] * leg->force[i][k], extra[3 + k] -= o->j[i] * leg->moment[i][k];
    post_extra(w, g, leg->mover, extra);
  }
}

/* A mover that joints hold gets what stops it: its half kick is not f alone. */
static void stop_linked(struct vvi_contact_step *w, vvi_contact_group *g, int32_t i)
{
  const vv_mover *at = &w->near->mover[g->who[i]];
  vvi_working *m = &w->work[g->who[i]];
  double change[6], own[6], j[6], extra[6];
  invert6(at->inverse_inertia, own);
  for (int c = 0; c < 6; c++) change[c] = -m->now[c];
  for (int c = 0; c < 3; c++) j[c] = mass_of(at) * change[c];
  vvi_times6(own, change + 3, j + 3);
  for (int c = 0; c < 6; c++) {
    extra[c] = j[c] - g->change[i][c];
    g->lost -= 0.5 * j[c] * (m->now[c] - m->kick[c]);
  }
  vvi_mover_push(w, g->who[i], j, change);
  memset(m->now, 0, sizeof m->now);
  post_extra(w, g, g->who[i], extra);
}

/* The drift is nothing, to the bit: p = -h f/2, which the half kick turns into 0. */
static void stop(struct vvi_contact_step *w, vvi_contact_group *g, int32_t movers)
{
  for (int32_t i = 0; i < movers; i++) {
    vvi_working *m = &w->work[g->who[i]];
    const vv_block *b = &w->model->block[m->block];
    double extra[6] = {0}, was[6], all[6];
    if (vvi_linked(w, g->who[i]) >= 0) {
      stop_linked(w, g, i);
      continue;
    }
    for (int c = 0; c < 6; c++) was[c] = m->now[c] - m->kick[c], all[c] = g->change[i][c];
    double p[VVI_NODE_P], f[VVI_NODE_P] = {0}, to[VVI_NODE_P];
    const int n = vvi_node_momenta(b, m->node, w->p, p);
    if (w->f != NULL) vvi_node_momenta(b, m->node, w->f, f);
    for (int c = 0; c < n; c++) {
      to[c] = w->f != NULL ? -(0.5 * w->sign * w->h * f[c]) : 0.0;
      const double given = w->sign * (to[c] - p[c]);
      extra[c] = given - g->change[i][c], all[c] = given;
    }
    vvi_node_put(b, m->node, to, w->p);
    for (int c = 0; c < 6; c++) {
      g->lost -= 0.5 * all[c] * was[c]; /* V+ is zero */
      m->impulse[c] += all[c], m->now[c] = 0.0;
    }
    vvi_mover_changed(w, g->who[i]);
    vvi_touch_stop(w, g->who[i], extra);
    post_extra(w, g, g->who[i], extra);
  }
}

/* The rows of features change within a step: what they take from outside is counted at once. */
static void post_feature(vvi_contact_group *g, const vvi_contact *c, const vvi_island_contact *o)
{
  for (int i = 0; i < 3; i++) {
    g->given += o->j[i] * c->given[i];
    for (int k = 0; k < 6; k++) {
      g->outside[k] += o->j[i] * c->outside[i][k];
      g->pending[k] += c->steady * o->j[i] * c->outside[i][k];
    }
  }
}

/* ---- the answer ---- */

/* The part of an impulse that only takes back what the forces of the step bring, U- - Uf of U+ - Uf, of a contact that stays
 * closed: all of it at rest, nothing of a blow.  Half of it belongs to the momenta that are shown.         [contact 27] */
static double steady_part(const vvi_contact *c, const vvi_island_contact *o)
{
  const double all = o->after[0] - o->free[0], kick = c->before[0] - o->free[0];
  return all > 0.0 && kick > 0.0 && fabs(o->after[0]) < 0.25 * kick ? fmin(1.0, kick / all) : 0.0;
}

static void show_steady(struct vvi_contact_step *w, const vvi_contact *c, const vvi_island_contact *o, double part)
{
  for (int l = 0; part > 0.0 && l < c->legs; l++) {
    const vvi_leg *leg = &w->leg[c->first + l];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        w->work[leg->mover].held[k] += part * o->j[i] * leg->force[i][k];
        w->work[leg->mover].held[3 + k] += part * o->j[i] * leg->moment[i][k];
      }
  }
}

/* What joints to something outside gave: all that movers of an assembly got beside the impulses of contacts. */
static void post_linked(const struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, int32_t movers, bool still)
{
  double before[6];
  if (g->links == 0) return;
  memcpy(before, g->outside, sizeof before);
  for (int32_t i = 0; i < movers; i++)
    if (vvi_linked(w, g->who[i]) >= 0) post_extra(w, g, g->who[i], g->change[i]);
  for (int32_t i = 0; i < n; i++) {
    const vvi_island_contact *o = &g->problem[i];
    for (int l = 0; l < o->legs; l++) {
      const vvi_leg *leg = &g->leg[o->first + l];
      double less[6] = {0};
      if (vvi_linked(w, g->who[leg->mover]) < 0) continue;
      for (int k = 0; k < (o->friction > 0.0 ? 3 : 1); k++)
        for (int c = 0; c < 3; c++) less[c] -= o->j[k] * leg->force[k][c], less[3 + c] -= o->j[k] * leg->moment[k][c];
      post_extra(w, g, g->who[leg->mover], less);
    }
  }
  for (int k = 0; still && k < 6; k++) g->pending[k] += g->outside[k] - before[k];
}

/* What the impulses of the next step will be: those of this one, unless something was hit.  Then those before it, and of a
 * contact that had none the part that only holds. */
static void last_longer(vvi_contact *c, const vvi_island_contact *o, bool blow)
{
  for (int k = 0; k < 3; k++) {
    const double first = c->hits > 0 ? c->lasting[k] : !blow ? 0.0 : c->resting ? c->last[k] : c->steady * o->j[k];
    c->lasting[k] = first + (blow ? 0.0 : o->j[k]);
  }
}

static void accept(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, int32_t movers)
{
  const bool still = rests(w, g, n, act, movers);
  bool blow = false;
  for (int32_t i = 0; i < n; i++) blow |= w->contact[act[i]].blow;
  for (int32_t i = 0; i < n; i++) {
    vvi_contact *c = &w->contact[act[i]];
    const vvi_island_contact *o = &g->problem[i];
    double part[2];
    work_of(c, o, part);
    less_frozen(w, c, o, part);
    if (c->hits == 0) memcpy(c->warm, o->j, sizeof c->warm); /* where a restart begins */
    for (int k = 0; k < 3; k++) c->j[k] += o->j[k];
    c->steady = steady_part(c, o);
    c->held = c->steady > 0.5;
    last_longer(c, o, blow);
    if (!still) show_steady(w, c, o, c->steady);
    vvi_touch_add(w, c, o->j);
    c->work[0] += part[0], c->work[1] += part[1];
    if (still) g->lost += part[0] + part[1];
    post_frozen(w, g, c, o);
    if (c->near >= 0) post_feature(g, c, o);
  }
  accept_rolling(w, g, n, act, still);
  if (!still) vvi_linked_show(w, g, movers);
  post_linked(w, g, n, movers, still);
  if (still) {
    stop(w, g, movers);
    return;
  }
  for (int32_t i = 0; i < movers; i++) {
    double change[6];
    vvi_times6(g->inverse[i], g->change[i], change);
    vvi_times6(g->inverse[i] + 6, g->change[i] + 3, change + 3);
    vvi_mover_push(w, g->who[i], g->change[i], change);
  }
}

/* A piece that floats swallows what meets it, and one that slides what it alone runs into: it has one motion. */
static bool meets_piece(const struct vvi_contact_step *w, int32_t n, const int32_t *act)
{
  bool any = false;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    for (int l = 0; l < c->legs; l++) {
      const vvi_working *m = &w->work[w->leg[c->first + l].mover];
      if (m->frozen == 1) return true;
      any |= m->frozen == 0;
    }
  }
  return !any;
}

static void forget_local(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t movers)
{
  for (int32_t i = 0; i < movers; i++) w->work[g->who[i]].local = -1;
}

double vvi_group_allowance(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  double sum = 0.0;
  for (int32_t i = 0; i < g->movers; i++) {
    const vv_mover *m = &w->near->mover[g->mover[i]];
    sum += vvi_half_kick(m->inverse_mass, m->inverse_inertia, w->work[g->mover[i]].kick);
  }
  return sum;
}

/* What it may bring is what half kicks hold and what others have lost in this step.  Where friction would bring more it answers
 * without. */
void vvi_turn_answer(struct vvi_contact_step *w, vvi_contact_group *g, int32_t contact, vvi_island_work *solver)
{
  vvi_contact *c = &w->contact[contact];
  vvi_island_contact *o = &g->problem[0];
  double part[2];
  if (meets_piece(w, 1, &contact)) {
    vvi_island_freeze(w, g, 1, &contact);
    return;
  }
  const int32_t movers = number(w, g, 1, &contact);
  const bool late = c->hits >= 4 * PATIENCE;
  if (!g->turns) g->turns = true, g->taken = vvi_group_allowance(w, g);
  const double allowed = fmax(0.0, g->taken);
  ask_in_turn(w, c, allowed, o);
  if (late) o->friction = 0.0;
  solve(w, g, 1, &contact, movers, solver);
  for (int rubs = 0; rubs < RUBS && rub_less(w, g, 1, &contact); rubs++) solve(w, g, 1, &contact, movers, solver);
  if (o->friction > 0.0 && work_of(c, o, part) > allowed) {
    o->friction = 0.0;
    solve(w, g, 1, &contact, movers, solver);
  }
  g->taken -= work_of(c, o, part);
  gather(w, g, 1, movers, g->change);
  accept(w, g, 1, &contact, movers);
  forget_local(w, g, movers);
}

/* Is it no answer, or does it bring more than it may?  Where nothing may be lost, what is brought is debt. */
static bool is_wrong(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act,
                     int32_t movers)
{
  double sum = 0.0, size = 0.0, part[2];
  bool loses = false;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    const vvi_island_contact *o = &g->problem[i];
    loses |= c->restitution < 1.0 || o->friction > 0.0;
    sum += work_of(c, o, part);
    for (int k = 0; k < 3; k++) size += fabs(o->j[k]) * (fabs(c->before[k]) + fabs(o->free[k]) + fabs(o->after[k]));
  }
  for (int32_t r = 0; r < g->rolls; r++) sum += work_of_rolling(w, g, rolling_at(g, n, r));
  return g->jams || (loses && sum > allowance(w, g, movers) + ROUNDING * size);
}

bool vvi_island_answer(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act,
                       vvi_island_work *solver)
{
  if (meets_piece(w, n, act)) {
    vvi_island_freeze(w, g, n, act);
    return true;
  }
  const int32_t movers = number(w, g, n, act);
  int rubs = 0;
  for (int32_t i = 0; i < n; i++) {
    vvi_contact *c = &w->contact[act[i]];
    ask(w, c, c->calm && c->restitution < 1.0 ? 0.0 : c->restitution, n, &g->problem[i]);
    memcpy(g->problem[i].j, c->hits == 0 ? c->warm : (const double[3]){0, 0, 0}, sizeof c->warm);
  }
  if (g->links > 0) {
    gather(w, g, n, movers, g->change);
    vvi_linked_warm(w, g, n);
  }
  if (n > FEW && movers > 0) foresee(w, g, n, act, movers);
  bool solved = true;
  for (int round = 0; movers > 0; round++) {
    solved = solve(w, g, n, act, movers, solver);
    if (!solved || g->jams) break;
    if (rubs < RUBS && rub_less(w, g, n, act)) {
      rubs++;
      continue;
    }
    if (round >= ROUNDS || !must_fly(w, n, act)) break;
    gather(w, g, n, movers, g->change);
    if (rests(w, g, n, act, movers) || !look_ahead(w, g, n, act, movers)) break;
  }
  if (!solved) {
    forget_local(w, g, movers);
    return false;
  }
  g->jams |= !reflect(w, g, n, act);
  gather(w, g, n, movers, g->change);
  if (g->links > 0) see_after(g, n);
  const bool calm = vvi_all_calm(w, n, act);
  bool wrong = is_wrong(w, g, n, act, movers);
  if (wrong && calm && !g->jams && n == 1 && g->links == 0) { /* as far as it may be pushed */
    vvi_contact *c = &w->contact[act[0]];
    c->b_n = fmin(c->b_n, most_asked(w, c, g->problem[0].free[0], allowance(w, g, movers)));
    solve(w, g, n, act, movers, solver);
    gather(w, g, n, movers, g->change);
    wrong = is_wrong(w, g, n, act, movers);
  }
  if (!wrong)
    accept(w, g, n, act, movers);
  else if (calm)
    vvi_island_freeze(w, g, n, act);
  else
    vvi_island_calm(w, g, n, act);
  forget_local(w, g, movers);
  return true;
}

/* ---- the last resort: one rigid piece for this drift ---- */

/* What joints connect with a mover moves with it; what they hold to the ground stays. */
static void take_linked(struct vvi_contact_step *w, int32_t mover, bool *fixed)
{
  const int32_t a = vvi_linked(w, mover);
  int32_t n;
  if (a < 0) return;
  const vvi_joint_node *node = vvi_linked_nodes(w, a, &n);
  for (int32_t k = 0; k < n; k++) w->work[node[k].mover].local = -3;
  *fixed |= w->joints->joints->assembly[a].fixed;
}

/* Everything that moves with the piece: its movers, the pieces they belong to, and where one floats all that float. */
static int32_t piece_of(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, bool *fixed)
{
  int32_t movers = 0;
  bool floats = false;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    bool all = true;
    for (int l = 0; l < c->legs; l++) {
      vvi_working *m = &w->work[w->leg[c->first + l].mover];
      all &= m->moves && w->model->block[m->block].kind->node_p >= 3; /* a guide stays */
      *fixed |= m->frozen == 2;
      floats |= m->frozen == 1;
      m->local = -3;
      take_linked(w, w->leg[c->first + l].mover, fixed);
      for (int32_t k = 0; m->frozen && k < g->movers; k++) {
        vvi_working *other = &w->work[g->mover[k]];
        if (other->frozen && other->piece == m->piece) other->local = -3;
      }
    }
    *fixed |= c->open || !all;
  }
  for (int32_t i = 0; i < g->movers; i++) {
    vvi_working *m = &w->work[g->mover[i]];
    if (m->local == -3 || (floats && m->frozen == 1)) g->who[movers++] = g->mover[i];
    m->local = -1;
  }
  return movers;
}

/* V_k = V + omega x r_k, W = omega with the momenta of the piece; where it leans on something fixed, nothing.  [contact 29] */
static void piece_motion(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t movers, double out[9])
{
  double mass = 0.0, x[3] = {0}, v[3] = {0}, spin[3] = {0}, inertia[6] = {0}, inverse[6];
  for (int32_t i = 0; i < movers; i++) {
    const vv_mover *at = &w->near->mover[g->who[i]];
    const double m = mass_of(at);
    mass += m;
    for (int c = 0; c < 3; c++) x[c] += m * at->place[c], v[c] += m * w->work[g->who[i]].now[c];
  }
  for (int c = 0; c < 3; c++) x[c] /= mass > 0.0 ? mass : 1.0, v[c] /= mass > 0.0 ? mass : 1.0;
  for (int32_t i = 0; i < movers; i++) {
    const vv_mover *at = &w->near->mover[g->who[i]];
    const double m = mass_of(at), *u = w->work[g->who[i]].now;
    double r[3], own[6], turn[3], mine[3];
    for (int c = 0; c < 3; c++) r[c] = at->place[c] - x[c];
    invert6(at->inverse_inertia, own);
    vvi_cross3(r, u, turn);
    vvi_times6(own, u + 3, mine);
    for (int c = 0; c < 3; c++) spin[c] += m * turn[c] + mine[c];
    const double rr = vvi_dot3(r, r);
    for (int c = 0; c < 3; c++) inertia[c] += m * (rr - r[c] * r[c]) + own[c];
    inertia[3] += own[3] - m * r[1] * r[2], inertia[4] += own[4] - m * r[0] * r[2],
        inertia[5] += own[5] - m * r[0] * r[1];
  }
  invert6(inertia, inverse);
  memcpy(out, x, sizeof x), memcpy(out + 3, v, sizeof v);
  vvi_times6(inverse, spin, out + 6);
}

/* A piece that leans on something outside stays, but for what nothing there can take: where no contact with it rubs, the
 * velocity across all normals.  What stayed before stays. */
static void slide(const struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, int32_t movers,
                  double motion[9])
{
  piece_motion(w, g, movers, motion);
  memset(motion + 6, 0, 3 * sizeof *motion);
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    bool free = true;
    for (int l = 0; l < c->legs; l++) {
      const vvi_working *m = &w->work[w->leg[c->first + l].mover];
      free &= !(m->frozen == 2 && vvi_mover_still(m)) && m->moves && w->model->block[m->block].kind->node_p >= 3;
    }
    for (int l = 0; l < c->legs; l++) {
      const int32_t a = vvi_linked(w, w->leg[c->first + l].mover);
      free &= a < 0 || !w->joints->joints->assembly[a].fixed;
    }
    if (!free || (c->open && c->friction > 0.0)) memset(motion, 0, 9 * sizeof *motion);
    const double along = c->open ? vvi_dot3(motion + 3, c->n) : 0.0;
    for (int k = 0; k < 3; k++) motion[3 + k] -= along * c->n[k];
  }
}

/* J: what the velocity v of a mover loses with the impulse j, by [contact 22].  What was frozen to something outside before has no kick
 * any more, where rows ask; it moved in the last drift all the same. */
static double lost_with(const struct vvi_contact_step *w, int32_t mover, const double j[6], const double to[6])
{
  const vvi_working *m = &w->work[mover];
  double kick[6], sum = 0.0;
  memcpy(kick, m->kick, sizeof kick);
  for (int c = 0; m->frozen == 2 && w->forced && c < 3; c++)
    kick[c] = w->h * w->force[mover].velocity[c], kick[3 + c] = w->h * w->force[mover].spin[c];
  for (int c = 0; c < 6; c++) sum -= 0.5 * j[c] * (m->now[c] - kick[c] + to[c]);
  return sum;
}

void vvi_island_freeze(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act)
{
  bool fixed = false;
  double motion[9] = {0};
  if (g->shared) vvi_shared_end(w, g);
  const int32_t movers = piece_of(w, g, n, act, &fixed);
  if (fixed)
    slide(w, g, n, act, movers, motion);
  else
    piece_motion(w, g, movers, motion);
  g->count.frozen++, g->pieces++;
  for (int32_t i = 0; i < n; i++) w->contact[act[i]].stopped = true;
  for (int32_t i = 0; i < movers; i++) {
    const int32_t k = g->who[i];
    const vv_mover *at = &w->near->mover[k];
    vvi_working *m = &w->work[k];
    const double r[3] = {at->place[0] - motion[0], at->place[1] - motion[1], at->place[2] - motion[2]};
    double to[6], turn[3], change[6], own[6], j[6] = {0};
    vvi_cross3(motion + 6, r, turn);
    for (int c = 0; c < 3; c++) to[c] = motion[3 + c] + turn[c], to[3 + c] = motion[6 + c];
    for (int c = 0; c < 6; c++) change[c] = to[c] - m->now[c];
    invert6(at->inverse_inertia, own);
    for (int c = 0; c < 3; c++) j[c] = mass_of(at) * change[c];
    vvi_times6(own, change + 3, j + 3);
    g->lost += lost_with(w, k, j, to);
    if (fixed) post_extra(w, g, k, j);
    vvi_mover_push(w, k, j, change);
    vvi_touch_stop(w, k, j);
    m->frozen = fixed ? 2 : 1, m->piece = g->pieces;
    if (fixed) memset(m->kick, 0, sizeof m->kick); /* from now on an obstacle */
  }
}
