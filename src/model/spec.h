/* model/spec.h  A scene before it is checked: a tree of scalars, maps and lists with the line and column of each.
 *
 * io/scene builds the tree from a file, vv_spec_set edits it, model/bind.c checks it against the field tables. */
#pragma once
#include "base/base.h"
#include "visviva/model.h"

typedef enum vvi_node_type { VVI_SCALAR, VVI_MAP, VVI_LIST } vvi_node_type;

typedef struct vvi_node {
  vvi_node_type type;
  bool quoted;                          /* a scalar in quotes is text, never a number */
  int line, column;                     /* of the value, from 1; 0: not from a file */
  const char *source;                   /* name of that file; NULL: not from a file */
  int key_line, key_column;             /* of its key, when it stands in a map */
  int count;                            /* children */
  const char *key;                      /* NULL: the root, or an item of a list */
  const char *text;                     /* of a scalar */
  struct vvi_node *child, *last, *next; /* children in the order of the file; the next sibling */
} vvi_node;

enum { VVI_MAX_DEPTH = 32, VVI_MAX_NODES = 4000000 };

struct vv_spec {
  vv_ctx *ctx;
  vvi_arena arena;
  const char *source; /* name of the file, for messages; NULL: none */
  vvi_node *root;     /* a map */
  int n_node;
  /* the arena rounds up to 64 bytes; words are short, so nodes and texts are cut from blocks */
  vvi_node *free_node;
  char *free_text;
  size_t free_nodes, free_bytes;
};

/* All of these give NULL when memory, or VVI_MAX_NODES, runs out. */
char *vvi_spec_text(vv_spec *spec, const char *text, size_t length);
vvi_node *vvi_node_new(vv_spec *spec, vvi_node_type type);
vvi_node *vvi_node_scalar(vv_spec *spec, const char *text, size_t length, bool quoted);
void vvi_node_add(vvi_node *parent, vvi_node *child);
const vvi_node *vvi_node_find(const vvi_node *map, const char *key); /* the first with that key; NULL: none */

/* Text as it stands in a scene on one line: "0.5", "free", "[0, 0, 1]", "{safety: 0.8}".  NULL also when malformed. */
vvi_node *vvi_node_flow(vv_spec *spec, const char *text);

/* Bytes before the first that is not UTF-8; `length` when all is well. */
size_t vvi_utf8_valid(const char *text, size_t length);
