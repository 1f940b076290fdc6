/**
 * Chats at once on one instance of the ai service: `node bench/ai.ts [--streams 500] [--seconds 30] [--words 150]`. Everybody listens to answers
 * of ten words a second, one after the other; what a word takes from the model to the listener is held against the same listeners
 * reading the model's own stream, in the same run. Goal: at the 95th percentile the first word of an answer comes less than 20 ms
 * later than it would raw, and nothing is dropped.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Heard, Task } from './ai-clients.ts';
import { chainId, issuer, startAi, startChild, vaults } from './ai-system.ts';
import { recordFigure } from './figures.ts';

const goalMs = 20;
const perSecond = 10;
const { values } = parseArgs({
  options: { streams: { type: 'string' }, seconds: { type: 'string' }, words: { type: 'string' } },
});
const streams = Number(values.streams ?? 500);
const seconds = Number(values.seconds ?? 30);
/** Of an answer: short enough that questions are part of what is measured, long as answers are. */
const tokens = Number(values.words ?? 150);
const rampMs = (tokens / perSecond) * 1_000;

const system = await startAi(tokens, perSecond);
const common = { streams, seconds, tokens, rampMs, modelPort: system.modelPort };

/** Milliseconds that the machine's cores worked and had, since it started. */
const machine = () => {
  const times = cpus().map(({ times }) => ({ idle: times.idle, all: Object.values(times).reduce((a, b) => a + b, 0) }));
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), all: times.reduce((sum, { all }) => sum + all, 0) };
};
const usageNow = async () => ({ ...(await system.usage()), ...machine() });
type Usage = Awaited<ReturnType<typeof usageNow>>;
type Measured = { heard: Heard; began: Usage; ended: Usage };

/** Lets them listen in a process of their own, and looks at the service at both ends of what is measured. */
async function measure(task: Task): Promise<Measured> {
  const child = startChild('ai-clients.ts', {});
  let began = await usageNow();
  let ended = await usageNow();
  const heard = await new Promise<Heard>((resolve, reject) => {
    child.on('message', (message: { began?: true; ended?: true; heard?: Heard }) => {
      if (message.began) void usageNow().then((usage) => (began = usage));
      if (message.ended) void usageNow().then((usage) => (ended = usage));
      if (message.heard) resolve(message.heard);
    });
    child.once('exit', (code) => reject(new Error(`The clients ended with code ${code}.`)));
    child.send(task);
  });
  return { heard, began, ended };
}

const atPercent = (sorted: readonly number[], percent: number): number =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? Number.NaN;
const percents = [50, 95, 99] as const;
const spread = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b);
  return percents.map((percent) => atPercent(sorted, percent));
};
const line = (...cells: (string | number)[]) =>
  process.stdout.write(
    `${String(cells[0]).padEnd(44)}${cells
      .slice(1)
      .map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell).padStart(10))
      .join('')}\n`,
  );

function print(raw: Heard, chat: Measured): boolean {
  const { heard, began, ended } = chat;
  const rows = (name: string, of: (one: Heard) => number[]) => {
    const before = spread(of(raw));
    const after = spread(of(heard));
    const added = after.map((ms, at) => ms - (before[at] ?? 0));
    line(`${name}, raw`, ...before);
    line(`${name}, chat`, ...after);
    line(`${name}, added`, ...added);
    return added;
  };
  line(`\n${streams} chats at ${perSecond} words a second, ${seconds} s; ms`, ...percents.map((each) => `p${each}`));
  const [, added = Number.NaN] = rows('first word, from the model to the listener', ({ firsts }) => firsts);
  rows('further words', ({ others }) => others);
  rows('first word, from the question', ({ asked }) => asked);
  recordFigure({ name: 'first word later at p95', unit: 'ms', value: added, goal: goalMs });
  const cpu = (100 * (ended.cpuSeconds - began.cpuSeconds)) / seconds;
  const problems = Object.entries(heard.errors).map(([what, times]) => `${times} × ${what}`);
  process.stdout.write(
    [
      `answers ${heard.answers}, first words measured ${heard.firsts.length} (raw ${raw.firsts.length})`,
      `words ${heard.delivered} of ${heard.expected} (raw ${raw.delivered} of ${raw.expected})`,
      `missing ${heard.gaps}, sent twice ${heard.repeats}, connections dropped ${heard.dropped}, errors: ${problems.join(', ') || 'none'}`,
      `the service: ${cpu.toFixed(0)} % of a core (${((1e6 * (ended.cpuSeconds - began.cpuSeconds)) / (heard.firsts.length + heard.others.length)).toFixed(0)} µs a word), ${(ended.residentBytes / 2 ** 20).toFixed(0)} MiB (before: ${(began.residentBytes / 2 ** 20).toFixed(0)}), event loop lag p99 ${ended.lagP99Ms.toFixed(0)} ms`,
      `the machine: ${(100 * (1 - (ended.idle - began.idle) / (ended.all - began.all))).toFixed(0)} % of its cores`,
      `first word later by ${added.toFixed(1)} ms at p95, goal ${goalMs}: ${added < goalMs ? 'met' : 'MISSED'}`,
      '',
    ].join('\n'),
  );
  return heard.dropped + heard.gaps + heard.repeats + problems.length === 0;
}

try {
  const raw = await measure({ ...common, mode: 'raw' });
  const { chatPort } = system;
  const chat = await measure({ ...common, mode: 'chat', chatPort, issuer, chainId, vaults });
  if (!print(raw.heard, chat)) process.exitCode = 1;
} finally {
  await system.stop();
}
