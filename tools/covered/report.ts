import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Figures, type Floors, faultsOf, floorsFile, raised, tableOf } from './floors.ts';
import { common, type Intervals } from './intervals.ts';
import { countLines, everything, type Lines } from './lines.ts';
import { isMeasured, packageOf } from './measured.ts';

/**
 * The last step of `npm run check`: prints what its unit and web tests covered of each package, and fails when that is below a
 * floor. `node tools/covered/report.ts [--raise-floors]` reads the records of the last run again.
 */
const root = dirname(dirname(import.meta.dirname));

/** Of each source, what ran in no test file of any process. */
function recordsIn(folder: string): Map<string, Intervals> {
  const records = new Map<string, Intervals>();
  for (const file of readdirSync(folder))
    for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n'))
      for (const [path, notRun] of Object.entries(JSON.parse(line) as Record<string, Intervals>))
        records.set(path, common(records.get(path) ?? everything, notRun));
  return records;
}

function figuresOf(records: ReadonlyMap<string, Intervals>): Figures {
  const figures = new Map<string, Lines>();
  const sources = ['packages/*', 'services/*', 'web'].flatMap((folder) =>
    globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: root }),
  );
  for (const path of sources.filter(isMeasured).sort()) {
    const of = countLines(path, readFileSync(join(root, path), 'utf8'), records.get(path) ?? everything);
    const before = figures.get(packageOf(path)) ?? { lines: 0, covered: 0 };
    figures.set(packageOf(path), { lines: before.lines + of.lines, covered: before.covered + of.covered });
  }
  return figures;
}

const folder = join(root, 'node_modules/.cache/castellan/coverage');
if (!existsSync(folder)) throw new Error('No test left a record of what it ran: npm run check writes them.');
const figures = figuresOf(recordsIn(folder));
let floors = JSON.parse(readFileSync(join(root, floorsFile), 'utf8')) as Floors;
if (process.argv.includes('--raise-floors')) {
  floors = raised(figures, floors);
  writeFileSync(join(root, floorsFile), `${JSON.stringify(floors, null, 2)}\n`);
}
const faults = faultsOf(figures, floors);
process.stdout.write(`${tableOf(figures, floors)}${faults.map((fault) => `${fault}\n`).join('')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
