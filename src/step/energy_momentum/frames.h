/* step/energy_momentum/frames.h  Bodies in energy-momentum steps: how they move, what touches, and the answer.
 *
 *   frames.c   rigid bodies out of the state and back; the step of each under given impulses
 *   soft.c     bodies that bend: their step in parts, points between their nodes, what loads on them do
 *   flat.c     such parts for kinds whose nodes only move (shells)
 *   sheet.c    features of surfaces that meet
 *   meets.c    which shapes may meet, and by which features
 *   touch.c    the contacts of a step: new ones found, springs remembered, how long nothing can touch
 *   passed.c   what met on the way, though it is apart again at the end
 *   answer.c   their impulses: multipliers and springs, restitution
 *   spring.c   what springs press with, store and lose
 *   grip.c     friction at one contact
 *   rub.c      friction of two surfaces whose nodes only move
 *   dense.c    a few contacts at once, by pivots
 *   together.c contacts with friction at once, by the island solver of the engine
 *   joined.c   joints
 *   rigid.c    a step of all: predict, touch, answer, take; halved where impacts are located or nothing converged
 *
 * A step from n to n+1 is found in `dx, theta, p1, h1` of every body and then taken at once: one that is not accepted leaves
 * nothing behind. */
#pragma once
#include "contact/joints.h"
#include "contact/shapes/solids.h"
#include "contact/sheets.h"
#include "math/spin.h"
#include "step/step.h"

/* One rigid body during a step. */
typedef struct vvi_em_frame {
  const vv_block *block; /* NULL: the ground */
  int64_t node;
  bool held,
      led; /* led: what is called gravity here is what its motion takes, and drives add what the true one leaves [rigid 19] */
  double mass, inertia[3], gravity[3];
  double least;                            /* its smallest moment that is not zero */
  double x[3], q[4], carry[7], p[3], h[3]; /* at n */
  double r[9];                             /* R(q) */
  double j[3], l[3];                       /* impulse and torque impulse of the contacts */
  double dx[3], theta[3], p1[3], h1[3];    /* the step they make */
  bool joined;                             /* by a joint: it turns by the Cayley map [joint 11] */
  double twist[3];                         /* whose product with the torque is the work: theta, or c of that map */
  vvi_pose after;                          /* where it leads: set by vvi_em_find */
  /* what the answer needs of a body that is touched */
  bool touched;
  double v[3], omega[3];     /* at n */
  double inverse[6];         /* I_n^-1 in space axes: xx yy zz yz xz xy */
  double tangent, cayley[3]; /* tan(t/2)/(t/2), and that times theta: exp(theta^) = cay(cayley) */
  double dv[3], dw[3];       /* what changes of the impulses make of its mean velocities */
  int32_t slaves;            /* the last contact of which it is the slave; -1: none */
} vvi_em_frame;

/* One body that bends, during a step: its nodes answer loads through vv_implicit_parts. */
typedef struct vvi_em_soft {
  const vv_block *block;
  const vv_implicit_parts *parts;
  int32_t body;        /* in its block */
  int64_t first, n;    /* nodes */
  double *v;           /* velocities of its block, in the state */
  double *work, *load; /* load [n][VV_IMPLICIT_ROW]: of the contacts */
  bool touched, lost;  /* lost: no correction was found */
  double added, whole; /* of the last correction */
  double rest;         /* of the whole: what need not be corrected.  Conjugate gradients leave one sign [em 20a] */
  int32_t assembly;    /* of the joints that hold it; -1: none */
  double most, turn;   /* m, rad: of its nodes in the step, where joints hold it */
  int32_t slaves;      /* as in a frame */
} vvi_em_soft;

/* Where a contact stands on a body that bends: a weighted mean of nodes. */
typedef struct vvi_em_leg {
  int64_t node;
  double weight;
  double arm[3]; /* m, in space at n: from the node to a vertex that it carries */
} vvi_em_leg;
typedef struct vvi_em_foot {
  int32_t soft;     /* 1 + which body; 0: it stands on a frame */
  int32_t first, n; /* legs */
  double shift[3];  /* from there to its material point: the reach of a tip */
  double off[3];    /* and on to where the impulse acts */
} vvi_em_foot;

/* A material point of one body, the slave, against a plane of another, the master, or against a point of it. */
typedef struct vvi_em_feature {
  int32_t a, b, law;     /* objects; line of the scene */
  uint32_t key;          /* the same while the same features meet */
  double sign;           /* 0: a plane.  Points: 1, or -1 where the slave is inside a hollow ball */
  int32_t slave, master; /* frames; of a body that bends that of the ground, which does not move */
  bool a_slave;          /* object a is the slave */
  int32_t soft[2];       /* slave, master: 1 + which body that bends; 0: none */
  double foot[2];        /* and where between the two nodes of its segment: the weight of the second */
  bool sheet;            /* features of surfaces: a, b are those of the search */
  int vertices, vertex[4];
  double weight[4], offset; /* positive weights: the slave's.  What the two are held apart by */
  int32_t name[2];          /* bodies of the search: slave, master */
  double point[3];          /* of the slave, its axes */
  double place[3];          /* of the master, its axes: a point of the plane, or the centre */
  double normal[3];         /* plane: unit, to the free side, axes of the master */
  double radius;            /* plane: about the slave's point; points: their distance when they touch */
  double own;               /* from the slave's point to its surface */
} vvi_em_feature;

/* What two surfaces whose nodes only move need of their four vertices to rub each other without a moment.           [em 25] */
typedef struct vvi_em_rub {
  bool shared;      /* they do */
  double mass[4];   /* that share it */
  double arm[4][3]; /* from the centre of mass of their side, in the middle of the step */
  double turn[9];   /* w = turn f */
} vvi_em_rub;

/* One contact of the step that is being found. */
typedef struct vvi_em_contact {
  vvi_em_feature f;
  const vvi_rule *law;
  int32_t before;      /* the one before with the same slave; -1: none */
  vvi_em_foot foot[2]; /* slave, master */
  vvi_em_rub rub;
  bool spare;                    /* another one, which joints tie it to, holds what it would hold           [em 17a] */
  bool seen;                     /* spring between bodies that bend: its feet are those of this step */
  double gap0, gap1;             /* at n, and at the predicted n+1 */
  int slot;                      /* spring: its memory; -1: new, or a multiplier */
  double spring0, spring1;       /* spring: the dynamic gap at n and n+1, */
  double deep;                   /* and how deep it has been by n                                        [em 29] */
  double early_s[3], early_m[3]; /* arms C: those of the predictor, */
  double early_nu[3];            /* and its normal */
  double nu[3], t[2][3];         /* normal, from master to slave; two tangents */
  int least; /* axis that the tangents are built from: kept, so that they turn with nu; -1: none yet */
  double arm_s[3], arm_m[3], x[3]; /* arms, and the point in space where the slave's ends */
  double j[3];                     /* impulse on the slave along nu, t0, t1 */
  double u[3];                     /* relative velocity of the step along them */
  double approach;                 /* the slave's along nu at n: negative while they approach */
  double aim;                      /* what u[0] is to be */
} vvi_em_contact;

enum { VVI_EM_SPOTS = 32, VVI_EM_DENSE = 128 };

/* What a column of [em 17] may be off where it is found by iteration, over itself: rounds mend it.  With friction all of them are to make
 * a matrix that is positive where it matters [em 26]; differences of forces have about so many digits. */
#define VVI_EM_COLUMN 1e-2
#define VVI_EM_NOISE  1e-5

/* A unit impulse along one direction of a contact, as each of the two bodies feels it, and half of what it does to them:
 * velocities of a step are means of those before and after. */
typedef struct vvi_em_row {
  double push[3], turn[2][3]; /* push of the slave; the master gets the opposite */
  double speed[2], spin[2][3];
} vvi_em_row;

/* What a spring remembers in the state.  All doubles. */
typedef struct vvi_em_slot {
  double used, gap, deep; /* 1; the dynamic gap; how deep it has been */
  double a, b, law, key, sign, slave, master, a_slave, soft[2], foot[2], sheet, offset, point[3], place[3], normal[3],
      radius, own;
} vvi_em_slot;

/* Two that met on the way through a piece of a step and would not be answered there: the piece is too long. */
typedef struct vvi_em_passed {
  bool seen;
  int32_t body[2]; /* of the model */
  double time;     /* s: a piece so short shows it */
} vvi_em_passed;

/* How far the impulses of an iterate are to be solved for, m/s.                                                   [em 26a] */
typedef struct vvi_em_goal {
  double scale;   /* of the speeds */
  double nearer;  /* so far, */
  double near;    /* and where that is not found so far, */
  int32_t newton; /* in so many iterations of Newton's method at most; 0: whatever it takes */
} vvi_em_goal;

typedef struct vvi_em_rigid {
  int32_t n; /* frames; the ground comes behind them */
  vvi_em_frame *frame;
  int32_t n_soft; /* bodies that bend and may touch something */
  vvi_em_soft *soft;
  int32_t *soft_of; /* [objects] 1 + which of these; 0: a frame */
  vvi_em_leg *leg;  /* [leg_room] */
  int32_t n_leg, leg_room;
  double *flex,
      *column; /* what rows do to each other through bodies that bend: [flex_room]; [most nodes][VV_IMPLICIT_ROW] */
  int64_t flex_room;
  double *dense; /* [VVI_EM_DENSE (2 VVI_EM_DENSE + 5)] of contacts that are solved for at once */
  int threads;
  struct vvi_joint_step *joints; /* NULL: none */
  double *joined_gap;            /* [6 joints] g at n */
  int32_t *joined, *joined_at; /* [nodes of joints] frames, or nodes of what bends; [n + 1] nodes of joints, -1: none */
  int32_t *joined_soft;        /* [nodes of joints] 1 + the body that bends; 0: a frame */
  vv_mover *joined_start;      /* [nodes of joints] of what bends, at n */
  vvi_sheet_search *search;    /* NULL: no surfaces meet */
  double *fake;                /* [2 np] momenta and forces as the search is told them */
  int64_t np;
  int32_t *sheet_soft;   /* [bodies of the search] 1 + which body that bends; then [..] which frame */
  const vv_state *state; /* at n */
  const struct vvi_solids *solids;
  vvi_arena *arena;         /* for more room */
  const vvi_rule *law;      /* [rules] lines of the scene */
  int32_t *frame_of;        /* [objects] */
  vvi_solid_near *near;     /* broad phase; NULL: all pairs are listed */
  const vvi_candidate *few; /* [n_few] these */
  int64_t n_few;
  int64_t looked;         /* pairs looked at, since the start; */
  int64_t rounds, newton; /* iterates of answers, and iterations of the island solver in them; */
  int64_t vain;           /* iterates of this step that led to no answer */
  bool rough, weighs;
  double energy; /* J: whose rounding is none */
  int halvings;
  vvi_em_slot *slot; /* [slots] in the state; NULL: no springs */
  int32_t slots;
  bool sprung;                  /* some slot is used */
  double clear;                 /* s: nothing can touch for so long */
  double clock;                 /* s since the start of the step */
  int located;                  /* impacts located in this step */
  double deepest;               /* m: of this step, */
  vv_overlap overlap;           /* and what is most of the smaller body */
  struct vvi_em_before *before; /* of the step, once it is */
  bool cut;                     /* in pieces */
  bool answered;                /* the contacts that are listed: their impulses are known, */
  double back;                  /* m/s: that joints ask back for what rounding of places has left between their ends */
  double price;                 /* of changes of impulses, over the largest A_ii                          [em 12a] */
  bool off;                     /* and are off their law by more than rounding */
  vvi_em_passed passed;
  double *width; /* [2 objects] m: of a shape, and of its outside */
  bool full;     /* out of memory, or of slots */
  int32_t n_contact, room;
  vvi_em_contact *contact; /* [room] */
  vvi_em_row *rows;        /* [3 room] */
  double *own, *move;      /* [9 room] inverse mass between the rows of a contact; [3 room] changes of the impulses */
  double *swept;           /* [6 room] scratch of joints */
  struct vvi_em_together *together; /* NULL: not needed yet */
  vvi_spot spot[VVI_EM_SPOTS];
} vvi_em_rigid;

/* ---- frames.c ---- */

/* Frames of a model; 0: it has no rigid bodies. */
int32_t vvi_em_count(const vv_model *m);
vv_status vvi_em_frames_create(const vv_model *m, vvi_arena *arena, vvi_em_rigid *w);
int32_t vvi_em_frame_of(const vvi_em_rigid *w, const vvi_object *o);
void vvi_em_load(vvi_em_rigid *w, const vv_state *x);
/* Those whose motion is given for the coming step. */
void vvi_em_lead(vvi_em_rigid *w, const vv_model *m, const vvi_led *led, int64_t n);
void vvi_em_store(const vvi_em_rigid *w, vv_state *x);
/* The step of a body under its impulses j, l: first p1 and dx, then h1 and theta; false: no rotation was found. */
void vvi_em_move(vvi_em_frame *f, double dt);
bool vvi_em_turn(vvi_em_frame *f, double dt);
/* Takes the step that was found, and books gravity. */
void vvi_em_take(vvi_em_frame *f, double dt, vv_posted *post);
/* Where it is at n, or at the n+1 that was found. */
void vvi_em_pose(const vvi_em_frame *f, bool after, vvi_pose *out);
/* No material point of it at this distance from its centre is faster while nothing pushes, gravity left out. */
double vvi_em_spin_bound(const vvi_em_frame *f);

/* ---- soft.c ---- */

/* Whether some body that bends can touch something here. */
bool vvi_em_bends(const vv_model *m);
vv_status vvi_em_soft_create(struct vv_step *s, double *v, vvi_em_rigid *w);
/* Begins a step of length dt, and finds it without contacts; false: it did not converge. */
bool vvi_em_soft_predict(vvi_em_rigid *w, const vv_state *x, double t, double dt);
void vvi_em_soft_take(vvi_em_rigid *w, vv_state *x, vv_posted *post);
/* Shapes and speeds of their segments where the step leads. */
void vvi_em_soft_place(const vvi_em_rigid *w, double dt);
/* Legs of a contact, from its feature; false: no room. */
bool vvi_em_stand(vvi_em_rigid *w, vvi_em_contact *c);
/* An arm that turns by the Cayley vector theta: at the start, in the mean, or at the end (0, 0.5, 1). */
void vvi_em_arm_at(const double arm[3], const double theta[3], double when, double out[3]);
/* A foot: where it is (0: at n, 0.5: in the middle, 1: at n+1), the motion of its end in the step, its velocity at n. */
void vvi_em_foot_place(const vvi_em_rigid *w, const vvi_em_foot *f, double when, double x[3]);
void vvi_em_foot_motion(const vvi_em_rigid *w, const vvi_em_foot *f, double u[3]);
void vvi_em_foot_rate(const vvi_em_rigid *w, const vvi_em_foot *f, double v[3]);
/* The gap of a contact of which some side bends, at n or at n+1. */
double vvi_em_soft_gap(const vvi_em_rigid *w, const vvi_em_contact *c, bool after);
/* Loads to zero; one more; a correction of all that are touched under them.  false: none was found. */
void vvi_em_soft_unload(vvi_em_rigid *w);
void vvi_em_soft_push(vvi_em_rigid *w, const vvi_em_foot *f, const double force[3]);
bool vvi_em_soft_correct(vvi_em_rigid *w, bool fresh);
/* What unit impulses along the rows do to each other through bodies that bend, into flex. */
void vvi_em_soft_couple(vvi_em_rigid *w, int directions, double dt);
/* Some contact stands on a body that bends (1 + which). */
bool vvi_em_soft_stood_on(const vvi_em_rigid *w, int32_t soft);
/* Its answer to impulses along rows first to last - 1 (by: how much, NULL: 1), into column; false: none of them stands on it. */
bool vvi_em_soft_column(vvi_em_rigid *w, int32_t soft, int directions, int64_t first, int64_t last, const double *by);
/* That answer as velocities along the rows of all contacts, added to every stride-th of `to`. */
void vvi_em_soft_see(const vvi_em_rigid *w, int32_t soft, int directions, double dt, double *to, int64_t stride);
/* The shape of an object, as the other sees it, on its way: 0 at n and 1 at n+1; part: where that of a segment is made. */
typedef struct vvi_em_shape {
  const vv_solid *solid;
  vvi_pose pose;
  vv_solid segment;
  vvi_part part;
} vvi_em_shape;
void vvi_em_shape_of(const vvi_em_rigid *w, int32_t object, int32_t other, double when, vvi_em_shape *out);
/* Displacements of the two nodes of a segment in the step; a tip has one. */
void vvi_em_segment_motion(const vvi_em_rigid *w, int32_t object, double u[2][3]);
/* A spot of a pair of which one or both bend, as a feature. */
void vvi_em_soft_spot(const vvi_em_rigid *w, const vvi_candidate *k, const vvi_spot *spot, double when,
                      vvi_em_feature *out);
/* A segment that is followed by another leaves its last node to that one. */
bool vvi_em_soft_left(const vvi_em_rigid *w, const vvi_em_feature *f);
bool vvi_em_flex_fit(vvi_em_rigid *w, int64_t rows); /* room for it, zero */
double vvi_em_weight_of(const vvi_em_rigid *w, int32_t frame, int32_t soft);
/* 1 + which body that bends a node belongs to; 0: none. */
int32_t vvi_em_soft_of(const vvi_em_rigid *w, const vv_block *b, int64_t node);
/* Where a frame is on its way, 0 at n and 1 at n+1. */
void vvi_em_frame_pose(const vvi_em_frame *f, double when, vvi_pose *out);

/* ---- flat.c ---- */

extern const vv_implicit_parts vvi_em_flat_parts;
/* The parts of a block; NULL: none. */
const vv_implicit_parts *vvi_em_parts_of(const vv_block *b);
/* What of a block and of contacts of surfaces these steps cannot do, with a message; q at the start. */
vv_status vvi_em_refuse(const vv_model *m);

/* ---- sheet.c ---- */

vv_status vvi_em_sheet_create(struct vv_step *s, vvi_em_rigid *w);
/* A step begins: how nodes with corners are turned. */
void vvi_em_sheet_begin(vvi_em_rigid *w);
/* The arm of a vertex of a beam with corners, in space at n. */
void vvi_em_sheet_arm(const vvi_em_rigid *w, int32_t vertex, double arm[3]);
/* Pairs that are near on the way to where the step leads; false: no room. */
bool vvi_em_sheet_collect(vvi_em_rigid *w, const vv_state *x, double dt);
/* Where a vertex is on its way, 0 at n and 1 at n+1. */
void vvi_em_sheet_vertex(const vvi_em_rigid *w, int32_t v, double when, double x[3]);
/* The turn of the rigid body that it hangs on in the step, and its arm: rad, m; 0: it hangs on none. */
void vvi_em_sheet_turn(const vvi_em_rigid *w, int32_t v, double *angle, double *arm);
/* The step that was found is taken. */
void vvi_em_sheet_moved(vvi_em_rigid *w, const vv_state *x, double dt);
/* A pair as a feature, standing where it is nearest in the middle (0.5) or at the end (1) of the step; its gap there. */
double vvi_em_sheet_feature(const vvi_em_rigid *w, int32_t a, int32_t b, int32_t law, double offset, double when,
                            vvi_em_feature *f);
bool vvi_em_sheet_is_local(const vvi_em_rigid *w, int32_t a, int32_t b);

/* ---- meets.c ---- */

/* Laws, frames of objects, and who may meet whom. */
vv_status vvi_em_pairs_build(const vv_model *m, vvi_arena *arena, vvi_em_rigid *w);
double vvi_em_gap(const vvi_em_feature *f, const vvi_pose *slave, const vvi_pose *master);
/* Features of a pair that can be listed; false: `tell` wants no more.  *n: how many there are, 0: ask for spots. */
typedef bool vvi_em_feature_fn(void *user, const vvi_em_feature *f);
bool vvi_em_features(const vvi_em_rigid *w, const vvi_candidate *k, vvi_em_feature_fn *tell, void *user, int64_t *n);
/* A spot between the shapes of a pair as a feature. */
void vvi_em_of_spot(const vvi_em_rigid *w, const vvi_candidate *k, const vvi_spot *spot, const vvi_pose *a,
                    const vvi_pose *b, vvi_em_feature *out);

/* ---- passed.c ---- */

/* How thin the shapes are. */
vv_status vvi_em_widths(vvi_em_rigid *w);
/* A pair whose gap, where the step leads, is gap1: into w->passed, if it met on the way there. */
void vvi_em_look_back(vvi_em_rigid *w, const vvi_candidate *c, double gap1, double dt);
void vvi_em_look_back_sheet(vvi_em_rigid *w, const vvi_sheet_near *near, double gap1, double dt);

/* ---- touch.c ---- */

/* Room for so many contacts. */
bool vvi_em_fit(vvi_em_rigid *w, int32_t contacts);
/* Springs that are in use, as contacts; false: no room. */
bool vvi_em_recall(vvi_em_rigid *w);
/* Adds what overlaps at the n+1 that was found and is not listed yet; new_ones: how many.  false: no room. */
bool vvi_em_find(vvi_em_rigid *w, double dt, int *new_ones);
/* After a step with contacts was taken: springs remembered or forgotten, events logged. */
bool vvi_em_remember(struct vv_step *s, vvi_em_rigid *w, double dt);

/* ---- answer.c ---- */

/* Impulses of all contacts listed, and the step they make; false: not converged. */
bool vvi_em_answer(vvi_em_rigid *w, double dt);

/* How far a contact is from its law in this iterate, and how soft it is. */
typedef struct vvi_em_law {
  double off;  /* multiplier: u - aim.  spring: j - dt p */
  double soft; /* spring: -dt^2 dp/dg; negative: a multiplier */
} vvi_em_law;
vvi_em_law vvi_em_law_of(const vvi_em_contact *c, double dt);
double vvi_em_gain(const vvi_em_contact *c);
/* What unit impulses along the rows of all contacts do to each other, [rows][rows].                               [em 12, 17] */
void vvi_em_matrix(vvi_em_rigid *w, int directions, double *a);

/* What the answer needs of a frame. */
void vvi_em_touch_frame(vvi_em_frame *f);

/* ---- spring.c ---- */

/* The mean force of a spring over its step, and minus its derivative by the gap at the end.                    [em 9, 29] */
double vvi_em_spring_pressure(const vvi_em_contact *c, double *fall);
/* J: stored; lost in the step that was found.  m: how deep it has been after it.                                    [em 30] */
double vvi_em_spring_stored(const vvi_rule *law, double gap, double deep);
double vvi_em_spring_lost(const vvi_em_contact *c);
double vvi_em_spring_deep(const vvi_em_contact *c);
double vvi_em_spring_energy(const vvi_em_rigid *w);

/* ---- joined.c ---- */

/* What these steps cannot join, with a message. */
vv_status vvi_em_refuse_joints(const vv_model *m);
vv_status vvi_em_joined_create(struct vv_step *s, vvi_em_rigid *w);
/* twist and theta of a body that joints hold; false: not found. */
bool vvi_em_cayley(vvi_em_frame *f, double dt);
/* The step of all that is joined, without contacts; false: not found. */
bool vvi_em_joined_predict(vvi_em_rigid *w, double dt);
/* Impulses of joints on the frames, with rows of the mean configuration so far; factor: and what they do to each other. */
void vvi_em_joined_push(vvi_em_rigid *w, double dt, bool factor);
/* What the answer needs of joined bodies. */
void vvi_em_joined_touch(vvi_em_rigid *w);
/* What joints lack at the end of the step, over the rounding of it. */
double vvi_em_joined_miss(vvi_em_rigid *w, double dt);
/* Rows of contacts feel each other through joints, and what joints lack; then joints follow what contacts change. */
void vvi_em_joined_couple(vvi_em_rigid *w, int directions, double dt);
void vvi_em_joined_foresee(vvi_em_rigid *w, int directions, double dt);
void vvi_em_joined_follow(vvi_em_rigid *w, int directions, double part, double dt);
void vvi_em_joined_correct(vvi_em_rigid *w, double part);
/* The step is taken. */
void vvi_em_joined_take(vvi_em_rigid *w, double dt, vv_posted *post);

/* ---- grip.c ---- */

/* j = 0 where there is no impulse that does it. */
void vvi_em_grip(const double v[3], const double a[9], double mu, double j[3]);

/* ---- rub.c ---- */

/* Whether the vertices of a contact share the moment of its friction, and with which masses; where they are in this iterate. */
void vvi_em_rub_stand(const vvi_em_rigid *w, vvi_em_contact *c);
void vvi_em_rub_aim(const vvi_em_rigid *w, vvi_em_contact *c);
/* What they get of a force on the slave, besides that force, those of one body; what of their motion in the step is sliding, and
 * of an answer of that body along a direction. */
void vvi_em_rub_push(const vvi_em_rigid *w, const vvi_em_contact *c, int32_t soft, const double force[3], double *load);
void vvi_em_rub_motion(const vvi_em_rigid *w, const vvi_em_contact *c, double u[3]);
double vvi_em_rub_along(const vvi_em_rigid *w, const vvi_em_contact *c, int32_t soft, const double push[3],
                        const double *answer);

/* ---- dense.c ---- */

/* x >= least, A x + b + s x >= 0, one of them an equality in every row; s: price times the largest A_ii.  false: not found.  work: n +
 * n (n + 1) reals.  act: [n] */
bool vvi_em_pivots(int32_t n, const double *a, const double *b, const double *least, double price, double tiny,
                   double *x, double *work, int32_t *act);

/* ---- together.c ---- */

/* Changes of all impulses, one or three to a contact, into move; scale: m/s.  false: none were found. */
bool vvi_em_together(vvi_em_rigid *w, int directions, double dt, const vvi_em_goal *goal);

/* ---- rigid.c ---- */

/* v: velocities of bodies that bend, in the state; slots: what springs keep there. */
vv_status vvi_em_rigid_create(struct vv_step *s, double *v, double *slots, vvi_em_rigid **out);
int64_t vvi_em_rigid_memory(const vv_model *m);
/* Of a run in which there are rigid bodies. */
const vvi_em_rigid *vvi_em_rigid_of(const struct vv_step *s);
/* One step of all bodies that may touch something; false: it did not converge. */
bool vvi_em_rigid_step(struct vv_step *s, vvi_em_rigid *w);
/* A step is cut in two so many times at most. */
int vvi_em_most_halvings(const vvi_em_rigid *w);
