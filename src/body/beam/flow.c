/* body/beam/flow.c  Beams whose material flows or damps: fibres of the section, Maxwell branches.
 *
 * A fibre at (xi1, xi2) of the section has the strains                                                         [mat 21]
 *
 *   eps = G3 + K1 xi2 - K2 xi1,   gamma1 = G1 - K3 xi2,   gamma2 = G2 + K3 xi1
 *
 * (less those at rest), the stresses E (eps - e) and mu (gamma - g), and flows by [mat 4].  The elastic part keeps the
 * stiffnesses C1, C2 of the section: per length
 *
 *   W = 1/2 G.C1 G + 1/2 K.C2 K - n_p.G - m_p.K + sum w (E e^2 + mu g^2 + Hk (e^2 + g^2/3))/2,
 *
 * where n_p, m_p are the resultants of E e and mu g over the section.  So an element that has flowed is an elastic one whose
 * rest strains have moved by C1^-1 n_p and C2^-1 m_p; a branch k adds g_k times the elastic energy of its own strains. */
#include "body/beam/beam.h"

#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

/* ---- words ---- */

static int fibre_counts(const vv_group *g, int count[2])
{
  const vv_group *m = vv_sub(g, "material");
  const bool round = vv_is(g, "section", "circle") || vv_is(g, "section", "tube");
  int n = 2;
  count[0] = round ? 3 : 5, count[1] = round ? 12 : 5;
  const double *given = vv_has(m, "fibres") ? vv_numbers(m, "fibres", &n) : NULL;
  for (int i = 0; given != NULL && n == 2 && i < 2; i++) count[i] = (int)given[i];
  return n;
}

/* A band of one element must be able to take the energy of breaking.                                          [mat 14] */
static vv_status read_failure(const vv_group *g, const vv_group *m, beam_inelastic *law)
{
  VV_TRY(vvi_failure_read(m, &law->plastic, &law->failure));
  if (law->failure.strain == 0.0) return VV_OK;
  const double l = beam_length(g) / (double)vv_integer(g, "elements");
  const double most = 2.0 * law->young * law->failure.energy / (law->failure.begin * law->failure.begin);
  law->damage = law->columns++;
  if (law->failure.energy == 0.0 || l < most) return VV_OK;
  return vv_complain(vv_sub(m, "failure"), "energy",
                     "elements of %.6g m store more than that: they must be shorter than 2 E G/s^2 = %.6g m", l, most);
}

vv_status beam_law_read(const vv_group *g, beam_inelastic *law)
{
  const vv_group *m = vv_sub(g, "material");
  const bool flows = vv_is(m, "law", "j2");
  int count[2];
  *law = (beam_inelastic){.young = vv_number(m, "young")};
  law->shear = law->young / (2.0 * (1.0 + vv_number(m, "poisson")));
  VV_TRY(flows ? vvi_plastic_read(m, true, &law->plastic) : vvi_plastic_refuse(m));
  VV_TRY(vvi_damping_read(g, &law->damping));
  const vv_group *damping = vv_has(g, "damping") ? vv_sub(g, "damping") : NULL;
  if (law->damping.stiffness > 0.0) return vv_complain(damping, "stiffness", "is for bars; beams take 'ratio'");
  if (law->damping.bulk > 0.0) return vv_complain(damping, "bulk", "is for bars");
  if (!flows && vv_has(m, "fibres")) return vv_complain(m, "fibres", "belongs to 'law: j2'");
  if (fibre_counts(g, count) != 2) return vv_complain(m, "fibres", "takes two numbers");
  if (count[0] * count[1] > BEAM_MOST_FIBRES)
    return vv_complain(m, "fibres", "are %d, more than %d", count[0] * count[1], BEAM_MOST_FIBRES);
  if (flows && vv_is(g, "section", "general"))
    return vv_complain(m, "law", "j2 needs the shape of the section, and 'general' gives only its moments");
  law->fibres = flows ? count[0] * count[1] : 0;
  law->glass = vvi_damping_glass(&law->damping);
  if (!flows && vv_has(m, "failure")) return vv_complain(m, "failure", "of beams belongs to 'law: j2'");
  if (!flows && law->damping.branches == 0.0) return VV_OK;
  if (vv_is(g, "strain", "trapezoid") || vv_is(g, "strain", "exp") || vv_is(g, "strain", "exp-se3"))
    return vv_complain(g, "strain", "this rule is for elastic beams; use 'one-point' or 'cayley'");
  law->columns = BEAM_Z_COLUMNS + BEAM_Z_BRANCH * law->damping.branches;
  return flows ? read_failure(g, m, law) : VV_OK;
}

/* Fibres in the middle of equal pieces of a rectangle, weighted so that their second moments are those of the section. */
static void fill_rectangle(double width, double height, const int count[2], beam_fibre *out)
{
  const double side[2] = {width, height};
  double scale[2];
  for (int c = 0; c < 2; c++) { /* midpoints have (1 - 1/n^2) of the second moment */
    const double n = count[c];
    scale[c] = n > 1 ? 1.0 / sqrt(1.0 - 1.0 / (n * n)) : 1.0;
  }
  for (int i = 0; i < count[0]; i++)
    for (int j = 0; j < count[1]; j++) {
      const double u = (i + 0.5) / count[0] - 0.5, v = (j + 0.5) / count[1] - 0.5;
      out[i * count[1] + j] =
          (beam_fibre){{scale[0] * u * side[0], scale[1] * v * side[1]}, width * height / (count[0] * count[1])};
    }
}

/* Rings of equal area, at the radius of their mean square: second moments are exact for four fibres in a ring and more. */
static void fill_round(double outer, double inner, const int count[2], beam_fibre *out)
{
  const double from = inner * inner, ring = (outer * outer - from) / count[0];
  for (int i = 0; i < count[0]; i++)
    for (int j = 0; j < count[1]; j++) {
      const double r = sqrt(from + (i + 0.5) * ring), angle = 2.0 * VV_PI * (j + 0.5 * (i % 2)) / count[1];
      out[i * count[1] + j] = (beam_fibre){{r * cos(angle), r * sin(angle)}, VV_PI * ring / count[1]};
    }
}

vv_status beam_fibres_fill(const vv_group *g, vv_fill *f)
{
  const beam_inelastic *law = beam_law_of(f->block, f->body_in_block);
  const vv_group *s = vv_sub(g, "section");
  int count[2];
  if (law->fibres == 0.0) return VV_OK;
  if (f->block->plan == NULL) f->block->plan = VVI_ARENA_NEW(f->arena, beam_fibres, f->block->n_body);
  beam_fibre *fibre = VVI_ARENA_NEW(f->arena, beam_fibre, (int64_t)law->fibres);
  if (f->block->plan == NULL || fibre == NULL) return vv_complain(g, NULL, "out of memory for its fibres");
  fibre_counts(g, count);
  if (vv_is(g, "section", "circle") || vv_is(g, "section", "tube"))
    fill_round(vv_number(s, "radius"), vv_is(g, "section", "tube") ? vv_number(s, "inner") : 0.0, count, fibre);
  else if (vv_is(g, "section", "square"))
    fill_rectangle(vv_number(s, "side"), vv_number(s, "side"), count, fibre);
  else
    fill_rectangle(vv_number(s, "width"), vv_number(s, "height"), count, fibre);
  beam_fibres *own = &((beam_fibres *)f->block->plan)[f->body_in_block];
  own->fibre = fibre;
  for (int i = 0; i < (int)law->fibres; i++)
    for (int c = 0; c < 2; c++) own->reach[c] = fmax(own->reach[c], fabs(fibre[i].at[c]));
  return VV_OK;
}

/* ---- one element ---- */

static double *column_of(const beam_run *x, int column)
{
  return x->z + column * x->n;
}

/* Column c of fibre i: eight elements lie beside each other. */
static double *fibre_of(const beam_run *x, int64_t e, int i, int c)
{
  const int64_t fibre = e / BEAM_LANES * (int64_t)x->law->fibres + i;
  return x->fibres + BEAM_LANES * (BEAM_Z_FIBRE * fibre + c) + e % BEAM_LANES;
}

static double *branch_of(const beam_run *x, int i, int c)
{
  return column_of(x, BEAM_Z_COLUMNS + BEAM_Z_BRANCH * i + c);
}

beam_run beam_run_of(const vv_block *b, int32_t j, const double *q)
{
  const beam_inelastic *law = beam_law_of(b, j);
  const beam_fibres *plan = b->plan;
  const int64_t n = b->body[j]->n_element;
  double *z = (double *)q + b->z0 + b->body[j]->z0;
  beam_run x = {.k = beam_of(b, j),
                .law = law,
                .n = n,
                .z = z,
                .fibres = z + (int64_t)law->columns * n,
                .damage = law->damage > 0.0 ? z + (int64_t)law->damage * n : NULL};
  if (law->fibres > 0.0) x.fibre = plan[j].fibre, x.reach[0] = plan[j].reach[0], x.reach[1] = plan[j].reach[1];
  for (int c = 0; c < 6; c++) x.stiff[c] = (c < 3 ? x.k->c1 : x.k->c2)[c % 3], x.soft[c] = 1.0 / x.stiff[c];
  return x;
}

/* What is left of an element: 1 - its damage. */
static double left_of(const beam_run *x, int64_t e)
{
  return x->damage != NULL ? 1.0 - x->damage[e] : 1.0;
}

/* Resultants of the strains e6. */
void beam_flow_resultants(const vv_block *b, int32_t j, int64_t e, const double *q, const double e6[6], double out[6])
{
  const beam_run x = beam_run_of(b, j, q);
  for (int c = 0; c < 6; c++) {
    double sum = x.stiff[c] * e6[c] - column_of(&x, BEAM_Z_PLASTIC + c)[e];
    for (int i = 0; i < (int)x.law->damping.branches; i++)
      sum += x.law->damping.part[i] * x.stiff[c] * (e6[c] - branch_of(&x, i, c)[e]);
    out[c] = left_of(&x, e) * sum;
  }
}

double beam_flow_energy(const vv_block *b, int32_t j, int64_t e, const double *q, const double e6[6])
{
  const beam_run x = beam_run_of(b, j, q);
  const double E = x.law->young, mu = x.law->shear, Hk = x.law->plastic.kinematic;
  double sum = 0.0;
  for (int i = 0; i < (int)x.law->fibres; i++) {
    const double *f = fibre_of(&x, e, i, 0), f0 = f[0], f1 = f[BEAM_LANES], f2 = f[2 * BEAM_LANES];
    sum += 0.5 * x.fibre[i].area * ((E + Hk) * f0 * f0 + (mu + Hk / 3.0) * (f1 * f1 + f2 * f2));
  }
  for (int c = 0; c < 6; c++) {
    sum += 0.5 * x.stiff[c] * e6[c] * e6[c] - column_of(&x, BEAM_Z_PLASTIC + c)[e] * e6[c];
    for (int i = 0; i < (int)x.law->damping.branches; i++) {
      const double d = e6[c] - branch_of(&x, i, c)[e];
      sum += 0.5 * x.law->damping.part[i] * x.stiff[c] * d * d;
    }
  }
  return x.k->l * left_of(&x, e) * sum;
}

double beam_flow_damage(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  const beam_run x = beam_run_of(b, j, q);
  return 1.0 - left_of(&x, e);
}

void beam_broken(const vv_block *b, const double *q, int32_t j, unsigned char *out)
{
  for (int64_t e = 0; e < b->body[j]->n_element; e++)
    out[e] = !beam_is_elastic(b, j) && beam_flow_damage(b, j, e, q) >= 1.0;
}

/* Equivalent stress at a place of the section; z: plastic strains there, eight elements beside each other, or NULL.  [mat 21] */
static double stress_at(const beam_inelastic *law, const double at[2], const double *z, const double e6[6])
{
  const double along = e6[2] + e6[3] * at[1] - e6[4] * at[0] - (z != NULL ? z[0] : 0.0);
  const double one = e6[0] - e6[5] * at[1] - (z != NULL ? z[BEAM_LANES] : 0.0);
  const double two = e6[1] + e6[5] * at[0] - (z != NULL ? z[2 * BEAM_LANES] : 0.0);
  return sqrt(law->young * law->young * along * along + 3.0 * law->shear * law->shear * (one * one + two * two));
}

/* Point i of the outline that can touch: corners, a circle in 32 parts, or the centroid alone. */
static bool outline(const vv_patch *t, int i, double at[2])
{
  enum { AROUND = 32 };
  const double angle = 2.0 * VV_PI * i / AROUND;
  at[0] = t->corners == 4 ? (i & 1 ? 1.0 : -1.0) * t->half[0] : t->radius * cos(angle);
  at[1] = t->corners == 4 ? (i & 2 ? 1.0 : -1.0) * t->half[1] : t->radius * sin(angle);
  return i < (t->corners == 4 ? 4 : t->radius > 0.0 ? AROUND : 1);
}

double beam_mises(const vv_block *b, int32_t j, int64_t e, const double *q, const double e6[6])
{
  const beam_inelastic *law = beam_law_of(b, j);
  double most = 0.0, at[2];
  if (law->fibres == 0.0) {
    for (int i = 0; outline(&b->patch[b->body[j]->patch0], i, at); i++) most = fmax(most, stress_at(law, at, NULL, e6));
    return most;
  }
  const beam_run x = beam_run_of(b, j, q);
  for (int i = 0; i < (int)law->fibres; i++)
    most = fmax(most, stress_at(law, x.fibre[i].at, fibre_of(&x, e, i, 0), e6));
  return left_of(&x, e) * most;
}

double beam_flow_alpha(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  const beam_run x = beam_run_of(b, j, q);
  double most = 0.0;
  for (int i = 0; i < (int)x.law->fibres; i++) most = fmax(most, *fibre_of(&x, e, i, 3));
  return most;
}

double beam_flow_lost(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  const beam_run x = beam_run_of(b, j, q);
  return column_of(&x, BEAM_Z_LOST)[e];
}

/* ---- eight elements flow ---- */

typedef double lanes __attribute__((vector_size(BEAM_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t masks __attribute__((vector_size(BEAM_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
#define INLINE static inline __attribute__((always_inline))
#define REAL   lanes
#define MASK   masks
#define LANES  BEAM_LANES
#define ROOT(x) \
  for (int l = 0; l < BEAM_LANES; l++) (x)[l] = sqrt((x)[l])
#define FN(name) name##_lanes
#include "model/return_lanes.h"
#define PICK        VVI_PICK
#define LOAD(p)     (*(const lanes *)(p))
#define STORE(p, x) (*(lanes *)(p) = (x))

/* Eight elements of a body. */
typedef struct eight {
  const beam_run *x;
  double h;
  lanes before[6], now[6]; /* strains */
  lanes plastic[6];        /* resultants of the plastic strain */
  masks live;              /* lanes that are looked at */
  double *fibre;           /* [fibres][BEAM_Z_FIBRE][BEAM_LANES] */
  lanes work, after;       /* J/m: plastic; of the stresses after the drift alone */
  masks flowed;            /* lanes in which some fibre did */
} eight;

/* Fibres in step: their roots overlap, and one division serves three.  Measured: 3, 6, 12 and 18 are slower. */
enum { BATCH = 9 };
typedef struct batch {
  lanes xi[BATCH][3], A[BATCH], B[BATCH], Y[BATCH], H[BATCH], alpha[BATCH];
  masks on[BATCH];
} batch;

/* Sums over fibres of what has flowed: area times tension, shears, and their moments; energies. */
typedef struct sums {
  lanes tension, one, two, first, second, twist; /* m^2, m^3 */
  lanes dropped, after;                          /* J/m */
} sums;

/* Stress less back stress of a fibre: along, shear along d1, along d2.  s6: strains of the section times E or mu. */
INLINE void fibre_stress(const beam_inelastic *law, const beam_fibre *f, const lanes s6[6], const lanes z[3],
                         lanes out[3])
{
  const double Hk = law->plastic.kinematic, a = law->young + Hk, b = law->shear + Hk / 3.0;
  out[0] = ((s6[2] + s6[3] * f->at[1]) - s6[4] * f->at[0]) - a * z[0];
  out[1] = (s6[0] - s6[5] * f->at[1]) - b * z[1];
  out[2] = (s6[1] + s6[5] * f->at[0]) - b * z[2];
}

/* Plastic strains of a fibre grow by theta x and 3 theta y times the parts of its stress, which then are x and y times as large:
 * what it stores drops by the mean of both times the growth. */
INLINE void fibre_grow(const eight *g, const batch *w, int i, int fibre, const lanes *theta, const lanes *x,
                       const lanes *y, const lanes *grown, sums *all)
{
  const beam_fibre *f = &g->x->fibre[fibre];
  double *z = g->fibre + (int64_t)BEAM_LANES * BEAM_Z_FIBRE * fibre;
  const lanes tension = *theta * *x, shear = *theta * *y, three = 3.0 * shear;
  lanes d[3];
  for (int c = 0; c < 3; c++) {
    const lanes old = LOAD(z + BEAM_LANES * c), now = old + (c == 0 ? tension : three) * w->xi[i][c];
    d[c] = f->area * (now - old);
    STORE(z + BEAM_LANES * c, now);
  }
  STORE(z + BEAM_LANES * 3, w->alpha[i] + *grown);
  const lanes A = tension * w->A[i], B = shear * w->B[i], after = *x * A + *y * B;
  all->after += f->area * after, all->dropped += (0.5 * f->area) * ((A + B) + after);
  all->tension += d[0], all->one += d[1], all->two += d[2];
  all->first += d[0] * f->at[1], all->second += d[0] * f->at[0], all->twist += d[2] * f->at[0] - d[1] * f->at[1];
}

/* Some fibres from `first` on, of which one flows at least. */
INLINE void batch_flow(const eight *g, const batch *w, int first, int count, sums *all)
{
  const beam_inelastic *law = g->x->law;
  const double Hk = law->plastic.kinematic, a = law->young + Hk, b = 3.0 * law->shear + Hk;
  lanes theta[BATCH], x[BATCH], y[BATCH], grown[BATCH];
  if (law->plastic.rate_law == VVI_NO_RATE)
    plastic_rounds_lanes(a, b, BATCH, w->A, w->B, w->Y, w->H, w->on, theta, x, y, grown);
  else
    plastic_rounds_rate_lanes(&law->plastic, a, b, count, g->h, w->A, w->B, w->Y, w->H, w->on, theta, x, y, grown);
  for (int i = 0; i < count; i++) fibre_grow(g, w, i, first + i, &theta[i], &x[i], &y[i], &grown[i], all);
}

/* One fibre: does it flow?  slack: least of Y^2 - s^2 so far; top: largest Y. */
INLINE void fibre_look(const eight *g, const lanes s6[6], batch *w, int i, int fibre, lanes *slack, lanes *top)
{
  const beam_inelastic *law = g->x->law;
  const double *z = g->fibre + (int64_t)BEAM_LANES * BEAM_Z_FIBRE * fibre;
  const lanes old[3] = {LOAD(z), LOAD(z + BEAM_LANES), LOAD(z + 2 * BEAM_LANES)};
  lanes *xi = w->xi[i];
  w->alpha[i] = LOAD(z + 3 * BEAM_LANES);
  fibre_stress(law, &g->x->fibre[fibre], s6, old, xi);
  plastic_yield_lanes(&law->plastic, &w->alpha[i], &w->Y[i], &w->H[i]);
  w->A[i] = xi[0] * xi[0], w->B[i] = 3.0 * (xi[1] * xi[1] + xi[2] * xi[2]);
  plastic_on_lanes(&w->A[i], &w->B[i], &w->Y[i], &w->on[i]);
  w->on[i] &= g->live;
  const lanes Y = w->Y[i], left = Y * Y - (w->A[i] + w->B[i]);
  *slack = PICK((masks)(left < *slack), left, *slack), *top = PICK((masks)(Y > *top), Y, *top);
}

/* No fibre: nothing flows there. */
INLINE void fibre_none(batch *w, int i)
{
  const lanes none = {0};
  w->A[i] = w->B[i] = w->H[i] = w->alpha[i] = none, w->Y[i] = none + 1.0;
  w->on[i] = (masks)(none > none);
}

/* What has flowed moves the rest of the section.  The mean work of the resultants less what is stored, [mat 2], is what is stored less
 * by the flow, and half the work that the drift does on the change of the resultants: strains before it are not needed by fibre.   [mat 21b] */
INLINE void eight_flowed(eight *g, const sums *all)
{
  const double E = g->x->law->young, mu = g->x->law->shear;
  const lanes more[6] = {mu * all->one,  mu * all->two,      E * all->tension,
                         E * all->first, -(E * all->second), mu * all->twist};
  lanes work = all->dropped;
  for (int c = 0; c < 6; c++) {
    g->plastic[c] += more[c];
    work -= (0.5 * more[c]) * (g->now[c] - g->before[c]);
  }
  g->work = PICK(g->flowed, work, g->work), g->after = all->after;
}

/* All fibres of the live lanes; what the strains may change until the next look goes to the margin: by the triangle
 * inequality no fibre flows before the stress has changed by min (Y - s) >= min (Y^2 - s^2)/(2 Y), and an equivalent stress is
 * a norm.  Squared; -1: look again in any case. */
INLINE void flow_fibres(eight *g, lanes *margin)
{
  const lanes none = {0};
  const int fibres = (int)g->x->law->fibres;
  lanes slack = none + INFINITY, top = none, s6[6];
  sums all = {.tension = none};
  batch w;
  for (int c = 0; c < 6; c++) s6[c] = (c >= 2 && c < 5 ? g->x->law->young : g->x->law->shear) * g->now[c];
  for (int i = 0; i < fibres; i += BATCH) {
    const int count = fibres - i < BATCH ? fibres - i : BATCH;
    masks some = {0};
    for (int j = 0; j < BATCH; j++) {
      if (j < count)
        fibre_look(g, s6, &w, j, i + j, &slack, &top);
      else
        fibre_none(&w, j);
      some |= w.on[j];
    }
    if (!any_lanes(&some)) continue;
    g->flowed |= some;
    batch_flow(g, &w, i, count, &all);
  }
  if (any_lanes(&g->flowed)) eight_flowed(g, &all);
  const lanes least = (0.5 - 1e-9) * slack / top, still = PICK((masks)(slack > none), least * least, none - 1.0);
  *margin = PICK(g->flowed, none - 1.0, still);
}

/* Branches follow; what they take per length is added.                                                           [mat 9] */
INLINE void flow_branches(const eight *g, int64_t e, int count, lanes *sum)
{
  const vvi_damping *d = &g->x->law->damping;
  for (int i = 0; i < (int)d->branches; i++) {
    const double r = 0.5 * g->h / d->time[i], over = 1.0 / (1.0 + r);
    for (int c = 0; c < 6; c++) {
      double *at = branch_of(g->x, i, c) + e;
      lanes a0 = {0};
      memcpy(&a0, at, sizeof *at * (size_t)count);
      const lanes a1 = ((1.0 - r) * a0 + r * (g->before[c] + g->now[c])) * over;
      const lanes mean = 0.5 * ((g->before[c] - a0) + (g->now[c] - a1));
      *sum += (d->part[i] * g->x->stiff[c]) * mean * (a1 - a0);
      memcpy(at, &a1, sizeof *at * (size_t)count);
    }
  }
}

/* Per length, of what is whole. */
INLINE void energy_of(const eight *g, int64_t e, const lanes e6[6], lanes *sum)
{
  const beam_run *x = g->x;
  const double Hk = x->law->plastic.kinematic, a = 0.5 * (x->law->young + Hk), b = 0.5 * (x->law->shear + Hk / 3.0);
  lanes all = {0};
  for (int i = 0; i < (int)x->law->fibres; i++) {
    const double *z = g->fibre + (int64_t)BEAM_LANES * BEAM_Z_FIBRE * i;
    const lanes f0 = LOAD(z), f1 = LOAD(z + BEAM_LANES), f2 = LOAD(z + 2 * BEAM_LANES);
    all += x->fibre[i].area * (a * (f0 * f0) + b * (f1 * f1 + f2 * f2));
  }
  for (int c = 0; c < 6; c++) {
    all += (0.5 * x->stiff[c]) * (e6[c] * e6[c]) - g->plastic[c] * e6[c];
    for (int i = 0; i < (int)x->law->damping.branches; i++) {
      lanes d = {0};
      memcpy(&d, branch_of(x, i, c) + e, sizeof(double) * (size_t)(x->n - e < BEAM_LANES ? x->n - e : BEAM_LANES));
      d = e6[c] - d;
      all += (0.5 * x->law->damping.part[i] * x->stiff[c]) * (d * d);
    }
  }
  *sum = all;
}

/* Work of the resultants of e6 in the drift. */
INLINE void drift_work(const eight *g, int64_t e, const lanes e6[6], lanes *sum)
{
  const beam_run *x = g->x;
  lanes all = {0};
  for (int c = 0; c < 6; c++) {
    lanes force = x->stiff[c] * e6[c] - g->plastic[c];
    for (int i = 0; i < (int)x->law->damping.branches; i++) {
      lanes d = {0};
      memcpy(&d, branch_of(x, i, c) + e, sizeof(double) * (size_t)(x->n - e < BEAM_LANES ? x->n - e : BEAM_LANES));
      force += (x->law->damping.part[i] * x->stiff[c]) * (e6[c] - d);
    }
    all += force * (g->now[c] - g->before[c]);
  }
  *sum = all;
}

/* The fibre that has flowed most breaks the whole section, over a band of one element.                            [mat 14b] */
INLINE void damage_wanted(const eight *g, lanes *out)
{
  const lanes none = {0}, l = none + g->x->k->l;
  lanes most = none;
  for (int i = 0; i < (int)g->x->law->fibres; i++) {
    const lanes alpha = LOAD(g->fibre + BEAM_LANES * (BEAM_Z_FIBRE * (int64_t)i + 3));
    most = PICK((masks)(alpha > most), alpha, most);
  }
  plastic_damage_lanes(&g->x->law->plastic, &g->x->law->failure, &l, &most, out);
}

typedef struct breaking {
  lanes left, energy, work; /* before the flow */
} breaking;

/* Damage takes the rest of the mean work of the resultants that is not stored, so that the sum is exact whatever the split.
 * losses: plastic and viscous ones of what is whole in, booked ones out, per length.  An element whose stress has turned round
 * within the step would give something back by breaking: it waits for the next one; and of what is lost plastic work takes no less
 * than nothing and no more than all, so that each of them only grows.                                          [mat 2, 14] */
INLINE void flow_damage(const eight *g, int64_t e, const breaking *was, lanes *damage, lanes losses[3])
{
  const lanes none = {0}, whole = was->left * losses[0], damped = was->left * losses[1];
  lanes wanted, energy, work;
  damage_wanted(g, &wanted);
  energy_of(g, e, g->now, &energy);
  drift_work(g, e, g->now, &work);
  const lanes left = 1.0 - wanted, viscous = losses[1] * (0.5 * (was->left + left));
  const lanes rest = (was->left * was->energy - left * energy) + 0.5 * (was->left * was->work + left * work) - viscous;
  const lanes part = was->left * (losses[0] - 0.5 * g->after) + left * (0.5 * g->after); /* by what is left then */
  const lanes least = PICK((masks)(part > none), part, none), plastic = PICK((masks)(least < rest), least, rest);
  const masks grows = g->flowed & (masks)(wanted > *damage) & (masks)(rest >= none);
  *damage = PICK(grows, wanted, *damage);
  losses[0] = PICK(grows, plastic, whole);
  losses[1] = PICK(grows, viscous, damped);
  losses[2] = PICK(grows, rest - plastic, none);
}

INLINE void take(const double *from, int count, lanes *x)
{
  *x = (lanes){0};
  if (count == BEAM_LANES)
    *x = LOAD(from);
  else
    memcpy(x, from, sizeof *from * (size_t)count);
}

INLINE void give(const lanes *x, int count, double *to)
{
  if (count == BEAM_LANES)
    STORE(to, *x);
  else
    memcpy(to, x, sizeof *to * (size_t)count);
}

/* The fibres of lanes that have left their margin. */
INLINE void eight_fibres(eight *g, int64_t e, int count, const lanes *left)
{
  const beam_run *x = g->x;
  const lanes none = {0};
  lanes margin, seen;
  const masks asked = g->live;
  g->live &= (masks)(*left > none);
  take(column_of(x, BEAM_Z_MARGIN) + e, count, &seen);
  flow_fibres(g, &margin);
  margin = PICK((masks)(*left > none), margin, none + INFINITY); /* nothing flows in what is broken */
  margin = PICK(asked, margin, seen);
  give(&margin, count, column_of(x, BEAM_Z_MARGIN) + e);
  for (int c = 0; c < 6; c++) {
    take(column_of(x, BEAM_Z_SEEN + c) + e, count, &seen);
    seen = PICK(asked, g->now[c], seen);
    give(&seen, count, column_of(x, BEAM_Z_SEEN + c) + e);
  }
}

/* Elements [e, e + count) after a drift: over, those whose fibres must be looked at. */
VV_HOT static void beam_eight(const beam_run *x, int64_t e, int count, double h, const double now[6][BEAM_LANES],
                              const int64_t *over, double lost[3][BEAM_LANES])
{
  const lanes none = {0};
  eight g = {.x = x, .h = h, .live = *(const masks *)over};
  lanes losses[3] = {none, none, none}, left = none + 1.0, damage, all;
  breaking was = {left, none, none};
  if (x->law->fibres > 0.0) g.fibre = fibre_of(x, e, 0, 0);
  for (int c = 0; c < 6; c++) {
    take(column_of(x, BEAM_Z_STRAIN + c) + e, count, &g.before[c]);
    take(column_of(x, BEAM_Z_PLASTIC + c) + e, count, &g.plastic[c]);
    g.now[c] = LOAD(now[c]);
  }
  if (x->damage != NULL) {
    take(x->damage + e, count, &damage);
    was.left = left = 1.0 - damage;
    energy_of(&g, e, g.before, &was.energy);
    drift_work(&g, e, g.before, &was.work);
  }
  if (any_lanes(&g.live)) eight_fibres(&g, e, count, &left);
  losses[0] = g.work;
  flow_branches(&g, e, count, &losses[1]);
  if (x->damage != NULL) {
    flow_damage(&g, e, &was, &damage, losses);
    give(&damage, count, x->damage + e);
  }
  take(column_of(x, BEAM_Z_LOST) + e, count, &all);
  for (int i = 0; i < 3; i++) {
    const lanes loss = x->k->l * losses[i];
    STORE(lost[i], LOAD(lost[i]) + loss);
    all += loss;
  }
  give(&all, count, column_of(x, BEAM_Z_LOST) + e);
  for (int c = 0; c < 6; c++) {
    give(&g.now[c], count, column_of(x, BEAM_Z_STRAIN + c) + e);
    if (any_lanes(&g.flowed)) give(&g.plastic[c], count, column_of(x, BEAM_Z_PLASTIC + c) + e);
  }
}

void beam_flow_eight(const beam_run *x, int64_t e, int count, double h, const double now[6][BEAM_LANES],
                     const int64_t over[BEAM_LANES], double lost[3][BEAM_LANES])
{
  beam_eight(x, e, count, h, now, over, lost);
}

/* ---- damping of momenta ---- */

/* Momenta and spins fade; held ones are zero already.                                                          [mat 11] */
static double fade_node(const vv_block *b, int32_t j, int64_t i, double keep, const double *q, double *p,
                        vv_posted *post)
{
  double x[3], frame[9], inertia[3], P[3], S[3], J[3], twist[3], energy;
  beam_get(b, q, i, x, frame);
  beam_inertia(b, beam_of(b, j), i, inertia);
  for (int c = 0; c < 3; c++) P[c] = p[(BEAM_P + c) * b->column + i], S[c] = p[(BEAM_S + c) * b->column + i];
  energy = 0.5 * beam_node(b, BEAM_INVERSE_MASS)[i] * vvi_dot3(P, P);
  for (int c = 0; c < 3; c++) {
    const double body = frame[c] * S[0] + frame[3 + c] * S[1] + frame[6 + c] * S[2];
    energy += 0.5 * body * body / inertia[c];
    p[(BEAM_P + c) * b->column + i] = keep * P[c], p[(BEAM_S + c) * b->column + i] = keep * S[c];
    J[c] = keep * P[c] - P[c], twist[c] = keep * S[c] - S[c];
  }
  beam_post_wrench(post, x, J, twist, 1.0);
  return energy * (1.0 - keep) * (1.0 + keep);
}

void beam_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const double rate = beam_law_of(b, j)->damping.mass;
    double loss = 0.0;
    if (rate == 0.0) continue;
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      loss += fade_node(b, j, i, exp(-rate * h), q, p, post);
    vvi_sum_add(&post->viscous_loss, loss);
  }
}
