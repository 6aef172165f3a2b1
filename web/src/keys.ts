// The keyboard, and the sheet that explains it.
import type { Clock } from './clock';
import { el } from './dom';
import type { Player } from './player';

const sheet: [string, string][] = [
  ['space', 'play or pause'],
  ['← →', 'frame before, next frame'],
  ['shift ← →', 'event before, next event'],
  ['home, end', 'start, end'],
  ['[ ]', 'slower, faster'],
  ['1 2 3 4', 'view from a corner, front, side, top'],
  ['F', 'show everything'],
  ['C', 'colour by the next field'],
  ['L', 'follow the next body'],
  ['S', 'cut open across x, y, z'],
  ['X', 'see through bodies'],
  ['A N', 'contacts, names'],
  ['M G', 'mesh, grid'],
  ['H', 'several runs in one picture'],
  ['Z', 'full screen'],
  ['P V', 'save a picture; a drawing for papers'],
  ['R', 'record one pass as a film'],
  ['T', 'light or dark'],
  ['?', 'this sheet'],
];

export function helpSheet(): HTMLDialogElement {
  const dialog = el('dialog', { class: 'help', 'aria-label': 'Keys', onclick: (e: MouseEvent) => e.target === dialog && dialog.close() },
    el('h2', {}, 'Keys'),
    el('dl', {}, ...sheet.flatMap(([keys, what]) => [el('dt', {}, ...keys.split(' ').map((k) => (/^[,]$/.test(k) ? k : el('kbd', {}, k)))), el('dd', {}, what)])),
    el('p', { class: 'quiet' }, 'In the picture: drag to turn, wheel or two fingers to come closer, right button to move. In a plot: drag to zoom, double click to see all, click to go there.'),
    el('form', { method: 'dialog' }, el('button', { type: 'submit' }, 'Close')));
  return dialog;
}

export function listen(clock: Clock, player: Player, dialog: HTMLDialogElement, theme: () => void): void {
  const keys: Record<string, (e: KeyboardEvent) => void> = {
    ' ': () => clock.play(),
    ArrowLeft: (e) => (e.shiftKey ? player.stepEvent(-1) : player.stepFrame(-1)),
    ArrowRight: (e) => (e.shiftKey ? player.stepEvent(1) : player.stepFrame(1)),
    Home: () => clock.seek(clock.start),
    End: () => (clock.play(false), clock.seek(clock.end)),
    '[': () => player.faster(-1),
    ']': () => player.faster(1),
    '1': () => player.stage.view('free'),
    '2': () => player.stage.view('front'),
    '3': () => player.stage.view('side'),
    '4': () => player.stage.view('top'),
    f: () => player.fit(),
    c: () => player.nextField(),
    l: () => player.nextFollow(),
    a: () => player.toggle('showArrows'),
    n: () => player.toggle('showNames'),
    x: () => player.toggle('seeThrough'),
    h: () => player.toggle('ghosts'),
    s: () => player.nextSection(),
    v: () => player.still(),
    z: () => player.full(),
    m: () => player.toggle('showMesh'),
    g: () => player.toggle('showGrid'),
    p: () => player.picture(),
    r: () => player.film(),
    t: () => theme(),
    '?': () => (dialog.open ? dialog.close() : dialog.showModal()),
  };
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const target = e.target as HTMLElement, tag = target.tagName;
    const range = tag === 'INPUT' && (target as HTMLInputElement).type === 'range';
    if (dialog.open && e.key !== '?') return;
    if (tag === 'SELECT' || tag === 'TEXTAREA' || (tag === 'INPUT' && !range && (target as HTMLInputElement).type !== 'checkbox')) return;
    if (e.key === ' ' && (tag === 'BUTTON' || tag === 'SUMMARY' || (tag === 'INPUT' && !range))) return; // they have a use for it
    if (target.classList.contains('rows') && ['Home', 'End'].includes(e.key)) return;
    const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!act) return;
    e.preventDefault();
    act(e);
  });
}
