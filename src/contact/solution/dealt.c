/* contact/solution/dealt.c  Groups over ranks: each is answered whole by one rank, and what became of it goes to all; giants are shared.
 *
 * All ranks know the same contacts, groups and movers, and a group writes to its own alone: who answers it decides no bit.
 * What travels is what an answer may have changed: the group, its contacts with their rows, its movers and their momenta.
 *
 * Of a group that is shared each rank looks at its own contacts and answers them, level by level [contact 26e].  What a level has
 * pushed goes to all before the next one: of those movers that contacts of several ranks read.  What decides how the group goes on
 * is a few bits of each contact, which all know. */
#include "contact/broad/ranks.h"
#include "contact/contact.h"
#include "math/math.h"

#include <string.h>

/* Contacts: fewer are answered by everybody in the time in which ranks tell each other two things. */
enum { SHARED_FROM = 32 };

static vvi_sheet_search *shared_search(const struct vvi_contact_step *w)
{
  return w->features != NULL && w->features->search->ranks != NULL ? w->features->search : NULL;
}

/* Contacts that follow each other in the meshes lie side by side: ranks get as many of them each. */
static void share_contacts(struct vvi_contact_step *w, vvi_contact_group *g, const vv_net *net)
{
  g->shared = g->ours = true, g->rank = -1;
  for (int32_t i = 0; i < g->movers; i++) {
    vvi_working *m = &w->work[g->mover[i]];
    m->home = -1, m->known = m->crosses = false;
  }
  for (int32_t i = 0; i < g->n; i++) {
    vvi_in_turn *t = &w->turn[g->member[i]];
    t->rank = (int32_t)((int64_t)i * net->ranks / g->n);
    for (int32_t k = 0; k < t->reads; k++) {
      vvi_working *m = &w->work[w->reads[t->read + k]];
      m->crosses |= m->home >= 0 && m->home != t->rank, m->known |= t->rank == net->rank;
      if (m->home < 0) m->home = t->rank;
    }
  }
}

/* Of a mover that crosses: was it pushed; V, P, what holds, momenta.  Of a contact: what it took. */
enum { PUSHED = 1, MOVER = 13 };

static int64_t reals_of(const struct vvi_contact_step *w, const vvi_in_turn *t)
{
  int64_t n = PUSHED;
  for (int32_t k = 0; k < t->writes; k++) n += w->work[w->reads[t->read + k]].crosses ? MOVER : 0;
  return n;
}

/* Room for what is told of a level at the most. */
static bool fit_tell(struct vvi_contact_step *w, const vvi_contact_group *g, int ranks)
{
  int64_t reals = g->n / 8 + 2 * (int64_t)ranks;
  for (int32_t i = 0; i < g->n; i++) reals += reals_of(w, &w->turn[g->member[i]]);
  if (reals <= w->tell_room) return true;
  const int64_t room = reals + reals / 2;
  w->tell = vvi_arena_grow(w->arena, w->tell, sizeof *w->tell, w->tell_room, 0, room);
  w->tell_room = w->tell != NULL ? room : 0;
  return w->tell != NULL;
}

/* Do its large islands answer in turn? */
static bool may_turn(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  for (int32_t i = 0; g->soft && i < g->n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    if (c->restitution == 1.0 && w->near->solids->rule[c->law].friction > 0.0) return false;
  }
  return g->soft;
}

/* Crowds are shared: what they take beyond one rank's part is more than what ranks have to tell each other of levels. */
static bool share_giants(struct vvi_contact_step *w)
{
  const vvi_sheet_search *search = shared_search(w);
  const vv_net *net = search != NULL ? search->ranks->net : NULL;
  bool good = true;
  for (int32_t k = 0; net != NULL && net->ranks > 1 && k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    if (!may_turn(w, g) || w->joints != NULL || w->together || w->shuffle != 0) continue;
    share_contacts(w, g, net);
    good &= fit_tell(w, g, net->ranks);
  }
  return good;
}

/* A rank gets groups that follow each other. */
bool vvi_groups_deal(struct vvi_contact_step *w)
{
  const vvi_sheet_search *search = shared_search(w);
  const bool good = share_giants(w);
  const bool dealt = search != NULL && w->groups > 1 && w->n >= SHARED_FROM && w->joints == NULL;
  const int ranks = dealt ? search->ranks->net->ranks : 1;
  double all = 0.0, before = 0.0;
  for (int32_t k = 0; k < w->groups; k++) all += w->group[k].shared ? 0.0 : vvi_group_weight(&w->group[k]);
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    if (g->shared) continue;
    const int rank = (int)((before + 0.5 * vvi_group_weight(g)) / all * ranks);
    g->rank = !dealt ? -1 : rank < ranks ? rank : ranks - 1;
    before += vvi_group_weight(g);
  }
  w->dealt = dealt, w->deals += dealt;
  return good;
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
    if (!w->group[k].ours && vvi_group_is_mine(w, &w->group[k]) && !is_idle(&w->group[k]))
      carry_answer(w, l, &w->group[k]);
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
  if (!w->dealt) return !w->untold;
  carry_mine(w, &l);
  const int64_t reals = l.n;
  if (!vvi_sheet_runs_open(search, reals, &all)) return false;
  l = (load){.at = all.mine};
  carry_mine(w, &l);
  vvi_sheet_runs_tell(search);
  take_runs(w, all.first, all.mine);
  take_runs(w, all.mine + reals, all.end);
  return !w->untold;
}

/* ---- groups that ranks share ---- */

static const vvi_sheet_ranks *ranks_of(const struct vvi_contact_step *w)
{
  return w->features->search->ranks;
}

bool vvi_contact_is_mine(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t contact)
{
  return !g->shared || w->turn[contact].rank == ranks_of(w)->net->rank;
}

/* A byte of each contact; each rank's run fills whole reals. */
static void copy_said(const struct vvi_contact_step *w, const vvi_contact_group *g, bool in)
{
  const vvi_sheet_ranks *r = ranks_of(w);
  unsigned char *at = (unsigned char *)w->tell;
  int32_t i = 0;
  for (int k = 0; k < r->net->ranks; at += sizeof(double) * (size_t)r->ones[k++])
    for (int32_t n = 0; i < g->n && w->turn[g->member[i]].rank == k; i++, n++) {
      unsigned char *said = &w->turn[g->member[i]].said;
      in ? memcpy(said, at + n, 1) : memcpy(at + n, said, 1);
    }
}

void vvi_shared_say(struct vvi_contact_step *w, const vvi_contact_group *g)
{
  const vvi_sheet_ranks *r = ranks_of(w);
  memset(r->ones, 0, sizeof *r->ones * (size_t)r->net->ranks);
  for (int32_t i = 0; i < g->n; i++) r->ones[w->turn[g->member[i]].rank]++;
  for (int k = 0; k < r->net->ranks; k++) r->ones[k] = (r->ones[k] + 7) / 8;
  copy_said(w, g, false);
  r->net->all(r->net, r->ones, sizeof(double), w->tell);
  copy_said(w, g, true);
}

static bool has_leg(const struct vvi_contact_step *w, const vvi_contact *c, int32_t mover)
{
  for (int32_t l = 0; l < c->legs; l++)
    if (w->leg[c->first + l].mover == mover) return true;
  return false;
}

static void put_pushed(const struct vvi_contact_step *w, int32_t contact, double *at)
{
  const vvi_in_turn *t = &w->turn[contact];
  *at++ = t->taken;
  for (int32_t k = 0; k < t->writes; k++) {
    const int32_t i = w->reads[t->read + k];
    const vvi_working *m = &w->work[i];
    double p[VVI_NODE_P];
    if (!m->crosses) continue;
    vvi_node_momenta(&w->model->block[m->block], m->node, w->p, p);
    *at++ = t->answered && has_leg(w, &w->contact[contact], i);
    for (int c = 0; c < 3; c++) at[c] = m->now[c], at[3 + c] = m->impulse[c], at[6 + c] = m->held[c], at[9 + c] = p[c];
    at += MOVER - 1;
  }
}

static void take_pushed(struct vvi_contact_step *w, int32_t contact, const double *at)
{
  vvi_in_turn *t = &w->turn[contact];
  t->taken = *at++;
  for (int32_t k = 0; k < t->writes; k++) {
    const int32_t i = w->reads[t->read + k];
    vvi_working *m = &w->work[i];
    if (!m->crosses) continue;
    const bool pushed = *at++ != 0.0;
    if (pushed) {
      const double p[VVI_NODE_P] = {at[9], at[10], at[11]};
      for (int c = 0; c < 3; c++) m->now[c] = at[c], m->impulse[c] = at[3 + c], m->held[c] = at[6 + c];
      vvi_node_put(&w->model->block[m->block], m->node, p, w->p);
      vvi_mover_changed(w, i);
    }
    at += MOVER - 1;
  }
}

void vvi_shared_push(struct vvi_contact_step *w, int32_t n, const int32_t *level)
{
  const vvi_sheet_ranks *r = ranks_of(w);
  int64_t *at = r->wishes;
  memset(r->ones, 0, sizeof *r->ones * (size_t)r->net->ranks);
  for (int32_t i = 0; i < n; i++) r->ones[w->turn[level[i]].rank] += reals_of(w, &w->turn[level[i]]);
  for (int pass = 0; pass < 2; pass++) {
    int64_t before = 0;
    for (int k = 0; k < r->net->ranks; before += r->ones[k++]) at[k] = before;
    for (int32_t i = 0; i < n; i++) {
      const vvi_in_turn *t = &w->turn[level[i]];
      double *row = w->tell + at[t->rank];
      at[t->rank] += reals_of(w, t);
      if (pass == 0 && t->rank == r->net->rank) put_pushed(w, level[i], row);
      if (pass == 1 && t->rank != r->net->rank) take_pushed(w, level[i], row);
    }
    if (pass == 0) r->net->all(r->net, r->ones, sizeof(double), w->tell);
  }
}

/* Who reads a mover knows it already, and how often it was pushed. */
static void carry_shared_mover(struct vvi_contact_step *w, load *l, int32_t i)
{
  const vvi_working here = w->work[i];
  carry_mover(w, l, i);
  if (here.known) w->work[i] = here;
  w->work[i].known = here.known;
}

/* A contact with its row and its sums; movers: and what it may push. */
static void carry_known(struct vvi_contact_step *w, load *l, int32_t i, bool movers)
{
  vvi_in_turn *t = &w->turn[i];
  if (!l->in) t->fresh = w->contact[i].looked == vvi_contact_version(w, &w->contact[i]);
  carry_contact(w, l, i, true);
  carry(l, t, sizeof *t);
  for (int32_t k = 0; movers && k < t->writes; k++) carry_shared_mover(w, l, w->reads[t->read + k]);
}

/* g: all of it, its movers once each; else marked contacts with theirs. */
static void carry_own(struct vvi_contact_step *w, load *l, const vvi_contact_group *g, int32_t n,
                      const int32_t *contact)
{
  const int rank = ranks_of(w)->net->rank;
  for (int32_t i = 0; i < n; i++) {
    double number = contact[i];
    if (!(g != NULL || w->contact[contact[i]].acts) || w->turn[contact[i]].rank != rank) continue;
    carry(l, &number, sizeof number);
    carry_known(w, l, contact[i], g == NULL);
  }
  for (int32_t i = 0; g != NULL && i < g->movers; i++) {
    double number = -1.0 - g->mover[i];
    if (w->work[g->mover[i]].home != rank || !w->work[g->mover[i]].touched) continue;
    carry(l, &number, sizeof number);
    carry_shared_mover(w, l, g->mover[i]);
  }
}

static void learn_runs(struct vvi_contact_step *w, double *at, const double *end, bool all)
{
  while (at < end) {
    load l = {.at = at + 1, .in = true};
    const int32_t number = (int32_t)*at;
    number < 0 ? carry_shared_mover(w, &l, -1 - number) : carry_known(w, &l, number, !all);
    at = l.at + l.n;
  }
}

static void learn(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *contact)
{
  const int rank = ranks_of(w)->net->rank;
  load l = {0};
  vvi_sheet_runs all;
  carry_own(w, &l, g, n, contact);
  const int64_t reals = l.n;
  w->untold |= !vvi_sheet_runs_open(w->features->search, reals, &all);
  if (w->untold) return;
  l = (load){.at = all.mine};
  carry_own(w, &l, g, n, contact);
  vvi_sheet_runs_tell(w->features->search);
  learn_runs(w, all.first, all.mine, g != NULL);
  learn_runs(w, all.mine + reals, all.end, g != NULL);
  for (int32_t i = 0; i < n; i++) {
    vvi_contact *c = &w->contact[contact[i]];
    const vvi_in_turn *t = &w->turn[contact[i]];
    if (t->rank != rank && (g != NULL || c->acts)) c->looked = t->fresh ? vvi_contact_version(w, c) : -1;
  }
}

void vvi_shared_learn(struct vvi_contact_step *w, int32_t n, const int32_t *contact)
{
  learn(w, NULL, n, contact);
}

void vvi_shared_end(struct vvi_contact_step *w, vvi_contact_group *g)
{
  learn(w, g, g->n, g->member);
  g->shared = false;
}
