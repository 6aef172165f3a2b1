// What the tests share: runs, pages, a browser.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const visviva = process.env.VISVIVA ?? path.join(source, 'build/release/visviva');
export const folder = process.env.VISVIVA_TEST_FOLDER ?? fs.mkdtempSync(path.join(os.tmpdir(), 'visviva-web-'));
const python = ['/usr/bin/python3', 'python3'].find((p) => { // one that has h5py
  try { execFileSync(p, ['-c', 'import h5py'], { stdio: 'ignore' }); return true; } catch { return false; }
});

export function runScene(name, scene, change = (text) => text) {
  const yaml = path.join(folder, name + '.yaml');
  fs.writeFileSync(yaml, change(fs.readFileSync(path.join(source, 'examples', scene + '.yaml'), 'utf8')));
  execFileSync(visviva, ['run', yaml, '-o', path.join(folder, name), '--overwrite', '-q'], { stdio: 'pipe' });
}

export function runText(name, text) {
  const yaml = path.join(folder, name + '.yaml');
  fs.writeFileSync(yaml, text);
  execFileSync(visviva, ['run', yaml, '-o', path.join(folder, name), '--overwrite', '-q'], { stdio: 'pipe' });
}

export function makeRuns() {
  if (!python) throw new Error('the tests need Python with h5py (Debian: python3-h5py)');
  execFileSync(python, [path.join(source, 'web/test/make_runs.py'), folder]);
}

export function report(names, ...options) {
  const page = path.join(folder, [].concat(names).join('-') + '.html');
  execFileSync(visviva, ['report', ...[].concat(names).map((n) => path.join(folder, n)), '-o', page, ...options], { stdio: 'pipe' });
  return page;
}

let browser;
export async function open(page, options = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', acceptDownloads: true, ...options });
  const p = await context.newPage();
  p.trouble = [];
  p.asked = [];
  p.on('console', (m) => m.type() === 'error' && p.trouble.push(m.text()));
  p.on('pageerror', (e) => p.trouble.push(String(e)));
  p.on('request', (r) => p.asked.push(r.url()));
  const start = Date.now();
  await p.goto('file://' + page);
  await p.waitForFunction('window.visviva && window.visviva.stats.rendered > 0');
  p.opened = Date.now() - start;
  return p;
}

export async function closeBrowser() {
  await browser?.close();
}

/** Moves the clock to a share of the run and waits until it is drawn. */
export async function seek(p, share) {
  await p.evaluate((x) => { const c = window.visviva.clock; c.seek(c.start + x * (c.end - c.start)); }, share);
  await settle(p);
}

export async function settle(p) {
  await p.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The picture as numbers: how many colours, and one that changes when it does. */
export function picture(p, cells = 1) {
  return p.evaluate((cells) => {
    const source = window.visviva.player.stage.snapshot(), out = [];
    for (let k = 0; k < cells; k++) {
      const w = 320, h = 200, c = new OffscreenCanvas(w, h).getContext('2d');
      c.drawImage(source, (k * source.width) / cells, 0, source.width / cells, source.height, 0, 0, w, h);
      const d = c.getImageData(0, 0, w, h).data, colours = new Set();
      let sum = 0;
      for (let i = 0; i < d.length; i += 4) {
        colours.add((d[i] >> 3) * 1024 + (d[i + 1] >> 3) * 32 + (d[i + 2] >> 3));
        sum = (sum * 31 + d[i] + 256 * d[i + 1] + 65536 * d[i + 2]) % 4294967291;
      }
      out.push({ colours: colours.size, sum });
    }
    return out;
  }, cells);
}

export function table(name, file) { // CSV without quotes, which is all that real runs write
  const lines = fs.readFileSync(path.join(folder, name, file), 'utf8').trim().split('\n').filter((l) => !l.startsWith('#'));
  const head = lines[0].split(',');
  return lines.slice(1).map((l) => Object.fromEntries(l.split(',').map((x, i) => [head[i], x])));
}

export function summary(name) {
  return JSON.parse(fs.readFileSync(path.join(folder, name, 'summary.json'), 'utf8'));
}

export const now = (p) => p.evaluate(() => window.visviva.clock.t);
