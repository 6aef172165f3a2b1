/* body/shell/limits.h  Which rank holds the weights of the limit surface of a shell. */
#pragma once
#include "body/shell/shell.h"

/* Contact and pressure ask for them anywhere, and pictures of contacts that are over for those of all nodes: then every rank has all
 * of them.  Else only fields that are written do, and owners have them. */
static inline bool shell_keeps_limits(const vv_block *b)
{
  bool any = b->n_load > 0;
  for (int32_t i = 0; i < b->n_body; i++) any |= shell_of(b, i)->limit != 0.0;
  return any;
}
