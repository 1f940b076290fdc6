import type { TestSystem } from './test-system.ts';

export default async function teardown(): Promise<void> {
  await (globalThis as { testSystem?: TestSystem }).testSystem?.stop();
}
