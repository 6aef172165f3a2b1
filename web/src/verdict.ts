// The head of the page: what this run is, and whether it kept what its method claims.
import type { Clock } from './clock';
import type { Report, Run } from './data';
import { el } from './dom';
import { number, seconds, shorten, whole, withUnit, words } from './format';

interface Claim { name: string; nature: string; bound: number | null; worst: number | null; when: number | null; kept: boolean }

function claimsOf(run: Run): Claim[] {
  return Array.isArray(run.summary?.claims) ? run.summary.claims : [];
}

/** A run that its scene ended is a run that is done. */
function metItsStop(run: Run): boolean {
  return run.summary?.reason === 'a stop condition of the scene was met'; // VV_REASON_STOPPED
}

type Mood = 'good' | 'bad' | 'open';

export function judge(run: Run): { mood: Mood; text: string } {
  if (!run.summary) return { mood: 'open', text: 'Not finished: there is no summary yet' };
  const claims = claimsOf(run), broken = claims.filter((c) => !c.kept).length, reason = run.summary.reason;
  if (reason && reason !== 'done' && !metItsStop(run)) return { mood: 'bad', text: `Stopped: ${reason}` };
  if (broken > 0) return { mood: 'bad', text: `${broken} of ${claims.length} claims broken` };
  const guards = claims.filter((c) => c.nature.startsWith('guard'));
  if (guards.length > 0) return { mood: 'open', text: `${claims.length - guards.length} of ${claims.length} claims kept; ${guards.map((c) => words(c.name)).join(' and ')}: did not blow up` };
  if (claims.length === 0) return { mood: 'open', text: 'Done; the method claims nothing here' };
  return { mood: 'good', text: claims.length === 1 ? 'Its claim kept' : `All ${claims.length} claims kept` };
}

function methodOf(run: Run): string {
  const m = run.summary?.method ?? {};
  const parts: string[] = [];
  if (m.step) parts.push(`${m.step} steps`);
  if (m.step === 'event' && m.jump) parts.push(`jump ${m.jump === 'auto' ? m.energy ?? 'auto' : m.jump}`); // each rule balances its own energy
  if (m.order) parts.push(`order ${m.order}`);
  if (m.energy) parts.push(`${m.energy} energy`);
  return parts.join(', ');
}

function badge(run: Run): HTMLElement {
  const { mood, text } = judge(run);
  return el('p', { class: `badge ${mood}` }, el('span', { class: 'mark', 'aria-hidden': 'true' }, mood === 'good' ? '✓' : mood === 'bad' ? '✗' : '…'), text);
}

interface Figure { label: string; key: string; text: (r: Run) => string; note?: (r: Run) => string; value: (r: Run) => unknown }

function path(run: Run, key: string): unknown {
  return key.split('.').reduce((v: any, k) => (v === null || v === undefined ? undefined : v[k]), run.summary);
}

function relativeTo(scale: unknown, u: string, error: unknown, none = 'there is none in this run'): string {
  return scale === 0 ? none : `${error === 0 ? 'below round-off; ' : ''}relative to ${withUnit(scale, u, 3)}`;
}

/** Where the claim is about another energy than the ledger: what that one did. */
function fourthOrder(run: Run): string {
  const c = claimsOf(run).find((x) => x.name === 'energy');
  return c && c.nature.startsWith('bounded') && c.worst !== path(run, 'energy.max_relative_error') ? `; that of fourth order ${number(c.worst, 2)}` : '';
}

function figures(): Figure[] {
  const plain = (label: string, key: string, text: (v: any, r: Run) => string, note?: (r: Run) => string): Figure => ({
    label, key, text: (r) => text(path(r, key), r), note, value: (r) => path(r, key),
  });
  return [
    plain('Energy error, worst', 'energy.max_relative_error', (v) => number(v, 3), (r) => relativeTo(path(r, 'energy.scale'), r.ledger.unit('total'), path(r, 'energy.max_relative_error'), 'nothing moves') + fourthOrder(r)),
    plain('Momentum drift', 'momentum.max_drift', (v) => number(v, 3), (r) => relativeTo(path(r, 'momentum.scale'), r.ledger.unit('p_x'), path(r, 'momentum.max_drift'))),
    plain('Angular momentum drift', 'angular_momentum.max_drift', (v) => number(v, 3), (r) => relativeTo(path(r, 'angular_momentum.scale'), r.ledger.unit('L_x'), path(r, 'angular_momentum.max_drift'))),
    plain('Contacts', 'contacts', (v) => whole(v), (r) => `${whole(path(r, 'impacts'))} impulse${path(r, 'impacts') === 1 ? '' : 's'} that hit, ${whole(path(r, 'contact_pairs'))} pair${path(r, 'contact_pairs') === 1 ? '' : 's'} of bodies`),
    plain('Deepest penetration', 'max_penetration', (v, r) => withUnit(v, r.ledger.unit('penetration'), 3)),
    plain('Cost', 'wall_seconds', (v) => seconds(v), (r) => `${path(r, 'step_seconds') === undefined ? '' : `${seconds(path(r, 'step_seconds'))} in steps, `}${number(path(r, 'ns_per_node_step'), 3)} ns per node and step, ${whole(path(r, 'threads'))} thread${path(r, 'threads') === 1 ? '' : 's'}`),
  ];
}

function figureCard(f: Figure, run: Run): HTMLElement {
  const value = f.value(run);
  return el('div', { class: 'figure' },
    el('dt', {}, f.label),
    el('dd', { 'data-key': f.key, 'data-value': value === undefined ? null : String(value), title: value === undefined ? null : String(value) }, f.text(run)),
    f.note && value !== undefined ? el('dd', { class: 'note' }, f.note(run)) : null);
}

/** How far inside its bound a claim stayed, on a scale of decades. */
function margin(c: Claim): HTMLElement {
  const bar = el('span', { class: 'margin', 'aria-hidden': 'true' });
  if (typeof c.bound !== 'number' || typeof c.worst !== 'number' || !(c.bound > 0)) return bar;
  const decades = c.worst > 0 ? Math.log10(c.worst / c.bound) : -8;
  bar.appendChild(el('span', { style: `width:${Math.min(100, Math.max(2, 100 * (1 + decades / 8)))}%`, class: c.kept ? 'in' : 'out' }));
  bar.title = c.worst > 0 ? `${number(c.worst / c.bound, 2)} of the bound` : 'nothing at all';
  return bar;
}

function claimTable(run: Run, clock: Clock): HTMLElement {
  const rows = claimsOf(run).map((c) =>
    el('tr', { class: !c.kept ? 'broken' : c.nature.startsWith('guard') ? 'guard' : 'kept', 'data-claim': c.name },
      el('td', { class: 'mark' }, el('span', { 'aria-hidden': 'true' }, !c.kept ? '✗' : c.nature.startsWith('guard') ? '~' : '✓'), el('span', { class: 'hidden' }, !c.kept ? 'broken' : c.nature.startsWith('guard') ? 'within its guard' : 'kept')),
      el('th', { scope: 'row' }, words(c.name)),
      el('td', { class: 'nature' }, c.nature),
      el('td', { class: 'number', 'data-value': String(c.worst), title: String(c.worst) }, number(c.worst, 3)),
      el('td', { class: 'wide' }, margin(c)),
      el('td', { class: 'number', 'data-value': String(c.bound), title: String(c.bound) }, number(c.bound, 3)),
      el('td', { class: 'number' },
        typeof c.when === 'number' && c.worst !== 0
          ? el('button', { type: 'button', class: 'link', title: 'Go there', 'data-value': String(c.when), onclick: () => clock.seek(c.when!) }, withUnit(c.when, run.timeUnit, 4))
          : '–')));
  if (rows.length === 0) return el('p', { class: 'quiet' }, 'No claims.');
  return el('div', { class: 'scroller' }, el('table', { class: 'claims' },
    el('thead', {}, el('tr', {}, el('th', {}), el('th', {}, 'Claim'), el('th', {}, 'Nature'), el('th', { class: 'number' }, 'Worst'), el('th', { class: 'wide' }), el('th', { class: 'number' }, 'Bound'), el('th', { class: 'number' }, 'When'))),
    el('tbody', {}, ...rows)));
}

function facts(run: Run): HTMLElement {
  const s = run.summary;
  if (!s) return el('p', { class: 'facts' }, run.label);
  const energy = run.ledger.unit('total');
  const items: [string, string, string?][] = [
    ['steps', whole(s.steps), 'steps'], ['step', withUnit(s.step_size, run.timeUnit), 'step_size'], ['until', withUnit(s.time_end, run.timeUnit), 'time_end'],
    ['nodes', whole(s.nodes), 'nodes'], ['energy', `${withUnit(s.energy?.initial, energy)} → ${withUnit(s.energy?.final, energy)}`],
  ];
  if (s.energy?.friction_loss) items.push(['friction loss', withUnit(s.energy.friction_loss, energy)]);
  if (s.energy?.restitution_loss) items.push(['restitution loss', withUnit(s.energy.restitution_loss, energy)]);
  if (s.energy?.step_loss) items.push(['step loss', withUnit(s.energy.step_loss, energy)]);
  if (s.energy?.plastic_work) items.push(['plastic work', withUnit(s.energy.plastic_work, energy)]);
  if (s.energy?.viscous_loss) items.push(['viscous loss', withUnit(s.energy.viscous_loss, energy)]);
  if (s.energy?.damage_loss) items.push(['damage loss', withUnit(s.energy.damage_loss, energy)]);
  if (s.energy?.external_work) items.push(['work from outside', withUnit(s.energy.external_work, energy)]);
  return el('p', { class: 'facts' }, ...items.map(([label, text]) => el('span', {}, el('i', {}, label), ' ', text)),
    s.state_hash ? el('span', {}, el('i', {}, 'state'), ' ', el('code', { 'data-key': 'state_hash', 'data-value': s.state_hash }, s.state_hash)) : null);
}

function single(run: Run, clock: Clock): HTMLElement[] {
  return [
    el('dl', { class: 'figures' }, ...figures().map((f) => figureCard(f, run))),
    el('details', { class: 'more', open: judge(run).mood === 'bad' || undefined }, el('summary', {}, 'Claims and their bounds'), claimTable(run, clock), facts(run)),
  ];
}

/** One row for each run. */
function several(runs: Run[], clock: Clock): HTMLElement[] {
  const list = figures();
  const rows = runs.map((r, i) => el('tr', {},
    el('th', { scope: 'row', title: r.label }, el('span', { class: `swatch run-${i}` }), shorten(r.label, 40), el('div', { class: 'quiet' }, methodOf(r))),
    el('td', {}, badge(r)), el('td', { class: 'number' }, withUnit(r.summary?.step_size, r.timeUnit)),
    ...list.map((f) => el('td', { class: 'number', 'data-key': f.key, 'data-value': String(f.value(r)), title: String(f.value(r)) }, f.text(r)))));
  const table = el('table', { class: 'versus' },
    el('thead', {}, el('tr', {}, el('th', {}, 'Run'), el('th', {}, 'Verdict'), el('th', { class: 'number' }, 'Step'), ...list.map((f) => el('th', { class: 'number' }, f.label)))),
    el('tbody', {}, ...rows));
  return [
    el('div', { class: 'scroller' }, table),
    el('details', { class: 'more' }, el('summary', {}, 'Claims and their bounds'),
      ...runs.flatMap((r) => [el('h3', {}, shorten(r.label, 80)), claimTable(r, clock), facts(r)])),
  ];
}

export function verdict(report: Report, clock: Clock): HTMLElement {
  const { runs } = report, title = runs[0].title;
  const messages = runs.filter((r) => r.summary?.message).map((r) => el('p', { class: metItsStop(r) ? 'message ended' : 'message' }, metItsStop(r) ? 'Ended by its stop condition, ' : '', shorten(String(r.summary.message), 400)));
  return el('header', { class: 'verdict' },
    el('div', { class: 'titles' }, el('h1', { title }, shorten(title, 160)),
      runs.length === 1 ? el('div', { class: 'headline' }, badge(runs[0]), el('p', { class: 'method' }, methodOf(runs[0]))) : el('p', { class: 'method' }, `${runs.length} runs`)),
    ...(runs.length === 1 ? single(runs[0], clock) : several(runs, clock)), ...messages);
}
