/* base/trade.c  See trade.h. */
#include "base/trade.h"

#include "base/sort.h"

bool vvi_route_add(vvi_arena *arena, vvi_route *k, int64_t key)
{
  enum { FEW = 256 };
  if (k->n == k->room) {
    const int64_t room = 2 * k->room + FEW;
    k->key = vvi_arena_grow(arena, k->key, sizeof *k->key, k->room, k->n, room);
    k->room = k->key != NULL ? room : 0;
    if (k->key == NULL) {
      k->n = 0;
      return false;
    }
  }
  k->key[k->n++] = key;
  return true;
}

static int by_key(const void *x, const void *y)
{
  const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return a < b ? -1 : a > b;
}

void vvi_route_order(vvi_route *k)
{
  int64_t n = 0;
  vvi_sort(k->key, (size_t)k->n, sizeof *k->key, by_key);
  for (int64_t i = 0; i < k->n; i++)
    if (i == 0 || k->key[i] != k->key[i - 1]) k->key[n++] = k->key[i];
  k->n = n;
}

vv_status vvi_trade_open(vvi_trade *t, const vv_net *net, vvi_arena *arena)
{
  *t = (vvi_trade){.net = net, .arena = arena};
  t->to = VVI_ARENA_NEW(arena, int, net->ranks), t->data = VVI_ARENA_NEW(arena, const void *, net->ranks);
  t->size = VVI_ARENA_NEW(arena, int64_t, net->ranks);
  return t->to != NULL && t->data != NULL && t->size != NULL ? VV_OK : VV_NOMEM;
}

bool vvi_trade_fit(vvi_trade *t, int64_t reals)
{
  if (reals <= t->out_room) return true;
  t->out = VVI_ARENA_NEW(t->arena, double, 2 * reals);
  t->out_room = t->out != NULL ? 2 * reals : 0;
  return t->out != NULL;
}

/* Which rank the i-th row is of; a new one? */
static bool begins(const vvi_route *k, int64_t rows, int64_t i)
{
  return i == 0 || k->key[i] / rows != k->key[i - 1] / rows;
}

bool vvi_trade_rows(vvi_trade *t, int64_t rows, int width, const vvi_route *send, const vvi_route *get, vvi_row_fn *put,
                    vvi_row_fn *take, void *user)
{
  const size_t bytes = sizeof(double) * (size_t)width;
  const bool good = vvi_trade_fit(t, width * send->n + 1);
  int packages = 0, got, p = -1;
  int64_t *sizes;
  void **in;
  for (int64_t i = 0; good && i < send->n; i++) {
    double *row = t->out + width * i;
    if (begins(send, rows, i))
      t->to[packages] = (int)(send->key[i] / rows), t->data[packages] = row, t->size[packages++] = 0;
    put(user, send->key[i] % rows, row);
    t->size[packages - 1] += (int64_t)bytes;
  }
  if (t->net->deal(t->net, packages, t->to, t->data, t->size, &got, &in, &sizes) != VV_OK) return false;
  const double *row = NULL;
  for (int64_t i = 0; i < get->n; i++) { /* packages come in the order of their senders */
    if (begins(get, rows, i)) {
      if (++p == got) return false; /* another rank had no memory */
      row = in[p];
    }
    take(user, get->key[i] % rows, (double *)row);
    row += width;
  }
  return good;
}
