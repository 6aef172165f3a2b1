#!/bin/sh
# Man page and completions, written by the program itself: tools/shell.sh PROGRAM FOLDER
set -eu
mkdir -p "$2"
"$1" man >"$2/visviva.1"
"$1" completion bash >"$2/visviva"
"$1" completion zsh >"$2/_visviva"
"$1" completion fish >"$2/visviva.fish"
