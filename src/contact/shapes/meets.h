/* contact/shapes/meets.h  Which bodies may touch, and by which line of the scene; asked for two bodies when they come near, so that
 * there is no table of all pairs. */
#pragma once
#include "contact/sheets.h"

/* Patches that are alike, but for themselves: of one shape, and of one body where a line of the scene names it. */
typedef struct vvi_sheet_alike {
  int32_t kind, body;
  int32_t first, n; /* of member */
} vvi_sheet_alike;

typedef struct vvi_sheet_line {
  int32_t a, b; /* bodies, a <= b */
  int32_t rule;
} vvi_sheet_line;

typedef struct vvi_sheet_meets {
  const vv_model *m;
  vvi_rules rules;
  vvi_sheet_line *line; /* [lines] those that name bodies, sorted */
  int32_t lines, all;   /* the line that speaks for all others; -1: none */
  int32_t *mate;        /* [patches] of a tip: the one that it faces on its line; -1: none */
  vvi_sheet_alike *alike;
  int32_t n_alike, *member; /* [patches] */
  int32_t *patch;           /* [bodies of the sheets] */
  bool *form;               /* [bodies of the sheets] meshes of obstacles */
} vvi_sheet_meets;

vv_status vvi_sheet_meets_create(vvi_arena *arena, const vv_model *m, const vvi_rules *rules, const double *q,
                                 vvi_sheet_meets **out);
/* Rule of two patches; -1: they pass, or are answered elsewhere. */
int32_t vvi_sheet_meets_patches(const vvi_sheet_meets *k, int32_t a, int32_t b);
/* The same of two bodies of the sheets: a vvi_sheet_rule_fn. */
int32_t vvi_sheet_meets_bodies(const void *meets, int32_t a, int32_t b);
/* Does a patch meet any other?  Tells the rules by which it does, each once at least. */
bool vvi_sheet_meets_any(const vvi_sheet_meets *k, int32_t patch, bool *used);
/* Lines of centroids and massless tips have no contact here: say so rather than let them pass. */
vv_status vvi_sheet_meets_refuse(const vvi_sheet_meets *k);

/* ---- shapes ---- */

typedef enum vvi_sheet_shape {
  VVI_SHAPE_OTHER,
  VVI_SHAPE_SURFACE,
  VVI_SHAPE_CURVE,    /* round */
  VVI_SHAPE_CORNERED, /* a section that turns: its corners, and the faces between them */
  VVI_SHAPE_LINE,     /* a line of centroids */
  VVI_SHAPE_RIGID,
  VVI_SHAPE_OBSTACLE,
  VVI_SHAPE_TIP
} vvi_sheet_shape;

vvi_sheet_shape vvi_sheet_shape_of(const vv_patch *p);
/* A surface, or a beam with corners. */
bool vvi_sheet_has_faces(const vv_patch *p);
