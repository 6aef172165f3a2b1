/* contact/island/local.c  What changed since the last step, alone.
 *
 * In a large island most impulses of the last step still obey the law, and Newton's method for all of them would do again what
 * is done.  Contacts that do not, the movers within HOPS of them and all contacts of these are a smaller island, between movers
 * that stay as they are; it is solved, and what it does to those beside it is looked at in the next round.      [island 16]
 * Nothing is taken on trust: the answer is accepted by a look at all contacts, and where rounds do not end, or there is more to
 * do than half of the island, Newton's method gets all of it from what they found. */
#include "contact/island/work.h"

#include <string.h>

enum { ROUNDS = 24, HOPS = 2, PATIENCE = 3 };

/* ---- room ---- */

static bool room(vvi_island_work *w, const vvi_island_problem *p)
{
  vvi_island_local *l = &w->local;
  if (l->work == NULL && vvi_island_create(w->arena, 64, 256, &l->work) != VV_OK) return false;
  if (p->movers > l->most_movers) {
    const int32_t most = 2 * p->movers, had = l->most_movers;
    l->most_movers = 0;
    l->number = vvi_arena_grow(w->arena, l->number, sizeof *l->number, had, 0, most);
    l->inverse = vvi_arena_grow(w->arena, l->inverse, sizeof *l->inverse, had, 0, most);
    l->change = vvi_arena_grow(w->arena, l->change, sizeof *l->change, had, 0, most);
    if (!l->number || !l->inverse || !l->change) return false;
    l->most_movers = most;
  }
  if (p->contacts > l->most_contacts) {
    const int32_t most = 2 * p->contacts, had = l->most_contacts;
    l->most_contacts = 0;
    l->off = vvi_arena_grow(w->arena, l->off, sizeof *l->off, had, 0, most);
    l->which = vvi_arena_grow(w->arena, l->which, sizeof *l->which, had, 0, most);
    l->contact = vvi_arena_grow(w->arena, l->contact, sizeof *l->contact, had, 0, most);
    if (!l->off || !l->which || !l->contact) return false;
    l->most_contacts = most;
  }
  return true;
}

static bool room_for_legs(vvi_island_work *w, int32_t legs)
{
  vvi_island_local *l = &w->local;
  if (legs <= l->most_legs) return true;
  l->leg = vvi_arena_grow(w->arena, l->leg, sizeof *l->leg, l->most_legs, 0, 2 * (int64_t)legs);
  l->most_legs = 0;
  if (l->leg == NULL) return false;
  l->most_legs = 2 * legs;
  return true;
}

/* ---- which part ---- */

static bool reaches(const vvi_island_problem *p, const int32_t *number, const vvi_island_contact *c, int32_t before)
{
  for (int32_t e = c->first; e < c->first + c->legs; e++)
    if (number[p->leg[e].mover] >= 0 && number[p->leg[e].mover] < before) return true;
  return false;
}

static void take(const vvi_island_problem *p, const vvi_island_contact *c, int32_t *number, int32_t *n)
{
  for (int32_t e = c->first; e < c->first + c->legs; e++)
    if (number[p->leg[e].mover] < 0) number[p->leg[e].mover] = (*n)++;
}

/* Numbers the movers of contacts that are off, and those within HOPS of them; returns how many. */
static int32_t number_movers(vvi_island_local *l, const vvi_island_problem *p, double most)
{
  int32_t n = 0;
  for (int32_t m = 0; m < p->movers; m++) l->number[m] = -1;
  for (int32_t i = 0; i < p->contacts; i++)
    if (l->off[i] > most) take(p, &p->contact[i], l->number, &n);
  for (int hop = 1; hop < HOPS; hop++) {
    const int32_t before = n;
    for (int32_t i = 0; i < p->contacts; i++) {
      const vvi_island_contact *c = &p->contact[i];
      if (c->j[0] != 0.0 && reaches(p, l->number, c, before)) take(p, c, l->number, &n);
    }
  }
  return n;
}

/* The contacts of these movers, with their legs on them alone. */
static bool cut(vvi_island_work *w, const vvi_island_problem *p, int32_t movers, vvi_island_problem *part)
{
  vvi_island_local *l = &w->local;
  int32_t n = 0, legs = 0;
  for (int32_t i = 0; i < p->contacts; i++) {
    if (!reaches(p, l->number, &p->contact[i], movers)) continue;
    l->which[n++] = i;
    legs += p->contact[i].legs;
  }
  if (2 * n > p->contacts || !room_for_legs(w, legs)) return false;
  for (int32_t k = 0; k < n; k++) take(p, &p->contact[l->which[k]], l->number, &movers);
  legs = 0;
  for (int32_t k = 0; k < n; k++) {
    const vvi_island_contact *c = &p->contact[l->which[k]];
    vvi_island_contact *o = &l->contact[k];
    *o = *c;
    o->first = legs, o->legs = 0;
    for (int32_t e = c->first; e < c->first + c->legs; e++) {
      const int32_t m = l->number[p->leg[e].mover];
      if (m < 0) continue;
      l->leg[legs] = p->leg[e];
      l->leg[legs++].mover = m;
      o->legs++;
    }
  }
  for (int32_t m = 0; m < p->movers; m++)
    if (l->number[m] >= 0) memcpy(l->inverse[l->number[m]], p->inverse[m], sizeof *l->inverse);
  *part = (vvi_island_problem){.movers = movers,
                               .contacts = n,
                               .inverse = (const double(*)[12])l->inverse,
                               .leg = l->leg,
                               .contact = l->contact,
                               .speed = p->speed,
                               .loose = 0.5 * p->loose,
                               .change = l->change};
  return true;
}

/* Uf of the part: U+ of now less what its own impulses do to its own movers. */
static void free_part(vvi_island_work *w, vvi_island_problem *part)
{
  vvi_island_deliver(w->local.work, part);
  for (int32_t k = 0; k < part->contacts; k++) {
    vvi_island_contact *o = &part->contact[k];
    double u[3] = {0, 0, 0};
    vvi_island_see(part, o, u);
    for (int c = 0; c < 3; c++) o->free[c] = o->after[c] - u[c];
  }
}

bool vvi_island_locally(vvi_island_work *w, vvi_island_problem *p, vvi_island_stats *stats)
{
  vvi_island_local *l = &w->local;
  int32_t least = p->contacts, vain = 0;
  if (!(p->loose > 0.0) || !room(w, p)) return false;
  for (int round = 0; round < ROUNDS; round++) {
    int32_t off = 0;
    vvi_island_problem part;
    vvi_island_deliver(w, p);
    const vvi_island_left left = vvi_island_look(w, p, l->off);
    stats->residual = left.most;
    if (!(left.fastest > VVI_MOVES * p->loose)) return false;
    stats->accepted = left.strict <= p->loose;
    if (stats->accepted) return true;
    for (int32_t i = 0; i < p->contacts; i++) off += l->off[i] > p->loose;
    vain = off < least ? 0 : vain + 1;
    least = off < least ? off : least;
    if (vain == PATIENCE || !cut(w, p, number_movers(l, p, 0.5 * p->loose), &part)) return false;
    if (!vvi_island_room(l->work, &part)) return false;
    free_part(w, &part);
    vvi_island_stats of = {0};
    if (!vvi_island_together(l->work, &part, 1, &of)) return false;
    stats->newton += of.newton, stats->gradient += of.gradient;
    for (int32_t k = 0; k < part.contacts; k++)
      memcpy(p->contact[l->which[k]].j, part.contact[k].j, sizeof part.contact[k].j);
  }
  return false;
}
