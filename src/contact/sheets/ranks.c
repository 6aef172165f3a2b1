/* contact/sheets/ranks.c  See ranks.h. */
#include "contact/sheets/ranks.h"
#include "contact/sheets/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- who has what ---- */

static bool find_owners(const struct vvi_sheets *s, vvi_sheet_ranks *k)
{
  bool any = false;
  for (int32_t i = 0; i < s->n_mover; i++) {
    const vvi_sheet_body *b = &s->body[s->body_of_mover[i]];
    const vv_block *block = b->block;
    const bool shared = b->carrier == VVI_CARRY_POINTS && block->spans > 0;
    k->reads.owner[i] = shared ? block->kind->owner(block, b->node0 + (i - b->mover0)) : -1;
    any |= shared;
  }
  return any;
}

enum { SOME_OF_OTHERS = 1, SOME_OF_MINE = 2 };

static void find_homes(const struct vvi_sheets *s, vvi_sheet_ranks *k)
{
  for (int32_t c = 0; c < s->n_cluster; c++) {
    int32_t most = 0;
    k->home[c] = -1;
    for (int32_t i = k->reads.first[c]; i < k->reads.first[c + 1]; i++) {
      int32_t same = 0;
      k->strange[c] |= k->reads.owner[k->reads.mover[i]] != k->net->rank ? SOME_OF_OTHERS : SOME_OF_MINE;
      if (k->home[c] == k->reads.owner[k->reads.mover[i]]) continue;
      for (int32_t j = i; j < k->reads.first[c + 1]; j++)
        same += k->reads.owner[k->reads.mover[j]] == k->reads.owner[k->reads.mover[i]];
      if (same > most) most = same, k->home[c] = k->reads.owner[k->reads.mover[i]];
    }
  }
}

/* Runs of the strips of points, by ranks: counted, then written. */
static vv_status find_runs(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_ranks *k)
{
  int64_t *at = VVI_ARENA_NEW(arena, int64_t, k->net->ranks + 1);
  if (at == NULL) return VV_NOMEM;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < s->n_mover; i++) {
      const vvi_sheet_body *b = &s->body[s->body_of_mover[i]];
      const int32_t place = i - b->mover0, rank = k->reads.owner[i];
      if (rank < 0) continue;
      const bool begins = place % VVI_SHEET_STRIP == 0 || k->reads.owner[i - 1] != rank;
      if (pass == 0)
        k->runs[rank] += begins;
      else if (begins)
        k->run[at[rank]++] = (vvi_sheet_run){.strip = b->strip0 + place / VVI_SHEET_STRIP, .first = i, .n = 1};
      else
        k->run[at[rank] - 1].n++;
    }
    if (pass == 1) break;
    for (int r = 0; r < k->net->ranks; r++) {
      at[r] = k->n_run;
      if (r == k->net->rank) k->mine = k->n_run;
      k->n_run += k->runs[r];
    }
    k->run = VVI_ARENA_NEW(arena, vvi_sheet_run, k->n_run + 1);
    k->extent = VVI_ARENA_NEW(arena, double, 6 * k->n_run + 1);
    if (k->run == NULL || k->extent == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

static bool allocate(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_ranks *k)
{
  const int ranks = k->net->ranks;
  k->home = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1);
  k->strange = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  k->asked = VVI_ARENA_NEW(arena, int64_t, s->n_cluster + 1);
  k->wanted = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1);
  k->runs = VVI_ARENA_NEW(arena, int64_t, ranks), k->ones = VVI_ARENA_NEW(arena, int64_t, ranks);
  k->wishes = VVI_ARENA_NEW(arena, int64_t, ranks), k->size = VVI_ARENA_NEW(arena, int64_t, ranks);
  k->done = VVI_ARENA_NEW(arena, int64_t, ranks);
  k->to = VVI_ARENA_NEW(arena, int, ranks), k->from = VVI_ARENA_NEW(arena, int, ranks);
  k->data = VVI_ARENA_NEW(arena, const void *, ranks);
  k->clock = 1;
  return vvi_sheet_reads_create(s, arena, &k->reads) && k->home && k->strange && k->asked && k->wanted && k->runs &&
         k->ones && k->wishes && k->size && k->done && k->to && k->from && k->data;
}

vv_status vvi_sheet_share(vvi_sheet_search *w, const vv_net *net)
{
  const struct vvi_sheets *s = w->sheets;
  vvi_sheet_ranks *k = VVI_ARENA_NEW(w->arena, vvi_sheet_ranks, 1);
  if (k == NULL) return VV_NOMEM;
  k->net = net;
  if (!allocate(s, w->arena, k)) return VV_NOMEM;
  if (!find_owners(s, k)) return VV_OK;
  VV_TRY(vvi_sheet_reads_list(s, w->arena, &k->reads));
  find_homes(s, k);
  VV_TRY(vvi_sheet_reads_drop(s, w->arena, &k->reads));
  VV_TRY(find_runs(s, w->arena, k));
  w->tree = s->tree; /* a model that is shared makes one run */
  vvi_sheet_start_drop(s);
  w->most_room = INT64_MAX / 4; /* how much memory lists may take must not depend on who has them */
  w->ranks = k;
  return VV_OK;
}

/* When a fourth of the lists was built: taking the pages again costs a few per cent of building that many, and most lists live for
 * many steps, in which the room would lie there. */
void vvi_sheet_tidy(vvi_sheet_search *w)
{
  const struct vvi_sheets *s = w->sheets;
  vvi_sheet_ranks *k = w->ranks;
  if (k == NULL || 4 * (w->builds - k->tidied) <= w->n_awake) return;
  k->tidied = w->builds;
  vvi_forget(w->box, sizeof *w->box * 6 * (size_t)s->n_element);
  vvi_forget(w->plane, sizeof *w->plane * 16 * (size_t)s->n_element);
  vvi_forget(w->span, sizeof *w->span * 6 * (size_t)s->n_edge);
  if (k->out != NULL) vvi_forget(k->out, sizeof *k->out * (size_t)k->out_room);
  if (k->in != NULL) vvi_forget(k->in, sizeof *k->in * (size_t)k->in_room);
}

bool vvi_sheet_is_mine(const vvi_sheet_search *w, int32_t a, int32_t b)
{
  const vvi_sheet_ranks *k = w->ranks;
  if (k == NULL) return true;
  const uint32_t mix = ((uint32_t)a * 2654435761u) ^ ((uint32_t)b * 2246822519u);
  const int32_t x = k->home[a], y = k->home[b];
  const int32_t rank = x < 0 && y < 0 ? (int32_t)(mix % (uint32_t)k->net->ranks)
                       : x < 0        ? y
                       : y < 0        ? x
                       : mix >> 31    ? x
                                      : y;
  return rank == k->net->rank;
}

/* ---- boxes ---- */

void vvi_sheet_boxes_agree(const vvi_sheet_search *w, int64_t n, double (*box)[6])
{
  if (w->ranks == NULL || n == 0) return;
  for (int64_t i = 0; i < n; i++)
    for (int c = 3; c < 6; c++) box[i][c] = -box[i][c];
  w->ranks->net->least(w->ranks->net, (int)(6 * n), box[0]);
  for (int64_t i = 0; i < n; i++)
    for (int c = 3; c < 6; c++) box[i][c] = -box[i][c];
}

/* ---- rows ---- */

static bool fit_rows(vvi_sheet_search *w, double **rows, int64_t *room, int64_t reals)
{
  if (reals <= *room) return true;
  *rows = VVI_ARENA_NEW(w->arena, double, 2 * reals);
  *room = *rows != NULL ? 2 * reals : 0;
  return *rows != NULL;
}

static void read_row(const vvi_sheet_search *w, int32_t mover, double *row)
{
  const int32_t body = w->sheets->body_of_mover[mover];
  vvi_point_read(&w->motion.at[body], mover - w->sheets->body[body].mover0, row);
}

static void write_row(const vvi_sheet_search *w, int32_t mover, const double *row)
{
  const int32_t body = w->sheets->body_of_mover[mover];
  vvi_point_write(&w->motion.at[body], mover - w->sheets->body[body].mover0, row);
}

/* ---- clusters of others ---- */

void vvi_sheet_need(vvi_sheet_search *w, int32_t cluster)
{
  vvi_sheet_ranks *k = w->ranks;
  if ((k->strange[cluster] & SOME_OF_OTHERS) == 0 || k->asked[cluster] == k->clock) return;
  k->asked[cluster] = k->clock;
  k->wanted[k->n_wanted++] = cluster;
}

/* Everybody tells everybody which clusters he wants.  False: no memory. */
static bool tell_wishes(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  const vv_net *net = k->net;
  int64_t at = 0;
  for (int r = 0; r < net->ranks; r++) k->ones[r] = 1;
  k->wishes[net->rank] = k->n_wanted, k->n_wish = 0;
  net->all(net, k->ones, sizeof *k->wishes, k->wishes);
  for (int r = 0; r < net->ranks; r++) {
    if (r == net->rank) at = k->n_wish;
    k->n_wish += k->wishes[r];
  }
  if (k->n_wish == 0) return true;
  if (k->n_wish > k->wish_room) {
    k->wish_room = 2 * k->n_wish;
    if ((k->wish = VVI_ARENA_NEW(w->arena, int64_t, k->wish_room)) == NULL) return false;
  }
  for (int32_t i = 0; i < k->n_wanted; i++) k->wish[at + i] = k->wanted[i];
  net->all(net, k->wishes, sizeof *k->wish, k->wish);
  return true;
}

typedef void mover_fn(void *user, int32_t mover);
/* Movers of others in what a rank wants, each once, in an order that it and their owners know: told one by one.  Of what another
 * wants, clusters of which this rank has nothing are passed over. */
static void movers_wanted(const struct vvi_sheets *s, vvi_sheet_ranks *k, int rank, const int64_t *wish, mover_fn *fn,
                          void *user)
{
  const int concerned = rank == k->net->rank ? SOME_OF_OTHERS : SOME_OF_MINE;
  for (int64_t n = 0; n < k->wishes[rank]; n++)
    if ((k->strange[wish[n]] & concerned) != 0) vvi_sheet_reads_need(s, &k->reads, (int32_t)wish[n]);
  k->reads.stamps++;
  for (int64_t n = 0; n < k->wishes[rank]; n++)
    for (int32_t i = k->reads.first[wish[n]]; i < k->reads.first[wish[n] + 1]; i++) {
      if ((k->strange[wish[n]] & concerned) == 0) break;
      const int32_t m = k->reads.mover[i];
      if (k->reads.owner[m] == rank || k->reads.stamp[m] == k->reads.stamps) continue;
      k->reads.stamp[m] = k->reads.stamps;
      fn(user, m);
    }
}

typedef struct packer {
  vvi_sheet_search *w;
  int64_t n; /* rows so far */
  bool full;
} packer;

static void pack_row(void *user, int32_t mover)
{
  packer *p = user;
  vvi_sheet_ranks *k = p->w->ranks;
  const int64_t width = VVI_SHEET_ROW;
  if (k->reads.owner[mover] != k->net->rank || p->full) return;
  if (width * (p->n + 1) > k->out_room) {
    const int64_t room = 2 * width * (p->n + 256);
    double *out = vvi_arena_grow(p->w->arena, k->out, sizeof *out, k->out_room, width * p->n, room);
    p->full = out == NULL;
    if (p->full) return;
    k->out = out, k->out_room = room;
  }
  read_row(p->w, mover, k->out + width * p->n++);
}

/* Rows that others want of this rank, one package for each of them; how many packages. */
static int pack_wishes(vvi_sheet_search *w, bool *full)
{
  vvi_sheet_ranks *k = w->ranks;
  packer p = {.w = w};
  const int64_t *wish = k->wish;
  int n = 0;
  for (int r = 0; r < k->net->ranks; wish += k->wishes[r++]) {
    const int64_t before = p.n;
    if (r != k->net->rank) movers_wanted(w->sheets, k, r, wish, pack_row, &p);
    if (p.n > before) k->to[n] = r, k->size[n++] = (p.n - before) * VVI_SHEET_ROW * (int64_t)sizeof(double);
  }
  *full = p.full;
  return n;
}

typedef struct unpacker {
  const vvi_sheet_search *w;
  void **in;
  int got;
} unpacker;

/* A package has the rows of its owner one behind the other; row[]: how many of them are done. */
static void unpack_row(void *user, int32_t mover)
{
  const unpacker *u = user;
  const vvi_sheet_ranks *k = u->w->ranks;
  const int owner = k->reads.owner[mover];
  if (k->from[owner] < 0 || k->from[owner] >= u->got) return;
  write_row(u->w, mover, (const double *)u->in[k->from[owner]] + VVI_SHEET_ROW * k->done[owner]++);
}

static void count_owner(void *user, int32_t mover)
{
  const vvi_sheet_ranks *k = user;
  k->from[k->reads.owner[mover]] = 0;
}

bool vvi_sheet_fetch(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  const vv_net *net = k->net;
  int64_t *bytes = NULL, at = 0;
  bool good = tell_wishes(w), full;
  const int64_t *mine = k->wish;
  unpacker u = {.w = w};
  k->clock++, k->n_wanted = 0;
  if (!good || k->n_wish == 0) return good;
  const int packages = pack_wishes(w, &full);
  for (int i = 0; i < packages; i++) k->data[i] = (const char *)k->out + at, at += k->size[i];
  good = net->deal(net, packages, k->to, k->data, k->size, &u.got, &u.in, &bytes) == VV_OK && !full;
  for (int r = 0; r < net->rank; r++) mine += k->wishes[r];
  for (int r = 0; r < net->ranks; r++) k->from[r] = -1, k->done[r] = 0;
  movers_wanted(w->sheets, k, net->rank, mine, count_owner, k);
  for (int r = 0, n = 0; r < net->ranks; r++) /* packages come in the order of their senders */
    if (k->from[r] == 0) k->from[r] = n++;
  if (good) movers_wanted(w->sheets, k, net->rank, mine, unpack_row, &u);
  return good;
}

/* ---- to all ---- */

bool vvi_sheet_spread_rows(vvi_sheet_search *w, int32_t n, const int32_t *mover, int width, double *row)
{
  vvi_sheet_ranks *k = w->ranks;
  const vv_net *net = k->net;
  const size_t bytes = sizeof *row * (size_t)width;
  int64_t *count = k->ones, *at = k->wishes, all = 0;
  if (!fit_rows(w, &k->out, &k->out_room, (int64_t)width * n + 1)) return false;
  memset(count, 0, sizeof *count * (size_t)net->ranks);
  for (int32_t i = 0; i < n; i++)
    if (mover[i] >= 0 && k->reads.owner[mover[i]] >= 0) count[k->reads.owner[mover[i]]]++;
  for (int r = 0; r < net->ranks; r++) at[r] = all, all += count[r];
  if (all == 0) return true;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < n; i++) {
      const int owner = mover[i] >= 0 ? k->reads.owner[mover[i]] : -1;
      if (owner < 0) continue;
      double *out = k->out + width * at[owner]++, *mine = row + (int64_t)width * i;
      if (pass == 0 && owner == net->rank) memcpy(out, mine, bytes);
      if (pass == 1 && owner != net->rank) memcpy(mine, out, bytes);
    }
    if (pass == 0) net->all(net, count, (int)bytes, k->out);
    for (int r = 0; r < net->ranks; r++) at[r] -= count[r];
  }
  return true;
}

/* Rows of some movers with owners, the same list on all ranks, to all of them; each mover once. */
static bool spread(vvi_sheet_search *w, int32_t n, const int32_t *mover)
{
  vvi_sheet_ranks *k = w->ranks;
  const int64_t width = VVI_SHEET_ROW;
  if (n == 0) return true;
  if (!fit_rows(w, &k->in, &k->in_room, width * n + 1)) return false;
  for (int32_t i = 0; i < n; i++)
    if (vvi_sheet_owns(w, mover[i])) read_row(w, mover[i], k->in + width * i);
  if (!vvi_sheet_spread_rows(w, n, mover, VVI_SHEET_ROW, k->in)) return false;
  for (int32_t i = 0; i < n; i++)
    if (!vvi_sheet_owns(w, mover[i])) write_row(w, mover[i], k->in + width * i);
  return true;
}

bool vvi_sheet_spread_pairs(vvi_sheet_search *w, int32_t n, const vvi_sheet_near *near)
{
  vvi_sheet_reads *k = &w->ranks->reads;
  return spread(w, vvi_sheet_reads_pairs(w->sheets, k, n, near), k->listed);
}

/* ---- runs of reals ---- */

bool vvi_sheet_runs_open(vvi_sheet_search *w, int64_t reals, vvi_sheet_runs *out)
{
  vvi_sheet_ranks *k = w->ranks;
  const vv_net *net = k->net;
  int64_t all = 0, before = 0;
  for (int r = 0; r < net->ranks; r++) k->ones[r] = 1;
  k->wishes[net->rank] = reals;
  net->all(net, k->ones, sizeof *k->wishes, k->wishes);
  for (int r = 0; r < net->ranks; r++) {
    before = r == net->rank ? all : before;
    all += k->wishes[r];
  }
  if (!fit_rows(w, &k->in, &k->in_room, all + 1)) return false;
  *out = (vvi_sheet_runs){k->in, k->in + before, k->in + all};
  return true;
}

void vvi_sheet_runs_tell(vvi_sheet_search *w)
{
  w->ranks->net->all(w->ranks->net, w->ranks->wishes, sizeof(double), w->ranks->in);
}
