/* contact/solution/passes.c  The order of answers: contacts that press are solved together, those that bounce in turn.
 *
 * What is hit in a row wants one answer after the other (a cradle), what lies on each other wants one problem.  One rule gives
 * both: contacts that are pressed together form the block, which is solved with what closes in the first pass; what closes
 * because of that answers in the next ones, and joins the block if it does not come to an end.              [contact 26] */
#include "contact/contact.h"
#include "math/math.h"

#include <string.h>

/* Bounds of loops: more changes cost, not laws; reaching them is counted.  Where nothing may be lost a block is the last resort
 * (it holds, and what holds brings or takes energy): there contacts answer one after the other EXACT times as long. */
enum { PASSES = 30, RESTARTS = 6, CALMS = 3, HITS = 4, EXACT = 10, PAIR = 128 };
/* Of the smaller of two: as deep on the way as the claim `penetration` lets something be. */
static const double ON_THE_WAY = 1e-2;

/* ---- groups ---- */

/* Nodes that contacts connect, in the order of the first contact of each; contacts and movers sorted by them.  What does not
 * move connects nothing: groups share it, and it is flown before any of them asks. */
static int32_t first_mover(const struct vvi_contact_step *w, const vvi_contact *c)
{
  for (int32_t k = 0; k < c->nodes; k++)
    if (w->work[w->node[c->node0 + k]].moves) return w->node[c->node0 + k];
  return w->node[c->node0];
}

/* A mover that a joint holds brings its whole assembly along. */
static void connect_linked(struct vvi_contact_step *w, int32_t mover)
{
  const int32_t a = vvi_linked(w, mover);
  int32_t n;
  if (a < 0 || w->linked_at[a] == w->looks) return;
  const vvi_joint_node *node = vvi_linked_nodes(w, a, &n);
  w->linked_at[a] = w->looks;
  for (int32_t k = 0; k < n; k++) {
    const int32_t m = node[k].mover;
    if (!vvi_mover_loaded(w, m)) {
      w->root[m] = m, w->group_of[m] = -1;
      vvi_mover_load(w, m);
    }
  }
  for (int32_t k = 0; k < n; k++) /* what is held connects nothing */
    for (int32_t i = 0; i < k && w->work[node[k].mover].moves; i++)
      if (w->work[node[i].mover].moves) {
        vvi_group_join(w->root, node[i].mover, node[k].mover);
        break;
      }
}

static void connect(struct vvi_contact_step *w)
{
  for (int64_t k = 0; k < w->n_node; k++) {
    const int32_t m = w->node[k];
    w->root[m] = m, w->group_of[m] = -1;
  }
  w->looks++;
  for (int64_t k = 0; k < w->n_node; k++)
    if (!vvi_mover_loaded(w, w->node[k])) {
      vvi_mover_load(w, w->node[k]);
      if (!w->work[w->node[k]].moves) vvi_mover_fly(w, w->node[k], NULL);
    }
  for (int64_t k = 0; w->joints != NULL && k < w->n_node; k++) connect_linked(w, w->node[k]);
  for (int32_t i = 0; i < w->n; i++) {
    const vvi_contact *c = &w->contact[i];
    const int32_t first = first_mover(w, c);
    for (int32_t k = 0; k < c->nodes; k++)
      if (w->work[w->node[c->node0 + k]].moves) vvi_group_join(w->root, first, w->node[c->node0 + k]);
  }
}

static vvi_contact_group *group_of(struct vvi_contact_step *w, const vvi_contact *c)
{
  int32_t *group = &w->group_of[vvi_group_of(w->root, first_mover(w, c))];
  if (*group < 0) {
    *group = w->groups;
    w->group[w->groups++] = (vvi_contact_group){0};
  }
  return &w->group[*group];
}

/* One that no one took yet, and what joints connect it with; out NULL: counts them, and the rows of these joints. */
static int32_t take_mover(struct vvi_contact_step *w, int32_t mover, int32_t *out, int32_t *links)
{
  vvi_working *m = &w->work[mover];
  int32_t n = 0, nodes;
  if (!m->moves || m->local == -2) return 0;
  m->local = -2;
  if (out != NULL) out[n] = mover;
  n++;
  const int32_t a = vvi_linked(w, mover);
  if (a < 0) return n;
  const vvi_joint_node *node = vvi_linked_nodes(w, a, &nodes);
  if (links != NULL) *links += vvi_linked_rows(w, a);
  for (int32_t k = 0; k < nodes; k++) {
    vvi_working *other = &w->work[node[k].mover];
    if (!other->moves || other->local == -2) continue;
    other->local = -2;
    if (out != NULL) out[n] = node[k].mover;
    n++;
  }
  return n;
}

/* Takes the movers of a contact. */
static int32_t take_movers(struct vvi_contact_step *w, const vvi_contact *c, int32_t *out, int32_t *links)
{
  int32_t n = 0;
  for (int32_t k = 0; k < c->nodes; k++) n += take_mover(w, w->node[c->node0 + k], out != NULL ? out + n : NULL, links);
  return n;
}

static void release_movers(struct vvi_contact_step *w)
{
  for (int64_t k = 0; k < w->n_node; k++) {
    const int32_t a = vvi_linked(w, w->node[k]);
    int32_t n;
    w->work[w->node[k]].local = -1;
    if (a < 0 || w->linked_at[a] != w->looks) continue;
    const vvi_joint_node *node = vvi_linked_nodes(w, a, &n);
    for (int32_t i = 0; i < n; i++) w->work[node[i].mover].local = -1;
  }
}

bool vvi_groups_make(struct vvi_contact_step *w)
{
  int32_t members = 0, movers = 0, extra = w->n, links = 0;
  int64_t legs = 0;
  w->groups = 0;
  connect(w);
  for (int32_t i = 0; i < w->n; i++) {
    vvi_contact_group *g = group_of(w, &w->contact[i]);
    g->n++, g->movers += take_movers(w, &w->contact[i], NULL, &g->links), g->legs += w->contact[i].room;
  }
  if (!vvi_contacts_fit(w, w->n, w->groups)) return false;
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    g->room = 2 * g->n + VVI_LATE_RESERVE, g->late = extra;
    g->member = w->list + members, g->act = w->act + members, g->root = w->island + members;
    g->problem = w->problem + (1 + w->rolls) * (int64_t)members + links;
    g->mover = w->mover_list + movers, g->who = w->who + movers;
    g->inverse = w->inverse + movers, g->change = w->change + movers;
    g->leg = w->solve_leg + legs, legs += (1 + w->rolls) * (g->legs + 4 * (g->room - g->n)) + 2 * g->links;
    links += g->links;
    members += g->room, movers += g->movers, extra += g->room - g->n;
    g->n = g->movers = 0;
  }
  release_movers(w);
  for (int32_t i = 0; i < w->n; i++) {
    vvi_contact_group *g = group_of(w, &w->contact[i]);
    g->member[g->n++] = i;
    g->movers += take_movers(w, &w->contact[i], g->mover + g->movers, NULL);
  }
  for (int32_t i = 0; i < movers; i++) w->work[w->mover_list[i]].local = -1;
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    g->known = g->n;
    for (int32_t i = 0; i < g->movers; i++) w->work[g->mover[i]].group = k;
  }
  w->late_leg = w->n_leg - 4 * (int64_t)w->n; /* leg of a late contact i: behind all others */
  return w->features == NULL || vvi_turns_make(w);
}

/* ---- what closes ---- */

static bool alike(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t i, const vvi_contact *c)
{
  const vvi_contact *d = &w->contact[g->member[i]];
  return d->a == c->a && d->b == c->b;
}

/* All contacts of the pair of member k: they lie side by side, those found late behind all others. */
static int32_t same_pair(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t k, int32_t *out)
{
  const vvi_contact *c = &w->contact[g->member[k]];
  int32_t n = 0, from = k < g->known ? k : 0;
  while (k < g->known && from > 0 && alike(w, g, from - 1, c)) from--;
  while (from < g->known && !alike(w, g, from, c)) from++;
  for (int32_t i = from; i < g->known && alike(w, g, i, c) && n < PAIR; i++) out[n++] = g->member[i];
  for (int32_t i = g->known; i < g->n && n < PAIR; i++)
    if (alike(w, g, i, c)) out[n++] = g->member[i];
  return n;
}

static void see(struct vvi_contact_step *w, vvi_contact_group *g, int32_t k, vvi_late_fn *late, void *user)
{
  int32_t pair[PAIR];
  const int32_t n = same_pair(w, g, k, pair);
  vvi_pair_fly(w, &w->contact[g->member[k]]);
  vvi_pair_ahead(w, n, pair, late, user);
}

/* Inside of one frozen piece, where nothing meets. */
static bool inside(const struct vvi_contact_step *w, const vvi_contact *c)
{
  if (c->open || c->legs == 0) return false;
  const int32_t piece = w->work[w->leg[c->first].mover].piece;
  for (int l = 0; l < c->legs; l++) {
    const vvi_working *m = &w->work[w->leg[c->first + l].mover];
    if (!m->frozen || m->piece != piece) return false;
  }
  return true;
}

/* Does it close in the coming drift?  Its own straight way must, and where that is not all, what it really does.  What slides past
 * something round by s is s^2/2R farther at the end than its straight way, and a quarter of that nearer on the way.  [contact 26d] */
static bool closes(struct vvi_contact_step *w, vvi_contact_group *g, int32_t k)
{
  vvi_contact *c = &w->contact[g->member[k]];
  const double goal = vvi_contact_goal(c);
  double u[3];
  if (c->near >= 0) return vvi_feature_closes(w, (int32_t)(g - w->group), c);
  vvi_contact_velocity(w, c, false, u);
  const double end = c->gap + w->h * u[0]; /* of one that was found late, what is there after the drift counts alone */
  if (!c->late && !c->linked && end - vvi_contact_curl(w, c) >= goal) return false;
  if ((!c->turns && !c->rounds) || end < -0.5 * c->size) return true; /* so fast that it would be on the other side */
  if (c->looked != vvi_contact_version(w, c)) see(w, g, k, NULL, NULL);
  if (c->rounds && c->known && c->ahead - end > 4.0 * ON_THE_WAY * c->size) return true;
  return (c->known ? c->ahead : end) < goal; /* features that are gone: others answer, or late ones */
}

/* m/s^2 that press two together: by the forces on both, or by that on one while something holds the other; of a contact that
 * had an impulse in the last step the largest force at all.                                                [contact 25] */
static double pressing(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double both = 0.0, most = 0.0, any = 0.0;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &w->leg[c->first + l];
    const vvi_working *m = &w->work[g->mover];
    const double a = vvi_dot3(g->force[0], m->kick) + vvi_dot3(g->moment[0], m->kick + 3);
    const double side = vvi_dot3(g->force[0], g->force[0]);
    both -= a;
    most = fmax(most, -a / (side > 0.0 ? sqrt(side) : 1.0));
    any = fmax(any, vvi_norm3(m->kick));
  }
  return (c->resting ? fmax(any, fmax(both, most)) : fmax(both, most)) / w->h;
}

bool vvi_contact_pressed(const struct vvi_contact_step *w, const vvi_contact *c)
{
  const double a = pressing(w, c);
  double u[3];
  if (!(a > 0.0) || !(c->gap - c->target <= w->h * w->h * a)) return false;
  vvi_contact_velocity(w, c, true, u);
  return fabs(u[0]) <= 2.0 * w->h * a;
}

/* ---- passes ---- */

void vvi_group_reset(struct vvi_contact_step *w, vvi_contact_group *g)
{
  for (int32_t i = 0; i < g->movers; i++) vvi_mover_reset(w, g->mover[i]);
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    memset(c->j, 0, sizeof c->j);
    c->work[0] = c->work[1] = 0.0;
    c->hits = 0, c->looked = -1, c->held = false;
  }
  memset(g->outside, 0, sizeof g->outside);
  memset(g->pending, 0, sizeof g->pending);
  vvi_turns_clear(w, g);
  g->lost = g->given = g->stray = g->taken = 0.0;
  g->retry = g->turns = false;
}

/* What a contact pushes: the movers of its legs; of surfaces alone, all of its nodes, which are known whoever has made its row. */
static int32_t pushes(const vvi_contact_group *g, const vvi_contact *c)
{
  return g->soft ? c->nodes : c->legs;
}

static int32_t pushed_by(const struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_contact *c, int32_t k)
{
  return g->soft ? w->node[c->node0 + k] : w->leg[c->first + k].mover;
}

static bool is_reached(const struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_contact *c)
{
  for (int32_t k = 0; k < pushes(g, c); k++)
    if (w->work[pushed_by(w, g, c, k)].moves && w->work[pushed_by(w, g, c, k)].reached) return true;
  return false;
}

static void reach(struct vvi_contact_step *w, const vvi_contact_group *g, vvi_contact *c, bool to)
{
  c->acts = to;
  for (int32_t k = 0; k < pushes(g, c); k++) {
    vvi_working *m = &w->work[pushed_by(w, g, c, k)];
    if (m->moves) m->reached = to;
  }
}

static bool stands(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t i)
{
  return g->soft ? vvi_contact_says(w, i, VVI_SAYS_STANDS) : w->contact[i].legs > 0;
}

/* What was answered together answers together again: a light body between two heavy ones would be thrown to and fro for
 * hundreds of passes if its sides took turns. */
static void join_block(struct vvi_contact_step *w, vvi_contact_group *g)
{
  for (bool more = true; more;) {
    more = false;
    for (int32_t i = 0; i < g->n; i++) {
      vvi_contact *c = &w->contact[g->member[i]];
      if (c->acts || !c->block || c->hits == 0 || !stands(w, g, g->member[i]) || inside(w, c)) continue;
      if (!is_reached(w, g, c)) continue;
      reach(w, g, c, true);
      more = true;
    }
  }
}

static bool acts_in(struct vvi_contact_step *w, vvi_contact_group *g, int pass, int32_t k)
{
  const vvi_contact *c = &w->contact[g->member[k]];
  return !inside(w, c) && ((pass == 1 && c->block) || closes(w, g, k));
}

/* Would it have to be pushed? */
static bool must_push(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double u[3];
  vvi_contact_velocity(w, c, true, u);
  return c->gap - c->target < w->h * u[0];
}

/* What the group has to know of its contacts in this pass. */
static void say(struct vvi_contact_step *w, vvi_contact_group *g, int pass)
{
  for (int32_t i = 0; i < g->n; i++) {
    const int32_t k = g->member[i];
    const vvi_contact *c = &w->contact[k];
    if (!vvi_contact_is_mine(w, g, k)) continue;
    const bool acts = acts_in(w, g, pass, i);
    w->turn[k].said = (acts ? VVI_SAYS_ACTS : 0) | (acts && must_push(w, c) ? VVI_SAYS_PUSHES : 0) |
                      (c->legs > 0 ? VVI_SAYS_STANDS : 0) | (c->friction > 0.0 ? VVI_SAYS_RUBS : 0);
  }
  if (!g->shared) return;
  vvi_shared_say(w, g);
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    if (vvi_contact_is_mine(w, g, g->member[i])) continue;
    c->friction = vvi_contact_says(w, g->member[i], VVI_SAYS_RUBS) ? w->near->solids->rule[c->law].friction : 0.0;
  }
}

static int32_t collect(struct vvi_contact_step *w, vvi_contact_group *g, int pass)
{
  int32_t n = 0;
  bool again = false;
  vvi_turns_collect(w, g, pass);
  if (g->soft) say(w, g, pass);
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    const bool acts = g->soft ? vvi_contact_says(w, g->member[i], VVI_SAYS_ACTS) : acts_in(w, g, pass, i);
    if (acts) reach(w, g, c, true);
    again |= acts && c->block && c->hits > 0;
  }
  if (again) join_block(w, g);
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    if (!c->acts) continue;
    reach(w, g, c, false);
    g->act[n++] = g->member[i];
  }
  return n;
}

/* True: the block has grown.  What would make the block answer again belongs to it: all at once, from the impulses that are
 * known, costs less than what would be answered on top of the others, and thrown away. */
static bool promote(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, int pass)
{
  bool grown = false, again = false;
  for (int32_t i = 0; i < n; i++) {
    vvi_contact *c = &w->contact[g->act[i]];
    if (c->turn) continue;
    const bool push = g->soft ? vvi_contact_says(w, g->act[i], VVI_SAYS_PUSHES) : must_push(w, c),
               many = c->hits >= (c->restitution < 1.0 ? HITS : 4 * EXACT * HITS);
    again |= c->block;
    if (c->block || !(push || many || pass > g->passes)) continue;
    c->block = grown = true;
  }
  for (int32_t i = 0; again && i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    if (c->hits == 0 || c->block || c->turn) continue;
    c->block = grown = true;
  }
  for (int32_t i = 0; again && i < n; i++) {
    vvi_contact *c = &w->contact[g->act[i]];
    if (c->block || c->turn || c->restitution == 1.0) continue;
    c->block = grown = true;
  }
  return grown;
}

/* The first mover of its assembly. */
static int32_t leader_of(const struct vvi_contact_step *w, int32_t mover)
{
  int32_t n;
  return vvi_linked_nodes(w, vvi_linked(w, mover), &n)->mover;
}

static int32_t first_pushed(const struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_contact *c)
{
  return g->soft ? first_mover(w, c) : w->leg[c->first].mover;
}

/* Sorts act[] by island: contacts that movers of this pass connect, in the order of their first contacts. */
static void split(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n)
{
  for (int32_t i = 0; i < n; i++)
    for (int32_t l = 0; l < pushes(g, &w->contact[g->act[i]]); l++) {
      const int32_t m = pushed_by(w, g, &w->contact[g->act[i]], l);
      if (!w->work[m].moves) continue;
      w->root[m] = m;
      if (vvi_linked(w, m) >= 0) w->root[leader_of(w, m)] = leader_of(w, m);
    }
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[g->act[i]];
    const int32_t first = first_pushed(w, g, c);
    for (int32_t l = 0; l < pushes(g, c); l++)
      if (w->work[pushed_by(w, g, c, l)].moves) vvi_group_join(w->root, first, pushed_by(w, g, c, l));
    for (int l = 0; w->joints != NULL && l < c->legs; l++) {
      const int32_t m = w->leg[c->first + l].mover;
      if (vvi_linked(w, m) >= 0) vvi_group_join(w->root, m, leader_of(w, m));
    }
  }
  for (int32_t i = 0; i < n; i++) g->root[i] = vvi_group_of(w->root, first_pushed(w, g, &w->contact[g->act[i]]));
  for (int32_t i = 1; i < n; i++) { /* nearly sorted, and few islands */
    const int32_t root = g->root[i], act = g->act[i];
    int32_t k = i;
    for (; k > 0 && g->root[k - 1] > root; k--) g->root[k] = g->root[k - 1], g->act[k] = g->act[k - 1];
    g->root[k] = root, g->act[k] = act;
  }
}

typedef struct finder {
  struct vvi_contact_step *w;
  vvi_contact_group *g;
  int32_t found;
} finder;

static void add_late(void *user, const vvi_contact *like, const vvi_spot *spot)
{
  finder *k = user;
  vvi_contact_group *g = k->g;
  if (g->n == g->room) return;
  const int32_t i = g->late;
  k->w->contact[i].first = (int32_t)(k->w->late_leg + 4 * i);
  if (!vvi_contact_late(k->w, like, spot, &k->w->contact[i])) return;
  g->member[g->n++] = i, g->late++;
  k->found++;
}

/* Features that meet at the end of the drift and that no contact knows: they join.  True: some did. */
static bool find_late(struct vvi_contact_step *w, vvi_contact_group *g)
{
  finder k = {.w = w, .g = g};
  for (int32_t i = 0, n = g->n; i < n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    const vvi_contact *last = i > 0 ? &w->contact[g->member[i - 1]] : NULL;
    if (c->near >= 0 || !c->turns || c->late || (last != NULL && last->a == c->a && last->b == c->b)) continue;
    bool touched = false;
    for (int l = 0; l < c->legs; l++) {
      const vvi_working *m = &w->work[w->leg[c->first + l].mover];
      touched |= m->touched || c->linked || vvi_dot3(m->now + 3, m->now + 3) > 0.0;
    }
    if (touched) see(w, g, i, add_late, &k);
  }
  g->count.late += k.found;
  return k.found > 0;
}

static void note_late(void *user, const vvi_contact *like, const vvi_spot *spot)
{
  (void)like, (void)spot;
  *(bool *)user = true;
}

/* As closes(), of a contact out of any group; or features of its pair that meet at the end of the drift. */
static bool stranger_meets(struct vvi_contact_step *w, const vvi_contact *c)
{
  const int32_t at = (int32_t)(c - w->contact);
  bool late = false;
  double u[3];
  vvi_contact_velocity(w, c, false, u);
  const double end = c->gap + w->h * u[0];
  if (c->linked && end >= 0.0 && end > 16.0 * vvi_contact_curl(w, c) + c->size) return false; /* far away */
  if (end - vvi_contact_curl(w, c) < vvi_contact_goal(c) && (!c->turns || end < -0.5 * c->size)) return true;
  if (!c->turns) return false;
  vvi_pair_fly(w, c);
  vvi_pair_ahead(w, 1, &at, note_late, &late);
  return late || c->ahead < vvi_contact_goal(c);
}

/* Candidates are in the order of their pairs, as contacts are. */
bool vvi_strangers_meet(struct vvi_contact_step *w)
{
  int32_t known = 0;
  for (int64_t i = 0; i < w->near->meets; i++) {
    const vvi_meet *m = &w->near->meet[i];
    while (known < w->n && w->contact[known].near < 0 &&
           (w->contact[known].a < m->a || (w->contact[known].a == m->a && w->contact[known].b < m->b)))
      known++;
    const vvi_contact *is = known < w->n ? &w->contact[known] : NULL;
    if (is != NULL && is->near < 0 && is->a == m->a && is->b == m->b) continue; /* its group has looked */
    const vvi_contact *c = vvi_contact_try(w, m);
    if (c != NULL && stranger_meets(w, c)) return true;
  }
  return false;
}

/* Nothing helped: what still closes is told, and how deep. */
static void leave(struct vvi_contact_step *w, vvi_contact_group *g)
{
  g->count.unresolved++;
  if (g->shared) vvi_shared_end(w, g);
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    if (!closes(w, g, i)) continue;
    vvi_pair_fly(w, c);
    if (c->near >= 0) c->ahead = vvi_feature_ahead(w, c);
    g->count.deepest = fmax(g->count.deepest, -c->ahead);
    vvi_overlap_take(&g->count.overlap, -c->ahead, isfinite(c->size) ? c->size : w->model->length_scale);
  }
}

/* Large islands of features that only bounce: each is a reflection. */
static bool is_light(const struct vvi_contact_step *w, int32_t n, const int32_t *act)
{
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    if (c->near < 0 || c->block || c->linked || c->calm || c->turn || c->restitution < 1.0 || c->friction > 0.0)
      return false;
  }
  return n >= VVI_CROWD;
}

/* Large ones that hold or lose, and what one of them was in before. */
static bool is_crowd(const struct vvi_contact_step *w, int32_t n, const int32_t *act)
{
  bool turn = n >= VVI_CROWD;
  for (int32_t i = 0; i < n; i++) {
    if (!vvi_contact_soft(&w->contact[act[i]])) return false;
    turn |= w->contact[act[i]].turn && !w->contact[act[i]].calm;
  }
  return turn;
}

/* A crowd: one after the other answers if it still closes, and the next pass answers what closes because of them.
 *                                                                                                     [contact 26a, 26c] */
static void answer_in_turn(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act,
                           vvi_island_work *solver)
{
  const bool light = is_light(w, n, act);
  if (!light) g->passes = EXACT * PASSES;
  if (g->crowd && g->pieces == 0 && (n >= VVI_CROWD || g->soft)) {
    vvi_turns_answer(w, g, n, act, light, solver);
    return;
  }
  for (int32_t i = 0; i < n; i++) {
    vvi_contact *c = &w->contact[act[i]];
    c->turn = !light;
    if (!vvi_feature_closes(w, (int32_t)(g - w->group), c)) continue;
    if (!light || !vvi_island_answer(w, g, 1, act + i, solver)) vvi_turn_answer(w, g, act[i], solver);
  }
}

static bool in_turn(const struct vvi_contact_step *w, int32_t n, const int32_t *act)
{
  return is_light(w, n, act) || is_crowd(w, n, act);
}

static int32_t end_of_island(const vvi_contact_group *g, int32_t i, int32_t n)
{
  int32_t end = i;
  while (end < n && g->root[end] == g->root[i]) end++;
  return end;
}

/* Islands that do not answer in turn are small, and answered by all ranks: all have to know them. */
static void learn_small(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n)
{
  bool any = false;
  for (int32_t i = 0, end; i < n; i = end) {
    end = end_of_island(g, i, n);
    const bool small = !in_turn(w, end - i, g->act + i);
    for (int32_t k = i; k < end; k++) w->contact[g->act[k]].acts = small;
    any |= small;
  }
  if (any) vvi_shared_learn(w, n, g->act);
  for (int32_t i = 0; i < n; i++) w->contact[g->act[i]].acts = false;
}

static void answer_islands(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, vvi_island_work *solver,
                           bool freeze)
{
  split(w, g, n);
  if (g->shared && !freeze) learn_small(w, g, n);
  for (int32_t i = 0, end; i < n; i = end) {
    end = end_of_island(g, i, n);
    if (freeze)
      vvi_island_freeze(w, g, end - i, g->act + i);
    else if (in_turn(w, end - i, g->act + i) || !vvi_island_answer(w, g, end - i, g->act + i, solver))
      answer_in_turn(w, g, end - i, g->act + i, solver);
  }
}

bool vvi_all_calm(const struct vvi_contact_step *w, int32_t n, const int32_t *act)
{
  for (int32_t i = 0; i < n; i++)
    if (w->contact[act[i]].calm != VVI_CALM_RUB) return false;
  return true;
}

/* True: done; false: the block has grown, or contacts were calmed, again. */
static bool run(struct vvi_contact_step *w, vvi_contact_group *g, vvi_island_work *solver, bool final)
{
  for (int pass = 1;; pass++) {
    const int32_t n = collect(w, g, pass);
    if (n == 0) {
      if (pass <= g->passes && find_late(w, g)) continue;
      return true;
    }
    g->count.passes++;
    if (pass > 1 && !final && promote(w, g, n, pass)) return false;
    if (pass > g->passes && !vvi_all_calm(w, n, g->act)) vvi_island_calm(w, g, n, g->act);
    if (!g->retry) answer_islands(w, g, n, solver, pass > g->passes);
    if (g->retry) return false;
    for (int32_t i = 0; i < n; i++) w->contact[g->act[i]].hits += w->contact[g->act[i]].hits < 255;
    if (pass > g->passes + g->movers) {
      leave(w, g);
      return true;
    }
  }
}

/* Complementarity: contacts that touch are blocked together with those that are hit. */
static void block_together(struct vvi_contact_step *w, vvi_contact_group *g)
{
  bool hit = false;
  for (int32_t i = 0; i < g->n && !hit; i++) hit = closes(w, g, i);
  for (int32_t i = 0; hit && i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    c->block |= c->legs > 0 && c->gap <= 1e-9 * c->size;
  }
}

/* Is it part of a heap of rigid bodies that moves and loses energy? */
static bool in_heap(const struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_contact *c)
{
  if (c->near >= 0 || g->n <= VVI_HEAP || !vvi_pair_rigid(w, c->a, c->b)) return false;
  return c->restitution < 1.0 && w->h * g->speed > 10.0 * c->keep;
}

/* May its gap lose a little in every step?  Of features whose normal turns, and of contacts of a heap that moves, which solves
 * leave a little off: gaps that shrink want ever better solves.  At rest nothing is off, and nothing is led back. */
static bool shrinks(const struct vvi_contact_step *w, const vvi_contact_group *g, const vvi_contact *c)
{
  return c->near >= 0 ? c->vertices >= 2 : in_heap(w, g, c);
}

/* Where less than a quarter of what they keep is left, pressed ones are led back by a twentieth of what presses them in the
 * step.  What that brings is a fifth of what half a kick holds, [contact 22a], and is booked as all pushes are. */
static void lead_back(const struct vvi_contact_step *w, const vvi_contact_group *g, vvi_contact *c)
{
  const double least = 0.25 * c->keep;
  if (!c->pressed || c->gap >= least || !shrinks(w, g, c)) return;
  c->target = fmax(c->gap, 0.0) + fmin(least - fmax(c->gap, 0.0), 0.05 * w->h * w->h * pressing(w, c));
}

/* Of objects, and of the frames that carry features; single points have only their impulses as a scale. */
static double speed_of(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double most = 0.0;
  if (c->near < 0) return fmax(vvi_object_speed(w->near, c->a), vvi_object_speed(w->near, c->b));
  for (int32_t k = 0; k < c->nodes; k++) {
    const int32_t n = w->node[c->node0 + k];
    if (n < w->near->solids->movers) most = fmax(most, vvi_norm3(w->near->mover[n].velocity));
  }
  return most;
}

/* In a heap that moves what is near a mover of the block closes as soon as the block answers, and the block would have to answer
 * again, from the start: it answers with the block at once.  A contact that stays open costs a look; where they would be more
 * than the block, as in a wall of boxes that touch on all sides, they wait.                                 [contact 26b] */
static void block_beside(struct vvi_contact_step *w, vvi_contact_group *g)
{
  int32_t n = 0, blocked = 0;
  for (int32_t i = 0; i < g->n; i++)
    if (w->contact[g->member[i]].block) reach(w, g, &w->contact[g->member[i]], true), blocked++;
  for (int32_t i = 0; i < g->n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    if (!c->block && c->legs > 0 && in_heap(w, g, c) && is_reached(w, g, c)) g->act[n++] = g->member[i];
  }
  for (int32_t i = 0; i < g->n; i++)
    if (w->contact[g->member[i]].acts) reach(w, g, &w->contact[g->member[i]], false);
  for (int32_t i = 0; i < n && n <= blocked; i++) w->contact[g->act[i]].block = true;
}

/* What was found of rows that others have made. */
static void say_opened(struct vvi_contact_step *w, vvi_contact_group *g)
{
  for (int32_t i = 0; i < g->n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    w->turn[g->member[i]].said =
        (c->open ? VVI_SAYS_OPEN : 0) | (c->pressed ? VVI_SAYS_PRESSED : 0) | (c->block ? VVI_SAYS_BLOCK : 0);
  }
  vvi_shared_say(w, g);
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    c->open = vvi_contact_says(w, g->member[i], VVI_SAYS_OPEN);
    c->pressed = vvi_contact_says(w, g->member[i], VVI_SAYS_PRESSED);
    c->block = vvi_contact_says(w, g->member[i], VVI_SAYS_BLOCK);
    g->floats &= !c->open;
  }
}

static void open_group(struct vvi_contact_step *w, vvi_contact_group *g)
{
  g->passes = EXACT * PASSES, g->speed = 0.0, g->floats = true;
  vvi_turns_look(w, g); /* here, by who answers */
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    c->pressed = c->block = c->legs > 0 && w->forced && w->sign > 0.0 && vvi_contact_pressed(w, c);
    c->block |= c->resting && c->legs > 0 && c->restitution < 1.0;
    if (c->restitution < 1.0) g->passes = PASSES;
    g->floats &= vvi_contact_soft(c) && !c->open;
    if (i == 0 || c->near >= 0 || !alike(w, g, i - 1, c)) g->speed = fmax(g->speed, speed_of(w, c));
    c->hits = 0, c->looked = -1, c->held = c->stopped = c->turn = false, c->calm = VVI_CALM_NOT;
    memset(c->j, 0, sizeof c->j);
    c->work[0] = c->work[1] = 0.0;
  }
  if (g->shared) say_opened(w, g);
  for (int32_t i = 0; i < g->n; i++) lead_back(w, g, &w->contact[g->member[i]]);
  if (g->n > VVI_HEAP) block_beside(w, g);
  if (w->together) block_together(w, g);
}

bool vvi_group_hit(struct vvi_contact_step *w, vvi_contact_group *g)
{
  open_group(w, g);
  for (int32_t i = 0; i < g->n; i++) {
    const vvi_contact *c = &w->contact[g->member[i]];
    double before[3];
    if (c->near >= 0 || c->pressed || !closes(w, g, i)) continue;
    vvi_contact_velocity(w, c, true, before);
    if (before[0] < 0.0) return true;
  }
  return find_late(w, g);
}

bool vvi_group_meets(struct vvi_contact_step *w, vvi_contact_group *g)
{
  for (int32_t i = 0; i < g->n; i++)
    if (!inside(w, &w->contact[g->member[i]]) && closes(w, g, i)) return true;
  return find_late(w, g);
}

void vvi_group_press(struct vvi_contact_step *w, vvi_contact_group *g, vvi_island_work *solver)
{
  int32_t n = 0;
  open_group(w, g);
  for (int32_t i = 0; i < g->n; i++)
    if (w->contact[g->member[i]].block) g->act[n++] = g->member[i];
  if (n > 0) answer_islands(w, g, n, solver, false);
}

/* All that approach at this instant. */
void vvi_group_bounce(struct vvi_contact_step *w, vvi_contact_group *g, vvi_island_work *solver)
{
  int32_t n = 0;
  open_group(w, g);
  for (int32_t i = 0; i < g->n; i++) {
    double u[3];
    vvi_contact_velocity(w, &w->contact[g->member[i]], false, u);
    if (u[0] < 0.0) g->act[n++] = g->member[i];
  }
  if (n > 0) answer_islands(w, g, n, solver, false);
}

/* Features that float answer in turn, however few they are; true: some did not yet. */
static bool take_turns(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act)
{
  bool some = false;
  for (int32_t i = 0; g->floats && i < n; i++) {
    some |= !w->contact[act[i]].turn;
    w->contact[act[i]].turn = true;
  }
  return some;
}

/* What touches a mover of these contacts belongs to them: a box that fits between two walls turns, and nothing stops that, as long
 * as not all its corners are asked.  True: some were not. */
static bool widen(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act)
{
  bool grown = false;
  for (int32_t i = 0; i < n; i++) reach(w, g, &w->contact[act[i]], true);
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    const bool may = !c->block && !c->turn && c->legs > 0 && c->gap <= c->target + c->keep;
    if (may && is_reached(w, g, c)) c->block = grown = true;
  }
  for (int32_t i = 0; i < n; i++) reach(w, g, &w->contact[act[i]], false);
  return grown;
}

/* From nothing, and where it lies: what the answer was led by was no answer. */
static void forget_answer(vvi_contact *c)
{
  memset(c->warm, 0, sizeof c->warm);
  c->target = fmin(c->target, fmax(c->gap, 0.0));
}

/* What floats answers in turn, if it has not, and what touches it joins.  Standing still is always allowed without restitution and
 * friction: the convex problem of all contacts that were hit has an answer, and it brings no energy.  First without restitution
 * alone, where there is any.  Where e = 1 nothing may be lost along the normals: there going back is an answer without friction.
 *                                                                                                            [contact 29a] */
void vvi_island_calm(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act)
{
  bool bounces = false;
  if (g->shared) vvi_shared_end(w, g);
  g->retry = true;
  for (int32_t i = 0; g->jams && i < n; i++) forget_answer(&w->contact[act[i]]);
  if (take_turns(w, g, n, act) || widen(w, g, n, act)) return;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[act[i]];
    bounces |= c->restitution > 0.0 && c->restitution < 1.0 && c->friction > 0.0 && c->calm == VVI_CALM_NOT;
  }
  for (int32_t i = 0; i < n; i++) {
    vvi_contact *c = &w->contact[act[i]];
    g->count.calmed += c->calm != VVI_CALM_RUB && !bounces;
    c->block = true;
    if (c->calm != VVI_CALM_RUB) c->calm = bounces ? VVI_CALM_BOUNCE : VVI_CALM_RUB;
  }
}

/* After CALMS rounds of calming, all that were hit. */
static void calm_all(struct vvi_contact_step *w, vvi_contact_group *g)
{
  for (int32_t i = 0; i < g->n; i++)
    if (w->contact[g->member[i]].hits > 0) {
      w->contact[g->member[i]].calm = VVI_CALM_BOUNCE;
      vvi_island_calm(w, g, 1, &g->member[i]);
    }
}

void vvi_group_answer(struct vvi_contact_step *w, vvi_contact_group *g, vvi_island_work *solver)
{
  open_group(w, g);
  for (int restart = 0, calms = 0; !run(w, g, solver, restart >= RESTARTS); restart++) {
    calms += g->retry;
    if (g->retry && calms == CALMS) calm_all(w, g);
    vvi_group_reset(w, g);
    g->count.restarts++;
  }
  if (g->shared) vvi_shared_end(w, g);
  vvi_turns_close(w, g);
}
