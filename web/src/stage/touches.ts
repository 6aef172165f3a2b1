// Contact: a glow where bodies touch, and one arrow for each pair of bodies, with the impulse of the last moments.  The arrow
// shows the push on the second body, or on the first where the second cannot move.  Many at a time would hide what they are
// about: then only the glow is shown.
import * as THREE from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { lastNotAfter, type Run } from '../data';
import { isGroup, sub } from '../scene';
import { arrowMaterial, glowMaterial } from './materials';

export const MOST_ARROWS = 30;
const MOST_GLOWS = 300, MOST_EVENTS = 4000;

interface Pair { impulse: number; newest: number; x: THREE.Vector3; push: THREE.Vector3; row: number }

export class Touches {
  readonly object = new THREE.Group();
  /** How many pairs touched in the last moments; arrows are drawn for at most MOST_ARROWS. */
  pairs = 0;
  private arrows: THREE.InstancedMesh;
  private glow: THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private alpha: THREE.InstancedBufferAttribute;
  private place: THREE.BufferAttribute;
  private strength: THREE.BufferAttribute;
  private time: Float64Array; // in order
  private when: Float64Array; // by row
  private order: Int32Array;
  private impulse: Float64Array;
  private pairOf: Int32Array;
  private sign: Int8Array; // of the normal, for the push on the body that the arrow is about
  private x: Float64Array[];
  private n: Float64Array[];
  private strongest = 0;

  constructor(run: Run, private size: number, private fade: number) {
    const shaft = new THREE.CylinderGeometry(0.022, 0.022, 0.74, 8).translate(0, 0.37, 0);
    const head = new THREE.ConeGeometry(0.075, 0.28, 12).translate(0, 0.86, 0);
    const geometry = mergeGeometries([shaft, head])!;
    this.alpha = new THREE.InstancedBufferAttribute(new Float32Array(MOST_ARROWS), 1);
    geometry.setAttribute('alpha', this.alpha);
    this.arrows = new THREE.InstancedMesh(geometry, arrowMaterial(), MOST_ARROWS);
    this.arrows.count = 0;
    const points = new THREE.BufferGeometry();
    this.place = new THREE.BufferAttribute(new Float32Array(3 * MOST_GLOWS), 3).setUsage(THREE.DynamicDrawUsage);
    this.strength = new THREE.BufferAttribute(new Float32Array(MOST_GLOWS), 1).setUsage(THREE.DynamicDrawUsage);
    points.setAttribute('position', this.place);
    points.setAttribute('strength', this.strength);
    this.glow = new THREE.Points(points, glowMaterial());
    for (const [o, order] of [[this.glow, 9], [this.arrows, 10]] as const) (o.frustumCulled = false), (o.renderOrder = order), this.object.add(o);

    const e = run.events, none = new Float64Array(e.rows), time = e.column('time') ?? none;
    this.when = time;
    this.order = Int32Array.from({ length: e.rows }, (_, i) => i).sort((a, b) => time[a] - time[b] || a - b);
    this.time = Float64Array.from(this.order, (i) => time[i]);
    this.impulse = e.column('normal_impulse') ?? none;
    this.x = ['x', 'y', 'z'].map((c) => e.column(c) ?? none);
    this.n = ['n_x', 'n_y', 'n_z'].map((c) => e.column(c) ?? none);
    const copies = new Map(run.bodies.map((b) => [b.name, b.turns && b.elementNodes === 0 && b.nodes > 1]));
    const fixed = new Set(Object.entries(sub(run.scene, 'bodies') ?? {}).filter(([, b]) => isGroup(b) && (b.kind === 'obstacle' || b.fixed === true)).map(([name]) => name));
    const known = new Map<string, number>();
    this.pairOf = new Int32Array(e.rows);
    this.sign = new Int8Array(e.rows);
    for (let i = 0; i < e.rows; i++) {
      const [a, b] = ['a', 'b'].map((side) => {
        const name = e.word(`body_${side}`, i);
        return copies.get(name) ? `${name} ${(e.column(`node_${side}`) ?? none)[i]}` : name;
      });
      const key = a < b ? `${a}\n${b}` : `${b}\n${a}`; // the same two, whoever is named first
      if (!known.has(key)) known.set(key, known.size);
      this.pairOf[i] = known.get(key)!;
      this.sign[i] = fixed.has(e.word('body_b', i)) ? -1 : fixed.has(e.word('body_a', i)) || a < b ? 1 : -1;
      if (Number.isFinite(this.impulse[i])) this.strongest = Math.max(this.strongest, Math.abs(this.impulse[i]));
    }
  }

  /** Where bodies touched in the last moments, by pair. */
  private find(t: number): { pairs: Pair[]; rows: number[] } {
    const pairs = new Map<number, Pair>(), rows: number[] = [], last = lastNotAfter(this.time, t * (1 + 1e-12));
    for (let k = last; k >= 0 && this.time[k] > t - this.fade && rows.length < MOST_EVENTS; k--) {
      const row = this.order[k], size = Math.abs(this.impulse[row]) * (1 - (t - this.time[k]) / this.fade);
      if (!(size > 0)) continue;
      rows.push(row);
      let p = pairs.get(this.pairOf[row]);
      if (!p) pairs.set(this.pairOf[row], (p = { impulse: 0, newest: this.time[k], x: new THREE.Vector3(), push: new THREE.Vector3(), row }));
      p.impulse += size;
      p.x.add(new THREE.Vector3(this.x[0][row], this.x[1][row], this.x[2][row]).multiplyScalar(size));
      p.push.add(new THREE.Vector3(this.n[0][row], this.n[1][row], this.n[2][row]).multiplyScalar(this.sign[row] * size));
    }
    return { pairs: [...pairs.values()], rows };
  }

  update(t: number, ratio: number): void {
    const { pairs, rows } = this.find(t), most = Math.max(this.strongest, ...pairs.map((p) => p.impulse));
    this.pairs = pairs.length;
    const glows = rows.slice(0, MOST_GLOWS), x = this.place.array as Float32Array, s = this.strength.array as Float32Array;
    glows.forEach((row, i) => {
      x[3 * i] = this.x[0][row], x[3 * i + 1] = this.x[1][row], x[3 * i + 2] = this.x[2][row];
      const fresh = 1 - Math.min(1, (1.6 * (t - this.when[row])) / this.fade);
      s[i] = (fresh * (0.35 + 0.65 * Math.sqrt(Math.abs(this.impulse[row]) / (this.strongest || 1)))) / (1 + 0.004 * rows.length);
    });
    this.glow.geometry.setDrawRange(0, glows.length);
    this.glow.material.uniforms.pixels.value = 46 * ratio;
    this.place.needsUpdate = this.strength.needsUpdate = true;
    this.arrows.count = pairs.length <= MOST_ARROWS ? pairs.length : 0;
    for (let i = 0; i < this.arrows.count; i++) this.put(i, pairs[i], Math.sqrt(pairs[i].impulse / (most || 1)), t);
    this.arrows.instanceMatrix.needsUpdate = this.alpha.needsUpdate = true;
  }

  private put(slot: number, p: Pair, share: number, t: number): void {
    const length = this.size * (0.3 + 0.7 * share), width = 0.5 * length + 0.5 * this.size;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), p.push.normalize());
    this.arrows.setMatrixAt(slot, new THREE.Matrix4().compose(p.x.divideScalar(p.impulse), turn, new THREE.Vector3(width, length, width)));
    this.alpha.setX(slot, (0.4 + 0.6 * share) * (1 - Math.min(1, (t - p.newest) / this.fade)));
  }

  theme(ink: THREE.Color): void {
    for (const m of [this.arrows.material, this.glow.material] as THREE.ShaderMaterial[]) m.uniforms.ink.value.copy(ink);
  }
}
