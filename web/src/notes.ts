// The foot of the page: the scene with defaults, what differs between runs, and what was left out.
import type { Report, Run } from './data';
import { el } from './dom';
import { grouped, number, shorten, unit, withUnit } from './format';
import { flatten } from './scene';

/** Sentences on what the page does not hold. */
export function leftOut(run: Run): string[] {
  const out: string[] = [], f = run.frames;
  if (f.all === 0) out.push('The run has no frames.');
  else if (f.burst) out.push(`Frames after t = ${withUnit(f.time[f.kept - 1], run.timeUnit)} hold numbers that are not finite and are left out.`);
  if (f.kept < f.all && !f.burst) out.push(`${grouped(f.kept)} of ${grouped(f.all)} frames, evenly spaced; motion in between is interpolated.`);
  if (run.ledger.rows < run.ledger.all) out.push(`${grouped(run.ledger.rows)} of ${grouped(run.ledger.all)} ledger rows: each stretch keeps its extremes of closure, kinetic energy and penetration.`);
  if (run.events.rows < run.events.all) out.push(`The ${grouped(run.events.rows)} strongest of ${grouped(run.events.all)} events.`);
  if (f.fields === 1) out.push('Vector fields by their magnitude only.');
  if (f.fields === 0) out.push('No field but the velocity.');
  if (f.keys.length < f.allKeys) out.push(`${grouped(f.keys.length)} of ${grouped(f.allKeys)} shapes of elastic bodies at contacts.`);
  const gone = run.bodies.filter((b) => b.leftOut).map((b) => shorten(b.name, 40));
  if (gone.length > 0) out.push(`Too large for the page: ${gone.slice(0, 12).join(', ')}${gone.length > 12 ? ` and ${gone.length - 12} more` : ''}.`);
  return out;
}

function precision(run: Run): string {
  const worst = Math.max(0, ...run.bodies.filter((b) => !b.leftOut).map((b) => b.precision));
  const u = unit(run.ledger.unit('penetration'));
  return `Positions are rounded to ±${number(worst, 2)}${u ? ' ' + u : ''} or better, fields to 256 levels over a range that all but a few values have; ledger, events and summary are exact.`;
}

function differences(runs: Run[]): HTMLElement | null {
  const flat = runs.map((r) => flatten(r.scene)), paths = new Set(flat.flatMap((m) => [...m.keys()]));
  const rows = [...paths].filter((p) => new Set(flat.map((m) => m.get(p))).size > 1);
  if (runs.length < 2) return null;
  if (rows.length === 0) return el('p', { class: 'quiet' }, 'The scenes do not differ in a word.');
  return el('div', { class: 'scroller' }, el('table', { class: 'versus differences' },
    el('thead', {}, el('tr', {}, el('th', {}), ...runs.map((r, i) => el('th', { scope: 'col' }, el('span', { class: `swatch run-${i}` }), shorten(r.label, 40))))),
    el('tbody', {}, ...rows.slice(0, 200).map((p) => el('tr', {}, el('th', { scope: 'row' }, el('code', {}, shorten(p, 80))), ...flat.map((m) => el('td', {}, shorten(m.get(p) ?? '–', 80))))))));
}

export function notes(report: Report): HTMLElement {
  const { runs } = report, different = differences(runs);
  return el('section', { class: 'notes' },
    different ? el('div', {}, el('h2', {}, 'What differs'), different) : null,
    el('h2', {}, 'Scene with defaults'),
    ...runs.map((r) => el('details', { class: 'scene' }, el('summary', {}, runs.length > 1 ? shorten(r.label, 80) : 'scene.yaml, every default written out'), el('pre', {}, r.sceneText || 'There is no scene.yaml.'))),
    el('footer', {},
      ...runs.map((r) => {
        const gone = leftOut(r);
        return el('div', { class: 'left-out' },
          runs.length > 1 ? el('h3', {}, shorten(r.label, 80)) : null,
          gone.length > 0 ? el('p', {}, el('b', {}, 'Left out: '), gone.join(' ')) : el('p', {}, 'Nothing was left out: all frames, rows and events of the run are here.'),
          el('p', {}, precision(r)));
      }),
      el('p', {}, `Made by visviva ${report.version}. This page fetches nothing and sends nothing.`)));
}
