// The data of the page: JSON and base64 blocks that the program wrote (src/report/page.h).
import { parseScene, type Group } from './scene';

const FORMAT = 3; // VVI_PAGE_FORMAT

function bytes(block: number): ArrayBuffer {
  const e = document.getElementById('vv-' + block);
  const text = e?.textContent ?? '';
  const native = (Uint8Array as any).fromBase64;
  let out: Uint8Array;
  if (native) out = native.call(Uint8Array, text);
  else {
    const raw = atob(text);
    out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  }
  e?.remove(); // each block is read once; its text need not stay
  return out.buffer as ArrayBuffer;
}

/** Blocks are unpacked when they are first looked at. */
function lazy<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

export interface Column { name: string; unit: string; words: boolean }

export class Table {
  rows: number;
  all: number;
  columns: Column[];
  words: string[];
  private data: () => Float64Array[];

  constructor(j: any) {
    this.rows = j.rows;
    this.all = j.all;
    this.columns = j.columns;
    this.words = j.words;
    this.data = lazy(() => {
      const all = new Float64Array(bytes(j.block));
      return this.columns.map((_, i) => all.subarray(i * this.rows, (i + 1) * this.rows));
    });
  }

  column(name: string): Float64Array | undefined {
    const i = this.columns.findIndex((c) => c.name === name);
    return i >= 0 ? this.data()[i] : undefined;
  }

  unit(name: string): string {
    return this.columns.find((c) => c.name === name)?.unit ?? '';
  }

  word(name: string, row: number): string {
    const c = this.column(name);
    return c && c[row] >= 0 ? this.words[c[row]] ?? '' : '';
  }
}

/** One contact of two bodies and its force over time. */
export interface Contact {
  row: number; // in the table
  a: string; b: string; // with the number of the copy, where a body has several
  touch: number; release: number;
  normal: number; peak: number; peakTime: number; lost: number;
  time: number[]; force: number[]; slide: number[];
}

function readContacts(t: Table, j: any): Contact[] {
  const column = (name: string) => t.column(name) ?? new Float64Array(t.rows);
  const name = (side: string, i: number) => t.word(`body_${side}`, i) + (column(`copy_${side}`)[i] >= 0 ? ` ${column(`copy_${side}`)[i]}` : '');
  const out: Contact[] = [];
  for (let i = 0; i < t.rows; i++)
    out.push({ row: i, a: name('a', i), b: name('b', i), touch: column('touch')[i], release: column('release')[i], normal: column('normal_impulse')[i],
      peak: column('peak_force')[i], peakTime: column('peak_time')[i], lost: column('energy_lost')[i], time: [], force: [], slide: [] });
  const f = j ? new Float64Array(bytes(j.block)) : new Float64Array();
  for (let i = 0; i + 3 < f.length; i += 4) {
    const c = out[f[i]];
    c?.time.push(f[i + 1]), c?.force.push(f[i + 2]), c?.slide.push(f[i + 3]);
  }
  return out;
}

export class Field {
  field: string;
  component: number;
  components: number;
  unit: string;
  on: 'nodes' | 'elements';
  low: number; // of the levels; a few values may lie beyond
  high: number;
  least: number; // of all values
  most: number;
  values: () => Uint8Array;

  constructor(j: any) {
    this.field = j.field; this.component = j.component; this.components = j.components;
    this.unit = j.unit; this.on = j.on; this.low = j.low; this.high = j.high;
    this.least = j.least ?? j.low; this.most = j.most ?? j.high;
    this.values = lazy(() => new Uint8Array(bytes(j.block)));
  }

  get key(): string {
    return this.field + '/' + this.component;
  }

  /** Do some values lie beyond the range? */
  get cut(): boolean {
    return this.least < this.low || this.most > this.high;
  }

  /** Values between two frames: out[i] = low + (high - low) level / 255. */
  at(frame: number, blend: number, count: number, out: Float32Array): void {
    const v = this.values(), a = frame * count, b = blend > 0 ? a + count : a;
    const scale = (this.high - this.low) / 255;
    for (let i = 0; i < count; i++) out[i] = this.low + scale * (v[a + i] + blend * (v[b + i] - v[a + i]));
  }
}

export class Body {
  name: string;
  kind: string;
  nodes: number;
  elementNodes: number;
  leftOut: boolean;
  low: number[];
  high: number[];
  fields: Field[];
  turns: boolean;
  elements: () => Int32Array | undefined;
  skinPoints: () => Float32Array | undefined;
  skinTriangles: () => Int32Array | undefined;
  index: number; // in the scene
  /** Where a copy of a rigid body was at its impacts: time, then place and quaternion; by time. */
  poses = new Map<number, { time: number[]; at: number[][] }>();
  times: ArrayLike<number> = [];
  /** Times of the shapes at contacts, which stand behind those of the frames. */
  keys: ArrayLike<number> = [];
  readonly keyed: boolean;
  /** Kinetic energy and momentum x, y, z: [frames][rows][4]; a row for each of a few copies, else one for all. */
  holdings: () => Float32Array | undefined;
  holdingRows: number;
  private start: () => Float32Array;
  private levels: () => Uint16Array;
  private quaternions: () => Int16Array;

  constructor(j: any) {
    this.name = j.name; this.kind = j.kind; this.index = j.index ?? -1; this.nodes = j.nodes; this.elementNodes = j.element_nodes; this.leftOut = j.left_out;
    this.low = j.position?.low ?? [0, 0, 0];
    this.high = j.position?.high ?? [0, 0, 0];
    this.fields = (j.fields ?? []).map((f: any) => new Field(f));
    this.turns = j.orientation !== undefined;
    this.keyed = j.position?.keyed === true;
    this.holdingRows = j.holding_rows ?? 0;
    const block = <T>(n: number | undefined, make: (b: ArrayBuffer) => T) => lazy(() => (n === undefined ? undefined : make(bytes(n))));
    this.elements = block(j.elements, (b) => new Int32Array(b));
    this.skinPoints = block(j.skin_points, (b) => new Float32Array(b));
    this.skinTriangles = block(j.skin_triangles, (b) => new Int32Array(b));
    this.holdings = block(j.holdings, (b) => new Float32Array(b));
    this.start = lazy(() => (j.position ? new Float32Array(bytes(j.position.start)) : new Float32Array()));
    this.levels = lazy(() => (j.position ? new Uint16Array(bytes(j.position.block)) : new Uint16Array()));
    this.quaternions = lazy(() => (j.orientation !== undefined ? new Int16Array(bytes(j.orientation)) : new Int16Array()));
  }

  /** Largest error of a position, by the levels it was rounded to. */
  get precision(): number {
    return Math.max(...[0, 1, 2].map((c) => (this.high[c] - this.low[c]) / 65535 / 2));
  }

  first(): Float32Array {
    return this.start();
  }

  /** The two shapes about this moment, by their number among frames and shapes at contacts, and how far between them it is. */
  private about(frame: number, blend: number): { left: number; right: number; share: number } {
    if (blend === 0) return { left: frame, right: frame, share: 0 };
    const t0 = this.times[frame], t1 = this.times[frame + 1], t = t0 + blend * (t1 - t0), k = this.keyed ? lastNotAfter(this.keys, t) : -1;
    const before = k >= 0 && this.keys[k] > t0, after = this.keyed && k + 1 < this.keys.length && this.keys[k + 1] < t1;
    if (!before && !after) return { left: frame, right: frame + 1, share: blend };
    const a = before ? this.keys[k] : t0, b = after ? this.keys[k + 1] : t1, n = this.times.length;
    return { left: before ? n + k : frame, right: after ? n + k + 1 : frame + 1, share: b > a ? (t - a) / (b - a) : 0 };
  }

  /** Positions [nodes][3] between `frame` and the next one. */
  positions(frame: number, between: number, out: Float32Array): void {
    const { left, right, share: blend } = this.about(frame, between);
    const u = this.levels(), x = this.start(), n = 3 * this.nodes, a = left * n, b = right * n;
    const s0 = (this.high[0] - this.low[0]) / 65535, s1 = (this.high[1] - this.low[1]) / 65535, s2 = (this.high[2] - this.low[2]) / 65535;
    const [l0, l1, l2] = this.low;
    for (let i = 0; i < n; i += 3) {
      out[i] = x[i] + l0 + s0 * (u[a + i] + blend * (u[b + i] - u[a + i]));
      out[i + 1] = x[i + 1] + l1 + s1 * (u[a + i + 1] + blend * (u[b + i + 1] - u[a + i + 1]));
      out[i + 2] = x[i + 2] + l2 + s2 * (u[a + i + 2] + blend * (u[b + i + 2] - u[a + i + 2]));
    }
    if (between === 0 || this.poses.size === 0) return;
    const end = (f: number, i: number) => [0, 1, 2].map((c) => x[3 * i + c] + this.low[c] + ((this.high[c] - this.low[c]) / 65535) * u[f * n + 3 * i + c]);
    this.between(frame, between, (i, share, left, right) => {
      const a = left ?? end(frame, i), b = right ?? end(frame + 1, i);
      for (let c = 0; c < 3; c++) out[3 * i + c] = a[c] + share * (b[c] - a[c]);
    });
  }

  /** Rigid copies with impacts between this frame and the next one: the poses about now (none: a frame), and how far between them. */
  private between(frame: number, blend: number, set: (copy: number, share: number, left: number[] | null, right: number[] | null) => void): void {
    const t0 = this.times[frame], t1 = this.times[frame + 1], t = t0 + blend * (t1 - t0);
    for (const [copy, { time, at }] of this.poses) {
      const k = lastNotAfter(time, t), left = k >= 0 && time[k] > t0 ? k : -1, right = k + 1 < time.length && time[k + 1] < t1 ? k + 1 : -1;
      if (left < 0 && right < 0) continue;
      const a = left >= 0 ? time[left] : t0, b = right >= 0 ? time[right] : t1;
      set(copy, b > a ? (t - a) / (b - a) : 0, left >= 0 ? at[left] : null, right >= 0 ? at[right] : null);
    }
  }

  /** Unit quaternions [nodes][4], w first. */
  orientations(frame: number, between: number, out: Float32Array): void {
    const { left, right, share: blend } = this.about(frame, between);
    const q = this.quaternions(), n = 4 * this.nodes, a = left * n, b = right * n;
    for (let i = 0; i < n; i += 4) {
      const dot = q[a + i] * q[b + i] + q[a + i + 1] * q[b + i + 1] + q[a + i + 2] * q[b + i + 2] + q[a + i + 3] * q[b + i + 3];
      const wa = 1 - blend, wb = dot < 0 ? -blend : blend; // the short way round
      let square = 0;
      for (let c = 0; c < 4; c++) {
        out[i + c] = wa * q[a + i + c] + wb * q[b + i + c];
        square += out[i + c] * out[i + c];
      }
      const norm = square > 0 ? 1 / Math.sqrt(square) : 0;
      for (let c = 0; c < 4; c++) out[i + c] *= norm;
      if (norm === 0) out[i] = 1;
    }
    if (between === 0 || this.poses.size === 0) return;
    const end = (f: number, i: number) => Array.from(q.subarray(4 * (f * this.nodes + i), 4 * (f * this.nodes + i) + 4), (v) => v / 32767);
    this.between(frame, between, (i, share, left, right) => {
      mix(left?.slice(3) ?? end(frame, i), right?.slice(3) ?? end(frame + 1, i), share).forEach((v, c) => (out[4 * i + c] = v));
    });
  }
}

function mix(a: number[], b: number[], x: number): number[] {
  const dot = a.reduce((s, v, i) => s + v * b[i], 0), out = a.map((v, i) => (1 - x) * v + (dot < 0 ? -x : x) * b[i]), n = Math.hypot(...out) || 1;
  return out.map((v) => v / n);
}

function readStores(j: any): Map<string, { time: number[]; strain: number[]; potential: number[] }> {
  const out = new Map<string, { time: number[]; strain: number[]; potential: number[] }>(), t = j ? new Table(j) : null;
  for (let i = 0; t && i < t.rows; i++) {
    const name = t.word('body', i), s = out.get(name) ?? { time: [], strain: [], potential: [] };
    s.time.push(t.column('time')![i]), s.strain.push(t.column('strain')![i]), s.potential.push(t.column('potential')![i]);
    out.set(name, s);
  }
  return out;
}

export interface Frames { kept: number; all: number; burst: boolean; fields: number; time: Float64Array; step: Float64Array; keys: Float64Array; allKeys: number }

export class Run {
  folder: string;
  label: string;
  summary: any;
  sceneText: string;
  scene: Group;
  ledger: Table;
  events: Table;
  contactTable: Table;
  contacts: Contact[];
  /** Strain and potential energy of each body over time, where several move. */
  private stores: () => Map<string, { time: number[]; strain: number[]; potential: number[] }>;
  frames: Frames;
  bodies: Body[];
  index: number;

  constructor(j: any, index: number) {
    this.index = index;
    this.folder = this.label = j.folder;
    try {
      this.summary = JSON.parse(j.summary);
    } catch {
      this.summary = null; // a run that is not finished
    }
    this.sceneText = j.scene;
    this.scene = parseScene(j.scene);
    this.ledger = new Table(j.ledger);
    this.events = new Table(j.events);
    this.contactTable = new Table(j.contacts);
    this.contacts = readContacts(this.contactTable, j.forces);
    this.stores = lazy(() => readStores(j.stores));
    this.frames = { ...j.frames, time: new Float64Array(bytes(j.frames.time)), step: new Float64Array(bytes(j.frames.step)),
      keys: new Float64Array(bytes(j.frames.keys)), allKeys: j.frames.all_keys };
    this.bodies = j.bodies.map((b: any) => new Body(b));
    this.findPoses(j.poses);
  }

  private findPoses(poses: any): void {
    const f = poses ? new Float64Array(bytes(poses.block)) : new Float64Array();
    for (let k = 0; k + 9 < f.length; k += 10) {
      const b = this.bodies.find((x) => x.index === f[k + 1]), list = b?.poses.get(f[k + 2]) ?? { time: [], at: [] };
      if (!b || !b.turns || !(f[k + 2] < b.nodes)) continue;
      if (list.time.length > 0 && list.time[list.time.length - 1] === f[k]) continue; // several points of one impact
      list.time.push(f[k]), list.at.push([...f.subarray(k + 3, k + 10)]);
      b.poses.set(f[k + 2], list);
    }
    for (const b of this.bodies) (b.times = this.frames.time), (b.keys = this.frames.keys);
  }

  get title(): string {
    return this.summary?.title || (typeof this.scene.title === 'string' && this.scene.title) || this.folder;
  }

  get timeUnit(): string {
    return this.ledger.unit('time') || 's';
  }

  /** Units of length and energy, as the tables name them. */
  get lengthUnit(): string { return this.ledger.unit('penetration'); }
  get energyUnit(): string { return this.ledger.unit('total'); }
  get momentumUnit(): string { return this.ledger.unit('p_x'); }

  /** What a body holds now: kinetic energy and momentum; of one copy, where there are few. */
  holding(b: Body, copy: number, t: number): { kinetic: number; momentum: number[] } | null {
    const h = b.holdings(), { frame, blend } = this.frameAt(t), rows = b.holdingRows;
    if (!h || rows === 0 || h.length < 4) return null;
    const row = rows > 1 ? Math.min(rows - 1, Math.max(0, copy)) : 0, a = 4 * (frame * rows + row), c = blend > 0 ? a + 4 * rows : a;
    const at = (k: number) => h[a + k] + blend * (h[c + k] - h[a + k]);
    return { kinetic: at(0), momentum: [at(1), at(2), at(3)] };
  }

  /** Energy that a body stores now; the only one that moves stores what the ledger says. */
  stored(b: Body, t: number): { strain: number; potential: number } | null {
    const own = this.stores().get(b.name), alone = this.bodies.length === 1;
    const time = own?.time ?? (alone ? this.ledger.column('time') : undefined);
    const strain = own?.strain ?? this.ledger.column('strain'), potential = own?.potential ?? this.ledger.column('potential');
    if (!time || !strain || !potential || time.length === 0) return null;
    const i = Math.max(0, lastNotAfter(time, t)), k = Math.min(i + 1, time.length - 1), x = time[k] > time[i] ? Math.min(1, Math.max(0, (t - time[i]) / (time[k] - time[i]))) : 0;
    return { strain: strain[i] + x * (strain[k] - strain[i]), potential: potential[i] + x * (potential[k] - potential[i]) };
  }

  /** The frame at or before t, and how far the next one is in (0..1). */
  frameAt(t: number): { frame: number; blend: number } {
    const time = this.frames.time, n = time.length;
    const frame = Math.max(0, lastNotAfter(time, t));
    if (frame >= n - 1) return { frame: Math.max(0, n - 1), blend: 0 };
    const span = time[frame + 1] - time[frame];
    return { frame, blend: span > 0 ? Math.min(1, Math.max(0, (t - time[frame]) / span)) : 0 };
  }
}

/** Index of the last entry <= t in an ascending list; -1: none. */
export function lastNotAfter(list: ArrayLike<number>, t: number): number {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export interface Report { version: string; runs: Run[] }

export function readReport(): Report | string {
  const e = document.getElementById('vv-data');
  if (!e) return 'This is the template of the report page, with no run in it.  `visviva report DIR` fills it.';
  const j = JSON.parse(e.textContent ?? '');
  if (j.format !== FORMAT) return `The data has format ${j.format}, the page knows ${FORMAT}: build the page again (make web).`;
  const runs: Run[] = j.runs.map((r: any, i: number) => new Run(r, i));
  const seen = new Map<string, number>();
  for (const r of runs) { // two folders may have one name
    const n = (seen.get(r.folder) ?? 0) + 1;
    seen.set(r.folder, n);
    if (n > 1) r.label = `${r.folder} (${n})`;
  }
  return { version: j.version, runs };
}
