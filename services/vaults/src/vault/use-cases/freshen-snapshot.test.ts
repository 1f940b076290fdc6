import { createLogger } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { type FreshenPorts, freshenSnapshot } from './freshen-snapshot.ts';

const detail = { vault_address: '0xa', strategy_address: '0xb', escrow_address: '0xc', asset: { address: '0xd' } };
const readAt = (ms: number) =>
  ({ chain_id: 1, vault: '0xa', detail, computed_at: new Date(ms) }) as unknown as Snapshot;

/** A vault that was read at 0, and a chain whose readings are counted. */
function aVaultReadAtZero() {
  const clock = { ms: 0 };
  let reads = 0;
  const ports = {
    chains: { get: () => undefined },
    status: { get: async () => ({ indexed_block: 1, indexed_hash: '0x1', indexed_time: 1 }) },
    reader: {
      read: async () => {
        reads += 1;
        return { snapshot: readAt(clock.ms) };
      },
    },
    log: createLogger({ service: 'test', level: 'silent' }),
    now: () => clock.ms,
  } as unknown as FreshenPorts;
  return { clock, freshen: freshenSnapshot(ports), readsSoFar: () => reads };
}

test('default: a vault that is older than 15 s is read once for all who ask within the next 15 s', async () => {
  const { clock, freshen, readsSoFar } = aVaultReadAtZero();
  const snapshot = readAt(0);
  clock.ms = 14_999;
  expect(await freshen(snapshot)).toBe(snapshot);
  clock.ms = 15_000;
  const [fresh, same] = await Promise.all([freshen(snapshot), freshen(snapshot)]);
  expect(fresh).toBe(same);
  clock.ms = 29_999;
  expect([await freshen(snapshot), readsSoFar()]).toEqual([fresh, 1]);
  clock.ms = 30_000;
  await freshen(snapshot);
  expect(readsSoFar()).toBe(2);
});

test('error: what was read for a snapshot is not answered once another was stored, for instance after a rollback', async () => {
  const { clock, freshen, readsSoFar } = aVaultReadAtZero();
  clock.ms = 20_000;
  const fresh = await freshen(readAt(0));
  expect(await freshen(readAt(0))).not.toBe(fresh);
  expect(readsSoFar()).toBe(2);
});
