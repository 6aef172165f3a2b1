// The report page of visviva.
import './style.css';
import { Clock } from './clock';
import { Contacts } from './contacts';
import { setDark } from './colour';
import { readReport, type Report } from './data';
import { button, el } from './dom';
import { Events } from './events';
import { helpSheet, listen } from './keys';
import { notes } from './notes';
import { Player } from './player';
import { Plots } from './plots';
import { verdict } from './verdict';

type Theme = 'light' | 'dark';

function currentTheme(): Theme {
  const set = document.documentElement.dataset.theme;
  if (set === 'light' || set === 'dark') return set;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** One clock over all runs: frames, ledgers and events. */
function clockOf(report: Report): Clock {
  let start = Infinity, end = -Infinity;
  for (const r of report.runs)
    for (const list of [r.frames.time, r.ledger.column('time') ?? []])
      for (const t of list.length > 0 ? [list[0], list[list.length - 1]] : []) (start = Math.min(start, t)), (end = Math.max(end, t));
  return start < end ? new Clock(start, end) : new Clock(Number.isFinite(start) ? start : 0, (Number.isFinite(start) ? start : 0) + 1);
}

function build(report: Report): void {
  const page = document.getElementById('page')!;
  const clock = clockOf(report);
  document.title = report.runs[0].title.slice(0, 120) + ' – visviva';
  const plots = new Plots(report, clock), events = new Events(report, clock), contacts = new Contacts(report, clock);
  let player: Player | null = null;
  try {
    player = new Player(report, clock);
  } catch (error) {
    console.warn('no 3D view:', error); // the rest of the page does without
  }
  const dialog = helpSheet();
  const setTheme = () => {
    document.documentElement.dataset.theme = currentTheme() === 'dark' ? 'light' : 'dark';
    recolour();
  };
  const recolour = () => {
    document.documentElement.dataset.theme ??= currentTheme();
    setDark(document.documentElement.dataset.theme === 'dark');
    player?.theme();
    plots.draw();
    contacts.draw();
  };
  const corner = el('nav', { class: 'corner' }, button('theme', 'Light or dark (T)', setTheme), button('help', 'Keys (?)', () => dialog.showModal()));
  const work = el('main', { class: 'work' }, player ? player.element : el('p', { class: 'quiet' }, 'This browser shows no WebGL, so there is no moving picture.'), plots.aside);
  const live = 'live' in document.documentElement.dataset; // a run that goes on: the picture first, and where it is now
  const top = live ? [work, verdict(report, clock)] : [verdict(report, clock), work];
  page.replaceChildren(corner, ...top, plots.element, contacts.element, events.element, notes(report), dialog);
  recolour();
  if (player) listen(clock, player, dialog, setTheme);

  let last = performance.now();
  const beat = (now: number) => {
    const seconds = Math.min(0.25, (now - last) / 1000);
    last = now;
    clock.tick(seconds);
    player?.stage.tick(seconds, clock.playing);
    requestAnimationFrame(beat);
  };
  requestAnimationFrame(beat);
  clock.seek(live ? clock.end : clock.start);
  // For tests, and for people who look under the bonnet.
  (window as any).visviva = { report, clock, player, plots, events, contacts, stats: player?.stage.stats, opened: performance.now() };
}

const report = readReport();
if (typeof report === 'string') document.getElementById('page')!.replaceChildren(el('p', { class: 'quiet', style: 'margin:4rem' }, report));
else build(report);
