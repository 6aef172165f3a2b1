// The 3D view: one canvas, one camera, a cell for each run; or all runs in one cell, the others as ghosts.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Body, Field, Report, Run } from '../data';
import { palette, table, type MapName } from '../colour';
import { isGroup, sub, vec } from '../scene';
import { Markers } from './markers';
import { setLook } from './materials';
import { surroundings, type Colours, type Surroundings } from './obstacles';
import { Rod, Shell, Solid, centre, cornersOf, dots, sectionOf, type Paint, type Shape } from './shapes';
import { Touches } from './touches';

export interface Choice { key: string; field: string; component: number; unit: string; on: string; low: number; high: number; cut: boolean }

export interface World {
  run: Run;
  scene: THREE.Scene;
  shapes: Shape[];
  around: Surroundings;
  touches: Touches;
  markers: Markers;
  sun: THREE.DirectionalLight;
  sky: THREE.HemisphereLight;
  spans: Spans;
}

/** How large the bodies together, and each of them, are at some frames: half the diagonal of the box about them. */
interface Spans { time: number[]; all: number[]; each: Map<string, number[]> }

export interface Hit { world: World; shape: Shape; copy: number; point: THREE.Vector3 }
export interface Label { text: string; at: THREE.Vector3; quiet: boolean }

export type View = 'free' | 'front' | 'side' | 'top';
export type Toggle = 'showArrows' | 'showMesh' | 'showGrid' | 'showNames' | 'seeThrough' | 'ghosts';

export const ALL = '*'; // follow all bodies together
const SAMPLES = 64; // frames that are looked at to find the bounds
const PIXELS = [2, 1, 0.75, 0.5]; // at most, by quality

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
  showNames = true;
  seeThrough = false;
  ghosts = false;
  /** Cut open: nothing on the near side of this share of the bounds along an axis is drawn. */
  section: { axis: number; share: number; sign: number } | null = null;
  readonly worlds: World[];
  readonly camera = new THREE.PerspectiveCamera(26, 1, 0.01, 100);
  readonly up: THREE.Vector3;
  onDrawn: () => void = () => {};
  private renderer: THREE.WebGLRenderer;
  private controls: OrbitControls;
  private bounds = new THREE.Box3();
  private seen: THREE.Vector3[] = []; // points that a view of everything shows
  private viewed: View = 'free';
  private touched = false; // the viewer has chosen a view
  private t = 0;
  private dirty = true;
  private moved = true;
  private last: { centre: THREE.Vector3; radius: number } | null = null;
  private cells = { columns: 1, rows: 1 };
  private waited = { seconds: 0, frames: 0 };
  private idle = 0; // seconds since something moved
  private still = false; // drawn with all care, because nothing moves
  private plane = new THREE.Plane();
  private readonly soft: boolean; // no graphics card: the processor draws

  constructor(private host: HTMLElement, report: Report) {
    this.soft = drawnByProcessor();
    this.stats.quality = this.soft ? 1 : 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.soft, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.localClippingEnabled = true;
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
    this.showNames = this.worlds[0].shapes.length + this.worlds[0].around.names.length <= 8;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.controls.addEventListener('start', () => (this.touched = true));
    if (this.roams()) this.follow = ALL;
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.update();
    this.theme();
    this.view('free');
  }

  get cellLayout(): { columns: number; rows: number } { return this.cells; }

  // ---- building ----

  private world(run: Run): World {
    const { whole: bodies, near, spans } = boundsOf(run), travelled = bodies.getSize(new THREE.Vector3()).length();
    const described = sub(run.scene, 'bodies');
    const shapes = run.frames.kept > 0 ? run.bodies.filter((b) => !b.leftOut).map((b) => shapeOf(b, sub(described, b.name), travelled || 1)) : [];
    const reach = Math.max(0, ...shapes.map((s) => s.reach));
    bodies.expandByScalar(reach);
    for (const list of [spans.all, ...spans.each.values()]) list.forEach((r, i) => (list[i] = r + reach));
    const size = bodies.getSize(new THREE.Vector3()).length() || 1;
    const looked = near + 2 * reach > 0.3 * size ? size : 1.3 * (near + 2 * reach);
    const around = surroundings(run.scene, bodies, looked, this.up);
    const duration = run.frames.kept > 1 ? run.frames.time[run.frames.kept - 1] - run.frames.time[0] : 1;
    const touches = new Touches(run, 0.16 * looked, 0.05 * duration), markers = new Markers(shapes, run.scene, 0.016 * looked, forceUnit(run));
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
    scene.add(sky, sun, sun.target, around.group, touches.object, markers.object, ...shapes.map((s) => s.object));
    this.bounds.union(around.room ? bodies.clone().intersect(around.room) : bodies);
    const s = around.bounds.getSize(new THREE.Vector3());
    if (!around.bounds.isEmpty() && s.length() < 3 * size) this.bounds.union(around.bounds), this.seen.push(...cornersOf(around.bounds));
    if (!around.room) this.seen.push(...onTheWay(run, shapes));
    return { run, scene, shapes, around, touches, markers, sun, sky, spans };
  }

  /** Are the bodies for a quarter of the time much smaller than all they pass through, with no walls about them to see?  A floor should
   * stay where it is: a ball that bounces is not to stand still while the floor comes and goes. */
  private roams(): boolean {
    const size = this.bounds.getSize(new THREE.Vector3()).length(), small = (list: number[]) => list.slice().sort((a, b) => a - b)[list.length >> 2];
    return this.worlds.every((w) => w.around.bounds.isEmpty() && w.spans.all.length > 0 && 2 * small(w.spans.all) < (w.around.floor ? 0.1 : 0.55) * size);
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
          if (c) (c.low = Math.min(c.low, f.low)), (c.high = Math.max(c.high, f.high)), (c.cut = c.cut || f.cut);
          else found.set(f.key, { key: f.key, field: f.field, component: f.component, unit: f.unit, on: f.on, low: f.low, high: f.high, cut: f.cut });
        }
    return [...found.values()];
  }

  // ---- looking ----

  resize(): void {
    const width = Math.max(1, this.host.clientWidth), height = Math.max(1, this.host.clientHeight);
    const n = this.ghosts ? 1 : this.worlds.length, wide = width / height;
    const columns = n === 1 ? 1 : n <= 3 ? (wide > 1.1 ? n : 1) : Math.ceil(Math.sqrt(n));
    this.cells = { columns, rows: Math.ceil(n / columns) };
    this.renderer.setPixelRatio(this.ratio());
    this.renderer.setSize(width, height, false);
    const aspect = width / columns / (height / this.cells.rows), changed = Math.abs(aspect - this.camera.aspect) > 1e-6;
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (changed && !this.touched) this.view(this.viewed);
    this.moved = true;
  }

  /** Pixels per point.  Without a graphics card there is no smoothing of edges, and a still picture is drawn twice as fine. */
  private ratio(): number {
    const screen = Math.min(2, window.devicePixelRatio || 1);
    if (this.still) return this.soft ? 2 : screen;
    return Math.min(screen, PIXELS[this.stats.quality]);
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
    const followed = this.followed().length > 0, box = followed ? this.boxNow() : this.bounds.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : this.bounds;
    const shown = followed || this.seen.length === 0 ? cornersOf(box) : this.seen;
    const middle = box.getCenter(new THREE.Vector3()), size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-9);
    const right = new THREE.Vector3().crossVectors(this.up, d).normalize(), above = new THREE.Vector3().crossVectors(d, right);
    const ty = Math.tan((this.camera.fov * Math.PI) / 360), tx = ty * this.camera.aspect, p = new THREE.Vector3();
    let distance = 0.2 * size;
    for (const q of shown) {
      const depth = p.copy(q).sub(middle).dot(d);
      distance = Math.max(distance, depth + (1.14 * Math.abs(p.dot(right))) / tx, depth + (1.26 * Math.abs(p.dot(above))) / ty); // room for names and tools
    }
    const whole = Math.max(size, this.bounds.isEmpty() ? 0 : this.bounds.getSize(p).length());
    this.camera.position.copy(middle).addScaledVector(d, distance);
    this.camera.near = 0.02 * distance;
    this.camera.far = distance + 8 * whole;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.controls.minDistance = 0.02 * size;
    this.controls.maxDistance = 10 * whole;
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

  /** A map for signed numbers is even about zero; one that starts near zero starts there. */
  range(c: Choice): [number, number] {
    if (this.mapOf(c) !== 'diverging') return [c.low > 0 && c.low < 0.2 * c.high ? 0 : c.low, c.high];
    const most = Math.max(Math.abs(c.low), Math.abs(c.high));
    return [-most, most];
  }

  colourBy(c: Choice | null): void {
    this.choice = c;
    this.moved = true;
  }

  /** Cuts along an axis (0, 1, 2; null: whole again); the side towards the viewer goes. */
  cut(axis: number | null, share = 0.5): void {
    const d = this.camera.position.clone().sub(this.controls.target);
    this.section = axis === null ? null : { axis, share, sign: this.section?.axis === axis ? this.section.sign : d.getComponent(axis) >= 0 ? 1 : -1 };
    this.moved = true;
  }

  setGhosts(on: boolean): void {
    this.ghosts = on && this.worlds.length > 1;
    this.theme();
    this.resize();
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
    for (const [k, w] of this.worlds.entries()) {
      w.around.theme(c);
      w.touches.theme(colour('--impulse'));
      w.markers.theme(colour('--muted'), colour('--load'));
      w.sky.groundColor.copy(c.dark ? new THREE.Color('#40444a') : new THREE.Color('#b5afa2'));
      w.sky.intensity = c.dark ? 1.25 : 1.5;
      w.shapes.forEach((s, i) => s.tint(this.ghosts ? bodyColour(k, c.dark) : bodyColour(i, c.dark), c.dark ? new THREE.Color('#0b0d0f') : new THREE.Color('#20262b')));
    }
    this.moved = true;
  }

  // ---- drawing ----

  private update(): void {
    this.worlds.forEach((w, k) => {
      const { frame, blend } = w.run.frameAt(this.t), ghost = this.ghosts && k > 0;
      for (const s of w.shapes) {
        s.update(frame, blend);
        const f: Field | undefined = this.choice && !this.ghosts ? s.body.fields.find((x) => x.key === this.choice!.key) : undefined;
        const [low, high] = this.choice ? this.range(this.choice) : [0, 1];
        const paint: Paint | null = f ? { field: f, table: table(this.mapOf(this.choice)), low, high } : null;
        s.paint(paint, frame, blend);
        s.lines(this.showMesh);
        s.detail(this.still || this.stats.quality < 2);
        setLook(s.object, { opacity: ghost ? 0.38 : this.seeThrough ? 0.42 : 1, planes: this.section ? [this.cutting(this.section)] : [] });
      }
      w.touches.object.visible = this.showArrows && !ghost;
      w.around.group.visible = !ghost;
      w.markers.object.visible = this.showNames && !ghost;
      if (w.touches.object.visible) w.touches.update(this.t, this.renderer.getPixelRatio());
      if (w.markers.object.visible) w.markers.update();
      w.around.group.traverse((o) => { if (o.name === 'guide') o.visible = this.showGrid; });
    });
    this.followBody();
    this.dirty = true;
  }

  private cutting({ axis, share, sign }: { axis: number; share: number; sign: number }): THREE.Plane {
    const at = this.bounds.min.getComponent(axis) + share * (this.bounds.max.getComponent(axis) - this.bounds.min.getComponent(axis));
    this.plane.normal.set(0, 0, 0).setComponent(axis, -sign);
    this.plane.constant = sign * at;
    return this.plane;
  }

  /** What is followed; empty: nothing. */
  private followed(): Shape[] {
    if (this.follow === null) return [];
    return this.worlds.flatMap((w) => w.shapes.filter((s) => this.follow === ALL || s.body.name === this.follow)).slice(0, 400);
  }

  private boxNow(): THREE.Box3 {
    const { centre: middle, radius } = this.nowFollowed(), half = 0.62 * radius;
    return new THREE.Box3(middle.clone().subScalar(half), middle.clone().addScalar(half));
  }

  /** Where what is followed is, and how large; the size changes slowly, so that the picture is calm. */
  private nowFollowed(): { centre: THREE.Vector3; radius: number } {
    const sum = new THREE.Vector3(), p = new THREE.Vector3(), list = this.followed();
    for (const s of list) sum.add(centre(s, p));
    sum.divideScalar(Math.max(1, list.length));
    let radius = 0;
    for (const w of this.worlds) {
      const spans = this.follow === ALL ? w.spans.all : w.spans.each.get(this.follow ?? '') ?? [];
      radius = Math.max(radius, calm(w.spans.time, spans, this.t));
    }
    return { centre: sum, radius: radius || 0.5 * this.bounds.getSize(p).length() };
  }

  private followBody(): void {
    if (this.followed().length === 0) {
      this.last = null;
      return;
    }
    const now = this.nowFollowed(), target = this.controls.target, from = this.camera.position.clone().sub(target);
    if (this.last) from.multiplyScalar(now.radius / this.last.radius);
    target.add(this.last ? now.centre.clone().sub(this.last.centre) : now.centre.clone().sub(target));
    this.camera.position.copy(target).add(from);
    this.last = now;
    this.controls.update();
    for (const w of this.worlds) this.shine(w.sun, now.centre);
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
      const cell = this.ghosts ? 0 : i;
      const x = Math.round((width * (cell % columns)) / columns), y = Math.round((height * (rows - 1 - Math.floor(cell / columns))) / rows);
      const cw = Math.round((width * ((cell % columns) + 1)) / columns) - x, ch = Math.round(height / rows);
      this.renderer.setViewport(x, y, cw, ch);
      this.renderer.setScissor(x, y, cw, ch);
      if (cell === i) this.renderer.clear();
      this.renderer.render(w.scene, this.camera);
    });
    this.stats.rendered++;
    this.onDrawn();
  }

  /** On a slow machine first the shadows go, then pixels, then the smoothness of shells; looked at twice a second. */
  private judge(seconds: number): void {
    this.waited.seconds += seconds;
    this.waited.frames++;
    if (this.waited.seconds < 0.5 || this.waited.frames < 4) return;
    const mean = this.waited.seconds / this.waited.frames;
    this.waited = { seconds: 0, frames: 0 };
    this.stats.fps = 1 / mean;
    if (mean > 1 / 30 && this.stats.quality < 3) {
      this.stats.quality += mean > 1 / 8 ? 2 : 1;
      this.stats.quality = Math.min(3, this.stats.quality);
      this.resize();
    }
  }

  /** As fine as can be again; a slow machine steps down by itself. */
  restoreQuality(): void {
    this.stats.quality = this.soft ? 1 : 0;
    this.waited = { seconds: 0, frames: 0 };
    this.resize();
  }

  snapshot(): HTMLCanvasElement {
    this.care(true);
    this.update();
    this.render();
    return this.canvas;
  }

  // ---- asking ----

  /** Pixels of a point in the host, and whether it is in sight; of the first cell. */
  project(p: THREE.Vector3): { x: number; y: number; seen: boolean } {
    const v = p.clone().project(this.camera), w = this.host.clientWidth / this.cells.columns, h = this.host.clientHeight / this.cells.rows;
    return { x: (0.5 + 0.5 * v.x) * w, y: (0.5 - 0.5 * v.y) * h, seen: v.z < 1 && Math.abs(v.x) < 1 && Math.abs(v.y) < 1 };
  }

  /** Points per unit of length at the middle of the view. */
  get scale(): number {
    const d = this.camera.position.distanceTo(this.controls.target);
    return this.host.clientHeight / this.cells.rows / (2 * d * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  labels(): Label[] {
    if (!this.showNames || this.worlds.length === 0 || (this.worlds.length > 1 && !this.ghosts)) return [];
    const w = this.worlds[0], p = new THREE.Vector3();
    const bodies = w.shapes.slice(0, 24).map((s) => {
      const at = centre(s, p).clone(), top = Math.max(...s.extent().map((q) => q.dot(this.up)));
      at.addScaledVector(this.up, top - at.dot(this.up));
      const copies = s.body.elementNodes === 0 && s.body.nodes > 1 ? ` × ${s.body.nodes}` : '', fixed = sub(sub(w.run.scene, 'bodies'), s.body.name)?.fixed === true ? ', fixed' : '';
      return { text: s.body.name + copies + fixed, at, quiet: false };
    });
    return [...bodies, ...w.markers.anchors.map((a) => ({ text: a.text, at: a.at(), quiet: true })), ...w.around.names.slice(0, 12).map((n) => ({ text: n.name, at: n.at, quiet: true }))];
  }

  /** The body under a pixel of the host. */
  pick(x: number, y: number): Hit | null {
    const { columns, rows } = this.cells, w = this.host.clientWidth / columns, h = this.host.clientHeight / rows;
    const cell = this.ghosts ? 0 : Math.floor(x / w) + columns * Math.floor(y / h), world = this.worlds[cell];
    if (!world) return null;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((x % w) / w) * 2 - 1, 1 - ((y % h) / h) * 2), this.camera);
    const endless = new THREE.Sphere(new THREE.Vector3(), Infinity);
    let best: Hit | null = null, near = Infinity;
    for (const shape of world.shapes)
      for (const m of shape.meshes) {
        m.geometry.boundingSphere = endless;
        if ((m as THREE.InstancedMesh).isInstancedMesh) (m as THREE.InstancedMesh).boundingSphere = endless;
        for (const hit of ray.intersectObject(m, false)) {
          if (hit.distance >= near || (this.section && this.cutting(this.section).distanceToPoint(hit.point) < 0)) continue;
          near = hit.distance;
          best = { world, shape, copy: hit.instanceId ?? 0, point: hit.point.clone() };
        }
      }
    return best;
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

function forceUnit(run: Run): string {
  return run.contactTable.unit('peak_force') || 'N';
}

/** A mean over a tenth of the run, of what is at most that much: it never changes suddenly, and hides nothing. */
function calm(time: number[], value: number[], t: number): number {
  const n = time.length, wide = n > 1 ? 0.08 * (time[n - 1] - time[0]) : 0;
  let sum = 0, weight = 0;
  for (let i = 0; i < n; i++) {
    const w = Math.max(0, 1 - Math.abs(time[i] - t) / (2 * wide || 1)), most = Math.max(value[Math.max(0, i - 2)] ?? 0, value[i] ?? 0, value[Math.min(n - 1, i + 2)] ?? 0);
    sum += w * most, weight += w;
  }
  return weight > 0 ? sum / weight : value[0] ?? 0;
}

/** Where the surfaces of bodies are at some times. */
function onTheWay(run: Run, shapes: Shape[]): THREE.Vector3[] {
  const n = run.frames.kept, most = Math.min(n, shapes.length > 60 ? 6 : 16), out: THREE.Vector3[] = [];
  for (let k = 0; k < most; k++)
    for (const s of shapes.slice(0, 200)) {
      s.update(most > 1 ? Math.round((k * (n - 1)) / (most - 1)) : 0, 0);
      out.push(...s.extent());
    }
  return out;
}

/** The box of all motion, and how large the bodies are at some times. */
function boundsOf(run: Run): { whole: THREE.Box3; near: number; spans: Spans } {
  const whole = new THREE.Box3(), p = new THREE.Vector3(), n = run.frames.kept;
  const bodies = run.bodies.filter((b) => !b.leftOut), x = new Float32Array(3 * Math.max(1, ...bodies.map((b) => b.nodes)));
  const nodes = bodies.reduce((sum, b) => sum + b.nodes, 0), most = Math.min(n, nodes > 20000 ? 16 : SAMPLES);
  const spans: Spans = { time: [], all: [], each: new Map(bodies.map((b) => [b.name, []])) };
  for (let k = 0; k < most; k++) {
    const now = new THREE.Box3(), frame = most > 1 ? Math.round((k * (n - 1)) / (most - 1)) : 0;
    for (const b of bodies) {
      const own = boxOf(b, frame, x);
      spans.each.get(b.name)!.push(0.5 * own.getSize(p).length());
      now.union(own);
    }
    spans.time.push(run.frames.time[frame]);
    spans.all.push(now.isEmpty() ? 0 : 0.5 * now.getSize(p).length());
    whole.union(now);
  }
  if (whole.isEmpty()) whole.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  return { whole, near: 2 * Math.max(0, ...spans.all), spans };
}

function boxOf(b: Body, frame: number, x: Float32Array): THREE.Box3 {
  const box = new THREE.Box3(), p = new THREE.Vector3();
  b.positions(frame, 0, x);
  for (let i = 0; i < 3 * b.nodes; i += 3) box.expandByPoint(p.set(x[i], x[i + 1], x[i + 2]));
  return box;
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
