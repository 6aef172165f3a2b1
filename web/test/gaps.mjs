// How far from each other bodies are drawn when they touch, measured without the noted points of contact:
//   node test/gaps.mjs PAGE.html...
//
// At the time of each event (of at most 60) the smallest distance of any two triangles of the two bodies as they are drawn, or of
// a body's points from the planes and walls that the scene describes; over the size of the smaller body (the diagonal of the box
// about it).  Shells are drawn without thickness and touch at half of it.  test/touch.mjs asks the same of each body and the noted
// point.
import path from 'node:path';
import { closeBrowser, open } from './support.mjs';

function gaps(p, most) {
  return p.evaluate((most) => {
    const { report, player, clock } = window.visviva, stage = player.stage, world = stage.worlds[0], run = report.runs[0], e = run.events;
    const sub = (u, v) => [u[0] - v[0], u[1] - v[1], u[2] - v[2]], dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    const clamp = (x) => Math.min(1, Math.max(0, x)), from = (u, d, s) => [u[0] + s * d[0], u[1] + s * d[1], u[2] + s * d[2]];
    const pointTriangle = (x, [a, b, c]) => {
      const ab = sub(b, a), ac = sub(c, a), ax = sub(x, a), d00 = dot(ab, ab), d01 = dot(ab, ac), d11 = dot(ac, ac), d20 = dot(ax, ab), d21 = dot(ax, ac);
      const den = d00 * d11 - d01 * d01, s = (d11 * d20 - d01 * d21) / den, t = (d00 * d21 - d01 * d20) / den;
      if (den > 0 && s >= 0 && t >= 0 && s + t <= 1) return Math.hypot(...sub(x, from(from(a, ab, s), ac, t)));
      const edge = (u, v) => { const d = sub(v, u); return Math.hypot(...sub(x, from(u, d, clamp(dot(sub(x, u), d) / dot(d, d) || 0)))); };
      return Math.min(edge(a, b), edge(b, c), edge(c, a));
    };
    const edgeEdge = (a, b, c, d) => {
      const u = sub(b, a), v = sub(d, c), w = sub(a, c), uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w), den = uu * vv - uv * uv;
      let s = den > 1e-14 * uu * vv ? clamp((uv * vw - vv * uw) / den) : 0;
      const t = clamp((uv * s + vw) / vv || 0);
      s = clamp((uv * t - uw) / uu || 0);
      return Math.hypot(...sub(from(a, u, s), from(c, v, t)));
    };
    const apart = (p, q) => {
      let best = Infinity;
      for (let i = 0; i < 3; i++) {
        best = Math.min(best, pointTriangle(p[i], q), pointTriangle(q[i], p));
        for (let k = 0; k < 3; k++) best = Math.min(best, edgeEdge(p[i], p[(i + 1) % 3], q[k], q[(k + 1) % 3]));
      }
      return best;
    };
    const triangles = (s, copy) => {
      const out = [];
      for (const m of s.meshes) {
        const pos = m.geometry.getAttribute('position'), index = m.geometry.index, n = index ? index.count : pos.count;
        const q = m.isInstancedMesh ? m.instanceMatrix.array.slice(16 * copy, 16 * copy + 16) : null;
        const get = (i) => {
          const k = index ? index.getX(i) : i, v = [pos.getX(k), pos.getY(k), pos.getZ(k)];
          return q ? [0, 1, 2].map((c) => q[c] * v[0] + q[4 + c] * v[1] + q[8 + c] * v[2] + q[12 + c]) : v;
        };
        for (let t = 0; t < n; t += 3) {
          const x = [get(t), get(t + 1), get(t + 2)], middle = [0, 1, 2].map((c) => (x[0][c] + x[1][c] + x[2][c]) / 3);
          const r = Math.max(...x.map((v) => Math.hypot(...sub(v, middle))));
          if (r > 0) out.push({ x, middle, r });
        }
      }
      return out;
    };
    const about = (list) => {
      const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
      for (const t of list) for (const v of t.x) for (let c = 0; c < 3; c++) (low[c] = Math.min(low[c], v[c])), (high[c] = Math.max(high[c], v[c]));
      return [low, high];
    };
    const size = (list) => { const [low, high] = about(list); return Math.hypot(...sub(high, low)); };
    const near = (list, other) => { // those in the box about the other, or not far from it
      const [low, high] = about(other), reach = 0.05 * size(other);
      const kept = list.filter((t) => [0, 1, 2].every((c) => t.middle[c] + t.r > low[c] - reach && t.middle[c] - t.r < high[c] + reach));
      return kept.length > 0 ? kept : list;
    };
    const between = (left, right) => {
      const a = near(left, right), b = near(right, a);
      let best = Infinity;
      for (const p of a) for (const q of b) {
        const d = sub(p.middle, q.middle), far = Math.sqrt(dot(d, d)) - p.r - q.r;
        if (far < best) best = Math.min(best, apart(p.x, q.x));
      }
      return best;
    };
    const half = (s) => 0.5 * (s.body.fields.find((f) => f.field === 'thickness')?.most ?? 0);
    const numbers = (x, other) => (Array.isArray(x) ? x.map(Number) : other);
    const unit = (v) => v.map((x) => x / Math.hypot(...v));
    const wallsOf = (name) => { // planes as [normal, offset]; null: another obstacle
      const shape = run.scene?.bodies?.[name]?.shape ?? run.described?.bodies?.[name]?.shape;
      if (!shape) return null;
      if (shape.plane) {
        const n = unit(numbers(shape.plane.normal)), at = numbers(shape.plane.point, [0, 0, 0]);
        return [[n, dot(n, at) + Number(shape.plane.offset ?? 0)]];
      }
      if (!shape.room) return null;
      const centre = numbers(shape.room.centre, [0, 0, 0]), s = numbers(shape.room.size);
      if (`${shape.room.axis ?? '0,0,1'}` !== '0,0,1' || `${shape.room.normal ?? '1,0,0'}` !== '1,0,0') return null;
      return [0, 1, 2].flatMap((c) => [1, -1].map((sign) => {
        const n = [0, 0, 0];
        n[c] = sign;
        return [n, sign * centre[c] - s[c] / 2];
      }));
    };
    const shapes = new Map(world.shapes.map((s) => [s.body.name, s])), every = Math.max(1, Math.ceil(e.rows / most)), out = [];
    for (let i = 0; i < e.rows; i += every) {
      const names = ['a', 'b'].map((c) => e.word(`body_${c}`, i)), copies = ['a', 'b'].map((c) => Math.max(0, e.column(`node_${c}`)?.[i] ?? 0));
      clock.seek(e.column('time')[i]);
      stage.update();
      const there = names.map((n, k) => (shapes.has(n) ? triangles(shapes.get(n), copies[k]) : null));
      if (names[0] === names[1] && !world.shapes.find((s) => s.body.name === names[0]).meshes.some((m) => m.isInstancedMesh)) continue; // with itself
      if (there[0] && there[1]) {
        const d = between(there[0], there[1]) - half(shapes.get(names[0])) - half(shapes.get(names[1]));
        out.push(Math.max(0, d) / Math.min(size(there[0]), size(there[1])));
      } else {
        const k = there[0] ? 0 : 1, walls = wallsOf(names[1 - k]);
        if (!there[k] || !walls) continue;
        let best = Infinity;
        for (const [n, offset] of walls) best = Math.min(best, Math.abs(Math.min(...there[k].flatMap((t) => t.x.map((v) => dot(n, v) - offset))) - half(shapes.get(names[k]))));
        out.push(best / size(there[k]));
      }
    }
    return out.sort((a, b) => a - b);
  }, most);
}

for (const page of process.argv.slice(2)) {
  const p = await open(path.resolve(page), { viewport: { width: 700, height: 700 } }), away = await gaps(p, 60);
  const percent = (x) => `${(100 * x).toFixed(2)} %`;
  console.log(path.basename(page, '.html'), away.length === 0 ? 'no contacts to measure' : `${away.length} contacts, median ${percent(away[away.length >> 1])}, most ${percent(away.at(-1))}`);
  await p.context().close();
}
await closeBrowser();
