// Bodies as things to look at: swept rods, shells, rigid solids in many copies.  A shape is built once and moved frame by
// frame; its buffers never change size.
import * as THREE from 'three';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';
import type { Body, Field } from '../data';
import { num, sub, type Group } from '../scene';
import { edged, solid } from './materials';
import { follow, refine, spread, type Refined } from './refine';

export interface Paint { field: Field; table: Float32Array; low: number; high: number }

export interface Shape {
  body: Body;
  object: THREE.Object3D;
  update(frame: number, blend: number): void;
  paint(p: Paint | null, frame: number, blend: number): void;
  lines(on: boolean): void; // the mesh
  tint(colour: THREE.Color, ink: THREE.Color): void;
  points(): Float32Array; // where its nodes are now, [nodes][3]
  extent(): THREE.Vector3[]; // some points of its surface, or beyond: nothing is farther out than these
  detail(fine: boolean): void; // as smooth as can be, or quick to draw
  reach: number; // how far the surface is from the nodes
  readonly meshes: THREE.Mesh[]; // its surfaces
}

/** The middle of all nodes, or of one copy. */
export function centre(s: Shape, out: THREE.Vector3): THREE.Vector3 {
  mean(s.points(), out);
  return out;
}

const q = new THREE.Quaternion(), v = new THREE.Vector3(), w = new THREE.Vector3(), one = new THREE.Vector3(1, 1, 1), white = new THREE.Color(1, 1, 1);

function mean(x: Float32Array, out: THREE.Vector3): void {
  let a = 0, b = 0, c = 0;
  for (let i = 0; i < x.length; i += 3) (a += x[i]), (b += x[i + 1]), (c += x[i + 2]);
  const n = Math.max(1, x.length / 3);
  out.set(a / n, b / n, c / n);
}

/** Field values at the nodes; what is known on elements is averaged. */
class NodeValues {
  private raw: Float32Array;
  private out: Float32Array;
  private weight: Float32Array;
  constructor(private body: Body) {
    this.out = new Float32Array(body.nodes);
    this.weight = new Float32Array(body.nodes);
    this.raw = new Float32Array(0);
  }

  at(field: Field, frame: number, blend: number): Float32Array {
    const { body, out, weight } = this;
    if (field.on === 'nodes') {
      field.at(frame, blend, body.nodes, out);
      return out;
    }
    const elements = body.elements(), k = body.elementNodes;
    const n = elements ? elements.length / k : 0;
    if (this.raw.length !== n) this.raw = new Float32Array(n);
    field.at(frame, blend, n, this.raw);
    out.fill(0);
    weight.fill(0);
    for (let e = 0; e < n; e++)
      for (let c = 0; c < k; c++) {
        const node = elements![e * k + c];
        out[node] += this.raw[e];
        weight[node]++;
      }
    for (let i = 0; i < out.length; i++) out[i] = weight[i] > 0 ? out[i] / weight[i] : NaN;
    return out;
  }
}

function pick(p: Paint, value: number): number {
  const x = p.high > p.low ? (value - p.low) / (p.high - p.low) : 0.5;
  return 3 * Math.round(255 * Math.min(1, Math.max(0, Number.isFinite(x) ? x : 0)));
}

function lineMaterial(): THREE.LineBasicMaterial {
  return new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 });
}

// ---- rods: a section swept along the nodes ---------------------------------------------------------------------------------

/** Outline of a section in the plane of d1, d2: points with normals, closed; sharp corners come twice. */
interface Outline { x: number[]; y: number[]; nx: number[]; ny: number[]; corner: number[] }

function round(radius: number, inward = false, sides = 16): Outline {
  const o: Outline = { x: [], y: [], nx: [], ny: [], corner: [] };
  for (let i = 0; i < sides; i++) {
    const a = ((inward ? -2 : 2) * Math.PI * i) / sides, s = inward ? -1 : 1;
    o.x.push(radius * Math.cos(a)), o.y.push(radius * Math.sin(a));
    o.nx.push(s * Math.cos(a)), o.ny.push(s * Math.sin(a));
  }
  return o;
}

function rectangle(width: number, height: number): Outline {
  const o: Outline = { x: [], y: [], nx: [], ny: [], corner: [] };
  const corner = [[1, -1], [1, 1], [-1, 1], [-1, -1]], normal = [[1, 0], [0, 1], [-1, 0], [0, -1]];
  for (let side = 0; side < 4; side++)
    for (const k of [side, (side + 1) % 4]) {
      if (k === side) o.corner.push(o.x.length);
      o.x.push((corner[k][0] * width) / 2), o.y.push((corner[k][1] * height) / 2);
      o.nx.push(normal[side][0]), o.ny.push(normal[side][1]);
    }
  return o;
}

/** Outlines of a body's section, from the scene; the first is the outer one. */
export function sectionOf(scene: Group | undefined, size: number): Outline[] {
  const section = sub(scene, 'section');
  const least = 0.0015 * size; // a hair would not be seen
  const area = num(section, 'area') ?? num(sub(section, 'general'), 'area');
  const square = sub(section, 'square'), box = sub(section, 'rectangle'), tube = sub(section, 'tube'), circle = sub(section, 'circle');
  if (square) return [rectangle(Math.max(2 * least, num(square, 'side') ?? 0), Math.max(2 * least, num(square, 'side') ?? 0))];
  if (box) return [rectangle(Math.max(2 * least, num(box, 'width') ?? 0), Math.max(2 * least, num(box, 'height') ?? 0))];
  if (tube) return [round(Math.max(least, num(tube, 'radius') ?? 0)), round(num(tube, 'inner') ?? 0, true)].slice(0, num(tube, 'inner') ? 2 : 1);
  const radius = num(circle, 'radius') ?? (area !== undefined ? Math.sqrt(area / Math.PI) : 0.01 * size);
  return [round(Math.max(least, radius))];
}

export class Rod implements Shape {
  object = new THREE.Group();
  reach: number;
  private closed: boolean;
  private cells: [boolean, boolean]; // the ends lie half a cell beyond the end nodes (bars)
  private pieces: number; // of one segment
  private samples: number;
  private ring: number; // vertices of all outlines
  private x: Float32Array;
  private turns: Float32Array;
  private place: THREE.BufferAttribute;
  private normal: THREE.BufferAttribute;
  private colour: THREE.BufferAttribute;
  private values: NodeValues;
  private capFrom: number;
  private layers: number; // rings of an end: 1 flat, more round
  private mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>;
  private base = new THREE.Color();
  private outline: THREE.LineSegments;
  private rings: THREE.LineSegments;
  readonly meshes: THREE.Mesh[];

  constructor(public body: Body, scene: Group | undefined, private outlines: Outline[]) {
    const n = body.nodes, elements = body.elements();
    this.closed = n > 2 && elements !== undefined && elements.length / body.elementNodes === n;
    const tips = sub(scene, 'tips');
    this.cells = [tips?.first === 'cell', tips?.last === 'cell'];
    this.pieces = body.turns ? Math.max(1, Math.min(8, Math.round(192 / n))) : 1;
    this.samples = (this.closed ? n : n - 1) * this.pieces + 1;
    this.ring = outlines.reduce((sum, o) => sum + o.x.length, 0);
    this.reach = Math.max(...outlines[0].x.map((a, i) => Math.hypot(a, outlines[0].y[i])));
    this.x = new Float32Array(3 * n);
    this.turns = new Float32Array(4 * n);
    this.values = new NodeValues(body);
    this.capFrom = this.samples * this.ring;
    // a round beam touches with its ends as with balls (contact/sheets), a bar with its faces
    this.layers = outlines.length > 1 || !body.turns || outlines[0].corner.length > 0 ? 1 : 5;
    const caps = this.closed ? 0 : 2 * this.capSize;
    const vertices = this.capFrom + caps;
    this.place = new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage);
    this.normal = new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage);
    this.colour = new THREE.BufferAttribute(new Float32Array(3 * vertices).fill(1), 3).setUsage(THREE.DynamicDrawUsage);
    this.mesh = new THREE.Mesh(this.geometry(), solid());
    this.meshes = [this.mesh];
    this.outline = this.lineObject(this.outlineIndex());
    this.rings = this.lineObject(this.ringIndex());
    this.rings.visible = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    for (const o of [this.mesh, this.outline, this.rings]) (o.frustumCulled = false), this.object.add(o);
  }

  /** Vertices of one end. */
  private get capSize(): number {
    return this.outlines.length === 1 ? this.layers * this.ring + 1 : this.ring;
  }

  private lineObject(index: number[]): THREE.LineSegments {
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', this.place);
    g.setIndex(index);
    return new THREE.LineSegments(g, lineMaterial());
  }

  /** First vertex of outline k in ring s. */
  private at(s: number, k: number): number {
    let offset = 0;
    for (let i = 0; i < k; i++) offset += this.outlines[i].x.length;
    return s * this.ring + offset;
  }

  private geometry(): THREE.BufferGeometry {
    const index: number[] = [];
    for (let s = 0; s + 1 < this.samples; s++)
      this.outlines.forEach((o, k) => {
        const a = this.at(s, k), b = this.at(s + 1, k), n = o.x.length, sharp = o.corner.length > 0;
        for (let i = 0; i < n; i += sharp ? 2 : 1) {
          const j = (i + 1) % n;
          index.push(a + i, a + j, b + j, a + i, b + j, b + i);
        }
      });
    if (!this.closed) this.capIndex(index);
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', this.place);
    g.setAttribute('normal', this.normal);
    g.setAttribute('color', this.colour);
    g.setIndex(index);
    return g;
  }

  private capIndex(index: number[]): void {
    const n = this.outlines[0].x.length;
    for (let end = 0; end < 2; end++) {
      if (this.outlines.length === 1) {
        const first = this.capFrom + end * this.capSize, middle = first + this.layers * n;
        for (let l = 0; l < this.layers; l++)
          for (let i = 0; i < n; i++) {
            const a = first + l * n + i, b = first + l * n + ((i + 1) % n), top = l + 1 === this.layers;
            if (top) index.push(...(end === 0 ? [middle, b, a] : [middle, a, b]));
            else index.push(...(end === 0 ? [a, a + n, b, b, a + n, b + n] : [a, b, a + n, b, b + n, a + n]));
          }
      } else { // a ring: the inner outline runs backwards
        const outer = this.capFrom + end * this.ring, inner = outer + n;
        for (let i = 0; i < n; i++) {
          const a = outer + i, b = outer + ((i + 1) % n), c = inner + ((n - i) % n), d = inner + ((2 * n - i - 1) % n);
          index.push(...(end === 0 ? [a, d, b, a, c, d] : [a, b, d, a, d, c]));
        }
      }
    }
  }

  private outlineIndex(): number[] {
    const index: number[] = [];
    const o = this.outlines[0], n = o.x.length;
    for (const i of o.corner) for (let s = 0; s + 1 < this.samples; s++) index.push(this.at(s, 0) + i, this.at(s + 1, 0) + i);
    if (!this.closed && this.layers === 1)
      for (const s of [0, this.samples - 1])
        this.outlines.forEach((_, k) => {
          for (let i = 0; i < n; i++) index.push(this.at(s, k) + i, this.at(s, k) + ((i + 1) % n));
        });
    return index;
  }

  private ringIndex(): number[] {
    const index: number[] = [], n = this.outlines[0].x.length;
    for (let s = 0; s < this.samples; s += this.pieces) for (let i = 0; i < n; i++) index.push(this.at(s, 0) + i, this.at(s, 0) + ((i + 1) % n));
    return index;
  }

  /** A point of the centre line: through the nodes, smooth between them (Catmull and Rom). */
  private point(node: number, u: number, out: THREE.Vector3): void {
    const n = this.body.nodes, x = this.x;
    const wrap = (i: number) => (this.closed ? (i + n) % n : i);
    const b = wrap(node), c = wrap(node + 1);
    const a = this.closed || node > 0 ? wrap(node - 1) : -1, d = this.closed || node + 2 < n ? wrap(node + 2) : -1;
    const u2 = u * u, u3 = u2 * u;
    const get = (k: number) => {
      const xb = x[3 * b + k], xc = x[3 * c + k];
      const xa = a >= 0 ? x[3 * a + k] : 2 * xb - xc, xd = d >= 0 ? x[3 * d + k] : 2 * xc - xb;
      return 0.5 * (2 * xb + (xc - xa) * u + (2 * xa - 5 * xb + 4 * xc - xd) * u2 + (3 * xb - xa - 3 * xc + xd) * u3);
    };
    out.set(get(0), get(1), get(2));
  }

  update(frame: number, blend: number): void {
    const { body, samples, pieces, x } = this;
    body.positions(frame, blend, x);
    if (body.turns) body.orientations(frame, blend, this.turns);
    const n = body.nodes, d1 = new THREE.Vector3(), d2 = new THREE.Vector3(), tangent = new THREE.Vector3();
    const qa = new THREE.Quaternion(), qb = new THREE.Quaternion();
    const quaternion = (i: number, out: THREE.Quaternion) => out.set(this.turns[4 * i + 1], this.turns[4 * i + 2], this.turns[4 * i + 3], this.turns[4 * i]);
    for (let s = 0; s < samples; s++) {
      const last = s === samples - 1 && !this.closed;
      const node = last ? n - 2 : Math.floor(s / pieces), u = last ? 1 : (s % pieces) / pieces;
      const a = this.closed ? node % n : node, b = this.closed ? (node + 1) % n : node + 1;
      if (n > 1) this.point(a, u, v);
      else v.set(x[0], x[1], x[2]);
      tangent.set(x[3 * b] - x[3 * a], x[3 * b + 1] - x[3 * a + 1], x[3 * b + 2] - x[3 * a + 2]);
      if (s === 0 && this.cells[0]) v.addScaledVector(tangent, -0.5);
      if (last && this.cells[1]) v.addScaledVector(tangent, 0.5);
      tangent.normalize();
      if (body.turns) {
        quaternion(a, qa).slerp(quaternion(b, qb), u);
        d1.set(1, 0, 0).applyQuaternion(qa);
        d2.set(0, 1, 0).applyQuaternion(qa);
      } else {
        if (s === 0) d1.set(Math.abs(tangent.z) < 0.9 ? 0 : 1, 0, Math.abs(tangent.z) < 0.9 ? 1 : 0);
        d1.addScaledVector(tangent, -d1.dot(tangent)).normalize(); // carried along, never turned about the line
        d2.crossVectors(tangent, d1);
      }
      this.put(s, v, d1, d2);
      if (!this.closed && (s === 0 || last)) this.putCap(s === 0 ? 0 : 1, v, d1, d2, w.crossVectors(d1, d2).multiplyScalar(s === 0 ? -1 : 1));
    }
    this.place.needsUpdate = this.normal.needsUpdate = true;
  }

  private put(s: number, c: THREE.Vector3, d1: THREE.Vector3, d2: THREE.Vector3): void {
    const p = this.place.array as Float32Array, m = this.normal.array as Float32Array;
    let at = 3 * s * this.ring;
    for (const o of this.outlines)
      for (let i = 0; i < o.x.length; i++, at += 3) {
        p[at] = c.x + o.x[i] * d1.x + o.y[i] * d2.x, p[at + 1] = c.y + o.x[i] * d1.y + o.y[i] * d2.y, p[at + 2] = c.z + o.x[i] * d1.z + o.y[i] * d2.z;
        m[at] = o.nx[i] * d1.x + o.ny[i] * d2.x, m[at + 1] = o.nx[i] * d1.y + o.ny[i] * d2.y, m[at + 2] = o.nx[i] * d1.z + o.ny[i] * d2.z;
      }
  }

  private putCap(end: number, c: THREE.Vector3, d1: THREE.Vector3, d2: THREE.Vector3, outward: THREE.Vector3): void {
    const p = this.place.array as Float32Array, m = this.normal.array as Float32Array;
    let at = 3 * (this.capFrom + end * this.capSize);
    const put = (x: number, y: number, out: number, lean: number) => {
      p[at] = c.x + x * d1.x + y * d2.x + out * outward.x, p[at + 1] = c.y + x * d1.y + y * d2.y + out * outward.y, p[at + 2] = c.z + x * d1.z + y * d2.z + out * outward.z;
      const side = Math.hypot(x, y) || 1, nx = (Math.cos(lean) * x) / side, ny = (Math.cos(lean) * y) / side, along = Math.sin(lean);
      m[at] = nx * d1.x + ny * d2.x + along * outward.x, m[at + 1] = nx * d1.y + ny * d2.y + along * outward.y, m[at + 2] = nx * d1.z + ny * d2.z + along * outward.z;
      at += 3;
    };
    for (let l = 0; l < this.layers; l++) { // flat: one ring that looks outwards; round: rings of a half ball
      const lean = this.layers === 1 ? Math.PI / 2 : (l * Math.PI) / 2 / this.layers, wide = this.layers === 1 ? 1 : Math.cos(lean), out = this.layers === 1 ? 0 : this.reach * Math.sin(lean);
      for (const o of this.outlines) for (let i = 0; i < o.x.length; i++) put(wide * o.x[i], wide * o.y[i], out, lean);
    }
    if (this.outlines.length === 1) put(0, 0, this.layers === 1 ? 0 : this.reach, Math.PI / 2);
  }

  paint(p: Paint | null, frame: number, blend: number): void {
    const c = this.colour.array as Float32Array;
    this.mesh.material.color.copy(p ? white : this.base);
    if (!p) c.fill(1);
    else {
      const values = this.values.at(p.field, frame, blend), n = this.body.nodes;
      for (let s = 0; s < this.samples; s++) {
        const last = s === this.samples - 1 && !this.closed;
        const node = last ? n - 2 : Math.floor(s / this.pieces), u = last ? 1 : (s % this.pieces) / this.pieces;
        const a = values[this.closed ? node % n : node], b = values[this.closed ? (node + 1) % n : node + 1];
        const at = pick(p, a + u * (b - a));
        for (let i = 0, k = 3 * s * this.ring; i < this.ring; i++, k += 3) (c[k] = p.table[at]), (c[k + 1] = p.table[at + 1]), (c[k + 2] = p.table[at + 2]);
        if (!this.closed && (s === 0 || last)) {
          const size = this.capSize;
          for (let i = 0, k = 3 * (this.capFrom + (last ? size : 0)); i < size; i++, k += 3) (c[k] = p.table[at]), (c[k + 1] = p.table[at + 1]), (c[k + 2] = p.table[at + 2]);
        }
      }
    }
    this.colour.needsUpdate = true;
  }

  lines(on: boolean): void { this.rings.visible = on; }

  tint(colour: THREE.Color, ink: THREE.Color): void {
    this.base.copy(colour);
    for (const l of [this.outline, this.rings]) (l.material as THREE.LineBasicMaterial).color.copy(ink);
  }

  detail(): void {}

  points(): Float32Array { return this.x; }

  extent(): THREE.Vector3[] { return around(this.x, this.reach); }
}

// ---- shells ----------------------------------------------------------------------------------------------------------------

export class Shell implements Shape {
  object = new THREE.Group();
  reach = 0;
  readonly meshes: THREE.Mesh[];
  private place: THREE.BufferAttribute;
  private normal: THREE.BufferAttribute;
  private colour: THREE.BufferAttribute;
  private triangles: Int32Array;
  private fine: Refined;
  private values: NodeValues;
  private painted: Float32Array;
  private mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>;
  private base = new THREE.Color();
  private rim: THREE.LineSegments;
  private wires: THREE.LineSegments;
  private nodes: Float32Array; // positions of the nodes, the start of those of all vertices

  constructor(public body: Body) {
    const n = body.nodes;
    this.triangles = body.elements()!;
    const count = this.triangles.length / 3;
    this.fine = refine(n, this.triangles, count <= 1500 ? 2 : count <= 8000 ? 1 : 0);
    const all = this.fine.vertices;
    this.place = new THREE.BufferAttribute(new Float32Array(3 * all), 3).setUsage(THREE.DynamicDrawUsage);
    this.normal = new THREE.BufferAttribute(new Float32Array(3 * all), 3).setUsage(THREE.DynamicDrawUsage);
    this.colour = new THREE.BufferAttribute(new Float32Array(3 * all).fill(1), 3).setUsage(THREE.DynamicDrawUsage);
    this.nodes = (this.place.array as Float32Array).subarray(0, 3 * n);
    this.painted = new Float32Array(all);
    this.values = new NodeValues(body);
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', this.place);
    g.setAttribute('normal', this.normal);
    g.setAttribute('color', this.colour);
    this.mesh = new THREE.Mesh(g, solid(THREE.DoubleSide));
    this.meshes = [this.mesh];
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    const { rim, inner } = edges(this.triangles);
    this.rim = this.lineObject(this.finer(rim));
    this.wires = this.lineObject(this.finer(inner));
    this.wires.visible = false;
    this.detail(true);
    for (const o of [this.mesh, this.rim, this.wires]) (o.frustumCulled = false), this.object.add(o);
  }

  /** Fine triangles, or only those between the nodes. */
  detail(fine: boolean): void {
    const list = this.fine.triangles;
    this.mesh.geometry.setIndex(new THREE.BufferAttribute(list[fine ? list.length - 1 : 0], 1));
  }

  /** Lines between nodes, through the finer vertices between them. */
  private finer(lines: number[]): number[] {
    let out = lines;
    for (const { from, edges: list } of this.fine.levels) {
      const middle = new Map<number, number>();
      for (let k = 0; k < list.length; k += 2) middle.set(Math.min(list[k], list[k + 1]) * 67108864 + Math.max(list[k], list[k + 1]), from + k / 2);
      const next: number[] = [];
      for (let i = 0; i < out.length; i += 2) {
        const m = middle.get(Math.min(out[i], out[i + 1]) * 67108864 + Math.max(out[i], out[i + 1]))!;
        next.push(out[i], m, m, out[i + 1]);
      }
      out = next;
    }
    return out;
  }

  private lineObject(index: number[]): THREE.LineSegments {
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', this.place);
    g.setIndex(index);
    return new THREE.LineSegments(g, lineMaterial());
  }

  update(frame: number, blend: number): void {
    const x = this.place.array as Float32Array, m = this.normal.array as Float32Array, t = this.triangles;
    this.body.positions(frame, blend, x);
    m.fill(0);
    for (let e = 0; e < t.length; e += 3) { // weighted by area
      const a = 3 * t[e], b = 3 * t[e + 1], c = 3 * t[e + 2];
      const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
      const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      m[a] += nx, m[a + 1] += ny, m[a + 2] += nz;
      m[b] += nx, m[b + 1] += ny, m[b + 2] += nz;
      m[c] += nx, m[c + 1] += ny, m[c + 2] += nz;
    }
    for (let i = 0; i < 3 * this.body.nodes; i += 3) {
      const s = 1 / (Math.hypot(m[i], m[i + 1], m[i + 2]) || 1);
      m[i] *= s, m[i + 1] *= s, m[i + 2] *= s;
    }
    follow(this.fine.levels, x, m);
    this.place.needsUpdate = this.normal.needsUpdate = true;
  }

  paint(p: Paint | null, frame: number, blend: number): void {
    const c = this.colour.array as Float32Array;
    this.mesh.material.color.copy(p ? white : this.base);
    if (!p) c.fill(1);
    else {
      this.painted.set(this.values.at(p.field, frame, blend));
      spread(this.fine.levels, this.painted);
      for (let i = 0; i < this.painted.length; i++) {
        const at = pick(p, this.painted[i]);
        c[3 * i] = p.table[at], c[3 * i + 1] = p.table[at + 1], c[3 * i + 2] = p.table[at + 2];
      }
    }
    this.colour.needsUpdate = true;
  }

  lines(on: boolean): void { this.wires.visible = on; }

  tint(colour: THREE.Color, ink: THREE.Color): void {
    this.base.copy(colour);
    for (const l of [this.rim, this.wires]) (l.material as THREE.LineBasicMaterial).color.copy(ink);
  }

  points(): Float32Array { return this.nodes; }

  extent(): THREE.Vector3[] { return around(this.nodes, 0); }
}

/** Edges of one triangle only, and edges between two. */
function edges(t: Int32Array): { rim: number[]; inner: number[] } {
  const count = new Map<number, number>();
  const key = (a: number, b: number) => Math.min(a, b) * 67108864 + Math.max(a, b);
  for (let e = 0; e < t.length; e += 3)
    for (let i = 0; i < 3; i++) {
      const k = key(t[e + i], t[e + ((i + 1) % 3)]);
      count.set(k, (count.get(k) ?? 0) + 1);
    }
  const rim: number[] = [], inner: number[] = [];
  for (const [k, n] of count) (n === 1 ? rim : inner).push(Math.floor(k / 67108864), k % 67108864);
  return { rim, inner };
}

// ---- rigid solids: one skin, many copies -----------------------------------------------------------------------------------

export class Solid implements Shape {
  object: THREE.InstancedMesh;
  readonly meshes: THREE.Mesh[];
  reach: number;
  private x: Float32Array;
  private turns: Float32Array;
  private values: NodeValues;
  private base = new THREE.Color();
  private matrix = new THREE.Matrix4();
  private corners: THREE.Vector3[] = []; // of a box about the skin

  constructor(public body: Body, points: Float32Array, triangles: Int32Array, hollow = false) {
    let g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(points.slice(), 3));
    g.setIndex(new THREE.BufferAttribute(new Uint32Array(triangles), 1));
    this.reach = 0;
    for (let i = 0; i < points.length; i += 3) this.reach = Math.max(this.reach, Math.hypot(points[i], points[i + 1], points[i + 2]));
    const large = 1000 / (this.reach || 1); // points nearer than 0.01 are one to toCreasedNormals
    g.scale(large, large, large);
    g = toCreasedNormals(g, 0.6);
    g.scale(1 / large, 1 / large, 1 / large);
    markEdges(g);
    this.object = new THREE.InstancedMesh(g, edged(hollow ? THREE.BackSide : THREE.FrontSide), body.nodes);
    this.meshes = [this.object];
    this.corners = cornersOf(new THREE.Box3().setFromArray(points));
    this.object.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.object.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * body.nodes).fill(1), 3);
    this.object.castShadow = !hollow;
    this.object.receiveShadow = true;
    this.object.frustumCulled = false;
    this.x = new Float32Array(3 * body.nodes);
    this.turns = new Float32Array(4 * body.nodes);
    for (let i = 0; i < body.nodes; i++) this.turns[4 * i] = 1;
    this.values = new NodeValues(body);
  }

  update(frame: number, blend: number): void {
    const { body, x, turns, matrix } = this;
    body.positions(frame, blend, x);
    if (body.turns) body.orientations(frame, blend, turns);
    for (let i = 0; i < body.nodes; i++) {
      q.set(turns[4 * i + 1], turns[4 * i + 2], turns[4 * i + 3], turns[4 * i]);
      matrix.compose(v.set(x[3 * i], x[3 * i + 1], x[3 * i + 2]), q, one);
      this.object.setMatrixAt(i, matrix);
    }
    this.object.instanceMatrix.needsUpdate = true;
  }

  paint(p: Paint | null, frame: number, blend: number): void {
    const c = this.object.instanceColor!.array as Float32Array;
    (this.object.material as THREE.MeshLambertMaterial).color.copy(p ? white : this.base);
    if (p) {
      const values = this.values.at(p.field, frame, blend);
      for (let i = 0; i < values.length; i++) {
        const at = pick(p, values[i]);
        c[3 * i] = p.table[at], c[3 * i + 1] = p.table[at + 1], c[3 * i + 2] = p.table[at + 2];
      }
    } else {
      for (let i = 0; i < this.body.nodes; i++) { // neighbours differ a little, so that a pile is not one lump
        const shade = 0.86 + 0.28 * ((i * 0.6180339887) % 1);
        c[3 * i] = c[3 * i + 1] = c[3 * i + 2] = this.body.nodes > 1 ? shade : 1;
      }
    }
    this.object.instanceColor!.needsUpdate = true;
  }

  lines(): void {}

  tint(colour: THREE.Color): void {
    this.base.copy(colour);
  }

  detail(): void {}

  points(): Float32Array { return this.x; }

  extent(): THREE.Vector3[] {
    const out: THREE.Vector3[] = [], every = Math.ceil(this.body.nodes / 60);
    for (let i = 0; i < this.body.nodes; i += every) {
      this.object.getMatrixAt(i, this.matrix);
      for (const c of this.corners) out.push(c.clone().applyMatrix4(this.matrix));
    }
    return out;
  }
}

export function cornersOf(b: THREE.Box3): THREE.Vector3[] {
  return Array.from({ length: 8 }, (_, k) => new THREE.Vector3(k & 1 ? b.max.x : b.min.x, k & 2 ? b.max.y : b.min.y, k & 4 ? b.max.z : b.min.z));
}

/** Every so many nodes, and around each of them as far as the surface is away. */
function around(x: Float32Array, reach: number): THREE.Vector3[] {
  const out: THREE.Vector3[] = [], every = 3 * Math.ceil(x.length / 3 / 60), spread = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let i = 0; i < x.length; i += every) {
    const p = new THREE.Vector3(x[i], x[i + 1], x[i + 2]);
    if (reach === 0) out.push(p);
    else for (const d of spread) for (const r of [-reach, reach]) out.push(p.clone().add(new THREE.Vector3(r * d[0], r * d[1], r * d[2])));
  }
  return out;
}

/** For each corner of a triangle how much each of its sides is an edge to draw (1: not): the shader darkens near 0. */
export function markEdges(g: THREE.BufferGeometry): void {
  const p = g.getAttribute('position'), n = p.count;
  const id = (i: number) => `${p.getX(i).toPrecision(6)},${p.getY(i).toPrecision(6)},${p.getZ(i).toPrecision(6)}`;
  const normals: THREE.Vector3[] = [];
  const sides = new Map<string, number[]>();
  const a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3();
  for (let t = 0; t < n; t += 3) {
    a.fromBufferAttribute(p, t), b.fromBufferAttribute(p, t + 1), c.fromBufferAttribute(p, t + 2);
    normals.push(b.sub(a).cross(c.sub(a)).normalize().clone());
    for (let i = 0; i < 3; i++) {
      const k = [id(t + i), id(t + ((i + 1) % 3))].sort().join('|');
      const list = sides.get(k);
      if (list) list.push(t / 3);
      else sides.set(k, [t / 3]);
    }
  }
  const out = new Float32Array(3 * n);
  for (let t = 0; t < n; t += 3)
    for (let side = 0; side < 3; side++) { // the side opposite to corner `side`
      const k = [id(t + ((side + 1) % 3)), id(t + ((side + 2) % 3))].sort().join('|');
      const mates = sides.get(k)!;
      const sharp = mates.length === 1 || mates.some((m) => normals[m].dot(normals[t / 3]) < 0.86);
      for (let corner = 0; corner < 3; corner++) out[3 * (t + corner) + side] = corner === side || !sharp ? 1 : 0;
    }
  g.setAttribute('side', new THREE.BufferAttribute(out, 3));
}

// ---- anything else: its nodes ----------------------------------------------------------------------------------------------

export function dots(body: Body, radius: number): Shape {
  const ball = new THREE.IcosahedronGeometry(radius, 1);
  const index = Int32Array.from({ length: ball.getAttribute('position').count }, (_, i) => i);
  return new Solid(body, ball.getAttribute('position').array as Float32Array, index);
}
