// The stage with its controls: play, scrub, step, speed, colours, views, pictures.
import type { Clock } from './clock';
import { gradient } from './colour';
import { lastNotAfter, type Report } from './data';
import { add, button, download, el, fileName, icon, icons } from './dom';
import { brief, moment, number, paceWords, shorten, unit, words } from './format';
import { Overlay } from './overlay';
import { ALL, Stage, type Choice, type Toggle, type View } from './stage/stage';
import { Still } from './still';

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  readonly element: HTMLElement;
  readonly stage: Stage;
  private times: Float64Array; // of all events of all runs
  private scrub: HTMLInputElement;
  private readout = el('output', { class: 'time', 'aria-live': 'off' });
  private playButton: HTMLButtonElement;
  private speedSelect: HTMLSelectElement;
  private fieldSelect!: HTMLSelectElement;
  private partSelect!: HTMLSelectElement;
  private followSelect!: HTMLSelectElement;
  private legend = el('div', { class: 'legend', hidden: true });
  private labels = el('div', { class: 'labels' });
  private ticks = el('canvas', { class: 'ticks', 'aria-hidden': 'true' });
  private filmButton: HTMLButtonElement;
  private recorder: MediaRecorder | null = null;
  private toggles: Record<string, HTMLInputElement> = {};
  private pace = el('span', { class: 'pace' });
  private sectionSelect!: HTMLSelectElement;
  private sectionSlider!: HTMLInputElement;

  constructor(private report: Report, private clock: Clock) {
    this.times = Float64Array.from(report.runs.flatMap((r) => [...(r.events.column('time') ?? [])])).sort();
    const view = el('div', { class: 'view' });
    const place = el('div', { class: 'stage' }, view, this.labels, this.legend);
    this.playButton = button('play', 'Play or pause (space)', () => clock.play(), { class: 'icon play' });
    this.scrub = el('input', { type: 'range', min: clock.start, max: clock.end, step: 'any', value: clock.start, 'aria-label': 'Time',
      oninput: () => clock.seek(+this.scrub.value) });
    this.speedSelect = el('select', { 'aria-label': 'Speed', title: 'Speed ([ and ])', onchange: () => clock.setSpeed(+this.speedSelect.value) },
      ...speeds.map((s) => el('option', { value: s, selected: s === 1 }, `${s}×`)));
    this.filmButton = button('film', 'Record one pass as a WebM film (R)', () => this.film());
    this.element = el('section', { class: 'player', 'aria-label': 'Playback' }, place,
      el('div', { class: 'transport' },
        this.playButton,
        button('previous', 'Event before (shift ←)', () => this.stepEvent(-1)),
        button('next', 'Next event (shift →)', () => this.stepEvent(1)),
        el('div', { class: 'scrub' }, this.ticks, this.scrub), this.readout, el('label', { class: 'speed' }, this.speedSelect, this.pace)));
    this.stage = this.open(view);
    add(this.element, this.options());
    add(place, new Overlay(this.stage, clock, view).element, this.tools());
    clock.onTime((t) => this.show(t));
    clock.onState(() => this.state());
    new ResizeObserver(() => (this.drawTicks(), this.label())).observe(place);
    this.theme();
    this.state();
    this.show(clock.t);
  }

  private open(view: HTMLElement): Stage {
    try {
      return new Stage(view, this.report);
    } catch (error) {
      add(view, el('p', { class: 'quiet' }, 'This browser shows no WebGL, so there is no moving picture; plots and tables are below.'));
      throw error;
    }
  }

  // ---- building ----

  private tools(): HTMLElement {
    const view = (name: View, title: string, label: string) => el('button', { type: 'button', title, onclick: () => this.stage.view(name) }, label);
    return el('div', { class: 'tools' },
      el('div', { class: 'group' }, view('free', 'View from a corner (1)', '3D'), view('front', 'Front view (2)', 'front'), view('side', 'Side view (3)', 'side'), view('top', 'Top view (4)', 'top')),
      el('div', { class: 'group' }, button('fit', 'Show everything (F)', () => this.fit()), button('camera', 'Save a picture (P)', () => this.picture()), button('paper', 'Save a drawing for papers: SVG on white (V)', () => this.still()), this.filmButton,
        document.fullscreenEnabled ? button('full', 'Full screen (Z)', () => this.full()) : null));
  }

  private options(): HTMLElement {
    const fields = [...new Set(this.stage.choices.map((c) => c.field))];
    const order = ['velocity', 'stress', 'strain', 'displacement'];
    fields.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
    function rank(f: string): number { const i = order.indexOf(f); return i < 0 ? order.length : i; }
    this.fieldSelect = el('select', { id: 'colour', onchange: () => this.chooseField() }, el('option', { value: '' }, 'nothing'), ...fields.map((f) => el('option', { value: f }, words(f))));
    this.partSelect = el('select', { 'aria-label': 'Component', onchange: () => this.choosePart() });
    this.followSelect = el('select', { id: 'follow', onchange: () => this.setFollow(this.followSelect.value || null) },
      el('option', { value: '' }, 'nothing'), el('option', { value: ALL, selected: this.stage.follow === ALL }, 'all bodies'), ...this.stage.bodyNames().slice(0, 200).map((n) => el('option', { value: n }, shorten(n, 40))));
    this.sectionSelect = el('select', { id: 'section', title: 'Cut open across an axis (S)', onchange: () => this.chooseSection() }, el('option', { value: '' }, 'no'), ...['x', 'y', 'z'].map((a, i) => el('option', { value: i }, a)));
    this.sectionSlider = el('input', { type: 'range', min: 0, max: 1, step: 0.005, value: 0.5, 'aria-label': 'Where to cut', hidden: true, oninput: () => this.chooseSection() });
    const toggle = (name: Toggle, label: string, title: string) => {
      const box = el('input', { type: 'checkbox', checked: this.stage[name], onchange: () => this.switched(name, box.checked) });
      this.toggles[name] = box;
      return el('label', { class: 'toggle', title }, box, label);
    };
    const bar = el('div', { class: 'options' },
      el('label', {}, 'Colour by ', this.fieldSelect), this.partSelect,
      el('label', {}, 'Follow ', this.followSelect),
      el('span', { class: 'cut' }, el('label', {}, 'Cut across ', this.sectionSelect), this.sectionSlider),
      toggle('showArrows', 'contacts', 'Where bodies touch, and impulses as arrows (A)'), toggle('showNames', 'names', 'Names, supports and loads (N)'), toggle('seeThrough', 'see through', 'Bodies that can be seen through (X)'),
      toggle('showMesh', 'mesh', 'Lines between the nodes (M)'), toggle('showGrid', 'grid', 'Grid below everything (G)'),
      this.report.runs.length > 1 ? toggle('ghosts', 'in one picture', 'All runs in one picture: the first solid, the others as ghosts (H)') : null);
    const soft = this.report.runs.some((r) => r.bodies.some((b) => b.elementNodes > 0)); // rigid bodies show best in plain colours
    if (soft && fields.length > 0) this.fieldSelect.value = fields.includes('velocity') ? 'velocity' : fields[0];
    this.chooseField();
    return bar;
  }

  private parts(field: string): Choice[] {
    return this.stage.choices.filter((c) => c.field === field).sort((a, b) => a.component - b.component);
  }

  private chooseField(): void {
    const parts = this.parts(this.fieldSelect.value);
    this.partSelect.replaceChildren(...parts.map((c, i) => el('option', { value: i }, this.partName(c))));
    this.partSelect.hidden = parts.length < 2;
    this.choosePart();
  }

  private partName(c: Choice): string {
    if (c.component < 0) return 'magnitude';
    return (c.on === 'nodes' ? ['x', 'y', 'z', 'w'] : ['1', '2', '3', '4'])[c.component] ?? String(c.component + 1);
  }

  private choosePart(): void {
    const choice = this.parts(this.fieldSelect.value)[+this.partSelect.value || 0] ?? null;
    this.stage.colourBy(choice);
    this.legend.hidden = !choice;
    if (!choice) return;
    const [low, high] = this.stage.range(choice), u = unit(choice.unit), sign = this.stage.mapOf(choice) === 'diverging';
    const name = words(choice.field) + (choice.component >= 0 ? ' ' + this.partName(choice) : '');
    this.legend.replaceChildren(el('span', { class: 'name' }, name, u ? ` (${u})` : ''),
      el('span', { class: 'bar', style: `background:${gradient(this.stage.mapOf(choice))}` }),
      el('span', { class: 'scale' }, ...[0, 0.5, 1].map((x) => el('span', {}, (choice.cut && x === 1 ? '≥ ' : choice.cut && sign && x === 0 ? '≤ ' : '') + brief(low + x * (high - low))))));
    this.legend.title = choice.cut ? 'A few values lie beyond the range; they have the colour of its end.' : '';
  }

  private label(): void {
    const { runs } = this.report;
    if (runs.length < 2) return;
    this.labels.classList.toggle('together', this.stage.ghosts);
    const { columns, rows } = this.stage.cellLayout;
    this.labels.style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)`;
    this.labels.replaceChildren(...runs.map((r, i) => el('div', {}, el('span', { class: `swatch run-${i}` }), shorten(r.label, 48))));
  }

  private drawTicks(): void {
    const ratio = window.devicePixelRatio || 1, width = this.ticks.clientWidth, height = this.ticks.clientHeight;
    this.ticks.width = Math.max(1, width * ratio);
    this.ticks.height = Math.max(1, height * ratio);
    const c = this.ticks.getContext('2d');
    if (!c) return;
    const style = getComputedStyle(document.documentElement), span = this.clock.end - this.clock.start;
    const at = (t: number) => ((t - this.clock.start) / span) * (this.ticks.width - 1);
    c.fillStyle = style.getPropertyValue('--accent');
    for (const r of this.report.runs)
      for (const k of r.contacts) { // one bar for each contact, below the ticks of its impulses
        c.globalAlpha = 0.55;
        c.fillRect(at(k.touch), 0.6 * this.ticks.height, Math.max(2 * ratio, at(k.release) - at(k.touch)), 0.4 * this.ticks.height);
      }
    c.globalAlpha = 1;
    if (this.times.length === 0) return;
    c.fillStyle = style.getPropertyValue('--impulse');
    const count = new Uint32Array(this.ticks.width);
    for (const t of this.times) count[Math.min(count.length - 1, Math.max(0, Math.floor(((t - this.clock.start) / span) * (count.length - 1))))]++;
    count.forEach((n, x) => {
      if (n === 0) return;
      c.globalAlpha = Math.min(1, 0.35 + 0.15 * n);
      c.fillRect(x, 0, Math.max(1, ratio), 0.5 * this.ticks.height);
    });
  }

  // ---- doing ----

  theme(): void {
    this.stage.theme();
    this.drawTicks();
    this.choosePart();
  }

  fit(): void { this.stage.fit(); }

  stepEvent(by: number): void {
    this.clock.play(false);
    const near = 1e-9 * (this.clock.end - this.clock.start); // events as close as this are one
    if (by > 0) this.clock.seek(this.times[lastNotAfter(this.times, this.clock.t + near) + 1] ?? this.clock.t);
    else this.clock.seek(this.times[lastNotAfter(this.times, this.clock.t - near)] ?? this.clock.start);
  }

  stepFrame(by: number): void {
    this.clock.play(false);
    const run = this.report.runs[0], { frame, blend } = run.frameAt(this.clock.t);
    const next = by > 0 ? frame + 1 : blend > 1e-9 ? frame : frame - 1;
    this.clock.seek(run.frames.time[Math.min(run.frames.kept - 1, Math.max(0, next))] ?? this.clock.start);
  }

  faster(by: number): void {
    const i = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.clock.speed) + by));
    this.clock.setSpeed(speeds[i]);
  }

  nextField(): void {
    this.fieldSelect.selectedIndex = (this.fieldSelect.selectedIndex + 1) % this.fieldSelect.options.length;
    this.chooseField();
  }

  nextFollow(): void {
    this.followSelect.selectedIndex = (this.followSelect.selectedIndex + 1) % this.followSelect.options.length;
    this.setFollow(this.followSelect.value || null);
  }

  private setFollow(name: string | null): void {
    this.stage.follow = name;
    this.stage.fit();
  }

  toggle(name: Toggle): void {
    this.toggles[name]?.click();
  }

  private switched(name: Toggle, on: boolean): void {
    if (name === 'ghosts') this.stage.setGhosts(on), this.label();
    else this.stage[name] = on;
    this.legend.hidden = !this.stage.choice || this.stage.ghosts;
    this.stage.refresh();
  }

  private chooseSection(): void {
    const axis = this.sectionSelect.value === '' ? null : +this.sectionSelect.value;
    this.sectionSlider.hidden = axis === null;
    this.sectionSlider.style.setProperty('--done', `${100 * +this.sectionSlider.value}%`);
    this.stage.cut(axis, +this.sectionSlider.value);
  }

  nextSection(): void {
    this.sectionSelect.selectedIndex = (this.sectionSelect.selectedIndex + 1) % this.sectionSelect.options.length;
    this.chooseSection();
  }

  full(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void this.element.requestFullscreen();
  }

  // ---- showing ----

  private show(t: number): void {
    this.stage.seek(t);
    this.scrub.value = String(t);
    const run = this.report.runs[0], { frame } = run.frameAt(t);
    const span = this.clock.end - this.clock.start;
    this.readout.replaceChildren(el('b', {}, moment(t, span, run.timeUnit)), el('span', {}, `frame ${run.frames.kept ? frame + 1 : 0} of ${run.frames.kept}`));
    this.readout.dataset.value = String(t);
    this.scrub.style.setProperty('--done', `${(100 * (t - this.clock.start)) / (span || 1)}%`);
  }

  private state(): void {
    this.playButton.replaceChildren(icon(icons[this.clock.playing ? 'pause' : 'play']));
    this.playButton.classList.toggle('on', this.clock.playing);
    this.speedSelect.value = String(this.clock.speed);
    const pace = this.clock.pace * this.clock.speed, u = this.report.runs[0].timeUnit;
    this.speedSelect.title = `One second here is ${number(pace, 3)} ${unit(u)} there ([ and ])`;
    this.pace.textContent = paceWords(pace, u);
    this.pace.dataset.value = String(pace);
  }

  // ---- pictures ----

  /** The picture with a line of words below, as a file of its own. */
  private compose(): HTMLCanvasElement {
    const source = this.stage.snapshot(), style = getComputedStyle(document.documentElement);
    const ratio = source.width / Math.max(1, source.clientWidth), foot = Math.round(34 * ratio);
    const out = el('canvas', { width: source.width, height: source.height + foot });
    const c = out.getContext('2d')!;
    c.fillStyle = style.getPropertyValue('--sheet');
    c.fillRect(0, 0, out.width, out.height);
    c.drawImage(source, 0, 0);
    c.fillStyle = style.getPropertyValue('--ink');
    c.font = `${13 * ratio}px system-ui, sans-serif`;
    c.textBaseline = 'middle';
    const run = this.report.runs[0];
    c.fillText(shorten(run.title, 70), 12 * ratio, source.height + foot / 2);
    c.textAlign = 'right';
    c.fillText(`t = ${number(this.clock.t, 4)} ${unit(run.timeUnit)}`, out.width - 12 * ratio, source.height + foot / 2);
    return out;
  }

  picture(): void {
    this.compose().toBlob((b) => b && download(fileName(`${this.report.runs[0].title}-${number(this.clock.t, 4)}`) + '.png', b), 'image/png');
  }

  /** The picture as vectors on white, for papers. */
  still(): void {
    const run = this.report.runs[0], text = new Still(this.stage).draw(run.title, this.clock.t, this.clock.end - this.clock.start);
    download(fileName(`${run.title}-${number(this.clock.t, 4)}`) + '.svg', text, 'image/svg+xml');
  }

  /** Plays once from the start to the end and saves what was seen. */
  film(): void {
    if (this.recorder) return this.recorder.stop();
    if (typeof MediaRecorder === 'undefined' || !this.stage.canvas.captureStream) {
      alert('This browser cannot record films; pictures can be saved one by one.');
      return;
    }
    const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'].find((t) => MediaRecorder.isTypeSupported(t));
    const recorder = new MediaRecorder(this.stage.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 });
    const parts: Blob[] = [], loop = this.clock.loop;
    recorder.ondataavailable = (e) => parts.push(e.data);
    recorder.onstop = () => {
      this.recorder = null;
      this.clock.loop = loop;
      this.clock.play(false);
      this.filmButton.classList.remove('recording');
      this.filmButton.replaceChildren(icon(icons.film));
      const kind = (type ?? '').startsWith('video/mp4') ? 'mp4' : 'webm';
      if (parts.length > 0) download(fileName(this.report.runs[0].title) + '.' + kind, new Blob(parts, { type }));
    };
    this.recorder = recorder;
    this.filmButton.classList.add('recording');
    this.filmButton.replaceChildren(icon(icons.stop));
    this.clock.loop = false;
    this.clock.seek(this.clock.start);
    recorder.start();
    this.clock.play(true);
    const forget = this.clock.onState(() => {
      if (this.clock.playing) return;
      forget();
      setTimeout(() => recorder.state === 'recording' && recorder.stop(), 200); // the last picture, too
    });
  }
}
