// Obstacles, as the scene describes them: planes with a grid, balls, cylinders, blocks and rooms.
import * as THREE from 'three';
import { isGroup, num, sub, vec, type Group } from '../scene';
import { disc, edged, gridLines } from './materials';
import { markEdges } from './shapes';

export interface Surroundings {
  group: THREE.Group;
  bounds: THREE.Box3; // of what has a size; planes have none
  floor: boolean; // some plane carries the shadows
  step: number; // of the grid
  room: THREE.Box3 | null; // a closed one: everything is inside
  names: { name: string; at: THREE.Vector3 }[];
  theme(c: Colours): void;
}

export interface Colours { ink: THREE.Color; paper: THREE.Color; stone: THREE.Color; wall: THREE.Color; dark: boolean }

/** 1, 2 or 5 times a power of ten, about a tenth of the size. */
function spacing(size: number): number {
  const target = size / 12, power = 10 ** Math.floor(Math.log10(target));
  const m = target / power;
  return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}

/** A frame whose third axis is n. */
function facing(n: THREE.Vector3): THREE.Quaternion {
  const side = Math.abs(n.x) > 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
  const x = side.addScaledVector(n, -side.dot(n)).normalize();
  return new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, new THREE.Vector3().crossVectors(n, x), n));
}

function flat(): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.72, depthWrite: false, side: THREE.DoubleSide });
}

/** A square with its lines, for walls. */
function frame(half: number, step: number): THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> {
  const place: number[] = [], colour: number[] = [];
  for (let x = -half; x <= half * 1.001; x += step)
    for (const p of [[x, -half], [x, half], [-half, x], [half, x]]) {
      place.push(p[0], p[1], 0);
      colour.push(1, 1, 1, Math.abs(x) > 0.99 * half ? 0.5 : 0.12);
    }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(place, 3));
  g.setAttribute('color', new THREE.Float32BufferAttribute(colour, 4));
  return new THREE.LineSegments(g, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
}

/** The axes of a block: the third along `axis`, the first near `normal` (body/obstacle/obstacle.c does the same). */
function axes(g: Group): THREE.Quaternion {
  const z = new THREE.Vector3(...(vec(g, 'axis') ?? [0, 0, 1])).normalize();
  const x = new THREE.Vector3(...(vec(g, 'normal') ?? [1, 0, 0]));
  x.addScaledVector(z, -x.dot(z)).normalize();
  return new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, new THREE.Vector3().crossVectors(z, x), z));
}

function skin(geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh {
  const g = geometry.index ? geometry.toNonIndexed() : geometry;
  markEdges(g);
  const mesh = new THREE.Mesh(g, material);
  mesh.receiveShadow = true;
  mesh.castShadow = material.side === THREE.FrontSide;
  return mesh;
}

/** How far the point that a plane goes through is along its normal. */
function along(p: Group): number {
  const at = vec(p, 'point'), n = vec(p, 'normal') ?? [0, 0, 1];
  return at ? new THREE.Vector3(...at).dot(new THREE.Vector3(...n).normalize()) : 0;
}

/** Where the name of a plane stands: at the upper edge of a wall, on the left of a floor. */
function edgeOf(made: THREE.Object3D, up: THREE.Vector3, half: number): THREE.Vector3 {
  const n = new THREE.Vector3(0, 0, 1).applyQuaternion(made.quaternion);
  const level = Math.abs(n.dot(up)) > 0.7, towards = level ? new THREE.Vector3(Math.abs(up.x) > 0.5 ? 0 : -1, Math.abs(up.x) > 0.5 ? -1 : 0, 0) : up;
  return made.position.clone().addScaledVector(towards, half);
}

/** `near`: how large what is looked at is, where bodies travel far. */
export function surroundings(scene: Group, bodies: THREE.Box3, near: number, up: THREE.Vector3): Surroundings {
  const group = new THREE.Group();
  const bounds = new THREE.Box3();
  const centre = bodies.getCenter(new THREE.Vector3()), size = Math.max(bodies.getSize(new THREE.Vector3()).length(), 1e-12);
  const grids: THREE.LineBasicMaterial[] = [], grounds: THREE.MeshBasicMaterial[] = [], stones: THREE.MeshLambertMaterial[] = [], walls: THREE.MeshLambertMaterial[] = [], lines: THREE.LineBasicMaterial[] = [];
  const shadows: THREE.ShadowMaterial[] = [], names: Surroundings['names'] = [];
  let floor = false, faint = true, room: THREE.Box3 | null = null;

  const step = Math.max(spacing(near), spacing(size) / 20);

  function plane(n: THREE.Vector3, offset: number): void {
    const at = centre.clone().addScaledVector(n, offset - centre.dot(n));
    const level = Math.abs(n.dot(up)) > 0.7;
    const turn = facing(n), half = 0.3 * size;
    const ground = level ? disc(1.9 * size, 0.75) : new THREE.Mesh(new THREE.PlaneGeometry(2 * half, 2 * half), flat());
    const grid = level ? gridLines(1.9 * size, step, 0.36) : frame(half, half / 4);
    [ground, grid].forEach((o, i) => {
      o.quaternion.copy(turn);
      o.position.copy(at);
      o.renderOrder = -3 + i;
      group.add(o);
    });
    grounds.push(ground.material);
    grids.push(grid.material);
    if (level) {
      faint = false;
      floor = true;
      const under = new THREE.Mesh(new THREE.PlaneGeometry(3 * size, 3 * size), new THREE.ShadowMaterial({ opacity: 0.16, depthWrite: false }));
      under.quaternion.copy(turn);
      under.name = 'shadow';
      under.position.copy(at).addScaledVector(n, 1e-4 * size);
      under.receiveShadow = true;
      under.renderOrder = -1;
      shadows.push(under.material);
      group.add(under);
    }
  }

  function block(g: Group, inside: boolean): void {
    const edge = vec(g, 'size') ?? [1, 1, 1], at = new THREE.Vector3(...(vec(g, 'centre') ?? [0, 0, 0])), turn = axes(g);
    const box = new THREE.BoxGeometry(...edge);
    const material = edged(inside ? THREE.BackSide : THREE.FrontSide);
    const mesh = skin(box, material);
    mesh.quaternion.copy(turn);
    mesh.position.copy(at);
    (inside ? walls : stones).push(material);
    group.add(mesh);
    const wire = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.4 });
    const frame = new THREE.LineSegments(new THREE.EdgesGeometry(box), wire);
    frame.quaternion.copy(turn);
    frame.position.copy(at);
    lines.push(wire);
    group.add(frame);
    mesh.updateMatrixWorld();
    bounds.expandByObject(mesh);
    if (inside) (faint = false), (room = new THREE.Box3().setFromObject(mesh));
  }

  function ball(g: Group): void {
    const inside = g.inside === true, radius = num(g, 'radius') ?? 1;
    const material = new THREE.MeshLambertMaterial({ side: inside ? THREE.BackSide : THREE.FrontSide });
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(radius, 64, 40), material);
    mesh.position.set(...(vec(g, 'centre') ?? [0, 0, 0]));
    mesh.castShadow = !inside;
    mesh.receiveShadow = true;
    (inside ? walls : stones).push(material);
    group.add(mesh);
    mesh.updateMatrixWorld();
    bounds.expandByObject(mesh);
  }

  function cylinder(g: Group): void { // endless: as long as it matters
    const inside = g.inside === true, radius = num(g, 'radius') ?? 1, length = 2.5 * size + 2 * radius;
    const n = new THREE.Vector3(...(vec(g, 'axis') ?? [0, 0, 1])).normalize(), at = new THREE.Vector3(...(vec(g, 'centre') ?? [0, 0, 0]));
    const material = new THREE.MeshLambertMaterial({ side: inside ? THREE.BackSide : THREE.FrontSide });
    const mesh = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, 64, 1, true).rotateX(Math.PI / 2), material);
    mesh.quaternion.copy(facing(n));
    mesh.position.copy(at.addScaledVector(n, centre.clone().sub(at).dot(n)));
    mesh.castShadow = !inside;
    mesh.receiveShadow = true;
    (inside ? walls : stones).push(material);
    group.add(mesh);
  }

  for (const [name, body] of Object.entries(sub(scene, 'bodies') ?? {})) {
    if (!isGroup(body) || body.kind !== 'obstacle') continue;
    const before = group.children.length;
    const shape = sub(body, 'shape');
    const p = sub(shape, 'plane'), s = sub(shape, 'sphere'), c = sub(shape, 'cylinder'), b = sub(shape, 'box'), r = sub(shape, 'room');
    if (p) plane(new THREE.Vector3(...(vec(p, 'normal') ?? [0, 0, 1])).normalize(), (num(p, 'offset') ?? 0) + along(p));
    if (s) ball(s);
    if (c) cylinder(c);
    if (b) block(b, false);
    if (r) block(r, true);
    const made = group.children[before];
    if (made && !r) names.push({ name, at: p ? edgeOf(made, up, 0.24 * size) : new THREE.Box3().setFromObject(made).getCenter(new THREE.Vector3()) });
  }

  // No floor in the scene: a faint grid below everything, for the eye only.
  if (faint) {
    const guide = gridLines(1.4 * size, step, 0.2);
    guide.quaternion.copy(facing(up));
    guide.position.copy(centre).addScaledVector(up, -(0.5 * Math.abs(bodies.getSize(new THREE.Vector3()).dot(up)) + 0.06 * size));
    guide.name = 'guide';
    guide.renderOrder = -2;
    grids.push(guide.material);
    group.add(guide);
  }

  return {
    group, bounds, floor, step, names, room,
    theme(c) {
      for (const g of grids) g.color.copy(c.ink);
      for (const g of grounds) g.color.copy(c.wall);
      for (const s of stones) s.color.copy(c.stone);
      for (const w of walls) w.color.copy(c.wall), w.emissive.copy(c.wall).multiplyScalar(c.dark ? 0.2 : 0.32);
      for (const l of lines) l.color.copy(c.ink);
      for (const s of shadows) s.opacity = c.dark ? 0.4 : 0.16;
    },
  };
}
