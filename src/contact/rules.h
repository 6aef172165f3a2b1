/* contact/rules.h  The scene's `contacts`, bodies resolved. */
#pragma once
#include "contact/pairs.h"

typedef struct vvi_rule {
  const vv_group *group;
  int a, b; /* bodies, a < b; -1: all */
} vvi_rule;

typedef struct vvi_rules {
  const vv_model *model;
  int n;
  vvi_rule *rule; /* [n] in the order of the scene */
  bool *general;  /* [bodies] its tips or corners are answered with surfaces: it can meet one, or a line says so */
} vvi_rules;

/* Tips that wake when their body breaks: the ends of its pieces. */
static inline bool vvi_patch_sleeps(const vv_patch *p)
{
  return p->type == VV_PATCH_TIP && p->nodes > 0;
}

/* Reads and checks all lines; all their mistakes are messages in the context. */
vv_status vvi_rules_read(vv_model *m, vvi_rules *out);
bool vvi_rules_only_bars(const vv_model *m); /* and planes: what contact times are exact for */
/* Contacts are met at their own times: the scene says so, or has bars and planes alone. */
bool vvi_rules_event(const vv_model *m);
/* The most specific line wins: one that names both bodies before `all`.  NULL: they do not touch. */
const vv_group *vvi_rules_find(const vvi_rules *r, int32_t body_a, int32_t body_b);
/* Coefficient of friction of a line, the one that holds; kinetic (may be NULL): the smaller one that slides, 0: the same. */
double vvi_rules_friction(const vv_group *rule, double *kinetic);
vvi_projection vvi_rules_projection(const vv_group *rule);
unsigned vvi_rules_correction(const vv_group *rule); /* VVI_CORRECT_... */
/* Does a line let beams meet themselves?  Surfaces do unless it says no. */
bool vvi_rules_self(const vv_group *rule);
/* Of a curve: a bend of the radius of its section is half a turn long; what lies nearer along it, in elements, does not meet.
 *                                                                                                            [contact 10] */
int32_t vvi_rules_apart(double radius, double length);
/* Are two bodies answered with the surfaces, because one of them is general?  The paper's projections belong to the line. */
bool vvi_rules_general_pair(const vvi_rules *r, int32_t body_a, int32_t body_b);
/* What `event` and `energy-momentum` cannot meet is refused, not passed. */
vv_status vvi_rules_refuse(const vv_model *m, const vvi_rules *rules);
/* The pairs of contact/pairs.h; refuses overlapping bodies.  (contact/pairs/list.c) */
vv_status vvi_pairs_build(vv_model *m, const vvi_rules *rules, const double *q);
