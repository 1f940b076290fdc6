import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser, listedVaults, newTab, storedSession, visitWebPage, webPages } from './web-pages.ts';

/** Pictures of every page of a running system, in both themes and both widths. */

const usage = `node tools/screenshots.ts [options]
  --url <origin>   the running system (default http://127.0.0.1:8080)
  --out <folder>   where the pictures go (default screenshots)
  --only <names>   some of the pages, by name, with commas: ${webPages.map(({ name }) => name).join(', ')}
  --width <px>     1440 or 390; both without it
  --theme <name>   dark or light; both without it`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      out: { type: 'string', default: 'screenshots' },
      only: { type: 'string' },
      width: { type: 'string' },
      theme: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const { url } = values;
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const widths = values.width === undefined ? [1440, 390] : [Number(values.width)];
  const themes = (['dark', 'light'] as const).filter((each) => (values.theme ?? each) === each);
  const wanted = values.only?.split(',');
  const pages = webPages.filter(({ name }) => wanted === undefined || wanted.includes(name));
  const vaults = await listedVaults(url);
  const browser = await launchBrowser();
  try {
    const session = await storedSession(browser, url);
    for (const to of pages) {
      for (const width of widths) {
        for (const theme of themes) {
          const page = await newTab(browser, to.isSignedIn ? session : undefined);
          await visitWebPage(to, { page, url, vaults, width, theme });
          const path = join(out, `${to.name}-${width}-${theme}.png`);
          await page.screenshot({ path, fullPage: !to.isScreen });
          console.log(path);
          await page.context().close();
        }
      }
    }
  } finally {
    await browser.close();
  }
}

await main();
