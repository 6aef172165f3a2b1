/* model/model.h  The frozen model, and the loops over its blocks.  Every room above sees bodies only through these. */
#pragma once
#include "base/base.h"
#include "visviva/ext.h"

struct vvi_rules;  /* contact/shapes/rules.h */
struct vvi_pairs;  /* contact/pairs.h */
struct vvi_solids; /* contact/shapes/solids.h */
struct vvi_sheets; /* contact/sheets.h */
struct vvi_joints; /* contact/joints.h */
struct vvi_probes; /* model/probe.h */

struct vv_model {
  vv_ctx *ctx;
  vvi_arena arena;      /* everything below lives here */
  const char *source;   /* file name of the scene, for messages */
  const vv_group *root; /* the scene as understood */
  const char *title;
  uint64_t scene_hash; /* of the scene as understood: a checkpoint of another scene is refused */
  int n_body, n_block, n_patch;
  vv_body *body;      /* [n_body] in the order of the scene */
  vv_block *block;    /* [n_block] one per kind that is used, in the order of the catalog */
  int64_t nx;         /* places in q; behind them lie the internal variables */
  int64_t nq, np, nh; /* lengths of q, p, memory */
  int64_t shown;    /* where in state.memory stands what is added to momenta that are shown; 0: nowhere [contact 27] */
  int64_t traction; /* where in state.memory contact is gathered as a field; 0: nobody asked */
  double gravity[3];
  double length_scale;  /* m: size of the scene, for tolerances on gaps */
  double reach;         /* m: farthest place from the origin */
  double step, end;     /* s */
  char step_reason[96]; /* why this step, where the scene gives none */
  int64_t steps;
  double stable_step; /* s */
  int order;
  const vv_stepper_kind *stepper;
  bool driven, viscous, flows; /* some block has driven nodes, is viscous, has internal variables */
  struct vvi_rules *rules;     /* the scene's `contacts` */
  struct vvi_pairs *pairs;     /* candidate contact pairs; owned by the arena */
  struct vvi_solids
      *solids; /* shapes that can meet something: rigid bodies, round beams, tips, obstacles; NULL: none */
  struct vvi_sheets *sheets; /* surfaces of triangles that can meet something; NULL: none */
  struct vvi_joints *joints; /* NULL: none */
  struct vvi_probes *probes; /* NULL: none */
  bool *served;              /* over ranks: the others wait for what this one asks for */
  bool *settled;             /* over ranks: a run was made of it, and what the tiles of others need is given back */
  double probe_every;        /* steps between looks at probes and stop conditions, not whole in general */
};

/* ---- words -> groups -> bodies ---- */

/* The top level of a scene (model/scene_fields.c). */
extern const vv_schema vvi_scene_schema;
extern const vv_schema vvi_history_schema;
extern const vv_schema vvi_motion_schema; /* of a body: followed by the simulation */
extern const vv_schema vvi_torus_schema;  /* a mesh: of shells, of rigid bodies */
extern const vv_schema vvi_grid_schema, vvi_copies_schema;

/* Cross-sections: the shapes that a beam chooses from; those of a bar, which may be its area alone.  (model/section.c) */
extern const vv_schema vvi_section_schema, vvi_section_area_schema;
vv_status vvi_section_check(const vv_group *section); /* of a bar: exactly one is given */
double vvi_section_area(const vv_group *section);     /* of a bar */

/* Binds the words of the spec with the schemas; all mistakes are messages in the context.  (model/bind.c) */
vv_status vvi_bind(vv_ctx *ctx, const vv_spec *spec, vvi_arena *arena, const vv_group **root);
const char *vvi_spec_source(const vv_spec *spec);
/* Bodies with a grid of copies become one body each, NAME-0, NAME-1, ..., and contacts of NAME those of all of them.
 * named: some name may be that of a copy, and is looked up.  (model/copies.c) */
vv_status vvi_copies_expand(vvi_arena *arena, vv_group *root, bool named);
uint64_t vvi_group_hash(const vv_group *root); /* of all values, given and default, but title, record and time.end */

/* A path that counts from the folder of the scene `source`; the caller frees it.  NULL: out of memory.  (model/table.c) */
char *vvi_beside(const char *source, const char *file);
/* The bytes of the file that the text field `name` of g gives, and a zero behind them; the caller frees them.  Every fault
 * is a complaint about that field. */
vv_status vvi_beside_read(const vv_group *g, const char *name, char **bytes, size_t *size);

/* A message without a failure, with the place of the field: said when the scene is known to be good. */
void vvi_warn(const vv_group *g, const char *name, const char *format, ...) VV_PRINTF(3, 4);
/* Warns of histories that vary faster than steps of length h can follow.  (model/history.c) */
void vvi_history_warn(const vv_group *root, double h);

/* The unit that a number was written with, where its field takes any (VVI_ANY_UNIT); "": none. */
const char *vvi_group_unit(const vv_group *g, const char *name);
/* A word `auto` becomes what it stands for: `word` lives as long as the model. */
void vvi_group_resolve(const vv_group *g, const char *name, const char *word);

/* Reads a `history` choice into a struct; the arrays live in the group. */
vv_history vvi_history_from(const vv_group *g, const char *name);
double vvi_history_rate(const vv_history *h, double t);           /* its derivative, 1/s */
vv_status vvi_history_check(const vv_group *g, const char *name); /* table: as many values as increasing times */

/* Measure, place, fill, check: bodies and blocks.  Fills the model and the initial q, p.  (model/compile.c) */
vv_status vvi_model_build(vv_ctx *ctx, const vv_spec *spec, vv_model *m, double **q, double **p);
vv_ctx *vvi_group_ctx(const vv_group *g);
/* The first state of a run goes to a prepared file, or is that of the file. */
vv_status vvi_model_start(const vv_model *m, double **q, double **p);
int vvi_model_body_find(const vv_model *m, const char *name); /* -1: none */
/* The block a patch (index in the model) belongs to. */
const vv_block *vvi_model_patch_block(const vv_model *m, int32_t patch, int32_t *local);
const vv_patch *vvi_model_patch(const vv_model *m, int32_t patch);
/* The bodies go through their discrete-gradient form. */
static inline bool vvi_model_implicit(const vv_model *m)
{
  return (m->stepper->claims & VV_EXPLICIT) == 0;
}
/* What is the same, room that nobody used above all, is not touched. */
void vvi_reals_copy(double *to, const double *from, size_t n);
vv_status vvi_state_create(int64_t nq, int64_t np, int64_t nh, vv_state **out);

/* ---- one loop over blocks for each column ---- */

void vvi_sys_kick(const vv_model *m, double t, double h, const double *q, double *p);
int vvi_sys_drift(const vv_model *m, double h, double *q, double *p);
/* f: all forces at t, then p += h f; p += a f, the drift, and unless `kick` is 0 the forces at t behind it and p += kick f. */
void vvi_sys_force_kick(const vv_model *m, double t, double h, const double *q, double *f, double *p);
void vvi_sys_leap(const vv_model *m, double t, double a, double h, double kick, double *q, double *f, double *p);
/* Internal variables follow a drift of length h with momenta p: once after each drift.  post NULL: h is 0, see vv_body_kind. */
void vvi_sys_flow(const vv_model *m, double h, double *q, const double *p, vv_posted *post);
/* Flow of the last drift, then kick, kick, drift; flow, then f += all forces at t. */
void vvi_sys_flow_stride(const vv_model *m, double h, double *q, double *p, vv_posted *post);
void vvi_sys_flow_kick(const vv_model *m, double t, double h, double *q, const double *p, double *f, vv_posted *post);
/* Momenta are damped for a time h: half of a step, before and after it. */
void vvi_sys_viscous(const vv_model *m, double h, const double *q, double *p, vv_posted *post);
/* Not reversible, not symplectic. */
static inline bool vvi_sys_dissipates(const vv_model *m)
{
  return m->flows || m->viscous;
}
void vvi_sys_drive(const vv_model *m, double t, double h, double *q, double *p, vv_posted *post);
void vvi_sys_post(const vv_model *m, double t, double h, const double *q, const double *p, vv_posted *post);
void vvi_sys_audit(const vv_model *m, const double *q, const double *p, vv_totals *sum); /* sets */
/* Plain energy and momenta of every body, with momenta as they are shown: out[n_body], 0 where its kind does not tell. */
vv_status vvi_sys_audit_bodies(const vv_model *m, const vv_state *x, vv_totals *out);
vv_status vvi_sys_audit_body(const vv_model *m, const vv_state *x, int body, vv_totals *out); /* of one */
double vvi_sys_energy_floor(const vv_model *m, const double *q); /* J: what rounding of q makes of nothing */
/* A field of a block, as the stepper's form of the kind measures it, with momenta as they are shown. */
vv_status vvi_sys_output(const vv_model *m, const vv_block *b, int field, const vv_state *x, double *out);
void vvi_sys_vary_kick(const vv_model *m, double h, const double *q, const double *dq, double *dp);
/* dq += h M^-1 dp of the flat kinds; the others are left alone. */
/* The sum of S.(t_V x t_W) over nodes that carry a frame: S and t are columns 3 to 5 of p and of variations.      [beam 71] */
double vvi_frames_twist(const vv_block *b, const double *p, const double *dq_v, const double *dq_w, double *magnitude);
void vvi_sys_vary_drift(const vv_model *m, double h, const double *q, const double *p, double *dq, double *dp);
/* Ranks: blocks that can be shared are; what the others have comes into the state of this one. */
vv_status vvi_sys_share(vv_model *m, const struct vv_net *net);
/* Over ranks: momenta and places that this rank moves, n of them from `first` on; else those of a block at a time.  Copies of
 * these. */
typedef void vvi_piece_fn(void *user, int64_t first, int64_t n);
void vvi_sys_momenta(const vv_model *m, vvi_piece_fn *fn, void *user);
void vvi_sys_places(const vv_model *m, vvi_piece_fn *fn, void *user);
void vvi_sys_copy(const vv_model *m, const double *q, const double *p, double *to_q, double *to_p);
/* All others' part of a state comes to rank 0; what this rank has of others is given back, of a state, and of the model too. */
void vvi_sys_gather(const vv_model *m, vv_state *x);
void vvi_sys_release(const vv_model *m, vv_state *x);
void vvi_sys_settle(const vv_model *m, vv_state *x);
/* Rank 0 looks: what it asks vvi_sys_output and vvi_sys_audit_bodies for others work out, from vvi_sys_serve on, which returns to
 * rank 0 at once and to them when rank 0 calls vvi_sys_served. */
void vvi_sys_serve(const vv_model *m, const vv_state *x);
void vvi_sys_served(const vv_model *m);
unsigned vvi_sys_claims(const vv_model *m); /* claims that all its kinds make */
bool vvi_sys_varies(const vv_model *m);     /* all kinds offer first variations */
bool vvi_sys_booked(const vv_model *m);     /* some block has loads, supports or gravity to book */
bool vvi_sys_steady(const vv_model *m);     /* forces do not depend on time */
/* Loads or driven ends: they do work that the energy equations of the jumps `slab` and `modified` do not know. */
bool vvi_sys_loaded(const vv_model *m);
