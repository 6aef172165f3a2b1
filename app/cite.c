/* app/cite.c  visviva cite: the papers behind the methods, as text and as BibTeX.  The same list is in CITATION.cff. */
#include "app.h"

#include <string.h>

/* When a paper stands behind a scene: its stepper (and what can meet in it), or the kind of one of its bodies. */
typedef struct paper {
  const char *step, *kind; /* NULL: not by this */
  bool contact;            /* only where bodies can meet, with nothing elastic between them */
  const char *behind, *text, *bibtex;
} paper;

static const paper papers[] = {
    {"event", NULL, false, "step: event (bars; contact time integrators 1 and 2)",
     "F. Demoures, F. Gay-Balmaz, M. Desbrun, T. S. Ratiu, A. M. Aragón: A multisymplectic integrator for\n"
     "  elastodynamic frictionless impact problems. Computer Methods in Applied Mechanics and Engineering 315\n"
     "  (2017) 1025-1052.",
     "@article{demoures2017,\n"
     "  author  = {Demoures, Fran{\\c{c}}ois and Gay-Balmaz, Fran{\\c{c}}ois and Desbrun, Mathieu and Ratiu, Tudor S.\n"
     "             and Arag{\\'o}n, Alejandro M.},\n"
     "  title   = {A multisymplectic integrator for elastodynamic frictionless impact problems},\n"
     "  journal = {Computer Methods in Applied Mechanics and Engineering},\n"
     "  volume  = {315}, pages = {1025--1052}, year = {2017}\n"
     "}"},
    {"event", NULL, false, "step: event (the variational principle with impact)",
     "F. Demoures, F. Gay-Balmaz, T. S. Ratiu: Multisymplectic variational integrators for nonsmooth Lagrangian\n"
     "  continuum mechanics. Forum of Mathematics, Sigma 4 (2016) e19. doi:10.1017/fms.2016.17",
     "@article{demoures2016,\n"
     "  author  = {Demoures, Fran{\\c{c}}ois and Gay-Balmaz, Fran{\\c{c}}ois and Ratiu, Tudor S.},\n"
     "  title   = {Multisymplectic variational integrators for nonsmooth {L}agrangian continuum mechanics},\n"
     "  journal = {Forum of Mathematics, Sigma},\n"
     "  volume  = {4}, pages = {e19}, year = {2016}, doi = {10.1017/fms.2016.17}\n"
     "}"},
    {"leapfrog", NULL, true, "step: leapfrog with response: dcr",
     "F. Cirak, M. West: Decomposition Contact Response (DCR) for Explicit Finite Element Dynamics. International\n"
     "  Journal for Numerical Methods in Engineering 64 (2005) 1078-1110.",
     "@article{cirak2005,\n"
     "  author  = {Cirak, Fehmi and West, Matthew},\n"
     "  title   = {Decomposition Contact Response ({DCR}) for Explicit Finite Element Dynamics},\n"
     "  journal = {International Journal for Numerical Methods in Engineering},\n"
     "  volume  = {64}, pages = {1078--1110}, year = {2005}\n"
     "}"},
    {NULL, "beam", false, "kind: beam (drifts lgvi and lavi)",
     "F. Demoures, F. Gay-Balmaz, S. Leyendecker, S. Ober-Blöbaum, T. S. Ratiu, Y. Weinand: Discrete variational Lie\n"
     "  group formulation of geometrically exact beam dynamics. Numerische Mathematik 130(1) (2015) 73-123.\n"
     "  doi:10.1007/s00211-014-0659-4",
     "@article{demoures2015,\n"
     "  author  = {Demoures, Fran{\\c{c}}ois and Gay-Balmaz, Fran{\\c{c}}ois and Leyendecker, Sigrid and\n"
     "             Ober-Bl{\\\"o}baum, Sina and Ratiu, Tudor S. and Weinand, Yves},\n"
     "  title   = {Discrete variational {L}ie group formulation of geometrically exact beam dynamics},\n"
     "  journal = {Numerische Mathematik},\n"
     "  volume  = {130}, number = {1}, pages = {73--123}, year = {2015}, doi = {10.1007/s00211-014-0659-4}\n"
     "}"},
    {NULL, "shell", false, "kind: shell",
     "F. Cirak, M. Ortiz, P. Schröder: Subdivision surfaces: a new paradigm for thin-shell finite-element analysis.\n"
     "  International Journal for Numerical Methods in Engineering 47 (2000) 2039-2072.",
     "@article{cirak2000,\n"
     "  author  = {Cirak, Fehmi and Ortiz, Michael and Schr{\\\"o}der, Peter},\n"
     "  title   = {Subdivision surfaces: a new paradigm for thin-shell finite-element analysis},\n"
     "  journal = {International Journal for Numerical Methods in Engineering},\n"
     "  volume  = {47}, pages = {2039--2072}, year = {2000}\n"
     "}"},
    {NULL, "rigid", false, "kind: rigid (energy-momentum steps; the impacts of leapfrog are its steps of length zero)",
     "Energy-momentum conserving methods for rigid body dynamics with contact (penalty and Lagrange multiplier\n"
     "  methods, extending Simo and Wong). Title by its summary: the copy at hand names no authors.",
     "@misc{energymomentum,\n"
     "  title = {Energy-momentum conserving methods for rigid body dynamics with contact},\n"
     "  note  = {Title by its summary; the copy at hand names no authors}\n"
     "}"},
};
enum { PAPERS = sizeof papers / sizeof papers[0] };

static bool has_kind(const app_scene *s, const char *kind)
{
  for (int i = 0; i < vv_model_bodies(s->model); i++)
    if (strcmp(vv_model_body_kind(s->model, i), kind) == 0) return true;
  return false;
}

static bool stands_behind(const paper *p, const app_scene *s)
{
  char step[64];
  if (s == NULL) return true;
  if (p->kind != NULL) return has_kind(s, p->kind);
  if (p->contact && vv_model_hard_pairs(s->model) == 0 && !has_kind(s, "shell"))
    return false; /* shells meet themselves */
  return strcmp(app_scene_word(s, "method", "step", step, sizeof step), p->step) == 0;
}

static int print(const app_scene *s)
{
  printf("If visviva helped your work, please cite it, and the papers behind the methods you used.\n\n");
  printf("visviva %s: elastic impact that keeps its books.\n", vv_version());
  for (int i = 0; i < PAPERS; i++)
    if (stands_behind(&papers[i], s)) printf("\n%s\n  Behind: %s\n", papers[i].text, papers[i].behind);
  printf("\n@misc{visviva,\n  title = {visviva: elastic impact that keeps its books},\n  note  = {Version %s}\n}\n",
         vv_version());
  for (int i = 0; i < PAPERS; i++)
    if (stands_behind(&papers[i], s)) printf("%s\n", papers[i].bibtex);
  return APP_DONE;
}

int app_verb_cite(int argc, char **argv)
{
  app_line line = {.verb = "cite", .most = 1};
  app_scene s;
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (line.n == 0) return print(NULL);
  if (!app_scene_open(&s, line.word[0], 1)) return APP_INPUT;
  code = print(&s);
  app_scene_close(&s);
  return code;
}
