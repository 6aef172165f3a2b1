// Contact impulses: an arrow appears with its event and fades.  It starts where the bodies touch and shows the impulse that
// the first body received; a second one, for the other body, where that one can move.
import * as THREE from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { lastNotAfter, type Run } from '../data';
import { isGroup, sub } from '../scene';
import { arrowMaterial } from './materials';

const MOST = 120; // more would hide what they point at

export class Arrows {
  object: THREE.InstancedMesh;
  private alpha: THREE.InstancedBufferAttribute;
  private order: Int32Array;
  private time: Float64Array; // in order
  private impulse: Float64Array;
  private x: Float64Array[];
  private n: Float64Array[];
  private moves: (row: number) => boolean;
  private strongest = 0;

  constructor(run: Run, private size: number, private fade: number) {
    const shaft = new THREE.CylinderGeometry(0.022, 0.022, 0.74, 8).translate(0, 0.37, 0);
    const head = new THREE.ConeGeometry(0.075, 0.28, 12).translate(0, 0.86, 0);
    const geometry = mergeGeometries([shaft, head])!;
    this.alpha = new THREE.InstancedBufferAttribute(new Float32Array(MOST), 1);
    geometry.setAttribute('alpha', this.alpha);
    this.object = new THREE.InstancedMesh(geometry, arrowMaterial(), MOST);
    this.object.frustumCulled = false;
    this.object.renderOrder = 10;
    this.object.count = 0;
    const e = run.events, none = new Float64Array(e.rows), time = e.column('time') ?? none;
    this.order = Int32Array.from({ length: e.rows }, (_, i) => i).sort((a, b) => time[a] - time[b] || a - b);
    this.time = Float64Array.from(this.order, (i) => time[i]);
    this.impulse = e.column('normal_impulse') ?? none;
    this.x = ['x', 'y', 'z'].map((c) => e.column(c) ?? none);
    this.n = ['n_x', 'n_y', 'n_z'].map((c) => e.column(c) ?? none);
    const fixed = new Set(Object.entries(sub(run.scene, 'bodies') ?? {}).filter(([, b]) => isGroup(b) && b.kind === 'obstacle').map(([name]) => name));
    this.moves = (row) => !fixed.has(e.word('body_b', row));
    for (const j of this.impulse) if (Number.isFinite(j)) this.strongest = Math.max(this.strongest, Math.abs(j));
  }

  update(t: number): void {
    const last = lastNotAfter(this.time, t * (1 + 1e-12)), found: number[] = [];
    for (let k = last; k >= 0 && this.time[k] > t - this.fade && found.length < 4000; k--) found.push(k);
    if (found.length > MOST / 2) found.sort((a, b) => Math.abs(this.impulse[this.order[b]]) - Math.abs(this.impulse[this.order[a]]));
    let count = 0;
    for (const k of found) {
      const row = this.order[k], share = Math.abs(this.impulse[row]) / (this.strongest || 1);
      if (!(share > 0)) continue;
      const age = (t - this.time[k]) / this.fade;
      const length = this.size * (0.35 + 0.65 * Math.sqrt(share));
      const alpha = (0.35 + 0.65 * Math.sqrt(share)) * (1 - Math.min(1, Math.max(0, age))) ** 1.5;
      if (count < MOST) this.put(count++, row, -1, length, alpha);
      if (this.moves(row) && count < MOST) this.put(count++, row, 1, length, alpha);
    }
    this.object.count = count;
    this.object.instanceMatrix.needsUpdate = this.alpha.needsUpdate = true;
  }

  private put(slot: number, row: number, sign: number, length: number, alpha: number): void {
    const direction = new THREE.Vector3(this.n[0][row], this.n[1][row], this.n[2][row]).multiplyScalar(sign).normalize();
    const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction);
    const p = new THREE.Vector3(this.x[0][row], this.x[1][row], this.x[2][row]);
    const width = 0.5 * length + 0.5 * this.size;
    this.object.setMatrixAt(slot, new THREE.Matrix4().compose(p, q, new THREE.Vector3(width, length, width)));
    this.alpha.setX(slot, alpha);
  }

  theme(ink: THREE.Color): void {
    (this.object.material as THREE.ShaderMaterial).uniforms.ink.value.copy(ink);
  }
}
