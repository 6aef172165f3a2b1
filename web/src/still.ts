// The picture as a drawing for papers: vectors on white.  Triangles are projected, shaded and drawn from the farthest to the
// nearest; names, scale, axes and colours come with it.
import * as THREE from 'three';
import { css } from './colour';
import { brief, moment, shorten, unit, words } from './format';
import { axes, scaleBar } from './overlay';
import type { Stage } from './stage/stage';

const MOST = 60000; // triangles; beyond, shells are drawn by the triangles between their nodes
const WIDTH = 1000, FOOT = 74;

interface Piece { depth: number; text: string }

function escape(text: string): string {
  return text.replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u001f]/g, ' ');
}

function hex(c: THREE.Color): string {
  return '#' + c.getHexString(THREE.SRGBColorSpace);
}

/** What is left of a polygon on the side that is kept. */
function clip(plane: THREE.Plane | null | undefined, a: THREE.Vector3[]): THREE.Vector3[] {
  if (!plane) return a;
  const out: THREE.Vector3[] = [], d = a.map((v) => plane.distanceToPoint(v));
  if (d.every((x) => x >= 0)) return a;
  a.forEach((v, i) => {
    const j = (i + 1) % a.length;
    if (d[i] >= 0) out.push(v.clone());
    if (d[i] >= 0 !== d[j] >= 0) out.push(v.clone().lerp(a[j], d[i] / (d[i] - d[j])));
  });
  return out;
}

export class Still {
  private pieces: Piece[] = [];
  private back: string[] = [];
  private height: number;
  private view = new THREE.Matrix4();
  private sun = new THREE.Vector3();
  private instance = new THREE.Matrix4();

  constructor(private stage: Stage, private width = WIDTH) {
    const c = stage.canvas, { columns, rows } = stage.cellLayout;
    this.height = Math.round((this.width * c.clientHeight * columns) / Math.max(1, c.clientWidth * rows));
    stage.camera.updateMatrixWorld();
    this.view.multiplyMatrices(stage.camera.projectionMatrix, stage.camera.matrixWorldInverse);
    this.sun.copy(stage.worlds[0].sun.position).sub(stage.worlds[0].sun.target.position).normalize();
  }

  private point(p: THREE.Vector3): [number, number, number] {
    const v = p.clone().applyMatrix4(this.view);
    return [(0.5 + 0.5 * v.x) * this.width, (0.5 - 0.5 * v.y) * this.height, v.z];
  }

  /** Light from the sun and from all around. */
  private shade(colour: THREE.Color, normal: THREE.Vector3): string {
    const light = 0.66 + 0.34 * Math.max(-0.35, normal.dot(this.sun));
    return hex(colour.clone().multiplyScalar(Math.min(1, light)));
  }

  private mesh(m: THREE.Mesh, white: THREE.Color | null): void {
    const g = m.geometry, x = g.getAttribute('position'), colour = g.getAttribute('color'), side = g.getAttribute('side'), index = g.index;
    const material = m.material as THREE.MeshLambertMaterial, many = (m as THREE.InstancedMesh).isInstancedMesh ? (m as THREE.InstancedMesh) : null;
    const count = index ? index.count : x.count, a = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()], normal = new THREE.Vector3(), place = new THREE.Matrix4(), own = new THREE.Color(), tint = new THREE.Color();
    m.updateMatrixWorld();
    for (let k = 0; k < (many ? many.count : 1); k++) {
      place.copy(m.matrixWorld);
      if (many) many.getMatrixAt(k, this.instance), place.multiply(this.instance);
      tint.copy(white ?? material.color);
      if (many?.instanceColor) many.getColorAt(k, own), tint.multiply(own);
      for (let t = 0; t < count; t += 3) {
        const corner = [0, 1, 2].map((i) => (index ? index.getX(t + i) : t + i));
        corner.forEach((v, i) => a[i].fromBufferAttribute(x, v).applyMatrix4(place));
        normal.subVectors(a[1], a[0]).cross(new THREE.Vector3().subVectors(a[2], a[0]));
        const left = normal.lengthSq() === 0 ? [] : clip(material.clippingPlanes?.[0], a);
        if (left.length < 3) continue;
        normal.normalize();
        const towards = new THREE.Vector3().subVectors(this.stage.camera.position, a[0]).dot(normal) > 0;
        if ((material.side === THREE.FrontSide && !towards) || (material.side === THREE.BackSide && towards)) continue;
        if (!towards) normal.negate();
        own.copy(tint);
        if (colour && material.vertexColors) own.multiply(new THREE.Color(...([0, 1, 2].map((c) => corner.reduce((s, v) => s + colour.getComponent(v, c), 0) / 3) as [number, number, number])));
        this.polygon(left, this.shade(own, normal), material, side && left.length === 3 ? corner.map((v) => [side.getX(v), side.getY(v), side.getZ(v)]) : null);
      }
    }
  }

  private isCut(m: THREE.Material, a: THREE.Vector3[]): boolean {
    const p = m.clippingPlanes?.[0];
    return p !== undefined && p !== null && a.reduce((s, v) => s + p.distanceToPoint(v), 0) < 0;
  }

  private polygon(a: THREE.Vector3[], fill: string, m: THREE.Material, side: number[][] | null): void {
    const p = a.map((v) => this.point(v));
    if (p.some((v) => v[2] > 1 || v[2] < -1)) return;
    const at = (v: number[]) => `${v[0].toFixed(1)},${v[1].toFixed(1)}`, clear = m.opacity < 1;
    let text = `<path d="M${p.map(at).join('L')}Z" fill="${fill}"${clear ? ` fill-opacity="${m.opacity}"` : ` stroke="${fill}"`}/>`;
    for (let k = 0; side && k < 3; k++) { // sides between sharp edges
      const i = (k + 1) % 3, j = (k + 2) % 3;
      if (side[i][k] === 0 && side[j][k] === 0) text += `<path class="e" d="M${at(p[i])}L${at(p[j])}"/>`;
    }
    this.pieces.push({ depth: p.reduce((s, v) => s + v[2], 0) / p.length, text });
  }

  private lines(l: THREE.LineSegments): void {
    const x = l.geometry.getAttribute('position'), index = l.geometry.index, a = new THREE.Vector3(), b = new THREE.Vector3(), n = index ? index.count : x.count;
    l.updateMatrixWorld();
    for (let i = 0; i + 1 < n; i += 2) {
      a.fromBufferAttribute(x, index ? index.getX(i) : i).applyMatrix4(l.matrixWorld), b.fromBufferAttribute(x, index ? index.getX(i + 1) : i + 1).applyMatrix4(l.matrixWorld);
      const p = this.point(a), q = this.point(b), bias = 2e-4;
      if (this.isCut(l.material as THREE.Material, [a, b]) || p[2] > 1 || q[2] > 1) continue;
      this.pieces.push({ depth: 0.5 * (p[2] + q[2]) - bias, text: `<path class="e" d="M${p[0].toFixed(1)},${p[1].toFixed(1)}L${q[0].toFixed(1)},${q[1].toFixed(1)}"/>` });
    }
  }

  /** Floors and walls lie behind everything. */
  private surroundings(): void {
    for (const o of this.stage.worlds[0].around.group.children) {
      const m = o as THREE.Mesh, material = m.material as THREE.MeshLambertMaterial;
      if (o.name === 'shadow' || o.name === 'guide') continue;
      if (m.isMesh && material.transparent) this.flat(m);
      else if (m.isMesh && material.side === THREE.BackSide) continue; // walls of a room: its edges are enough
      else if (m.isMesh) this.mesh(m, new THREE.Color('#c9c6be'));
      else if ((o as THREE.LineSegments).isLineSegments && !material.vertexColors) this.lines(o as THREE.LineSegments);
    }
  }

  private flat(m: THREE.Mesh): void {
    const ring = m.geometry.type === 'RingGeometry', r = (m.geometry as THREE.RingGeometry).parameters, corner: THREE.Vector3[] = [];
    m.updateMatrixWorld();
    if (ring) for (let i = 0; i < 48; i++) corner.push(new THREE.Vector3(0.42 * r.outerRadius * Math.cos((i * Math.PI) / 24), 0.42 * r.outerRadius * Math.sin((i * Math.PI) / 24), 0));
    else for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) corner.push(new THREE.Vector3((u * (r as any).width) / 2, (v * (r as any).height) / 2, 0));
    const p = corner.map((v) => this.point(v.applyMatrix4(m.matrixWorld)));
    if (p.every((v) => v[2] < 1)) this.back.push(`<path d="M${p.map((v) => `${v[0].toFixed(1)},${v[1].toFixed(1)}`).join('L')}Z" fill="#efede8" stroke="#d8d5ce"/>`);
  }

  private text(x: number, y: number, text: string, more = ''): string {
    return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escape(text)}</text>`;
  }

  private foot(title: string, t: number, span: number): string {
    const y = this.height, stage = this.stage, bar = scaleBar(stage), ratio = this.width / (stage.canvas.clientWidth / stage.cellLayout.columns), out: string[] = [];
    out.push(this.text(16, y + 30, shorten(title, 80), 'font-size="15" font-weight="600"'), this.text(16, y + 54, `t = ${moment(t, span, stage.worlds[0].run.timeUnit)}`));
    const w = bar.pixels * ratio, x = this.width - 110 - w;
    out.push(`<path class="s" d="M${x},${y + 24}v6h${w.toFixed(1)}v-6"/>`, this.text(x + w / 2, y + 48, bar.text, 'text-anchor="middle"'));
    for (const a of axes(stage)) {
      const cx = this.width - 46, cy = y + 32, colour = a.colour === 'currentColor' ? '#333' : a.colour;
      out.push(`<path d="M${cx},${cy}l${(22 * a.x).toFixed(1)},${(22 * a.y).toFixed(1)}" stroke="${colour}" stroke-width="1.6"${a.name === 'g' ? ' stroke-dasharray="3 3"' : ''}/>`);
      if (Math.abs(a.z) < 0.98) out.push(this.text(cx + 30 * a.x, cy + 30 * a.y + 4, a.name, `text-anchor="middle" fill="${colour}"`));
    }
    const c = stage.choice;
    if (c && !stage.ghosts) {
      const [low, high] = stage.range(c), x0 = 0.42 * this.width, u = unit(c.unit);
      const stops = Array.from({ length: 17 }, (_, i) => `<stop offset="${i / 16}" stop-color="${css(stage.mapOf(c), i / 16)}"/>`).join('');
      out.push(`<defs><linearGradient id="map">${stops}</linearGradient></defs><rect x="${x0}" y="${y + 24}" width="200" height="9" fill="url(#map)"/>`);
      out.push(this.text(x0, y + 16, words(c.field) + (u ? ` (${u})` : '')), this.text(x0, y + 48, brief(low)), this.text(x0 + 200, y + 48, brief(high), 'text-anchor="end"'));
    }
    return out.join('\n');
  }

  draw(title: string, t: number, span: number): string {
    const world = this.stage.worlds[0], count = () => world.shapes.reduce((n, s) => n + s.meshes.reduce((k, m) => k + ((m.geometry.index?.count ?? m.geometry.getAttribute('position').count) / 3) * ((m as THREE.InstancedMesh).isInstancedMesh ? (m as THREE.InstancedMesh).count : 1), 0), 0);
    this.stage.snapshot();
    if (count() > MOST) for (const s of world.shapes) s.detail(false);
    this.surroundings();
    this.stage.worlds.forEach((w, k) => {
      if (k === 0 || this.stage.ghosts) for (const s of w.shapes) s.object.traverse((o) => ((o as THREE.Mesh).isMesh ? this.mesh(o as THREE.Mesh, null) : (o as THREE.LineSegments).isLineSegments && o.visible && this.lines(o as THREE.LineSegments)));
    });
    if (world.markers.object.visible) for (const o of world.markers.object.children) this.mesh(o as THREE.Mesh, null);
    this.pieces.sort((a, b) => b.depth - a.depth);
    const labels = this.stage.labels().flatMap((l) => {
      const p = this.point(l.at);
      return p[2] < 1 ? [this.text(p[0], p[1] - 6, shorten(l.text, 32), `class="n" text-anchor="middle"${l.quiet ? ' opacity=".7"' : ''}`)] : [];
    });
    this.stage.refresh();
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height + FOOT}" width="${this.width}" height="${this.height + FOOT}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="none" stroke-width="0.5" stroke-linejoin="round">
<title>${escape(title)}</title>
<style>.e{stroke:#20262b;stroke-width:.6;stroke-opacity:.55}.s{stroke:#20262b;stroke-width:1.2}text{fill:#20262b}.n{stroke:#fff;stroke-width:3;paint-order:stroke}</style>
<clipPath id="frame"><rect width="${this.width}" height="${this.height}"/></clipPath>
<rect width="${this.width}" height="${this.height + FOOT}" fill="#fff"/>
<g clip-path="url(#frame)">
${this.back.join('\n')}
${this.pieces.map((p) => p.text).join('\n')}
</g>
${labels.join('\n')}
${this.foot(title, t, span)}
</svg>
`;
  }
}
