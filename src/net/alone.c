/* net/alone.c  The table of net.h for a single process: rows are copied, packages come back. */
#include "base/base.h"
#include "visviva/net.h"

#include <stdlib.h>
#include <string.h>

struct vv_star {
  int32_t leaves;
  int32_t *row; /* [leaves] */
};

static vv_status star(const vv_net *n, int32_t roots, int32_t leaves, const vv_place *place, vv_star **out)
{
  (void)n, (void)roots;
  vv_star *s = *out = malloc(sizeof *s);
  if (s == NULL) return VV_NOMEM;
  s->leaves = leaves;
  s->row = malloc(sizeof *s->row * (size_t)(leaves + 1));
  for (int32_t i = 0; s->row != NULL && i < leaves; i++) s->row[i] = place[i].row;
  return s->row != NULL ? VV_OK : VV_NOMEM;
}

static void begin(vv_star *s, int bytes, const void *root, void *leaf)
{
  const char *from = root;
  char *to = leaf;
  for (int32_t i = 0; i < s->leaves; i++)
    memcpy(to + (size_t)bytes * (size_t)i, from + (size_t)bytes * (size_t)s->row[i], (size_t)bytes);
}

static void end(vv_star *s, int bytes, const void *root, void *leaf)
{
  (void)s, (void)bytes, (void)root, (void)leaf;
}

static void star_free(vv_star *s)
{
  if (s != NULL) free(s->row);
  free(s);
}

static void sum(const vv_net *n, int count, int64_t *x)
{
  (void)n, (void)count, (void)x;
}

static void least(const vv_net *n, int count, double *x)
{
  (void)n, (void)count, (void)x;
}

static void all(const vv_net *n, const int64_t *rows, int bytes, void *data)
{
  (void)n, (void)rows, (void)bytes, (void)data;
}

/* Nothing is on the way: what is sent is what arrives. */
static vv_status deal(const vv_net *n, int packages, const int *to, const void *const *data, const int64_t *bytes,
                      int *got, void ***in, int64_t **in_bytes)
{
  (void)n, (void)to;
  *got = packages, *in = (void **)data, *in_bytes = (int64_t *)bytes;
  return VV_OK;
}

const vv_net *vv_net_alone(void)
{
  static const vv_net alone = {.rank = 0,
                               .ranks = 1,
                               .star = star,
                               .begin = begin,
                               .end = end,
                               .star_free = star_free,
                               .sum = sum,
                               .least = least,
                               .all = all,
                               .deal = deal};
  return &alone;
}
