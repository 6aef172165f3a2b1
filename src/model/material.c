/* model/material.c  Plasticity, damping, failure: keys, hardening curves, Maxwell branches, return map. */
#include "model/material.h"

#include "math/math.h"

#include <complex.h>
#include <string.h>

/* clang-format off */
static const vv_field power_field[] = {
  {.name = "strength", .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED, .doc = "factor B"},
  {.name = "exponent", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "n; Johnson and Cook's hardening is this law"},
};
static const vv_schema power_schema = {"power", power_field, VV_COUNT(power_field), "yield + B alpha^n"};
static const vv_field voce_field[] = {
  {.name = "saturation", .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED, .doc = "Q: what is gained in the end"},
  {.name = "rate",       .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e6, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "b"},
};
static const vv_schema voce_schema = {"voce", voce_field, VV_COUNT(voce_field), "yield + Q (1 - exp(-b alpha))"};
static const vv_field hardening_field[] = {
  {.name = "isotropic", .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL, .doc = "modulus: the yield stress grows by it times the plastic strain"},
  {.name = "kinematic", .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL, .doc = "modulus: the elastic domain moves with the plastic strain"},
  {.name = "table",     .type = VV_NUMBERS, .unit = "1, Pa", .flags = VV_OPTIONAL, .doc = "pairs [plastic strain, yield stress], from 0 and `yield` on; up to 17; straight between and behind"},
  {.name = "power",     .type = VV_GROUP, .sub = &power_schema, .flags = VV_OPTIONAL, .doc = "yield + B alpha^n"},
  {.name = "voce",      .type = VV_GROUP, .sub = &voce_schema, .flags = VV_OPTIONAL, .doc = "yield + Q (1 - exp(-b alpha))"},
};
const vv_schema vvi_hardening_schema = {"hardening", hardening_field, VV_COUNT(hardening_field), "how the yield stress grows; kinematic beside any one of the others"};

static const vv_field cowper_field[] = {
  {.name = "rate",     .type = VV_NUMBER, .unit = "1/s", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "D: at it the yield stress is twice the static one"},
  {.name = "exponent", .type = VV_NUMBER, .unit = "1", .lo = 1, .hi = 100, .flags = VV_REQUIRED, .doc = "q"},
};
static const vv_schema cowper_schema = {"cowper-symonds", cowper_field, VV_COUNT(cowper_field), "times 1 + (rate/D)^(1/q)"};
static const vv_field johnson_field[] = {
  {.name = "coefficient", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 10, .flags = VV_REQUIRED, .doc = "C"},
  {.name = "rate",        .type = VV_NUMBER, .unit = "1/s", .lo = 0, .hi = 1e30, .flags = VV_OPEN_LO, .deflt = "1", .doc = "of reference; below it there is no effect"},
};
static const vv_schema johnson_schema = {"johnson-cook", johnson_field, VV_COUNT(johnson_field), "times 1 + C ln(rate/reference)"};
static const vv_field rate_field[] = {
  {.name = "cowper-symonds", .type = VV_GROUP, .sub = &cowper_schema, .flags = VV_OPTIONAL, .doc = "times 1 + (rate/D)^(1/q)"},
  {.name = "johnson-cook",   .type = VV_GROUP, .sub = &johnson_schema, .flags = VV_OPTIONAL, .doc = "times 1 + C ln(rate/reference)"},
};
const vv_schema vvi_rate_schema = {"rate", rate_field, VV_COUNT(rate_field), "how the yield stress grows with the rate of plastic strain"};

static const vv_field failure_field[] = {
  {.name = "strain", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1e3, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "plastic strain at which it begins to soften (law j2)"},
  {.name = "stress", .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "tension at which it begins to soften (elastic laws of bars)"},
  {.name = "energy", .type = VV_NUMBER, .unit = "J/m^2", .lo = 0, .hi = 1e30, .deflt = "0", .doc = "that breaking takes, per area of the broken section; 0: it breaks at once"},
};
const vv_schema vvi_failure_schema = {"failure", failure_field, VV_COUNT(failure_field), "softening in a band of one element, so that the energy does not depend on the mesh"};

static const vv_field ratio_field[] = {
  {.name = "value", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 0.2, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "damping ratio, over the critical damping of a vibration"},
  {.name = "from",  .type = VV_NUMBER, .unit = "1/s", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "lowest frequency (cycles)"},
  {.name = "to",    .type = VV_NUMBER, .unit = "1/s", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "highest frequency (cycles), up to 1e7 times the lowest"},
};
static const vv_schema ratio_schema = {"ratio", ratio_field, VV_COUNT(ratio_field), "the same damping ratio over a band of frequencies, by Maxwell branches; the material is stiffer when it is fast"};
static const vv_field damping_field[] = {
  {.name = "mass",      .type = VV_NUMBER, .unit = "1/s", .lo = 0, .hi = 1e30, .deflt = "0", .doc = "momenta fade by exp(-mass t), rigid motion too: a medium at rest takes them"},
  {.name = "ratio",     .type = VV_GROUP, .sub = &ratio_schema, .flags = VV_OPTIONAL, .doc = "a flat damping ratio over a band of frequencies; costs no stable step to speak of"},
  {.name = "stiffness", .type = VV_NUMBER, .unit = "s", .lo = 0, .hi = 1e30, .deflt = "0", .doc = "viscous stress over the elastic one, per rate of strain (Kelvin, Voigt); bounds the step (bars)"},
  {.name = "bulk",      .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1, .deflt = "0", .doc = "viscosity against ringing behind shocks, over the critical one of an element; 0.06 is usual (bars)"},
};
const vv_schema vvi_damping_schema = {"damping", damping_field, VV_COUNT(damping_field), "losses in the material, all booked as viscous_loss"};
/* clang-format on */

/* ---- hardening ---- */

/* The law that `hardening` names at plastic strain x, above the yield stress. */
typedef struct curve {
  double strength, exponent, saturation, rate;
} curve;

static double curve_at(const curve *c, double x)
{
  return c->strength > 0.0 ? c->strength * pow(x, c->exponent) : c->saturation * -expm1(-c->rate * x);
}

/* Secants between knots that crowd where the law is steep: alpha_k = last (k/16)^4.                            [mat 6] */
static void fit(const curve *c, double last, vvi_plastic *p)
{
  double before = 0.0, x = 0.0;
  p->pieces = VVI_PIECES;
  for (int k = 0; k < VVI_PIECES; k++) {
    const double s = (k + 1.0) / VVI_PIECES, next = last * s * s * s * s;
    const double slope = (curve_at(c, next) - curve_at(c, x)) / (next - x);
    p->at[k] = x, p->slope[k] = slope - before;
    before = slope, x = next;
  }
}

static vv_status read_table(const vv_group *g, vvi_plastic *p)
{
  int n;
  const double *t = vv_numbers(g, "table", &n);
  if (n < 4 || n % 2 != 0 || n > 2 * (VVI_PIECES + 1))
    return vv_complain(g, "table", "needs 2 to %d pairs [plastic strain, yield stress]", VVI_PIECES + 1);
  if (t[0] != 0.0 || fabs(t[1] - p->yield) > 1e-9 * p->yield)
    return vv_complain(g, "table", "must start with [0, %g], the yield stress", p->yield);
  p->pieces = n / 2 - 1;
  double before = 0.0;
  for (int k = 0; k + 1 < n / 2; k++) {
    const double dx = t[2 * k + 2] - t[2 * k], dy = t[2 * k + 3] - t[2 * k + 1];
    if (!(dx > 0.0)) return vv_complain(g, "table", "plastic strains must increase");
    if (!(dy >= 0.0))
      return vv_complain(g, "table",
                         "softening is not a material law: results would depend on the mesh; use 'failure'");
    p->at[k] = t[2 * k], p->slope[k] = dy / dx - before;
    before = dy / dx;
  }
  return VV_OK;
}

static vv_status read_hardening(const vv_group *material, bool kinematic, vvi_plastic *p)
{
  const vv_group *g = vv_sub(material, "hardening");
  if (g == NULL) {
    p->pieces = 1, p->slope[0] = vv_number(material, "hardening");
    return VV_OK;
  }
  const int laws = vv_has(g, "isotropic") + vv_has(g, "table") + vv_has(g, "power") + vv_has(g, "voce");
  if (laws > 1) return vv_complain(g, NULL, "takes one of isotropic, table, power, voce");
  if (vv_has(g, "kinematic")) p->kinematic = vv_number(g, "kinematic");
  if (p->kinematic > 0.0 && !kinematic)
    return vv_complain(g, "kinematic", "is for bars and beams; shells harden isotropically");
  if (vv_has(g, "isotropic")) p->pieces = 1, p->slope[0] = vv_number(g, "isotropic");
  if (vv_has(g, "table")) return read_table(g, p);
  if (vv_has(g, "power")) {
    const vv_group *s = vv_sub(g, "power");
    fit(&(curve){.strength = vv_number(s, "strength"), .exponent = vv_number(s, "exponent")}, 1.0, p);
  }
  if (vv_has(g, "voce")) {
    const vv_group *s = vv_sub(g, "voce");
    const double rate = vv_number(s, "rate");
    fit(&(curve){.saturation = vv_number(s, "saturation"), .rate = rate}, 12.0 / rate, p);
  }
  return VV_OK;
}

vv_status vvi_plastic_read(const vv_group *material, bool kinematic, vvi_plastic *p)
{
  *p = (vvi_plastic){0};
  if (!vv_has(material, "yield")) return vv_complain(material, "law", "j2 needs 'yield', the stress at which it flows");
  p->yield = vv_number(material, "yield");
  if (p->yield < 1e-9 * vv_number(material, "young"))
    return vv_complain(material, "yield", "is less than 1e-9 of Young's modulus: that is a liquid");
  if (vv_has(material, "hardening")) VV_TRY(read_hardening(material, kinematic, p));
  if (!vv_has(material, "rate")) return VV_OK;
  const vv_group *g = vv_sub(material, "rate");
  const bool cowper = vv_is(material, "rate", "cowper-symonds");
  p->rate_law = cowper ? VVI_COWPER_SYMONDS : VVI_JOHNSON_COOK;
  p->rate = vv_number(g, "rate");
  p->exponent = vv_number(g, cowper ? "exponent" : "coefficient");
  return VV_OK;
}

vv_status vvi_plastic_refuse(const vv_group *material)
{
  static const char *const word[] = {"yield", "hardening", "rate"};
  for (int i = 0; i < VV_COUNT(word); i++)
    if (vv_has(material, word[i])) return vv_complain(material, word[i], "belongs to 'law: j2'");
  return VV_OK;
}

/* Kinematic hardening adds to the stress of what has flowed one way only.                                       [mat 14b] */
vv_status vvi_failure_read(const vv_group *material, const vvi_plastic *plastic, vvi_failure *out)
{
  const double at_once = 1e300; /* times any length and strain still more than all of it */
  double slope;
  *out = (vvi_failure){0};
  if (!vv_has(material, "failure")) return VV_OK;
  const vv_group *g = vv_sub(material, "failure");
  const bool flows = plastic != NULL;
  const char *word = flows ? "strain" : "stress", *other = flows ? "stress" : "strain";
  if (vv_has(g, other) || !vv_has(g, word))
    return vv_complain(g, vv_has(g, other) ? other : NULL, "with this law failure begins at a '%s'", word);
  *(flows ? &out->strain : &out->stress) = vv_number(g, word);
  out->energy = vv_number(g, "energy");
  out->begin = flows ? vvi_plastic_yield(plastic, out->strain, &slope) + plastic->kinematic * out->strain : out->stress;
  out->softening = out->energy > 0.0 ? out->begin / (2.0 * out->energy) : at_once;
  return VV_OK;
}

/* ---- what is worth saying ---- */

/* How far the polygon is from the law that `hardening` names, over the yield stress, where it is not a straight line. */
static double fit_error(const vv_group *material)
{
  enum { LOOKS = 64 }; /* in every piece */
  const vv_group *g = vv_has(material, "hardening") ? vv_sub(material, "hardening") : NULL;
  vvi_plastic p = {.yield = vv_number(material, "yield")};
  curve c = {0};
  double worst = 0.0, slope;
  if (g == NULL || (!vv_has(g, "power") && !vv_has(g, "voce")) || read_hardening(material, true, &p) != VV_OK)
    return 0.0;
  if (vv_has(g, "power"))
    c.strength = vv_number(vv_sub(g, "power"), "strength"), c.exponent = vv_number(vv_sub(g, "power"), "exponent");
  else
    c.saturation = vv_number(vv_sub(g, "voce"), "saturation"), c.rate = vv_number(vv_sub(g, "voce"), "rate");
  for (int k = 0; k + 1 < VVI_PIECES; k++)
    for (int i = 0; i < LOOKS; i++) {
      const double x = p.at[k] + (p.at[k + 1] - p.at[k]) * (i + 0.5) / LOOKS;
      worst = fmax(worst, fabs(p.yield + curve_at(&c, x) - vvi_plastic_yield(&p, x, &slope)));
    }
  return worst / p.yield;
}

/* A contact in which tips bounce. */
static const vv_group *bouncing(const vv_group *root)
{
  for (int i = 0; vv_has(root, "contacts") && i < vv_count(root, "contacts"); i++) {
    const vv_group *g = vv_item(root, "contacts", i);
    if (vv_number(g, "restitution") > 0.0 && !vv_is(g, "response", "none")) return g;
  }
  return NULL;
}

/* -Re s/|s| and |s| of the vibration with the slow circular frequency omega: s^2 + omega^2 (1 + sum g s tau/(1 + s tau)) = 0, by
 * Newton's iteration.                                                                                            [mat 10a] */
static double decay_of(const vvi_damping *d, double omega, double *rings)
{
  enum { ROUNDS = 30 };
  double complex s = omega * (I - 0.01);
  for (int round = 0; round < ROUNDS; round++) {
    double complex F = s * s + omega * omega, slope = 2.0 * s;
    for (int i = 0; i < (int)d->branches; i++) {
      const double complex y = 1.0 + s * d->time[i];
      F += omega * omega * d->part[i] * (s * d->time[i] / y),
          slope += omega * omega * d->part[i] * d->time[i] / (y * y);
    }
    s -= F / slope;
  }
  *rings = cabs(s);
  return -creal(s) / cabs(s);
}

/* How far the damping of vibrations that ring within the band is from the ratio asked for, over that. */
static double ratio_error(const vvi_damping *d, const vv_group *ratio)
{
  enum { LOOKS = 200 };
  const double value = vv_number(ratio, "value"), from = 2.0 * VV_PI * vv_number(ratio, "from");
  const double to = 2.0 * VV_PI * vv_number(ratio, "to"), low = from / (1.0 + vvi_damping_glass(d));
  double worst = 0.0, rings;
  for (int i = 0; i <= LOOKS; i++) {
    const double got = decay_of(d, low * pow(to / low, (double)i / LOOKS), &rings);
    if (rings >= from && rings <= to) worst = fmax(worst, fabs(got / value - 1.0));
  }
  return worst;
}

static void warn_of_ratio(const vv_group *body)
{
  const vv_group *damping = vv_has(body, "damping") ? vv_sub(body, "damping") : NULL;
  vvi_damping d;
  if (damping == NULL || !vv_has(damping, "ratio") || vvi_damping_read(body, &d) != VV_OK) return;
  const double error = ratio_error(&d, vv_sub(damping, "ratio"));
  if (error > 0.1)
    vvi_warn(
        vv_sub(damping, "ratio"), "value",
        "one branch a decade misses this damping ratio by up to %.0f %% within the band; it is met better where it is "
        "small",
        100.0 * error);
}

void vvi_material_warn(const vv_model *m, bool touches)
{
  const vv_group *before = NULL, *contact = touches ? bouncing(m->root) : NULL;
  for (int i = 0; i < m->n_body; i++) {
    const vv_body *b = &m->body[i];
    const vv_group *material = b->kind->flow != NULL && b->group != before ? vv_sub(b->group, "material") : NULL;
    before = b->group;
    if (material != NULL) warn_of_ratio(b->group);
    if (material == NULL || !vv_is(material, "law", "j2")) continue;
    const double error = fit_error(material);
    if (error > 0.01)
      vvi_warn(material, "hardening", "%d straight pieces miss this law by up to %.2g of the yield stress", VVI_PIECES,
               error);
    if (b->kind->node_q > 1 || contact == NULL) continue;
    vvi_warn(contact, "restitution",
             "ends of bars that bounce chatter and over-strain what yields behind them; take 0 with 'law: j2'");
    contact = NULL;
  }
}

/* ---- branches ---- */

double vvi_damping_glass(const vvi_damping *d)
{
  double sum = 0.0;
  for (int i = 0; i < (int)d->branches; i++) sum += d->part[i];
  return sum;
}

double vvi_damping_ratio(const vvi_damping *d, double omega)
{
  double loss = 0.0, store = 1.0;
  for (int i = 0; i < (int)d->branches; i++) {
    const double x = omega * d->time[i], y = d->part[i] / (1.0 + x * x);
    loss += y * x, store += y * x * x;
  }
  return 0.5 * loss / store;
}

/* One branch a decade, ends included.  Their parts are made such that the ratio is the same at the frequency of each, and
 * scaled until the largest and the smallest ratio in the band lie evenly about the value.                      [mat 10] */
static void fit_branches(double value, double from, double to, vvi_damping *d)
{
  enum { ROUNDS = 60, LOOKS = 200 };
  const double decades = log10(to / from);
  const int n = 1 + (int)ceil(decades - 1e-9);
  double aim = value;
  d->branches = n;
  for (int i = 0; i < n; i++) {
    d->time[i] = 1.0 / (2.0 * VV_PI * from * pow(to / from, n > 1 ? (double)i / (n - 1) : 0.0));
    d->part[i] = 4.0 * value;
  }
  for (int round = 0; round < ROUNDS; round++) {
    double low = INFINITY, high = 0.0;
    for (int k = 0; k < ROUNDS; k++)
      for (int i = 0; i < n; i++) d->part[i] *= aim / vvi_damping_ratio(d, 1.0 / d->time[i]);
    for (int i = 0; i <= LOOKS; i++) {
      const double r = vvi_damping_ratio(d, 2.0 * VV_PI * from * pow(to / from, (double)i / LOOKS));
      low = fmin(low, r), high = fmax(high, r);
    }
    aim *= value / (0.5 * (low + high));
  }
}

vv_status vvi_damping_read(const vv_group *body, vvi_damping *d)
{
  *d = (vvi_damping){0};
  if (!vv_has(body, "damping")) return VV_OK;
  const vv_group *g = vv_sub(body, "damping");
  d->mass = vv_number(g, "mass");
  d->stiffness = vv_number(g, "stiffness");
  d->bulk = vv_number(g, "bulk");
  if (!vv_has(g, "ratio")) return VV_OK;
  const vv_group *r = vv_sub(g, "ratio");
  const double from = vv_number(r, "from"), to = vv_number(r, "to");
  if (!(to >= from)) return vv_complain(r, "to", "is below 'from'");
  if (!(to <= 1.0000001e7 * from)) return vv_complain(r, "to", "is more than 1e7 times 'from'");
  fit_branches(vv_number(r, "value"), from, to, d);
  return VV_OK;
}

/* ---- return map ---- */

double vvi_plastic_yield(const vvi_plastic *p, double alpha, double *slope)
{
  double y = p->yield, sum = 0.0;
  for (int k = 0; k < (int)p->pieces; k++)
    if (alpha >= p->at[k]) y += p->slope[k] * (alpha - p->at[k]), sum += p->slope[k];
  *slope = sum;
  return y;
}

/* A x^2 + B y^2 = (Y/(1 - H theta))^2 by Newton on the inverse roots from theta = 0.                           [mat 5] */
static vvi_returned return_by(double A, double a, double B, double b, double Y, double H)
{
  enum { ROUNDS = 6 };
  double theta = 0.0, x = 1.0, y = 1.0, s = sqrt(A + B);
  for (int i = 0; i < ROUNDS; i++) {
    const double miss = s * (1.0 - H * theta) / Y - 1.0;
    theta += miss * s * s / (a * A * x * x * x + b * B * y * y * y + H * s * s * s / Y);
    x = 1.0 / (1.0 + a * theta), y = 1.0 / (1.0 + b * theta);
    s = sqrt(A * x * x + B * y * y);
    if (fabs(miss) < 1e-15) break;
  }
  if (!(theta > 0.0)) return (vvi_returned){.x = 1.0, .y = 1.0}; /* on the yield surface, to rounding */
  return (vvi_returned){.x = x, .y = y, .theta = theta, .dalpha = theta * s};
}

#define VVI_ONE_LANE
#define VVI_PICK(mask, a, b) ((mask) ? (a) : (b))
#define VVI_RETURN_MOST      1
#define REAL                 double
#define MASK                 int
#define ROOT(x)              (x) = sqrt(x)
#define FN(name)             name##_one
#include "model/return_lanes.h"

double vvi_plastic_damage(const vvi_plastic *p, const vvi_failure *f, double l, double alpha)
{
  double damage;
  plastic_damage_one(p, f, &l, &alpha, &damage);
  return damage;
}

vvi_returned vvi_plastic_return(const vvi_plastic *p, double A, double a, double B, double b, double alpha, double h)
{
  double H;
  const double Y = vvi_plastic_yield(p, alpha, &H);
  vvi_returned out = {.x = 1.0, .y = 1.0};
  const int on = A + B > Y * Y;
  if (on == 0 || p->rate_law == VVI_NO_RATE) return on != 0 ? return_by(A, a, B, b, Y, H) : out;
  plastic_rounds_rate_one(p, a, b, 1, h, &A, &B, &Y, &H, &on, &out.theta, &out.x, &out.y, &out.dalpha);
  return out;
}
