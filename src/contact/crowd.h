/* contact/crowd.h  Round curves that meet each other and themselves: segments as capsules, who is near whom, when they meet.
 *
 * A segment joins two neighbouring nodes of a curve; its surface lies at the curve's radius about it.  Candidates are pairs
 * of segments that were nearer than a skin when the list was built.  The list is complete while no node has moved, or is
 * about to move, by more than half the skin; a candidate that is not near does nothing, and the list is sorted, so that
 * nothing depends on when it was built: a resumed run gives the same bits. */
#pragma once
#include "contact/rules.h"
#include "model/model.h"

typedef struct vvi_curve {
  int32_t patch; /* in the model's numbering */
  int32_t local; /* in its block */
  const vv_block *block;
  const vv_patch *shape;
  int32_t node0, segment0, segments; /* in the crowd's numbering */
  int32_t apart;                     /* segments of this curve meet when so many lie between them; 0: never */
} vvi_curve;

typedef struct vvi_crowd_rule {
  const vv_group *group;
  bool none, self; /* they pass; `all` holds for a body and itself too */
  double restitution, friction;
} vvi_crowd_rule;

enum { VVI_HELD_PLACE = 1, VVI_HELD_FRAME = 2 };

struct vvi_crowd {
  int32_t n_curve, n_segment, n_node;
  vvi_curve *curve;        /* [n_curve] */
  int32_t *curve_of_patch; /* [patches of the model]; -1: not in here */
  int32_t *curve_of;       /* [n_segment] */
  int32_t *end;            /* [n_segment][2] nodes */
  int32_t *curve_of_node;  /* [n_node] */
  unsigned char *held;     /* [n_node] */
  vvi_rules rules;
  vvi_crowd_rule *rule; /* [rules.n] */
  double radius;        /* the largest */
  bool between;         /* different bodies can meet */
  bool loses, rough;    /* some restitution below 1; some friction */
};

/* Finds the curves that can meet; m->crowd stays NULL where none can.  Refuses what cannot be and what overlaps. */
vv_status vvi_crowd_build(vv_model *m, const vvi_rules *rules, const double *q);

typedef struct vvi_candidate {
  int32_t a, b; /* segments, a < b */
  int32_t rule;
  int32_t contact; /* of the stepper; -1: none */
  double gap;      /* when the list was built */
} vvi_candidate;

typedef struct vvi_near {
  const struct vvi_crowd *crowd;
  vv_point *point;       /* [nodes] */
  double *x, *end, *ref; /* [nodes][3] now; after the coming drift; when the list was built */
  double *moved;         /* [nodes] largest distance from ref, now and after the drift */
  double skin, smallest; /* of the list; least value */
  int64_t builds;        /* so far */
  int64_t n, room;
  vvi_candidate *list; /* [room] sorted by (a, b) */
  int64_t *cell;       /* [segments][3] */
  int32_t *head, *next;
  int64_t buckets;
} vvi_near;

vv_status vvi_near_create(const vv_model *m, vvi_arena *arena, vvi_near **out);
/* x[nodes][3] of a configuration. */
void vvi_near_place(const vvi_near *w, const double *q, double *x);
/* Brings `moved` of all nodes, or of one, up to date with x and end. */
void vvi_near_measure(vvi_near *w);
void vvi_near_measure_node(vvi_near *w, int32_t i);
/* Makes the list complete for the places x and end; false: no room for it. */
bool vvi_near_refresh(vvi_near *w);
/* The plain twin: all pairs of segments nearer than the skin at ref, one by one. */
int64_t vvi_near_all(const vvi_near *w, vvi_candidate *list, int64_t room);
/* Where a candidate is in the list; NULL: not there. */
vvi_candidate *vvi_near_find(const vvi_near *w, int32_t a, int32_t b);

/* How two segments meet in the coming drift: each node moves straight from x to end. */
typedef struct vvi_meeting {
  double time;       /* 0..1, of the first touch */
  double s, t, n[3]; /* there: places on the segments, unit normal from a to b */
  double late, gap;  /* a time after it, and the negative gap then */
} vvi_meeting;

bool vvi_near_meets(const vvi_near *w, int32_t a, int32_t b, vvi_meeting *out);
double vvi_near_gap(const vvi_near *w, int32_t a, int32_t b); /* now */
/* The material point at s in [0, 1] of a segment. */
vv_point vvi_crowd_point(const struct vvi_crowd *c, int32_t segment, double s);
static inline const vvi_curve *vvi_crowd_curve(const struct vvi_crowd *c, int32_t segment)
{
  return &c->curve[c->curve_of[segment]];
}
