// How far from their points of contact bodies are drawn, in pages:  node test/touches.mjs PAGE.html...
import path from 'node:path';
import { touches } from './touch.mjs';
import { closeBrowser, open } from './support.mjs';

for (const page of process.argv.slice(2)) {
  const p = await open(path.resolve(page), { viewport: { width: 700, height: 700 } }), away = await touches(p, 200);
  const percent = (x) => `${(100 * x).toFixed(2)} %`;
  console.log(path.basename(page, '.html'), away.length === 0 ? 'no contacts' : `${away.length} contacts, median ${percent(away[away.length >> 1])}, most ${percent(away.at(-1))}`);
  await p.context().close();
}
await closeBrowser();
