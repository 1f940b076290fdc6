import { createLogger, createRegistry } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { Block } from '../../log/domain/block.ts';
import type { Snapshot, SnapshotStore } from '../adapters/snapshot-store.mongo.ts';
import { vaultMetrics } from '../telemetry.ts';
import type { VaultReader } from './read-vault.ts';
import { VaultRefresher } from './refresh.ts';

const vault = '0x00000000000000000000000000000000000000a1';
const trio = { vault, strategy: vault, escrow: vault } as never;
const address = '0x00000000000000000000000000000000000000A1';
/** Just enough of a vault that its observation can be written. */
const state = {
  ...{ blockNumber: 7n, blockHash: '0x', blockTimestamp: 1n, totalSupply: 0n, idleAssets: 0n, precision: 1n },
  ...{ sources: [], secondaryManagers: [], primaryManager: address, price: null },
  ...{ asset: { address, decimals: 6 }, fees: { recipient: address }, upkeep: { costPerUpdate: null } },
};
const appointed = (wallet: string) => ({ wallet, grantedBy: null, grantedAt: '2026-01-01T00:00:00.000Z' });

/** A refresher of one vault whose secondary managers a test sets; `saved` are what its announcements could be asked of. */
const aRefresher = () => {
  const world = { secondary: ['0xb1', '0xb2'], isBusAway: false, isBusSilent: false };
  const saved: string[][] = [];
  const announced: string[][] = [];
  const gone: string[] = [];
  const snapshot = () => ({
    ...{ chain_id: 31337, vault, block_number: 7, detail: {} },
    managers: { primary: appointed('0xb0'), secondary: world.secondary.map(appointed) },
  });
  const refresher = new VaultRefresher({ config: { chainId: 31337, observationCadenceSeconds: 60 } } as KnownChain, {
    reader: { read: async () => ({ snapshot: snapshot(), state }) } as unknown as VaultReader,
    snapshots: {
      save: async ({ managers }: Snapshot) => saved.push(managers.secondary.map(({ wallet }) => wallet)) > 0,
    } as unknown as SnapshotStore,
    announce: async () => undefined,
    announceRoles: async ({ managers }) => {
      if (world.isBusSilent) return new Promise(() => undefined);
      if (world.isBusAway) throw new Error('The bus is away.');
      announced.push(managers.secondary.map(({ wallet }) => wallet));
      expect(saved.at(-1)).toEqual(announced.at(-1));
    },
    announceGone: async ({ vault, blockNumber }) => {
      if (world.isBusAway) throw new Error('The bus is away.');
      gone.push(`${vault} from ${blockNumber}`);
    },
    metrics: { ...vaultMetrics([createRegistry('test')]), observeVault: () => undefined },
    log: createLogger({ service: 'test', level: 'silent' }),
    now: () => 0,
    sleep: () => new Promise(() => undefined),
    snapshotMs: 0,
  });
  const pass = async () => {
    const { commit, announce } = await refresher.readDue([trio], {} as Block);
    await commit({ chainId: 31337, token: 1, revision: 1, branch: 0 });
    announce();
    // What is published beside it has come to its end.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { world, announced, gone, refresher, pass };
};

test('behavior: managers that differ from the last reading are published once they are stored, for instance after a rollback', async () => {
  const { world, announced, pass } = aRefresher();
  await pass();
  await pass();
  expect(announced).toEqual([['0xb1', '0xb2']]);
  world.secondary = ['0xb2'];
  await pass();
  await pass();
  expect(announced.slice(1)).toEqual([['0xb2']]);
});

test('error: while the bus is away they are published with a later reading', async () => {
  const { world, announced, pass } = aRefresher();
  await pass();
  Object.assign(world, { secondary: [], isBusAway: true });
  await pass();
  world.isBusAway = false;
  await pass();
  expect(announced.slice(1)).toEqual([[]]);
});

test('behavior: a bus that does not answer holds up no reading', async () => {
  const { world, pass } = aRefresher();
  world.isBusSilent = true;
  await pass();
  await pass();
});

test('behavior: a vault that is gone is published once, and its managers are published when it comes back', async () => {
  const { world, announced, gone, refresher, pass } = aRefresher();
  await pass();
  refresher.announceGone([vault], 5);
  expect(gone).toEqual([`${vault} from 5`]);
  await pass();
  expect(announced).toEqual([world.secondary, world.secondary]);
  world.isBusAway = true;
  refresher.announceGone([vault], 5);
  await pass();
});
