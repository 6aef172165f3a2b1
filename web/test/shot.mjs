// A picture of a page, for the docs (tools/pictures.sh):
//   node test/shot.mjs PAGE.html OUT.png [share=0.4] [width=1400] [height=900] [scheme=dark] [of=SELECTOR] [full=1] [keys=s,x]
import path from 'node:path';
import { closeBrowser, open, seek } from './support.mjs';

const [page, out, ...rest] = process.argv.slice(2);
const option = Object.fromEntries(rest.map((x) => [x.slice(0, x.indexOf('=')), x.slice(x.indexOf('=') + 1)]));
const width = +(option.width ?? 1400), phone = width < 500 ? { isMobile: true, hasTouch: true } : {};
const p = await open(path.resolve(page), { viewport: { width, height: +(option.height ?? 900) }, colorScheme: option.scheme ?? 'light', ...phone });
await seek(p, +(option.share ?? 0.4));
for (const key of (option.keys ?? '').split(',').filter((k) => k)) await p.keyboard.press(key);
await p.waitForTimeout(1500); // a picture that stands still is drawn with care
if (option.of) await p.locator(option.of).screenshot({ path: out });
else await p.screenshot({ path: out, fullPage: option.full === '1' });
if (p.trouble.length > 0) throw new Error(p.trouble.join('\n'));
await closeBrowser();
