import { startTestSystem } from './test-system.ts';

/** One system for the files of a project that is run alone. With E2E_BASE_URL set, the one that runs there is used. */
export default async function setup(): Promise<void> {
  if (process.env.E2E_BASE_URL) return;
  const system = await startTestSystem();
  Object.assign(process.env, system.env);
  Object.assign(globalThis, { testSystem: system });
}
