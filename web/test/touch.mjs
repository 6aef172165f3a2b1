// How far from each other bodies are drawn when they touch.
//
// For each event, at its time: the distance of its point from the drawn surface of either body, over the size of that body (the
// diagonal of the box about it at the start).  Shells are drawn without thickness and touch at half of it.
export function touches(p, most = 400) {
  return p.evaluate((most) => {
    const { report, player, clock } = window.visviva, stage = player.stage, out = [];
    const dist = (p, a, b, c) => { // of a point from a triangle
      const sub = (u, v) => [u[0] - v[0], u[1] - v[1], u[2] - v[2]], dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
      const ab = sub(b, a), ac = sub(c, a), ap = sub(p, a), at = (s, t) => Math.hypot(...ap.map((v, i) => v - s * ab[i] - t * ac[i]));
      const d00 = dot(ab, ab), d01 = dot(ab, ac), d11 = dot(ac, ac), d20 = dot(ap, ab), d21 = dot(ap, ac), den = d00 * d11 - d01 * d01;
      const s = (d11 * d20 - d01 * d21) / den, t = (d00 * d21 - d01 * d20) / den;
      if (den > 0 && s >= 0 && t >= 0 && s + t <= 1) return at(s, t);
      const clamp = (x) => Math.min(1, Math.max(0, x));
      const e1 = clamp(d20 / d00), e2 = clamp(d21 / d11), bc = sub(c, b), bp = sub(p, b), e3 = clamp(dot(bp, bc) / dot(bc, bc));
      return Math.min(at(e1, 0), at(0, e2), at(1 - e3, e3));
    };
    const world = stage.worlds[0], run = report.runs[0], e = run.events, shapes = new Map(world.shapes.map((s) => [s.body.name, s]));
    const thick = (s) => { // mean thickness, where it is a field
      const f = s.body.fields.find((x) => x.field === 'thickness');
      return f ? f.most : 0;
    };
    const sizeOf = (s) => {
      if (s.body.elementNodes === 0) return 2 * s.reach;
      const x = s.body.first(), low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
      x.forEach((v, i) => ((low[i % 3] = Math.min(low[i % 3], v)), (high[i % 3] = Math.max(high[i % 3], v))));
      return Math.hypot(...low.map((v, i) => high[i] - v));
    };
    const from = (s, copy, x) => {
      let best = Infinity;
      for (const m of s.meshes) {
        const g = m.geometry, pos = g.getAttribute('position'), index = g.index, n = index ? index.count : pos.count, q = m.isInstancedMesh ? m.instanceMatrix.array.slice(16 * copy, 16 * copy + 16) : null;
        const get = (i) => {
          const k = index ? index.getX(i) : i, v = [pos.getX(k), pos.getY(k), pos.getZ(k)];
          return q ? [0, 1, 2].map((c) => q[c] * v[0] + q[4 + c] * v[1] + q[8 + c] * v[2] + q[12 + c]) : v;
        };
        for (let t = 0; t < n; t += 3) best = Math.min(best, dist(x, get(t), get(t + 1), get(t + 2)));
      }
      return Math.max(0, best - 0.5 * thick(s));
    };
    const every = Math.max(1, Math.ceil(e.rows / most)), sizes = new Map([...shapes].map(([n, s]) => [n, sizeOf(s)]));
    for (let i = 0; i < e.rows; i += every) {
      const x = ['x', 'y', 'z'].map((c) => e.column(c)[i]), sides = ['a', 'b'].map((c) => [e.word(`body_${c}`, i), e.column(`node_${c}`)?.[i] ?? 0]).filter(([n]) => shapes.has(n));
      if (sides.length === 0) continue;
      clock.seek(e.column('time')[i]);
      stage.update();
      out.push(Math.max(...sides.map(([n, copy]) => from(shapes.get(n), Math.max(0, copy), x) / sizes.get(n))));
    }
    return out.sort((a, b) => a - b);
  }, most);
}
