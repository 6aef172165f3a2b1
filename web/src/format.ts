// Numbers as people read them.  Exact values stay beside them in title and data-value.

const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function power(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((d) => superscript[+d]).join('');
  return '10' + (exponent < 0 ? '⁻' : '') + digits;
}

/** 1.23 × 10⁻⁵ with `digits` significant digits; plain between 1e-3 and 1e6. */
export function number(x: unknown, digits = 4): string {
  if (typeof x !== 'number') return '–';
  if (Number.isNaN(x)) return 'not a number';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x), sign = x < 0 ? '−' : '';
  if (Number.isInteger(x) && size < 1e6) return sign + grouped(size);
  if (size >= 1e-3 && size < 1e6) return sign + trim(size.toPrecision(digits));
  const [mantissa, exponent] = size.toExponential(digits - 1).split('e');
  const m = trim(mantissa);
  return sign + (m === '1' ? '' : m + ' × ') + power(+exponent);
}

function trim(text: string): string {
  const plain = text.includes('e') ? String(+text) : text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return /^\d{5,}$/.test(plain) ? grouped(+plain) : plain;
}

/** 1234567 as 1 234 567, with thin spaces. */
export function grouped(x: number): string {
  return String(x).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function whole(x: unknown): string {
  return typeof x === 'number' ? (Number.isInteger(x) ? grouped(x) : number(x)) : '–';
}

/** Short enough for an axis: 1.2e-5 without a cross. */
export function brief(x: number, digits = 3): string {
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-2 && size < 1e5) return String(+x.toPrecision(digits)).replace('-', '−');
  const [mantissa, exponent] = x.toExponential(digits - 1).split('e');
  return (+mantissa + 'e' + +exponent).replace(/-/g, '−');
}

/** Unit as we write it: m/s^2 becomes m/s², N s becomes N s; "1" is none. */
export function unit(text: string | undefined): string {
  if (!text || text === '1' || text === '-') return '';
  return text.replace(/\^(-?)(\d+)/g, (_, sign, digits) => (sign ? '⁻' : '') + [...digits].map((d: string) => superscript[+d]).join(''));
}

export function withUnit(x: unknown, u: string | undefined, digits = 4): string {
  const text = typeof x === 'number' ? unit(u) : '';
  return number(x, digits) + (text ? '\u00a0' + text : '');
}

/** 0.164 s, 3.2 min */
export function seconds(x: unknown): string {
  if (typeof x !== 'number' || !Number.isFinite(x)) return '–';
  if (x < 1e-3) return number(x * 1e6, 3) + ' µs';
  if (x < 1) return number(x * 1e3, 3) + ' ms';
  if (x < 120) return number(x, 3) + ' s';
  if (x < 7200) return number(x / 60, 3) + ' min';
  return number(x / 3600, 3) + ' h';
}

/** Cuts very long text in the middle; the whole is for the tooltip. */
export function shorten(text: string, most = 120): string {
  return text.length <= most ? text : text.slice(0, most - 21) + ' … ' + text.slice(-18);
}

export function words(name: string): string {
  return name.replace(/_/g, ' ');
}

/** 20 mm, 5 cm, 2 m: round lengths, where the unit is the metre. */
export function length(x: number, u: string): string {
  if (u !== 'm') return withUnit(x, u, 3);
  const [factor, name] = x >= 1 ? (x >= 1000 ? [1e-3, 'km'] : [1, 'm']) : x >= 0.01 ? [100, 'cm'] : x >= 1e-3 ? [1e3, 'mm'] : x >= 1e-6 ? [1e6, 'µm'] : [1e9, 'nm'];
  return `${+(x * (factor as number)).toPrecision(3)}\u00a0${name}`;
}

/** A moment of a run that spans so long: in s, ms or µs, with digits that tell a thousandth of the span. */
export function moment(t: number, span: number, u: string): string {
  const [factor, name] = u !== 's' || span >= 1 ? [1, unit(u)] : span >= 1e-3 ? [1e3, 'ms'] : [1e6, 'µs'];
  const decimals = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span * (factor as number)) + 1e-9)));
  return `${(t * (factor as number)).toFixed(decimals).replace('-', '−')}${name ? ' ' + name : ''}`;
}

/** How fast a run is played, in words; `pace` is its time in one second of the viewer's. */
export function paceWords(pace: number, u: string): string {
  const round = (x: number) => grouped(+x.toPrecision(2));
  if (u !== 's') return `1 s shows ${number(pace, 3)} ${unit(u)}`;
  if (pace > 0.95 && pace < 1.05) return 'real time';
  return pace < 1 ? `${round(1 / pace)} times slower` : `${round(pace)} times faster`;
}
