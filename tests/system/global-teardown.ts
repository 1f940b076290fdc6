import { forget, type RunningSystem } from './running-system.ts';

export default async function teardown(): Promise<void> {
  const { e2eSystem } = globalThis as { e2eSystem?: RunningSystem };
  if (!e2eSystem) return;
  const code = await e2eSystem.stop();
  forget(e2eSystem);
  if (code !== 0) throw new Error(`The system ended with code ${code} on SIGTERM.`);
}
