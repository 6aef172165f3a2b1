// Triangles in smaller ones, for smooth outlines: every edge gets a point on the curve that leaves its ends at right angles to
// the normals there (curved point-normal triangles), as often as there are levels.

export interface Level { from: number; edges: Int32Array } // vertex from + k lies on edge k: two vertices of the level above

export interface Refined { vertices: number; levels: Level[]; triangles: Uint32Array[] } // triangles of level 0, 1, ...

export function refine(nodes: number, triangles: ArrayLike<number>, depth: number): Refined {
  const out: Refined = { vertices: nodes, levels: [], triangles: [Uint32Array.from(triangles)] };
  for (let d = 0; d < depth; d++) {
    const t = out.triangles[d], from = out.vertices, edges: number[] = [], known = new Map<number, number>(), fine = new Uint32Array(4 * t.length);
    const middle = (a: number, b: number) => {
      const key = Math.min(a, b) * 67108864 + Math.max(a, b);
      let v = known.get(key);
      if (v === undefined) {
        v = from + edges.length / 2;
        edges.push(a, b);
        known.set(key, v);
      }
      return v;
    };
    for (let e = 0; e < t.length; e += 3) {
      const [a, b, c] = [t[e], t[e + 1], t[e + 2]], ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      fine.set([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], 4 * e);
    }
    out.levels.push({ from, edges: Int32Array.from(edges) });
    out.triangles.push(fine);
    out.vertices += edges.length / 2;
  }
  return out;
}

/** Positions and unit normals of the finer vertices, from those of the nodes. */
export function follow(levels: Level[], x: Float32Array, n: Float32Array): void {
  for (const { from, edges } of levels)
    for (let k = 0, at = 3 * from; k < edges.length; k += 2, at += 3) {
      const a = 3 * edges[k], b = 3 * edges[k + 1];
      const dx = x[b] - x[a], dy = x[b + 1] - x[a + 1], dz = x[b + 2] - x[a + 2];
      const cos = n[a] * n[b] + n[a + 1] * n[b + 1] + n[a + 2] * n[b + 2], soft = cos > 0.2 ? 0.125 : 0; // a fold stays sharp
      const wa = soft * (dx * n[a] + dy * n[a + 1] + dz * n[a + 2]), wb = -soft * (dx * n[b] + dy * n[b + 1] + dz * n[b + 2]);
      x[at] = 0.5 * (x[a] + x[b]) - wa * n[a] - wb * n[b];
      x[at + 1] = 0.5 * (x[a + 1] + x[b + 1]) - wa * n[a + 1] - wb * n[b + 1];
      x[at + 2] = 0.5 * (x[a + 2] + x[b + 2]) - wa * n[a + 2] - wb * n[b + 2];
      // the sum of the normals, less what leans along the edge
      const sx = n[a] + n[b], sy = n[a + 1] + n[b + 1], sz = n[a + 2] + n[b + 2], square = dx * dx + dy * dy + dz * dz;
      const lean = square > 0 ? (dx * sx + dy * sy + dz * sz) / square : 0;
      const px = sx - lean * dx, py = sy - lean * dy, pz = sz - lean * dz, s = 1 / (Math.hypot(px, py, pz) || 1);
      n[at] = s * px, n[at + 1] = s * py, n[at + 2] = s * pz;
    }
}

/** Numbers at the nodes, carried to the finer vertices. */
export function spread(levels: Level[], value: Float32Array): void {
  for (const { from, edges } of levels) for (let k = 0, at = from; k < edges.length; k += 2, at++) value[at] = 0.5 * (value[edges[k]] + value[edges[k + 1]]);
}
