/* body/bar/flow.c  Bars whose material flows, damps or breaks.
 *
 * With the strain eps = (u_{e+1} - u_e)/l, s = eps - e of the elastic part, and D the damage of a crack that is open (one that
 * is closed carries pressure), an element has                                                                  [mat 8]
 *
 *   sigma = (1 - D) E s + sum_k g_k (eps - a_k),
 *   W/V   = (1 - D) E s^2/2 + Hk e^2/2 + sum_k g_k (eps - a_k)^2/2.
 *
 * A drift moves eps by h (v_{e+1} - v_e)/l.  Booked is the mean stress times the increment of what is inelastic: with it
 * H - (h^2/8) F.M^-1 F + posted is constant to rounding, whatever the laws do.                             [mat 2, 3, 14]
 *
 * Below everything is a force, k = E S/l times an elongation l s, and what is kept of the plastic strain is the elongation l e: no
 * element divides by its length or reads it before it flows, and one that never flowed has the bits of an elastic one.  Eight neighbours are worked on at once; those behind the last eight go through the same
 * formulas beside springs of stiffness 0.  Pieces of 64 elements that never flowed are marked: of them only the force is
 * looked at, where it is taken anyway. */
#include "body/bar/bar.h"

#include "ledger/ledger.h"
#include "math/math.h"

#include <float.h>
#include <string.h>

enum { LANES = 8, PIECE = BAR_PIECE, CALM = 4, SEGMENT = 2048, SEGMENTS = 64, SHARED_FROM = 16384 };
_Static_assert(PIECE % (CALM * LANES) == 0, "a piece is made of whole lanes");

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t masks __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t two_masks __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define INLINE             static inline __attribute__((always_inline))
#define PICK(m, yes, no)   ((lanes)(((masks)(yes) & (m)) | ((masks)(no) & ~(m))))
#define SIZE(x)            ((lanes)((masks)(x)&INT64_MAX))
#define WITH_SIGN_OF(x, s) ((lanes)((masks)(x) | ((masks)(s)&INT64_MIN)))

/* A body: its law in units of force, and its places in the columns. */
typedef struct bar {
  const bar_inelastic *law;
  int64_t n;                           /* elements */
  const double *k, *l, *minv;          /* [n], [n], [n + 1] */
  const double *u;                     /* [n + 1] */
  double *e, *alpha, *branch, *damage; /* columns; NULL: none.  branch: those of the others follow */
  double *closed, *owed; /* beside damage: 0 to 1, how far the crack is closed; J that it took and may give back */
  double *lost;          /* J that each element has dissipated */
  double *mark;          /* of each piece; 0: it never flowed */
  double area, yield, moves, hardened; /* S; S sy; Hk/E: the back force is that of k l e; S (E + Hk) */
  double slope;                        /* S H of the first piece of the polygon */
  double inverse;                      /* 1/(E S): k times it is 1/l */
  double over;                         /* 1/(S (E + Hk + H)) of it */
} bar;

static bar bar_of(const vv_block *b, int32_t j, const double *u)
{
  const vv_body *body = b->body[j];
  const bar_inelastic *law = bar_law_of(b, j);
  const int64_t n = body->n_element, w = bar_z_column(n);
  double *z = (double *)u + b->z0 + body->z0;
  const double S = law->area;
  return (bar){.law = law,
               .n = n,
               .k = bar_node(b, BAR_STIFFNESS) + body->node0,
               .l = bar_node(b, BAR_SPAN) + body->node0,
               .minv = bar_node(b, BAR_INVERSE_MASS) + body->node0,
               .u = u + body->node0,
               .e = law->plastic.yield > 0.0 ? z + BAR_Z_PLASTIC * w : NULL,
               .alpha = law->plastic.yield > 0.0 ? z + BAR_Z_ALPHA * w : NULL,
               .branch = z + (int64_t)law->branch0 * w,
               .damage = law->damage >= 0.0 ? z + (int64_t)law->damage * w : NULL,
               .closed = law->damage >= 0.0 ? z + ((int64_t)law->damage + 1) * w : NULL,
               .owed = law->damage >= 0.0 ? z + ((int64_t)law->damage + 2) * w : NULL,
               .lost = z + (int64_t)law->lost * w,
               .mark = z + (int64_t)law->columns * w,
               .area = S,
               .yield = S * law->plastic.yield,
               .moves = law->plastic.kinematic / law->young,
               .hardened = S * (law->young + law->plastic.kinematic),
               .slope = S * law->plastic.slope[0],
               .inverse = 1.0 / (law->young * S),
               .over = 1.0 / (S * (law->young + law->plastic.kinematic) + S * law->plastic.slope[0])};
}

const double *bar_flow_column(const vv_block *b, int32_t j, int column, const double *u)
{
  return u + b->z0 + b->body[j]->z0 + column * bar_z_column(b->body[j]->n_element);
}

/* ---- one element ---- */

/* Elongation beyond the plastic one, and what damage leaves of its stiffness. */
static double stretched(const bar *a, int64_t i, double du)
{
  return a->e != NULL ? du - a->e[i] : du;
}

static double left_of(const bar *a, int64_t i)
{
  return a->damage != NULL ? 1.0 - a->damage[i] * (1.0 - a->closed[i]) : 1.0;
}

/* Of what hardening stores, which has no sign. */
static double whole_of(const bar *a, int64_t i)
{
  return a->damage != NULL ? 1.0 - a->damage[i] : 1.0;
}

static double *branch_of(const bar *a, int k)
{
  return a->branch + k * bar_z_column(a->n);
}

static double force_of(const bar *a, int64_t i, double du)
{
  const double d = stretched(a, i, du);
  double N = left_of(a, i) * (a->k[i] * d);
  for (int k = 0; k < (int)a->law->damping.branches; k++)
    N += (a->law->damping.part[k] * a->k[i]) * (du - a->l[i] * branch_of(a, k)[i]);
  return N;
}

double bar_flow_force(const vv_block *b, int32_t j, int64_t e, const double *u)
{
  const bar a = bar_of(b, j, u);
  return force_of(&a, e, a.u[e + 1] - a.u[e]);
}

double bar_flow_energy(const vv_block *b, int32_t j, int64_t e, const double *u)
{
  const bar a = bar_of(b, j, u);
  const double du = a.u[e + 1] - a.u[e], d = stretched(&a, e, du), p = a.e != NULL ? a.e[e] : 0.0;
  double sum = 0.5 * left_of(&a, e) * a.k[e] * d * d + 0.5 * whole_of(&a, e) * (a.moves * a.k[e]) * p * p;
  for (int k = 0; k < (int)a.law->damping.branches; k++) {
    const double s = du - a.l[e] * branch_of(&a, k)[e];
    sum += 0.5 * a.law->damping.part[k] * a.k[e] * s * s;
  }
  return sum;
}

/* J that the cracks of a bar took when they closed and opened, and give back.                                    [mat 14a] */
double bar_flow_kept(const vv_block *b, int32_t j, const double *u)
{
  const bar a = bar_of(b, j, u);
  double sum = 0.0;
  for (int64_t i = 0; a.owed != NULL && i < a.n; i++) sum += a.owed[i];
  return sum;
}

typedef struct losses {
  double plastic, viscous, damage;
} losses;

/* Softening over one element: the crack band.  Brittle: from the stress on, by the strain.  Plastic: from the plastic strain on,
 * by what flows more.                                                                                    [mat 14, 14b] */
static double damage_wanted(const bar *a, int64_t i, double s)
{
  const vvi_failure *f = &a->law->failure;
  if (f->stress > 0.0) {
    const double start = f->stress / a->law->young, end = fmax(start, 2.0 * f->energy / (f->stress * a->l[i]));
    if (s <= start) return 0.0;
    return s >= end ? 1.0 : 1.0 - start * (end - s) / (s * (end - start));
  }
  return s <= 0.0 ? 0.0 : vvi_plastic_damage(&a->law->plastic, f, a->l[i], a->alpha[i]);
}

/* The plastic strain of an element that can break.  Damage has taken of the back force what it took of a tension, and a crack that
 * is closed gives that back to the force alone: over L, what hardening has left is (1 - D)/L. */
static void flow_plastic(const bar *a, int64_t i, double h, double du)
{
  const double moves = a->moves * (whole_of(a, i) / left_of(a, i)), e0 = a->e[i];
  const double s = (a->k[i] * (du - e0) - (moves * a->k[i]) * e0) / a->area, modulus = a->law->young * (1.0 + moves);
  const vvi_returned r = vvi_plastic_return(&a->law->plastic, s * s, modulus, 0.0, modulus, a->alpha[i], h);
  if (r.dalpha == 0.0) return;
  a->e[i] += a->l[i] * copysign(r.dalpha, s), a->alpha[i] += r.dalpha;
}

/* A crack is closed by c, between 0 and 1, and leaves L = 1 - D (1 - c).  A step in which c changes leaves over D k d0 d1 (c0 - c1)/2: a
 * crack that closes while d passes zero takes some energy, one that opens so gives some.  Where steps are not short against the
 * element these differ each time, and a crowd of loose pieces would gain by it without bound, as a ball does between walls that
 * move at random.  So a crack gives back what it took and no more: it opens while d passes zero as far as what it owes allows, and
 * otherwise a step later, which takes; it closes while d passes zero, which takes, or a step later where it could pay for that even
 * if it were then pressed four times as far as it seems ((omega h)^2 <= 4 is what neighbours add in a step).  Pressed yet farther,
 * by a blow, it closes all the same, so that nothing passes through it, and takes before it gives again: owed is below zero until
 * then.  What is given back was not lost: owed is part of the energy, and no loss.  Where the element flows while d passes zero the
 * crack stays as it is for this step: opened, it would have been pressed in the mean while it flowed in tension.  [mat 14a] */
static void move_crack(const bar *a, int64_t i, double d0, double d1, bool flows)
{
  const double half = 0.5 * a->damage[i] * a->k[i], toll = half * d0 * d1, c0 = a->closed[i];
  const double owed = a->owed[i], next = 2.0 * d1 - d0; /* d after the next step, as far as it is known */
  double c1 = 1.0;
  if (d1 > 0.0)
    c1 = d0 > 0.0 ? 0.0 : flows ? c0 : fmax(0.0, c0 - fmin(1.0, fmax(0.0, owed) / fmax(-toll, DBL_MIN)));
  else if (d0 > 0.0 && owed > 4.0 * half * d1 * next)
    c1 = c0;
  a->closed[i] = c1;
  a->owed[i] = owed + toll * (c0 - c1);
}

/* What damage leaves acts in the mean stress of the plastic strain, too: with L = 1 - D before and after,
 *   1/2 k (L0 d0 + L1 d1)(d1 - d0 + de) - 1/2 k (L1 d1^2 - L0 d0^2) = de 1/2 k (L0 d0 + L1 d1) + 1/2 k d0 d1 (L0 - L1),
 * and the same for the energy of kinematic hardening.  Of L0 - L1 = (D1 - D0)(1 - c1) + D0 (c0 - c1) the second part is what the
 * crack owes; the first is lost, and not below zero: damage grows in steps that begin and end pulled only.  [mat 2, 14, 14a] */
static void flow_breaking(const bar *a, int64_t i, double h, double du, double du0, losses *out)
{
  const double d0 = stretched(a, i, du0), left0 = left_of(a, i), e0 = a->e != NULL ? a->e[i] : 0.0;
  const double whole0 = whole_of(a, i), back = a->moves * a->k[i], damage0 = a->damage[i];
  losses own = {0};
  if (a->e != NULL && left0 > 0.0) flow_plastic(a, i, h, du);
  const double d1 = stretched(a, i, du);
  const double wanted = d0 > 0.0 ? damage_wanted(a, i, d1 / a->l[i]) : 0.0; /* then the loss has its sign */
  move_crack(a, i, d0, d1, a->e != NULL && a->e[i] != e0);
  if (wanted > a->damage[i]) a->damage[i] = wanted;
  const double left1 = left_of(a, i), e1 = a->e != NULL ? a->e[i] : 0.0, whole1 = whole_of(a, i);
  const double mean = 0.5 * a->k[i] * (left0 * d0 + left1 * d1) - 0.5 * back * (whole0 * e0 + whole1 * e1);
  own.plastic = mean * (e1 - e0);
  own.damage = 0.5 * a->k[i] * d0 * d1 * ((a->damage[i] - damage0) * (1.0 - a->closed[i])) +
               0.5 * back * e0 * e1 * (whole0 - whole1);
  a->lost[i] += own.plastic + own.damage;
  out->plastic += own.plastic, out->damage += own.damage;
}

/* ---- eight elements ---- */

#define LOAD(p)     (*(const lanes *)(p))
#define STORE(p, x) (*(lanes *)(p) = (x))

/* Is some lane below zero?  By signs: comparisons that no lane is picked by are taken apart by compilers. */
INLINE bool some_below(const masks *m)
{
  const two_masks *two = (const two_masks *)m, all = (two[0] | two[1]) | (two[2] | two[3]);
  return (all[0] | all[1]) < 0;
}

/* Eight elements from i on: what is known of them. */
typedef struct eight {
  int64_t i;
  lanes k, du, u; /* u of their left nodes */
} eight;

typedef struct eight_losses {
  lanes plastic, viscous;
  losses breaking;
} eight_losses;

/* What the drift has added to du. */
INLINE void eight_moved(const bar *a, const eight *x, double h, const double *p, lanes *dv)
{
  const lanes left = LOAD(a->minv + x->i) * LOAD(p + x->i), right = LOAD(a->minv + x->i + 1) * LOAD(p + x->i + 1);
  *dv = h * (right - left);
}

/* How much a law asks for: MUCH where it damps or breaks; TABLE where it flows by a polygon or a rate; LINE where it flows, and its
 * hardening is one straight line from alpha = 0 on. */
typedef enum law_kind { MUCH, TABLE, LINE } law_kind;

static law_kind kind_of(const bar *a)
{
  const vvi_plastic *p = &a->law->plastic;
  if (a->e == NULL || a->damage != NULL || a->law->damping.branches > 0.0) return MUCH;
  return p->rate_law != VVI_NO_RATE || p->pieces > 1.0 ? TABLE : LINE;
}

/* Growth of alpha where the force `size` is above the yield force.  Bars have it in closed form: size - S (E + Hk) da = S (Y +
 * H da).                                                                                                        [mat 4] */
INLINE void eight_return(law_kind kind, const bar *a, double h, const lanes *size, const lanes *alpha, lanes *grown)
{
  const vvi_plastic *p = &a->law->plastic;
  const lanes none = {0};
  lanes Y = none + a->yield, H = none;
  if (kind != LINE && p->rate_law != VVI_NO_RATE) {
    const double modulus = a->hardened / a->area;
    for (int i = 0; i < LANES; i++) {
      const double s = (*size)[i] / a->area;
      (*grown)[i] = vvi_plastic_return(p, s * s, modulus, 0.0, modulus, (*alpha)[i], h).dalpha;
    }
    return;
  }
  if (kind == LINE || p->pieces <= 1.0) {
    Y += a->slope * *alpha;
    *grown = PICK((masks)(*size > Y), (*size - Y) * a->over, none);
    return;
  }
  for (int i = 0; i < (int)p->pieces; i++) {
    const masks beyond = (masks)(*alpha >= none + p->at[i]);
    const lanes slope = PICK(beyond, none + a->area * p->slope[i], none);
    Y += slope * (*alpha - p->at[i]), H += slope;
  }
  *grown = PICK((masks)(*size > Y), (*size - Y) / (a->hardened + H), none);
}

/* Plastic flow; d becomes the elongation that is left.  With xi before the flow, dv and de what the drift and the flow have added
 * to du and e, the mean of [mat 2] is xi - k (dv + (1 + Hk/E) de)/2.  Elements that do not flow keep their bits. */
INLINE void eight_flow(law_kind kind, const bar *a, const eight *x, double h, const double *p, lanes *d,
                       eight_losses *out)
{
  const lanes e0 = LOAD(a->e + x->i), xi = x->k * *d - (a->moves * x->k) * e0, size = SIZE(xi);
  const masks left = (masks)(a->yield - size);
  if (kind != LINE && !some_below(&left)) return; /* below the first yield stress, and it never falls */
  const lanes alpha = LOAD(a->alpha + x->i);
  lanes grown, dv;
  eight_return(kind, a, h, &size, &alpha, &grown);
  eight_moved(a, x, h, p, &dv);
  const lanes e1 = e0 + LOAD(a->l + x->i) * WITH_SIGN_OF(grown, xi), de = e1 - e0;
  const lanes work = (xi - (0.5 * x->k) * (dv + (1.0 + a->moves) * de)) * de;
  STORE(a->e + x->i, e1), STORE(a->alpha + x->i, alpha + grown), STORE(a->lost + x->i, LOAD(a->lost + x->i) + work);
  out->plastic += work;
  *d = x->du - e1;
}

/* Branches follow, and add their force.                                                                          [mat 9] */
INLINE void eight_branches(const bar *a, const eight *x, double h, const double *p, bool flow, lanes *N,
                           eight_losses *out)
{
  const vvi_damping *c = &a->law->damping;
  const lanes none = {0}, over = a->inverse * x->k, length = LOAD(a->l + x->i);
  lanes du0 = none, sum = none;
  if (flow) eight_moved(a, x, h, p, &du0), du0 = x->du - du0;
  const lanes both = over * (du0 + x->du);
  for (int k = 0; k < (int)c->branches; k++) {
    double *at = branch_of(a, k) + x->i;
    const lanes stiff = c->part[k] * x->k, s0 = LOAD(at);
    lanes s = s0;
    if (flow) {
      const double r = 0.5 * h / c->time[k];
      s = ((1.0 - r) * s0 + r * both) * (1.0 / (1.0 + r));
      sum += stiff * (0.5 * ((du0 - length * s0) + (x->du - length * s))) * (length * (s - s0));
      STORE(at, s);
    }
    *N += stiff * (x->du - length * s);
  }
  if (!flow) return;
  STORE(a->lost + x->i, LOAD(a->lost + x->i) + sum);
  out->viscous += sum;
}

/* Elements that can break, one by one where something has happened or is about to. */
INLINE void eight_break(const bar *a, const eight *x, double h, const double *p, const lanes *d, eight_losses *out)
{
  const lanes none = {0}, D = LOAD(a->damage + x->i);
  lanes xi = x->k * *d, du0;
  if (a->e != NULL) xi -= (a->moves * x->k) * LOAD(a->e + x->i);
  const double limit = a->e != NULL ? a->yield : a->area * a->law->failure.stress;
  const masks left = (masks)(limit - SIZE(xi)) | (masks)(none - D);
  if (!some_below(&left)) return;
  eight_moved(a, x, h, p, &du0), du0 = x->du - du0;
  const bar other = *a; /* a itself stays in registers */
  for (int l = 0; l < LANES; l++)
    if (left[l] < 0) flow_breaking(&other, x->i + l, h, x->du[l], du0[l], &out->breaking);
}

/* Forces of eight elements, after their flow if there is one. */
INLINE void eight_forces(law_kind kind, const bar *a, eight *x, bool flow, double h, const double *p, eight_losses *out,
                         lanes *N)
{
  lanes d = x->du;
  if (kind != MUCH) {
    d -= LOAD(a->e + x->i);
    if (flow) eight_flow(kind, a, x, h, p, &d, out);
    *N = x->k * d;
    return;
  }
  if (a->e != NULL) d = x->du - LOAD(a->e + x->i);
  if (flow && a->damage != NULL) {
    eight_break(a, x, h, p, &d, out);
    if (a->e != NULL) d = x->du - LOAD(a->e + x->i);
  } else if (flow && a->e != NULL)
    eight_flow(kind, a, x, h, p, &d, out);
  *N = x->k * d;
  if (a->damage != NULL) *N *= 1.0 - LOAD(a->damage + x->i) * (1.0 - LOAD(a->closed + x->i));
  if (a->law->damping.branches > 0.0) eight_branches(a, x, h, p, flow, N, out);
}

/* ---- passes over a body ---- */

/* FLOW: internal variables follow.  KICK: p += h F.  STRIDE: kick h/2, kick h/2, drift h. */
typedef enum pass { FLOW, KICK, STRIDE } pass;

#if __has_builtin(__builtin_shufflevector)
#define BEHIND(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#else
#define BEHIND(a, b) __builtin_shuffle(a, b, (masks){7, 8, 9, 10, 11, 12, 13, 14})
#endif

/* Some elements of a body, from the start of a lane on. */
typedef struct range {
  int64_t from, to;
  double before; /* N of element from - 1 */
  double after;  /* N of element to - 1, where others may have moved its right node already */
  bool known;    /* after is given */
} range;

/* The left nodes of eight elements; N: their forces, last: those of the eight before. */
INLINE void eight_nodes(pass how, const bar *a, const eight *x, double h, const lanes *N, lanes *last, double *u,
                        double *p)
{
  const lanes left = BEHIND(*last, *N), old = LOAD(p + x->i);
  *last = *N;
  if (how == KICK) {
    STORE(p + x->i, old + h * (*N - left));
    return;
  }
  const lanes f = (0.5 * h) * (*N - left), now = (old + f) + f;
  STORE(p + x->i, now);
  STORE(u + x->i, x->u + h * (LOAD(a->minv + x->i) * now));
}

/* Behind the last element; the same operations. */
INLINE void last_node(pass how, const bar *a, double h, double before, double *u, double *p)
{
  const int64_t i = a->n;
  if (how == KICK) {
    p[i] += h * (0.0 - before);
    return;
  }
  const double f = (0.5 * h) * (0.0 - before);
  p[i] = (p[i] + f) + f;
  u[i] += h * (a->minv[i] * p[i]);
}

INLINE eight eight_at(const bar *a, int64_t i)
{
  eight x = {.i = i, .k = LOAD(a->k + i), .u = LOAD(a->u + i)};
  x.du = LOAD(a->u + i + 1) - x.u;
  return x;
}

/* Eight elements; known: the force of the last of them, NULL: it is not. */
INLINE void eight_pass(pass how, bool flow, law_kind kind, const bar *a, int64_t i, double h, const double *known,
                       lanes *last, double *u, double *p, eight_losses *out)
{
  eight x = eight_at(a, i);
  lanes N;
  eight_forces(kind, a, &x, flow, h, p, out, &N);
  if (how == FLOW) return;
  if (known != NULL) N[LANES - 1] = *known;
  eight_nodes(how, a, &x, h, &N, last, u, p);
}

/* Several times eight elements of which none flows now; fresh: none ever did, and nothing but the force is looked at.  False, and
 * nothing is done: one of them flows. */
INLINE bool calm_pass(pass how, bool flow, bool fresh, int many, const bar *a, int64_t i, double h, const double *known,
                      lanes *last, double *u, double *p)
{
  eight x[CALM];
  lanes N[CALM];
  masks left = {0};
  for (int g = 0; g < many; g++) {
    x[g] = eight_at(a, i + g * LANES);
    lanes d = x[g].du, xi;
    if (!fresh) d -= LOAD(a->e + x[g].i);
    N[g] = xi = x[g].k * d;
    if (!fresh) xi -= (a->moves * x[g].k) * LOAD(a->e + x[g].i);
    left |= (masks)(a->yield - SIZE(xi));
  }
  if (flow && some_below(&left)) return false;
  if (how == FLOW) return true;
  if (known != NULL) N[many - 1][LANES - 1] = *known;
  for (int g = 0; g < many; g++) eight_nodes(how, a, &x[g], h, &N[g], last, u, p);
  return true;
}

/* Room for the last few elements beside springs of stiffness 0. */
typedef struct tail {
  double k[LANES], l[LANES], minv[LANES + 1], u[LANES + 1], p[LANES + 1];
  double z[4 + VVI_BRANCHES + 2][LANES];
} tail;

static void copy(const double *from, int64_t n, double *to)
{
  memcpy(to, from, sizeof *to * (size_t)n);
}

/* All columns of the elements from i on: in, or back out. */
static void tail_columns(const bar *a, int64_t i, bool out, tail *t)
{
  double *const column[] = {a->e, a->alpha, a->damage, a->closed, a->owed, a->lost};
  for (int c = 0; c < VV_COUNT(column) + (int)a->law->damping.branches; c++) {
    double *at = c < VV_COUNT(column) ? column[c] : branch_of(a, c - VV_COUNT(column));
    if (at != NULL) copy(out ? t->z[c] : at + i, a->n - i, out ? at + i : t->z[c]);
  }
}

static bar tail_take(const bar *a, int64_t i, const double *p, tail *t)
{
  const int64_t n = a->n - i;
  bar x = *a;
  *t = (tail){0};
  copy(a->k + i, n, t->k), copy(a->l + i, n, t->l), copy(a->minv + i, n + 1, t->minv);
  copy(a->u + i, n + 1, t->u), copy(p + i, n + 1, t->p);
  tail_columns(a, i, false, t);
  x.n = LANES, x.k = t->k, x.l = t->l, x.minv = t->minv, x.u = t->u;
  x.e = a->e != NULL ? t->z[0] : NULL, x.alpha = t->z[1], x.damage = a->damage != NULL ? t->z[2] : NULL;
  x.closed = t->z[3], x.owed = t->z[4], x.lost = t->z[5], x.branch = t->z[6], x.mark = a->mark + i / PIECE;
  return x;
}

/* Whole lanes [i, to) of one piece.  Its mark is set where the first of it flows; behind that nothing is calm, as far as is looked. */
INLINE void piece_pass(pass how, bool flow, law_kind kind, const bar *a, int64_t i, int64_t to, double h,
                       const double *known, lanes *last, double *u, double *p, eight_losses *out)
{
  enum { STEP = CALM * LANES };
  double *mark = a->mark + i / PIECE;
  bool calm = kind != MUCH;
  for (; calm && *mark == 0.0 && i + STEP <= to; i += calm ? STEP : 0)
    calm = calm_pass(how, flow, true, CALM, a, i, h, i + STEP == to ? known : NULL, last, u, p);
  for (; calm && *mark == 0.0 && i < to; i += calm ? LANES : 0)
    calm = calm_pass(how, flow, true, 1, a, i, h, i + LANES == to ? known : NULL, last, u, p);
  for (; calm && *mark != 0.0 && i + STEP <= to; i += calm ? STEP : 0)
    calm = calm_pass(how, flow, false, CALM, a, i, h, i + STEP == to ? known : NULL, last, u, p);
  if (kind != MUCH && i < to && *mark == 0.0) *mark = 1.0;
  for (; i < to; i += LANES) eight_pass(how, flow, kind, a, i, h, i + LANES == to ? known : NULL, last, u, p, out);
}

/* u and p of the body; losses are summed by lanes.  Returns the force of the last element. */
INLINE double pass_over(pass how, bool flow, const bar *whole, const range *r, double h, double *u, double *p,
                        losses *out)
{
  const bar own = *whole, *const a = &own; /* known to nobody else: what is stored does not change it */
  const int64_t end = r->from + (r->to - r->from) / LANES * LANES;
  const law_kind kind = kind_of(whole);
  eight_losses sum = {0};
  lanes last = {0};
  last[LANES - 1] = r->before;
  for (int64_t i = r->from, to; i < end; i = to) {
    to = (i / PIECE + 1) * PIECE < end ? (i / PIECE + 1) * PIECE : end;
    const double *after = r->known && to == r->to ? &r->after : NULL;
    if (kind == LINE)
      piece_pass(how, flow, LINE, a, i, to, h, after, &last, u, p, &sum);
    else if (kind == TABLE)
      piece_pass(how, flow, TABLE, a, i, to, h, after, &last, u, p, &sum);
    else
      piece_pass(how, flow, MUCH, a, i, to, h, after, &last, u, p, &sum);
  }
  double before = last[LANES - 1];
  if (end < r->to) { /* the end of the body */
    tail t;
    const bar x = tail_take(whole, end, p, &t);
    piece_pass(how, flow, kind, &x, 0, LANES, h, NULL, &last, t.u, t.p, &sum);
    before = last[a->n - end - 1];
    if (flow) tail_columns(whole, end, true, &t);
    if (how != FLOW) copy(t.p, a->n - end, p + end);
    if (how == STRIDE) copy(t.u, a->n - end, u + end);
  }
  if (how != FLOW && r->to == a->n) last_node(how, a, h, before, u, p);
  if (!flow) return 0.0;
  *out = sum.breaking;
  for (int l = 0; l < LANES; l++) out->plastic += sum.plastic[l], out->viscous += sum.viscous[l];
  return before;
}

VV_HOT static void bar_pass_flow(const bar *a, const range *r, double h, const double *p, losses *out)
{
  pass_over(FLOW, true, a, r, h, NULL, (double *)p, out); /* p is only read */
}

VV_HOT static void bar_pass_kick(const bar *a, const range *r, double h, double *p)
{
  pass_over(KICK, false, a, r, h, NULL, p, NULL);
}

VV_HOT static void bar_pass_stride(const bar *a, const range *r, double h, double *u, double *p)
{
  pass_over(STRIDE, false, a, r, h, u, p, NULL);
}

VV_HOT static double bar_pass_flow_stride(const bar *a, const range *r, double h, double *u, double *p, losses *out)
{
  return pass_over(STRIDE, true, a, r, h, u, p, out);
}

/* Segment s of a bar: whole pieces, as many as follow from its length.  Sums over them are the same for any number of
 * threads, and whether a flow is taken alone or with what follows. */
static int segments_of(const bar *a)
{
  const int64_t many = (a->n + SEGMENT - 1) / SEGMENT;
  return many < SEGMENTS ? (int)many : SEGMENTS;
}

static range segment_of(const bar *a, int s)
{
  const int64_t pieces = (a->n + PIECE - 1) / PIECE, segments = segments_of(a),
                to = PIECE * (pieces * (s + 1) / segments);
  return (range){.from = PIECE * (pieces * s / segments), .to = to < a->n ? to : a->n};
}

/* What thread `me` of a team kicks and moves; the forces at its borders are taken before anything moves. */
static range part_of(const bar *a, int64_t team, int64_t me)
{
  const int64_t groups = (a->n + LANES - 1) / LANES, to = LANES * (groups * (me + 1) / team);
  range r = {.from = LANES * (groups * me / team), .to = to < a->n ? to : a->n};
  if (r.from > 0) r.before = force_of(a, r.from - 1, a->u[r.from] - a->u[r.from - 1]);
  if (r.to < a->n) r.after = force_of(a, r.to - 1, a->u[r.to] - a->u[r.to - 1]), r.known = true;
  return r;
}

static bool shared(const vv_block *b, const bar *a)
{
  return b->threads > 1 && a->n >= SHARED_FROM;
}

static void post_losses(int segments, const losses *part, vv_posted *post)
{
  for (int s = 0; s < segments; s++) {
    if (part[s].plastic != 0.0) vvi_sum_add(&post->plastic_work, part[s].plastic);
    if (part[s].viscous != 0.0) vvi_sum_add(&post->viscous_loss, part[s].viscous);
    if (part[s].damage != 0.0) vvi_sum_add(&post->damage_loss, part[s].damage);
  }
}

static void flow_body(const vv_block *b, int32_t j, double h, const double *u, const double *p, vv_posted *post)
{
  const bar a = bar_of(b, j, u);
  losses part[SEGMENTS];
  const int segments = segments_of(&a);
  p += b->body[j]->node0;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (shared(b, &a))
  for (int s = 0; s < segments; s++) {
    const range r = segment_of(&a, s);
    bar_pass_flow(&a, &r, h, p, &part[s]);
  }
  post_losses(segments, part, post);
}

/* What a bar remembers of the configuration follows from its momenta: a drift of length 0 has nothing to do. */
void bar_flow(const vv_block *b, double h, double *u, const double *p, vv_posted *post)
{
  for (int32_t j = 0; h != 0.0 && j < b->n_body; j++)
    if (!bar_is_elastic(b, j)) flow_body(b, j, h, u, p, post);
}

/* p_i += h (N_i - N_{i-1}): neighbours use the same N, so pairs cancel bit for bit. */
void bar_flow_kick(const vv_block *b, int32_t j, double h, const double *u, double *p)
{
  const bar a = bar_of(b, j, u);
  p += b->body[j]->node0;
  if (!shared(b, &a)) {
    bar_pass_kick(&a, &(range){.to = a.n}, h, p);
    return;
  }
#pragma omp parallel num_threads(b->threads)
  {
    const range r = part_of(&a, vvi_team_size(), vvi_team_rank());
    bar_pass_kick(&a, &r, h, p);
  }
}

/* kick h/2, kick h/2, drift h */
static void stride_shared(const vv_block *b, const bar *a, double h, double *u, double *p)
{
#pragma omp parallel num_threads(b->threads)
  {
    const range r = part_of(a, vvi_team_size(), vvi_team_rank());
#pragma omp barrier
    bar_pass_stride(a, &r, h, u, p);
  }
}

/* The flow of a drift of length h and what follows it, in one pass: u, p and all columns are read once. */
void bar_flow_stride_body(const vv_block *b, int32_t j, double h, double *u, double *p, vv_posted *post)
{
  const bar a = bar_of(b, j, u);
  const int64_t first = b->body[j]->node0;
  if (shared(b, &a)) {
    flow_body(b, j, h, u, p, post);
    stride_shared(b, &a, h, u + first, p + first);
    return;
  }
  losses part[SEGMENTS];
  double before = 0.0;
  for (int s = 0; s < segments_of(&a); s++) {
    range r = segment_of(&a, s);
    r.before = before;
    before = bar_pass_flow_stride(&a, &r, h, u + first, p + first, &part[s]);
  }
  post_losses(segments_of(&a), part, post);
}

/* ---- damping of momenta ---- */

/* Momenta of free nodes fade; the medium that takes them is outside.  Supports stay as they are.              [mat 11] */
static void fade(const vv_block *b, int32_t j, double rate, double h, double *p, vv_posted *post)
{
  const vv_body *body = b->body[j];
  const double *r = bar_body(b, j), *minv = bar_node(b, BAR_INVERSE_MASS), keep = exp(-rate * h);
  double loss = 0.0, impulse = 0.0, along[3];
  for (int64_t i = body->node0; i < body->node0 + body->n_node; i++) {
    if ((i == body->node0 && r[BAR_HELD_FIRST] != 0.0) ||
        (i == body->node0 + body->n_node - 1 && r[BAR_HELD_LAST] != 0.0))
      continue;
    const double before = p[i];
    p[i] *= keep;
    loss += 0.5 * minv[i] * (before - p[i]) * (before + p[i]), impulse += p[i] - before;
  }
  for (int c = 0; c < 3; c++) along[c] = impulse * r[BAR_AXIS + c];
  vvi_sum_add(&post->viscous_loss, loss);
  vvi_post_impulse(post, r + BAR_ORIGIN, along);
  post->impulse_abs += fabs(impulse);
}

/* Dashpots c_e = beta k_e + b sqrt(k_e m_e) between neighbours, one evaluation; booked is -vbar.J, the kinetic energy lost.
 * A held end gives to its support what it gets.                                                                [mat 12] */
static void rub(const vv_block *b, int32_t j, double h, double *p, vv_posted *post)
{
  const vv_body *body = b->body[j];
  const bar_inelastic *law = bar_law_of(b, j);
  const double *r = bar_body(b, j), *minv = bar_node(b, BAR_INVERSE_MASS);
  const double *k = bar_element(b, BAR_SPRING) + body->element0;
  const double *left = bar_element(b, BAR_MASS_LEFT) + body->element0;
  const double *right = bar_element(b, BAR_MASS_RIGHT) + body->element0;
  const int64_t first = body->node0, last = first + body->n_node - 1;
  double loss = 0.0, outside = 0.0, work = 0.0, before = 0.0, v = minv[first] * p[first];
  for (int64_t i = first; i <= last; i++) {
    const int64_t e = i - first;
    const double next = i < last ? minv[i + 1] * p[i + 1] : 0.0;
    double behind = 0.0;
    if (i < last) {
      const double dashpot = law->damping.stiffness * k[e] + law->damping.bulk * sqrt(k[e] * (left[e] + right[e]));
      behind = h * dashpot * (next - v);
    }
    const double impulse = behind - before;
    if ((i == first && r[BAR_HELD_FIRST] != 0.0) || (i == last && r[BAR_HELD_LAST] != 0.0)) {
      outside -= impulse, work -= impulse * v;
      loss -= impulse * v;
    } else {
      p[i] += impulse;
      loss -= impulse * (v + 0.5 * minv[i] * impulse);
    }
    before = behind, v = next;
  }
  double along[3];
  for (int c = 0; c < 3; c++) along[c] = outside * r[BAR_AXIS + c];
  vvi_sum_add(&post->viscous_loss, loss);
  if (outside == 0.0) return;
  vvi_sum_add(&post->external_work, work);
  vvi_post_impulse(post, r + BAR_ORIGIN, along);
  post->impulse_abs += fabs(outside);
}

void bar_viscous(const vv_block *b, double h, const double *u, double *p, vv_posted *post)
{
  (void)u;
  for (int32_t j = 0; j < b->n_body; j++) {
    const vvi_damping *d = &bar_law_of(b, j)->damping;
    if (d->mass > 0.0) fade(b, j, d->mass, h, p, post);
    if (d->stiffness > 0.0 || d->bulk > 0.0) rub(b, j, h, p, post);
  }
}
