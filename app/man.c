/* app/man.c  The man page and shell completions, from the same tables as `visviva help`.
 *   visviva man          roff for man(1): visviva man | man -l -
 *   visviva completion   bash, zsh or fish */
#include "app.h"

#include <ctype.h>
#include <string.h>

/* ---- roff ---- */

/* Text that roff takes as it is: no escapes, no requests at the start of a line. */
static void roff_text(const char *text)
{
  bool start = true;
  for (const char *c = text; *c != '\0'; c++) {
    if (start && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
    if (*c == '\\')
      fputs("\\e", stdout);
    else if (*c == '-')
      fputs("\\-", stdout);
    else
      putchar(*c);
    start = *c == '\n';
  }
}

static void roff_topic(const char *name)
{
  const char *text = app_topic(name);
  if (text == NULL) return;
  printf(".PP\n.nf\n");
  roff_text(text);
  printf(".fi\n");
}

static int man_page(void)
{
  printf(".TH VISVIVA 1 \"\" \"visviva %s\" \"User Commands\"\n", vv_version());
  printf(".SH NAME\nvisviva \\- simulate impact and keep the books of energy and momentum\n");
  printf(".SH SYNOPSIS\n");
  for (const app_verb *v = app_verbs; v->name != NULL; v++) {
    printf(".B visviva\n");
    roff_text(v->usage);
    printf("\n.br\n");
  }
  printf(".SH DESCRIPTION\n");
  roff_text(
      "visviva simulates bodies that fly, collide, bounce and separate, elastic or rigid, and shows where every joule "
      "and every newton-second went.\n");
  printf(".SH COMMANDS\n");
  for (const app_verb *v = app_verbs; v->name != NULL; v++) {
    printf(".SS \"visviva %s\"\n", v->name);
    roff_text(v->line);
    printf(".\n");
    roff_topic(v->name);
  }
  static const char *const topic[] = {"scene", "method", "ledger", "claims"};
  for (size_t i = 0; i < sizeof topic / sizeof topic[0]; i++) {
    printf(".SH \"");
    for (const char *c = topic[i]; *c != '\0'; c++) putchar(toupper((unsigned char)*c));
    printf("\"\n");
    roff_topic(topic[i]);
  }
  printf(".SH \"EXIT STATUS\"\n");
  roff_topic("exit-codes");
  printf(
      ".SH ENVIRONMENT\n.TP\n.B OMP_NUM_THREADS\nthe most threads to use\n.TP\n.B VISVIVA_EXAMPLES\nthe folder of the "
      "scenes\n.TP\n.B VISVIVA_TEMPLATE\nthe report page without data\n");
  return APP_DONE;
}

int app_verb_man(int argc, char **argv)
{
  app_line line = {.verb = "man"};
  int code;
  return app_line_read(&line, argc, argv, &code) ? man_page() : code;
}

/* ---- completions ---- */

/* The next word of a usage line that is an option; its length, 0: none. */
static size_t next_option(const char **at)
{
  for (const char *c = *at; *c != '\0'; c++)
    if (*c == '-' && (c[1] == '-' || isalpha((unsigned char)c[1])) && (c == *at || strchr(" [|", c[-1]) != NULL)) {
      size_t n = 1;
      while (isalnum((unsigned char)c[n]) || c[n] == '-') n++;
      *at = c;
      return n;
    }
  return 0;
}

static void print_options(const char *usage, const char *before, const char *after)
{
  for (const char *c = usage;;) {
    const size_t n = next_option(&c);
    if (n == 0) return;
    printf("%s%.*s%s", before, (int)n, c, after);
    c += n;
  }
}

/* A single quote inside single quotes of a shell. */
static void print_quoted(const char *text)
{
  for (const char *c = text; *c != '\0'; c++) fputs(*c == '\'' ? "'\\''" : (char[2]){*c, '\0'}, stdout);
}

static void print_verbs(void)
{
  for (const app_verb *v = app_verbs; v->name != NULL; v++) printf("%s%s", v == app_verbs ? "" : " ", v->name);
}

static int bash(void)
{
  printf("# bash completion of visviva, made by `visviva completion bash`\n_visviva() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}\n  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then\n    mapfile -t COMPREPLY < <(compgen -W '");
  print_verbs();
  printf(" --help --version' -- \"$word\")\n    return\n  fi\n  case $verb in\n");
  for (const app_verb *v = app_verbs; v->name != NULL; v++) {
    const char *c = v->usage;
    if (next_option(&c) == 0) continue;
    printf("    %s) [[ $word == -* ]] && { mapfile -t COMPREPLY < <(compgen -W '", v->name);
    print_options(v->usage, "", " ");
    printf("--help' -- \"$word\"); return; } ;;\n");
  }
  printf("    examples) mapfile -t COMPREPLY < <(compgen -W \"$(visviva examples 2>/dev/null | "
         "sed -n 's|^  \\([a-z0-9-]*/[a-zA-Z0-9.-]*\\).*|\\1|p')\" -- \"$word\"); return ;;\n"
         "    help) mapfile -t COMPREPLY < <(compgen -W 'scene method ledger claims exit-codes ");
  print_verbs();
  printf(
      "' -- \"$word\"); return ;;\n    completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- \"$word\"); "
      "return ;;\n  esac\n  mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n}\n"
      "complete -o filenames -F _visviva visviva\n");
  return APP_DONE;
}

static int zsh(void)
{
  printf("#compdef visviva\n# zsh completion of visviva, made by `visviva completion zsh`\nlocal -a verbs\nverbs=(\n");
  for (const app_verb *v = app_verbs; v->name != NULL; v++) {
    printf("  '%s:", v->name);
    print_quoted(v->line);
    printf("'\n");
  }
  printf(")\nif (( CURRENT == 2 )); then\n  _describe 'command' verbs\n  return\nfi\ncase $words[2] in\n");
  for (const app_verb *v = app_verbs; v->name != NULL; v++) {
    const char *c = v->usage;
    if (next_option(&c) == 0) continue;
    printf("  %s) _arguments", v->name);
    print_options(v->usage, " '", "'");
    printf(" '*:file:_files' ;;\n");
  }
  printf("  help) _values topic scene method ledger claims exit-codes ${verbs%%%%:*} ;;\n"
         "  completion) _values shell bash zsh fish ;;\n  *) _files ;;\nesac\n");
  return APP_DONE;
}

static int fish(void)
{
  printf("# fish completion of visviva, made by `visviva completion fish`\n");
  for (const app_verb *v = app_verbs; v->name != NULL; v++) {
    printf("complete -c visviva -f -n __fish_use_subcommand -a %s -d '", v->name);
    print_quoted(v->line);
    printf("'\n");
    for (const char *c = v->usage;;) {
      const size_t n = next_option(&c);
      if (n == 0) break;
      const bool brief = n == 2;
      printf("complete -c visviva -n '__fish_seen_subcommand_from %s' -%c %.*s\n", v->name, brief ? 's' : 'l',
             (int)(n - (brief ? 1 : 2)), c + (brief ? 1 : 2));
      c += n;
    }
  }
  return APP_DONE;
}

int app_verb_completion(int argc, char **argv)
{
  static const char *const shell[] = {"bash", "zsh", "fish"};
  static int (*const print[])(void) = {bash, zsh, fish};
  app_line line = {.verb = "completion", .needs = "a shell: bash, zsh or fish", .least = 1, .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  for (int i = 0; i < 3; i++)
    if (strcmp(line.word[0], shell[i]) == 0) return print[i]();
  return app_error("there is no completion for '%s'; there is one for bash, zsh and fish", line.word[0]);
}
