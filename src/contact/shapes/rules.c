/* contact/shapes/rules.c  The scene's `contacts`: which line speaks for two bodies, and whether it makes sense. */
#include "contact/shapes/rules.h"

#include "contact/joints.h"
#include "contact/pairs/layers.h"
#include "math/math.h"

#include <string.h>

bool vvi_rules_only_bars(const vv_model *m)
{
  for (int32_t i = 0; i < m->n_patch; i++) {
    const vv_patch *p = vvi_model_patch(m, i);
    if (p->type != VV_PATCH_TIP && p->type != VV_PATCH_PLANE) return false;
  }
  return true;
}

static bool some_general(const vv_model *m)
{
  for (int i = 0; i < vv_count(m->root, "contacts"); i++)
    if (vv_is(vv_item(m->root, "contacts", i), "search", "general")) return true;
  return false;
}

bool vvi_rules_event(const vv_model *m)
{
  const vv_group *method = vv_sub(m->root, "method");
  return vv_is(method, "step", "event") ||
         (vv_is(method, "step", "auto") && m->joints == NULL && vvi_rules_only_bars(m) && !some_general(m));
}

/* ---- a line of the scene ---- */

/* Coefficient of friction that holds; kinetic: the smaller one that slides, 0: the same. */
static double friction_of(const vv_group *rule, double *kinetic)
{
  const vv_group *two = vv_sub(rule, "friction");
  const double holds = two != NULL ? vv_number(two, "static") : vv_number(rule, "friction");
  const double slides = two != NULL ? vv_number(two, "kinetic") : holds;
  *kinetic = slides < holds ? slides : 0.0;
  return holds;
}

static vvi_projection projection_of(const vv_group *rule)
{
  static const char *const words[] = {"anticipate", "none", "kept", "recomputed", "predictor", "half-step"};
  const char *word = vv_text(rule, "projection");
  int i = VVI_HALF_STEP;
  if (strcmp(word, "paper") == 0) return VVI_PREDICTOR; /* the reading that comes closest to its figures */
  while (i > 0 && strcmp(words[i], word) != 0) i--;
  return (vvi_projection)i;
}

static unsigned correction_of(const vv_group *rule)
{
  const char *word = vv_text(rule, "correction");
  if (strcmp(word, "both") == 0) return VVI_CORRECT_ENERGY | VVI_CORRECT_ANGULAR;
  return strcmp(word, "energy") == 0 ? VVI_CORRECT_ENERGY : strcmp(word, "angular") == 0 ? VVI_CORRECT_ANGULAR : 0u;
}

/* The two bodies a line names, smaller index first; the same twice where it names one; -1, -1 for `all`. */
static void resolve(const vv_model *m, vvi_rule *r)
{
  const int n = vv_names(r->group, "between");
  r->a = r->b = -1;
  if (n != 1 && n != 2) return;
  const int x = vvi_model_body_find(m, vv_name_at(r->group, "between", 0));
  const int y = vvi_model_body_find(m, vv_name_at(r->group, "between", n - 1));
  r->a = x < y ? x : y;
  r->b = x < y ? y : x;
}

static void read_rule(const vv_model *m, const vv_group *c, vvi_rule *r)
{
  const bool one = vv_names(c, "between") == 1, spring = vv_is(c, "response", "penalty") && vv_given(c, "stiffness");
  *r = (vvi_rule){.group = c, .restitution = vv_number(c, "restitution"), .rolling = vv_number(c, "rolling")};
  r->friction = friction_of(c, &r->kinetic);
  r->none = vv_is(c, "response", "none"), r->layer = vv_given(c, "layer") ? vv_number(c, "layer") : 0.0;
  r->self = one || vv_is(c, "self", "true"), r->never_self = !one && vv_is(c, "self", "false");
  r->thick = vv_boolean(c, "thickness");
  r->projection = projection_of(c), r->correction = correction_of(c);
  r->stiffness = spring ? vv_number(c, "stiffness") : 0.0;
  r->early = r->stiffness <= 0.0 && !vv_is(c, "arms", "D");
  r->printed = r->stiffness <= 0.0 && vv_is(c, "arms", "printed");
  /* heaps form where bounces die out or something rubs under load; the law itself knows no rest               [contact 24] */
  r->rests = r->restitution < 1.0 || (r->friction > 0.0 && vvi_sys_booked(m));
  resolve(m, r);
}

/* ---- whether a line makes sense ---- */

/* A line with one body: can it meet itself? */
static bool meets_itself(const vv_model *m, const vv_group *c)
{
  const int body = vvi_model_body_find(m, vv_name_at(c, "between", 0));
  for (int32_t i = 0; i < m->n_patch; i++) {
    const vv_patch *p = vvi_model_patch(m, i);
    if (p->body == body &&
        (p->type == VV_PATCH_CURVE || p->type == VV_PATCH_SURFACE || (p->type == VV_PATCH_SOLID && p->nodes > 1)))
      return true;
  }
  return false;
}

/* Two coefficients are for the contacts of the leapfrog that are solved for together. */
static vv_status check_friction(const vv_model *m, const vvi_rule *r)
{
  const vv_group *c = r->group, *two = vv_sub(c, "friction");
  if (two == NULL) return VV_OK;
  if (vv_number(two, "kinetic") > vv_number(two, "static"))
    return vv_complain(two, "kinetic", "is above static, %g", vv_number(two, "static"));
  if (vvi_rules_event(m) || vv_is(vv_sub(m->root, "method"), "step", "energy-momentum") ||
      r->projection != VVI_ANTICIPATE)
    return vv_complain(c, "friction", "static and kinetic friction belong to 'method.step: leapfrog'; give one number");
  return VV_OK;
}

/* Rolling is resisted by rigid bodies, in the same contacts. */
static vv_status check_rolling(const vv_model *m, const vvi_rule *r)
{
  const vv_group *c = r->group;
  const int n = vv_names(c, "between");
  if (!(r->rolling > 0.0)) return VV_OK;
  const vv_group *method = vv_sub(m->root, "method");
  if (vvi_rules_event(m) || !(vv_is(method, "step", "leapfrog") || vv_is(method, "step", "auto")) ||
      r->projection != VVI_ANTICIPATE)
    return vv_complain(c, "rolling", "belongs to 'method.step: leapfrog'");
  for (int32_t i = 0; i < m->n_body; i++) {
    const vv_body *b = &m->body[i];
    const vv_patch *p = b->n_patch > 0 ? &m->block[b->block].patch[b->patch0] : NULL;
    bool named = n == 0;
    for (int k = 0; k < n; k++) named |= vvi_model_body_find(m, vv_name_at(c, "between", k)) == i;
    if (named && p != NULL && p->node >= 0 && (p->type != VV_PATCH_SOLID || m->block[b->block].driven))
      return vv_complain(c, "rolling",
                         "is for rigid bodies that nothing drives, and obstacles; '%s' needs a line of its own",
                         b->name);
  }
  return VV_OK;
}

/* What springs give back at least: the line along which they do is steeper by 1/e^2, and what a step costs where they press grows as
 * 1/e, from 0.8 ms of one contact with 0.001 to 70 ms with 1e-5; with 1e-6 no end was found.                       [em 29] */
static const double LEAST_GIVEN_BACK = 1e-3;

/* Words of the energy-momentum step of rigid bodies. */
static vv_status check_implicit(const vv_model *m, const vvi_rule *r)
{
  const vv_group *c = r->group;
  const bool here = vv_is(vv_sub(m->root, "method"), "step", "energy-momentum"),
             penalty = vv_is(c, "response", "penalty");
  vv_status status = VV_OK;
  if (!here && (penalty || vv_is(c, "response", "multiplier")))
    status = vv_complain(c, "response", "%s belongs to 'method.step: energy-momentum'", vv_text(c, "response"));
  if (here && vv_is(c, "response", "dcr"))
    status = vv_complain(c, "response", "dcr belongs to 'method.step: leapfrog'; use multiplier or penalty");
  if (penalty && !vv_given(c, "stiffness")) status = vv_complain(c, "stiffness", "penalty needs one (N/m)");
  if (!penalty && vv_given(c, "stiffness")) status = vv_complain(c, "stiffness", "belongs to 'response: penalty'");
  if (penalty && r->restitution < LEAST_GIVEN_BACK)
    status = vv_complain(c, "restitution",
                         "a spring of penalty that gives nothing back has no end: %g or more, or "
                         "multiplier",
                         LEAST_GIVEN_BACK);
  if (!vv_is(c, "arms", "D") && (!here || penalty))
    status = vv_complain(c, "arms", "belongs to 'response: multiplier'");
  return status;
}

static vv_status check_rule(const vv_model *m, const vvi_rule *r)
{
  const vv_group *c = r->group;
  const bool event = vvi_rules_event(m);
  const int n = vv_names(c, "between");
  vv_status status = VV_OK;
  if (n > 2 || (n == 1 && !meets_itself(m, c)))
    status = vv_complain(c, "between", "names %d bodies; a contact is between two, or all", n);
  if (vv_is(c, "response", "dcr") && event)
    status = vv_complain(c, "response", "dcr acts at whole steps: set 'method.step: leapfrog', or use reflect");
  if (vv_is(c, "response", "reflect") && !event)
    status = vv_complain(c, "response", "reflect acts at the contact time: set 'method.step: event', or use dcr");
  if (r->projection != VVI_ANTICIPATE && (event || r->none))
    status = vv_complain(c, "projection", "belongs to the response dcr of the leapfrog step");
  if (!vv_is(c, "correction", "none") && r->projection <= VVI_UNTOUCHED)
    status = vv_complain(c, "correction", "belongs to a 'projection' that moves positions, such as 'paper'");
  if (vv_is(c, "search", "general") && event)
    status = vv_complain(c, "search", "general acts at whole steps: set 'method.step: leapfrog'");
  if (vv_is(c, "search", "general") && r->projection != VVI_ANTICIPATE)
    status = vv_complain(c, "projection", "general moves no tips: use 'anticipate', or leave 'search' out");
  if (check_friction(m, r) != VV_OK || check_rolling(m, r) != VV_OK || check_implicit(m, r) != VV_OK ||
      vvi_layer_check(m, r) != VV_OK)
    status = VV_SCENE;
  return status;
}

/* ---- all lines ---- */

int32_t vvi_rules_apart(double radius, double length)
{
  const double apart = length > 0.0 ? ceil(VV_PI * 2.0 * radius / length) + 2.0 : 0.0;
  return apart < 1e9 ? (int32_t)apart : 1000000000;
}

static bool is_general(const vv_model *m, const vvi_rules *r, const vv_body *b)
{
  const vv_patch *p = b->n_patch > 0 ? &m->block[b->block].patch[b->patch0] : NULL;
  const bool corners = p != NULL && p->type == VV_PATCH_CURVE && p->corners == 4;
  if (p == NULL || (p->type != VV_PATCH_TIP && !corners)) return false;
  for (int32_t i = 0; i < m->n_patch; i++) {
    const vv_patch *other = vvi_model_patch(m, i);
    const vvi_rule *rule = vvi_rules_find(r, b->index, other->body);
    if (rule == NULL || rule->none) continue;
    if (other->body == b->index && !(corners && rule->self)) continue;
    if (corners || vv_is(rule->group, "search", "general")) return true;
    if (other->type != VV_PATCH_TIP && other->type != VV_PATCH_PLANE) return true;
  }
  return false;
}

/* Bars alone need no look at all pairs; `event` has its own, and in `energy-momentum` all bars are answered together. */
static vv_status find_general(vv_model *m, vvi_rules *r)
{
  const bool implicit = vv_is(vv_sub(m->root, "method"), "step", "energy-momentum");
  const bool any = !vvi_rules_event(m) && (implicit || some_general(m) || !vvi_rules_only_bars(m));
  if ((r->general = VVI_ARENA_NEW(&m->arena, bool, m->n_body)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; any && i < m->n_body; i++) {
    const vv_body *b = &m->body[i];
    const bool bar = b->n_patch > 0 && m->block[b->block].patch[b->patch0].type == VV_PATCH_TIP;
    r->general[i] = (implicit && bar) || is_general(m, r, b);
  }
  return VV_OK;
}

vv_status vvi_rules_read(vv_model *m, vvi_rules *out)
{
  vv_status status = VV_OK;
  out->model = m;
  out->n = vv_count(m->root, "contacts");
  out->rule = VVI_ARENA_NEW(&m->arena, vvi_rule, out->n);
  if (out->rule == NULL) return VV_NOMEM;
  for (int i = 0; i < out->n; i++) {
    const vv_group *c = vv_item(m->root, "contacts", i);
    read_rule(m, c, &out->rule[i]);
    if (check_rule(m, &out->rule[i]) != VV_OK) status = VV_SCENE;
    for (int j = 0; j < i; j++)
      if (out->rule[i].a == out->rule[j].a && out->rule[i].b == out->rule[j].b)
        status = vv_complain(c, "between", "an earlier line already speaks for these bodies");
  }
  VV_TRY(find_general(m, out));
  return status;
}

const vvi_rule *vvi_rules_find(const vvi_rules *r, int32_t body_a, int32_t body_b)
{
  const int a = body_a < body_b ? body_a : body_b, b = body_a < body_b ? body_b : body_a;
  const vvi_rule *best = NULL;
  for (int i = 0; i < r->n; i++) {
    if (r->rule[i].a == a && r->rule[i].b == b) return &r->rule[i];
    if (r->rule[i].a < 0) best = &r->rule[i];
  }
  return vvi_joints_join(r->model, a, b) ? NULL : best;
}

bool vvi_rules_general_pair(const vvi_rules *r, int32_t body_a, int32_t body_b)
{
  if (!r->general[body_a] && !r->general[body_b]) return false;
  const vvi_rule *rule = vvi_rules_find(r, body_a, body_b);
  return rule != NULL && rule->projection == VVI_ANTICIPATE;
}

/* ---- what a method cannot meet ---- */

/* Beams that are round, with each other, with rigid bodies and with obstacles. */
static bool implicit_meets(const vv_patch *a, const vv_patch *b)
{
  const bool curve = b->type == VV_PATCH_CURVE, line = a->corners == 1 && !(a->radius > 0.0),
             lines = line || (curve && b->corners == 1 && !(b->radius > 0.0));
  return curve || b->type == VV_PATCH_TIP ? !lines : true;
}

/* `event` has pairs of tips on a line and of tips and beams with what is fixed in space; nothing else has a gap there.  That two
 * rigid bodies or two surfaces meet is refused where their shapes are. */
static bool event_meets(const vv_patch *a, const vv_patch *b)
{
  if (a == b) return a->type != VV_PATCH_CURVE;
  return (a->held && b->held) || b->node < 0 || (a->type == VV_PATCH_TIP && b->type == VV_PATCH_TIP);
}

/* Whose contacts a method must know: bodies in `event`, where rigid ones and surfaces stand still for nobody; beams in the other. */
static bool asks(const vv_patch *a, bool event)
{
  return a->type == VV_PATCH_CURVE || (event && a->node >= 0);
}

/* What `event` and `energy-momentum` cannot meet is refused, not passed: in the first all but bars, and beams on obstacles, in the
 * second lines of centroids, and bars and surfaces. */
vv_status vvi_rules_refuse(const vv_model *m, const vvi_rules *rules)
{
  const vv_group *method = vv_sub(m->root, "method");
  const bool event = vvi_rules_event(m), implicit = vv_is(method, "step", "energy-momentum");
  if ((!event && !implicit) || (event && vvi_rules_only_bars(m))) return VV_OK;
  for (int32_t i = 0; i < m->n_patch; i++)
    for (int32_t j = 0; j < m->n_patch; j++) {
      const vv_patch *a = vvi_model_patch(m, i), *b = vvi_model_patch(m, j);
      const bool known = event ? event_meets(a, b) : implicit_meets(a, b);
      if (!asks(a, event) || (known && event)) continue;
      const vvi_rule *rule = vvi_rules_find(rules, a->body, b->body);
      if (rule == NULL || rule->none) continue;
      if (i == j && !rule->self) continue;
      const vv_group *line = rule->group;
      if (known && !vv_is(line, "arms", "D"))
        return vv_complain(line, "arms", "%s is for rigid bodies: '%s' bends; use D", vv_text(line, "arms"),
                           m->body[a->body].name);
      if (known) continue;
      return vv_complain(method, "step",
                         "%s has no contact of '%s' with '%s': it knows %s; use leapfrog, or set 'response: none' "
                         "between the two",
                         vv_text(method, "step"), m->body[a->body].name, m->body[b->body].name,
                         event ? "bars, and beams on obstacles"
                               : "rigid bodies and obstacles, and beams that touch with their section");
    }
  return VV_OK;
}
