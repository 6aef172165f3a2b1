// Small helpers for building the page.  Text always goes in as text: names and titles are the user's.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

/** el('p', {class: 'note', onclick: f}, 'text', child): attributes that are functions are listeners. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(name, String(value));
  }
  add(e, ...children);
  return e;
}

export function add(parent: Node, ...children: Child[]): void {
  for (const c of children)
    if (c !== null && c !== undefined && c !== false) parent.appendChild(c instanceof Node ? c : document.createTextNode(String(c)));
}

/** A line drawing of 24 x 24 from a path we wrote ourselves. */
export function icon(path: string): SVGSVGElement {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const p = document.createElementNS(ns, 'path');
  p.setAttribute('d', path);
  svg.appendChild(p);
  return svg;
}

export const icons = {
  play: 'M8 5.5v13l10.5-6.5z',
  pause: 'M8 5.5v13M16 5.5v13',
  previous: 'M17 6l-8 6 8 6zM7 6v12',
  next: 'M7 6l8 6-8 6zM17 6v12',
  start: 'M19 6l-7 6 7 6M11 6l-7 6 7 6',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  camera: 'M4 8h3l2-3h6l2 3h3v11H4zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  film: 'M4 6h11v12H4zM15 11l5-3v8l-5-3z',
  stop: 'M7 7h10v10H7z',
  help: 'M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2.1M12 17.4v.1',
  theme: 'M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8z',
  save: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 19.5h14',
  paper: 'M6 3h8l4 4v14H6zM14 3v4h4M9 13h6M9 16h6',
  full: 'M4 10V4h6M20 14v6h-6M4 4l6.5 6.5M20 20l-6.5-6.5',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9.5v.1',
};

export function button(name: keyof typeof icons, title: string, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el('button', { type: 'button', class: 'icon', title, 'aria-label': title, onclick, ...attributes }, icon(icons[name]));
}

export function download(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const a = el('a', { href: URL.createObjectURL(blob), download: name });
  document.body.appendChild(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

/** Letters that every file system takes. */
export function fileName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'visviva';
}
