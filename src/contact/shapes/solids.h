/* contact/shapes/solids.h  Rigid shapes that can meet each other, obstacles, beams and bars: who they are, who is near whom, and
 * where they touch.
 *
 * An object is one shape in space: a copy of a rigid body, an obstacle, a segment of a beam (a capsule between two nodes) or
 * the tip of a bar.  A mover is a node that it hangs on.  Candidates are pairs of objects whose bounding spheres were nearer
 * than a skin when the list was built.  Objects remember how far they may have travelled; a candidate is looked at again when
 * its last gap may be used up.  Neither changes what is found: a resumed run gives the same bits. */
#pragma once
#include "contact/shapes/rules.h"
#include "geom/solid.h"
#include "ledger/ledger.h"
#include "model/model.h"

typedef struct vvi_object {
  const vv_block *block;
  const vv_patch *patch;
  int32_t local;         /* patch within its block */
  int32_t copy;          /* rigid: which node of the patch; curve: the segment behind this node */
  int32_t body;          /* of the model */
  int32_t mover[2];      /* the nodes it hangs on; -1: none, or fixed in space */
  bool soft;             /* part of a body that bends: not for the solver of contacts at rest */
  bool held;             /* it does not move */
  const vv_solid *solid; /* of a container with something in it: its inside; see vvi_solids_seen */
  int32_t within;        /* the innermost container that it is in; -1: none */
  double reach;          /* radius of a sphere about its place; of a segment: its radius alone */
  double length;         /* of a segment, at the start */
  int32_t apart;         /* segments of one curve nearer along it do not meet */
  double turns;          /* how far a unit of spin moves its surface: 0 for a ball */
} vvi_object;

struct vvi_solids {
  int32_t n;
  vvi_object *object; /* [n] sorted by body, patch, copy */
  int32_t movers;
  int32_t *first; /* [blocks] index of the first mover of a block; -1: it has none */
  vvi_rules rules;
  const vvi_rule *rule; /* [rules.n] */
  const vv_model *model;
  bool loses, rough; /* some restitution below 1; some friction */
  bool rests;        /* some rule does, between rigid bodies */
  bool beams;        /* round beams meet each other and obstacles here */
  bool balls;        /* only balls, half spaces and hollow balls: impacts can be located exactly */
  double size;       /* m: the middle reach of what moves */
  double smallest;   /* m: the smallest size of two that can meet; INFINITY: none moves */
};

/* Finds the shapes that can meet; m->solids stays NULL where none can.  Refuses what overlaps. */
vv_status vvi_solids_build(vv_model *m, const vvi_rules *rules, const double *q);

/* The shape of an obstacle.  What is fixed in space keeps its place in the part: the pose is the identity. */
vv_status vvi_obstacle_solid(vv_model *m, const vv_patch *t, const vv_solid **out);

/* The line that speaks for two objects; -1: they pass, or others answer them. */
int32_t vvi_solids_rule(const struct vvi_solids *s, int32_t a, int32_t b);

/* The shape of `object` as `other` meets it: containers have an inside and an outside.  What is in one at the start stays
 * there, since nothing crosses a wall. */
const vv_solid *vvi_solids_seen(const struct vvi_solids *s, int32_t object, int32_t other);

/* m: reach of the smaller of two objects, of those that move and are not hollow; of segments their radius. */
double vvi_solids_smaller(const struct vvi_solids *s, int32_t a, int32_t b);

/* One place where two objects are near. */
typedef struct vvi_meet {
  int32_t a, b; /* objects, a < b */
  int32_t rule;
  vvi_spot spot;
} vvi_meet;

typedef struct vvi_candidate {
  int32_t a, b, rule;
  double safe; /* travelled distance of both up to which nothing is nearer than the margin of the last look */
} vvi_candidate;

typedef struct vvi_solid_near {
  const struct vvi_solids *solids;
  vvi_arena *arena; /* for more room */
  int threads;
  vv_mover *mover;  /* [movers] at the present state */
  vvi_pose *pose;   /* [n] */
  vv_solid *thread; /* [n] shapes of segments, as long as they are now; NULL without any */
  vvi_part *fibre;
  unsigned char *asleep;  /* [n] broken, or no end of a piece yet; NULL: nothing can break */
  int32_t *cracks;        /* [n] of a segment: how many of its curve before it are broken */
  unsigned char **broken; /* [blocks][elements]; NULL: nothing of it can break */
  double *reach;          /* [n] now */
  double *bound;          /* [n] m/s: no point of it is faster in the coming step */
  double *path;           /* [n] m: how far its surface may have moved since the list was built */
  vvi_pose *ref_pose;     /* [n] when the list was built */
  double *ref_reach;
  double skin;
  bool built;
  int64_t builds, n, room;
  vvi_candidate *list; /* [room] sorted by (a, b); room and meet_room double when they are full */
  int64_t *cell;
  int32_t *head, *next;
  int64_t buckets;
  int64_t meets, meet_room;
  vvi_meet *meet;     /* [meet_room] sorted by (a, b, key) */
  double least;       /* smallest gap seen, at most 0 */
  vv_overlap overlap; /* and the one that is most of the smaller of two objects */
} vvi_solid_near;

/* Of what can break: may two objects meet as they are now?  Could they not before something broke?  (solids.c) */
bool vvi_solids_awake(const vvi_solid_near *w, const vvi_candidate *k);
bool vvi_solids_new(const vvi_solid_near *w, const vvi_candidate *k);
vv_status vvi_solid_near_create(const vv_model *m, vvi_arena *arena, vvi_solid_near **out);
/* Movers and poses of a state. */
void vvi_solid_near_place(const vv_model *m, vvi_solid_near *w, const double *q, const double *p);
/* The list of candidate pairs is complete for a step of h, with `bound` as it is; false: out of memory. */
bool vvi_solid_near_refresh(vvi_solid_near *w, double h);
/* m: how far an object may move before the list is no longer complete. */
double vvi_solid_near_room(const vvi_solid_near *w, int32_t object);
/* All places nearer than what the objects can travel in h, with `bound` as it is; false: out of memory. */
bool vvi_solid_near_collect(vvi_solid_near *w, double h);
/* m: how far each object may move until a pair can be near, or the list is incomplete; a value up to `least` if it is no more. */
double vvi_solid_near_clearance(const vvi_solid_near *w, double least);
/* Everything moved: adds what it travelled at most to the paths. */
void vvi_solid_near_moved(vvi_solid_near *w, double h);
/* The shape of a segment between nodes at x and y, or of a tip (y NULL). */
void vvi_solid_segment(const vvi_object *o, const double *x, const double *y, vvi_pose *pose, vvi_part *part,
                       vv_solid *solid);
/* Largest speed of any point of an object with these velocities. */
double vvi_object_speed(const vvi_solid_near *w, int32_t object);
