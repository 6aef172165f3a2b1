// The table of events: sorted by any column, as long as need be (only the rows in sight exist), a click goes there.
import type { Clock } from './clock';
import { lastNotAfter, type Report, type Run } from './data';
import { el } from './dom';
import { brief, grouped, shorten, unit, words } from './format';

const ROW = 28;
const shown = ['time', 'kind', 'body_a', 'feature_a', 'body_b', 'feature_b', 'normal_speed', 'normal_impulse', 'tangential_impulse', 'energy_jump', 'x', 'y', 'z'];

/** Five digits, or as many as a column has room for. */
function fitting(x: number): string {
  const text = brief(x, 5);
  return text.length <= 9 ? text : brief(x, 5 - (text.length - 9));
}

export class Events {
  readonly element: HTMLElement;
  private run: Run;
  private columns: string[] = [];
  private order = new Int32Array();
  private sortedBy = 'time';
  private down = false;
  private viewport = el('div', { class: 'rows', tabindex: 0, role: 'rowgroup' });
  private canvas = el('div', { class: 'all' });
  private head = el('div', { class: 'row head', role: 'row' });
  private current = -1;
  private summary = el('p', { class: 'quiet' });
  private byTime = new Int32Array();
  private time = new Float64Array();

  constructor(report: Report, private clock: Clock) {
    this.run = report.runs[0];
    this.viewport.appendChild(this.canvas);
    this.viewport.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.viewport);
    const tabs = report.runs.length > 1
      ? el('select', { 'aria-label': 'Run', onchange: (e: Event) => this.open(report.runs[+(e.target as HTMLSelectElement).value]) }, ...report.runs.map((r, i) => el('option', { value: i }, shorten(r.label, 40))))
      : null;
    this.element = el('section', { class: 'events', 'aria-label': 'Events' },
      el('div', { class: 'heading' }, el('h2', {}, 'Events'), tabs, this.summary),
      el('div', { class: 'scroller' }, el('div', { class: 'table', role: 'table' }, this.head, this.viewport)));
    clock.onTime(() => this.follow());
    this.open(this.run);
  }

  private open(run: Run): void {
    this.run = run;
    const e = run.events;
    this.columns = shown.filter((c) => e.column(c) !== undefined);
    this.order = Int32Array.from({ length: e.rows }, (_, i) => i);
    const time = e.column('time') ?? new Float64Array();
    this.byTime = this.order.slice().sort((a, b) => time[a] - time[b] || a - b);
    this.time = Float64Array.from(this.byTime, (i) => time[i]);
    this.summary.textContent = e.rows === 0 ? 'Nothing touched anything.'
      : e.rows < e.all ? `The ${grouped(e.rows)} strongest of ${grouped(e.all)}; all are in events.csv.` : `${grouped(e.rows)}; click one to go there.`;
    this.element?.classList.toggle('empty', e.rows === 0);
    this.sortedBy = 'time';
    this.down = false;
    this.sort();
  }

  private sort(): void {
    const e = this.run.events, c = e.columns.find((x) => x.name === this.sortedBy), data = e.column(this.sortedBy);
    const sign = this.down ? -1 : 1;
    if (data && c?.words) this.order.sort((a, b) => sign * e.word(this.sortedBy, a).localeCompare(e.word(this.sortedBy, b)) || a - b);
    else if (data) this.order.sort((a, b) => sign * (data[a] - data[b]) || a - b);
    this.head.replaceChildren(...this.columns.map((name) => {
      const on = name === this.sortedBy, u = unit(e.unit(name));
      return el('button', { type: 'button', role: 'columnheader', class: this.kind(name), 'aria-sort': on ? (this.down ? 'descending' : 'ascending') : 'none', 'data-column': name,
        onclick: () => ((this.down = on ? !this.down : false), (this.sortedBy = name), this.sort()) },
        words(name), u ? el('span', {}, ` (${u})`) : null, el('i', { 'aria-hidden': 'true' }, on ? (this.down ? ' ↓' : ' ↑') : ''));
    }));
    this.canvas.style.height = `${ROW * this.order.length}px`;
    this.viewport.style.height = `min(420px, 60vh, ${ROW * this.order.length + 2}px)`;
    this.viewport.scrollTop = 0;
    this.draw();
  }

  private kind(name: string): string {
    return this.run.events.columns.find((c) => c.name === name)?.words ? 'word' : 'number';
  }

  private draw(): void {
    const e = this.run.events, top = this.viewport.scrollTop, height = this.viewport.clientHeight || 300;
    const first = Math.max(0, Math.floor(top / ROW) - 4), last = Math.min(this.order.length, Math.ceil((top + height) / ROW) + 4);
    const rows: HTMLElement[] = [];
    for (let k = first; k < last; k++) {
      const i = this.order[k];
      const cells = this.columns.map((name) => {
        if (this.kind(name) === 'word') return el('span', { role: 'cell', class: 'word', title: e.word(name, i) }, shorten(e.word(name, i), 60));
        const value = e.column(name)![i];
        return el('span', { role: 'cell', class: 'number', title: String(value), 'data-value': String(value), 'data-column': name }, name === 'time' ? brief(value, 7) : fitting(value));
      });
      rows.push(el('div', { class: i === this.current ? 'row now' : 'row', role: 'row', style: `top:${k * ROW}px`, 'data-event': i, onclick: () => this.go(i) }, ...cells));
    }
    this.canvas.replaceChildren(...rows);
  }

  private go(i: number): void {
    this.clock.play(false);
    this.clock.seek(this.run.events.column('time')![i]);
  }

  /** The last event before now is marked. */
  private follow(): void {
    const k = lastNotAfter(this.time, this.clock.t * (1 + 1e-12)), i = k >= 0 ? this.byTime[k] : -1;
    if (i === this.current) return;
    this.current = i;
    for (const row of this.canvas.children) row.classList.toggle('now', (row as HTMLElement).dataset.event === String(i));
  }
}
