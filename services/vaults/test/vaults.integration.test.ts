import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConfigChanged,
  type DurableEvent,
  GetPauseStatus,
  GetValidatorHistory,
  GetValidatorRound,
  GetVault,
  GetVaultManagers,
  GetVaultSettings,
  ListChains,
  ListLogEntries,
  ListPublicVaults,
  ListYieldSources,
  LookupVaults,
  ObservationDropped,
  PrepareChange,
  RoundFinished,
  RoundStarted,
  TransmissionAttempted,
  TransmissionConfirmed,
  TransmissionMined,
  VaultUpdated,
} from '@castellan/contracts';
import { type CollectionDefinition, connectMongo, createRegistry } from '@castellan/service-kit';
import { freePort, until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import {
  type Contract,
  createVault,
  creation,
  deposit,
  one,
  person,
  price,
  who,
} from '../../../packages/protocol/test/test-chain.ts';
import { chainBlocks } from '../src/log/models/chain-block.ts';
import { chainLog } from '../src/log/models/chain-log.ts';
import { chainStatuses } from '../src/log/models/chain-status.ts';
import { mongoNetworkHistory } from '../src/oracle-network/adapters/network-history.mongo.ts';
import { rpcReceipts } from '../src/oracle-network/adapters/receipts.rpc.ts';
import { mongoValidators } from '../src/oracle-network/adapters/validator-network.mongo.ts';
import { followValidators } from '../src/oracle-network/use-cases/follow-validators.ts';
import { pauseProofs } from '../src/prepared-calls/pause-proof/models/pause-proof.ts';
import { chainLogs, livingLogs } from './chain-logs.ts';
import { chain_id, type Trio, trioOf, VaultsSystem } from './harness.ts';

/** A history that was there before the service: what it makes of it, against the chain itself. */

/** Two chains more, of which one's node never answers and the other's is not there: all of this file is so beside them. */
const [hanging, away] = [
  { chain_id: 31_338, slug: 'hanging', name: 'Hanging' },
  { chain_id: 31_339, slug: 'away', name: 'Away' },
];
let asksOfHanging = 0;
const hangingNode = createServer(() => {
  asksOfHanging += 1;
});

let system: VaultsSystem;
let second: Trio;
const nobody = '0x00000000000000000000000000000000000000aa';

beforeAll(async () => {
  await new Promise<void>((resolve) => hangingNode.listen(0, '127.0.0.1', resolve));
  const { port } = hangingNode.address() as AddressInfo;
  const others = [
    { ...hanging, rpc_urls: [`http://127.0.0.1:${port}`] },
    { ...away, rpc_urls: [`http://127.0.0.1:${await freePort()}`] },
  ];
  system = await VaultsSystem.start(
    async (chain, protocol) => {
      const { aggregator, strategy, vault, sources, sourceOracle, asset } = protocol;
      for (const { address } of sources) {
        await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
      }
      await deposit(chain, protocol, who.alice, 1_000n * one);
      await deposit(chain, protocol, who.bob, 250n * one);
      await price(chain, protocol, (one * 1_004n) / 1_000n);
      await chain.send(who.alice, vault, 'requestRedeem', [100n * one, who.alice, who.alice]);
      await chain.send(who.main, aggregator, 'addSecondaryManager', [strategy.address, person(20).address]);
      await chain.send(who.main, aggregator, 'removeSecondaryManager', [strategy.address, who.secondary]);
      await chain.send(who.main, strategy, 'proposeVaultFeeConfigUpdate', [1_500n, 0n, who.bob]);
      second = trioOf(await createVault(chain, aggregator, creation(asset.address, { name: 'Second' })));
      await chain.send(who.main, aggregator, 'pauseStrategy', [second.strategy]);
      // A few hundred empty blocks: the backfill takes more than one range.
      await chain.client.mine({ blocks: 300 });
    },
    {},
    others,
  );
});
afterAll(async () => {
  hangingNode.closeAllConnections();
  hangingNode.close();
  await system?.stop();
});

const ours = (): Trio[] => [trioOf(system.protocol), second];

describe('the canonical log after a backfill', () => {
  test('default: it is eth_getLogs, entry by entry, in chain order', async () => {
    const expected = await chainLogs(system.chain, system.protocol, ours());
    expect(expected.length).toBeGreaterThan(30);
    expect(livingLogs(await system.log())).toEqual(expected);
  });

  test('behavior: places are gapless from 1, whatever the size of a page', async () => {
    const all = await system.log();
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_entry, index) => index + 1));
    expect((await system.log(7)).slice(0, all.length)).toEqual(all);
  });

  test('behavior: a page after the head is empty and names the head', async () => {
    const { length } = await system.log();
    const after = await system.call(ListLogEntries, { chain_id, after_seq: length + 1_000 });
    expect(after.entries).toEqual([]);
    expect(after.head_seq).toBeGreaterThanOrEqual(length);
  });

  test('behavior: readers are woken up to the end of the log, each time further', async () => {
    const { length } = await system.log();
    await until('they are woken', async () => ((await system.wokenTo()).at(-1) ?? 0) >= length);
    const woken = await system.wokenTo();
    expect(woken).toEqual([...new Set(woken)].sort((a, b) => a - b));
  });
});

describe('the detail of a vault', () => {
  const readAt = (block: number) => {
    const { chain } = system;
    return <T>({ name, address }: Contract, functionName: string, args: readonly unknown[] = []) =>
      chain.client.readContract({
        address,
        abi: chain.artifacts[name].abi,
        functionName,
        args: [...args],
        blockNumber: BigInt(block),
      }) as Promise<T>;
  };

  test('default: its figures are what the contracts answer at its block', async () => {
    const { vault, strategy, escrow, aggregator, asset, sources, upkeepToken } = system.protocol;
    const detail = await system.detail(vault.address);
    const read = readAt(detail.block_number);
    const text = async (...call: Parameters<typeof read>) => String(await read<bigint>(...call));
    const of = [strategy.address];
    const fees = await read<{ performanceFeeBps: bigint; recipient: Address }>(strategy, 'getConfigInfo');
    const block = await system.chain.client.getBlock({ blockNumber: BigInt(detail.block_number) });
    expect(detail).toMatchObject({
      ...{ vault_address: vault.address, strategy_address: strategy.address, escrow_address: escrow.address },
      name: await read(vault, 'name'),
      symbol: await read(vault, 'symbol'),
      vault_share_decimals: await read(vault, 'decimals'),
      asset: { address: asset.address, symbol: 'USDC', decimals: 6 },
      total_supply: await text(vault, 'totalSupply'),
      total_assets: await text(vault, 'totalAssets'),
      free_assets: await text(asset, 'balanceOf', of),
      escrowed_assets: await text(vault, 'getEscrowedAssets'),
      current_pps: await text(aggregator, 'getPPS', of),
      is_paused: await read(aggregator, 'isStrategyPaused', of),
      is_pps_stale: await read(aggregator, 'isPPSStale', of),
      fee_config: { performance_fee_bps: Number(fees.performanceFeeBps), recipient: fees.recipient },
      upkeep_info: { balance: await text(aggregator, 'getUpkeepBalance', of), token: upkeepToken.address },
      managers: {
        primary: { wallet_address: await read(aggregator, 'getMainManager', of), display_name: null },
        secondary: [{ wallet_address: person(20).address, display_name: null }],
      },
      chain_time: new Date(Number(block.timestamp) * 1000).toISOString(),
      my_role: null,
    });
    expect(detail.current_pps).toBe('1004000');
    const sourceAddresses = sources.map(({ address }) => address);
    expect(detail.allocation.map(({ source_address }) => source_address)).toEqual(
      expect.arrayContaining(sourceAddresses),
    );
  });

  test('behavior: what no call returns comes from the log: creation, a fee change that waits, a pause and its actor', async () => {
    const [first, paused] = await Promise.all([
      system.detail(system.protocol.vault.address),
      system.detail(second.vault),
    ]);
    const logs = await chainLogs(system.chain, system.protocol, ours());
    const created = logs.find(({ name, args }) => name === 'VaultDeployed' && args.vault === first.vault_address);
    expect(first).toMatchObject({
      created_block: created?.block_number,
      created_tx: created?.tx_hash,
      created_at: created?.block_time,
      pending_fee_config: { performance_fee_bps: 1_500, recipient: who.bob },
      pause: null,
    });
    const pause = logs.find(({ name, args }) => name === 'StrategyPaused' && args.strategy === second.strategy);
    expect(paused).toMatchObject({
      is_paused: true,
      operational_state: 'paused',
      pause: { since: pause?.block_time },
    });
    const { vaults } = await system.call(GetPauseStatus, { vaults: [{ chain_id, vault_address: second.vault }] });
    expect(vaults).toMatchObject([{ name: 'Second', is_paused: true, since: pause?.block_time }]);
  });

  test('behavior: the metrics show which strategy is paused, for alarms about its price', async () => {
    const body = await (await fetch(`http://127.0.0.1:${system.monitoringPort}/metrics`)).text();
    const paused = (strategy: string) =>
      body.split('\n').find((line) => line.startsWith('castellan_vault_paused{') && line.includes(`"${strategy}"`));
    expect(paused(second.strategy)).toMatch(/ 1$/);
    expect(paused(system.protocol.strategy.address)).toMatch(/ 0$/);
    // Asked for by the setting, with the figures that the API answers.
    const { address } = system.protocol.vault;
    const { current_pps, pps_precision } = await system.detail(address);
    const price = body
      .split('\n')
      .find((line) => line.startsWith('castellan_vault_price_per_share{') && line.includes(address));
    expect(Number(price?.split(' ').at(-1))).toBe(Number(current_pps) / Number(pps_precision));
  });

  test('behavior: who asks learns their own role', async () => {
    const { address } = system.protocol.vault;
    const roles = [who.main, person(20).address, who.secondary].map((wallet) => system.detail(address, wallet));
    expect((await Promise.all(roles)).map(({ my_role }) => my_role)).toEqual([
      'primary_manager',
      'secondary_manager',
      null,
    ]);
  });

  test('behavior: many vaults at once are each as the caller sees them, in the order asked, and none takes another with it', async () => {
    const { address } = system.protocol.vault;
    const vault = (vault_address: string, chain = chain_id) => ({ chain_id: chain, vault_address });
    const unknown = [vault(nobody), vault(address, 1)];
    const asked = [vault(second.vault), ...unknown, vault(address), vault(address.toLowerCase())];
    const { vaults, unread } = await system.call(LookupVaults, { vaults: asked }, who.main);
    expect(vaults).toEqual([await system.detail(second.vault, who.main), await system.detail(address, who.main)]);
    expect(unread.map(({ code }) => code)).toEqual(['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND']);
    const fields = ['is_paused', 'my_role'] as const;
    const sparse = await system.call(LookupVaults, { vaults: [vault(address)], fields: [...fields] });
    const { block_number, chain_time, pps_status } = await system.detail(address);
    const always = { ...vault(address), block_number, chain_time, pps_status };
    expect(sparse).toEqual({ vaults: [{ ...always, is_paused: false, my_role: null }], unread: [] });
  });

  test('behavior: a new event is in the answer once its block is indexed, and open dashboards hear of it', async () => {
    const { chain, protocol } = system;
    const before = await system.detail(protocol.vault.address);
    const heard: { kind: string; detail?: { free_assets: string } }[] = [];
    const subscription = system.durable.nats.subscribe(`*.durable.vault_updates.${VaultUpdated.name}`, {
      callback: (_error, message) => heard.push(message.json()),
    });
    await system.durable.nats.flush();
    await deposit(chain, protocol, who.bob, 50n * one);
    await system.indexed();
    const after = await system.detail(protocol.vault.address);
    expect(BigInt(after.free_assets) - BigInt(before.free_assets)).toBe(50n * one);
    await until('dashboards have heard', () =>
      heard.some(({ kind, detail }) => kind === 'vault' && detail?.free_assets === after.free_assets),
    );
    subscription.unsubscribe();
  });
});

describe('what is not there', () => {
  test.each([
    ['VAULT_NOT_FOUND', chain_id, nobody],
    ['CHAIN_NOT_FOUND', 1, nobody],
  ])('error: %s survives the bus', async (code, chain, vault_address) => {
    const vault = { chain_id: chain, vault_address };
    const error = { code };
    await expect(system.call(GetVault, vault)).rejects.toMatchObject(error);
    await expect(system.call(GetVaultManagers, vault)).rejects.toMatchObject(error);
    await expect(system.call(GetPauseStatus, { vaults: [vault] })).rejects.toMatchObject(error);
    await expect(system.call(GetVaultSettings, vault)).rejects.toMatchObject(error);
    await expect(system.call(ListYieldSources, vault)).rejects.toMatchObject(error);
    const change = { kind: 'add_secondary_manager' as const, ...vault, args: { manager_address: who.bob } };
    await expect(system.call(PrepareChange, change, who.main)).rejects.toMatchObject(error);
  });

  test('error: CHAIN_NOT_FOUND for the log of a chain that is not served', async () => {
    const log = system.call(ListLogEntries, { chain_id: 1, after_seq: 0 });
    await expect(log).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' });
  });
});

test('behavior: a vault without upkeep has a detail and is not listed; the chain says how far it is', async () => {
  const listed = await system.call(ListPublicVaults, {});
  const head = Number(await system.chain.client.getBlockNumber());
  expect(listed.map(({ vault_address }) => vault_address)).toEqual([system.protocol.vault.address]);
  expect((await system.detail(second.vault)).activation).toMatchObject({ is_discoverable: false });
  const { chains } = await system.call(ListChains, {});
  expect(chains[0]).toMatchObject({ chain_id, slug: 'anvil', head_block: head, indexed_block: head, lag_seconds: 0 });
  const { timestamp } = await system.chain.client.getBlock({ blockNumber: BigInt(head - 2) });
  const finalTime = Date.parse(`${chains[0]?.final_time}`);
  expect([finalTime > 0, finalTime <= Number(timestamp) * 1000]).toEqual([true, true]);
});

test('error: chains whose nodes hang or are away say so, and this one goes on in its log and its answers', async () => {
  const unread = { head_block: null, indexed_block: null };
  const { vault } = trioOf(system.protocol);
  const before = await system.log();
  expect(asksOfHanging).toBeGreaterThan(0);
  await deposit(system.chain, system.protocol, who.alice, one);
  await system.indexed();
  expect((await system.log()).length).toBeGreaterThan(before.length);
  const head = Number(await system.chain.client.getBlockNumber());
  const { chains } = await system.call(ListChains, {});
  expect(chains).toMatchObject([
    { chain_id, indexed_block: head, lag_seconds: 0 },
    { ...hanging, ...unread },
    { ...away, ...unread },
  ]);
  expect((await system.detail(vault)).block_number).toBe(head);
  const ready = await fetch(`http://127.0.0.1:${system.monitoringPort}/readyz`);
  const { checks } = (await ready.json()) as { checks: Record<string, string> };
  // One chain that is away holds no rollout up.
  expect(ready.status).toBe(200);
  const failing = Object.keys(checks).filter((name) => checks[name] !== 'ok');
  expect(failing.sort()).toEqual(['backfill-away', 'backfill-hanging', 'rpc-head-away', 'rpc-head-hanging']);
  for (const { chain_id: other } of [hanging, away]) {
    const there = system.call(GetVault, { chain_id: other, vault_address: vault });
    await expect(there).rejects.toMatchObject({ code: 'NOT_READY' });
    const { entries, head_seq } = await system.call(ListLogEntries, { chain_id: other, after_seq: 0 });
    expect([entries, head_seq]).toEqual([[], 0]);
  }
});

test('behavior: what is stored fits the shapes of its collections', async () => {
  const mongo = await connectMongo({ ...system.config.mongo, registry: createRegistry('test') });
  try {
    const definitions: Pick<CollectionDefinition, 'name' | 'shape'>[] = [
      chainBlocks,
      chainLog,
      chainStatuses,
      pauseProofs,
    ];
    for (const { name, shape } of definitions) {
      // The document behind the last entry of a log is none.
      const documents = await mongo
        .collection(name)
        .find(name === 'chain_log' ? { seq: { $ne: null } } : {})
        .toArray();
      const faults = documents.flatMap((document) => shape.safeParse(document).error?.issues ?? []);
      expect([name, faults]).toEqual([name, []]);
    }
    expect(await mongo.collection('chain_log').countDocuments({ seq: { $ne: null } })).toBeGreaterThan(30);
  } finally {
    await mongo.close();
  }
});

/** Has the handlers of the service hear what nodes report, on its own store and chain. */
async function hearing() {
  const mongo = await connectMongo({ ...system.config.mongo, registry: createRegistry('test') });
  const chains = { get: () => ({ client: system.chain.client }) as never };
  const handlers = followValidators({
    validators: mongoValidators(mongo),
    history: mongoNetworkHistory(mongo),
    // The node has forgotten the state of that block: what the account had then is not recorded.
    receipts: rpcReceipts(chains, () => undefined),
    snapshots: { ofStrategy: async () => null },
    now: Date.now,
  });
  const hear = async (event: DurableEvent, data: object) => {
    for (const handler of handlers.filter(({ event: { name } }) => name === event.name))
      await handler.handle(data as never, {} as never);
  };
  return { mongo, hear };
}

test('behavior: what nodes report of a round is kept, added up by the hour and answered with the receipt of the chain', async () => {
  const { mongo, hear } = await hearing();
  try {
    const { strategy_address, created_tx: tx_hash, name } = await system.detail(ours()[0]?.vault as Address);
    const config_digest = `0x${'d1'.repeat(32)}`;
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
    const said = (node_index: number, t: string) => ({ node_id: `oracle-${node_index}`, node_index, config_digest, t });
    const oracles = [0, 1].map((index) => ({
      index,
      signer: person(30 + index).address,
      transmitter: person(40 + index).address,
    }));
    const rules = { chain_id, config_version: '1', quorum: 2, f: 0, round_seconds: 10, heartbeat_seconds: 60, oracles };
    const place = { epoch: 1, round: 1 };
    const price = { chain_id, strategy_address, nonce: '1', report_timestamp: ago(7_205), pps: '1000000' };
    const observed = [0, 1].map((observer) => ({ observer, pps: String(1_000_000 + observer * 2) }));
    const ended = { ...place, leader: 0, outcome: 'report', observers: [0, 1], signers: [0, 1] };
    const sent = { ...place, chain_id, transmitter: oracles[0]?.transmitter, tx_hash, strategies: [strategy_address] };
    const over = { ...sent, block_number: 1, reason: null, outcomes: [] };
    for (let times = 0; times < 2; times += 1) {
      await hear(ConfigChanged, { ...said(0, ago(7_300)), ...rules });
      await hear(RoundStarted, { ...said(0, ago(7_204)), ...place, leader: 0 });
      await hear(RoundStarted, { ...said(0, ago(7_190)), epoch: 1, round: 2, leader: 0 });
      await hear(ObservationDropped, { ...said(0, ago(7_189)), epoch: 1, round: 2, observer: 1, reason: 'late' });
      await hear(RoundFinished, { ...said(1, ago(7_202)), ...ended, prices: [{ ...price, observed: [] }] });
      await hear(RoundFinished, { ...said(0, ago(7_203)), ...ended, prices: [{ ...price, observed }] });
      await hear(TransmissionAttempted, { ...said(0, ago(7_201)), ...sent, nonce: 1 });
      await hear(TransmissionConfirmed, { ...said(0, ago(7_195)), ...over });
      // A delivery that was late: what is over stays over.
      await hear(TransmissionMined, { ...said(0, ago(7_198)), ...over });
    }
    const round = await system.call(GetValidatorRound, { config_digest, ...place });
    const receipt = await system.chain.client.getTransactionReceipt({ hash: tx_hash as `0x${string}` });
    expect(round).toMatchObject({ observers: [0, 1], signers: [0, 1], missing: [] });
    expect(round.started_at).not.toBeNull();
    expect(round.nodes.map(({ reported_at }) => reported_at === null)).toEqual([false, false]);
    expect(round.prices).toMatchObject([{ vault_name: name, observed, spread_ppb: 2_000 }]);
    expect(round.transactions).toMatchObject([
      { state: 'stored', gas_used: String(receipt.gasUsed), fee: String(receipt.gasUsed * receipt.effectiveGasPrice) },
    ]);
    // The next round, two hours later, ends the hours before it.
    await hear(RoundFinished, { ...said(0, ago(0)), ...ended, round: 9, prices: [] });
    expect(await mongo.collection('validator_hours').countDocuments()).toBeGreaterThan(0);
    const history = await system.call(GetValidatorHistory, { window: '24h' });
    const sum = (key: 'rounds' | 'lost' | 'late') =>
      history.buckets.reduce((total, bucket) => total + (bucket[key] ?? 0), 0);
    expect([sum('rounds'), sum('lost'), sum('late')]).toEqual([2, 1, 1]);
    expect(history.nodes[0]).toMatchObject({ node_id: 'oracle-0', rounds: 2, observed: 2, led: 2 });
    expect(history.nodes[0]?.sent).toMatchObject([
      { transactions: 1, with_receipt: 1, fee: round.transactions[0]?.fee },
    ]);
    const fee = round.transactions[0]?.fee;
    expect(history.vaults).toMatchObject([
      { name, prices: 1, spread_ppb: { n: 1, max: 2_000 }, sent: [{ transactions: 1, fee }] },
    ]);
    // Of one vault: which rounds never ended is not known, what came too late and what each node paid is.
    const own = { window: '24h', chain_id, vault_address: ours()[0]?.vault, signer: oracles[1]?.signer } as const;
    const ofOne = await system.call(GetValidatorHistory, own);
    expect(ofOne.buckets.map(({ lost }) => lost)).toEqual(history.buckets.map(() => null));
    expect(ofOne.buckets.filter(({ rounds }) => rounds > 0)).toMatchObject([{ rounds: 1, late: 0, sent: [] }]);
    expect(ofOne.nodes).toMatchObject([{ rounds: 1, late: 0, dropped: 0, sent: [] }]);
    const { signer: _signer, ...ofAllNodes } = own;
    expect((await system.call(GetValidatorHistory, ofAllNodes)).nodes[0]?.sent).toMatchObject([{ fee }]);
    const ofVault = { window: '7d', chain_id, vault_address: ours()[1]?.vault } as const;
    expect((await system.call(GetValidatorHistory, ofVault)).rounds).toEqual([]);
    const roundsOf = async (signer: string) =>
      (await system.call(GetValidatorHistory, { window: '24h', signer })).rounds.map(({ round: number }) => number);
    expect(await roundsOf(person(30).address)).toEqual([9, 1]);
    expect(await roundsOf(person(50).address)).toEqual([]);
    await expect(system.call(GetValidatorRound, { config_digest, epoch: 7, round: 7 })).rejects.toMatchObject({
      code: 'ROUND_NOT_FOUND',
    });
  } finally {
    await mongo.close();
  }
});
