import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** One step of `npm run check` or `npm test`: a command. */
export type Step = {
  name: string;
  command: string;
  args: string[];
  cwd?: string;
  env?: Record<string, string>;
  /** Processor cores it keeps busy; 1 when not said. */
  cores?: number;
  /** Names of steps that have to end first, well or not. */
  after?: string[];
  /** It fills what others leave of the cores. */
  yields?: boolean;
};

export type Outcome = { name: string; ok: boolean; wallSeconds: number; processorSeconds: number };

/** Says on descriptor 3 what the command and all it started took: Node cannot ask that about a child. */
const measured = '"$@"; code=$?; times >&3; exit $code';
const yielding = ['nice', '-n', '5'] as const;

/** Runs a step, prints its output whole when it ends, and says how long it took. */
export async function runStep(step: Step): Promise<Outcome> {
  const started = performance.now();
  process.stdout.write(`> ${step.name}\n`);
  const command = [...(step.yields ? yielding : []), step.command, ...step.args];
  const child = spawn('sh', ['-c', measured, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    cwd: step.cwd,
    env: { ...process.env, ...step.env },
  });
  let output = '';
  let times = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  child.stdio[3]?.on('data', (chunk) => (times += chunk));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  const ok = code === 0;
  const wallSeconds = (performance.now() - started) / 1000;
  const processorSeconds = processorTime(times);
  const took = `${wallSeconds.toFixed(1)} s, processor ${processorSeconds.toFixed(1)} s`;
  process.stdout.write(`\n${output.trimEnd()}\n${ok ? 'ok' : 'FAILED'} ${step.name} (${took})\n\n`);
  return { name: step.name, ok, wallSeconds, processorSeconds };
}

/** The second line of the shell's `times` is user and system time of its children: `1m2.5s 0m0.3s`. */
export function processorTime(times: string): number {
  const children = times.split('\n')[1] ?? '';
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
}

/** Runs steps side by side, in the order of the list, as many at a time as the cores allow. */
export async function runSteps(steps: Step[], cores = availableParallelism()): Promise<Outcome[]> {
  const waiting = [...steps];
  const running = new Map<string, { step: Step; ended: Promise<Outcome> }>();
  const outcomes: Outcome[] = [];
  const pending = (name: string) => running.has(name) || waiting.some((step) => step.name === name);
  const mayStart = (step: Step) => {
    const busy = [...running.values()].reduce((sum, { step }) => sum + (step.cores ?? 1), 0);
    return !step.after?.some(pending) && (running.size === 0 || busy + (step.cores ?? 1) <= cores);
  };
  while (waiting.length > 0 || running.size > 0) {
    for (let step = waiting.find(mayStart); step; step = waiting.find(mayStart)) {
      waiting.splice(waiting.indexOf(step), 1);
      running.set(step.name, { step, ended: runStep(step) });
    }
    if (running.size === 0) throw new Error(`Steps wait for each other: ${waiting.map(({ name }) => name).join(', ')}`);
    const outcome = await Promise.race([...running.values()].map(({ ended }) => ended));
    running.delete(outcome.name);
    outcomes.push(outcome);
  }
  return outcomes;
}
