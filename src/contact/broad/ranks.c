/* contact/broad/ranks.c  The search for contacts when several ranks share the nodes of shells. */
#include "contact/broad/ranks.h"
#include "contact/broad/search.h"

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

/* ---- parts of clusters ---- */

/* Runs of each strip, and whose they are. */
typedef struct parts {
  int64_t *end, *run; /* [n_strip] where those of a strip end; [n_run] */
  int32_t *rank;      /* [n_run] */
} parts;

static bool sort_runs(const struct vvi_sheets *s, vvi_arena *arena, const vvi_sheet_ranks *k, parts *p)
{
  p->end = VVI_ARENA_NEW(arena, int64_t, s->n_strip + 1), p->run = VVI_ARENA_NEW(arena, int64_t, k->n_run + 1);
  p->rank = VVI_ARENA_NEW(arena, int32_t, k->n_run + 1);
  if (p->end == NULL || p->run == NULL || p->rank == NULL) return false;
  for (int64_t i = 0; i < k->n_run; i++) p->end[k->run[i].strip + 1]++, p->rank[i] = k->reads.owner[k->run[i].first];
  for (int32_t i = 0; i < s->n_strip; i++) p->end[i + 1] += p->end[i];
  for (int64_t i = 0; i < k->n_run; i++)
    p->run[p->end[k->run[i].strip]++] = i; /* from where it begins to where it ends */
  return true;
}

/* A strip of a cluster: what its home gets of others. */
static void visit_strip(vvi_arena *arena, vvi_sheet_ranks *k, const parts *p, int32_t strip, int64_t home)
{
  const int me = k->net->rank;
  for (int64_t i = strip > 0 ? p->end[strip - 1] : 0; i < p->end[strip]; i++) {
    const int64_t run = p->run[i], rank = p->rank[run];
    if (home < 0 || rank == home) continue;
    k->parts = true;
    if (rank == me) k->failed |= !vvi_route_add(arena, &k->gives, home * k->n_run + run);
    if (home == me) k->failed |= !vvi_route_add(arena, &k->takes, rank * k->n_run + run);
  }
}

static void visit_strips(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_ranks *k, const parts *p)
{
  for (int32_t c = 0; c < s->n_cluster; c++)
    for (int32_t j = s->cluster[c].strip0; j < s->cluster[c].strip0 + s->cluster[c].strips; j++)
      visit_strip(arena, k, p, s->cluster_strip[j], k->home[c]);
}

/* Runs of other ranks in strips of clusters whose home is one rank. */
static vv_status find_parts(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_ranks *k)
{
  parts p;
  if (!sort_runs(s, arena, k, &p)) return VV_NOMEM;
  visit_strips(s, arena, k, &p);
  if (k->failed) return VV_NOMEM;
  vvi_route_order(&k->gives), vvi_route_order(&k->takes);
  for (int32_t c = 0; c < s->n_cluster; c++)
    if (k->home[c] < 0 || k->home[c] == k->net->rank) k->known[k->n_home++] = c;
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
  k->known = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1), k->step = VVI_ARENA_NEW(arena, double, s->n_cluster + 1);
  k->knows = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  k->clock = 1;
  if (k->known == NULL || k->step == NULL || k->knows == NULL) return false;
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
  VV_TRY(vvi_trade_open(&k->trade, net, w->arena));
  if (!find_owners(s, k)) return VV_OK;
  VV_TRY(vvi_sheet_reads_list(s, w->arena, &k->reads));
  find_homes(s, k);
  VV_TRY(vvi_sheet_reads_drop(s, w->arena, &k->reads));
  VV_TRY(find_runs(s, w->arena, k));
  VV_TRY(find_parts(s, w->arena, k));
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
  if (k->trade.out != NULL) vvi_forget(k->trade.out, sizeof *k->trade.out * (size_t)k->trade.out_room);
}

/* Who has the list of two clusters. */
static int32_t owner_of(const vvi_sheet_ranks *k, int32_t a, int32_t b)
{
  const uint32_t mix = ((uint32_t)a * 2654435761u) ^ ((uint32_t)b * 2246822519u);
  const int32_t x = k->home[a], y = k->home[b];
  const int32_t rank = x < 0 && y < 0 ? (int32_t)(mix % (uint32_t)k->net->ranks)
                       : x < 0        ? y
                       : y < 0        ? x
                       : mix >> 31    ? x
                                      : y;
  return rank;
}

bool vvi_sheet_is_mine(const vvi_sheet_search *w, int32_t a, int32_t b)
{
  return w->ranks == NULL || owner_of(w->ranks, a, b) == w->ranks->net->rank;
}

/* ---- what clusters do ---- */

static bool fit_rows(vvi_sheet_search *w, double **rows, int64_t *room, int64_t reals)
{
  if (reals <= *room) return true;
  *rows = VVI_ARENA_NEW(w->arena, double, 2 * reals);
  *room = *rows != NULL ? 2 * reals : 0;
  return *rows != NULL;
}

static bool trade(vvi_sheet_search *w, int64_t rows, int width, const vvi_route *send, const vvi_route *get,
                  vvi_row_fn *put, vvi_row_fn *take)
{
  return vvi_trade_rows(&w->ranks->trade, rows, width, send, get, put, take, w);
}

static void put_extent(void *user, int64_t run, double *row)
{
  memcpy(row, ((vvi_sheet_search *)user)->ranks->extent + 6 * run, 6 * sizeof *row);
}

static void take_extent(void *user, int64_t run, double *row)
{
  memcpy(((vvi_sheet_search *)user)->ranks->extent + 6 * run, row, 6 * sizeof *row);
}

void vvi_sheet_extents(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  if (w->anew)
    k->net->all(k->net, k->runs, 6 * (int)sizeof *k->extent, k->extent);
  else if (k->parts)
    k->failed |= !trade(w, k->n_run, 6, &k->gives, &k->takes, put_extent, take_extent);
}

enum { SPEED = sizeof(vvi_sheet_speed) / sizeof(double) };

static void put_speed(void *user, int64_t cluster, double *row)
{
  memcpy(row, &((vvi_sheet_search *)user)->speed[cluster], sizeof(vvi_sheet_speed));
}

static void take_speed(void *user, int64_t cluster, double *row)
{
  memcpy(&((vvi_sheet_search *)user)->speed[cluster], row, sizeof(vvi_sheet_speed));
}

static void tell_speeds(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  if (!k->told) return;
  k->failed |= !trade(w, w->sheets->n_cluster, SPEED, &k->tells, &k->gets, put_speed, take_speed);
}

void vvi_sheet_tell_speeds(vvi_sheet_search *w)
{
  if (!w->anew) tell_speeds(w);
}

static bool list_subscribers(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  const int64_t n = w->sheets->n_cluster;
  const int me = k->net->rank;
  bool good = true;
  k->tells.n = k->gets.n = 0, k->told = false;
  for (int32_t i = 0; i < w->n_list && good; i++) {
    const vvi_sheet_list *l = &w->list[w->order[i]];
    const int32_t rank = owner_of(k, l->a, l->b);
    for (int side = 0; side < 2; side++) {
      const int32_t c = side == 0 ? l->a : l->b, home = k->home[c];
      if (home < 0 || home == rank) continue;
      k->told = true;
      if (home == me) good &= vvi_route_add(w->arena, &k->tells, rank * n + c);
      if (rank == me) good &= vvi_route_add(w->arena, &k->gets, home * n + c);
    }
  }
  vvi_route_order(&k->tells), vvi_route_order(&k->gets);
  return good;
}

/* What is not known any more has used up nothing. */
static void list_known(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  memset(k->knows, 0, (size_t)w->sheets->n_cluster);
  for (int32_t i = 0; i < k->n_home; i++) k->knows[k->known[i]] = 1;
  k->n_known = k->n_home;
  for (int64_t i = 0; i < k->gets.n; i++) {
    const int32_t c = (int32_t)(k->gets.key[i] % w->sheets->n_cluster);
    k->known[k->n_known++] = c, k->knows[c] = 1;
  }
  for (int32_t c = 0; c < w->sheets->n_cluster; c++)
    if (!k->knows[c]) w->past[c] = 0;
}

bool vvi_sheet_subscribe(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  k->failed |= !list_subscribers(w);
  list_known(w);
  tell_speeds(w);
  for (int32_t i = k->n_home; i < k->n_known; i++) vvi_sheet_path_ahead(w, k->known[i]);
  return !k->failed;
}

void vvi_sheet_know_all(vvi_sheet_search *w)
{
  vvi_sheet_ranks *k = w->ranks;
  const int me = k->net->rank;
  k->n_known = k->n_home;
  for (int32_t c = 0; c < w->sheets->n_cluster; c++)
    if (k->home[c] >= 0 && k->home[c] != me) k->known[k->n_known++] = c;
  memset(k->knows, 1, (size_t)w->sheets->n_cluster);
}

/* Of what all ranks have each of them says the same. */
bool vvi_sheet_asked_agree(vvi_sheet_search *w)
{
  enum { WIDTH = 2 };
  vvi_sheet_ranks *k = w->ranks;
  vvi_sheet_runs all;
  int64_t n = 0;
  for (int32_t i = 0; i < k->n_home; i++) n += k->home[k->known[i]] >= 0 && (w->past[k->known[i]] & VVI_SHEET_BOX) != 0;
  if (!vvi_sheet_runs_open(w, WIDTH * n, &all) || k->failed) return false;
  double *at = all.mine;
  for (int32_t i = 0; i < k->n_home; i++) {
    const int32_t c = k->known[i];
    k->step[c] = w->life[c].pace;
    if (k->home[c] < 0 || (w->past[c] & VVI_SHEET_BOX) == 0) continue;
    at[0] = (double)c, at[1] = k->step[c], at += WIDTH;
  }
  if (all.end > all.first) vvi_sheet_runs_tell(w);
  for (int32_t c = 0; c < w->sheets->n_cluster; c++)
    if (k->home[c] >= 0) w->past[c] &= (unsigned char)~VVI_SHEET_BOX;
  for (at = all.first; at < all.end; at += WIDTH) {
    const int32_t c = (int32_t)at[0];
    w->past[c] |= VVI_SHEET_BOX, k->step[c] = at[1];
  }
  return true;
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
  const int64_t width = VVI_POINT_FLIGHT;
  if (k->reads.owner[mover] != k->net->rank || p->full) return;
  if (width * (p->n + 1) > k->out_room) {
    const int64_t room = 2 * width * (p->n + 256);
    double *out = vvi_arena_grow(p->w->arena, k->out, sizeof *out, k->out_room, width * p->n, room);
    p->full = out == NULL;
    if (p->full) return;
    k->out = out, k->out_room = room;
  }
  const int32_t body = p->w->sheets->body_of_mover[mover];
  vvi_point_flight(&p->w->motion.at[body], mover - p->w->sheets->body[body].mover0, p->w->motion.h,
                   k->out + width * p->n++);
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
    if (p.n > before) k->to[n] = r, k->size[n++] = (p.n - before) * VVI_POINT_FLIGHT * (int64_t)sizeof(double);
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
  const int32_t body = u->w->sheets->body_of_mover[mover];
  vvi_point_take_flight(&u->w->motion.at[body], mover - u->w->sheets->body[body].mover0,
                        (const double *)u->in[k->from[owner]] + VVI_POINT_FLIGHT * k->done[owner]++);
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
