/* model/bind/messages.c  Messages about mistakes in a scene: where, what was found, and the nearest known key. */
#include "model/bind/inside.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool vvi_bind_fault(vvi_binder *b, const vvi_place *place, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (b->faults++ < VVI_MAX_FAULTS) vvi_complain_at(place, format, args);
  va_end(args);
  return false;
}

bool vvi_bind_full(const vvi_binder *b)
{
  return b->nomem || b->faults >= VVI_MAX_FAULTS;
}

bool vvi_bind_no_memory(vvi_binder *b)
{
  b->nomem = true;
  return false;
}

/* The place of a value; words that came from no file borrow the place of the group around them. */
vvi_place vvi_bind_at_value(const vvi_bind_slot *s, const vvi_node *node, int index)
{
  const bool known = node->line > 0;
  return (vvi_place){s->group,
                     s->field->name,
                     index,
                     known ? node->line : s->group->line,
                     known ? node->column : s->group->column,
                     known ? node->source : NULL};
}

vvi_place vvi_bind_at_key(const vv_group *g, const char *name, const vvi_node *node)
{
  return (vvi_place){g, name, -1, node->key_line, node->key_column, node->source};
}

vvi_place vvi_bind_at_group(const vv_group *g)
{
  return (vvi_place){g, NULL, -1, g->line, g->column, NULL};
}

vvi_shown vvi_show(const char *text)
{
  vvi_shown s = {""};
  size_t n = strlen(text);
  const bool cut = n > VVI_SHOWN_BYTES;
  if (cut) {
    n = VVI_SHOWN_BYTES;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--; /* not inside a UTF-8 sequence */
  }
  memcpy(s.c, text, n);
  strcpy(s.c + n, cut ? "..." : "");
  return s;
}

/* What stands there instead, for "expected a number, found ...". */
vvi_shown vvi_bind_found(const vvi_node *node)
{
  if (node->type == VVI_MAP) return vvi_show("a map");
  if (node->type == VVI_LIST) return vvi_show("a list");
  if (node->text[0] == '\0') return vvi_show(node->quoted ? "an empty text" : "nothing");
  vvi_shown word = vvi_show(node->text), s;
  snprintf(s.c, sizeof s.c, "'%.*s'", VVI_SHOWN_BYTES + 4, word.c);
  return s;
}

void vvi_list_word(vvi_word_list *l, const char *word, size_t length)
{
  const char *comma = l->n > 0 ? ", " : "";
  if (l->n + length + 8 > sizeof l->c) return;
  l->n += (size_t)snprintf(l->c + l->n, sizeof l->c - l->n, "%s%.*s", comma, (int)length, word);
}

vvi_nearest_word vvi_nearest_to(const char *wrong)
{
  return (vvi_nearest_word){.wrong = wrong, .slips = INT_MAX};
}

/* Words of other programs and other spellings, and what they are called here. */
static bool is_synonym(const char *wrong, const char *word)
{
  /* clang-format off */
  static const char *const table[][2] = {
      {"sphere", "ball"}, {"ball", "sphere"}, {"center", "centre"}, {"center", "position"}, {"centre", "position"},
      {"cube", "box"}, {"block", "box"},
      {"cuboid", "box"}, {"wall", "plane"}, {"floor", "plane"}, {"ground", "plane"}, {"wall", "obstacle"},
      {"floor", "obstacle"}, {"plane", "obstacle"}, {"ground", "obstacle"}, {"static", "obstacle"}, {"rod", "bar"},
      {"truss", "bar"}, {"cable", "beam"}, {"rope", "beam"}, {"frame", "beam"}, {"membrane", "shell"},
      {"plate", "shell"}, {"sheet", "shell"}, {"body", "rigid"}, {"solid", "rigid"},
      {"sphere", "rigid"}, {"ball", "rigid"}, {"box", "rigid"}, {"cube", "rigid"}, {"cylinder", "rigid"},
      {"capsule", "rigid"}, {"pill", "capsule"},
      {"rod", "capsule"}, {"pipe", "cylinder"}, {"E", "young"}, {"modulus", "young"}, {"elasticity", "young"},
      {"youngs_modulus", "young"}, {"nu", "poisson"}, {"poissons_ratio", "poisson"}, {"rho", "density"},
      {"mu", "friction"}, {"cor", "restitution"}, {"bounce", "restitution"}, {"elasticity", "restitution"},
      {"omega", "spin"}, {"angular_velocity", "spin"}, {"pos", "position"}, {"location", "position"},
      {"origin", "position"}, {"vel", "velocity"}, {"speed", "velocity"}, {"rotation", "orientation"},
      {"orientation", "rotation"}, {"dt", "step"}, {"timestep", "step"}, {"time_step", "step"}, {"duration", "end"},
      {"t_end", "end"}, {"stop", "end"}, {"output", "record"}, {"interactions", "contacts"},
      {"collision", "contacts"}, {"contact", "contacts"}, {"objects", "bodies"}, {"body", "bodies"},
      {"geometry", "shape"}, {"geometry", "mesh"}, {"cross_section", "section"}, {"profile", "section"},
      {"radii", "radius"}, {"r", "radius"}, {"L", "length"}, {"n", "elements"}, {"nodes", "elements"},
      {"count", "elements"}, {"supports", "ends"}, {"boundary", "edges"}, {"boundary", "ends"}, {"g", "gravity"},
      {"name", "title"}, {"type", "kind"}, {"solver", "method"}, {"integrator", "method"}, {"verlet", "leapfrog"},
      {"implicit", "energy-momentum"}, {"params", "parameters"}, {"variables", "parameters"}, {"import", "include"},
      {"extends", "include"}, {"height", "length"}, {"size", "length"}, {"half_space", "plane"}, {"circle", "disc"},
      {"ring", "torus"}, {"hoop", "ring"}, {"sensors", "probes"}, {"probe", "probes"}, {"monitors", "probes"},
      {"divisions", "pieces"}, {"divisions", "frequency"},
      {"divisions", "elements"}, {"segments", "elements"}, {"subdivisions", "level"}, {"refinement", "level"},
      {"movement", "motion"}, {"prescribed", "motion"}, {"drive", "drives"},
      {"pinned", "supported"}, {"hinged", "supported"}, {"simply_supported", "supported"}, {"fixed", "clamped"},
      {"hinged", "pinned"}, {"supported", "pinned"},
  };
  /* clang-format on */
  for (int i = 0; i < VV_COUNT(table); i++)
    if (strcmp(table[i][0], wrong) == 0 && strcmp(table[i][1], word) == 0) return true;
  return false;
}

/* True when this candidate is the best so far. */
bool vvi_nearest_try(vvi_nearest_word *s, const char *word, size_t length)
{
  char copy[VVI_MAX_NAME + 1];
  if (length > VVI_MAX_NAME) return false;
  memcpy(copy, word, length);
  copy[length] = '\0';
  const int slips = is_synonym(s->wrong, copy) ? 0 : vv_text_slips(s->wrong, copy);
  if (slips < 0 || slips >= s->slips) return false;
  s->slips = slips;
  strcpy(s->word, copy);
  return true;
}

/* "unknown key 'yung'; did you mean 'young'?", or the list of what is known when nothing is near. */
bool vvi_bind_fault_unknown(vvi_binder *b, const vvi_place *place, const char *what, const vvi_nearest_word *s,
                            const char *known)
{
  if (s->word[0] != '\0')
    return vvi_bind_fault(b, place, "unknown %s '%s'; did you mean '%s'?", what, vvi_show(s->wrong).c, s->word);
  return vvi_bind_fault(b, place, "unknown %s '%s'; known: %s", what, vvi_show(s->wrong).c, known);
}
