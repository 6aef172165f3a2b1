/* contact/contact.h  One step of contact: manifolds become contacts, contacts become rows over movers, what they connect is
 * answered together, and everything is booked once.
 *
 * A mover is a node that contact can move: a point (3 numbers) or a frame (6).  Before the drift, at a frozen configuration,
 *   V- = M^-1 (p - h f/2)  the drift that ended here,    V = M^-1 (p + h f/2)  the coming one,     U = G V        [contact 21]
 * and an impulse J changes the kinetic energy by J.(U- + U+)/2, exactly [contact 22].  All movers take half kicks, at rest or
 * not: what holds can never bring energy.
 *
 * Groups are movers that contacts of the step connect; each is answered alone, pass by pass (passes.c), and in a pass island
 * by island (answer.c).  Nothing depends on the order of groups: they are shared among threads with the same bits.
 * A run backwards is a run with all velocities turned round: `sign` times velocities and impulses. */
#pragma once
#include "contact/island/island.h"
#include "contact/joints.h"
#include "contact/shapes/solids.h"
#include "contact/sheets.h"
#include "ledger/ledger.h"
#include "model/columns.h"
#include "model/traction.h"

/* One point of contact: three rows n, t, t' over the movers of its legs.  n leads from a to b. */
typedef struct vvi_contact {
  int32_t near;              /* a pair of features of surfaces: its number in the search; -1: a spot of a manifold */
  int32_t a, b;              /* objects; -1: features */
  int32_t body[2];           /* of the model */
  const vv_patch *patch[2];  /* and where on them, for the log */
  int32_t law;               /* line of the scene */
  uint32_t key;              /* which features meet */
  int32_t first, legs, room; /* legs, and how many there may be */
  int32_t node0, nodes;      /* all nodes that its shapes hang on, with or without a leg */
  int32_t part, next;        /* scale.c: contacts that hang together */
  int32_t vertex[4];         /* features: vertices, weights that add up to zero, half thicknesses */
  int vertices;
  double weight[4], offset;
  int64_t looked;             /* version of its nodes at the last evaluation; -1: none */
  double n[3], t[2][3], x[3]; /* axes; common point */
  double gap, target;         /* m: now; asked for after the drift */
  double
      ahead; /* m: after the drift with the present velocities, of the last evaluation; where not `known`: of the pair */
  double curl; /* m: how much nearer than straight lines turning may bring them */
  double restitution, friction;
  double given[3];      /* m/s along the axes: what is held but driven */
  double outside[3][6]; /* impulse and moment about the origin that unit impulses along the axes take from outside */
  double keep;          /* m: where contacts that hold lie */
  double size;          /* m: of the smaller of the two */
  double warm[3];       /* N s: where its solve starts */
  double recalled[3];   /* N s: the last impulse that was no blow, as it is kept; where `resting` */
  double last[3];       /* and along the axes of this step; */
  double lasting[3];    /* and the next: without what blows gave in this step */
  double j[3];          /* N s: of this step so far */
  double work[2];       /* J: what it did to the kinetic energy, along n and across */
  double before[3];     /* m/s: U- of the pass that answers it */
  double steady;        /* part of the impulse that only holds */
  double b_n, b_t[2];   /* m/s: asked for */
  uint8_t pressed, block, hits, lowered;
  bool open;   /* something outside takes part */
  bool placed; /* asked for where it ends, not for how fast it parts */
  bool held;   /* answered as one that holds, not as an impact */
  bool turns;  /* its gap is not linear in the velocities, since something turns, */
  bool rounds; /* or since both are round: what slides past opens it */
  bool linked; /* a joint holds one of its movers */
  bool blow;   /* asked to bounce, by more than what forces of a step bring */
  bool known;
  bool resting; /* it had an impulse in the last step */
  bool late;    /* found at the end of the drift */
  bool closing; /* what the last evaluation said */
  bool acts;    /* in this pass */
  bool stopped; /* by the last resort, as a part of one piece */
  bool turn;    /* answers in turn with others of a crowd [contact 26c] */
  uint8_t calm; /* vvi_calm: nothing else helped [contact 29a] */
} vvi_contact;

/* What a contact does without for the rest of a step. */
enum { VVI_CALM_NOT, VVI_CALM_BOUNCE, VVI_CALM_RUB }; /* nothing; restitution; friction, too */

/* A mover in this step; velocity and spin. */
typedef struct vvi_working {
  double kick[6];           /* h M^-1 f */
  double now[6];            /* V: of the coming drift, with all impulses so far */
  double impulse[6];        /* N s, N m s: P, what contact has given in this step */
  double held[6];           /* the part of P from contacts that hold */
  double saved[6];          /* momenta before */
  double place[3], turn[9]; /* after the drift, where `flown` */
  int32_t block, local;
  int32_t changes; /* how often it was pushed or put back */
  int64_t node;
  int64_t loaded;      /* the look of the step that it was loaded in */
  int32_t wrote, seen; /* the last level of a crowd that pushes it; that reads it */
  int32_t home; /* of a group that ranks share: one of those whose contacts read it, and know all that pushes it; */
  bool known, crosses; /* this rank is one of them; there are several */
  int32_t group;       /* of the step; -1: none pushes it */
  bool touched, flown, moves;
  bool reached;   /* by a contact that answers in this pass */
  uint8_t frozen; /* moves as one piece with others: 1 floats, 2 leans on something outside */
  int32_t piece;  /* which, where it is frozen */
} vvi_working;

/* What contacts gave a mover in this step, for the field of traction; of features, also the part that holds. */
typedef struct vvi_mover_given {
  vvi_node_impulse given, steady;
} vvi_mover_given;

/* What happened; counts since the start. */
typedef struct vvi_contact_counts {
  int64_t passes, restarts, solves, closed, newton, calmed, frozen, late, unresolved;
  int64_t looked;           /* rows of all solves, once for each of their iterations and once more */
  int64_t turns, levels;    /* contacts of crowds that answered in turn; levels that they waited for [contact 26e] */
  int64_t scaled, unscaled; /* parts judged by the shadow energy, and those left as they were */
  double deepest;           /* m: of what was left over in the last step, */
  vv_overlap overlap;       /* and the one that is most of the smaller of the two */
} vvi_contact_counts;

/* A contact of a crowd, which may answer in turn beside others of its group (turns.c).  Sums of the step so far. */
typedef struct vvi_in_turn {
  uint64_t name;                              /* a hash of what the scene calls it */
  int64_t read;                               /* movers that its look reads, in `reads` of the step: */
  int32_t reads, writes;                      /* so many, each once; the first it may push */
  int32_t level;                              /* of the island that answers; 0: not yet, -1: it does not take part */
  double outside[6], pending[6], given, lost; /* as those of the group */
  double taken;                               /* J: what it has lost in this turn */
  int64_t turns, solves, closed, looked;
  bool answered;      /* in this turn */
  int32_t rank;       /* whose it is, where ranks share its group, */
  unsigned char said; /* and what that one says of it: VVI_SAYS_... */
  bool fresh;         /* its last look saw the present velocities */
} vvi_in_turn;

/* What a group that answers pass by pass has to know of each of its contacts, whoever has looked at it. */
enum {
  VVI_SAYS_ACTS = 1,   /* in this pass, */
  VVI_SAYS_PUSHES = 2, /* and would have to be pushed */
  VVI_SAYS_STANDS = 4, /* it has legs, */
  VVI_SAYS_RUBS = 8,   /* and friction */
  VVI_SAYS_OPEN = 16,  /* something outside takes part */
  VVI_SAYS_PRESSED = 32,
  VVI_SAYS_BLOCK = 64
};

/* Of one thread: an island of one contact. */
typedef struct vvi_turner {
  vvi_island_contact *problem;
  vvi_leg *leg;
  int32_t *who;
  double (*inverse)[12], (*change)[6];
} vvi_turner;

typedef struct vvi_turn_name {
  uint64_t name;
  int32_t contact;
} vvi_turn_name;

/* What contacts of the step connect: slices of the arrays of the step. */
typedef struct vvi_contact_group {
  int32_t *member; /* [n] contacts, in their order; behind them, up to room, those found at the end of the drift */
  int32_t n, room, late;
  int32_t known;  /* the first so many are those of the start */
  int32_t passes; /* at most */
  double speed;   /* m/s: of the fastest of its shapes, a scale of rounding */
  int32_t pieces; /* frozen so far */
  int32_t rank;   /* who answers it; -1: everybody */
  bool retry;     /* an answer brought energy, or none was found: some contacts were calmed, again */
  int64_t legs;   /* of the arrays of a solve */
  int32_t *mover; /* [movers] */
  int32_t movers;
  int32_t links;               /* rows of joints of the island that is solved, behind its contacts, */
  int32_t rolls;               /* and behind them those that resist rolling */
  int32_t *act;                /* [room] those that answer in this pass, sorted by island */
  int32_t *root;               /* [room] the island of each */
  vvi_island_contact *problem; /* [room] */
  vvi_leg *leg;
  int32_t *who; /* [movers] of the island that is solved */
  double (*inverse)[12], (*change)[6];
  double given;      /* J: work of drives that contacts took */
  bool floats;       /* surfaces that lose alone, and nothing outside takes part */
  bool jams;         /* the last solve found no answer */
  bool crowd;        /* so many features that they may answer in turn, level by level [contact 26e] */
  bool soft;         /* a crowd of points that surfaces hang on, and nothing else */
  bool shared;       /* all ranks answer it together, each its own contacts; rows of others are not known here */
  bool ours;         /* it was shared: all know what became of it */
  bool first;        /* it was answered before the others */
  int64_t own_turns; /* that this rank has answered */
  bool turns;        /* contacts have answered in turn in this step: */
  double taken; /* J: they may bring so much: what half kicks hold and what they have lost, less what they brought */
  double pending[6];
  double outside[6], lost; /* what stopping and freezing took beyond the impulses of contacts: from outside, and J */
  double stray;            /* J: what its scaled impulses may bring that are left as they were [shadow 7] */
  vvi_contact_counts count;
} vvi_contact_group;

typedef struct vvi_contact_note {
  const vvi_contact *contact;
  double speed, normal, tangential, lost;
  const double *stop; /* N s: what body b was given by a stop of the last resort; NULL: none */
  bool back;          /* taken back before the first step */
} vvi_contact_note;

/* Surfaces: the search, and which movers carry their vertices. */
struct vvi_features {
  vvi_sheet_search *search;
  int32_t
      *mover_of; /* [movers of the search] one more than ours; 0: none in this step.  Those of others take no memory */
  int32_t *frame_of;    /* [movers that are not points] of the search; -1: none */
  int32_t first;        /* points come behind all others, */
  int32_t points, room; /* so many in this step */
  bool given;           /* what has become of them is known to an accelerator that keeps them */
  int32_t *point;       /* [room] movers of the search */
  uint64_t *name;       /* [bodies of the search] a hash of what the scene calls it */
  unsigned char *stale; /* [movers that are not points] was pushed and not yet flown for the search */
  int32_t actives;      /* pairs of the search that are contacts in this step */
  /* over ranks: near pairs that this one has found, and which of them are contacts of all.  In `search` are those of all ranks
   * that are. */
  vvi_sheet_near *mine; /* [mine_room] */
  unsigned char *taken;
  int32_t n_mine;
  int64_t mine_room;
  bool sorted;           /* those in `search` are in their order */
  unsigned char *pushed; /* [movers of the search, from -1 on] contact has, as long as pairs that join are looked for */
};

/* A step that began as the last one did, and left everything at rest, ends as that did: the answer is a function of places,
 * momenta, forces, the step, and of warm starts, which it was its own one of.  Then contacts, groups and their impulses are still those of the arrays, and the books get
 * what they got from the last one. */
typedef struct vvi_contact_rest {
  double *q, *p, *f; /* [nq], [np], [np] how the last step began; NULL: not kept here */
  double *left;      /* [np] the momenta it left */
  double h;
  bool still;       /* the last step left all that contact touched at rest, */
  bool known;       /* and so did the one before, from what is kept here */
  bool repeats;     /* its books, below, are those of every step like it */
  vv_posted post;   /* what it posted; */
  int64_t held;     /* contacts that held, */
  int64_t contacts; /* and touched */
  bool went_on;     /* this step is one like it, */
  bool closed;      /* and such a step ends as it began, */
  bool steady;      /* since nothing here depends on time */
  bool may_stay;    /* the stepper asks whether it does */
} vvi_contact_rest;

/* Far from everything the engine sleeps: no pair can be near before a certain time, by gaps, speeds and constant forces.  It
 * changes nothing of what is found. */
typedef struct vvi_contact_quiet {
  bool can;      /* between contacts only constant forces act on what can touch, and they do not turn it */
  bool taken;    /* the last step was taken so */
  bool booked;   /* the last step booked that nothing is near: the next would book the same */
  double until;  /* s: for which what follows holds; 0: not known */
  double passed; /* s: since it was found out */
  double room;   /* m: each object may go so far before it can be near another one; */
  double speed;  /* m/s: none of its points is faster, */
  double bound;  /* and no bound that a look takes */
  double *arm;   /* [objects][3] m: no point is farther from the axes of its mover */
} vvi_contact_quiet;

struct vvi_contact_step {
  const vv_model *model;
  vvi_arena *arena;
  int threads;
  vvi_solid_near *near;
  int32_t movers;        /* room */
  vvi_working *work;     /* [movers] */
  vv_mover *force;       /* [movers] accelerations, as velocity and spin; of forced models */
  double *fly_q, *fly_p; /* [nq], [np] scratch of flights */
  bool forced;
  bool together;              /* simultaneous impacts by complementarity */
  bool halves;                /* steps are halved around impacts */
  bool located;               /* impacts are met at their own times: anything may become as fast as the fastest */
  bool driven;                /* momenta of some nodes are set or damped between steps */
  double speed, acceleration; /* the largest: of lists and the log.  Answers use that of their group */
  /* of the step */
  double h, sign, t; /* |h| */
  const double *q, *f;
  double *p;
  vv_posted *post;
  bool fresh;
  int64_t looks; /* how often contacts were connected */
  vvi_contact *contact;
  int32_t n, room;
  vvi_leg *leg; /* [leg_room] */
  int64_t n_leg, leg_room, late_leg;
  int32_t *node; /* [node_room] */
  int64_t n_node, node_room;
  struct vvi_features *features; /* features.c; NULL: no surfaces here */
  struct vvi_joint_step *joints; /* linked.c; NULL: none */
  int32_t *assembly_of;          /* [linkable] of movers; -1: no joint holds it */
  int32_t *link_of;              /* [linkable] which node of the joints it is */
  int32_t linkable;              /* movers that joints may hold: those of shapes */
  int32_t links;                 /* rows of all joints, in ones and threes */
  bool rolls;                    /* some line resists rolling */
  int64_t *linked_at;            /* [assemblies] the look in which it was taken into a group */
  struct vvi_scaling *scaling;   /* scale.c; NULL: nothing here bends, or the step keeps no shadow energy */
  vvi_contact_group *group;
  int32_t groups;
  int team;          /* threads of one solve: all where groups are answered one by one */
  bool dealt;        /* each group is answered by one rank; */
  int64_t deals;     /* how often that was so */
  int64_t own_turns; /* turns that this rank has answered, with those of answers that were thrown away */
  double *tell;      /* [tell_room] what ranks tell each other of them */
  int64_t tell_room;
  bool untold;      /* there was no memory for that */
  uint64_t shuffle; /* for tests: groups, and those of a level of a crowd, answer in another order; 0: in theirs */
  int32_t *list, *act, *island;                /* [room] */
  int32_t *root, *group_of, *who, *mover_list; /* [movers] */
  vvi_island_contact *problem;
  vvi_leg *solve_leg;
  double (*inverse)[12], (*change)[6];
  vvi_in_turn *turn;          /* [room], of contacts of crowds; */
  vvi_turn_name *by_name;     /* [room] of each group its contacts in the order of their names */
  int32_t *queue, *level_end; /* [room] of each group the island that answers, by levels, and where these end */
  int64_t turns_room;
  int32_t *reads; /* [reads_room] */
  int64_t n_reads, reads_room;
  vvi_turner *turner;            /* [threads] */
  vvi_island_work **island_work; /* [threads] */
  vvi_arena *own;                /* [threads] */
  double *memory;                /* of the state */
  int32_t shown;                 /* whose momenta are shown changed: p0 + node of each; -1: not known */
  int64_t *shown_at;             /* [movers] */
  vvi_traction traction;         /* of the state; no nodes: not asked for */
  vvi_mover_given *touch;        /* [movers]; NULL: the same */
  int32_t pendings;              /* nodes of the field with something pending; -1: not known which */
  int64_t *pending_at;           /* [movers] */
  vvi_contact_rest rest;
  vvi_contact_quiet quiet;
  double covered; /* part of what some contacts of a group brought that others of it lost */
  vvi_contact_counts count;
  bool (*log)(void *user, const vvi_contact_note *e); /* true: it made an entry of its own */
  bool (*log_again)(void *user, int64_t held);        /* all notes of the last step once more; false: note each */
  void *user;
};

/* ---- the face ---- */

/* Who may meet whom, for all mechanisms: m->pairs, m->solids, m->sheets.  Refuses what overlaps and what has no contact.
 * (contact/shapes/build.c) */
vv_status vvi_contact_build(vv_model *m, const double *q, const double *p);

int64_t vvi_contact_memory(const vv_model *m); /* reals of the state */
/* search: of the surfaces that are answered here; NULL: there are none, or they are answered alone. */
vv_status vvi_contact_create(const vv_model *m, vvi_arena *arena, double *memory, vvi_sheet_search *search,
                             struct vvi_contact_step **out);
void vvi_contact_destroy(struct vvi_contact_step *w); /* what does not live in the arena */
typedef struct vvi_flight_plan {
  double t, h;
  const double *q, *f; /* f NULL: no forces */
  double *p;
  vv_posted *post;
} vvi_flight_plan;
/* Movers, bounds and candidate pairs of this state. */
bool vvi_contact_ready(struct vvi_contact_step *w, const vvi_flight_plan *plan);
/* Changes p so that nothing overlaps in the coming drift.  halve: an impact would be answered early by up to h; nothing was
 * changed.  False: out of memory. */
bool vvi_contact_act(struct vvi_contact_step *w, const vvi_flight_plan *plan, bool may_halve, bool *halve);
/* Nothing can be near in the coming step of h: whoever asks takes it without a look. */
bool vvi_contact_sleeps(struct vvi_contact_step *w, double h);
/* Contacts that touch at this instant bounce, no force acting. */
void vvi_contact_bounce(struct vvi_contact_step *w, double t, int64_t n, const vvi_meet *meet);
/* After an answer: the rest of the step would change nothing of the state, and does not count as one that moved. */
bool vvi_contact_stays(const struct vvi_contact_step *w);
void vvi_contact_moved(struct vvi_contact_step *w, double h);
void vvi_contact_forget(struct vvi_contact_step *w);
/* What touches in this state, and how deep it is, with what the last step left over. */
void vvi_contact_look(struct vvi_contact_step *w, const vvi_flight_plan *plan, double *deepest, vv_overlap *overlap,
                      int64_t *contacts);
/* What is added to the momenta where a state is shown: half of what contacts that hold gave last [contact 27]; [np]. */
const double *vvi_contact_half(const struct vvi_contact_step *w);
/* J: debts now, and at most so far; the farthest that they were from what contacts which hold have; and the most that these had;
 * the most that gaps of contacts which last may have been lent.                                      [contact 30b, 30c] */
double vvi_contact_debt(const struct vvi_contact_step *w);
double vvi_contact_most(const struct vvi_contact_step *w);
double vvi_contact_off(const struct vvi_contact_step *w);
double vvi_contact_still(const struct vvi_contact_step *w);
double vvi_contact_opening(const struct vvi_contact_step *w);
/* J: what the last step brought to the energy of fourth order, as far as only the forces of the next one show it. [shadow 7a] */
double vvi_contact_ahead(const struct vvi_contact_step *w);
/* Impulse and moment from outside that the momenta shown have had already, of the step to come: 6 numbers. */
const double *vvi_contact_pending(const struct vvi_contact_step *w);
/* Lost to something else by what contacts of a body hold: pays back what they owe, or is lent to them where it is negative.  What is
 * left.                                                                                                        [contact 30] */
double vvi_contact_repay(struct vvi_contact_step *w, int32_t body, double lost);

/* ---- between the files ---- */

/* mover.c */
bool vvi_movers_fit(struct vvi_contact_step *w, int32_t movers);               /* arrays for so many */
bool vvi_movers_look(struct vvi_contact_step *w, const vvi_flight_plan *plan); /* gather, bounds, candidate pairs */
/* Bounds are so many times the speeds. */
static inline double vvi_movers_caution(const struct vvi_contact_step *w)
{
  return w->located ? 1.5 : 1.05;
}
void vvi_movers_bound(struct vvi_contact_step *w);
bool vvi_movers_raise(struct vvi_contact_step *w);
bool vvi_mover_moves(const vv_mover *m);
void vvi_mover_load(struct vvi_contact_step *w, int32_t i);
static inline bool vvi_mover_loaded(const struct vvi_contact_step *w, int32_t i)
{
  return w->work[i].loaded == w->looks;
}
void vvi_mover_reset(struct vvi_contact_step *w, int32_t i);
void vvi_mover_push(struct vvi_contact_step *w, int32_t i, const double impulse[6], const double change[6]);
/* Where it will be, with an impulse beside what it got (NULL: none); marks it flown. */
void vvi_mover_fly(struct vvi_contact_step *w, int32_t i, const double extra[6]);
void vvi_mover_changed(struct vvi_contact_step *w, int32_t i);
bool vvi_mover_still(const vvi_working *m);
/* J that half a kick of a mover with these inverses of mass and inertia holds: m (h a/2)^2/2.            [contact 22a] */
static inline double vvi_half_kick(const double inverse_mass[6], const double inverse_inertia[6], const double kick[6])
{
  const double *a = inverse_mass, *b = inverse_inertia, ta = a[0] + a[1] + a[2], tb = b[0] + b[1] + b[2];
  const double mass = ta > 0.0 ? 3.0 / ta : 0.0, inertia = tb > 0.0 ? 3.0 / tb : 0.0;
  return 0.125 * (mass * vvi_dot3(kick, kick) + inertia * vvi_dot3(kick + 3, kick + 3));
}
/* quiet.c */
vv_status vvi_quiet_create(struct vvi_contact_step *w);
/* Nothing was near when it was looked at last: for how long? */
void vvi_quiet_begin(struct vvi_contact_step *w);
void vvi_quiet_end(struct vvi_contact_step *w); /* what moved meanwhile counts as travelled */
/* Would a look find nothing near in the coming step, whatever it is? */
static inline bool vvi_quiet_lasts(const struct vvi_contact_step *w, double h)
{
  const vvi_contact_quiet *k = &w->quiet;
  return k->passed + fabs(h) < k->until && k->passed * k->speed + fabs(h) * k->bound < k->room;
}
/* row.c */
enum {
  VVI_LATE_RESERVE = 8
}; /* contacts of a group that may be found at the end of the drift, beside as many as it has */
bool vvi_contacts_fit(struct vvi_contact_step *w, int64_t n, int64_t groups); /* room for so many, in so many groups */
bool vvi_contacts_make(struct vvi_contact_step *w);
/* A contact of this spot, out of any group, in the last place there is room for; NULL: nothing there can move. */
vvi_contact *vvi_contact_try(struct vvi_contact_step *w, const vvi_meet *m);
bool vvi_contacts_legs(struct vvi_contact_step *w, int64_t legs);
void vvi_contact_velocity(const struct vvi_contact_step *w, const vvi_contact *c, bool before, double u[3]);
/* m: by how much its gap may leave the straight way in this drift, with the spins that impulses have given so far. */
double vvi_contact_curl(const struct vvi_contact_step *w, const vvi_contact *c);
bool vvi_pair_rigid(const struct vvi_contact_step *w, int32_t a, int32_t b); /* rigid bodies and obstacles */
/* m: where contacts of two objects lie, by this line of the scene. */
double vvi_pair_keep(const struct vvi_contact_step *w, int32_t a, int32_t b, int32_t law);
/* Gaps of n contacts of one pair at the flown poses; spots below zero that none of them knows are told. */
typedef void vvi_late_fn(void *user, const vvi_contact *like, const vvi_spot *spot);
void vvi_pair_ahead(struct vvi_contact_step *w, int32_t n, const int32_t *contact, vvi_late_fn *late, void *user);
/* Places of both sides with the present velocities. */
void vvi_pair_fly(struct vvi_contact_step *w, const vvi_contact *c);
/* Counts the changes of all its nodes: grows when one of them is pushed. */
int64_t vvi_contact_version(const struct vvi_contact_step *w, const vvi_contact *c);
bool vvi_contact_late(struct vvi_contact_step *w, const vvi_contact *like, const vvi_spot *spot, vvi_contact *out);
/* features.c: pairs of features of surfaces as contacts */
vv_status vvi_features_create(struct vvi_contact_step *w, vvi_sheet_search *search);
bool vvi_features_again(struct vvi_contact_step *w);
void vvi_features_give(
    struct vvi_contact_step *w); /* to an accelerator that keeps the points: momenta after the answer */
bool vvi_features_collect(struct vvi_contact_step *w); /* pairs that may meet in the coming drift */
bool vvi_features_make(struct vvi_contact_step *w);    /* contacts of them, behind the others; without rows */
/* The row of now of one that is pressed, and what it had in the last step: made by the thread and the rank that answer its group. */
void vvi_feature_look(struct vvi_contact_step *w, int32_t group, vvi_contact *c);
void vvi_feature_recall(struct vvi_contact_step *w, vvi_contact *c);
/* Does the pair cross, or end too near?  Then the row is that of the end. */
bool vvi_feature_closes(struct vvi_contact_step *w, int32_t group, vvi_contact *c);
double vvi_feature_ahead(const struct vvi_contact_step *w,
                         const vvi_contact *c);       /* at flown places, with its weights */
bool vvi_features_exceed(struct vvi_contact_step *w); /* contact made some faster than the search was told */
/* Pairs of what contact has pushed join if they would meet now, or all that are near; true: some would meet. */
bool vvi_features_join(struct vvi_contact_step *w, bool all);
/* Frames that were pushed are flown for the search, all at once. */
void vvi_features_refresh(struct vvi_contact_step *w);
/* A hash of what the scene calls its vertices: no list, thread or rank decides it, nor what else there is. */
uint64_t vvi_feature_name(const struct vvi_contact_step *w, const vvi_contact *c);
/* Movers of its group that a look at it reads, some more than once: how many; out NULL: counts. */
int64_t vvi_feature_reads(const struct vvi_contact_step *w, int32_t group, const vvi_contact *c, int32_t *out);
void vvi_features_advance(struct vvi_contact_step *w);
/* Steps in which nothing can touch, where an accelerator takes them: how many (broad/away.h). */
int64_t vvi_features_cruise(struct vvi_contact_step *w, double h, int64_t most);
void vvi_features_forget(struct vvi_contact_step *w);
void vvi_features_changed(struct vvi_contact_step *w, int32_t mover);
/* linked.c: bodies that joints hold */
vv_status vvi_linked_create(struct vvi_contact_step *w, struct vvi_joint_step *joints);
int32_t vvi_links_of(const vv_model *m); /* rows of all joints, in ones and threes */
static inline int32_t vvi_linked(const struct vvi_contact_step *w, int32_t mover)
{
  return w->joints != NULL && mover >= 0 && mover < w->linkable ? w->assembly_of[mover] : -1;
}
void vvi_linked_forces(struct vvi_contact_step *w); /* accelerations become those that joints allow */
double vvi_linked_speed(const struct vvi_contact_step *w, int32_t mover, double arm); /* m/s that joints may add */
/* All movers of an assembly, and how many rows it has. */
const vvi_joint_node *vvi_linked_nodes(const struct vvi_contact_step *w, int32_t assembly, int32_t *n);
int32_t vvi_linked_rows(const struct vvi_contact_step *w, int32_t assembly);
/* Movers that joints connect with those of the island, and the rows of these joints behind its n contacts; returns movers. */
int32_t vvi_linked_number(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, int32_t movers, int32_t *legs);
/* Impulses of contacts on the movers of the island get what joints answer. */
void vvi_linked_spread(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t movers, double (*change)[6]);
void vvi_linked_warm(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n);
/* Where its movers will be, with impulses beside what they got (NULL: none). */
void vvi_linked_fly(struct vvi_contact_step *w, int32_t assembly, const vvi_contact_group *g);
/* What is shown of impulses that hold is spread likewise. */
void vvi_linked_show(struct vvi_contact_step *w, vvi_contact_group *g, int32_t movers);
/* Half the impulse of forces and joints in a step, for a mover at rest: added to `half`. */
void vvi_linked_rest(struct vvi_contact_step *w, int32_t mover, double *half);
/* passes.c */
bool vvi_groups_make(struct vvi_contact_step *w); /* false: no memory */
void vvi_group_answer(struct vvi_contact_step *w, vvi_contact_group *g, vvi_island_work *solver);
/* Contacts that are pressed, alone: for the start of a run. */
void vvi_group_press(struct vvi_contact_step *w, vvi_contact_group *g, vvi_island_work *solver);
void vvi_group_bounce(struct vvi_contact_step *w, vvi_contact_group *g, vvi_island_work *solver);
/* Is there an impact in the coming drift? */
bool vvi_group_hit(struct vvi_contact_step *w, vvi_contact_group *g);
bool vvi_contact_pressed(const struct vvi_contact_step *w, const vvi_contact *c);
void vvi_group_reset(struct vvi_contact_step *w, vvi_contact_group *g);
/* Do pairs that no contact knows, of the candidates collected since, meet in the coming drift? */
bool vvi_strangers_meet(struct vvi_contact_step *w);
/* Does something of the group still close, or meet at the end of the drift? */
bool vvi_group_meets(struct vvi_contact_step *w, vvi_contact_group *g);
/* turns.c: crowds */
vv_status vvi_turns_create(struct vvi_contact_step *w);
bool vvi_turns_make(struct vvi_contact_step *w); /* of groups that are crowds; false: no memory */
void vvi_turns_clear(struct vvi_contact_step *w, const vvi_contact_group *g); /* as if none had answered */
void vvi_turns_close(struct vvi_contact_step *w, vvi_contact_group *g);       /* their sums go to the group */
/* Rows of now of its features, and what is remembered of them; do they close in pass number `pass`: by all threads of the group. */
void vvi_turns_look(struct vvi_contact_step *w, vvi_contact_group *g);
void vvi_turns_collect(struct vvi_contact_step *w, vvi_contact_group *g, int pass);
static inline bool vvi_contact_says(const struct vvi_contact_step *w, int32_t contact, int what)
{
  return (w->turn[contact].said & what) != 0;
}
/* An island of a crowd answers in turn. */
void vvi_turns_answer(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, bool light,
                      vvi_island_work *solver);
/* dealt.c: groups over ranks */
/* A factorised problem of n contacts on a surface takes n^(3/2). */
static inline double vvi_group_weight(const vvi_contact_group *g)
{
  return (double)g->n * sqrt((double)g->n);
}
bool vvi_groups_deal(struct vvi_contact_step *w); /* who answers which; false: no memory */
bool vvi_group_is_mine(const struct vvi_contact_step *w, const vvi_contact_group *g);
bool vvi_groups_tell(struct vvi_contact_step *w); /* answers go to all ranks; false: no memory */
bool vvi_contact_is_mine(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t contact);
/* Of a group that ranks share, each called by all of them.  What each says of its own contacts goes to all; */
void vvi_shared_say(struct vvi_contact_step *w, const vvi_contact_group *g);
/* of a level that has answered, what was pushed; */
void vvi_shared_push(struct vvi_contact_step *w, int32_t n, const int32_t *level);
/* of these, those that are marked as `acts`: all know their rows, movers and impulses; */
void vvi_shared_learn(struct vvi_contact_step *w, int32_t n, const int32_t *contact);
/* all of it: it is not shared any more. */
void vvi_shared_end(struct vvi_contact_step *w, vvi_contact_group *g);
/* scale.c: impacts of bodies that bend, scaled to the energy that their flight keeps */
vv_status vvi_scaling_create(struct vvi_contact_step *w, double h); /* the step */
vv_status vvi_scaling_away(struct vvi_contact_step *w); /* blocks that are away are flown there, where they can be */
bool vvi_scaling_act(struct vvi_contact_step *w);       /* false: no memory */
void vvi_scaling_book(struct vvi_contact_step *w);      /* once in a step */
void vvi_scaling_clear(struct vvi_contact_step *w);     /* or this, where nothing is near */
/* Over the term of order y = (h/h_stable)^2 of B M, at the most, those behind it: (2/3) Z + (8/15) Z^2 + (16/35) Z^3 + ..., each
 * coefficient below 4/5 of the first.                                                                      [shadow 7b] */
static inline double vvi_contact_next_order(double y)
{
  return y < 1.0 ? fmin(1.0, 0.8 * y / (1.0 - y)) : 1.0;
}
/* What ordinary answers gave to what bends, kept over a step in the memory of the state: a place of the node in the momenta of the
 * model, 6 of P, 6 of h M^-1 f; sorted. */
enum { VVI_PUSH = 13 };
typedef struct vvi_pushes {
  double *first, *n,
      *ahead; /* ahead: J, what the forces of the coming step will say of them, by those of the last two */
  int64_t room;
} vvi_pushes;
vvi_pushes vvi_contact_pushes(const struct vvi_contact_step *w);
/* traction.c: nothing, where nobody asked */
bool vvi_touches_fit(struct vvi_contact_step *w, int64_t old, int64_t n);
void vvi_touch_add(struct vvi_contact_step *w, const vvi_contact *c, const double j[3]);
void vvi_touch_stop(struct vvi_contact_step *w, int32_t mover, const double extra[3]);
void vvi_touch_scale(struct vvi_contact_step *w, int32_t mover, double s);
void vvi_touch_clear(struct vvi_contact_step *w, int32_t mover);
void vvi_touch_show_nothing(struct vvi_contact_step *w, int32_t mover);
void vvi_touch_book(struct vvi_contact_step *w, bool shows);
void vvi_touch_start(struct vvi_contact_step *w, const vvi_contact_group *g);
/* answer.c */
/* False: these features have no answer that is found soon, and nothing was changed; they answer in turn. */
bool vvi_island_answer(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act,
                       vvi_island_work *solver);
/* Features that are a crowd: so many, of four points each, may hang on the thousand movers from which solves take the gradient
 * method, which has no tolerance to end at where nothing may be lost, and takes minutes where hundreds of rows hold. */
enum { VVI_CROWD = 250 };
/* A pair of features of surfaces that loses where it bounces; nothing turns it and no joint holds it. */
static inline bool vvi_contact_soft(const vvi_contact *c)
{
  return c->near >= 0 && !c->linked && !c->turns && c->restitution < 1.0;
}
/* One contact of a crowd, in turn. */
void vvi_turn_answer(struct vvi_contact_step *w, vvi_contact_group *g, int32_t contact, vvi_island_work *solver);
/* J that half a kick of all movers of a group holds: what rows that hold may bring at the most.             [contact 22a] */
double vvi_group_allowance(const struct vvi_contact_step *w, const vvi_contact_group *g);
void vvi_island_freeze(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act);
/* These answer without restitution and friction in this step, from the start. */
void vvi_island_calm(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act);
/* They do without restitution and friction already. */
bool vvi_all_calm(const struct vvi_contact_step *w, int32_t n, const int32_t *act);
/* m: the gap after the drift below which a contact answers: its target, and half of that once it has: what a solve and the
 * turning of its gap leave may stay, and nothing reaches zero. */
static inline double vvi_contact_goal(const vvi_contact *c)
{
  return (c->hits > 0 ? 0.5 : 1.0) * c->target - 1e-12 * c->size;
}
/* m: lengths below this are rounding of places and arms. */
static inline double vvi_contact_slack(const vvi_contact *c)
{
  return 1e-12 * c->size;
}
/* book.c */
double vvi_contact_owed(const struct vvi_contact_step *w, const vvi_contact *c); /* J: debt of its two bodies */
void vvi_contact_recall(struct vvi_contact_step *w);
/* shows: with what the state remembers and shows; else impulses and energies alone. */
void vvi_contact_book(struct vvi_contact_step *w, bool shows);
void vvi_contact_start(struct vvi_contact_step *w);
bool vvi_contact_started(const struct vvi_contact_step *w);
