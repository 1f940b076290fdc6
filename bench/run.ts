/**
 * All benchmarks, one after the other: `npm run bench -- [--only reads,store] [--rounds 3] [--save main] [--compare main]`. Prints each
 * figure with its goal; `--save` keeps them under a name, `--compare` says what moved by more than noise since they were kept.
 * It ends with 1 when a benchmark failed or something got worse.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { medianOf, meetsGoal, movedBetween, type Rounds } from './compare.ts';
import type { Figure } from './figures.ts';

const here = dirname(fileURLToPath(import.meta.url));
const benchmarks = [
  'store',
  'backfill',
  'merkle',
  'validator',
  'analytics',
  'ai',
  'gateway',
  'reads',
  'dashboards',
  'streams',
  'idle',
  'ready',
  'start',
] as const;
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    save: { type: 'string' },
    compare: { type: 'string' },
  },
});

type Kept = { machine: string; date: string; figures: Record<string, Figure[]> };
const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`;

function chosen(): readonly string[] {
  const names = options.only?.split(',') ?? benchmarks;
  const unknown = names.filter((name) => !benchmarks.some((known) => known === name));
  if (unknown.length > 0)
    throw new Error(`There is no benchmark ${unknown.join(', ')}. There are ${benchmarks.join(', ')}.`);
  return names;
}

function roundsWanted(): number {
  if (/^[1-9][0-9]?$/.test(options.rounds)) return Number(options.rounds);
  throw new Error(`--rounds is ${options.rounds}; it is a number from 1 to 99.`);
}

function fileOf(name: string): string {
  if (!/^[\w.-]{1,100}$/.test(name))
    throw new Error(`${name} is no name for kept figures: letters, digits, dots and hyphens, 100 at most.`);
  return join(here, 'results', `${name}.json`);
}

function keptAs(name: string): Kept {
  const file = fileOf(name);
  if (!existsSync(file))
    throw new Error(
      `No figures are kept as ${name}. Run npm run bench -- --save ${name} on the commit to compare with.`,
    );
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
  if (kept.machine !== machine)
    throw new Error(`The figures kept as ${name} are of another machine (${kept.machine}); this is ${machine}.`);
  return kept;
}

/** Runs a benchmark once. @returns its figures; undefined when it ended with an error. */
async function play(name: string, folder: string): Promise<Figure[] | undefined> {
  const file = join(folder, `${name}.ndjson`);
  rmSync(file, { force: true });
  const child = spawn(process.execPath, [join(here, `${name}.ts`)], {
    env: { ...process.env, BENCH_FIGURES: file },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0 || !existsSync(file)) return undefined;
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure);
}

const line = (...cells: string[]) =>
  process.stdout.write(
    `${(cells[0] ?? '').padEnd(64)}${cells
      .slice(1)
      .map((cell) => cell.padStart(16))
      .join('')}\n`,
  );
const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, useGrouping: false });
const shown = (value: number, unit = '') => `${threeDigits.format(value)} ${unit}`.trim();

function printTable(figures: Rounds): void {
  line(`\n${machine}`, 'median', 'of baseline', 'goal', '');
  for (const [name, [...rounds]] of Object.entries(figures)) {
    const [first] = rounds;
    if (!first) continue;
    const middle = { ...first, value: medianOf(rounds.map(({ value }) => value)) };
    const ratios = rounds.flatMap(({ value, baseline }) => (baseline ? [value / baseline] : []));
    const isMet = meetsGoal(middle);
    line(
      name,
      shown(middle.value, first.unit),
      ratios.length > 0 ? medianOf(ratios).toFixed(2) : '',
      first.goal === undefined ? '' : shown(first.goal, first.unit),
      isMet === undefined ? '' : isMet ? 'met' : 'MISSED',
    );
  }
}

/** @returns whether nothing got worse. */
function printMoved(since: Kept, figures: Rounds): boolean {
  const moved = movedBetween(since.figures, figures);
  line(`\nmoved since ${options.compare} of ${since.date}`, 'before', 'after', 'change', '');
  for (const { name, unit, before, after, change, isWorse } of moved)
    line(name, shown(before), shown(after, unit), `${(100 * change).toFixed(0)} %`, isWorse ? 'worse' : 'better');
  if (moved.length === 0) line('nothing by more than noise');
  return moved.every(({ isWorse }) => !isWorse);
}

async function main(): Promise<boolean> {
  const names = chosen();
  const rounds = roundsWanted();
  const since = options.compare === undefined ? undefined : keptAs(options.compare);
  const keepAs = options.save === undefined ? undefined : fileOf(options.save);
  const folder = mkdtempSync(join(tmpdir(), 'castellan-bench-'));
  const figures: Record<string, Figure[]> = {};
  const failed = new Set<string>();
  try {
    // Round by round, so that a machine that gets slower does so for all.
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names) {
        const played = await play(name, folder);
        if (!played) failed.add(name);
        for (const figure of played ?? []) {
          const key = `${name}: ${figure.name}`;
          figures[key] = [...(figures[key] ?? []), figure];
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  printTable(figures);
  if (failed.size > 0) line(`\nwithout figures: ${[...failed].join(', ')}`);
  if (keepAs) {
    mkdirSync(dirname(keepAs), { recursive: true });
    const kept: Kept = { machine, date: new Date().toISOString().slice(0, 10), figures };
    writeFileSync(keepAs, `${JSON.stringify(kept, null, 1)}\n`);
  }
  return (since === undefined || printMoved(since, figures)) && failed.size === 0;
}

process.exitCode = (await main()) ? 0 : 1;
