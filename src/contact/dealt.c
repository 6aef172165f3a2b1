/* contact/dealt.c  Groups over ranks: each is answered whole by one rank, and what became of it goes to all.
 *
 * All ranks know the same contacts, groups and movers, and a group writes to its own alone: who answers it decides no bit.
 * What travels is what an answer may have changed: the group, its contacts with their rows, its movers and their momenta. */
#include "contact/contact.h"
#include "contact/sheets/ranks.h"
#include "math/math.h"

#include <string.h>

/* Contacts: fewer are answered by everybody in the time in which ranks tell each other two things. */
enum { SHARED_FROM = 32 };

static vvi_sheet_search *shared_search(const struct vvi_contact_step *w)
{
  return w->features != NULL && w->features->search->ranks != NULL ? w->features->search : NULL;
}

/* A rank gets groups that follow each other. */
void vvi_groups_deal(struct vvi_contact_step *w)
{
  const vvi_sheet_search *search = shared_search(w);
  const bool dealt = search != NULL && w->groups > 1 && w->n >= SHARED_FROM && w->joints == NULL;
  const int ranks = dealt ? search->ranks->net->ranks : 1;
  double all = 0.0, before = 0.0;
  for (int32_t k = 0; k < w->groups; k++) all += vvi_group_weight(&w->group[k]);
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    const int rank = (int)((before + 0.5 * vvi_group_weight(g)) / all * ranks);
    g->rank = !dealt ? -1 : rank < ranks ? rank : ranks - 1;
    before += vvi_group_weight(g);
  }
  w->dealt = dealt, w->deals += dealt;
}

bool vvi_group_is_mine(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  return g->rank < 0 || g->rank == w->features->search->ranks->net->rank;
}

/* ---- what travels ---- */

typedef struct load {
  double *at; /* NULL: it is only counted */
  int64_t n;  /* reals so far */
  bool in;
} load;

static void carry(load *l, void *x, size_t bytes)
{
  const size_t reals = bytes / sizeof(double);
  if (l->at != NULL && l->in) memcpy(x, l->at + l->n, bytes);
  if (l->at != NULL && !l->in) memcpy(l->at + l->n, x, bytes);
  l->n += (int64_t)reals;
}

/* The slices of its arrays are where this rank has them. */
static void carry_group(load *l, vvi_contact_group *g)
{
  const vvi_contact_group here = *g;
  carry(l, g, sizeof *g);
  g->member = here.member, g->act = here.act, g->root = here.root, g->problem = here.problem, g->leg = here.leg;
  g->mover = here.mover, g->who = here.who, g->inverse = here.inverse, g->change = here.change;
  for (int32_t i = here.n; i < g->n; i++) g->member[i] = here.late + (i - here.n); /* those found late */
}

static void carry_contact(const struct vvi_contact_step *w, load *l, int32_t i, bool known)
{
  vvi_contact *c = &w->contact[i];
  const vv_patch *const patch[2] = {c->patch[0], c->patch[1]};
  carry(l, c, sizeof *c);
  if (known || !l->in) {
    memcpy(c->patch, patch, sizeof patch);
  } else {
    c->patch[0] = w->near->solids->object[c->a].patch, c->patch[1] = w->near->solids->object[c->b].patch;
  }
  carry(l, &w->leg[c->first], sizeof *w->leg * (size_t)c->legs);
  if (c->near >= 0) carry(l, &w->features->search->near[c->near], sizeof *w->features->search->near);
}

static void carry_mover(struct vvi_contact_step *w, load *l, int32_t i)
{
  vvi_working *m = &w->work[i];
  const vv_block *b = &w->model->block[m->block];
  carry(l, m, sizeof *m);
  double p[VVI_NODE_P];
  const int n = vvi_node_momenta(b, m->node, w->p, p);
  carry(l, p, sizeof *p * (size_t)n);
  if (l->in) vvi_node_put(b, m->node, p, w->p);
  if (l->in) vvi_features_changed(w, i);
}

/* Nothing was pushed, and nothing that a group without answers found is asked for later. */
static bool is_idle(const vvi_contact_group *g)
{
  return g->count.passes == 0 && g->n == g->known;
}

static void carry_answer(struct vvi_contact_step *w, load *l, vvi_contact_group *g)
{
  double number = (double)(g - w->group);
  if (!l->in) carry(l, &number, sizeof number);
  carry_group(l, g);
  for (int32_t i = 0; i < g->n; i++) carry_contact(w, l, g->member[i], i < g->known);
  for (int32_t i = 0; i < g->movers; i++) carry_mover(w, l, g->mover[i]);
}

static void carry_mine(struct vvi_contact_step *w, load *l)
{
  for (int32_t k = 0; k < w->groups; k++)
    if (vvi_group_is_mine(w, &w->group[k]) && !is_idle(&w->group[k])) carry_answer(w, l, &w->group[k]);
}

static void take_runs(struct vvi_contact_step *w, double *at, const double *end)
{
  while (at < end) {
    load l = {.at = at + 1, .in = true};
    carry_answer(w, &l, &w->group[(int32_t)*at]);
    at = l.at + l.n;
  }
}

bool vvi_groups_tell(struct vvi_contact_step *w)
{
  vvi_sheet_search *search = shared_search(w);
  load l = {0};
  vvi_sheet_runs all;
  if (!w->dealt) return true;
  carry_mine(w, &l);
  const int64_t reals = l.n;
  if (!vvi_sheet_runs_open(search, reals, &all)) return false;
  l = (load){.at = all.mine};
  carry_mine(w, &l);
  vvi_sheet_runs_tell(search);
  take_runs(w, all.first, all.mine);
  take_runs(w, all.mine + reals, all.end);
  return true;
}
