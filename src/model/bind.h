/* model/bind.h  Inside of a group: what model/bind.c fills, model/group.c answers from, and io/scene writes out. */
#pragma once
#include "base/base.h"
#include "visviva/ext.h"

#include <stdarg.h>

typedef struct vvi_value {
  bool has, given;  /* has a value; written in the scene rather than a default */
  int line, column; /* 0: not from a file */
  const char *source;
  int n; /* items of the list below */
  union {
    double number; /* NUMBER, EITHER */
    int64_t integer;
    bool boolean;
  } u;
  const char *text; /* TEXT, WORD, NAMES written as a word, CHOICE: the word chosen */
  union {
    double *number;    /* VECTOR, NUMBERS */
    const char **name; /* NAMES */
    vv_group **item;   /* LIST, BODIES */
  } list;
  vv_group *sub; /* GROUP; EITHER written as a map; CHOICE: a group with the one word that was chosen */
} vvi_value;

struct vv_group {
  const vv_schema *schema;
  vv_ctx *ctx;
  const char *source;     /* file that it was written in, for messages and for files that it names */
  const vv_group *parent; /* NULL: the root */
  const vv_field *field;  /* the row of the parent's schema it stands under */
  const char *kind;       /* of a body; NULL elsewhere */
  const char *name;       /* of a body; NULL elsewhere */
  int index;              /* in a list or among the bodies */
  bool given;
  int line, column;
  vvi_value *value; /* [schema->n] */
};

/* Where a message points: a group, a field of it (or NULL), an item of that field (or -1), a place in a file (NULL: that of
 * the group). */
typedef struct vvi_place {
  const vv_group *group;
  const char *name;
  int index;
  int line, column;
  const char *source;
} vvi_place;
void vvi_complain_at(const vvi_place *place, const char *format, va_list args);

const char *vvi_type_text(vv_type type);                       /* "a number" */
int vvi_field_find(const vv_schema *schema, const char *name); /* -1: none */
const vv_group *vvi_motion_of(const vv_group *body);           /* `motion` of a body; NULL: it has none */
bool vvi_field_hashed(const vv_group *g, const vv_field *f); /* false for title, record, stop and time.end of a scene */
/* The first key that two groups have other values for, but for those of a list that ends with NULL; NULL: there is none. */
const char *vvi_group_other(const vv_group *a, const vv_group *b, const char *const but[]);
uint64_t vvi_part_hash(const vv_group *root, const char *name); /* of one part of a scene: of these, too */

/* The bodies of the context's catalog, or of the built-in one. */
const vv_body_kind *const *vvi_body_kinds(const vv_ctx *ctx);
