// Bars over time: where they are (across) and when (downwards), coloured by velocity or stress.  Waves are slanting lines.
import type { Clock } from './clock';
import { css, gradient } from './colour';
import type { Body, Field, Report, Run } from './data';
import { el } from './dom';
import { brief, moment, shorten, unit, words } from './format';

const HEIGHT = 360, LEFT = 64, TOP = 8, FOOT = 40, RIGHT = 12;

/** Bars of a run that lie on one line, the axis with most extent. */
function barsOf(run: Run): { bars: Body[]; axis: number } {
  const bars = run.bodies.filter((b) => b.kind === 'bar' && !b.leftOut && b.nodes > 1), x = bars[0]?.first();
  const axis = x ? [0, 1, 2].reduce((best, c) => (Math.abs(x[x.length - 3 + c] - x[c]) > Math.abs(x[x.length - 3 + best] - x[best]) ? c : best), 0) : 0;
  return { bars, axis };
}

/** 1, 2 or 5 times a power of ten, not below x. */
function roundStep(x: number): number {
  const ten = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].find((k) => k * ten >= 0.999999 * x)! * ten;
}

export class TimeSpace {
  readonly element: HTMLElement;
  readonly shown: boolean;
  private canvas = el('canvas', {});
  private cursor = el('div', { class: 'moment level' });
  private area: HTMLElement;
  private legend = el('div', { class: 'legend' });
  private select = el('select', { 'aria-label': 'Field', onchange: () => this.draw() });
  private run: Run;
  private readonly fields: string[];

  constructor(report: Report, private clock: Clock) {
    const runs = report.runs.filter((r) => barsOf(r).bars.length > 0 && r.frames.kept > 1);
    this.shown = runs.length > 0;
    this.run = runs[0] ?? report.runs[0];
    const have = new Set(barsOf(this.run).bars.flatMap((b) => b.fields.map((f) => f.field)));
    this.fields = ['velocity', 'stress', 'strain', 'displacement', 'plastic_strain', 'damage', 'dissipated_density'].filter((f) => have.has(f));
    this.select.replaceChildren(...this.fields.map((f) => el('option', { value: f }, words(f))));
    const tabs = runs.length > 1 ? el('select', { 'aria-label': 'Run', onchange: (e: Event) => ((this.run = runs[+(e.target as HTMLSelectElement).value]), this.draw()) }, ...runs.map((r, i) => el('option', { value: i }, shorten(r.label, 40)))) : null;
    this.area = el('div', { class: 'raster xt', style: `height:${HEIGHT}px` }, this.canvas, this.cursor);
    this.area.addEventListener('click', (e) => {
      const share = (e.clientY - this.area.getBoundingClientRect().top - TOP) / (HEIGHT - TOP - FOOT);
      if (share >= 0 && share <= 1) clock.seek(clock.start + share * (clock.end - clock.start));
    });
    this.element = el('figure', { class: 'plot', id: 'plot-xt' }, el('figcaption', {}, el('h3', {}, 'Bars over time'), el('span', { class: 'group' }, tabs, this.select)), this.area, this.legend);
    new ResizeObserver(() => this.draw()).observe(this.area);
    clock.onTime(() => this.follow());
  }

  /** The component along the axis where it is there, else the magnitude or the only number. */
  private field(b: Body, axis: number): Field | undefined {
    const list = b.fields.filter((f) => f.field === this.select.value);
    return list.find((f) => f.component === axis) ?? list[0];
  }

  private range(fields: Field[]): [number, number] {
    const low = Math.min(...fields.map((f) => f.low)), high = Math.max(...fields.map((f) => f.high)), most = Math.max(Math.abs(low), Math.abs(high)) || 1;
    return low < 0 && high > 0 ? [-most, most] : [low, high > low ? high : low + (Math.abs(low) || 1)];
  }

  draw(): void {
    const ratio = window.devicePixelRatio || 1, width = this.area.clientWidth;
    if (!this.shown || width === 0) return;
    const { bars, axis } = barsOf(this.run), pick = bars.map((b) => this.field(b, axis)), fields = pick.filter((f): f is Field => f !== undefined);
    if (fields.length === 0) return;
    const [low, high] = this.range(fields), map = low < 0 && high > 0 ? 'diverging' : 'sequential';
    const w = Math.max(40, Math.round((width - LEFT - RIGHT) * ratio)), h = Math.round((HEIGHT - TOP - FOOT) * ratio);
    let from = Infinity, to = -Infinity;
    const frames = this.run.frames.kept, x = bars.map((b) => new Float32Array(3 * b.nodes)), v = bars.map((b, i) => new Float32Array(pick[i]?.on === 'elements' ? b.nodes - 1 : b.nodes));
    for (let f = 0; f < frames; f += Math.max(1, Math.floor(frames / 32)))
      bars.forEach((b, i) => {
        b.positions(f, 0, x[i]);
        for (let k = axis; k < x[i].length; k += 3) (from = Math.min(from, x[i][k])), (to = Math.max(to, x[i][k]));
      });
    const span = to - from || 1, c = this.canvas.getContext('2d')!;
    this.canvas.width = width * ratio;
    this.canvas.height = HEIGHT * ratio;
    const image = c.createImageData(w, h), lookup = Array.from({ length: 256 }, (_, i) => css(map, i / 255).match(/\d+/g)!.map(Number));
    for (let row = 0; row < h; row++) {
      const t = this.clock.start + (row / (h - 1)) * (this.clock.end - this.clock.start), { frame, blend } = this.run.frameAt(t);
      bars.forEach((b, i) => {
        const field = pick[i];
        if (!field) return;
        b.positions(frame, blend, x[i]);
        field.at(frame, blend, v[i].length, v[i]);
        for (let e = 0; e + 1 < b.nodes; e++) {
          const a = x[i][3 * e + axis], d = x[i][3 * e + 3 + axis], left = Math.max(0, Math.floor(((Math.min(a, d) - from) / span) * (w - 1))), right = Math.min(w - 1, Math.ceil(((Math.max(a, d) - from) / span) * (w - 1)));
          const value = field.on === 'elements' ? v[i][e] : 0.5 * (v[i][e] + v[i][e + 1]), rgb = lookup[Math.round(255 * Math.min(1, Math.max(0, (value - low) / (high - low))))];
          for (let px = left; px <= right; px++) image.data.set([rgb[0], rgb[1], rgb[2], 255], 4 * (row * w + px));
        }
      });
    }
    c.putImageData(image, LEFT * ratio, TOP * ratio);
    this.label(c, ratio, width, from, span);
    const u = unit(fields[0].unit), name = words(this.select.value) + (fields[0].component >= 0 && fields[0].components > 1 ? ' ' + 'xyz'[fields[0].component] : '');
    this.legend.replaceChildren(el('span', { class: 'name' }, name, u ? ` (${u})` : ''), el('span', { class: 'bar', style: `background:${gradient(map)}` }), el('span', { class: 'scale' }, ...[0, 0.5, 1].map((s) => el('span', {}, brief(low + s * (high - low))))));
    this.follow();
  }

  private label(c: CanvasRenderingContext2D, ratio: number, width: number, from: number, span: number): void {
    const style = getComputedStyle(document.documentElement), clock = this.clock;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = style.getPropertyValue('--muted');
    c.font = "11px 'Inter', system-ui, sans-serif";
    c.textAlign = 'right';
    for (let i = 0; i <= 4; i++) c.fillText(moment(clock.start + (i / 4) * (clock.end - clock.start), clock.end - clock.start, this.run.timeUnit), LEFT - 6, TOP + 4 + (i / 4) * (HEIGHT - TOP - FOOT));
    const step = roundStep(span / 5);
    for (let k = Math.ceil(from / step - 1e-9); k * step <= from + span * (1 + 1e-9); k++) {
      const share = (k * step - from) / span;
      c.textAlign = share > 0.95 ? 'right' : 'center';
      c.fillText(brief(+(k * step).toPrecision(6), 6), LEFT + share * (width - LEFT - RIGHT), HEIGHT - FOOT + 14);
    }
    c.textAlign = 'center';
    c.fillText(`position (${unit(this.run.lengthUnit) || 'length'})`, LEFT + 0.5 * (width - LEFT - RIGHT), HEIGHT - 8);
  }

  private follow(): void {
    const share = (this.clock.t - this.clock.start) / (this.clock.end - this.clock.start || 1);
    this.cursor.style.transform = `translateY(${TOP + share * (HEIGHT - TOP - FOOT)}px)`;
    this.cursor.dataset.value = String(this.clock.t);
  }
}
