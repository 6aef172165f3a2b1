// What holds bodies and what acts on them, as the scene says: supports as small blocks and cones, loads as arrows.
import * as THREE from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { isGroup, num, sub, vec, type Group, type Value } from '../scene';
import type { Shape } from './shapes';

interface Mark { node: number; kind: 'clamp' | 'pin' | 'drive'; shape: Shape }
interface Load { node: number; shape: Shape; force: THREE.Vector3; size: number }
export interface Anchor { text: string; at: () => THREE.Vector3 }

const MOST_BORDER = 96;

function groups(v: Value | undefined): Group[] {
  return Array.isArray(v) ? v.filter(isGroup) : [];
}

function nearest(x: Float32Array, at: number[]): number {
  let best = 0, least = Infinity;
  for (let i = 0; i < x.length; i += 3) {
    const d = (x[i] - at[0]) ** 2 + (x[i + 1] - at[1]) ** 2 + (x[i + 2] - at[2]) ** 2;
    if (d < least) (least = d), (best = i / 3);
  }
  return best;
}

/** Nodes on an edge of one triangle only. */
function border(t: ArrayLike<number>): number[] {
  const count = new Map<number, number>();
  for (let e = 0; e < t.length; e += 3)
    for (let i = 0; i < 3; i++) {
      const a = t[e + i], b = t[e + ((i + 1) % 3)], k = Math.min(a, b) * 67108864 + Math.max(a, b);
      count.set(k, (count.get(k) ?? 0) + 1);
    }
  const out = new Set<number>();
  for (const [k, n] of count) if (n === 1) out.add(Math.floor(k / 67108864)).add(k % 67108864);
  return [...out];
}

function supportsOf(shape: Shape, g: Group): Mark[] {
  const out: Mark[] = [], ends = sub(g, 'ends'), last = shape.body.nodes - 1;
  for (const [word, node] of [['first', 0], ['last', last]] as const) {
    const how = ends?.[word];
    if (how === 'clamped' || how === 'slope' || how === 'fixed') out.push({ node, kind: 'clamp', shape });
    if (how === 'pinned') out.push({ node, kind: 'pin', shape });
    if (how === 'driven') out.push({ node, kind: 'drive', shape });
  }
  const edges = groups(g.edges), t = shape.body.elements();
  if (edges.length === 0 || !t || shape.body.elementNodes !== 3) return out;
  const x = shape.body.first(), centre = vec(g, 'centre') ?? [0, 0, 0], held = new Map<number, Mark['kind']>();
  for (const e of edges)
    for (const node of border(t)) {
      const low = vec(e, 'low'), high = vec(e, 'high'), at = [0, 1, 2].map((c) => x[3 * node + c] - centre[c]);
      if ((low && at.some((v, c) => v < low[c])) || (high && at.some((v, c) => v > high[c]))) continue;
      if (e.hold === 'free') held.delete(node);
      else held.set(node, e.hold === 'clamped' ? 'clamp' : 'pin');
    }
  const every = Math.ceil(held.size / MOST_BORDER);
  [...held].forEach(([node, kind], i) => i % every === 0 && out.push({ node, kind, shape }));
  return out;
}

function loadsOf(shape: Shape, g: Group): Load[] {
  const x = shape.body.first(), n = shape.body.nodes, out: Load[] = [];
  const add = (node: number, force: THREE.Vector3) => force.length() > 0 && out.push({ node, shape, size: force.length(), force: force.clone().normalize() });
  const axis = new THREE.Vector3(x[3 * n - 3] - x[0], x[3 * n - 2] - x[1], x[3 * n - 1] - x[2]).normalize();
  for (const l of groups(g.loads)) {
    const force = vec(l, 'force'), along = num(l, 'force'), at = vec(l, 'at'), share = num(l, 'at');
    if (along !== undefined) add(l.end === 'last' ? n - 1 : 0, axis.clone().multiplyScalar(along));
    else if (force && shape.body.elementNodes === 3) add(nearest(x, (at ?? [0, 0, 0]).map((v, c) => v + (vec(g, 'centre') ?? [0, 0, 0])[c])), new THREE.Vector3(...force));
    else if (force && share !== undefined) add(Math.round(share * (n - 1)), new THREE.Vector3(...force));
    else if (force) add(num(l, 'copy') ?? 0, new THREE.Vector3(...force));
  }
  return out;
}

function arrow(): THREE.BufferGeometry { // its tip at the origin, where the force acts
  return mergeGeometries([new THREE.CylinderGeometry(0.03, 0.03, 0.7, 8).translate(0, -0.63, 0), new THREE.ConeGeometry(0.09, 0.28, 12).translate(0, -0.14, 0)])!;
}

export class Markers {
  readonly object = new THREE.Group();
  readonly anchors: Anchor[] = [];
  private marks: Mark[];
  private loads: Load[];
  private kinds: { kind: Mark['kind']; mesh: THREE.InstancedMesh; marks: Mark[] }[] = [];
  private arrows: THREE.InstancedMesh | null = null;

  constructor(shapes: Shape[], scene: Group, private size: number, unit: string) {
    const described = sub(scene, 'bodies'), of = (s: Shape) => sub(described, s.body.name) ?? {};
    this.marks = shapes.flatMap((s) => supportsOf(s, of(s)));
    this.loads = shapes.flatMap((s) => loadsOf(s, of(s))).slice(0, 64);
    const shape = { clamp: new THREE.BoxGeometry(0.5, 1, 1), pin: new THREE.ConeGeometry(0.55, 1, 4, 1).translate(0, -0.5, 0), drive: new THREE.OctahedronGeometry(0.6) };
    for (const kind of ['clamp', 'pin', 'drive'] as const) {
      const marks = this.marks.filter((m) => m.kind === kind);
      if (marks.length === 0) continue;
      const mesh = new THREE.InstancedMesh(shape[kind], new THREE.MeshLambertMaterial(), marks.length);
      mesh.frustumCulled = false;
      this.kinds.push({ kind, mesh, marks });
      this.object.add(mesh);
    }
    if (this.loads.length > 0) {
      this.arrows = new THREE.InstancedMesh(arrow(), new THREE.MeshLambertMaterial(), this.loads.length);
      this.arrows.frustumCulled = false;
      this.object.add(this.arrows);
      for (const l of this.loads.slice(0, 8)) this.anchors.push({ text: `${+l.size.toPrecision(3)} ${unit}`, at: () => this.at(l).addScaledVector(l.force, -8 * this.size) });
    }
    this.object.name = 'markers';
  }

  get some(): boolean { return this.marks.length + this.loads.length > 0; }

  private at(m: { node: number; shape: Shape }): THREE.Vector3 {
    const x = m.shape.points();
    return new THREE.Vector3(x[3 * m.node], x[3 * m.node + 1], x[3 * m.node + 2]);
  }

  update(): void {
    const y = new THREE.Vector3(0, 1, 0), matrix = new THREE.Matrix4(), turn = new THREE.Quaternion(), many = this.marks.length > 12 ? 0.55 : 1;
    for (const { kind, mesh, marks } of this.kinds) {
      marks.forEach((m, i) => {
        const at = this.at(m), x = m.shape.points(), n = m.shape.body.nodes, beside = m.node === 0 ? 1 : m.node - 1;
        const along = n > 1 ? new THREE.Vector3(x[3 * beside] - at.x, x[3 * beside + 1] - at.y, x[3 * beside + 2] - at.z).normalize() : y;
        if (kind === 'clamp' && m.shape.body.elementNodes === 2) turn.setFromUnitVectors(new THREE.Vector3(1, 0, 0), along);
        else turn.identity();
        const s = this.size * many * (kind === 'clamp' && m.shape.body.elementNodes === 2 ? Math.max(1, (2.6 * m.shape.reach) / this.size) : 1);
        mesh.setMatrixAt(i, matrix.compose(at, turn, new THREE.Vector3(Math.min(s, 2 * this.size), s, s)));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.loads.forEach((l, i) => this.arrows!.setMatrixAt(i, matrix.compose(this.at(l), turn.setFromUnitVectors(y, l.force), new THREE.Vector3(6 * this.size, 7 * this.size, 6 * this.size))));
    if (this.arrows) this.arrows.instanceMatrix.needsUpdate = true;
  }

  theme(support: THREE.Color, load: THREE.Color): void {
    for (const { mesh } of this.kinds) (mesh.material as THREE.MeshLambertMaterial).color.copy(support);
    if (this.arrows) (this.arrows.material as THREE.MeshLambertMaterial).color.copy(load);
  }
}
