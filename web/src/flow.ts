// Where the energy went: from what was there at the start, through strain, to what is there now and to every loss.  The ledger
// says how much each store holds at its rows; between two rows what the stores and the work from outside give is handed to what
// grows, in proportion, and the sums over all rows are drawn net: what came back, or went round in a circle, is subtracted.
// Springs of contacts count as strain.
import type { Clock } from './clock';
import { stroke } from './colour';
import { lastNotAfter, type Report, type Run } from './data';
import { el } from './dom';
import { shorten, withUnit } from './format';

const stores = ['kinetic', 'strain', 'potential'] as const;
const losses = ['friction_loss', 'restitution_loss', 'step_loss', 'plastic_work', 'viscous_loss', 'damage_loss'] as const;
const names: Record<string, string> = { kinetic: 'kinetic', strain: 'strain', potential: 'potential', external_work: 'outside work',
  friction_loss: 'friction', restitution_loss: 'restitution', step_loss: 'step', plastic_work: 'plastic work', viscous_loss: 'viscosity', damage_loss: 'breaking' };
const colours: Record<string, string> = { kinetic: '#0072b2', strain: '#c98500', potential: '#009e73', external_work: '#56b4e9',
  friction_loss: '#d55e00', restitution_loss: '#8c564b', step_loss: '#999999', plastic_work: '#e34a9c', viscous_loss: '#7f7f00', damage_loss: '#6a3d9a' };
const all = [...stores, 'external_work', ...losses] as string[];

export interface Flow { from: string; to: string; value: number }

/** What has gone from where to where up to a row of the ledger, net; and what there was and is. */
export function flowsOf(run: Run, row: number): { start: Map<string, number>; now: Map<string, number>; flows: Flow[] } {
  const l = run.ledger, column = new Map(all.map((n) => [n, l.column(n)])), springs = l.column('contact'), sum = new Map<string, number>();
  column.set('strain', column.get('strain')?.map((v, i) => v + (springs?.[i] ?? 0)));
  for (let i = 1; i <= row; i++) {
    const give: [string, number][] = [], take: [string, number][] = [];
    for (const n of all) {
      const y = column.get(n);
      const d = y ? y[i] - y[i - 1] : 0, grown = n === 'external_work' ? -d : d; // work from outside is given
      if (grown > 0) take.push([n, grown]);
      if (grown < 0) give.push([n, -grown]);
    }
    const given = give.reduce((s, [, v]) => s + v, 0), taken = take.reduce((s, [, v]) => s + v, 0), common = Math.min(given, taken);
    if (!(common > 0) || !Number.isFinite(given + taken)) continue;
    for (const [a, v] of give) for (const [b, w] of take) sum.set(`${a}>${b}`, (sum.get(`${a}>${b}`) ?? 0) + ((v / given) * (w / taken)) * common);
  }
  for (const [a, b, c] of [['kinetic', 'strain', 'potential'], ['potential', 'strain', 'kinetic']]) unwind(sum, a, b, c);
  const flows: Flow[] = [];
  for (const [i, a] of all.entries())
    for (const b of all.slice(i + 1)) {
      const net = (sum.get(`${a}>${b}`) ?? 0) - (sum.get(`${b}>${a}`) ?? 0);
      if (net !== 0) flows.push(net > 0 ? { from: a, to: b, value: net } : { from: b, to: a, value: -net });
    }
  const at = (i: number) => new Map(all.map((n) => [n, column.get(n)?.[i] ?? 0]));
  return { start: at(0), now: at(row), flows };
}

/** Takes out what went round: a to b to c to a. */
function unwind(sum: Map<string, number>, a: string, b: string, c: string): void {
  const net = (x: string, y: string) => (sum.get(`${x}>${y}`) ?? 0) - (sum.get(`${y}>${x}`) ?? 0), round = Math.min(net(a, b), net(b, c), net(c, a));
  if (round > 0) for (const [x, y] of [[a, b], [b, c], [c, a]]) sum.set(`${x}>${y}`, (sum.get(`${x}>${y}`) ?? 0) - round);
}

interface Node { name: string; column: 0 | 1 | 2; value: number; top: number; height: number; out: number; in: number }
interface Link { from: Node; to: Node; value: number; name: string }

const HEIGHT = 170, BAR = 12, GAP = 16, LINES = 28; // a label has two lines

/** Stores at the start and work on the left, strain in the middle, what there is now and losses on the right.  A store passes
 * on what it gets and what it had, in proportion; stores are taken in an order in which all that comes in is known. */
function layout(run: Run, row: number): { nodes: Node[]; links: Link[] } {
  const { start, now, flows } = flowsOf(run, row), nodes: Node[] = [], links: Link[] = [], size = scaleOf(run);
  const node = (name: string, column: Node['column']) => {
    let n = nodes.find((x) => x.name === name && x.column === column);
    if (!n) nodes.push((n = { name, column, value: 0, top: 0, height: 0, out: 0, in: 0 }));
    return n;
  };
  const link = (from: Node, to: Node, value: number, name: string) => {
    const known = links.find((l) => l.from === from && l.to === to);
    if (known) known.value += value;
    else links.push({ from, to, value, name });
  };
  const value = (a: string, b: string) => flows.find((f) => f.from === a && f.to === b)?.value ?? 0, total = (list: Flow[]) => list.reduce((s, f) => s + f.value, 0);
  const into = (s: string) => flows.filter((f) => f.to === s), from = (s: string) => flows.filter((f) => f.from === s);
  const pool = new Map<string, Map<Node, number>>(stores.map((s) => [s, new Map()]));
  const pour = (s: string, origin: Node, v: number) => v > 0 && pool.get(s)!.set(origin, (pool.get(s)!.get(origin) ?? 0) + v);
  for (const s of stores) {
    const had = s === 'potential' ? Math.max(0, total(from(s)) - total(into(s))) : Math.max(0, start.get(s)!); // a height has no zero: what it gave counts
    pour(s, node(s, 0), had);
    pour(s, node('external_work', 0), value('external_work', s));
  }
  const order = [...stores].sort((a, b) => (value(a, b) > 0 ? -1 : value(b, a) > 0 ? 1 : 0)), first = order.filter((s) => order.every((o) => value(o, s) === 0 || o === s));
  const queue = [...first, ...order.filter((s) => !first.includes(s)).sort((a, b) => (value(a, b) > 0 ? -1 : 1))];
  for (const s of queue) {
    const stays = s === 'potential' ? Math.max(0, total(into(s)) - total(from(s))) : Math.max(0, now.get(s)!);
    let origins = [...pool.get(s)!];
    const sum = origins.reduce((t, [, v]) => t + v, 0);
    if (s === 'strain' && sum > 1e-6 * size) {
      for (const [o, v] of origins) link(o, node('strain', 1), v, o.name);
      origins = [[node('strain', 1), sum]];
    }
    for (const [o, v] of origins) {
      if (stays > 0) link(o, node(s, 2), (stays * v) / sum, s);
      for (const f of from(s))
        if ((stores as readonly string[]).includes(f.to)) pour(f.to, o, (f.value * v) / sum);
        else link(o, node(f.to, 2), (f.value * v) / sum, f.to);
    }
  }
  const kept = links.filter((l) => l.value > 1e-6 * size);
  for (const l of kept) (l.from.out += l.value), (l.to.in += l.value);
  for (const n of nodes) n.value = Math.max(n.in, n.out);
  return { nodes: nodes.filter((n) => n.value > 0).sort((a, b) => all.indexOf(a.name) - all.indexOf(b.name)), links: kept };
}

function scaleOf(run: Run): number {
  const total = run.ledger.column('total') ?? [], kinetic = run.ledger.column('kinetic') ?? [];
  let most = 0;
  for (let i = 0; i < kinetic.length; i++) most = Math.max(most, Math.abs(total[i] ?? 0), kinetic[i]);
  return most || 1;
}

const ns = 'http://www.w3.org/2000/svg';
function shape(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const e = document.createElementNS(ns, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  if (text !== undefined) e.textContent = text;
  return e;
}

export class EnergyFlow {
  readonly element: HTMLElement;
  private svg = document.createElementNS(ns, 'svg');
  private note = el('p', { class: 'quiet' });
  private run: Run;
  private drawn = 0;

  constructor(report: Report, private clock: Clock) {
    this.run = report.runs[0];
    const tabs = report.runs.length > 1
      ? el('select', { 'aria-label': 'Run', onchange: (e: Event) => ((this.run = report.runs[+(e.target as HTMLSelectElement).value]), this.draw()) }, ...report.runs.map((r, i) => el('option', { value: i }, shorten(r.label, 40))))
      : null;
    this.svg.setAttribute('role', 'img');
    new ResizeObserver(() => this.draw()).observe(this.svg);
    this.element = el('figure', { class: 'plot flow', id: 'plot-flow' }, el('figcaption', {}, el('h3', {}, 'Where the energy went'), tabs), this.note);
    this.element.insertBefore(this.svg, this.note);
    clock.onTime(() => this.follow());
    clock.onState(() => clock.playing || this.draw());
  }

  private follow(): void {
    const now = performance.now();
    if (this.clock.playing && now - this.drawn < 150) return;
    this.draw();
  }

  draw(): void {
    this.drawn = performance.now();
    const time = this.run.ledger.column('time')!, t = this.clock.t, row = Math.max(0, lastNotAfter(time, t + 1e-12 * Math.abs(t)));
    const { nodes, links } = layout(this.run, row), u = this.run.energyUnit;
    const columns = [0, 1, 2].map((c) => nodes.filter((n) => n.column === c)), most = Math.max(...columns.map((l) => l.reduce((s, n) => s + n.value, 0)), 1e-300);
    const WIDTH = Math.max(280, this.element.clientWidth - 26), MARGIN = Math.min(130, 0.28 * WIDTH);
    const longest = Math.max(...columns.map((l) => l.length)), per = Math.max(60, HEIGHT - GAP * Math.max(0, longest - 1)) / most;
    const x = (c: number) => [MARGIN, (WIDTH - BAR) / 2, WIDTH - MARGIN - BAR][c];
    for (const list of columns) {
      let y = 22;
      for (const n of list) (n.top = y), (n.height = Math.max(1, n.value * per)), (y += Math.max(n.height, LINES - 4) + GAP - 4);
    }
    const low = Math.max(60, ...nodes.map((n) => (n.column === 1 ? n.top + n.height + 30 : n.top + Math.max(n.height, LINES)))) + 6;
    this.svg.setAttribute('viewBox', `0 0 ${WIDTH} ${low}`);
    const used = new Map<Node, [number, number]>(nodes.map((n) => [n, [0, 0]]));
    const strained = (this.run.ledger.column('strain') ?? []).some((v) => v > 1e-9 * scaleOf(this.run)); // else it is all in springs of contacts
    const parts: SVGElement[] = [shape('text', { x: MARGIN + BAR, y: 12, class: 'head', 'text-anchor': 'end' }, 'at the start'), shape('text', { x: WIDTH - MARGIN - BAR, y: 12, class: 'head' }, 'now')];
    for (const l of links.sort((a, b) => all.indexOf(a.to.name) - all.indexOf(b.to.name))) {
      const a = used.get(l.from)!, b = used.get(l.to)!, w = l.value * per, y0 = l.from.top + a[1], y1 = l.to.top + b[0], x0 = x(l.from.column) + BAR, x1 = x(l.to.column), m = (x0 + x1) / 2;
      (a[1] += w), (b[0] += w);
      const band = shape('path', { d: `M${x0},${y0}C${m},${y0} ${m},${y1} ${x1},${y1}v${w}C${m},${y1 + w} ${m},${y0 + w} ${x0},${y0 + w}Z`, fill: stroke(colours[l.name]), 'fill-opacity': 0.32, 'data-from': l.from.name, 'data-to': l.to.name, 'data-value': l.value });
      band.appendChild(shape('title', {}, `${names[l.from.name]} → ${names[l.to.name]}: ${withUnit(l.value, u)}`));
      parts.push(band);
    }
    for (const n of nodes) {
      const right = n.column === 2, anchor = n.column === 0 ? 'end' : n.column === 1 ? 'middle' : 'start', tx = n.column === 0 ? x(0) - 8 : right ? x(2) + BAR + 8 : x(1) + BAR / 2;
      parts.push(shape('rect', { x: x(n.column), y: n.top, width: BAR, height: n.height, rx: 2, fill: stroke(colours[n.name]), 'data-node': n.name, 'data-column': n.column, 'data-value': n.value }));
      const text = shape('text', { x: tx, y: n.column === 1 ? n.top + n.height + 15 : n.top + Math.max(10, n.height / 2 - 2), 'text-anchor': anchor }, n.column === 1 ? `through ${strained ? 'strain' : 'contact'}` : n.name === 'strain' && !strained ? 'contact' : names[n.name]);
      text.appendChild(shape('tspan', { class: n.column === 1 ? '' : 'value', x: tx, dy: 14 }, withUnit(n.value, u, 3)));
      parts.push(text);
    }
    this.svg.replaceChildren(...parts);
    this.svg.setAttribute('aria-label', links.map((l) => `${names[l.from.name]} to ${names[l.to.name]}: ${withUnit(l.value, u, 3)}`).join('; '));
    this.note.textContent = links.length === 0 ? 'No energy has moved yet.' : 'Net, from the start to the time of the picture.';
  }
}
