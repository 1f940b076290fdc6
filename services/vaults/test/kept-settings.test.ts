import type { Caller } from '@castellan/contracts';
import { anAddress, aVault } from '@castellan/testkit';
import { beforeEach, expect, test } from '@jest/globals';
import { getVaultSettings, type SettingsPorts } from '../src/readings/use-cases/read-settings.ts';
import { at, primary, stateOf, target } from './change-state.ts';
import { snapshotOf } from './in-memory-calls.ts';

/** How often the chain is asked for settings that many read. */

const detail = aVault({ vault_address: target.vault, strategy_address: target.strategy });
const [alice, bob] = [anAddress(0x71), anAddress(0x72)];

let block: bigint;
let branch: string;
let indexed: number;
let snapshot: ReturnType<typeof snapshotOf>;
let reads: string[];
beforeEach(() => {
  [block, branch, indexed, reads] = [500n, 'a', 500, []];
  snapshot = snapshotOf(detail, primary, []);
});

const ports = {
  chains: { get: () => ({ contracts: async () => ({ aggregator: target.aggregator }) }) },
  status: { get: async () => ({ backfilled: true, indexed_block: indexed }) },
  snapshots: { get: async () => snapshot },
  log: { livingOfVault: async () => [] },
  validators: { config: async () => null },
  changes: {
    read: async (_chain: unknown, _target: unknown, _asked: unknown, { block: { number } }: { block: Header }) => {
      reads.push(`vault at ${number}`);
      return stateOf({ vault: { blockNumber: number, blockTimestamp: at }, wallet: null });
    },
  },
  settingsChain: {
    newestBlock: async (): Promise<Header> => ({ number: block, hash: `${branch} ${block}` }),
    wallet: async (_chain: unknown, _target: unknown, { blockNumber }: { blockNumber: bigint }, wallet: string) => {
      reads.push(`${wallet} at ${blockNumber}`);
      return { balance: BigInt(wallet.slice(-2)), allowance: blockNumber };
    },
  },
} as unknown as SettingsPorts;
type Header = { number: bigint; hash: string };

const settings = getVaultSettings(ports);
const read = async (wallet?: string) => {
  const caller = wallet && { wallet_address: wallet, sid: 's', issuer: 'i' };
  const { block_number, upkeep } = await settings(detail, (caller || undefined) as Caller | undefined);
  return [block_number, upkeep.wallet];
};

test('default: the vault is read once for each block, and a wallet once for its own', async () => {
  const ofAlice = [500, { balance: `${BigInt(alice.slice(-2))}`, allowance: '500' }];
  const ofBob = [500, { balance: `${BigInt(bob.slice(-2))}`, allowance: '500' }];
  const callers = [undefined, alice, bob];
  expect(await Promise.all(callers.map(read))).toEqual([[500, null], ofAlice, ofBob]);
  expect([await read(bob), await read(alice), await read()]).toEqual([ofBob, ofAlice, [500, null]]);
  expect(reads.sort()).toEqual(['vault at 500', `${alice} at 500`, `${bob} at 500`].sort());
});

test('behavior: another block, and one that replaces another, is read at once', async () => {
  block = 501n;
  expect((await read(alice))[0]).toBe(501);
  block = 502n;
  expect(await read(alice)).toEqual([502, expect.objectContaining({ allowance: '502' })]);
  branch = 'b';
  await read(alice);
  const at502 = ['vault at 502', `${alice} at 502`];
  expect(reads).toEqual(['vault at 501', `${alice} at 501`, ...at502, ...at502]);
});

test('behavior: what the log or the snapshot says of the same block besides is answered', async () => {
  block = 600n;
  await read();
  indexed = 600;
  await read();
  snapshot = snapshotOf(detail, primary, []);
  await read();
  await read();
  expect(reads).toEqual(Array.from({ length: 3 }, () => 'vault at 600'));
});
