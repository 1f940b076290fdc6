import { AppError } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { type Address, type Hex, maxUint256 } from 'viem';
import * as abi from '../index.ts';
import {
  hashAt,
  RpcFault,
  type ScriptedChain,
  scriptedChain,
  scriptedClient,
  scriptedFetch,
  timeAt,
} from '../scripted-rpc.fixture.ts';
import { readStatics, readVaultState } from './read-vault-state.ts';
import { addresses, at, aVaultChain, isLending, named, root, unknownStrategy } from './vault-chain.fixture.ts';

const { asset, farming, lending, manager, oracle, sourceOracle } = named;

const read = (chain: ScriptedChain, options: Parameters<typeof readVaultState>[3] = {}) =>
  readVaultState(scriptedClient(chain), addresses, 500n, options);
const replace = (
  chain: ScriptedChain,
  address: Address,
  name: string,
  answer: (args: readonly unknown[]) => unknown,
) => {
  const script = chain.contracts[address];
  if (script) script.functions[name] = answer;
};

describe('readVaultState', () => {
  test('default: one vault at one block', async () => {
    const chain = aVaultChain();
    expect(await read(chain)).toEqual({
      blockNumber: 500n,
      blockHash: hashAt(chain, 500n),
      blockTimestamp: timeAt(500n),
      name: 'USDC Core',
      symbol: 'cUSDC',
      decimals: 6,
      asset: { address: asset, name: 'USD Coin', symbol: 'USDC', decimals: 6 },
      precision: 1_000_000n,
      maxStaleness: 3_600n,
      totalSupply: 1_000n,
      totalAssets: 1_050n,
      escrowedAssets: 9n,
      idleAssets: 50n,
      pps: 1_050_000n,
      hwm: 1_040_000n,
      lastUpdateTimestamp: 100n,
      lastUnpauseTimestamp: 0n,
      minUpdateInterval: 60n,
      pendingMinUpdateInterval: { value: 120n, effectiveTime: 999n },
      ppsExpiration: 86_400n,
      proposedPpsExpiration: null,
      deviationThreshold: maxUint256,
      isPaused: false,
      isPpsStale: true,
      fees: {
        performanceFeeBps: 1_500n,
        managementFeeBps: 10n,
        recipient: expect.stringMatching(new RegExp(manager, 'i')),
      },
      protocolFeeShareBps: 5_000n,
      unrealizedProfit: 4n,
      upkeep: {
        enabled: true,
        balance: 12n,
        costPerUpdate: 2n,
        token: { address: expect.any(String), name: 'Upkeep', symbol: 'UP', decimals: 18 },
        pendingWithdrawal: { value: 3n, effectiveTime: 88n },
      },
      primaryManager: expect.stringMatching(new RegExp(manager, 'i')),
      primaryManagerKind: 'wallet',
      secondaryManagers: [oracle],
      pendingManagerChange: null,
      sources: [
        {
          address: expect.stringMatching(new RegExp(lending, 'i')),
          oracle: expect.any(String),
          name: 'Lending Pool',
          assets: 1_000n,
          shares: 900n,
          available: 800n,
          pricePerShare: 1_111_111n,
          error: null,
        },
        {
          address: expect.stringMatching(new RegExp(farming, 'i')),
          oracle: expect.any(String),
          name: null,
          assets: 5n,
          shares: 900n,
          available: null,
          pricePerShare: 1_111_111n,
          error: null,
        },
      ],
      hooks: {
        strategyRoot: root,
        strategyVetoed: false,
        proposedStrategyRoot: null,
        globalRoot: null,
        globalVetoed: true,
        proposedGlobalRoot: { value: root, effectiveTime: 77n },
        updateTimelock: 900n,
      },
      ppsOracle: oracle,
      oracleNonce: 7n,
      price: { feed: addresses.priceFeed, roundId: 3n, answer: 99_990_000n, decimals: 8, updatedAt: 95n },
    });
    const blocks = chain.requests.filter(({ method }) => method === 'eth_call').map(({ params }) => params[1]);
    expect(new Set(blocks)).toEqual(new Set(['0x1f4']));
  });

  test('behavior: what is behind the primary manager is asked at the block', async () => {
    const kindOf = async (code: Hex | null) => {
      const chain = aVaultChain();
      chain.codes[manager.toLowerCase()] = code;
      const { primaryManagerKind } = await read(chain);
      return [primaryManagerKind, chain.requests.find(({ method }) => method === 'eth_getCode')?.params[1]];
    };
    expect(await kindOf('0x')).toEqual(['wallet', '0x1f4']);
    expect(await kindOf(`0xef0100${'11'.repeat(20)}`)).toEqual(['wallet', '0x1f4']);
    expect(await kindOf('0x6001')).toEqual(['contract', '0x1f4']);
    expect(await kindOf(null)).toEqual([null, '0x1f4']);
  });

  test('behavior: a source, feed or price lookup that fails hides nothing else', async () => {
    const chain = aVaultChain();
    replace(chain, sourceOracle, 'getTVLByOwnerOfShares', ([source]) => (isLending(source) ? unknownStrategy() : 5n));
    replace(chain, addresses.priceFeed, 'latestRoundData', unknownStrategy);
    replace(chain, addresses.governor, 'getUpkeepCostPerSingleUpdate', unknownStrategy);
    replace(chain, addresses.governor, 'getAddress', unknownStrategy);
    const state = await read(chain);
    expect(state.sources).toMatchObject([
      { assets: null, shares: 900n, error: 'The oracle could not value this source (UNKNOWN_STRATEGY)' },
      { assets: 5n, error: null },
    ]);
    expect([state.price, state.upkeep.costPerUpdate, state.upkeep.token, state.pps]).toEqual([
      null,
      null,
      null,
      1_050_000n,
    ]);
  });

  test('behavior: without an active oracle there is no nonce', async () => {
    const chain = aVaultChain();
    replace(chain, addresses.governor, 'getActivePPSOracle', unknownStrategy);
    expect(await read(chain)).toMatchObject({
      ppsOracle: null,
      oracleNonce: null,
      upkeep: { costPerUpdate: null, balance: 12n },
    });
  });

  test('error: a node that lacks the state is an error, not a missing source', async () => {
    const chain = aVaultChain();
    replace(chain, sourceOracle, 'getTVLByOwnerOfShares', () => {
      throw new RpcFault(-32000, 'missing trie node');
    });
    await expect(read(chain)).rejects.toThrow(/missing trie node/);
  });

  test('error: an unreachable node is RPC_UNAVAILABLE even for what may be missing', async () => {
    const chain = aVaultChain();
    replace(chain, addresses.priceFeed, 'latestRoundData', () => {
      throw new AppError('RPC_UNAVAILABLE', 'away');
    });
    await expect(read(chain)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
  });

  test('error: the addresses of no vault are an error', async () => {
    const chain = aVaultChain();
    replace(chain, addresses.aggregator, 'getPPS', unknownStrategy);
    const error: unknown = await read(chain).catch((failure: unknown) => failure);
    expect(abi.decodeRevert(error)?.name).toBe('UNKNOWN_STRATEGY');
  });

  test('behavior: a block that is replaced while it is read is read again', async () => {
    const chain = aVaultChain();
    let forked = false;
    replace(chain, addresses.aggregator, 'getPPS', () => {
      if (forked) return 2n;
      forked = true;
      chain.forks.push({ from: 400n, salt: 1 });
      return 1n;
    });
    expect(await read(chain)).toMatchObject({ pps: 2n, blockHash: hashAt(chain, 500n) });
  });

  test('error: a block that never rests, or is not there yet, is RPC_UNAVAILABLE', async () => {
    const chain = aVaultChain();
    replace(chain, addresses.aggregator, 'getPPS', () => {
      chain.forks.push({ from: 400n, salt: 1 });
      return 1n;
    });
    await expect(read(chain)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
    await expect(read(scriptedChain({ head: 1n }))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
  });

  test('behavior: known statics spare their calls', async () => {
    const chain = aVaultChain();
    const statics = await readStatics(scriptedClient(chain), addresses, 500n);
    const before = chain.requests.length;
    const first = await read(chain);
    const cost = chain.requests.length - before;
    expect(await read(chain, { statics })).toEqual(first);
    expect(chain.requests.length - before - cost).toBe(cost - 9);
  });
});

describe('readVaultState through a client that gathers reads', () => {
  const gathering = (chain: ScriptedChain, { has = true } = {}) => {
    if (has) chain.codes[abi.MULTICALL3.toLowerCase()] = '0x60';
    const config = abi.devnetChain(
      { chain_id: 31_337, start_block: 0, governor: addresses.governor },
      { rpcUrls: ['http://node.test'] },
    );
    const fetch = scriptedFetch({ 'node.test': chain });
    const client = abi.chainClient(config, { fetch, retries: 0, gatherReads: true });
    const calls = () => chain.requests.filter(({ method }) => method === 'eth_call');
    return { client, calls };
  };

  test('default: several vaults of a block whose last reading is known are one call, at that block', async () => {
    const chain = aVaultChain();
    const { client, calls } = gathering(chain);
    const previous = await readVaultState(client, addresses, 500n);
    expect(calls().length).toBeLessThanOrEqual(6);
    chain.requests.length = 0;
    const block = { number: 501n, hash: hashAt(chain, 501n), timestamp: timeAt(501n) };
    const next = () => readVaultState(client, addresses, 501n, { statics: previous, previous, block });
    const states = await Promise.all([next(), next(), next()]);
    const changed = { blockNumber: 501n, blockHash: block.hash, blockTimestamp: block.timestamp };
    expect(states).toEqual(states.map(() => ({ ...previous, ...changed })));
    const { vault } = addresses;
    expect(calls().map(({ params: [call, at] }) => [(call as { to: Address }).to === vault, at])).toEqual([
      [false, '0x1f5'],
    ]);
  });

  test('behavior: a source and an oracle that are new are read at the same block', async () => {
    const chain = aVaultChain();
    const { client, calls } = gathering(chain);
    const state = await readVaultState(client, addresses, 500n);
    const previous = { ...state, sources: state.sources.slice(0, 1), ppsOracle: at('f') };
    const again = await readVaultState(client, addresses, 500n, { statics: state, previous });
    expect(again).toEqual(state);
    expect(new Set(calls().map(({ params }) => params[1]))).toEqual(new Set(['0x1f4']));
  });

  test('behavior: without Multicall3 the same is read', async () => {
    const { client, calls } = gathering(aVaultChain(), { has: false });
    expect(await readVaultState(client, addresses, 500n)).toEqual(await read(aVaultChain()));
    expect(calls().length).toBeGreaterThan(40);
  });

  test('error: a block that is another than it was known as is not described', async () => {
    const chain = aVaultChain();
    const { client } = gathering(chain);
    const block = { number: 500n, hash: hashAt(chain, 499n), timestamp: timeAt(500n) };
    const state = await readVaultState(client, addresses, 500n, { block });
    expect(state.blockHash).toBe(hashAt(chain, 500n));
  });
});
