/* contact/solution/shadow.h  The velocity that belongs to the energy which kick-drift-kick keeps: see docs/theory/shadow.md. */
#pragma once
#include "model/model.h"
#include "visviva/ext.h"

/* Trial steps whose forces are asked for, forwards and backwards, at the most; two ways to fit them. */
enum {
  VVI_SHADOW_TRIALS = VV_DEVICE_KICKS,
  VVI_SHADOW_CLASSES = 32,
  VVI_SHADOW_FLIGHTS = VV_DEVICE_FLIGHTS
}; /* FLIGHTS: at once */
typedef enum vvi_shadow_use {
  VVI_SHADOW_LOSSY,
  VVI_SHADOW_EXACT,
  VVI_SHADOW_USES
} vvi_shadow_use; /* EXACT: e = 1, no friction */

/* The part of a block that flies, where that is enough: nodes[j]: whose places are asked for after j + 1 steps; each set holds
 * all that the forces on the next one depend on. */
typedef struct vvi_shadow_zone {
  int32_t *node[VVI_SHADOW_TRIALS + 1]; /* [nodes] each; NULL: the block cannot be flown in part */
  int64_t n[VVI_SHADOW_TRIALS + 1];
  void *set[VVI_SHADOW_TRIALS + 1];    /* what all kicks of node[j] know of them; of j = 1, 2, ... */
  double *scratch[VVI_SHADOW_FLIGHTS]; /* of kicks */
  unsigned char *mark;                 /* [nodes] */
  bool whole;
  /* An accelerator has the columns, and flies it for those of the last set alone: */
  bool away;
  int32_t *pushed; /* [nodes] that contacts have pushed */
  int64_t n_pushed, room;
  double *begun, *landed; /* p and q of vv_device_flights, for so many nodes */
} vvi_shadow_zone;

/* For steps up to a part of the stable one. */
typedef struct vvi_shadow_fit {
  int trials;
  double c[VVI_SHADOW_TRIALS + 2]; /* of the places after 1, 2, ... steps; 0 behind trials + 1 */
  double error;                    /* of z, over its size */
} vvi_shadow_fit;

typedef struct vvi_shadow {
  const vv_model *model;
  int trials;     /* of the flights that come: the most of any body that is asked for */
  double **ratio; /* [n_block][bodies of the block] the step over the stable one of a body alone */
  vvi_shadow_fit fit[VVI_SHADOW_USES][VVI_SHADOW_CLASSES];
  unsigned char *bends; /* [n_block] it has springs, and nothing in it flows */
  struct {
    double *q, *p;
  } flight[VVI_SHADOW_FLIGHTS]; /* [nq], [np] of trial steps */
  double *start;                /* [np] for who asks */
  vvi_shadow_zone *zone;        /* [n_block] what flies; NULL: all that bends */
  vvi_arena *arena;             /* of zones */
  void *user;
  void (*fly)(void *user, int block, const vv_device_flights *w); /* blocks that are away */
} vvi_shadow;

/* Its blows change an energy that is not the plain one: it has springs, nothing in it flows, and not all of the model is linear. */
bool vvi_shadow_bends(const vv_model *m, int block);
/* All that acts between blows is the bodies' own forces and gravity: the shadow energy of whole steps is kept but for what contact brings,
 * and it is worth asking what that is.                                                                       [ledger 16] */
bool vvi_shadow_is_kept(const vv_model *m);
/* h: the step.  *out NULL: nothing here bends. */
vv_status vvi_shadow_create(const vv_model *m, vvi_arena *arena, double h, vvi_shadow **out);
/* The step over the stable one of the body of a node; 0: it does not bend, or rounding of its places is more than what there
 * is to find. */
double vvi_shadow_ratio(const vvi_shadow *k, int block, int64_t node);
const vvi_shadow_fit *vvi_shadow_fit_of(const vvi_shadow *k, double ratio, vvi_shadow_use use);

/* From now on only these nodes, of blocks that bend, are asked for: first none, by so many trials; then one by one; then the zones
 * about them. */
vv_status vvi_shadow_zones(vvi_shadow *k, vvi_arena *arena);
void vvi_shadow_none(vvi_shadow *k, int trials);
void vvi_shadow_want(vvi_shadow *k, int block, int64_t node);
void vvi_shadow_spread(vvi_shadow *k);
/* Once: these blocks fly somewhere else.  Then nodes that contacts have pushed, since the last `none`: others begin there with the momenta
 * that they have there. */
vv_status vvi_shadow_away(vvi_shadow *k, int block);
void vvi_shadow_pushed(vvi_shadow *k, int block, int64_t node);
/* Told after each trial step j = 1, 2, ... of h from the start, h of both signs: z = sum of c[j]/h x, x the places of q, or
 * anything linear in them. */
typedef void vvi_shadow_fn(void *user, int step, double h, const double *q, const double *p);
/* Flies what bends from q, p without contact, forwards and backwards in steps of h; f: the force at q.        [shadow 3] */
typedef struct vvi_shadow_flight {
  double t, h;
  const double *q, *p, *f;
  void (*begin)(void *user, double *p); /* changes the momenta that it begins with; NULL: as they are */
} vvi_shadow_flight;
/* n flights, each with a user of its own, from the same places: side by side where zones are flown. */
/* false: no memory */
bool vvi_shadow_fly(const vvi_shadow *k, const vvi_shadow_flight *from, int n, vvi_shadow_fn *fn, void *const user[]);
