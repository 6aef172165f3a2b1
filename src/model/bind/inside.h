/* model/bind/inside.h  Inside of the binder: what is bound, and what its parts ask of each other.
 *
 * Each binder of a type returns true when the value stands; a false return has left one message. */
#pragma once
#include "model/bind.h"
#include "model/expression.h"
#include "model/model.h"
#include "model/spec.h"

enum { VVI_MAX_FAULTS = 100, VVI_MAX_NAME = 64, VVI_SHOWN_BYTES = 48 };

typedef struct vvi_binder {
  vv_ctx *ctx;
  const char *source;
  vvi_arena *arena;      /* of the model: groups outlive the spec */
  vv_spec scratch;       /* of this call: default texts as nodes */
  const vvi_node **body; /* [n_body] sorted by name */
  int n_body;
  bool bodies_known; /* false: `bodies` itself is missing or wrong, and names cannot be judged */
  vvi_scope scope;   /* what names in expressions mean */
  struct {
    const char *spec, *model;
  } kept[64]; /* names of files: in the words, and as the model keeps them */
  int n_kept;
  const vvi_node *named[2]; /* maps of named materials and sections; NULL: none */
  bool copies_named;        /* a copy of a body was named */
  int faults;
  bool nomem;
} vvi_binder;

/* One field of a group while it is bound. */
typedef struct vvi_bind_slot {
  vv_group *group;
  const vv_field *field;
  vvi_value *value;
} vvi_bind_slot;

/* A short piece of text that fits into a message. */
typedef struct vvi_shown {
  char c[VVI_SHOWN_BYTES + 8];
} vvi_shown;

/* Words separated by commas. */
typedef struct vvi_word_list {
  char c[256];
  size_t n;
} vvi_word_list;

/* The known word nearest to a wrong one, if it is near enough to be a slip of the finger. */
typedef struct vvi_nearest_word {
  const char *wrong;
  char word[VVI_MAX_NAME + 1];
  int slips;
} vvi_nearest_word;

/* ---- messages.c ---- */

/* Leaves a message; false. */
VV_PRINTF(3, 4) bool vvi_bind_fault(vvi_binder *b, const vvi_place *place, const char *format, ...);
/* So many mistakes that the rest is not looked at, or out of memory. */
bool vvi_bind_full(const vvi_binder *b);
bool vvi_bind_no_memory(vvi_binder *b);
/* Where a message points. */
vvi_place vvi_bind_at_value(const vvi_bind_slot *s, const vvi_node *node, int index);
vvi_place vvi_bind_at_key(const vv_group *g, const char *name, const vvi_node *node);
vvi_place vvi_bind_at_group(const vv_group *g);
/* A text cut to fit into a message; what stands there, for "expected a number, found ...". */
vvi_shown vvi_show(const char *text);
vvi_shown vvi_bind_found(const vvi_node *node);
/* Known words, and the one that was probably meant: nearest_try is true when a word is the best so far. */
void vvi_list_word(vvi_word_list *l, const char *word, size_t length);
vvi_nearest_word vvi_nearest_to(const char *wrong);
bool vvi_nearest_try(vvi_nearest_word *s, const char *word, size_t length);
bool vvi_bind_fault_unknown(vvi_binder *b, const vvi_place *place, const char *what, const vvi_nearest_word *s,
                            const char *known);

/* ---- numbers.c ---- */

/* The same key before this node? */
bool vvi_bind_name_twice(const vvi_node *first, const vvi_node *node);
bool vvi_bind_gather_parameters(vvi_binder *b, const vv_group *root, const vvi_node *top);
bool vvi_bind_number(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
bool vvi_bind_integer(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
bool vvi_bind_numbers(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);

/* ---- words.c ---- */

/* The text in memory of the model. */
const char *vvi_bind_keep(vvi_binder *b, const char *text);
bool vvi_bind_boolean(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
bool vvi_bind_text(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
/* Is it one of these words, separated by `|`?  If not, the nearest of them and all. */
bool vvi_bind_word_among(const char *words, const char *word, vvi_nearest_word *near, vvi_word_list *known);
bool vvi_bind_word(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
/* Nodes by their keys, for sorting. */
int vvi_bind_by_name(const void *left, const void *right);
bool vvi_bind_names(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);

/* ---- groups.c ---- */

vv_group *vvi_bind_new_group(vvi_binder *b, const vvi_bind_slot *s, const vv_schema *schema, const vvi_node *node);
bool vvi_bind_map(vvi_binder *b, vv_group *g, const vvi_node *map);
bool vvi_bind_group(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
bool vvi_bind_either(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
bool vvi_bind_list(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
bool vvi_bind_choice(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);

/* ---- bind.c ---- */

/* Any type, by the table of all. */
bool vvi_bind_value(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node);
