// Colours of fields.  Both maps are made in OKLCh, where equal steps look equal: lightness rises evenly from a clear blue to
// light yellow, so that the order of values survives colour blindness and grey printing; the map for signed fields is light
// in the middle and darkens evenly to blue and to orange.

function oklch(L: number, C: number, h: number): [number, number, number] {
  const a = C * Math.cos((h * Math.PI) / 180), b = C * Math.sin((h * Math.PI) / 180);
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((x) => Math.min(1, Math.max(0, x))) as [number, number, number];
}

export type MapName = 'sequential' | 'diverging' | 'grey';

function entry(name: MapName, x: number): [number, number, number] {
  if (name === 'grey') return oklch(0.25 + 0.7 * x, 0, 0);
  const low = 0.54; // most of a body is calm most of the time: its shape must be seen in the lowest colour, too
  if (name === 'sequential') return oklch(low + (0.93 - low) * x, 0.09 + 0.08 * Math.sin(Math.PI * (0.1 + 0.8 * x)), 262 - 164 * x);
  const s = Math.abs(2 * x - 1);
  return oklch(0.95 - 0.47 * s, 0.005 + 0.125 * Math.sqrt(s) * Math.min(1, 4 * s), x < 0.5 ? 250 : 50);
}

const cache = new Map<MapName, Float32Array>();
let dark = false;

/** Lines differ between a light and a dark page. */
export function setDark(on: boolean): void {
  dark = on;
  cache.clear();
}

/** A colour of a line, lighter on a dark page. */
export function stroke(colour: string): string {
  return dark ? `color-mix(in oklab, ${colour} 72%, white)` : colour;
}

/** 256 colours, linear light, [256][3]. */
export function table(name: MapName): Float32Array {
  let t = cache.get(name);
  if (!t) {
    t = new Float32Array(256 * 3);
    for (let i = 0; i < 256; i++) t.set(entry(name, i / 255), 3 * i);
    cache.set(name, t);
  }
  return t;
}

function encode(x: number): number {
  return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
}

export function css(name: MapName, x: number): string {
  const t = table(name), i = 3 * Math.round(255 * Math.min(1, Math.max(0, x)));
  return `rgb(${encode(t[i])} ${encode(t[i + 1])} ${encode(t[i + 2])})`;
}

export function gradient(name: MapName): string {
  const stops: string[] = [];
  for (let i = 0; i <= 16; i++) stops.push(css(name, i / 16));
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

/** Colours of runs and series, distinguishable with every kind of sight (after Okabe and Ito). */
export const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#7b5ea7', '#6b7280'];
