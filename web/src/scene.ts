// Reads scene.yaml as visviva writes it (io/scene/write.c): two spaces a level, one word a line, lists in brackets, text in
// double quotes, notes behind two blanks and '#'.  It is no reader of YAML in general, and a line it cannot read is skipped.

export type Value = string | number | boolean | Value[] | Group;
export interface Group { [name: string]: Value }

function plain(text: string): Value {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text !== '' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

/** A scalar or a list in brackets; what follows it (a note) is dropped. */
export function value(text: string): Value {
  if (text.startsWith('"')) {
    const end = /^"((?:[^"\\]|\\.)*)"/.exec(text);
    if (!end) return text;
    return end[1].replace(/\\(u[0-9A-Fa-f]{4}|.)/g, (_, c: string) => (c[0] === 'u' && c.length === 5 ? String.fromCharCode(parseInt(c.slice(1), 16)) : c));
  }
  if (text.startsWith('[')) return text.slice(1, text.indexOf(']')).split(',').map((x) => plain(x.trim())).filter((x) => x !== '');
  return plain(text.replace(/\s+#.*$/, '').trim());
}

interface Line { indent: number; item: boolean; key: string; rest: string }

function lines(text: string): Line[] {
  const out: Line[] = [];
  for (const raw of text.split('\n')) {
    const m = /^( *)(- )?(?:"((?:[^"\\]|\\.)*)"|([^\s:#"][^:]*)):(?: (.*))?$/.exec(raw);
    if (!m) continue;
    out.push({ indent: m[1].length + (m[2] ? 2 : 0), item: m[2] !== undefined, key: (m[3] ?? m[4]).trim(), rest: (m[5] ?? '').trim() });
  }
  return out;
}

export function parseScene(text: string): Group {
  const all = lines(text);
  let at = 0;
  function group(indent: number, first: boolean): Group {
    const g: Group = Object.create(null);
    for (; at < all.length && all[at].indent === indent && (first || !all[at].item); first = false) {
      const { key, rest } = all[at++];
      if (rest !== '' && !rest.startsWith('#')) g[key] = rest === '{}' ? {} : value(rest);
      else if (at < all.length && all[at].indent > indent) g[key] = below(all[at].indent);
      else g[key] = {};
      while (at < all.length && all[at].indent > indent) at++; // deeper than understood
    }
    return g;
  }
  function below(indent: number): Value {
    if (!all[at].item) return group(indent, false);
    const list: Value[] = [];
    while (at < all.length && all[at].indent === indent && all[at].item) list.push(group(indent, true));
    return list;
  }
  return all.length > 0 ? group(all[0].indent, false) : {};
}

export function isGroup(v: Value | undefined): v is Group {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

export function sub(g: Group | undefined, name: string): Group | undefined {
  const v = g?.[name];
  return isGroup(v) ? v : undefined;
}

export function num(g: Group | undefined, name: string): number | undefined {
  const v = g?.[name];
  return typeof v === 'number' ? v : undefined;
}

export function vec(g: Group | undefined, name: string): [number, number, number] | undefined {
  const v = g?.[name];
  return Array.isArray(v) && v.length === 3 && v.every((x) => typeof x === 'number') ? (v as [number, number, number]) : undefined;
}

/** All words by their path, for finding what differs between two scenes. */
export function flatten(g: Group, path = '', out = new Map<string, string>()): Map<string, string> {
  for (const [key, v] of Object.entries(g)) {
    const p = path ? path + '.' + key : key;
    if (isGroup(v)) flatten(v, p, out);
    else if (Array.isArray(v) && v.some((x) => isGroup(x))) v.forEach((x, i) => isGroup(x) && flatten(x, `${p}[${i}]`, out));
    else out.set(p, Array.isArray(v) ? `[${v.join(', ')}]` : String(v));
  }
  return out;
}
