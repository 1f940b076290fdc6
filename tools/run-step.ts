import { spawn } from 'node:child_process';

/** One step of `npm run check` or `npm test`: a command whose output is shown as it comes. */
export type Step = { name: string; command: string; args: string[]; cwd?: string; env?: Record<string, string> };

/** Runs a step and says how long it took. @returns true when it exited with 0. */
export async function runStep(step: Step): Promise<boolean> {
  const started = performance.now();
  process.stdout.write(`\n> ${step.name}\n`);
  const child = spawn(step.command, step.args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    cwd: step.cwd,
    env: { ...process.env, ...step.env },
  });
  const ok = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${step.name}: ${error.message}\n`);
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
  process.stdout.write(
    `${ok ? 'ok' : 'FAILED'} ${step.name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`,
  );
  return ok;
}
