/* base/trade.h  Rows of numbers to other ranks, where both sides know which: who gets one has listed it as who sends it has. */
#pragma once
#include "base/base.h"
#include "visviva/net.h"

/* Rows that go to other ranks, or come from them: keys rank * rows + number of the row. */
typedef struct vvi_route {
  int64_t *key, n, room;
} vvi_route;
bool vvi_route_add(vvi_arena *arena, vvi_route *k, int64_t key); /* false: no memory */
void vvi_route_order(vvi_route *k);                              /* ascending, each once */

/* Room for packages: `to`, `data` and `size` have the ranks of the net. */
typedef struct vvi_trade {
  const vv_net *net;
  vvi_arena *arena;
  int *to;
  const void **data;
  int64_t *size, out_room;
  double *out;
} vvi_trade;
vv_status vvi_trade_open(vvi_trade *t, const vv_net *net, vvi_arena *arena);
bool vvi_trade_fit(vvi_trade *t, int64_t reals); /* room for so many numbers on their way; false: no memory */

/* All ranks: rows of `width` numbers, which `put` writes and `take` gets, in the order of the keys; rows: how many there are, with which
 * keys were made.  False: no memory. */
typedef void vvi_row_fn(void *user, int64_t number, double *row);
bool vvi_trade_rows(vvi_trade *t, int64_t rows, int width, const vvi_route *send, const vvi_route *get, vvi_row_fn *put,
                    vvi_row_fn *take, void *user);
