/* contact/booking/book.c  Every joule and every newton-second of the contacts of a step, booked once; what the state remembers.
 *
 * Losses never shrink: what contacts of two bodies bring in a step (the half kick of what is pressed, a gap that turned) is a
 * debt of these two, shown in the column `contact`, and their next losses pay it back first.                [contact 30] */
#include "base/sort.h"
#include "contact/contact.h"
#include "contact/solution/shadow.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* Sections of the memory. */
enum {
  STARTED,
  WARM_COUNT,
  FEATURE_COUNT,
  DEBT_COUNT,
  MOST,
  OFF,
  PRESSED,
  OPENING,
  PUSH_COUNT,
  AHEAD,
  PENDING,
  HEAD = PENDING + 6,
  WARM = 5,
  DEBT = 3, /* the pair; what it owes; what it was lent since it last paid, while a contact lasts */
  PER_OBJECT = 16
};

static int64_t warm_room(const vv_model *m)
{
  return PER_OBJECT * (int64_t)m->solids->n + 64;
}

static int64_t debt_room(const vv_model *m)
{
  const int64_t n = m->n_body, all = n * (n + 1) / 2, most = 64 + 8 * n;
  return all < most ? all : most;
}

/* Surfaces touch in a small part of their vertices. */
static int64_t feature_room(const vv_model *m)
{
  return m->sheets != NULL ? 4096 + m->sheets->n_vertex / 4 : 0;
}

/* Nodes of what bends that contact pushed in a step; as features, in a part of large meshes. */
static int64_t push_room(const vv_model *m)
{
  int64_t n = 0;
  if (!vvi_shadow_is_kept(m)) return 0;
  for (int i = 0; i < m->n_block; i++) n += vvi_shadow_bends(m, i) ? m->block[i].nodes : 0;
  return n < 4096 ? n : 4096 + n / 4;
}

int64_t vvi_contact_memory(const vv_model *m)
{
  return HEAD + WARM * (warm_room(m) + feature_room(m)) + DEBT * debt_room(m) + VVI_PUSH * push_room(m) + m->np;
}

static double *warm_of(const struct vvi_contact_step *w)
{
  return w->memory + HEAD;
}

static double *features_of(const struct vvi_contact_step *w)
{
  return warm_of(w) + WARM * warm_room(w->model);
}

static double *debts_of(const struct vvi_contact_step *w)
{
  return features_of(w) + WARM * feature_room(w->model);
}

vvi_pushes vvi_contact_pushes(const struct vvi_contact_step *w)
{
  return (vvi_pushes){.first = debts_of(w) + DEBT * debt_room(w->model),
                      .n = w->memory + PUSH_COUNT,
                      .ahead = w->memory + AHEAD,
                      .room = push_room(w->model)};
}

double vvi_contact_ahead(const struct vvi_contact_step *w)
{
  return w->memory[AHEAD];
}

static double *half_of(const struct vvi_contact_step *w)
{
  return debts_of(w) + DEBT * debt_room(w->model) + VVI_PUSH * push_room(w->model);
}

const double *vvi_contact_half(const struct vvi_contact_step *w)
{
  return half_of(w);
}

const double *vvi_contact_pending(const struct vvi_contact_step *w)
{
  return w->memory + PENDING;
}

bool vvi_contact_started(const struct vvi_contact_step *w)
{
  return w->memory[STARTED] != 0.0;
}

/* ---- warm starts by pair and key, sorted as contacts are: the impulses of the last step, less what blows gave.  A blow goes
 * through all that lies on each other, and says nothing about what holds it in the next step. ---- */

static double pair_number(const struct vvi_contact_step *w, const vvi_contact *c)
{
  return (double)c->a * (double)w->near->solids->n + (double)c->b;
}

/* Features are named by their numbers in the meshes; their list is sorted by them. */
static int by_name(const void *x, const void *y)
{
  const double *a = x, *b = y;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Along its axes. */
static void warm_along(const vvi_contact *c, const double j[3], double out[3])
{
  out[0] = fmax(0.0, vvi_dot3(j, c->n));
  for (int k = 0; k < 2; k++) out[1 + k] = vvi_dot3(j, c->t[k]);
}

static void set_warm(vvi_contact *c, const double j[3])
{
  c->resting = true;
  memcpy(c->recalled, j, sizeof c->recalled);
  warm_along(c, j, c->last);
  memcpy(c->warm, c->last, sizeof c->warm);
}

static void warm_of_contact(const vvi_contact *c, double out[3])
{
  for (int k = 0; k < 3; k++)
    out[k] = c->lasting[0] * c->n[k] + c->lasting[1] * c->t[0][k] + c->lasting[2] * c->t[1][k];
}

/* Its impulse is the one that it started from. */
static bool ends_as_it_began(const vvi_contact *c)
{
  double start[3];
  if (!c->resting) return false;
  warm_along(c, c->recalled, start);
  return memcmp(start, c->lasting, sizeof start) == 0;
}

void vvi_feature_recall(struct vvi_contact_step *w, vvi_contact *c)
{
  const vvi_sheet_near *near = &w->features->search->near[c->near];
  const double name[2] = {(double)near->a, (double)near->b};
  const double *e =
      c->legs > 0 ? bsearch(name, features_of(w), (size_t)w->memory[FEATURE_COUNT], WARM * sizeof(double), by_name)
                  : NULL;
  if (e != NULL) set_warm(c, e + 2);
}

static void keep_features(struct vvi_contact_step *w)
{
  double *first = features_of(w), *e = first, *end = e + WARM * feature_room(w->model);
  double *old = e + WARM * (int64_t)w->memory[FEATURE_COUNT];
  for (int32_t i = 0; i < w->n && e < end; i++) {
    const vvi_contact *c = &w->contact[i];
    if (c->near < 0 || !(c->j[0] > 0.0)) continue;
    const vvi_sheet_near *near = &w->features->search->near[c->near];
    e[0] = (double)near->a, e[1] = (double)near->b;
    warm_of_contact(c, e + 2);
    e += WARM;
  }
  if (old > e) memset(e, 0, sizeof(double) * (size_t)(old - e));
  w->memory[FEATURE_COUNT] = (double)((e - first) / WARM);
  vvi_sort(first, (size_t)w->memory[FEATURE_COUNT], WARM * sizeof(double), by_name);
}

void vvi_contact_recall(struct vvi_contact_step *w)
{
  const double *e = warm_of(w), *end = e + WARM * (int64_t)w->memory[WARM_COUNT];
  for (int32_t i = 0; i < w->n; i++) {
    vvi_contact *c = &w->contact[i];
    if (c->near >= 0) continue;
    const double pair = pair_number(w, c), key = (double)c->key;
    while (e < end && (e[0] < pair || (e[0] == pair && e[1] < key))) e += WARM;
    if (e < end && e[0] == pair && e[1] == key) set_warm(c, e + 2);
  }
}

/* Impulses also depend on where their solver starts: only those that are their own warm start come again.  To axes and back
 * they would lose a digit in every step. */
static void keep_warm(struct vvi_contact_step *w)
{
  double *e = warm_of(w), *end = e + WARM * warm_room(w->model), *old = e + WARM * (int64_t)w->memory[WARM_COUNT];
  for (int32_t i = 0; i < w->n && e < end; i++) {
    const vvi_contact *c = &w->contact[i];
    if (c->near >= 0 || !(c->j[0] > 0.0)) continue;
    double now[WARM] = {pair_number(w, c), (double)c->key};
    warm_of_contact(c, now + 2);
    if (ends_as_it_began(c)) memcpy(now + 2, c->recalled, sizeof c->recalled);
    if (memcmp(e, now, sizeof now) != 0) w->rest.known = false;
    memcpy(e, now, sizeof now);
    e += WARM;
  }
  if (old != e) w->rest.known = false;
  if (old > e) memset(e, 0, sizeof(double) * (size_t)(old - e));
  w->memory[WARM_COUNT] = (double)((e - warm_of(w)) / WARM);
}

/* ---- debts ---- */

static double pair_of_bodies(const struct vvi_contact_step *w, int32_t a, int32_t b)
{
  return (double)(a < b ? a : b) * (double)w->model->n_body + (double)(a < b ? b : a);
}

/* Where the debt of two bodies is, or would be: they are sorted by pair. */
static int64_t debt_place(const struct vvi_contact_step *w, double pair)
{
  const double *first = debts_of(w);
  int64_t lo = 0, hi = (int64_t)w->memory[DEBT_COUNT];
  while (lo < hi) {
    const int64_t mid = (lo + hi) / 2;
    if (first[DEBT * mid] < pair)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

double vvi_contact_owed(const struct vvi_contact_step *w, const vvi_contact *c)
{
  const double pair = pair_of_bodies(w, c->body[0], c->body[1]), *first = debts_of(w);
  const int64_t at = debt_place(w, pair);
  return at < (int64_t)w->memory[DEBT_COUNT] && first[DEBT * at] == pair ? first[DEBT * at + 1] : 0.0;
}

/* Where there is no room left all others share the last one. */
static double *debt_of(struct vvi_contact_step *w, double pair)
{
  double *first = debts_of(w);
  const int64_t n = (int64_t)w->memory[DEBT_COUNT], at = debt_place(w, pair);
  if (at < n && first[DEBT * at] == pair) return &first[DEBT * at + 1];
  if (n == debt_room(w->model)) return &first[DEBT * (n - 1) + 1];
  memmove(first + DEBT * (at + 1), first + DEBT * at, sizeof(double) * (size_t)(DEBT * (n - at)));
  first[DEBT * at] = pair, first[DEBT * at + 1] = first[DEBT * at + 2] = 0.0;
  w->memory[DEBT_COUNT] += 1.0;
  return &first[DEBT * at + 1];
}

double vvi_contact_debt(const struct vvi_contact_step *w)
{
  double sum = 0.0;
  for (int64_t i = 0; i < (int64_t)w->memory[DEBT_COUNT]; i++) sum += debts_of(w)[DEBT * i + 1];
  return sum;
}

double vvi_contact_repay(struct vvi_contact_step *w, int32_t body, double lost)
{
  const int64_t n = w->model->n_body;
  double *first = debts_of(w);
  for (int64_t i = 0; i < (int64_t)w->memory[DEBT_COUNT] && lost != 0.0; i++) {
    const int64_t pair = (int64_t)first[DEBT * i];
    const double back = lost > 0.0 ? fmin(lost, fmax(first[DEBT * i + 1], 0.0)) : lost;
    if (pair / n != body && pair % n != body) continue;
    first[DEBT * i + 1] -= back, lost -= back;
  }
  if (lost < 0.0) *debt_of(w, pair_of_bodies(w, body, body)) -= lost;
  return fmax(lost, 0.0);
}

double vvi_contact_most(const struct vvi_contact_step *w)
{
  return w->memory[MOST];
}

double vvi_contact_off(const struct vvi_contact_step *w)
{
  return w->memory[OFF];
}

double vvi_contact_still(const struct vvi_contact_step *w)
{
  return w->memory[PRESSED];
}

double vvi_contact_opening(const struct vvi_contact_step *w)
{
  return w->memory[OPENING];
}

/* What two bodies lost in the step along normals and across; lasting: of the first, what is an error of the step.  exact:
 * restitution 1 is to lose nothing, and what is not zero along normals is debt. */
typedef struct pair_loss {
  int32_t a, b;
  double normal, across, lasting;
  bool exact, lasts; /* lasts: some contact of the two is pressed, and was so in the step before */
} pair_loss;

/* What counts as lost, or as brought where it is negative. */
static double lost_by(const pair_loss *l)
{
  return l->across + (l->exact ? fmin(l->normal, 0.0) : l->normal);
}

static bool lasts(const vvi_contact *c)
{
  return c->resting && c->pressed && c->j[0] > 0.0;
}

/* J that theory lets the contacts of a group borrow in a step: half a kick, and what impulses that are not scaled do to the shadow
 * energy.                                                                                              [contact 22a, shadow 7] */
static double may_borrow(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  return g->stray + vvi_group_allowance(w, g);
}

/* J that contacts of a group which last are lent where their gaps open: these stay between 0 and 3/2 keep [contact 28], and the force
 * N = J_n/h, without blows that go through it, does the work N dg.                                                                             [contact 30c] */
static double opening_of(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  double sum = 0.0;
  for (int32_t i = 0; i < g->n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    if (lasts(c) && w->h > 0.0) sum += 1.5 * c->keep * c->lasting[0] / w->h; /* not with blows of others */
  }
  return sum;
}

/* Loans of a group in a step, J: what its pairs borrowed beyond what pays back.  While a contact lasts, loans of its pair one after the
 * other are one, of the same gap that opens. */
typedef struct group_loan {
  const vvi_contact_group *group;
  double most;  /* that theory lets it borrow; below 0: not asked for yet */
  double blows; /* the sum of all but those of contacts that last */
} group_loan;

static double most_of(const struct vvi_contact_step *w, group_loan *k)
{
  if (k->most < 0.0) k->most = may_borrow(w, k->group) + opening_of(w, k->group);
  return k->most;
}

static void post_lent(struct vvi_contact_step *w, double before, double now, double most)
{
  const double counts = fmin(now, most), counted = fmin(before, most);
  w->post->lent += counts * counts - counted * counted;
}

static void add_loan(struct vvi_contact_step *w, group_loan *k, const pair_loss *l, double *run, double joules,
                     bool paid)
{
  if (paid || !l->lasts) *run = 0.0;
  if (!(joules > 0.0)) return;
  if (l->lasts)
    post_lent(w, *run, *run + joules, most_of(w, k)), *run += joules;
  else
    k->blows += joules;
}

/* share: the part of losses that what others of the group brought leaves. */
static void book_pair(struct vvi_contact_step *w, const pair_loss *l, double share, group_loan *loan)
{
  const double lost = lost_by(l);
  if (l->normal == 0.0 && l->across == 0.0) return;
  double *debt = debt_of(w, pair_of_bodies(w, l->a, l->b)), borrowed = 0.0;
  if (l->exact && l->normal > 0.0) borrowed = fmin(l->normal, fmax(l->normal - *debt, 0.0)), *debt -= l->normal;
  if (lost <= 0.0) {
    *debt -= (1.0 - w->covered) * lost;
    add_loan(w, loan, l, debt + 1, borrowed - (1.0 - w->covered) * lost, false);
    return;
  }
  const double left = share * lost, back = fmin(left, fmax(*debt, 0.0)), rest = left - back;
  *debt -= back;
  const double friction = fmin(fmax(l->across, 0.0), rest);
  if (friction > 0.0) vvi_sum_add(&w->post->friction_loss, friction);
  const double step = fmin(fmax(l->lasting, 0.0), rest - friction);
  if (step > 0.0) vvi_sum_add(&w->post->step_loss, step);
  if (rest - friction > step) vvi_sum_add(&w->post->restitution_loss, rest - friction - step);
  add_loan(w, loan, l, debt + 1, borrowed, true);
}

/* J that a contact lost as one that lasts: it pushed in the step before, too, and forces press it together, so it approaches by
 * w = h |G M^-1 f| at the most and loses J w/2.  What goes beyond is a blow, through a third body perhaps, and restitution took
 * it.  The impulses of a run have a sum whatever h is: this part falls with h.                             [ledger 1a] */
static double lost_lasting(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double speed = 0.0;
  for (int l = 0; c->resting && l < c->legs; l++) {
    const vvi_leg *leg = &w->leg[c->first + l];
    const double *kick = w->work[leg->mover].kick;
    speed += fabs(vvi_dot3(leg->force[0], kick) + vvi_dot3(leg->moment[0], kick + 3));
  }
  return c->resting ? fmin(-c->work[0], 0.5 * c->j[0] * speed) : 0.0;
}

/* The contacts of two bodies lie side by side in a group, but for those found late. */
static int32_t next_pair(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t i, pair_loss *out)
{
  const vvi_contact *c = &w->contact[g->member[i]];
  const int32_t a = c->body[0] < c->body[1] ? c->body[0] : c->body[1];
  *out = (pair_loss){.a = a, .b = c->body[0] + c->body[1] - a, .exact = true};
  for (; i < g->n; i++) {
    const vvi_contact *d = &w->contact[g->member[i]];
    if (d->body[0] + d->body[1] != out->a + out->b || (d->body[0] != a && d->body[1] != a)) break;
    out->normal -= d->work[0], out->across -= d->work[1];
    out->lasting += lost_lasting(w, d);
    out->exact &= d->restitution == 1.0 && !d->calm, out->lasts |= lasts(d);
  }
  if (i == g->n) out->normal += g->lost;
  return i;
}

/* Contacts of a group act together: what some of them bring is covered by what others lose, and only the rest is debt. */
static void book_losses(struct vvi_contact_step *w, const vvi_contact_group *g)
{
  double lost = 0.0, brought = 0.0;
  group_loan loan = {.group = g, .most = -1.0};
  pair_loss l;
  for (int32_t i = 0; i < g->n;) {
    i = next_pair(w, g, i, &l);
    lost += fmax(0.0, lost_by(&l)), brought += fmax(0.0, -lost_by(&l));
  }
  const double share = lost > brought ? 1.0 - brought / lost : 0.0;
  w->covered = brought > 0.0 ? fmin(1.0, lost / brought) : 1.0;
  for (int32_t i = 0; i < g->n;) {
    i = next_pair(w, g, i, &l);
    book_pair(w, &l, share, &loan);
  }
  if (loan.blows > 0.0) post_lent(w, 0.0, loan.blows, most_of(w, &loan));
}

/* ---- what is shown ---- */

static void show_none(struct vvi_contact_step *w)
{
  double *half = half_of(w);
  for (int32_t i = 0; i < w->shown; i++) {
    const int64_t at = w->shown_at[i];
    int k = 0;
    while (k + 1 < w->model->n_block && w->model->block[k + 1].p0 <= at) k++;
    const vv_block *b = &w->model->block[k];
    vvi_node_put(b, at - b->p0, (const double[VVI_NODE_P]){0}, half);
  }
  if (w->shown < 0) memset(half, 0, sizeof(double) * (size_t)w->model->np); /* nobody knows which */
  w->shown = 0;
}

static void show(struct vvi_contact_step *w, int32_t mover, double part)
{
  const vvi_working *m = &w->work[mover];
  const vv_block *b = &w->model->block[m->block];
  double j[6];
  for (int c = 0; c < 6; c++) j[c] = part * m->held[c];
  if (j[0] == 0.0 && j[1] == 0.0 && j[2] == 0.0 && j[3] == 0.0 && j[4] == 0.0 && j[5] == 0.0) return;
  b->kind->scatter(b, m->node, w->q + b->q0, j, half_of(w) + b->p0);
  w->shown_at[w->shown++] = b->p0 + m->node;
}

/* m/s of velocity and spin together, as the kinetic energy weighs them. */
static double pace_of(const vv_mover *m, const double v[6])
{
  const double *a = m->inverse_mass, *b = m->inverse_inertia, place = a[0] + a[1] + a[2], turn = b[0] + b[1] + b[2];
  return sqrt(vvi_dot3(v, v) + (turn > 0.0 ? place / turn * vvi_dot3(v + 3, v + 3) : 0.0));
}

/* Contacts that hold may press on a light mover from one side while those of the other side bounce: with half of the one alone
 * it would show a speed that it never has.  At the end of the drift V+ + (kick + M^-1 held)/2 is shown.      [contact 27] */
static bool shows_well(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  for (int32_t i = 0; i < g->movers; i++) {
    const vvi_working *m = &w->work[g->mover[i]];
    const vv_mover *at = &w->near->mover[g->mover[i]];
    double held[6], last[6], shown[6], given[6];
    if (!m->touched) continue;
    vvi_times6(at->inverse_mass, m->held, held), vvi_times6(at->inverse_inertia, m->held + 3, held + 3);
    vvi_times6(at->inverse_mass, m->impulse, given), vvi_times6(at->inverse_inertia, m->impulse + 3, given + 3);
    for (int c = 0; c < 6; c++) {
      last[c] = m->now[c] - m->kick[c] - given[c];
      shown[c] = m->now[c] + 0.5 * (m->kick[c] + held[c]);
    }
    const double most = fmax(pace_of(at, last), pace_of(at, m->now)) + pace_of(at, m->kick);
    if (pace_of(at, shown) > (1.0 + 1e-9) * most) return false;
  }
  return true;
}

/* J: what movers have of impulses that hold when a step ends, half of them: P.M^-1 P/8; when a contact begins to hold it is lent, when
 * it lets go it is an ordinary loan.                                                                       [contact 30b] */
static double held_by(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  double sum = 0.0;
  for (int32_t i = 0; i < g->movers; i++) {
    const vvi_working *m = &w->work[g->mover[i]];
    const vv_mover *at = &w->near->mover[g->mover[i]];
    const double *j = vvi_mover_still(m) ? m->impulse : m->held; /* what stands still is held by all */
    double v[6];
    if (!m->touched) continue;
    vvi_times6(at->inverse_mass, j, v), vvi_times6(at->inverse_inertia, j + 3, v + 3);
    for (int c = 0; c < 6; c++) sum += 0.125 * j[c] * v[c];
  }
  return sum;
}

static void show_nothing_of(struct vvi_contact_step *w, vvi_contact_group *g)
{
  for (int32_t i = 0; i < g->movers; i++) {
    memset(w->work[g->mover[i]].held, 0, sizeof w->work->held);
    vvi_touch_show_nothing(w, g->mover[i]);
  }
  for (int32_t i = 0; i < g->n; i++) w->contact[g->member[i]].steady = 0.0;
  memset(g->pending, 0, sizeof g->pending);
}

/* A body that stays where it is shows no momentum at all: -h f/2 takes back the half kick. */
static void show_rest(struct vvi_contact_step *w, int32_t mover)
{
  const vvi_working *m = &w->work[mover];
  const vv_block *b = &w->model->block[m->block];
  double f[VVI_NODE_P];
  vvi_node_momenta(b, m->node, w->f, f);
  for (int c = 0; c < VVI_NODE_P; c++) f[c] = -(0.5 * w->h * f[c]);
  vvi_node_put(b, m->node, f, half_of(w));
  if (w->joints != NULL) vvi_linked_rest(w, mover, half_of(w));
  w->shown_at[w->shown++] = b->p0 + m->node;
}

/* What is pending is counted as given. */
static void pend(struct vvi_contact_step *w, const double now[6])
{
  double *pending = w->memory + PENDING;
  if (memcmp(pending, now, 6 * sizeof *now) != 0)
    w->rest.repeats = false; /* it will be the same from the next one on */
  for (int c = 0; c < 3; c++) {
    vvi_sum_add(&w->post->impulse[c], now[c] - pending[c]);
    vvi_sum_add(&w->post->moment[c], now[3 + c] - pending[3 + c]);
  }
  memcpy(pending, now, 6 * sizeof *now);
}

/* ---- the step ---- */

static void post_outside(struct vvi_contact_step *w, const vvi_contact *c, double sign, double pending[6])
{
  double all[6] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++) all[k] += c->j[i] * c->outside[i][k];
  for (int k = 0; k < 3; k++) {
    vvi_sum_add(&w->post->impulse[k], sign * all[k]);
    vvi_sum_add(&w->post->moment[k], sign * all[3 + k]);
  }
  for (int k = 0; k < 6; k++) pending[k] += 0.5 * c->steady * sign * all[k];
}

static void note(struct vvi_contact_step *w, const vvi_contact *c, double lost, bool back)
{
  if (w->log == NULL || !(c->j[0] > 0.0)) return;
  const double across = sqrt(c->j[1] * c->j[1] + c->j[2] * c->j[2]), speed = w->sign * c->before[0];
  const vvi_contact_note e = {
      .contact = c, .speed = speed, .normal = w->sign * c->j[0], .tangential = across, .lost = lost, .back = back};
  if (w->log(w->user, &e)) w->rest.repeats = false;
  w->rest.held += c->held;
}

/* A contact of a piece that the last resort stopped.  One that is alone in its group and had no impulse of its own was all that
 * acted on its sides; what several have given cannot be told apart, and is told as 0. */
static void note_stop(struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_contact *c, double lost)
{
  const bool alone = g->n == 1 && c->j[0] == 0.0;
  double given[2][3] = {{0}};
  bool moves[2] = {false, false};
  if (w->log == NULL) return;
  for (int32_t i = c->first; alone && i < c->first + c->legs; i++) {
    const vvi_working *m = &w->work[w->leg[i].mover];
    const vv_body *b = &w->model->body[c->patch[1]->body];
    const int side = m->block == b->block && m->node >= b->node0 && m->node < b->node0 + b->n_node;
    moves[side] = true;
    for (int k = 0; k < 3; k++) given[side][k] += m->impulse[k];
  }
  for (int k = 0; alone && !moves[1] && k < 3; k++) given[1][k] = -given[0][k];
  const double along = vvi_dot3(given[1], c->n), all = vvi_dot3(given[1], given[1]);
  const vvi_contact_note e = {.contact = c,
                              .speed = w->sign * c->before[0],
                              .normal = w->sign * along,
                              .tangential = sqrt(fmax(0.0, all - along * along)),
                              .lost = lost,
                              .stop = given[1]};
  w->log(w->user, &e);
  w->rest.repeats = false;
}

/* Its movers stood still before this instant and stand still behind it: nothing is lost, whatever the rows say by rounding. */
static bool stays(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  if (!w->forced || w->f == NULL || w->driven || g->count.deepest != 0.0) return false;
  for (int32_t i = 0; i < g->movers; i++) {
    const vvi_working *m = &w->work[g->mover[i]];
    const vv_block *b = &w->model->block[m->block];
    if (!vvi_mover_still(m) || m->frozen != 0) return false;
    double f[VVI_NODE_P];
    const int n = vvi_node_momenta(b, m->node, w->f, f);
    for (int c = 0; c < n; c++)
      if (m->saved[c] != 0.5 * w->sign * w->h * f[c]) return false;
  }
  return true;
}

/* Who tells what the group lost beyond the impulses of its contacts: one that was stopped, else the first that pushed; -1: none. */
static int32_t who_tells(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  int32_t pushed = -1;
  for (int32_t i = g->n - 1; i >= 0; i--)
    if (w->contact[g->member[i]].j[0] != 0.0) pushed = i;
  for (int32_t i = 0; g->lost != 0.0 && i < g->n; i++)
    if (w->contact[g->member[i]].stopped) return i;
  return pushed;
}

static void book_group(struct vvi_contact_step *w, const vvi_contact_group *g, double pending[6])
{
  const bool rests = stays(w, g);
  const int32_t tells = who_tells(w, g);
  w->rest.repeats &= rests;
  for (int32_t i = 0; i < g->n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    const double more = i == tells ? g->lost : 0.0;
    const bool stop = c->stopped && (c->j[0] == 0.0 || i == tells);
    if (stop) note_stop(w, g, c, more);
    if (c->j[0] == 0.0) continue;
    if (c->near < 0) {
      const double given = c->given[0] * c->j[0] + c->given[1] * c->j[1] + c->given[2] * c->j[2];
      if (c->open) post_outside(w, c, w->sign, pending);
      if (given != 0.0) vvi_sum_add(&w->post->external_work, -given);
    }
    note(w, c, rests ? 0.0 : (stop ? 0.0 : more) - (c->work[0] + c->work[1]), false);
  }
  if (!rests) book_losses(w, g);
  for (int k = 0; k < 3; k++) {
    vvi_sum_add(&w->post->impulse[k], w->sign * g->outside[k]);
    vvi_sum_add(&w->post->moment[k], w->sign * g->outside[3 + k]);
  }
  for (int k = 0; k < 6; k++) pending[k] += 0.5 * w->sign * g->pending[k];
  if (g->given != 0.0) vvi_sum_add(&w->post->external_work, -g->given);
}

static void add_counts(vvi_contact_counts *sum, const vvi_contact_counts *c)
{
  sum->passes += c->passes, sum->restarts += c->restarts, sum->solves += c->solves, sum->closed += c->closed;
  sum->deepest = fmax(sum->deepest, c->deepest);
  vvi_overlap_take(&sum->overlap, c->overlap.depth, c->overlap.size);
  sum->turns += c->turns, sum->levels += c->levels;
  sum->newton += c->newton, sum->looked += c->looked, sum->calmed += c->calmed, sum->frozen += c->frozen,
      sum->late += c->late, sum->unresolved += c->unresolved;
}

static void book_all(struct vvi_contact_step *w, bool shows)
{
  double pending[6] = {0}, held = 0.0, opening = 0.0;
  if (shows) show_none(w);
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    held += held_by(w, g), opening += opening_of(w, g);
    if (shows && w->forced && !shows_well(w, g)) show_nothing_of(w, g);
    book_group(w, g, pending);
    add_counts(&w->count, &g->count);
    for (int32_t i = 0; shows && w->forced && i < g->movers; i++) {
      const vvi_working *m = &w->work[g->mover[i]];
      if (!m->touched) continue;
      if (vvi_mover_still(m) && m->frozen == 0)
        show_rest(w, g->mover[i]);
      else
        show(w, g->mover[i], 0.5 * w->sign);
    }
  }
  if (shows) pend(w, pending);
  vvi_touch_book(w, shows);
  if (shows) keep_warm(w);
  if (shows && w->features != NULL) keep_features(w);
  if (shows) w->memory[STARTED] = 1.0;
  const double debt = vvi_contact_debt(w);
  w->memory[PRESSED] = fmax(w->memory[PRESSED], held), w->memory[OPENING] = fmax(w->memory[OPENING], opening);
  w->memory[MOST] = fmax(w->memory[MOST], debt);
  w->memory[OFF] =
      fmax(w->memory[OFF], fmax(debt - held, -debt)); /* what is lent to those that hold may stand as long as they do */
}

/* The step is summed up for itself, where one that is like it may come: it posts the same. */
void vvi_contact_book(struct vvi_contact_step *w, bool shows)
{
  if (w->rest.q == NULL) {
    book_all(w, shows);
    return;
  }
  vv_posted own = {0}, *const post = w->post;
  w->post = &own, w->rest.repeats = shows, w->rest.held = 0;
  book_all(w, shows);
  w->post = post;
  vvi_posted_add(post, &own);
  w->rest.post = own;
}

/* J that a mover gains when an impulse is taken back: T(p0 - P) - T(p0) = -P.v0 + P.M^-1 P/2. */
static double taken_back(const struct vvi_contact_step *w, int32_t i)
{
  const vvi_working *m = &w->work[i];
  const vv_mover *at = &w->near->mover[i];
  double sum = 0.0;
  for (int c = 0; c < 3; c++) {
    const double change[2] = {m->now[c] - m->kick[c] - at->velocity[c], m->now[3 + c] - m->kick[3 + c] - at->spin[c]};
    sum += m->impulse[c] * (0.5 * change[0] - at->velocity[c]) + m->impulse[3 + c] * (0.5 * change[1] - at->spin[c]);
  }
  return sum;
}

/* A run that starts in contact, with velocities v0 at its start, would be taken for one that has just been thrown up.  Half the
 * impulse of the first step is taken back beforehand: p = p0 - G^T J0/2, from V- = v0 and Vf = v0 + h M^-1 f/2.  [contact 27a] */
void vvi_contact_start(struct vvi_contact_step *w)
{
  double pending[6] = {0};
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    double lent = 0.0;
    const double most = may_borrow(w, g);
    for (int32_t i = 0; i < g->movers; i++) {
      vvi_working *m = &w->work[g->mover[i]];
      for (int c = 0; c < 6; c++) m->kick[c] *= 0.5;
    }
    vvi_group_press(w, g, w->island_work[0]);
    for (int32_t i = 0; i < g->movers; i++) {
      vvi_working *m = &w->work[g->mover[i]];
      const vv_block *b = &w->model->block[m->block];
      if (!m->touched) continue;
      double p[VVI_NODE_P];
      const int n = vvi_node_momenta(b, m->node, w->p, p);
      for (int c = 0; c < n; c++) p[c] = 2.0 * m->saved[c] - p[c];
      vvi_node_put(b, m->node, p, w->p);
      lent += taken_back(w, g->mover[i]);
      memcpy(m->held, m->impulse, sizeof m->held);
      show(w, g->mover[i], 1.0);
    }
    vvi_touch_start(w, g);
    pair_loss first; /* the losses of the group pay it back */
    next_pair(w, g, 0, &first);
    if (lent != 0.0) *debt_of(w, pair_of_bodies(w, first.a, first.b)) += lent, post_lent(w, 0.0, fabs(lent), most);
    for (int32_t i = 0; i < g->n; i++) {
      vvi_contact *c = &w->contact[g->member[i]];
      double none[6] = {0};
      note(w, c, 0.0, true);
      if (c->j[0] == 0.0 || !c->open || c->near >= 0) continue;
      post_outside(w, c, -1.0, none);
      for (int a = 0; a < 3; a++)
        for (int d = 0; d < 6; d++) pending[d] += c->j[a] * c->outside[a][d];
    }
    for (int c = 0; c < 3; c++) {
      vvi_sum_add(&w->post->impulse[c], -g->outside[c]);
      vvi_sum_add(&w->post->moment[c], -g->outside[3 + c]);
      pending[c] += g->outside[c], pending[3 + c] += g->outside[3 + c];
    }
  }
  pend(w, pending);
  w->memory[STARTED] = 1.0;
}
