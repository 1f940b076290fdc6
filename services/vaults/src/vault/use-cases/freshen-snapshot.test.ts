import type { VaultDetail } from '@castellan/contracts';
import { createLogger } from '@castellan/service-kit';
import { anAddress, aVault } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { type FreshenPorts, freshenSnapshot } from './freshen-snapshot.ts';

const source = anAddress(7);
const allocation = [{ source_address: source, apy: null }] as VaultDetail['allocation'];
const bare: VaultDetail = { ...aVault({ apy: null }), allocation };
const readAt = (ms: number) =>
  ({ chain_id: 1, vault: '0xa', detail: bare, computed_at: new Date(ms) }) as unknown as Snapshot;
const measures = { apy: 0.05, runway_seconds: 7_200, allocation: [{ source_address: source, apy: 0.04 }] };

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
    snapshots: { measuresOf: () => measures },
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

test('error: a reader of a snapshot that was stored meanwhile does not join the reading of the former one', async () => {
  const { clock, freshen, readsSoFar } = aVaultReadAtZero();
  clock.ms = 20_000;
  const [former, later] = await Promise.all([freshen(readAt(0)), freshen(readAt(0))]);
  expect(former).not.toBe(later);
  expect(readsSoFar()).toBe(2);
});

test('behavior: what was read again is answered with the measures of the history, for as long as it is remembered', async () => {
  const { clock, freshen } = aVaultReadAtZero();
  const snapshot = readAt(0);
  for (const ms of [20_000, 25_000]) {
    clock.ms = ms;
    const { apy, upkeep_info, allocation } = (await freshen(snapshot)).detail;
    expect([apy, upkeep_info.runway_seconds, allocation[0]?.apy]).toEqual([0.05, 7_200, 0.04]);
  }
});
