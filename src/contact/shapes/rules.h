/* contact/shapes/rules.h  The scene's `contacts`: for whom each line speaks, and the law it gives. */
#pragma once
#include "contact/pairs.h"

/* A line of the scene, read once: every mechanism takes its law from here. */
typedef struct vvi_rule {
  const vv_group *group;
  int a, b;        /* bodies, a < b; -1: all */
  bool none;       /* they pass each other */
  bool self;       /* beams meet themselves; without it pieces of what broke do, */
  bool never_self; /* but for this; and so do surfaces */
  bool rests;      /* contacts at rest between rigid bodies are solved for */
  bool thick;      /* surfaces keep half the sum of their thicknesses apart */
  double restitution, friction;
  double kinetic;   /* friction once it slides, where that is less; 0: as friction */
  double rolling;   /* m: the arm of what resists rolling */
  double layer;     /* N/m^3: of a massless layer (contact/pairs/layers.h), which answers alone; 0: none */
  double stiffness; /* N/m: energy-momentum's spring; 0: a multiplier, */
  bool early;       /* with the arms C, those of the predictor, */
  bool printed;     /* and positions of the start in their joint, as (13) of the paper has them */
  vvi_projection projection;
  unsigned correction; /* VVI_CORRECT_... */
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
const vvi_rule *vvi_rules_find(const vvi_rules *r, int32_t body_a, int32_t body_b);
/* Does the engine answer what this line speaks for?  A layer answers alone.  NULL: there is no line. */
static inline bool vvi_rule_acts(const vvi_rule *r)
{
  return r != NULL && !r->none && !(r->layer > 0.0);
}

/* Of a curve: a bend of the radius of its section is half a turn long; what lies nearer along it, in elements, does not meet.
 *                                                                                                            [contact 10] */
int32_t vvi_rules_apart(double radius, double length);
/* Are two bodies answered with the surfaces, because one of them is general?  The paper's projections belong to the line. */
bool vvi_rules_general_pair(const vvi_rules *r, int32_t body_a, int32_t body_b);
/* What `event` and `energy-momentum` cannot meet is refused, not passed. */
vv_status vvi_rules_refuse(const vv_model *m, const vvi_rules *rules);
/* The pairs of contact/pairs.h; refuses overlapping bodies.  (contact/pairs/list.c) */
vv_status vvi_pairs_build(vv_model *m, const vvi_rules *rules, const double *q);
