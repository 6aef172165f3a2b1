/* app/study.h  What the files of `visviva study` share: a plan, its runs, and the norm that compares them. */
#pragma once
#include "app.h"

enum { STUDY_RUNS = 24, STUDY_PATHS = 8, STUDY_FIELDS = 4, STUDY_TEXT = 512, STUDY_CONTACTS = 1 << 16 };

/* Nodes at the end, or at all times; and what does not depend on the path after an impact: the largest energy error, and of the
 * first contact its time, peak force and impulse. */
typedef enum study_norm {
  STUDY_END,
  STUDY_PAPER,
  STUDY_ENERGY,
  STUDY_TOUCH,
  STUDY_FORCE,
  STUDY_IMPULSE,
  STUDY_NORMS
} study_norm;

/* Contacts of a run, by their first touch once it is over. */
typedef struct study_contacts {
  vv_episode *episode; /* [n] */
  int64_t n, room;
  double energy; /* largest relative error of the energy balance */
} study_contacts;

/* One body of a run as it is compared: what its nodes show, and which node of the reference stands at the same place. */
typedef struct study_body {
  int64_t nodes;               /* 0: nothing to compare (an obstacle) */
  int64_t elements;            /* of the scene; 0: the kind has no such word */
  double length;               /* of an element; 0: not known */
  int n_field;                 /* 1: position or displacement; 4: with the frame d1 d2 d3 */
  double *value[STUDY_FIELDS]; /* [nodes][3] at the last sample */
  int64_t *twin;               /* [nodes] -1: no node of the reference is there; NULL: the body does not move */
} study_body;

typedef struct study_run {
  const char *word[STUDY_PATHS]; /* what was varied */
  char words[STUDY_TEXT];        /* "time.step=0.01, bodies.beam.elements=16" */
  app_scene scene;
  vv_sim *sim;
  study_body *body; /* [bodies of the scene] */
  vv_report report; /* of the last stretch */
  double step, wall;
  int64_t ratio;          /* steps of the reference in one of these */
  int64_t common;         /* nodes at places of reference nodes */
  double sum;             /* of squares, so far */
  bool failed;            /* ended before time.end, by itself */
  bool stopped;           /* by a condition of the scene, which is an end for what does not compare nodes */
  char fitted[32];        /* time.step that divides time.end, where that of the scene does not; else empty */
  int64_t look;           /* steps between two looks at the energy */
  study_contacts contact; /* what touched what */
} study_run;

typedef struct study {
  const char *scene, *folder; /* folder NULL: nothing is written */
  study_norm norm;
  bool overwrite, quiet;
  int threads;
  const char *device;
  int n_path, n_set, n_changed;
  const char *path[STUDY_PATHS];
  char *text[STUDY_PATHS];                        /* owned: the options, cut into words */
  app_edit set[APP_MAX_VALUES];                   /* [n_set] for all runs */
  app_edit changed[APP_MAX_VALUES + STUDY_PATHS]; /* [n_changed] for the reference */
  char *edit_text[2 * APP_MAX_VALUES];            /* owned: paths of set and changed */
  int n_edit_text;
  char halved[STUDY_PATHS][32]; /* values of a reference that nobody described */
  int n_run;
  study_run run[STUDY_RUNS]; /* [n_run] */
  study_run reference;
  bool same_method;        /* the reference differs only in what is varied */
  bool frames;             /* some body has frames */
  bool fitted;             /* some steps were shortened to divide time.end */
  int refined;             /* -1: the step; else the body whose elements are; -2: nothing */
  char h_name[STUDY_TEXT]; /* what h is */
  char norm_text[STUDY_TEXT], error_unit[STUDY_TEXT], time_unit[STUDY_TEXT], length_unit[STUDY_TEXT];
  app_progress progress;
  double work_done, work; /* node-steps */
} study;

/* study_plan.c: the command line, the runs, and whether they can be compared; false: reported. */
bool study_read(study *s, const app_values *vary, const app_values *reference, const app_values *set);
bool study_open(study *s);
void study_close(study *s);
double study_h(const study *s, const study_run *r); /* the step, or the length of an element */
double study_reference_h(const study *s);           /* 0: the reference is no refinement of the same method */

/* study_norm.c: nodes and differences. */
bool study_body_open(study *s, study_run *r); /* finds what there is to compare */
bool study_twins(study *s, study_run *r);     /* nodes at the same places; false: reported */
double study_reach(const study_run *r);       /* the largest coordinate of a node as it is now; 0: unknown */
bool study_sample(study *s, study_run *r);    /* fills the values of all bodies from the state */
double study_squares(const study *s, const study_run *r); /* sum of squared differences of the last samples */
void study_body_close(study_run *r);

/* study_run.c: moves everything; errors are in the sums.  `known` is called when one more error is known. */
int study_advance(study *s, void (*known)(study *s)); /* APP_DONE, APP_STOPPED */
double study_error(const study *s, const study_run *r);

/* study_contact.c: contacts of the runs. */
vv_status study_watch(const vv_view *view, void *run); /* an observer */
bool study_contacts_close(study_run *r);               /* the run is over; false: reported */
double study_contact_value(const study *s, const study_run *r);
double study_contact_error(const study *s, const study_run *r); /* against the reference */
const char *study_contact_unit(const study *s);                 /* of the value */
/* How many contacts of two runs are the same; *t: when the first that is not begins, infinite where all are. */
int64_t study_contacts_agree(const study_run *a, const study_run *b, double *t);
static inline bool study_of_nodes(const study *s)
{
  return s->norm == STUDY_END || s->norm == STUDY_PAPER;
}
