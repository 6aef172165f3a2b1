// A picture of a page, for the docs:  node test/shot.mjs PAGE.html OUT.png [share=0.4] [width=1440] [height=900] [scheme=dark] [full=1] [do=JAVASCRIPT]
import path from 'node:path';
import { closeBrowser, open, seek } from './support.mjs';

const [page, out, ...rest] = process.argv.slice(2);
const option = Object.fromEntries(rest.map((x) => [x.slice(0, x.indexOf('=')), x.slice(x.indexOf('=') + 1)]));
const p = await open(path.resolve(page), { viewport: { width: +(option.width ?? 1440), height: +(option.height ?? 900) }, colorScheme: option.scheme ?? 'light' });
await seek(p, +(option.share ?? 0.4));
await p.waitForTimeout(1500); // a picture that stands still is drawn with care
if (option.do) await p.evaluate(option.do);
if (option.do) await p.waitForTimeout(1200);
await p.screenshot({ path: out, fullPage: option.full === '1' });
await closeBrowser();
