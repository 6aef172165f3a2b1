// The ledger as plots that follow the clock: drag to zoom, double click to see all, click to go there.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Clock } from './clock';
import { palette, stroke } from './colour';
import { lastNotAfter, type Report, type Run } from './data';
import { button, download, el, fileName } from './dom';
import { EnergyFlow } from './flow';
import { brief, number, shorten, unit, words } from './format';
import { TimeSpace } from './xt';

interface Line { label: string; colour: string; dash?: number[]; run: Run; column: string; y: Float64Array; width?: number }
interface Panel { id: string; title: string; unit: string; lines: Line[]; log?: boolean; steps?: boolean; floor?: number; bounds?: Bound[] }
/** What a claim allows: a line of its own, in the colour of its run. */
interface Bound { value: number; run: Run; kept: boolean }

const energy: [string, string, string?][] = [
  ['kinetic', '#0072b2'], ['strain', '#c98500'], ['potential', '#009e73'], ['contact', '#cc79a7'], ['external_work', '#56b4e9'],
  ['friction_loss', '#d55e00'], ['restitution_loss', '#8c564b'], ['step_loss', '#999999'], ['plastic_work', '#e34a9c'], ['viscous_loss', '#7f7f00'], ['damage_loss', '#6a3d9a'],
  ['total', 'ink'],
];
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [1, 4], [8, 2, 2, 2, 2, 2]];

/** Has it values above `least` in size? */
function finite(y: ArrayLike<number>, least = 0): boolean {
  for (let i = 0; i < y.length; i++) if (Math.abs(y[i]) > least && Number.isFinite(y[i])) return true;
  return false;
}

function largest(y: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < y.length; i++) if (Number.isFinite(y[i])) most = Math.max(most, Math.abs(y[i]));
  return most;
}

/** Lines of quantities for all runs; those that are nothing beside the largest are left out unless they are always wanted. */
function linesOf(runs: Run[], list: [string, string, string?][], always: string[], change: (y: Float64Array, r: Run) => Float64Array = (y) => y): Line[] {
  const out: Line[] = [];
  const least = 1e-13 * Math.max(...runs.flatMap((r) => list.map(([column]) => largest(r.ledger.column(column) ?? []))));
  const shown = list.filter(([column]) => always.includes(column) || runs.some((r) => finite(r.ledger.column(column) ?? [], least)));
  shown.forEach(([column, colour, label], k) => {
    for (const run of runs) {
      const y = run.ledger.column(column);
      if (!y) continue;
      const name = label ?? words(column);
      if (runs.length === 1) out.push({ label: name, colour, run, column, y: change(y, run), width: column === 'total' ? 1.25 : 1.75, dash: column === 'total' ? [5, 4] : undefined });
      else out.push({ label: `${name}, ${shorten(run.label, 24)}`, colour: palette[run.index % palette.length], dash: dashes[k % dashes.length], run, column, y: change(y, run) });
    }
  });
  return out;
}

/** Exact zeros would stretch a log axis over decades of nothing. */
function floorOf(lines: Line[]): number {
  return Math.max(1e-17, 1e-7 * Math.max(0, ...lines.map((l) => largest(l.y))));
}

/** Bounds of a claim that is measured as the plot is: `same`, a figure of the summary, is the claim's worst.  (The claim about the
 * energy of shells and beams is about that of fourth order, not about the closure.) */
function boundsOf(runs: Run[], claim: string, same: (summary: any) => unknown): Bound[] {
  return runs.flatMap((run) => {
    const c = (Array.isArray(run.summary?.claims) ? run.summary.claims : []).find((x: any) => x.name === claim);
    if (!c || !(c.bound > 0) || String(c.nature).startsWith('guard')) return [];
    return same(run.summary) !== c.worst ? [] : [{ value: c.bound, run, kept: c.kept === true }];
  });
}

function panelsOf(runs: Run[]): Panel[] {
  const u = (c: string) => runs[0].ledger.unit(c), many = runs.length > 1;
  const three = (p: string): [string, string, string?][] => [[`${p}_x`, '#0072b2', `${p} x`], [`${p}_y`, '#c98500', `${p} y`], [`${p}_z`, '#009e73', `${p} z`]];
  const error = linesOf(runs, [['closure', '#0072b2', 'energy error']], ['closure'], (y) => y.map(Math.abs));
  const panels: Panel[] = [
    { id: 'energy', title: 'Energy', unit: u('total'), lines: linesOf(runs, many ? [['total', ''], ['kinetic', ''], ['strain', ''], ['contact', '']] : energy, ['kinetic', 'total']) },
    { id: 'error', title: 'Relative energy error', unit: '', lines: error, log: true, floor: floorOf(error), bounds: boundsOf(runs, 'energy', (s) => s.energy?.max_relative_error) },
    { id: 'momentum', title: 'Momentum', unit: u('p_x'), lines: linesOf(runs, three('p'), ['p_x']) },
    { id: 'angular', title: 'Angular momentum about the origin', unit: u('L_x'), lines: linesOf(runs, three('L'), ['L_x']) },
    { id: 'contacts', title: 'Contacts that last', unit: '', lines: linesOf(runs, [['contacts', '#0072b2', 'contacts']], ['contacts']), steps: true },
    { id: 'penetration', title: 'Penetration', unit: u('penetration'), lines: linesOf(runs, [['penetration', '#cc79a7', 'penetration']], ['penetration']), bounds: boundsOf(runs, 'penetration', (s) => s.max_penetration) },
  ];
  return panels.filter((p) => p.lines.length > 0);
}

interface Drawn { panel: Panel; plot: uPlot; cursor: HTMLElement; values: { line: Line; cell: HTMLElement }[] }

export class Plots {
  readonly element: HTMLElement;
  /** The first plots, which stand beside the picture. */
  readonly aside: HTMLElement;
  private drawn: Drawn[] = [];
  private panels: Panel[];
  private grid: HTMLElement;
  private hover: number | null = null;
  private zooming = false;
  private wasRead = 0;
  private raster: Raster;
  readonly flow: EnergyFlow;
  readonly xt: TimeSpace;

  constructor(private report: Report, private clock: Clock) {
    this.panels = panelsOf(report.runs);
    this.grid = el('div', { class: 'plots' });
    this.raster = new Raster(report.runs, clock);
    this.flow = new EnergyFlow(report, clock);
    this.xt = new TimeSpace(report, clock);
    this.aside = el('section', { class: 'plots beside', 'aria-label': 'Energy' });
    this.element = el('section', { class: 'book', 'aria-label': 'Ledger' },
      el('div', { class: 'heading' }, el('h2', {}, 'The ledger'), el('p', { class: 'quiet' }, `Time in ${unit(report.runs[0].timeUnit) || 'its unit'}. Drag to zoom, double click to see all, click to go there.`)), this.grid);
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.grid), watch.observe(this.aside);
    clock.onTime(() => this.follow());
    clock.onState(() => clock.playing || this.read());
  }

  // ---- building ----

  /** Made anew when the colours of the page change. */
  draw(): void {
    for (const d of this.drawn) d.plot.destroy();
    this.drawn = [];
    this.grid.replaceChildren();
    this.aside.replaceChildren();
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink').trim(), line = style.getPropertyValue('--line').trim(), muted = style.getPropertyValue('--muted').trim();
    for (const panel of this.panels) {
      if (panel.lines.some((l) => finite(l.y))) this.drawn.push(this.make(panel, ink, line, muted));
      else this.placeOf(panel).appendChild(el('figure', { class: 'plot nothing', id: `plot-${panel.id}` }, el('figcaption', {}, el('h3', {}, panel.title), el('span', {}, panel.id === 'error' ? 'below round-off throughout' : 'zero throughout'))));
    }
    this.aside.appendChild(this.flow.element);
    if (this.xt.shown) this.grid.prepend(this.xt.element), this.xt.draw();
    this.grid.appendChild(this.raster.element);
    this.flow.draw();
    this.raster.draw();
    this.follow();
  }

  private placeOf(panel: Panel): HTMLElement {
    return panel.id === 'energy' || panel.id === 'error' ? this.aside : this.grid;
  }

  private data(panel: Panel): uPlot.AlignedData {
    const time = (r: Run) => r.ledger.column('time')!;
    const clean = (l: Line) => Array.from(l.y, (v) => (Number.isFinite(v) ? (panel.log ? Math.max(v, panel.floor!) : v) : null));
    const runs = [...new Set(panel.lines.map((l) => l.run))];
    const tables = runs.map((r) => [Array.from(time(r)), ...panel.lines.filter((l) => l.run === r).map(clean)] as uPlot.AlignedData);
    return tables.length === 1 ? tables[0] : uPlot.join(tables);
  }

  private make(panel: Panel, ink: string, gridLine: string, muted: string): Drawn {
    const runs = [...new Set(panel.lines.map((l) => l.run))];
    panel.lines.sort((a, b) => runs.indexOf(a.run) - runs.indexOf(b.run));
    const host = el('div', { class: 'canvas' });
    const shade = (l: Line) => (l.colour === 'ink' ? ink : stroke(l.colour));
    const values = panel.lines.map((line) => ({ line, cell: el('output', {}) }));
    const legend = el('ul', { class: 'series' }, ...values.map(({ line, cell }) => {
      const style = line.dash?.length ? (line.dash[0] > 4 ? 'dashed' : 'dotted') : 'solid';
      const key = el('i', { style: `border-top-style:${style};border-color:${shade(line)}` });
      return el('li', {}, key, el('span', {}, line.label), cell);
    }));
    const u = unit(panel.unit);
    const figure = el('figure', { class: 'plot', id: `plot-${panel.id}` },
      el('figcaption', {}, el('h3', {}, panel.title, u ? el('span', {}, ` (${u})`) : null),
        el('span', { class: 'group' }, button('save', 'Save as CSV', () => this.csv(panel)), button('image', 'Save as PNG', () => this.png(panel)))),
      host, legend);
    this.placeOf(panel).appendChild(figure);
    const font = "11px 'Inter', system-ui, sans-serif";
    const axis = { stroke: muted, font, grid: { stroke: gridLine, width: 1 }, ticks: { stroke: gridLine, size: 4, width: 1 } };
    const span = this.clock.end - this.clock.start;
    const plot = new uPlot({
      width: Math.max(200, host.clientWidth), height: this.height(), padding: [8, 16, 0, 0],
      scales: {
        x: { time: false, range: (_u, min, max) => (Number.isFinite(min) && max > min ? [min, max] : [this.clock.start, this.clock.end]) },
        y: panel.log ? { distr: 3, range: (_u, min, max) => decades(Math.min(min, ...(panel.bounds ?? []).map((b) => b.value)), Math.max(max, ...(panel.bounds ?? []).map((b) => b.value))) } : { range: (_u, min, max) => roomy(min, max) },
      },
      axes: [
        { ...axis, size: 26, space: 70, values: (_u, list) => list.map((v) => brief(v, Math.max(3, Math.ceil(Math.log10(Math.abs(this.clock.end) / span)) + 3))) },
        { ...axis, size: 58, space: 30, ...(panel.log ? onlyDecades(axis) : {}), values: (_u, list) => list.map((v) => (v === null ? '' : panel.log ? decade(v) : brief(v, 4))) },
      ],
      series: [{}, ...panel.lines.map((l) => ({
        label: l.label, stroke: shade(l), width: l.width ?? 1.5, dash: l.dash, spanGaps: runs.length > 1,
        points: { show: false }, paths: panel.steps ? uPlot.paths.stepped!({ align: 1 }) : undefined,
      }))],
      legend: { show: false },
      cursor: { sync: { key: 'visviva', setSeries: false, scales: ['x', null] }, drag: { x: true, y: false, dist: 5 }, points: { size: 6 }, y: false },
      hooks: {
        setCursor: [(p) => this.hovered(p)],
        draw: [(p) => this.drawBounds(p, panel, muted)],
        setScale: [(p, key) => key === 'x' && this.zoomed(p)],
      },
    }, this.data(panel), host);
    const cursor = el('div', { class: 'now' });
    plot.over.appendChild(cursor);
    let down = 0;
    plot.over.addEventListener('mousedown', (e) => (down = e.clientX));
    plot.over.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - down) < 5) this.clock.seek(plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, 'x'));
    });
    return { panel, plot, cursor, values };
  }

  /** A line at each bound, with its name; one that lies outside is only named. */
  private drawBounds(p: uPlot, panel: Panel, muted: string): void {
    const { left, top, width, height } = p.bbox, c = p.ctx, ratio = uPlot.pxRatio, shown = new Set<string>();
    c.save();
    c.font = `${11 * ratio}px 'Inter', system-ui, sans-serif`;
    c.textAlign = 'right';
    for (const b of panel.bounds ?? []) {
      const y = p.valToPos(b.value, 'y', true), inside = y >= top - 1 && y <= top + height + 1, text = inside ? `bound ${brief(b.value)}` : `bound ${brief(b.value)}, above`;
      c.strokeStyle = c.fillStyle = b.kept ? muted : '#ad3523';
      c.setLineDash([7 * ratio, 4 * ratio]);
      c.lineWidth = ratio;
      c.beginPath();
      if (inside) c.moveTo(left, y), c.lineTo(left + width, y), c.stroke();
      if (!shown.has(text)) c.fillText(text, left + width - 4 * ratio, (inside && y > top + 18 * ratio ? y : inside ? y + 18 * ratio : top + 14 * ratio) - 5 * ratio);
      shown.add(text);
    }
    c.restore();
  }

  private height(): number {
    return window.innerWidth < 700 ? 150 : 168;
  }

  private resize(): void {
    for (const d of this.drawn) {
      const width = d.plot.root.parentElement!.clientWidth;
      if (width > 0 && (width !== d.plot.width || this.height() !== d.plot.height)) d.plot.setSize({ width, height: this.height() });
    }
    this.raster.draw();
    this.follow();
  }

  // ---- following ----

  private zoomed(from: uPlot): void {
    if (this.zooming || this.drawn.length === 0) return;
    this.zooming = true;
    const { min, max } = from.scales.x;
    for (const d of this.drawn) if (d.plot !== from) d.plot.setScale('x', { min: min!, max: max! });
    this.raster.zoom(min!, max!);
    this.zooming = false;
    queueMicrotask(() => this.follow());
  }

  private hovered(p: uPlot): void {
    const left = p.cursor.left ?? -1;
    const t = left >= 0 ? p.posToVal(left, 'x') : null;
    if (t === this.hover) return;
    this.hover = t;
    this.read();
  }

  private follow(): void {
    for (const d of this.drawn) {
      const x = d.plot.valToPos(this.clock.t, 'x'), inside = x >= 0 && x <= d.plot.bbox.width / uPlot.pxRatio; // no asking the page for sizes
      d.cursor.style.transform = `translateX(${x}px)`;
      d.cursor.style.display = inside ? '' : 'none';
      d.cursor.dataset.value = String(this.clock.t);
    }
    this.raster.follow();
    const now = performance.now();
    if (this.clock.playing && now - this.wasRead < 80) return; // nobody reads faster
    this.wasRead = now;
    this.read();
  }

  /** Beside each line its value in the row at or before the time of the pointer, or of the clock. */
  private read(): void {
    const t = this.hover ?? this.clock.t;
    for (const d of this.drawn)
      for (const { line, cell } of d.values) {
        const row = Math.max(0, lastNotAfter(line.run.ledger.column('time')!, t + 1e-12 * Math.abs(t)));
        const value = line.y[row];
        cell.textContent = number(value, 5);
        cell.dataset.value = String(line.run.ledger.column(line.column)![row]);
        cell.dataset.row = String(row);
        cell.dataset.column = line.column;
      }
  }

  // ---- saving ----

  private csv(panel: Panel): void {
    const runs = [...new Set(panel.lines.map((l) => l.run))];
    const rows: string[] = [];
    const quote = (s: string) => (/[",\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s);
    for (const run of runs) {
      const lines = panel.lines.filter((l) => l.run === run), time = run.ledger.column('time')!;
      if (runs.length > 1) rows.push('# ' + run.label.replace(/\n/g, ' '));
      rows.push(['time', ...lines.map((l) => quote(l.column))].join(','));
      for (let i = 0; i < time.length; i++) rows.push([time[i], ...lines.map((l) => run.ledger.column(l.column)![i])].join(','));
    }
    download(fileName(`${this.report.runs[0].folder}-${panel.id}`) + '.csv', rows.join('\n') + '\n', 'text/csv');
  }

  private png(panel: Panel): void {
    const d = this.drawn.find((x) => x.panel === panel)!, source = d.plot.ctx.canvas, ratio = window.devicePixelRatio || 1;
    const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue('--ink');
    const head = 28 * ratio, foot = 26 * ratio;
    const out = el('canvas', { width: source.width, height: source.height + head + foot }), c = out.getContext('2d')!;
    c.fillStyle = style.getPropertyValue('--sheet');
    c.fillRect(0, 0, out.width, out.height);
    c.drawImage(source, 0, head);
    c.fillStyle = ink;
    c.textBaseline = 'middle';
    c.font = `600 ${13 * ratio}px system-ui, sans-serif`;
    const u = unit(panel.unit);
    c.fillText(panel.title + (u ? ` (${u})` : ''), 10 * ratio, head / 2);
    c.font = `${11 * ratio}px system-ui, sans-serif`;
    let x = 10 * ratio;
    for (const l of panel.lines) {
      c.fillStyle = l.colour === 'ink' ? ink : stroke(l.colour);
      c.fillRect(x, out.height - foot / 2 - ratio, 14 * ratio, 2 * ratio);
      c.fillStyle = ink;
      c.fillText(l.label, x + 18 * ratio, out.height - foot / 2);
      x += 32 * ratio + c.measureText(l.label).width;
    }
    out.toBlob((b) => b && download(fileName(`${this.report.runs[0].folder}-${panel.id}`) + '.png', b), 'image/png');
  }
}

function decades(min: number, max: number): [number, number] {
  if (!(max > 0)) return [1e-18, 1e-12];
  const high = Math.ceil(Math.log10(max) + 0.05), low = Math.max(high - 9, Math.floor(Math.log10(Math.max(min, Number.MIN_VALUE))));
  return [10 ** Math.min(low, high - 2), 10 ** high];
}

/** Lines at powers of ten, none between them. */
function onlyDecades(axis: any): any {
  const filter = (_u: uPlot, splits: number[]) => splits.map((v) => (decade(v) ? v : null));
  return { filter, grid: { ...axis.grid, filter }, ticks: { ...axis.ticks, filter } };
}

function decade(v: number): string {
  const e = Math.log10(v);
  return Math.abs(e - Math.round(e)) < 1e-9 ? `1e${Math.round(e)}`.replace('-', '−') : '';
}

/** Room above and below; a line that does not move gets a range that shows it does not. */
function roomy(min: number, max: number): [number, number] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size === 0) return [-1, 1];
  let span = max - min;
  if (span < 1e-9 * size) return [min - 0.5 * size, max + 0.5 * size];
  if (min >= 0 && min < 0.6 * max) (span = max), (min = 0);
  return [min === 0 ? 0 : min - 0.06 * span, max + 0.08 * span];
}

/** When who was hit: one lane for each body that moves, one tick for each event. */
class Raster {
  readonly element: HTMLElement;
  private canvas = el('canvas', {});
  private cursor = el('div', { class: 'now' });
  private area: HTMLElement;
  private lanes: { name: string; run: Run; rows: number[] }[] = [];
  private min: number;
  private max: number;
  private left = 58;
  private width = 0;

  constructor(runs: Run[], private clock: Clock) {
    this.min = clock.start;
    this.max = clock.end;
    for (const run of runs) {
      const moving = new Set(run.bodies.map((b) => b.name)), lanes = new Map<string, number[]>();
      for (let i = 0; i < run.events.rows; i++)
        for (const c of ['body_a', 'body_b']) {
          const name = run.events.word(c, i);
          if (!moving.has(name)) continue;
          const list = lanes.get(name);
          if (list) list.push(i);
          else lanes.set(name, [i]);
        }
      for (const [name, rows] of lanes) this.lanes.push({ name, run, rows });
    }
    const most = 24;
    const left = this.lanes.length - most;
    if (left > 0) this.lanes = this.lanes.sort((a, b) => b.rows.length - a.rows.length).slice(0, most);
    this.area = el('div', { class: 'raster' }, this.canvas, this.cursor);
    this.area.addEventListener('click', (e) => {
      const box = this.area.getBoundingClientRect(), x = (e.clientX - box.left - this.left) / (box.width - this.left - 8);
      if (x >= 0 && x <= 1) this.clock.seek(this.min + x * (this.max - this.min));
    });
    const total = runs.reduce((n, r) => n + r.events.all, 0);
    this.element = el('figure', { class: 'plot', id: 'plot-events' },
      el('figcaption', {}, el('h3', {}, 'Events')), this.area,
      el('p', { class: 'quiet' }, total === 0 ? 'Nothing touched anything.' : left > 0 ? `The ${most} bodies hit most often, of ${most + left}.` : 'One tick for each event, by body.'));
    this.area.style.height = `${Math.max(2, this.lanes.length) * 18 + 12}px`;
  }

  zoom(min: number, max: number): void {
    this.min = min;
    this.max = max;
    this.draw();
  }

  private x(t: number, width: number): number {
    return this.left + ((t - this.min) / (this.max - this.min || 1)) * (width - this.left - 8);
  }

  draw(): void {
    const ratio = window.devicePixelRatio || 1, width = this.area.clientWidth, height = this.area.clientHeight;
    this.width = width;
    if (width === 0) return;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const c = this.canvas.getContext('2d')!, style = getComputedStyle(document.documentElement);
    c.scale(ratio, ratio);
    c.font = "11px 'Inter', system-ui, sans-serif";
    c.textBaseline = 'middle';
    this.lanes.forEach((lane, k) => {
      const y = 6 + 18 * k;
      c.fillStyle = style.getPropertyValue('--muted');
      c.textAlign = 'right';
      c.fillText(shorten(lane.name, 9), this.left - 6, y + 8, this.left - 8);
      c.fillStyle = style.getPropertyValue('--line');
      c.fillRect(this.left, y + 8, width - this.left - 8, 1);
      c.fillStyle = stroke(palette[lane.run.index % palette.length]);
      const time = lane.run.events.column('time')!;
      c.globalAlpha = lane.rows.length > 400 ? 0.35 : 0.85;
      for (const i of lane.rows) if (time[i] >= this.min && time[i] <= this.max) c.fillRect(this.x(time[i], width) - 0.6, y + 2, 1.2, 13);
      c.globalAlpha = 1;
    });
  }

  follow(): void {
    const x = this.x(this.clock.t, this.width);
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.style.display = this.clock.t >= this.min && this.clock.t <= this.max ? '' : 'none';
  }
}
