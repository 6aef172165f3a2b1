// Words and signs over the picture: axes, gravity, scale, names, and what is under the pointer.
import * as THREE from 'three';
import type { Clock } from './clock';
import { el } from './dom';
import { length, shorten, withUnit } from './format';
import { vec } from './scene';
import type { Stage } from './stage/stage';

const SIZE = 84, ARM = 26;
const axisColour = ['#c8402f', '#2e8b57', '#2f6fb5'];

function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>): SVGElementTagNameMap[K] {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  return e;
}

/** 1, 2 or 5 times a power of ten, at most x. */
export function round125(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x)), m = x / power;
  return power * (m >= 5 ? 5 : m >= 2 ? 2 : 1);
}

export interface ScaleBar { length: number; pixels: number; text: string }

export function scaleBar(stage: Stage): ScaleBar {
  const size = round125(110 / stage.scale);
  return { length: size, pixels: size * stage.scale, text: length(size, stage.worlds[0].run.lengthUnit) };
}

/** Where the arms of the axes, and gravity, point in the picture: x right, y down, z towards the reader. */
export function axes(stage: Stage): { name: string; x: number; y: number; z: number; colour: string }[] {
  const turn = stage.camera.quaternion.clone().invert(), out = ['x', 'y', 'z'].map((name, i) => ({ name, v: new THREE.Vector3().setComponent(i, 1).applyQuaternion(turn), colour: axisColour[i] }));
  const g = vec(stage.worlds[0].run.scene, 'gravity');
  if (g && g.some((x) => x !== 0)) out.push({ name: 'g', v: new THREE.Vector3(...g).normalize().applyQuaternion(turn), colour: 'currentColor' });
  return out.map(({ name, v, colour }) => ({ name, x: v.x, y: -v.y, z: v.z, colour })).sort((a, b) => a.z - b.z);
}

export class Overlay {
  readonly element: HTMLElement;
  private triad = svg('svg', { viewBox: `0 0 ${SIZE} ${SIZE}`, class: 'triad', role: 'img', 'aria-label': 'Axes' });
  private bar = el('div', { class: 'scale-bar' });
  private names = el('div', { class: 'names', 'aria-hidden': 'true' });
  private tip = el('div', { class: 'tip', role: 'tooltip', hidden: true });
  private note = el('button', { type: 'button', class: 'quality', hidden: true, title: 'Click to draw finely again' });
  private at: { x: number; y: number } | null = null;
  private asked = 0;

  constructor(private stage: Stage, private clock: Clock, host: HTMLElement) {
    this.element = el('div', { class: 'overlay' }, this.names, el('div', { class: 'where' }, this.bar, this.triad), this.note, this.tip);
    this.note.addEventListener('click', () => stage.restoreQuality());
    host.addEventListener('pointermove', (e) => e.pointerType === 'mouse' && e.buttons === 0 && this.point(e));
    host.addEventListener('pointerleave', () => this.leave());
    host.addEventListener('pointerdown', () => this.leave());
    stage.onDrawn = () => this.draw();
    clock.onTime(() => this.at && this.ask());
  }

  private draw(): void {
    this.drawAxes();
    const bar = scaleBar(this.stage);
    this.bar.style.width = `${bar.pixels}px`;
    this.bar.textContent = bar.text;
    this.bar.dataset.length = String(bar.length);
    this.bar.title = `Grid: ${length(this.stage.worlds[0].around.step, this.stage.worlds[0].run.lengthUnit)}`;
    this.drawNames();
    const { quality, fps } = this.stage.stats, slow = this.clock.playing && quality > 1;
    this.note.hidden = !slow;
    if (slow) this.note.textContent = `Drawn coarser to keep up: ${Math.round(fps)} pictures a second`;
  }

  private drawAxes(): void {
    const c = SIZE / 2;
    this.triad.replaceChildren(...axes(this.stage).flatMap(({ name, x, y, z, colour }) => {
      const far = name === 'g' ? 1.15 : 1, ex = c + far * ARM * x, ey = c + far * ARM * y, lx = c + (ARM * far + 9) * x, ly = c + (ARM * far + 9) * y;
      const line = svg('line', { x1: c, y1: c, x2: ex, y2: ey, stroke: colour, 'stroke-width': name === 'g' ? 1.5 : 2, 'stroke-linecap': 'round', ...(name === 'g' ? { 'stroke-dasharray': '3 3' } : {}) });
      const text = svg('text', { x: lx, y: ly + 4, fill: colour, 'text-anchor': 'middle', 'font-size': 12, 'font-weight': 600, 'data-axis': name, ...(name === 'g' ? { 'font-style': 'italic' } : {}) });
      text.textContent = Math.abs(z) > 0.985 ? '' : name;
      return [line, text];
    }));
  }

  private drawNames(): void {
    const taken: { x: number; y: number; w: number }[] = [], top = this.element.clientWidth < 600 ? 74 : 16; // below the buttons
    this.names.replaceChildren(...this.stage.labels().flatMap((l) => {
      const p = this.stage.project(l.at), text = shorten(l.text, 32), w = 7 * text.length;
      if (!p.seen) return [];
      let y = Math.max(p.y - 6, p.y > 0 ? top : p.y);
      while (taken.some((o) => Math.abs(o.y - y) < 15 && Math.abs(o.x - p.x) < 0.5 * (o.w + w))) y -= 15; // one above the other
      taken.push({ x: p.x, y, w });
      return [el('span', { class: l.quiet ? 'quiet' : '', style: `transform:translate(${p.x.toFixed(1)}px,${y.toFixed(1)}px) translate(-50%,-100%)` }, text)];
    }));
  }

  // ---- what is under the pointer ----

  private point(e: PointerEvent): void {
    const box = (e.currentTarget as HTMLElement).getBoundingClientRect();
    this.at = { x: e.clientX - box.left, y: e.clientY - box.top };
    this.ask();
  }

  private leave(): void {
    this.at = null;
    this.tip.hidden = true;
  }

  private ask(): void {
    const now = performance.now();
    if (!this.at || now - this.asked < 60) return;
    this.asked = now;
    const hit = this.stage.pick(this.at.x, this.at.y);
    this.tip.hidden = !hit;
    if (!hit) return;
    const { world, shape, copy } = hit, b = shape.body, many = b.elementNodes === 0 && b.nodes > 1;
    const h = world.run.holding(b, copy, this.clock.t), whole = many && b.holdingRows < 2;
    const row = (name: string, text: string, value: number) => [el('dt', {}, name), el('dd', { 'data-value': String(value) }, text)];
    const p = h ? Math.hypot(...h.momentum) : 0, of = whole ? ' of all' : '', unit = world.run.energyUnit;
    const s = many && !whole ? null : world.run.stored(b, this.clock.t); // it is that of all copies
    const stored = !s ? [] : [...(b.kind !== 'rigid' ? row('strain energy', withUnit(s.strain, unit, 4), s.strain) : []),
      ...(s.potential !== 0 ? row(`potential energy${of}`, withUnit(s.potential, unit, 4), s.potential) : [])];
    this.tip.replaceChildren(el('b', {}, shorten(b.name, 40) + (many ? ` ${copy}` : '')), el('span', {}, ` ${b.kind}`),
      el('dl', {}, ...(h ? [...row(`kinetic energy${of}`, withUnit(h.kinetic, unit, 4), h.kinetic), ...stored, ...row(`momentum${of}`, withUnit(p, world.run.momentumUnit, 4), p)] : [])));
    const right = this.at.x > 0.6 * this.element.clientWidth;
    this.tip.style.transform = `translate(${this.at.x + (right ? -14 : 14)}px,${this.at.y + 14}px) translateX(${right ? '-100%' : '0'})`;
  }
}
