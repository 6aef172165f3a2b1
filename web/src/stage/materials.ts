// Few materials, cheap enough for a computer without a graphics card.
import * as THREE from 'three';

/** The inner side of a surface is paler than the outer one. */
const inner = `if (!gl_FrontFacing) gl_FragColor.rgb = 0.05 + 0.95 * mix(gl_FragColor.rgb, vec3(dot(gl_FragColor.rgb, vec3(0.3, 0.5, 0.2))), 0.5);`;

export function solid(side: THREE.Side = THREE.FrontSide): THREE.MeshLambertMaterial {
  const m = new THREE.MeshLambertMaterial({ vertexColors: true, side, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  m.onBeforeCompile = (shader) => (shader.fragmentShader = shader.fragmentShader.replace('#include <opaque_fragment>', `#include <opaque_fragment>\n${inner}`));
  return m;
}

/** How a body is shown: solid, to be seen through, or cut open. */
export interface Look { opacity: number; planes: THREE.Plane[] }

export function setLook(object: THREE.Object3D, { opacity, planes }: Look): void {
  object.traverse((o) => {
    const m = (o as THREE.Mesh).material as THREE.Material | undefined;
    if (!m) return;
    m.clippingPlanes = planes.length > 0 ? planes : null;
    if (!(o as THREE.Mesh).isMesh) return;
    m.userData.side ??= m.side;
    const side = planes.length > 0 && m.userData.side === THREE.FrontSide ? THREE.DoubleSide : m.userData.side;
    if (m.side !== side || m.transparent !== opacity < 1) m.needsUpdate = true;
    m.side = side;
    m.transparent = opacity < 1;
    m.opacity = opacity;
    m.depthWrite = opacity >= 1;
  });
}

/** Lambert with dark lines where the skin has edges; works for many copies at once. */
export function edged(side: THREE.Side = THREE.FrontSide): THREE.MeshLambertMaterial {
  const m = new THREE.MeshLambertMaterial({ side });
  m.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nattribute vec3 side;\nvarying vec3 vSide;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvSide = side;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vSide;')
      .replace(
        '#include <opaque_fragment>',
        `#include <opaque_fragment>
         vec3 width = max(fwidth(vSide), vec3(1e-6));
         vec3 near = smoothstep(vec3(0.0), 1.3 * width, vSide);
         float line = min(near.x, min(near.y, near.z));
         float thin = clamp(0.6 / (3.0 * max(width.x, max(width.y, width.z)) + 1e-6), 0.0, 1.0);
         gl_FragColor.rgb *= mix(1.0, 0.45 + 0.55 * line, min(1.0, thin));
         ${side === THREE.BackSide ? '' : inner}`,
      );
  };
  return m;
}

/** Grid lines in the plane z = 0 that fade out towards `radius`; every fifth is stronger. */
export function gridLines(radius: number, spacing: number, strength: number): THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> {
  const place: number[] = [], colour: number[] = [], count = Math.floor(radius / spacing), pieces = 12;
  const fade = (x: number, y: number) => Math.max(0, 1 - Math.hypot(x, y) / radius) ** 1.2;
  for (let k = -count; k <= count; k++) {
    const at = k * spacing, half = Math.sqrt(Math.max(0, radius * radius - at * at)), weight = strength * (k % 5 === 0 ? 1 : 0.42);
    for (let i = 0; i < pieces; i++)
      for (const along of [0, 1])
        for (const j of [i, i + 1]) {
          const u = half * ((2 * j) / pieces - 1), x = along === 0 ? u : at, y = along === 0 ? at : u;
          place.push(x, y, 0);
          colour.push(1, 1, 1, weight * fade(x, y));
        }
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(place, 3));
  g.setAttribute('color', new THREE.Float32BufferAttribute(colour, 4));
  return new THREE.LineSegments(g, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
}

/** A disc that fades out towards its rim. */
export function disc(radius: number, opacity: number): THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> {
  const g = new THREE.RingGeometry(0, radius, 64, 8), p = g.getAttribute('position'), colour: number[] = [];
  for (let i = 0; i < p.count; i++) {
    const x = Math.hypot(p.getX(i), p.getY(i)) / radius;
    colour.push(1, 1, 1, opacity * (1 - x * x * (3 - 2 * x)));
  }
  g.setAttribute('color', new THREE.Float32BufferAttribute(colour, 4));
  return new THREE.Mesh(g, new THREE.MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, side: THREE.DoubleSide }));
}

/** Spots of light that fade towards their rim. */
export function glowMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthTest: false,
    depthWrite: false,
    uniforms: { ink: { value: new THREE.Color() }, pixels: { value: 34 } },
    vertexShader: `attribute float strength; varying float vStrength; uniform float pixels;
      void main() {
        vStrength = strength;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        gl_PointSize = pixels * (0.5 + 0.5 * strength);
      }`,
    fragmentShader: `varying float vStrength; uniform vec3 ink;
      void main() {
        float r = 2.0 * length(gl_PointCoord - 0.5);
        if (r > 1.0) discard;
        float core = smoothstep(0.35, 0.0, r);
        gl_FragColor = vec4(mix(ink, vec3(1.0, 0.95, 0.8), 0.7 * core), vStrength * (1.0 - r) * (1.0 - r));
        #include <colorspace_fragment>
      }`,
  });
}

/** Arrows: one colour, each with its own opacity. */
export function arrowMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthTest: false,
    depthWrite: false,
    uniforms: { ink: { value: new THREE.Color() } },
    vertexShader: `attribute float alpha; varying float vAlpha; varying float shade;
      void main() {
        vAlpha = alpha;
        vec4 n = modelViewMatrix * instanceMatrix * vec4(normal, 0.0);
        shade = 0.75 + 0.25 * normalize(n.xyz).y;
        gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `varying float vAlpha; varying float shade; uniform vec3 ink;
      void main() { gl_FragColor = vec4(ink * shade, vAlpha);
        #include <colorspace_fragment>
      }`,
  });
}
