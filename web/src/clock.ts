// One clock for everything on the page: the 3D view, the plots, the table.

export class Clock {
  t: number;
  playing = false;
  speed = 1; // of the usual pace
  loop = true;
  /** Simulated time in one second of playing, at speed 1: the whole run takes ten seconds. */
  readonly pace: number;
  private listeners: ((t: number) => void)[] = [];
  private states: (() => void)[] = [];

  constructor(readonly start: number, readonly end: number) {
    this.t = start;
    this.pace = Math.max(end - start, Number.MIN_VALUE) / 10;
  }

  onTime(f: (t: number) => void): void { this.listeners.push(f); }
  /** Returns what ends the listening. */
  onState(f: () => void): () => void {
    this.states.push(f);
    return () => { this.states = this.states.filter((g) => g !== f); };
  }

  seek(t: number): void {
    this.t = Math.min(this.end, Math.max(this.start, t));
    for (const f of this.listeners) f(this.t);
  }

  play(on = !this.playing): void {
    if (on && this.t >= this.end) this.seek(this.start);
    this.playing = on;
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  changed(): void { for (const f of this.states) f(); }

  /** Moves on by `seconds` of the viewer's time. */
  tick(seconds: number): void {
    if (!this.playing) return;
    const t = this.t + seconds * this.pace * this.speed;
    if (t < this.end) return this.seek(t);
    this.seek(this.loop ? this.start : this.end);
    if (!this.loop) this.play(false);
  }
}
