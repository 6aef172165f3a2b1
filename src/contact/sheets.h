/* contact/sheets.h  Surfaces made of triangles that meet each other, themselves, curves, tips of bars, rigid bodies and
 * obstacles: who is near whom.
 *
 * Everything that can meet is a mesh of vertices and of elements with one to three corners: triangles, segments of a curve,
 * single points.  Vertices are carried by movers: nodes that only move, frames that also turn, or nothing (fixed in space).
 * A tip is a segment without length, so that it meets edges and other tips as edges do, and faces as vertices do.
 * Whoever answers contacts sees vertices, movers and pairs of features; body kinds are not known here.
 *
 * Meshes are cut into clusters.  Broad phase: clusters in boxes with some room about them; two whose boxes overlap are a
 * candidate pair, what is farther apart is not known to the search and costs one comparison a cluster and step.  A candidate
 * pair has a list of pairs of features; it is complete until the clusters have moved, relative to each other, by its motion
 * budget.  Pairs that are not near do nothing, and their order is that of the meshes, so nothing depends on when a list was
 * built, or a candidate found: a resumed run gives the same bits. */
#pragma once
#include "contact/broad/tree.h"
#include "contact/narrow/closest.h"
#include "contact/shapes/rules.h"
#include "model/columns.h"

typedef enum vvi_carrier {
  VVI_CARRY_NONE,   /* fixed in space */
  VVI_CARRY_POINTS, /* nodes of a flat block: x = q, drift x += h p/m */
  VVI_CARRY_FRAMES  /* nodes that turn: x = place + turn arm; their half thickness always counts */
} vvi_carrier;

typedef struct vvi_sheet_body {
  vvi_carrier carrier;
  int32_t body, patch;      /* of the model */
  const vv_block *block;    /* of its movers */
  const vv_patch *obstacle; /* a plane, sphere, cylinder, box: no mesh; NULL: a mesh */
  bool form;  /* a mesh of such an obstacle, for faces and edges: vertices meet the obstacle itself [sheets 14a] */
  bool rigid; /* (a part of) one copy of a rigid body; it has one mover */
  bool turns; /* its vertices hang on arms: a rigid body, a beam with corners */
  const vv_patch *tip; /* the tip of a bar: one vertex, seen through push, pull and inverse mass (or all that sleep
                               in it, a vertex each); NULL: none */
  int32_t shares;      /* rigid: parts with other radii hang on the mover of the body so many before; 0: its own */
  int32_t vertex0, vertices; /* slices */
  int32_t element0, elements;
  int32_t mover0, movers;
  int32_t tree0, trees; /* nodes of its tree */
  int32_t cluster0, clusters, strip0;
  int64_t node0; /* of its first mover, within the block */
  int32_t
      apart; /* of a beam with corners: what is nearer along it does not meet; INT32_MAX: nothing of one piece; 0: of others */
  bool ring;     /* such a beam is closed */
  double half;   /* half its thickness, where that counts */
  double self;   /* m: a surface that meets itself keeps so far from itself; 0: it meets where it crosses */
  double length; /* tip: of what is behind it */
  double edge;   /* mean of its edges; INFINITY: it is rigid, a tip, an obstacle */
  bool loose;    /* its vertices are sums of movers (limit surface) */
  double swing;  /* largest sum of the sizes of the weights of a vertex; 1 where all are positive */
} vvi_sheet_body;

typedef struct vvi_sheet_branch {
  double box[6];    /* low, high */
  int32_t first, n; /* elements */
  int32_t child;    /* its two children are child, child + 1; 0: a leaf */
} vvi_sheet_branch;

/* A body is cut into clusters, branches of its tree with at most VVI_SHEET_CLUSTER elements: what is far apart or moves alike
 * needs no new lists. */
enum { VVI_SHEET_CLUSTER = 128 };
typedef struct vvi_sheet_cluster {
  int32_t body;
  int32_t root, first, last; /* nodes of the tree: its own, and all below it from first to last - 1 */
  int32_t vertex0, vertices; /* into cluster_vertex */
  int32_t strip0, strips;    /* into cluster_strip */
} vvi_sheet_cluster;

enum { VVI_SHEET_LEAF = 4, VVI_SHEET_LANES = 16 }; /* elements of a leaf; edges of a leaf: at most */
enum { VVI_SHEET_STRIP = 64 };                     /* movers of a body whose displacements are bounded together */

/* Two bodies, or one and itself, and how far apart they are at the start. */
typedef struct vvi_sheet_apart {
  int32_t a, b;
  double d;
} vvi_sheet_apart;

/* The rule for two bodies, or for a body and itself; < 0: they pass.  Asked when they come near. */
typedef int32_t vvi_sheet_rule_fn(const void *user, int32_t body_a, int32_t body_b);

/* The frozen part. */
struct vvi_sheets {
  int32_t n_body, n_vertex, n_edge, n_element, n_mover, n_tree, n_cluster, n_strip, n_rule;
  vvi_sheet_body *body;
  const vvi_rule *rule; /* [n_rule] lines of the scene */
  vvi_sheet_cluster *cluster;
  vvi_sheet_rule_fn *rule_of;              /* of two bodies */
  const void *meets;                       /* of rule_of */
  int32_t *cluster_of;                     /* [n_vertex] the one that owns it */
  int32_t *cluster_vertex;                 /* vertices of the elements of a cluster */
  int32_t *cluster_strip;                  /* strips that hold their movers */
  int32_t *strip_cluster0, *strip_cluster; /* [n_strip + 1], clusters with movers in a strip */
  int32_t *strip_body;                     /* [n_strip] */
  int32_t *body_of;                        /* [n_vertex] */
  int32_t *mover;                          /* [n_vertex] -1: fixed */
  int32_t *body_of_mover;                  /* [n_mover] */
  int32_t *element;                        /* [n_element][3] vertices; -1: none.  In the order of the trees */
  int32_t *element_edge;                   /* [n_element][3] opposite to corner i; of a segment: [2]; -1: none */
  unsigned char *own;                      /* [n_element] bits 0..2: corners, 3..5: edges that are listed from here */
  int32_t *vertex_of, *vertex0;            /* owned vertices in the order of their elements; [n_element + 1] */
  int32_t *edge0;                          /* [n_element + 1] owned edges: they are numbered in that order */
  int32_t *edge;                           /* [n_edge][2] */
  int32_t *side;                           /* [n_edge][2] vertices opposite to it in its triangles; -1: none */
  int32_t *side_element;                   /* [n_edge][2] these triangles; -1: none */
  int32_t *ring0, *ring;                   /* [n_vertex + 1], vertices joined to one by edges */
  vvi_sheet_branch *tree;                  /* [n_tree] */
  double *fixed;                           /* [n_vertex][3] of bodies that nothing carries */
  double *arm;                             /* [n_vertex][3] of frames, body axes */
  double *inverse;                         /* [n_mover] 1/kg of points; 0: held */
  unsigned char *held;                     /* [n_mover] bits: directions that are held; 8: turning */
  int32_t *stencil0;                       /* [n_vertex + 1] of loose bodies */
  int32_t *stencil;                        /* movers */
  double *weight;
  double edge_length;     /* the smallest mean of a body: for lists.  Answers use what belongs to the two bodies */
  double closest;         /* smallest distance at the start, thickness taken off; INFINITY: nothing near */
  vvi_sheet_apart *apart; /* [n_apart] bodies that are near each other at the start, sorted */
  int64_t n_apart;
  struct vvi_sheet_start *start; /* what the search of the start has found; NULL: nothing was kept */
  bool rigid, turns;             /* some bodies are, some do */
  bool loses, rough;             /* some restitution below 1; some friction */
  vvi_projection projection;     /* the largest of any two bodies */
};

/* ---- building ---- */

/* A mesh as given: what a body adds to the sheets. */
typedef struct vvi_sheet_part {
  vvi_sheet_body body; /* all but its slices set */
  int32_t vertices, elements;
  const int32_t *element;            /* [elements][3] vertices of this part; -1: none */
  const double *x;                   /* [vertices][3] at the start */
  const int32_t *mover;              /* [vertices] within the part; NULL: vertex i hangs on mover i */
  const double *arm;                 /* [vertices][3]; NULL: none */
  const double *inverse;             /* [movers] */
  const unsigned char *held;         /* [movers]; NULL: none */
  const int32_t *stencil0, *stencil; /* loose: [vertices + 1], movers */
  const double *weight;
} vvi_sheet_part;

/* Topology, trees, clusters and slices from parts; rules are set by the caller afterwards.  (shapes/assemble.c) */
vv_status vvi_sheets_assemble(vvi_arena *arena, int32_t n, const vvi_sheet_part *part, struct vvi_sheets *out);
/* The smaller mean edge of two bodies; of tips among themselves, or with something rigid, their length. */
double vvi_sheets_edge(const struct vvi_sheets *s, int32_t a, int32_t b);
/* What two bodies, or one and itself, are held apart by under a rule. */
double vvi_sheets_offset(const struct vvi_sheets *s, int32_t a, int32_t b, int32_t rule);
/* Clusters of every body with a mesh; size: elements of one at most.  (shapes/clusters.c) */
vv_status vvi_sheets_divide(vvi_arena *arena, struct vvi_sheets *s, int32_t size);
/* To a prepared file, or from it: all but the rules, which the caller sets.  (shapes/keep.c) */
vv_status vvi_sheets_keep(const vv_model *m, struct vvi_sheets *s);
/* A rule speaks for some two bodies. */
void vvi_sheets_use(struct vvi_sheets *s, int32_t rule);
/* From the patches of a model; m->sheets stays NULL where nothing of that kind can meet.  (shapes/surfaces.c) */
vv_status vvi_sheets_build(vv_model *m, const vvi_rules *rules, const double *q);

/* ---- motion ---- */

typedef struct vvi_sheet_frame {
  double place[3], turn[9]; /* now */
  double place_ahead[3], turn_ahead[9];
  double place_free[3], turn_free[9]; /* ahead, without contact */
  double velocity[6];                 /* m/s, rad/s */
  double inverse_mass[6], inverse_inertia[6];
} vvi_sheet_frame;

/* Where things are, and where the coming drift takes them: h, positions, momenta and forces of the blocks. */
typedef struct vvi_sheet_motion vvi_sheet_motion;
struct vvi_sheet_motion {
  const struct vvi_sheets *sheets;
  double h;
  vvi_points *at;                    /* [n_body] from the first node of the body on */
  vvi_sheet_frame *frame;            /* [n_mover] of bodies carried by frames */
  const struct vvi_sheet_gone *gone; /* NULL: nothing can break */
};

static inline void vvi_sheet_carried(const double place[3], const double turn[9], const double arm[3], double x[3])
{
  for (int i = 0; i < 3; i++)
    x[i] = place[i] + (turn[3 * i] * arm[0] + turn[3 * i + 1] * arm[1] + turn[3 * i + 2] * arm[2]);
}

/* A node that only moves: x, or x + h (p + h/2 f)/m. */
static inline void vvi_sheet_node(const vvi_sheet_motion *m, int32_t body, int32_t mover, bool ahead, double x[3])
{
  const int64_t i = mover - m->sheets->body[body].mover0;
  vvi_point_place(&m->at[body], i, x);
  if (ahead) vvi_point_fly(&m->at[body], i, m->h, m->sheets->inverse[mover], x);
}

void vvi_sheet_place_slow(const vvi_sheet_motion *m, int32_t vertex, bool ahead, double x[3]);

/* Who looks ahead at vertices that are not its own: x of one after the drift.  NULL: as the motion has it. */
typedef struct vvi_sheet_view {
  void (*place)(const void *user, int32_t vertex, double x[3]);
  const void *user;
} vvi_sheet_view;

static inline void vvi_sheet_place(const vvi_sheet_motion *m, int32_t vertex, bool ahead, double x[3])
{
  const struct vvi_sheets *s = m->sheets;
  const int32_t b = s->body_of[vertex];
  if (s->body[b].carrier == VVI_CARRY_POINTS && !s->body[b].loose)
    vvi_sheet_node(m, b, s->mover[vertex], ahead, x);
  else
    vvi_sheet_place_slow(m, vertex, ahead, x);
}

/* ---- pairs ---- */

/* Vertex and element: (vertex, element).  Edges: (-1 - edge, edge).  Vertex and obstacle: (vertex, -1 - body). */
typedef struct vvi_sheet_pair {
  int32_t a, b;
  int32_t v[4]; /* its vertices; v[3] < 0: an obstacle, or two tips */
  float n[3];   /* a direction that held it apart when it was last looked at */
} vvi_sheet_pair;

typedef enum vvi_sheet_type { VVI_PAIR_FACE, VVI_PAIR_EDGES, VVI_PAIR_OBSTACLE } vvi_sheet_type;
static inline vvi_sheet_type vvi_sheet_type_of(const vvi_sheet_pair *p)
{
  return p->a < 0 ? VVI_PAIR_EDGES : p->b < 0 ? VVI_PAIR_OBSTACLE : VVI_PAIR_FACE;
}

/* Two clusters with overlapping boxes, and the list of their pairs; bodies in order, an obstacle second. */
typedef struct vvi_sheet_list {
  int32_t a, b, rule;
  int64_t first, n;
  int64_t room;   /* from first on: what it has had stays its own until holes are closed */
  float safe;     /* the least of its pairs */
  double skin;    /* of the next build: shorter where pairs are many */
  double limit;   /* complete while no two points have come closer by more than this */
  double base[6]; /* where the references of its clusters were when it was built, relative to each other (life.c) */
  double wake;    /* sum of the paths of its clusters up to which it is complete in any case */
  double way,
      left; /* how much they have moved since it was last looked at, relative to each other; complete up to `left` */
  double travel;  /* how much its clusters have moved since it was built, relative to each other, drift by drift */
  double step;    /* bound of what they move in the coming drift */
  double offset;  /* sum of half thicknesses */
  double margin;  /* the layer */
  double edge;    /* m: the smaller mean edge of the two bodies */
  double closest; /* m: how far apart they were at the start; INFINITY: not near */
  int32_t chunk0, chunks; /* of the pairs to look at in this drift */
  int32_t place; /* in the order of the meshes, where the search has numbered its lists, or it has pairs to look at */
  bool stale;
  bool off;  /* answered elsewhere */
  bool mine; /* this rank has the list */
  bool asks; /* the coming drift may use it up */
  bool idle; /* nothing of it is worth a look for some drifts */
  /* broad/sleep.c */
  bool asleep;              /* nobody looks at it; */
  double nap[2], since[2];  /* strays of its clusters up to which it sleeps, and when it began; */
  double between;           /* what their bodies come closer in a drift meanwhile */
  int64_t slept, until;     /* drifts at its beginning, and when it wakes */
  int32_t prev[2], next[2]; /* lists of the same cluster */
} vvi_sheet_list;

/* A pair that may meet in the coming drift. */
typedef struct vvi_sheet_near {
  int32_t a, b;
  int32_t couple; /* its candidate pair: list[couple] */
  int32_t place;  /* in that list */
  int32_t order;  /* of the list, among all */
  int32_t v[4];   /* its vertices; v[3] < 0: fewer than four (vvi_sheet_vertices) */
  bool parted;    /* a plane across n holds it apart, now and after the drift; d is not more than its distance */
  bool active;    /* it is a contact of the step */
  double d, n[3]; /* now: distance less the offset, direction */
} vvi_sheet_near;

/* One that a plane holds apart, now and after the drift: nothing but contact can bring it together. */
typedef struct vvi_sheet_aside {
  int32_t couple; /* -1: it has joined the near pairs */
  int64_t at;     /* of all pairs */
} vvi_sheet_aside;

typedef struct vvi_sheet_speed {
  double centre[3], half[3], spread; /* displacements of a cluster in the drift lie in the box centre +- half */
  double allowed;                    /* distance from the centre */
} vvi_sheet_speed;

/* How far a cluster has moved: since the start, drift by drift; and since its reference was taken.  (broad/life.c) */
typedef struct vvi_sheet_life {
  double path, ahead; /* done; after the drifts ahead at most */
  double pace;        /* m: in the coming drift at most */
  double stray, stray_ahead,
      stride;    /* the same, relative to the flight of its body; of the last drift (broad/sleep.c) */
  double nap;    /* the stray up to which all of its lists that sleep do so */
  double wake;   /* motion budget: the path up to which it stays in its box of the broad phase (broad/candidates.c) */
  double box[6]; /* of x - reference */
  double at[6];  /* of x; where an accelerator has it */
  double sum[6]; /* of all such boxes when references were taken anew */
  int64_t round, refer; /* in which the box was found, the reference taken */
} vvi_sheet_life;

/* What the broad phase has found. */
typedef struct vvi_sheet_found {
  int32_t low, high, a, b, rule; /* bodies; clusters */
} vvi_sheet_found;

/* Clusters of a list: what decides its place in the order of the meshes. */
typedef struct vvi_sheet_key {
  int32_t a, b;
} vvi_sheet_key;

/* A list that is looked at in every drift. */
typedef struct vvi_sheet_awake {
  int32_t place; /* its own, when they were put in order */
  int32_t list;
} vvi_sheet_awake;

enum { VVI_SHEET_WATCH = 64 };                                      /* slots of lists that are watched together */
enum { VVI_SHEET_BOX = VV_PAST_WAKE, VVI_SHEET_NAP = VV_PAST_NAP }; /* what a cluster may use up in the coming drift */

/* Some pairs of a list. */
typedef struct vvi_sheet_chunk {
  int32_t couple;
  int64_t first, n;
  int64_t slot, near; /* of its first hit; where that stands among all */
  int32_t hits, checked, asides;
  int64_t aside; /* where the first of those stands */
  uint32_t past; /* bits: blocks with pairs past their budget */
  float safe;    /* the least of its pairs */
} vvi_sheet_chunk;

typedef struct vvi_sheet_slot {
  int32_t pair; /* within its chunk */
  bool parted;
  double d, n[3];
} vvi_sheet_slot;

typedef struct vvi_sheet_spot {
  int64_t first;
  int32_t list;
} vvi_sheet_spot;

/* Where a thread lists pairs before it is known where they will lie. */
typedef struct vvi_sheet_bench {
  vvi_sheet_pair *pair;
  float *safe;
  int64_t n, room;
} vvi_sheet_bench;

/* What has broken (shapes/gone.c). */
typedef struct vvi_sheet_gone {
  int32_t *origin; /* [n_element] element of its block; -1: none; -2 - i: an end that sleeps at the
                                             node i of its body */
  int32_t *piece;  /* [n_vertex] of beams with corners: which piece it belongs to; -1: of others */
  unsigned char *element, *edge, *vertex; /* 1: nothing of it is left */
  unsigned char *broken;                  /* of the elements of a body */
  unsigned char *whole;                   /* [n_body] beams with corners: nothing of it has broken */
  int32_t *before;                        /* of a body: broken elements before each */
  int32_t *ring_edge;                     /* [as ring] the edge to each vertex of a ring */
} vvi_sheet_gone;

typedef struct vvi_sheet_search {
  const struct vvi_sheets *sheets;
  struct vvi_sheet_ranks *ranks; /* broad/ranks.h; NULL: one rank has all */
  struct vvi_sheet_away *away;   /* broad/away.h; NULL: all that moves is here */
  vvi_sheet_gone *gone;          /* NULL: nothing can break */
  vvi_arena *arena; /* lists and candidate pairs grow there, each by doubling, where there are more than ever before */
  vvi_sheet_motion motion;
  int threads;
  double skin;
  double opening;            /* the first skin of a list, of the largest */
  double *margin, widest;    /* [n_rule] the layer; the largest */
  bool anticipates;          /* lists only where nothing is projected */
  vvi_sheet_list *list;      /* [list_room] candidate pairs */
  int32_t *order, *spare;    /* [list_room] those in use, in the order of the meshes; slots to use again */
  vvi_sheet_key *key;        /* [list_room] of those in use, in that order */
  bool numbered;             /* each of them knows its place there */
  int32_t *due, n_due;       /* [list_room] lists to build; of those that are over, how many */
  vvi_sheet_spot *spot;      /* [list_room] where lists lie */
  int32_t n_list, list_room; /* in use */
  unsigned char *parted;     /* [list_room] slots of candidate pairs that are none any more, in this search */
  vvi_sheet_awake *awake;    /* [list_room] lists to look at, in the order of the meshes; of those that this rank has */
  int32_t n_awake;
  bool unsorted;      /* not in their order yet */
  double (*carry)[3]; /* [n_body] how it flies in a drift, about */
  int32_t *head;      /* [n_cluster] its first list */
  int64_t drifts;     /* done */
  int64_t *
      soonest; /* [list_room / VVI_SHEET_WATCH] no list of so many slots wakes before, as far as it waits for a drift */
  int32_t watches;     /* of these that are in use */
  double *naps;        /* [threads][n_cluster] of what threads let sleep at once */
  double drifts_ahead; /* budgets are to last for so many drifts like the coming one: 1; more before it is coasted */
  unsigned char *past; /* [n_cluster] budgets that the coming drift may use up */
  int32_t *woken, *roused;       /* [n_body] clusters that woke in this search; bodies that have some */
  int32_t n_slot, n_spare;       /* used at any time; to use again */
  vvi_broad *broad;              /* boxes of clusters */
  int32_t *left, n_left;         /* [n_cluster] those that left their boxes */
  int32_t *asked;                /* [n_cluster] those that are looked at, because they may have */
  double (*at)[6];               /* [n_cluster] where these are */
  double outset;                 /* m: the least room of a box */
  unsigned char *moved;          /* [n_cluster] they did, in this search */
  int32_t *obstacle, n_obstacle; /* clusters that are one */
  vvi_sheet_found *found;        /* [found_room] */
  int64_t n_found, found_room;
  double (*was)[6];       /* [n_cluster] boxes of those that moved, before that */
  bool full, tight;       /* no memory for them; holes between lists have been closed */
  bool anew;              /* nothing is known: lists of the start are taken, as far as they hold */
  vvi_sheet_speed *speed; /* [n_cluster] */
  double *strip;          /* [n_strip][6] extents of displacements */
  vvi_sheet_life *life;   /* [n_cluster] */
  double *reference;      /* [vertices of clusters][3] */
  int64_t *ready, round;  /* [n_tree] the round in which spans and planes of a leaf were found; the present one */
  float *span;            /* [6][n_edge + 16] middles and halves of edges */
  float *plane;           /* [16][n_element + 4] planes of triangles, see gaps.c */
  vvi_sheet_branch *tree; /* [n_tree] boxes up to date with the last rebuild */
  double *box;            /* [n_element][6] */
  double *x, *y;          /* [n_vertex][3] places now and after the drift */
  unsigned char *fresh;   /* [n_cluster] boxes belong to the present places: 1; all leaves are ready too: 2 */
  unsigned char *wanted;  /* [n_cluster] x and y are to be found; those, and how many: */
  int32_t *wants, n_wants;
  int32_t *active, n_active;     /* [n_body] bodies with some of these */
  int32_t *active_clusters;      /* [n_body] how many */
  float *safe;                   /* [room] travel of its clusters up to which a pair need not be looked at */
  float *block;                  /* [room / 16] the least of 16 of them */
  vvi_sheet_pair *pair;          /* [room] */
  int64_t used, room, most_room; /* lists lie one behind the other, with holes; most: then skins are shortened */
  vvi_sheet_bench *bench;        /* [threads] */
  vvi_sheet_near *near;          /* [near_room] */
  int32_t n_near, near_room;
  bool parts;             /* what planes hold apart is set aside, and not among the near pairs */
  vvi_sheet_aside *aside; /* [aside_room] */
  int64_t n_aside, aside_room;
  vvi_sheet_slot *slot;   /* [room] hits of the chunks */
  vvi_sheet_chunk *chunk; /* [chunk_room] parts of lists to look at */
  int64_t chunk_room;
  int64_t builds, checked; /* counts: lists built; pairs past their budget */
  int64_t moves;           /* boxes of clusters made anew */
} vvi_sheet_search;

/* The largest skin of a list, over the smallest mean edge: tried out, as those of search.c. */
#define VVI_SHEET_SKIN 0.45
vv_status vvi_sheet_search_create(const struct vvi_sheets *s, vvi_arena *arena, int threads, double skin,
                                  vvi_sheet_search **out);
/* Room for so many near pairs; those that are there are kept. */
bool vvi_sheet_near_fit(vvi_sheet_search *w, int64_t room);
/* All lists are to be found anew: guards have changed, or the state is another one. */
void vvi_sheet_forget(vvi_sheet_search *w);
/* Bounds of the coming drift for all bodies; then near[] complete for it.  False: no room. */
void vvi_sheet_measure(vvi_sheet_search *w);
/* Candidate pairs of the coming drift; vvi_sheet_collect does this.  False: no room.  (broad/candidates.c) */
bool vvi_sheet_candidates(vvi_sheet_search *w);
bool vvi_sheet_collect(vvi_sheet_search *w);
/* Does a pair hang on a mover that was pushed?  Nobody pushes the mover -1. */
bool vvi_sheet_is_pushed_slow(const struct vvi_sheets *s, const vvi_sheet_pair *p, const unsigned char *pushed);
static inline bool vvi_sheet_is_pushed(const struct vvi_sheets *s, const vvi_sheet_pair *p, const unsigned char *pushed)
{
  const int32_t *m = s->mover, *v = p->v;
  if (v[3] < 0 || s->stencil0[s->n_vertex] > 0) return vvi_sheet_is_pushed_slow(s, p, pushed);
  return (pushed[m[v[0]]] | pushed[m[v[1]]] | pushed[m[v[2]]] | pushed[m[v[3]]]) != 0;
}
/* A pair that was set aside, as one that is near and parted; its distance is not known. */
vvi_sheet_near vvi_sheet_near_of(const vvi_sheet_search *w, int32_t list, int64_t at);
/* Counts the drift as done. */
void vvi_sheet_advance(vvi_sheet_search *w);
/* A mover was put elsewhere, so far away. */
void vvi_sheet_shifted(vvi_sheet_search *w, int32_t mover, double distance);
/* A mover's displacement goes beyond what its clusters are allowed: collect again. */
bool vvi_sheet_exceeds(vvi_sheet_search *w, int32_t mover);

/* Pairs of elements of a candidate pair whose boxes overlap; places and boxes of both clusters are fresh (vvi_sheet_refit). */
typedef void vvi_sheet_meet_fn(void *user, int32_t element_a, int32_t element_b);
void vvi_sheet_overlaps(vvi_sheet_search *w, int32_t couple, vvi_sheet_meet_fn *meet, void *user);
void vvi_sheet_refit(vvi_sheet_search *w, int32_t cluster);

/* Vertices of a pair: 4, 2 of two tips, or 1 with an obstacle. */
int vvi_sheet_vertices(const struct vvi_sheets *s, int32_t a, int32_t b, int32_t v[4]);
/* Distance and direction of a pair now or ahead. */
void vvi_sheet_closest(const vvi_sheet_motion *m, int32_t a, int32_t b, bool ahead, vvi_closest *out);
/* Is a closest pair a local minimum of the distance between the surfaces?  Ahead. */
bool vvi_sheet_is_local(const vvi_sheet_motion *m, const vvi_sheet_view *view, int32_t a, int32_t b,
                        const vvi_closest *at);
/* Of a mesh of an obstacle and another one: is the closest point there a vertex?  That meets the obstacle itself. [sheets 14a] */
bool vvi_sheet_is_vertex(const vvi_sheet_motion *m, int32_t a, int32_t b, const vvi_closest *at);
/* Two features of one beam with corners that are too near along it to meet.                                   [contact 10] */
bool vvi_sheet_neighbours(const struct vvi_sheets *s, int32_t na, const int32_t *a, int32_t nb, const int32_t *b);
/* The plain twin: all pairs of two bodies with distance below skin, one by one, in no order.  Returns how many; room: at
 * most so many are written. */
int64_t vvi_sheet_all_pairs(const vvi_sheet_motion *m, int32_t body_a, int32_t body_b, double skin, vvi_sheet_pair *out,
                            int64_t room);
