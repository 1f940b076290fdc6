import { forget, type RunningSystem } from './running-system.ts';

export default async function teardown(): Promise<void> {
  const { e2eSystem, e2eSpans } = globalThis as { e2eSystem?: RunningSystem; e2eSpans?: { stop(): void } };
  if (!e2eSystem) return;
  const code = await e2eSystem.stop();
  e2eSpans?.stop();
  forget(e2eSystem);
  if (code !== 0) throw new Error(`The system ended with code ${code} on SIGTERM.`);
}
