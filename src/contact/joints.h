/* contact/joints.h  Joints: constraints that pull as well as push, between nodes of bodies, or a node and the ground.
 *
 * A joint is up to six equations g(q) = 0 between two ends; an end is a point and three axes that a node carries, or that are
 * fixed in space.  Nodes that joints connect are an assembly, and everything below is done for each assembly alone.  Momenta of
 * the state are those of motions that joints allow, G M^-1 p = 0; one step of the leapfrog is               [joint 3 to 6]
 *
 *   kick,   p += G(q)^T a  so that g(q after the drift) = 0,   drift,   kick,   p += G(q)^T b  so that G M^-1 p = 0,
 *
 * which is symplectic, keeps both momenta exactly, and the energy in a band of second order.  Impacts act between these, in the
 * metric of what the joints leave free: contact/solution/answer.c adds the rows of joints to those of contacts. */
#pragma once
#include "contact/island/sparse.h"
#include "ledger/ledger.h"
#include "model/model.h"

enum { VVI_JOINT_ROWS = 6 };

/* d leads from the point of a to that of b; axes i of a, k of b.                                               [joint 1] */
typedef enum vvi_tie_type {
  VVI_TIE_PLACE,  /* d along axis i of space */
  VVI_TIE_ALONG,  /* d along axis i of a */
  VVI_TIE_ANGLE,  /* axis i of a and axis k of b are across each other */
  VVI_TIE_LENGTH, /* |d| is the length */
} vvi_tie_type;
typedef struct vvi_tie {
  vvi_tie_type type;
  int i, k;
} vvi_tie;

/* An end: its point and its axes (by rows) in the frame of its node, or in space. */
typedef struct vvi_joint_end {
  int32_t node; /* of vvi_joints; -1: fixed */
  double arm[3], axis[3][3];
} vvi_joint_end;

typedef struct vvi_joint {
  const vv_group *group;
  int32_t body[2]; /* of the model; -1: the ground */
  vvi_joint_end end[2];
  int rows;
  vvi_tie tie[VVI_JOINT_ROWS];
  double length; /* m: of a distance */
  double size;   /* m: scale of its lengths */
} vvi_joint;

typedef struct vvi_joint_node {
  int32_t block, body, assembly;
  int64_t node;  /* of the block */
  int32_t mover; /* of the contact engine; -1: it has none */
} vvi_joint_node;

/* Slices of joints and nodes. */
typedef struct vvi_assembly {
  int32_t joint0, joints, node0, nodes;
  bool fixed; /* some end is fixed in space */
} vvi_assembly;

struct vvi_joints {
  int32_t n, nodes, assemblies;
  vvi_joint *joint;     /* [n] sorted by assembly, in it as in the scene */
  vvi_joint_node *node; /* [nodes] sorted by assembly */
  vvi_assembly *assembly;
  int32_t *
      whole; /* [nodes] in implicit steps: the first node of the same body that bends, whose nodes all feel each other; -1: none */
  int32_t pairs;
  int64_t *pair; /* [pairs] sorted: a n_body + b of bodies that are joined, a < b */
};

/* Reads `joints`; m->joints stays NULL where there are none.  Refuses ends that do not fit each other, and velocities that part
 * them; what the digits of the scene leave of these is taken out of p. */
vv_status vvi_joints_build(vv_model *m, const double *q, double *p);
/* After the shapes that can meet are known: what cannot be joined there. */
vv_status vvi_joints_settle(vv_model *m);
/* Are two bodies joined?  Then they do not meet, unless a line of the scene names both. */
bool vvi_joints_join(const vv_model *m, int32_t body_a, int32_t body_b);
int64_t vvi_joints_memory(const vv_model *m); /* reals of the state */

/* ---- rows: what a unit impulse along each does to the nodes of both ends ---- */

typedef struct vvi_joint_rows {
  double leg[2][VVI_JOINT_ROWS][6];    /* force and moment on the node of each end; zero where nothing can move */
  double answer[2][VVI_JOINT_ROWS][6]; /* M^-1 of these */
  double apply[VVI_JOINT_ROWS][6];     /* impulse and moment about the origin that come from outside */
  bool open;                           /* something outside takes part */
} vvi_joint_rows;

/* An arm, or the line of a distance, turns by more than half a radian in a step, with the velocities behind the drift: the
 * rows of its two ends differ as much, and impulses that keep the joint there need not be those of its motion. */
bool vvi_joint_turned(const vvi_joint *j, double h, const vv_mover *at);
/* g of all rows with nodes where they are in `at`. */
void vvi_joint_gaps(const vvi_joint *j, const vv_mover *at, double *g);
void vvi_joint_rows_at(const vvi_joint *j, const vv_mover *at, vvi_joint_rows *out);
/* By which two velocities of the nodes differ along the rows: u = G v. */
void vvi_joint_speeds(const vvi_joint *j, const vvi_joint_rows *r, const vv_mover *at, double *u);
/* m, or 1 for angles: what rounding leaves of g. */
double vvi_joint_floor(const vvi_joint *j, int row, const vv_mover *at);

/* ---- in a step ---- */

/* What one assembly did in a step. */
typedef struct vvi_assembly_work {
  vvi_sparse sparse;
  vvi_sparse newton; /* of the same shape: G after the drift, M^-1 G^T before */
  uint8_t *dim;      /* [joints] 3 or 6: rows, filled up */
  int32_t *at;       /* [joints + 1] 6 k */
  int32_t *pair; /* numbers of the blocks of joints that share a node, as they are come across; complement: turned */
  double work, outside[6]; /* since the last booking */
  double gap;              /* m: largest |g|, angles times the size of their joint */
  double half;             /* J: kinetic energy of half the impulse of a step, the largest so far */
  int rounds;              /* of the last flight */
  double left;             /* largest |g| over its floor */
  bool lost;               /* no impulses were found */
} vvi_assembly_work;

struct vvi_joint_step {
  const vv_model *model;
  const struct vvi_joints *joints;
  int threads;
  bool ready;            /* rows and factors are those of the present places */
  vv_mover *now, *ahead; /* [nodes] */
  vvi_joint_rows *rows;  /* [n] now, */
  vvi_joint_rows *later; /* [n] and after the drift */
  vvi_assembly_work *assembly;
  int32_t *first, *end; /* [nodes + 1], [2 n] ends at each node, or at the first one of its body: 2 joint + side */
  double *link;        /* implicit steps: 6 x 6 blocks, what impulses on one node of a body do to another; NULL: none */
  int64_t *link0;      /* [nodes] where the blocks of a node begin */
  int32_t *member;     /* [nodes] which of the nodes of its body it is */
  double (*push)[6];   /* [nodes] */
  double (*extra)[6];  /* [nodes] scratch of who asks */
  double (*tie)[6];    /* [nodes] N, N m: what joints add to the forces of the step */
  double (*turned)[6]; /* [nodes] m/s, rad/s: what the half impulse that is remembered does at q */
  double (*before)[6]; /* [nodes] m/s, rad/s: before a medium takes its part */
  double *impulse, *rhs; /* [6 n] */
  double *kept;          /* [12 n] scratch of who asks */
  double *fly_q, *fly_p; /* [nq], [np] */
  double *memory;        /* of the state */
  bool by_places;        /* forces are not constant: work is booked for both impulses at a place together */
};

vv_status vvi_joint_create(const vv_model *m, vvi_arena *arena, double *memory, struct vvi_joint_step **out);
/* Rows and factors at q. */
void vvi_joints_look(struct vvi_joint_step *w, const double *q);
void vvi_joints_forget(struct vvi_joint_step *w);
/* Adds to impulses on the nodes of an assembly what its joints answer, so that they change no g: P += G^T x, G M^-1 P = 0. */
void vvi_assembly_spread(struct vvi_joint_step *w, int32_t assembly, double (*impulse)[6]);
/* Rates of the nodes of an assembly (velocity and spin) become those that its joints allow; tie: by these impulses. */
void vvi_assembly_allow(struct vvi_joint_step *w, int32_t assembly, vv_mover *rates);
/* Flies the nodes of an assembly for h from (q, p + f h/2 + extra): ahead.  f, extra ([nodes of the model's joints][6]) may be
 * NULL.  false: no impulses keep the joints. */
bool vvi_assembly_fly(struct vvi_joint_step *w, int32_t assembly, double h, const double *q, const double *p,
                      const double *f, double (*extra)[6]);
/* Momenta before a kick of h/2 with f (NULL: none) and a drift of h get what keeps the joints at its end; false: there is none.
 * Before the kick, because then its work is that of the drift, and what joints do is all that is left.        [joint 8] */
bool vvi_joints_hold(struct vvi_joint_step *w, double h, const double *q, const double *f, double *p, vv_posted *post);
/* Momenta become those of a motion that joints allow. */
void vvi_joints_project(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post);
/* The same after a medium has taken of each body what it takes of it alone: what then goes, (1/2) u.D^-1 u, is taken by it, too.
 *                                                                                                            [joint 8b] */
void vvi_joints_fade(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post);
/* Before the medium takes it: the motion is kept, so that vvi_joints_fade knows by how much it changed.        [joint 8c] */
void vvi_joints_before_fade(struct vvi_joint_step *w, const double *q, const double *p);
/* The same where they are clearly not: something outside has changed them. */
void vvi_joints_mend(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post);

/* ---- in parts, for implicit steps: all assemblies at once ---- */

/* Rows at the places in `now`; factor: and their matrix. */
void vvi_joints_rows(struct vvi_joint_step *w, bool factor);
void vvi_joints_pull(struct vvi_joint_step *w);             /* push += G^T impulse */
void vvi_joints_solve(struct vvi_joint_step *w, double *x); /* D x = x */
void vvi_joints_newton(struct vvi_joint_step *w,
                       double *x); /* the same with rows of `ahead` on its left  [joint 7a, 12a] */
/* Room for what impulses on a node of a body that bends do to its other nodes. */
vv_status vvi_joints_link(struct vvi_joint_step *w, vvi_arena *arena);
/* That block, of node `to` for impulses on node `by`, both of one body; NULL: there is none. */
double *vvi_joint_link(const struct vvi_joint_step *w, int32_t to, int32_t by);
/* push of the nodes of an assembly = G^T x of the impulses that undo rates v of them: x = -D^-1 G v. */
void vvi_assembly_undo(struct vvi_joint_step *w, int32_t assembly, double (*v)[6], double (*push)[6]);
void vvi_joints_guess(struct vvi_joint_step *w, double h); /* impulse, from the steps before */
void vvi_joints_keep(struct vvi_joint_step *w, double h);
void vvi_joints_post(struct vvi_joint_step *w, vv_posted *post); /* what came from outside, and |g| in `ahead` */
