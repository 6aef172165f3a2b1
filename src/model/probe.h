/* model/probe.h  Probes: a quantity at a node, an element or a point, or summed over a region, read from a state.
 *
 * What is meant is found once, in the configuration of the start; reading changes nothing. */
#pragma once
#include "model/model.h"

typedef enum vvi_take { VVI_TAKE_ONE, VVI_TAKE_SUM, VVI_TAKE_MEAN, VVI_TAKE_MOST } vvi_take;
typedef enum vvi_probe_source {
  VVI_PROBE_FIELD,
  VVI_PROBE_KINETIC,
  VVI_PROBE_ANGULAR,
  VVI_PROBE_ENERGY
} vvi_probe_source;

typedef struct vvi_probe {
  const vv_group *group;
  const char *name, *unit;
  int body;
  const vv_block *block;
  vvi_probe_source source;
  int field;        /* of the kind's output */
  bool on_elements; /* else on nodes */
  int64_t n, *at;   /* [n] nodes or elements of the block */
  vvi_take take;
  int width;      /* components of the field */
  int components; /* of the probe */
  int column;     /* of its first value */
} vvi_probe;

typedef struct vvi_probes {
  int n, columns;
  vvi_probe *probe; /* [n] */
  int64_t room;     /* numbers of scratch that reading needs */
} vvi_probes;

/* Reads `probes` of the scene; q, p: the start.  m->probes stays NULL where there are none. */
vv_status vvi_probes_make(vv_model *m, const double *q, const double *p);
int vvi_probe_find(const vv_model *m, const char *name); /* -1: none */
/* All values, one behind the other: out[columns]; scratch[room]. */
vv_status vvi_probes_read(const vv_model *m, const vv_state *x, double *scratch, double *out);
const char *vvi_probe_axis(const vvi_probe *p, int component); /* "", "_x", ... */
