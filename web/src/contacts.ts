// What happened at the impacts: one row for each contact of two bodies, and its force over time.
import uPlot from 'uplot';
import type { Clock } from './clock';
import { stroke } from './colour';
import type { Contact, Report, Run } from './data';
import { el } from './dom';
import { brief, grouped, number, shorten, unit } from './format';

const MOST = 400;

export class Contacts {
  readonly element: HTMLElement;
  chosen: Contact | null = null;
  plot: uPlot | null = null;
  private run: Run;
  private body = el('tbody', {});
  private head = el('thead', {});
  private summary = el('p', { class: 'quiet' });
  private host = el('div', { class: 'canvas' });
  private caption = el('h3', {});
  private note = el('p', { class: 'quiet' });
  private cursor = el('div', { class: 'moment' });
  private shown: { contact: Contact; row: HTMLElement }[] = [];

  constructor(report: Report, private clock: Clock) {
    this.run = report.runs[0];
    const tabs = report.runs.length > 1
      ? el('select', { 'aria-label': 'Run', onchange: (e: Event) => this.open(report.runs[+(e.target as HTMLSelectElement).value]) }, ...report.runs.map((r, i) => el('option', { value: i }, shorten(r.label, 40))))
      : null;
    const figure = el('figure', { class: 'plot', id: 'plot-force' }, el('figcaption', {}, this.caption), this.host, this.note);
    this.element = el('section', { class: 'contacts', 'aria-label': 'Contacts' },
      el('div', { class: 'heading' }, el('h2', {}, 'Contacts'), tabs, this.summary),
      el('div', { class: 'pair' }, el('div', { class: 'table' }, el('table', {}, this.head, this.body)), figure));
    new ResizeObserver(() => this.plot && this.host.clientWidth > 0 && this.plot.setSize({ width: this.host.clientWidth, height: this.plot.height })).observe(this.host);
    clock.onTime(() => this.follow());
    this.open(this.run);
  }

  private open(run: Run): void {
    this.run = run;
    const all = run.contactTable.all, list = run.contacts.slice().sort((a, b) => b.normal - a.normal).slice(0, MOST).sort((a, b) => a.touch - b.touch);
    this.summary.textContent = all === 0 ? 'Nothing touched anything.'
      : list.length < all ? `The ${grouped(list.length)} with the most impulse of ${grouped(all)}; all are in contacts.csv.` : `${grouped(all)}; click one to go there and to see its force.`;
    this.element?.classList.toggle('empty', all === 0);
    const u = (c: string) => unit(run.contactTable.unit(c)), title = (text: string, c: string) => el('th', {}, text, u(c) ? ` (${u(c)})` : '');
    this.head.replaceChildren(el('tr', {}, el('th', {}, 'Bodies'), title('Touch', 'touch'), title('Lasts', 'touch'), title('Impulse', 'normal_impulse'), title('Peak force', 'peak_force'), title('Lost', 'energy_lost')));
    this.shown = list.map((contact) => ({ contact, row: this.row(contact) }));
    this.body.replaceChildren(...this.shown.map((s) => s.row));
    this.choose(list.reduce((best: Contact | null, c) => (c.time.length > 0 && (!best || c.normal > best.normal) ? c : best), null) ?? list[0] ?? null);
  }

  private row(c: Contact): HTMLElement {
    const cell = (key: string, value: number, digits: number, text = Number.isNaN(value) ? '–' : number(value, digits)) =>
      el('td', { 'data-of': key, 'data-number': String(value), title: String(value) }, text);
    const names = `${c.a}, ${c.b}`, open = this.run.contactTable.column('open')?.[c.row] === 1;
    return el('tr', { 'data-contact': c.row, onclick: () => (this.choose(c), this.clock.play(false), this.clock.seek(c.touch)) },
      el('td', { title: names }, shorten(names, 44)), cell('touch', c.touch, 5),
      cell('duration', c.release - c.touch, 4, c.release - c.touch > 1e-12 * Math.abs(c.release) ? number(c.release - c.touch, 4) + (open ? ' …' : '') : 'an instant'),
      cell('normal_impulse', c.normal, 4), cell('peak_force', c.peak, 4), cell('energy_lost', c.lost, 3, Math.abs(c.lost) > 1e-12 * Number(this.run.summary?.energy?.scale ?? 0) ? number(c.lost, 3) : '0'));
  }

  choose(c: Contact | null): void {
    this.chosen = c;
    for (const s of this.shown) s.row.classList.toggle('chosen', s.contact === c);
    this.draw();
  }

  /** Made anew when the colours of the page change. */
  draw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.host.replaceChildren();
    const c = this.chosen;
    if (!c) return;
    const t = this.run.contactTable, force = unit(t.unit('peak_force'));
    this.caption.replaceChildren(`Force of ${shorten(c.a, 24)} on ${shorten(c.b, 24)}`, el('span', {}, force ? ` (${force})` : ''));
    if (c.time.length === 0) {
      this.note.textContent = 'Everything happened at one instant: an impulse, and no force.';
      return;
    }
    const mean = t.column('mean_force')![c.row], window = t.column('window')![c.row], time = unit(this.run.timeUnit);
    this.note.textContent = `Mean values over ${number(window, 3)} ${time}; the whole contact: ${number(mean, 4)} ${force}, ${grouped(t.column('impulses')![c.row])} impulses.`;
    const style = getComputedStyle(document.documentElement), line = style.getPropertyValue('--line').trim(), muted = style.getPropertyValue('--muted').trim();
    const axis = { stroke: muted, font: "11px 'Inter', system-ui, sans-serif", grid: { stroke: line, width: 1 }, ticks: { stroke: line, size: 4, width: 1 } };
    const slides = c.slide.some((x) => x > 1e-12 * c.peak);
    const series: uPlot.Series[] = [{}, { stroke: stroke('#0072b2'), width: 2, fill: stroke('#0072b2') + '22', points: { show: false } }];
    if (slides) series.push({ stroke: stroke('#d55e00'), width: 1.5, dash: [5, 4], points: { show: false } });
    this.plot = new uPlot({
      width: Math.max(200, this.host.clientWidth), height: 230, padding: [8, 16, 0, 0], legend: { show: false },
      scales: { x: { time: false }, y: { range: (_u, low, high) => [Math.min(0, low), high > 0 ? 1.08 * high : 1] } },
      axes: [{ ...axis, values: (_u, v) => v.map((x) => brief(x, 4)), space: 90 }, { ...axis, size: 62, values: (_u, v) => v.map((x) => brief(x)) }],
      series, cursor: { y: false, drag: { x: false, y: false } },
    }, slides ? [c.time, c.force, c.slide] : [c.time, c.force], this.host);
    const over = this.plot.over;
    over.appendChild(this.cursor);
    over.addEventListener('click', (e) => this.plot && this.clock.seek(this.plot.posToVal(e.offsetX, 'x')));
    this.follow();
  }

  private follow(): void {
    const t = this.clock.t;
    for (const s of this.shown) s.row.classList.toggle('on', s.contact.touch <= t && t <= s.contact.release);
    if (!this.plot) return;
    const x = this.plot.valToPos(t, 'x'), inside = x >= 0 && x <= this.plot.bbox.width / uPlot.pxRatio;
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.style.display = inside ? '' : 'none';
    this.cursor.dataset.value = String(t);
  }
}
