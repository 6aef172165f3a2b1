#!/usr/bin/env bash
# The man page and the completions, made from the tables of help: nothing is missing, and the shells take them.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
expect() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@"; then echo "ok   $what"; else echo "FAIL $what" && failed=1; fi
}
"$VISVIVA" man >"$work/visviva.1" || failed=1
for shell in bash zsh fish; do "$VISVIVA" completion $shell >"$work/$shell" || failed=1; done
"$VISVIVA" completion csh 2>"$work/said" && failed=1
expect "an unknown shell is refused" grep -q "bash, zsh and fish" "$work/said"

verbs=$("$VISVIVA" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort -u)
expect "help lists verbs" test "$(echo "$verbs" | wc -w)" -ge 10
for verb in $verbs; do
  grep -q "visviva $verb" "$work/visviva.1" || { echo "FAIL $verb is not in the man page" && failed=1; }
  for shell in bash zsh fish; do
    grep -qw "$verb" "$work/$shell" || { echo "FAIL $shell does not know $verb" && failed=1; }
  done
done
if command -v man >/dev/null && command -v groff >/dev/null; then
  MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 "$work/visviva.1" >"$work/page" 2>"$work/warnings"
  expect "man has nothing to complain about" test ! -s "$work/warnings"
  expect "the exit codes are in it" grep -q "a claim was broken" "$work/page"
fi

complete_words() { # what bash offers after these words
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _visviva; echo "${COMPREPLY[*]}"' _ "$work/bash" "$@"
}
expect "bash completes a verb" test "$(complete_words visviva stu)" = study
expect "bash completes an option" test "$(complete_words visviva run --res)" = --resume
expect "bash completes a topic" test "$(complete_words visviva help exit)" = exit-codes
touch "$work/scene.yaml"
expect "bash completes a file" test "$(complete_words visviva run "$work/sce")" = "$work/scene.yaml"
! command -v zsh >/dev/null || expect "zsh reads it" zsh -n "$work/zsh"
! command -v fish >/dev/null || expect "fish reads it" fish --no-execute "$work/fish"
exit $failed
