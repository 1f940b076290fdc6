import { GetVault, GetVaultManagers, type LogEntry } from '@castellan/contracts';
import { type OwnNats, type OwnStore, startOwnNats, startOwnStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { createVault, creation, deposit, one, person, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { chainLogs, living, livingLogs } from './chain-logs.ts';
import { chain_id, type Trio, trioOf, VaultsSystem } from './harness.ts';

/** Forks and outages, over one chain. After each, the living log is the chain and nothing else. */

let system: VaultsSystem;
let servers: { nats: OwnNats; store: OwnStore };

beforeAll(async () => {
  servers = { nats: await startOwnNats(), store: await startOwnStore() };
  system = await VaultsSystem.start(async (chain, protocol) => {
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
  }, servers);
});
afterAll(async () => system?.stop());

/** All vaults of the chain's present head, as the aggregator lists them. */
async function trios(): Promise<Trio[]> {
  const { chain, protocol } = system;
  const list = (functionName: string) => chain.read<Address[]>(protocol.aggregator, functionName);
  const [vaults, strategies, escrows] = await Promise.all(
    ['getAllSuperVaults', 'getAllSuperVaultStrategies', 'getAllSuperVaultEscrows'].map(list),
  );
  const at = (all: Address[] | undefined, index: number) => all?.[index] as Address;
  return (vaults ?? []).map((vault, index) => ({ vault, strategy: at(strategies, index), escrow: at(escrows, index) }));
}

const byPlace = (log: readonly LogEntry[]) => log.map(({ seq }) => seq);
const gapless = (log: readonly LogEntry[]) => log.map((_entry, index) => index + 1);

/** The log is the chain, gapless, and its readers were woken up to its end. @returns the whole log. */
async function expectTheChain(): Promise<LogEntry[]> {
  await system.indexed();
  const log = await system.log();
  expect(byPlace(log)).toEqual(gapless(log));
  expect(livingLogs(log)).toEqual(await chainLogs(system.chain, system.protocol, await trios()));
  for (const { kind, block_number, block_hash } of living(log)) {
    if (kind !== 'observation') continue;
    const block = await system.chain.client.getBlock({ blockNumber: BigInt(block_number) });
    expect(block.hash).toBe(block_hash);
  }
  await until('readers are woken', async () => ((await system.wokenTo()).at(-1) ?? 0) >= log.length);
  return log;
}

const rollbacks = (log: readonly LogEntry[]) => log.filter(({ kind }) => kind === 'rollback');

describe('a fork of ten blocks', () => {
  test('behavior: what it took away is gone, what it brought is there, and nothing was rewritten', async () => {
    const { chain, protocol } = system;
    const { aggregator, strategy, asset } = protocol;
    const before = await chain.client.snapshot();
    const fork = Number(await chain.client.getBlockNumber());
    const doomed = trioOf(await createVault(chain, aggregator, creation(asset.address, { name: 'Twice made' })));
    for (const index of [20, 21, 22]) {
      await chain.send(who.main, aggregator, 'addSecondaryManager', [strategy.address, person(index).address]);
    }
    await chain.send(who.main, aggregator, 'pauseStrategy', [strategy.address]);
    await chain.client.mine({ blocks: 5 });
    expect(Number(await chain.client.getBlockNumber())).toBe(fork + 10);
    const old = await expectTheChain();
    expect((await system.detail(doomed.vault, who.main)).my_role).toBe('primary_manager');
    expect((await system.detail(protocol.vault.address)).is_paused).toBe(true);

    await chain.client.revert({ id: before });
    // The same address under another manager: what was known of it must not count any more.
    const heir = trioOf(
      await createVault(chain, aggregator, creation(asset.address, { name: 'Twice made', mainManager: who.bob })),
    );
    expect(heir).toEqual(doomed);
    await chain.send(who.main, aggregator, 'addSecondaryManager', [strategy.address, person(25).address]);
    await chain.client.mine({ blocks: 9 });

    const log = await expectTheChain();
    expect(log.slice(0, old.length)).toEqual(old);
    expect(rollbacks(log).slice(rollbacks(old).length)).toMatchObject([
      { block_number: fork + 1, args: { old_tip_block: fork + 10 } },
    ]);
    expect((await system.detail(heir.vault, who.main)).my_role).toBeNull();
    expect((await system.detail(heir.vault, who.bob)).my_role).toBe('primary_manager');
    expect((await system.detail(protocol.vault.address)).is_paused).toBe(false);
    const managers = await system.call(GetVaultManagers, { chain_id, vault_address: protocol.vault.address });
    expect(managers.secondary.map(({ wallet_address }) => wallet_address)).toEqual([who.secondary, person(25).address]);
  });

  test('behavior: ten blocks replaced by ten others of the same height, with a vault that is no more', async () => {
    const { chain, protocol } = system;
    await chain.client.mine({ blocks: 2 });
    const gone = trioOf(await createVault(chain, protocol.aggregator, creation(protocol.asset.address)));
    await deposit(chain, protocol, who.bob, 5n * one);
    await chain.client.mine({ blocks: 6 });
    const old = await expectTheChain();
    const head = await chain.client.getBlock();
    await chain.client.request({ method: 'anvil_reorg', params: [10, []] } as never);
    expect((await chain.client.getBlock()).number).toBe(head.number);
    expect((await chain.client.getBlock()).hash).not.toBe(head.hash);
    await until('the fork is seen', async () => rollbacks(await system.log()).length > rollbacks(old).length);
    const log = await expectTheChain();
    expect(log.slice(0, old.length)).toEqual(old);
    expect(rollbacks(log).at(-1)).toMatchObject({ block_number: Number(head.number) - 9 });
    const vault = { chain_id, vault_address: gone.vault };
    await expect(system.call(GetVault, vault)).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
  });
});

describe('outages while blocks are mined', () => {
  /** A transaction with logs every so often, until it is stopped. */
  const mineOn = () => {
    let stopping = false;
    let mined = 0;
    const done = (async () => {
      while (!stopping) {
        await system.chain.send(who.alice, system.protocol.vault, 'setOperator', [who.bob, mined % 2 === 0]);
        mined += 1;
        // biome-ignore lint/plugin: the pace of the chain
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    })();
    return {
      more: (count: number) => {
        const wanted = mined + count;
        return until(`${count} more blocks`, () => mined >= wanted);
      },
      stop: async () => {
        stopping = true;
        await done;
      },
    };
  };

  const outage = async (...names: readonly ('nats' | 'store')[]) => {
    const end = { nats: () => servers.nats.kill(), store: () => servers.store.interrupt() };
    const start = { nats: () => servers.nats.restart(), store: () => servers.store.restart() };
    const mining = mineOn();
    const before = await system.log();
    await mining.more(5);
    for (const name of names) await end[name]();
    await mining.more(15);
    for (const name of names) await start[name]();
    await mining.more(5);
    await mining.stop();
    const log = await expectTheChain();
    expect(log.slice(0, before.length)).toEqual(before);
    expect(log.filter(({ name }) => name === 'OperatorSet').length).toBeGreaterThanOrEqual(25);
    expect(rollbacks(log).length).toBe(rollbacks(before).length);
  };

  test('behavior: the bus is killed and comes back: nothing is lost or doubled', () => outage('nats'));
  test('behavior: the store goes and comes back: nothing is lost or doubled', () => outage('store'));
  test('behavior: both at once, twice', async () => {
    await outage('store', 'nats');
    await outage('nats', 'store');
  });
});
