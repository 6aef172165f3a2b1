#!/usr/bin/env python3
"""A scene that ends earlier: after so many steps where its step is a number, else after a part of its time.

usage: shorten.py STEPS PART SCENE.yaml > SHORT.yaml"""
import re
import sys


def shorter(match):
    end, step = float(match[1]), match[2]
    try:
        end = min(end, float(sys.argv[1]) * float(step))
    except ValueError:  # {safety: ...}
        end *= float(sys.argv[2])
    return f"time: {{end: {end!r}, step: {step}"


text, n = re.subn(r"^time: \{end: ([-+.0-9e]+), step: (\{safety: [.0-9]+|[-+.0-9e]+)", shorter, open(sys.argv[3]).read(), flags=re.M)
if n != 1:
    raise SystemExit(f"{sys.argv[3]}: no line 'time: {{end: ..., step: ...}}'")
sys.stdout.write(text)
