// The 3D view: one canvas, one camera, a cell for each run.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Field, Report, Run } from '../data';
import { palette, table, type MapName } from '../colour';
import { isGroup, sub, vec } from '../scene';
import { Arrows } from './arrows';
import { surroundings, type Colours, type Surroundings } from './obstacles';
import { Rod, Shell, Solid, dots, sectionOf, type Paint, type Shape } from './shapes';

export interface Choice { key: string; field: string; component: number; unit: string; on: string; low: number; high: number }

interface World {
  run: Run;
  scene: THREE.Scene;
  shapes: Shape[];
  around: Surroundings;
  arrows: Arrows;
  sun: THREE.DirectionalLight;
  sky: THREE.HemisphereLight;
}

export type View = 'free' | 'front' | 'side' | 'top';

export const ALL = '*'; // follow all bodies together
const SAMPLES = 24; // frames that are looked at to find the bounds

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly choices: Choice[];
  readonly stats = { frames: 0, rendered: 0, fps: 0, quality: 0 };
  map: MapName | 'auto' = 'auto';
  choice: Choice | null = null;
  follow: string | null = null;
  showArrows = true;
  showMesh = false;
  showGrid = true;
  private worlds: World[];
  private renderer: THREE.WebGLRenderer;
  private camera = new THREE.PerspectiveCamera(26, 1, 0.01, 100);
  private controls: OrbitControls;
  private bounds = new THREE.Box3();
  private viewed: View = 'free';
  private touched = false; // the viewer has chosen a view
  private near = 0; // how large the bodies together are at one time
  private up: THREE.Vector3;
  private t = 0;
  private dirty = true;
  private moved = true;
  private last: THREE.Vector3 | null = null;
  private cells = { columns: 1, rows: 1 };
  private intervals: number[] = [];
  private idle = 0; // seconds since something moved
  private still = false; // drawn with all care, because nothing moves
  private readonly soft: boolean; // no graphics card: the processor draws

  constructor(private host: HTMLElement, report: Report) {
    this.soft = drawnByProcessor();
    this.stats.quality = this.soft ? 1 : 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.soft, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.setScissorTest(true);
    this.renderer.autoClear = false;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', 'Moving picture of the run');
    this.canvas.setAttribute('role', 'img');
    host.appendChild(this.canvas);
    this.up = upOf(report.runs[0]);
    this.camera.up.copy(this.up);
    this.worlds = report.runs.map((r) => this.world(r));
    this.choices = this.findChoices();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.controls.addEventListener('start', () => (this.touched = true));
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.update();
    if (this.near < 0.3 * this.bounds.getSize(new THREE.Vector3()).length()) this.follow = ALL;
    this.view('free');
  }

  get cellLayout(): { columns: number; rows: number } { return this.cells; }

  // ---- building ----

  private world(run: Run): World {
    const { whole: bodies, near } = boundsOf(run), travelled = bodies.getSize(new THREE.Vector3()).length();
    const described = sub(run.scene, 'bodies');
    const shapes = run.frames.kept > 0 ? run.bodies.filter((b) => !b.leftOut).map((b) => shapeOf(b, sub(described, b.name), travelled || 1)) : [];
    const reach = Math.max(0, ...shapes.map((s) => s.reach));
    bodies.expandByScalar(reach);
    const size = bodies.getSize(new THREE.Vector3()).length() || 1;
    const looked = near + 2 * reach > 0.3 * size ? size : 1.3 * (near + 2 * reach);
    this.near = Math.max(this.near, near + 2 * reach);
    const around = surroundings(run.scene, bodies, looked, this.up);
    const duration = run.frames.kept > 1 ? run.frames.time[run.frames.kept - 1] - run.frames.time[0] : 1;
    const arrows = new Arrows(run, 0.16 * looked, 0.05 * duration);
    const scene = new THREE.Scene();
    const sky = new THREE.HemisphereLight(0xffffff, 0xb9b3a6, 1.5), sun = new THREE.DirectionalLight(0xffffff, 1.9);
    sky.position.copy(this.up);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.radius = 3;
    sun.shadow.normalBias = 0.002 * looked;
    sun.shadow.bias = -0.0005;
    const c = sun.shadow.camera, half = 0.62 * looked;
    (c.left = c.bottom = -half), (c.right = c.top = half), (c.near = 0.1 * looked), (c.far = 3.2 * looked);
    sun.userData.distance = 1.5 * looked;
    this.shine(sun, bodies.getCenter(new THREE.Vector3()));
    scene.add(sky, sun, sun.target, around.group, arrows.object, ...shapes.map((s) => s.object));
    this.bounds.union(bodies);
    const s = around.bounds.getSize(new THREE.Vector3());
    if (!around.bounds.isEmpty() && s.length() < 3 * size) this.bounds.union(around.bounds);
    return { run, scene, shapes, around, arrows, sun, sky };
  }

  private shine(sun: THREE.DirectionalLight, at: THREE.Vector3): void {
    const d = Math.abs(this.up.y) > 0.5 ? new THREE.Vector3(0.45, 0, 0.35) : Math.abs(this.up.x) > 0.5 ? new THREE.Vector3(0, 0.45, 0.35) : new THREE.Vector3(0.45, -0.35, 0);
    sun.target.position.copy(at);
    sun.position.copy(at).addScaledVector(d.add(this.up).normalize(), sun.userData.distance);
  }

  /** Every field of every body, once; the range is that of all bodies and runs. */
  private findChoices(): Choice[] {
    const found = new Map<string, Choice>();
    for (const w of this.worlds)
      for (const s of w.shapes)
        for (const f of s.body.fields) {
          const c = found.get(f.key);
          if (c) (c.low = Math.min(c.low, f.low)), (c.high = Math.max(c.high, f.high));
          else found.set(f.key, { key: f.key, field: f.field, component: f.component, unit: f.unit, on: f.on, low: f.low, high: f.high });
        }
    return [...found.values()];
  }

  // ---- looking ----

  resize(): void {
    const width = Math.max(1, this.host.clientWidth), height = Math.max(1, this.host.clientHeight);
    const n = this.worlds.length, wide = width / height;
    const columns = n === 1 ? 1 : n <= 3 ? (wide > 1.1 ? n : 1) : Math.ceil(Math.sqrt(n));
    this.cells = { columns, rows: Math.ceil(n / columns) };
    this.renderer.setPixelRatio(this.ratio());
    this.renderer.setSize(width, height, false);
    const aspect = width / columns / (height / this.cells.rows), changed = Math.abs(aspect - this.camera.aspect) > 1e-6;
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (changed && !this.touched) this.view(this.viewed);
    this.dirty = true;
  }

  /** Pixels per point.  Without a graphics card there is no smoothing of edges, and a still picture is drawn twice as fine. */
  private ratio(): number {
    const screen = Math.min(2, window.devicePixelRatio || 1);
    if (this.still) return this.soft ? 2 : screen;
    return this.stats.quality >= 3 ? 0.7 : this.stats.quality >= 1 ? Math.min(1, screen) : screen;
  }

  view(name: View): void {
    this.viewed = name;
    this.touched = false;
    const up = this.up, size = this.bounds.getSize(new THREE.Vector3());
    const long = Math.max(size.x, size.y, size.z), thin = [size.x, size.y, size.z].filter((s) => s < 0.2 * long).length === 2;
    const front = Math.abs(up.y) > 0.5 ? new THREE.Vector3(0, 0, 1) : Math.abs(up.x) > 0.5 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, -1, 0);
    const side = new THREE.Vector3().crossVectors(up, front).negate();
    const d = new THREE.Vector3();
    if (name === 'front') d.copy(front);
    else if (name === 'side') d.copy(side).negate();
    else if (name === 'top') d.copy(up).addScaledVector(front, 1e-3);
    else if (thin && size.dot(new THREE.Vector3(Math.abs(up.x), Math.abs(up.y), Math.abs(up.z))) < 0.2 * long) {
      const along = size.x === long ? new THREE.Vector3(1, 0, 0) : size.y === long ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
      d.copy(front).addScaledVector(along, 0.35).addScaledVector(up, 0.3);
    } else d.copy(front).addScaledVector(side, -0.62).addScaledVector(up, 0.46);
    this.look(d.normalize());
  }

  fit(): void {
    this.look(this.camera.position.clone().sub(this.controls.target).normalize());
  }

  /** From direction d, as near as shows all corners of the bounds. */
  private look(d: THREE.Vector3): void {
    const box = this.follow !== null ? this.boxNow() : this.bounds.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : this.bounds;
    const centre = box.getCenter(new THREE.Vector3()), size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-9);
    const right = new THREE.Vector3().crossVectors(this.up, d).normalize(), above = new THREE.Vector3().crossVectors(d, right);
    const ty = Math.tan((this.camera.fov * Math.PI) / 360), tx = ty * this.camera.aspect, p = new THREE.Vector3();
    let distance = 0.2 * size;
    for (let k = 0; k < 8; k++) {
      p.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
      const depth = p.dot(d);
      distance = Math.max(distance, depth + (1.12 * Math.abs(p.dot(right))) / tx, depth + (1.16 * Math.abs(p.dot(above))) / ty);
    }
    this.camera.position.copy(centre).addScaledVector(d, distance);
    this.camera.near = Math.max(1e-3 * size, 0.02 * distance);
    this.camera.far = distance + 8 * size;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.minDistance = 0.02 * size;
    this.controls.maxDistance = 10 * size;
    this.controls.update();
    this.last = null;
    this.dirty = this.moved = true;
  }

  // ---- what is shown ----

  bodyNames(): string[] {
    return [...new Set(this.worlds.flatMap((w) => w.shapes.map((s) => s.body.name)))];
  }

  mapOf(c: Choice | null): MapName {
    if (this.map !== 'auto') return this.map;
    return c && c.low < 0 && c.high > 0 ? 'diverging' : 'sequential';
  }

  /** A map for signed numbers is even about zero. */
  range(c: Choice): [number, number] {
    if (this.mapOf(c) !== 'diverging') return [c.low, c.high];
    const most = Math.max(Math.abs(c.low), Math.abs(c.high));
    return [-most, most];
  }

  colourBy(c: Choice | null): void {
    this.choice = c;
    this.moved = true;
  }

  refresh(): void { this.moved = true; }

  seek(t: number): void {
    this.t = t;
    this.moved = true;
  }

  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => new THREE.Color(style.getPropertyValue(name).trim() || '#888');
    const c: Colours = { ink: colour('--ink'), paper: colour('--paper'), stone: colour('--stone'), wall: colour('--wall'), dark: style.getPropertyValue('--dark').trim() === '1' };
    this.renderer.setClearColor(colour('--sheet'), 1);
    for (const w of this.worlds) {
      w.around.theme(c);
      w.arrows.theme(colour('--impulse'));
      w.sky.groundColor.copy(c.dark ? new THREE.Color('#40444a') : new THREE.Color('#b5afa2'));
      w.sky.intensity = c.dark ? 1.25 : 1.5;
      w.shapes.forEach((s, i) => s.tint(bodyColour(i, c.dark), c.dark ? new THREE.Color('#0b0d0f') : new THREE.Color('#20262b')));
    }
    this.moved = true;
  }

  // ---- drawing ----

  private update(): void {
    for (const w of this.worlds) {
      const { frame, blend } = w.run.frameAt(this.t);
      for (const s of w.shapes) {
        s.update(frame, blend);
        const f: Field | undefined = this.choice ? s.body.fields.find((x) => x.key === this.choice!.key) : undefined;
        const [low, high] = this.choice ? this.range(this.choice) : [0, 1];
        const paint: Paint | null = f ? { field: f, table: table(this.mapOf(this.choice)), low, high } : null;
        s.paint(paint, frame, blend);
        s.lines(this.showMesh);
      }
      w.arrows.object.visible = this.showArrows;
      if (this.showArrows) w.arrows.update(this.t);
      w.around.group.traverse((o) => { if (o.name === 'guide') o.visible = this.showGrid; });
    }
    this.followBody();
    this.dirty = true;
  }

  /** What is followed; empty: nothing. */
  private followed(): Shape[] {
    if (this.follow === null) return [];
    return this.worlds.flatMap((w) => w.shapes.filter((s) => this.follow === ALL || s.body.name === this.follow)).slice(0, 400);
  }

  /** A box about what is followed, large enough for all times. */
  private boxNow(): THREE.Box3 {
    const centre = this.middle(), half = 0.5 * this.near;
    return new THREE.Box3(centre.clone().subScalar(half * 0.8), centre.clone().addScalar(half * 0.8));
  }

  private middle(): THREE.Vector3 {
    const sum = new THREE.Vector3(), p = new THREE.Vector3(), list = this.followed();
    for (const s of list) s.centre(p), sum.add(p);
    return sum.divideScalar(Math.max(1, list.length));
  }

  private followBody(): void {
    if (this.followed().length === 0) {
      this.last = null;
      return;
    }
    const now = this.middle();
    const step = this.last ? now.clone().sub(this.last) : now.clone().sub(this.controls.target);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.last = now;
    this.controls.update();
    for (const w of this.worlds) this.shine(w.sun, now);
  }

  /** Draws if something changed; `seconds` since the last call. */
  tick(seconds: number, playing: boolean): void {
    this.stats.frames++;
    if (playing) this.judge(seconds);
    const changed = this.moved || this.dirty;
    this.idle = changed || playing ? 0 : this.idle + seconds;
    if (changed && this.still) this.care(false);
    if (!changed && !this.still && this.idle > 0.25) this.care(true);
    if (this.moved) this.update();
    this.moved = false;
    if (this.dirty) this.render();
    this.dirty = false;
  }

  /** A picture that stands still gets shadows and fine pixels also on slow machines. */
  private care(still: boolean): void {
    this.still = still;
    if (this.renderer.getPixelRatio() !== this.ratio() || this.stats.quality > 0) this.resize();
  }

  render(): void {
    const width = this.host.clientWidth, height = this.host.clientHeight, { columns, rows } = this.cells;
    const shadows = this.still || this.stats.quality < 1;
    this.worlds.forEach((w, i) => {
      w.sun.castShadow = shadows;
      w.around.group.traverse((o) => { if (o.name === 'shadow') o.visible = shadows; });
      const x = Math.round((width * (i % columns)) / columns), y = Math.round((height * (rows - 1 - Math.floor(i / columns))) / rows);
      const cw = Math.round((width * ((i % columns) + 1)) / columns) - x, ch = Math.round(height / rows);
      this.renderer.setViewport(x, y, cw, ch);
      this.renderer.setScissor(x, y, cw, ch);
      this.renderer.clear();
      this.renderer.render(w.scene, this.camera);
    });
    this.stats.rendered++;
  }

  /** On a slow machine first the shadows go, then pixels. */
  private judge(seconds: number): void {
    this.intervals.push(seconds);
    if (this.intervals.length < 24) return;
    const mean = this.intervals.reduce((a, b) => a + b, 0) / this.intervals.length;
    this.intervals = [];
    this.stats.fps = 1 / mean;
    if (mean > 1 / 40 && this.stats.quality < 3) {
      this.stats.quality += 1 + +(this.stats.quality === 1);
      this.resize();
      this.moved = true;
    }
  }

  snapshot(): HTMLCanvasElement {
    this.care(true);
    this.update();
    this.render();
    return this.canvas;
  }
}

/** Some browsers draw WebGL with the processor; then everything that costs pixels is dear. */
function drawnByProcessor(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(name);
}

function upOf(run: Run): THREE.Vector3 {
  const g = vec(run.scene, 'gravity') ?? [0, 0, 0];
  const k = [0, 1, 2].reduce((best, i) => (Math.abs(g[i]) > Math.abs(g[best]) ? i : best), 2);
  const up = new THREE.Vector3();
  up.setComponent(k, g[k] > 0 ? -1 : 1);
  return up;
}

/** The box of all motion, and how large the bodies together are at one time. */
function boundsOf(run: Run): { whole: THREE.Box3; near: number } {
  const whole = new THREE.Box3(), p = new THREE.Vector3(), n = run.frames.kept, most = Math.min(n, SAMPLES);
  const bodies = run.bodies.filter((b) => !b.leftOut), x = new Float32Array(3 * Math.max(1, ...bodies.map((b) => b.nodes)));
  let near = 0;
  for (let k = 0; k < most; k++) {
    const now = new THREE.Box3();
    for (const b of bodies) {
      b.positions(most > 1 ? Math.round((k * (n - 1)) / (most - 1)) : 0, 0, x);
      for (let i = 0; i < 3 * b.nodes; i += 3) now.expandByPoint(p.set(x[i], x[i + 1], x[i + 2]));
    }
    near = Math.max(near, now.isEmpty() ? 0 : now.getSize(p).length());
    whole.union(now);
  }
  if (whole.isEmpty()) whole.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  return { whole, near };
}

function shapeOf(b: Run['bodies'][number], scene: ReturnType<typeof sub>, size: number): Shape {
  const skin = b.skinPoints(), triangles = b.skinTriangles();
  if (skin && triangles) return new Solid(b, skin, triangles, isHollow(sub(scene, 'shape')));
  if (b.elementNodes === 3 && b.elements()) return new Shell(b);
  if (b.elementNodes === 2 && b.nodes > 1) return new Rod(b, scene, sectionOf(scene, size));
  return dots(b, 0.012 * size);
}

/** A container is seen from inside. */
function isHollow(shape: ReturnType<typeof sub>): boolean {
  return shape !== undefined && (shape.room !== undefined || shape.shell !== undefined || Object.values(shape).some((v) => isGroup(v) && v.inside === true));
}

function bodyColour(i: number, dark: boolean): THREE.Color {
  const c = new THREE.Color(palette[i % palette.length]);
  return c.lerp(new THREE.Color(dark ? '#ffffff' : '#f4f1ea'), dark ? 0.25 : 0.32);
}
