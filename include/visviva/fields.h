/* visviva/fields.h  tier: extend.  Words: fields declared once, groups of checked values.
 *
 * A field row gives the scene word, its type, unit, default, range, allowed words and one line of documentation.
 * From the rows follow the checks, the echoed scene, the reference page and the messages. */
#pragma once
#include "visviva/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vv_type {
  VV_NUMBER,  /* one finite number                                    length: 10            */
  VV_INTEGER, /* one whole number                                     elements: 50          */
  VV_BOOLEAN, /* true or false                                                              */
  VV_TEXT,    /* any text                                             title: Two bars       */
  VV_WORD,    /* one of `words`                                       step: event           */
  VV_VECTOR,  /* three numbers                                        gravity: [0, 0, -9.8] */
  VV_NUMBERS, /* numbers, any count from 1; lists in the list follow each other
                                                                      time: [0, 1, 2]  points: [[0, 0, 1], [1, 0, 0]] */
  VV_NAMES,   /* body names in a list, or one of `words` alone        between: [left, right] */
  VV_GROUP,   /* a map with the fields of `sub`                       material: {young: 1}  */
  VV_LIST,    /* a list of maps, each with the fields of `sub`        loads: [{...}]        */
  VV_CHOICE,  /* exactly one field of `sub`: {word: value}, or the bare word where that group has no required field:
                 history: {pulse: {duration: 1}}   or   history: constant                   */
  VV_EITHER,  /* a number, or a map with the fields of `sub`          step: 0.1 | {safety: 0.8} */
  VV_BODIES,  /* a map name -> body; `kind` selects the fields (top level only)             */
  VV_LATER    /* top level only: used up before the fields are bound, and never has a value; `words` says what it is */
} vv_type;

enum vv_field_flag {
  VV_REQUIRED = 1, /* must be present (then `deflt` is NULL)  */
  VV_OPTIONAL = 2, /* may be absent, and then has no value    */
  VV_OPEN_LO = 4,  /* value > lo rather than value >= lo      */
  VV_OPEN_HI = 8,  /* value < hi rather than value <= hi      */
  VV_PATH = 16,    /* TEXT: a file, counted from the scene's folder */
  VV_MOVED = 32,   /* VECTOR: a position, which differs between copies of a body */
  VV_AMONG = 64    /* NAMES: the words may stand among the names */
};

typedef struct vv_field {
  const char *name;
  vv_type type;
  const char *unit;            /* "m", "kg/m^3", "1"; NULL for words and groups */
  const char *deflt;           /* as written in a scene ("0.25", "free", "[0, 0, 0]"); NULL: see flags */
  double lo, hi;               /* allowed range of every number; lo == hi == 0: no range */
  const char *words;           /* "lumped|split|cell" for VV_WORD, VV_NAMES */
  const struct vv_schema *sub; /* for VV_GROUP, VV_LIST, VV_CHOICE, VV_EITHER */
  unsigned flags;
  const char *doc; /* one line, without a full stop */
} vv_field;

typedef struct vv_schema {
  const char *name;      /* heading in the reference page */
  const vv_field *field; /* [n] */
  int n;
  const char *doc;
} vv_schema;

/* A group: the checked values of one map, defaults filled in.  Asking for a name that the schema does not have, or with
 * the wrong type, is our own mistake (assert).  Strings and arrays live as long as the model. */
typedef struct vv_group vv_group;
VV_API bool vv_has(const vv_group *g, const char *name);      /* has a value, given or default */
VV_API bool vv_given(const vv_group *g, const char *name);    /* written in the scene */
VV_API double vv_number(const vv_group *g, const char *name); /* NUMBER, INTEGER, or EITHER written as number */
VV_API int64_t vv_integer(const vv_group *g, const char *name);
VV_API bool vv_boolean(const vv_group *g, const char *name);
VV_API const char *vv_text(const vv_group *g,
                           const char *name); /* TEXT, WORD; NAMES written as a word; CHOICE: the word chosen */
VV_API bool vv_is(const vv_group *g, const char *name, const char *word);
VV_API const double *vv_numbers(const vv_group *g, const char *name, int *n); /* VECTOR, NUMBERS */
VV_API int vv_names(const vv_group *g, const char *name); /* NAMES: how many (0 when written as a word) */
VV_API const char *vv_name_at(const vv_group *g, const char *name, int i);
VV_API const vv_group *
vv_sub(const vv_group *g,
       const char *name); /* GROUP; CHOICE: the group of the word chosen; EITHER: NULL when a number */
VV_API int vv_count(const vv_group *g, const char *name); /* LIST, BODIES */
VV_API const vv_group *vv_item(const vv_group *g, const char *name, int i);
VV_API const char *vv_item_name(const vv_group *g, const char *name, int i); /* BODIES: name of body i */
VV_API const char *vv_schema_name(const vv_group *g);                        /* name of the schema it was bound with */

/* Say that a value is wrong: a message in the context with file, line, column and the full path of the field.  Returns
 * VV_SCENE so that `return vv_complain(...)` reads well.  name may be NULL: the group itself. */
VV_API vv_status vv_complain(const vv_group *g, const char *name, const char *format, ...) VV_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif
