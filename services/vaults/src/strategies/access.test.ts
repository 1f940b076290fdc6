import type { Caller } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { forReaders, type StrategyPorts } from './access.ts';
import { caller, snapshot, source, vaultRef, wallet } from './use-cases/strategy-scene.fixture.ts';

const viewer: Caller = { ...caller, wallet_address: source };
const stranger: Caller = { ...caller, wallet_address: `0x${'9'.repeat(40)}` };
/** What is stored of the vault, which a new block replaces. */
let stored = snapshot;
const ports = {
  chains: { get: () => ({ chainId: 1 }) },
  snapshots: { get: async () => stored },
  status: { get: async () => ({ backfilled: true }) },
  directory: { viewers: async () => new Set([viewer.wallet_address]) },
} as unknown as StrategyPorts;

test('behavior: who asks together shares one read, and everybody is asked for a role of their own', async () => {
  let reads = 0;
  const read = forReaders(ports, async ({ chain_id }: typeof vaultRef, { detail }) => {
    reads += 1;
    return [chain_id, detail.vault_address];
  });
  const answers = await Promise.allSettled(
    [{ ...caller, wallet_address: wallet }, stranger, viewer, undefined].map((each) => read(vaultRef, each)),
  );
  expect(answers).toMatchObject([
    { value: [1, vaultRef.vault_address] },
    { reason: { code: 'ROLE_REQUIRED' } },
    { value: [1, vaultRef.vault_address] },
    { reason: { code: 'TOKEN_MISSING' } },
  ]);
  expect(reads).toBe(1);
});

test('behavior: who was checked against a newer reading of the vault is answered from that one', async () => {
  const wait: (() => void)[] = [];
  const slow = {
    ...ports,
    directory: { viewers: () => new Promise((resolve) => wait.push(() => resolve(new Set([viewer.wallet_address])))) },
  } as unknown as StrategyPorts;
  const read = forReaders(slow, async (_params: typeof vaultRef, { block_number }) => block_number);
  stored = { ...snapshot, block_number: 1 } as never;
  const ofViewer = read(vaultRef, viewer);
  while (wait.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stored = { ...snapshot, block_number: 2 } as never;
  // The manager waits for nobody and is checked in the same turn in which the viewer's check ends.
  wait[0]?.();
  const ofManager = read(vaultRef, { ...caller, wallet_address: wallet });
  expect(await Promise.all([ofViewer, ofManager])).toEqual([1, 2]);
});
