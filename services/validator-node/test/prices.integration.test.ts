import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import {
  deposit,
  one,
  type Protocol,
  prices,
  setUp,
  TestChain,
  who,
} from '../../../packages/protocol/test/test-chain.ts';
import { decodeObservation } from '../src/plugin/observation.ts';
import { decodeReport } from '../src/plugin/report.ts';
import type { NetworkConfig } from '../src/ports.ts';
import {
  keyringOf,
  makeNode,
  type NodeChoices,
  nextContext,
  observeAll,
  playRound,
  publishConfig,
  type TestNode,
  transmit,
} from './price-network.ts';
import { startTamperedRpc, type TamperedRpc } from './tampered-rpc.ts';

/** Four validators on the contracts: what they agree on is stored, and what one of them is lied to about is not. */

let chain: TestChain;
let protocol: Protocol;
let config: NetworkConfig;
let rpc: TamperedRpc;
let snapshot: Hex;

beforeAll(async () => {
  chain = await TestChain.start();
  protocol = await setUp(chain);
  const published = await publishConfig(chain, protocol);
  // What the devnet gives a round is for an idle machine: none of these tests is about its end, but for a test that names its own.
  config = { ...published, timing: { ...published.timing, maxDurationObservation: 30_000, maxDurationReport: 30_000 } };
  await deposit(chain, protocol, who.alice, 1_000n * one);
  await earn(10n);
  await chain.pass(61);
  rpc = await startTamperedRpc(chain.anvil.rpcUrl);
});
beforeEach(async () => {
  snapshot = await chain.client.snapshot();
  Object.assign(rpc, { tamper: (_m: string, _p: unknown, result: unknown) => result, isDown: false, delayMs: 0 });
});
afterEach(async () => chain.client.revert({ id: snapshot }));
afterAll(async () => {
  await rpc?.stop();
  await chain?.stop();
});

/** Profit of so many whole units, idle in the strategy. */
const earn = (units: bigint) =>
  chain.send(who.stranger, protocol.asset, 'mint', [protocol.strategy.address, units * one]);
const node = (index: number, choices: NodeChoices = {}) => makeNode(chain, protocol, config, index, choices);
const network = (choices: NodeChoices = {}) => [0, 1, 2, 3].map((index) => node(index, choices));
const strategy = () => protocol.strategy.address;
const eventsOf = (of: TestNode, type: string) => of.events.filter((event) => event.type === type);
const observed = async (of: TestNode) => (await observeAll([of], nextContext(config)))[0]?.observation ?? null;

test('default: what four nodes value alike is signed, taken by the contract and stored', async () => {
  const nodes = network();
  const { report, signers, prices: sent } = await playRound(nodes, config);
  expect(signers).toEqual([0, 1, 2, 3]);
  expect(sent).toMatchObject([{ chainId: 31_337, strategy: strategy(), pps: 1_010_000n, nonce: 0n }]);
  expect(sent[0]?.signatures).toHaveLength(3);
  expect(decodeReport(report as Uint8Array)[0]?.timestamp).toBe(sent[0]?.timestamp);
  expect(await transmit(chain, protocol, sent)).toEqual([{ strategy: strategy(), status: 'success', reason: null }]);
  expect([await prices(chain, protocol).stored(), await prices(chain, protocol).nonce()]).toEqual([1_010_000n, 1n]);
  expect((await playRound(nodes, config)).report).toBeNull();
});

test('behavior: every signature is checked alone, byte by byte', async () => {
  const nodes = network();
  const context = nextContext(config);
  const [first, second] = nodes as [TestNode, TestNode];
  const report = first.plugin.report(new Uint8Array(), await observeAll(nodes, context)) as Uint8Array;
  const signature = (await first.plugin.sign(context, report)) as Uint8Array;
  expect(await second.plugin.verify(report, signature, 0)).toBe(true);
  expect(await second.plugin.verify(report, signature, 1)).toBe(false);
  expect(await second.plugin.verify(report, signature, 9)).toBe(false);
  expect(await second.plugin.verify(report, signature.slice(1), 0)).toBe(false);
  for (const at of [0, 40, 64]) {
    const forged = signature.slice();
    forged[at] = (forged[at] as number) ^ 1;
    expect(await second.plugin.verify(report, forged, 0)).toBe(false);
  }
});

test('error: the other form of a signature, which the contract refuses, is refused here too', async () => {
  const nodes = network();
  const context = nextContext(config);
  const [first, second] = nodes as [TestNode, TestNode];
  const report = first.plugin.report(new Uint8Array(), await observeAll(nodes, context)) as Uint8Array;
  const signature = (await first.plugin.sign(context, report)) as Uint8Array;
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString('hex')}`);
  const high = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
  const other = new Uint8Array([...signature.subarray(0, 32), ...high, signature[64] === 27 ? 28 : 27]);
  expect(await second.plugin.verify(report, other, 0)).toBe(false);
});

test('behavior: the state of a strategy is read once for each block, and again when a node did not answer', async () => {
  const { observer } = node(0, { rpcUrls: [rpc.url] });
  let reads = 0;
  rpc.tamper = (method, _params, result) => {
    if (method === 'eth_call') reads += 1;
    return result;
  };
  const readsFor = async (work: () => Promise<unknown>) => {
    const before = reads;
    await work();
    return reads - before;
  };
  const states = () => observer.states([strategy()]);
  await observer.prepare();
  const of = await states();
  expect(await readsFor(async () => expect(await states()).toEqual(of))).toBe(0);
  await chain.pass(1);
  rpc.isDown = true;
  await expect(states()).rejects.toThrow();
  rpc.isDown = false;
  expect(await readsFor(() => Promise.all([states(), states()]))).toBe(9);
  await chain.pass(1);
  expect(await readsFor(states)).toBe(9);
});

describe('the check before anything is signed for a chain', () => {
  const refusal = async (of: TestNode) => {
    await of.observer.prepare();
    return of.events.find((event) => event.type === 'chain_refused');
  };

  test('default: the contract takes a signature of ours', async () => {
    const ours = node(0);
    expect(await refusal(ours)).toBeUndefined();
    expect(eventsOf(ours, 'chain_ready')).toHaveLength(1);
    expect(ours.observer.separator()).toBe(await chain.read(protocol.oracle, 'domainSeparator'));
  });

  test('error: a signer that is no validator gets no domain, and its node signs nothing', async () => {
    const { address, signKeccak256 } = keyringOf(0);
    const stranger = { address, signKeccak256: (message: Hex) => signKeccak256(`${message}00`) };
    const nodes = [node(0, { keyring: stranger }), ...network().slice(1)];
    expect(await refusal(nodes[0] as TestNode)).toMatchObject({ reason: expect.stringContaining('refuses this node') });
    expect((await playRound(nodes, config)).signers).toEqual([1, 2, 3]);
  });

  test('error: other validators, version or quorum on the chain are named', async () => {
    const reason = async (changes: Partial<NetworkConfig>) =>
      ((await refusal(makeNode(chain, protocol, { ...config, ...changes }, 0))) as { reason: string }).reason;
    expect(await reason({ version: 3n })).toContain('version 2');
    expect(await reason({ oracles: config.oracles.slice(1) })).toContain('other validators');
    expect(await reason({ quorum: 2 })).toContain('asks for 3 signatures');
  });

  test('error: an RPC that names another domain cannot have it signed', async () => {
    const oracle = protocol.oracle.address.toLowerCase();
    rpc.tamper = (method, params, result) => {
      const call = params[0] as { to?: string; data?: string };
      // domainSeparator()
      const isDomain = method === 'eth_call' && call.to?.toLowerCase() === oracle && call.data === '0xf698da25';
      return isDomain ? `0x${'11'.repeat(32)}` : result;
    };
    const lied = node(0, { rpcUrls: [rpc.url] });
    expect(await refusal(lied)).toMatchObject({ reason: expect.stringContaining('domain') });
    expect(lied.observer.separator()).toBeNull();
  });
});

describe('what a node refuses to sign', () => {
  /** The report of honest nodes, and one more node that may have another view. */
  const reportOf = async (nodes: readonly TestNode[]) => {
    const context = nextContext(config);
    const report = nodes[0]?.plugin.report(new Uint8Array(), await observeAll(nodes, context)) as Uint8Array;
    return { context, report };
  };

  test('error: a price too far from its own observation', async () => {
    const nodes = network();
    const context = nextContext(config);
    await observeAll(nodes, context);
    await earn(20n);
    const { report } = await reportOf(network());
    expect(await nodes[3]?.plugin.sign(context, report)).toBeNull();
    expect(eventsOf(nodes[3] as TestNode, 'deviation_rejected')).toMatchObject([{ ppb: 19_801_981n }]);
    expect(eventsOf(nodes[3] as TestNode, 'pps_deviation')).toHaveLength(1);
    const careless = node(3, { settings: { maxDeviationPpb: null } });
    await observed(careless);
    expect(await careless.plugin.sign(context, report)).not.toBeNull();
  });

  test('error: a nonce that has moved', async () => {
    const nodes = network();
    const round = await playRound(nodes, config);
    await transmit(chain, protocol, round.prices);
    const again = nextContext(config);
    expect(await nodes[1]?.plugin.sign(again, round.report as Uint8Array)).toBeNull();
    expect(eventsOf(nodes[1] as TestNode, 'nonce_mismatch')).toHaveLength(1);
    expect(
      nodes[1]?.plugin.commitments(round.report as Uint8Array).canonicalNonces.get(`31337:${strategy().toLowerCase()}`),
    ).toBe(1n);
  });

  test('error: a report that the chain has grown too old for, or that lies ahead of it', async () => {
    const nodes = network();
    const { context, report } = await reportOf(nodes);
    const late = node(2, { settings: { maxStaleSeconds: 30 } });
    await late.observer.prepare();
    await chain.pass(31);
    expect(await late.plugin.sign(context, report)).toBeNull();
    expect(eventsOf(late, 'stale_report')).toEqual([{ type: 'stale_report', phase: 'report' }]);
    const ahead = await reportOf(nodes);
    await chain.client.revert({ id: snapshot });
    snapshot = await chain.client.snapshot();
    const behind = node(2, { settings: { futureToleranceSeconds: 10 } });
    await behind.observer.prepare();
    expect(await behind.plugin.sign(ahead.context, ahead.report)).toBeNull();
  });

  test('error: anything, while no RPC answers', async () => {
    const nodes = network();
    const { context, report } = await reportOf(nodes);
    const cut = node(3, { rpcUrls: [rpc.url] });
    await cut.observer.prepare();
    rpc.isDown = true;
    await expect(cut.plugin.sign(context, report)).rejects.toThrow();
  });
});

describe('what the aggregator makes of a price', () => {
  test('behavior: a price beyond its threshold is agreed on, announced, sent, and pauses the strategy', async () => {
    const nodes = network();
    await earn(5_000n);
    const { prices: sent } = await playRound(nodes, config);
    expect(eventsOf(nodes[0] as TestNode, 'deviation_trip')).toHaveLength(1);
    expect(await transmit(chain, protocol, sent)).toMatchObject([{ status: 'failure', reason: 'StrategyCheckFailed' }]);
    expect(await chain.read(protocol.aggregator, 'isStrategyPaused', [strategy()])).toBe(true);
    await chain.pass(61);
    expect((await playRound(nodes, config)).report).toBeNull();
  });

  test('behavior: with `hold_deviating` a node holds such a price', async () => {
    const nodes = network({ settings: { holdDeviating: true } });
    await earn(5_000n);
    expect((await playRound(nodes, config)).prices).toEqual([]);
    expect(eventsOf(nodes[0] as TestNode, 'held')).toMatchObject([{ reason: 'deviation' }]);
  });

  test('behavior: a paused strategy gets no price; unpaused it gets one at once', async () => {
    const nodes = network();
    await chain.send(who.main, protocol.aggregator, 'pauseStrategy', [strategy()]);
    expect((await playRound(nodes, config)).report).toBeNull();
    await chain.send(who.main, protocol.aggregator, 'unpauseStrategy', [strategy()]);
    await chain.pass(2);
    const { prices: sent } = await playRound(nodes, config);
    expect(await transmit(chain, protocol, sent)).toMatchObject([{ status: 'success' }]);
  });

  test('behavior: a strategy that cannot pay for its price is left alone, so that it is not paused', async () => {
    await chain.send(who.main, protocol.aggregator, 'proposeWithdrawUpkeep', [strategy()]);
    await chain.pass(86_400);
    await chain.send(who.stranger, protocol.aggregator, 'executeWithdrawUpkeep', [strategy()]);
    const nodes = network();
    expect((await playRound(nodes, config)).report).toBeNull();
    expect(eventsOf(nodes[0] as TestNode, 'held')).toMatchObject([{ reason: 'upkeep' }]);
  });

  test('behavior: a price that somebody else sent first is superseded, and is not sent again', async () => {
    const nodes = network();
    const { context, report, prices: sent } = await playRound(nodes, config);
    await transmit(chain, protocol, sent);
    expect(await transmit(chain, protocol, sent)).toMatchObject([{ status: 'superseded', reason: 'nonce_used' }]);
    const attested = { report: report as Uint8Array, signatures: [] };
    expect(await nodes[1]?.plugin.shouldTransmit(context, attested)).toEqual([]);
    expect(await nodes[1]?.plugin.shouldAccept(context, attested)).toBe(false);
  });

  test('behavior: signatures that the contract would refuse are not sent', async () => {
    const nodes = network();
    const context = nextContext(config);
    const report = nodes[0]?.plugin.report(new Uint8Array(), await observeAll(nodes, context)) as Uint8Array;
    const signature = (await nodes[0]?.plugin.sign(context, report)) as Uint8Array;
    const attested = { report, signatures: [{ signer: 0, signature }] };
    expect(await nodes[0]?.plugin.shouldTransmit(context, attested)).toEqual([]);
    expect(eventsOf(nodes[0] as TestNode, 'pack_error')).toHaveLength(1);
  });
});

test('behavior: a price on its way is not accepted a second time, unless it moved', async () => {
  const nodes = network();
  const first = nodes[0] as TestNode;
  expect((await playRound(nodes, config)).prices).toHaveLength(1);
  expect((await playRound(nodes, config)).prices).toHaveLength(0);
  await earn(2n);
  expect((await playRound(nodes, config)).prices).toMatchObject([{ pps: 1_012_000n }]);
  const results = first.events.flatMap((event) => (event.type === 'phase' ? [`${event.phase} ${event.result}`] : []));
  expect(results.filter((result) => result.startsWith('should_accept'))).toEqual([
    ...['should_accept accept', 'should_accept failure', 'should_accept accept'],
  ]);
});

describe('RPCs that lie, lag or are gone', () => {
  const honest = () => chain.anvil.rpcUrl;
  const both = (choices: NodeChoices = {}) => node(0, { rpcUrls: [honest(), rpc.url], ...choices });
  const errorsOf = (of: TestNode) =>
    of.events.flatMap((event) => (event.type === 'observation' && event.result === 'error' ? [event.reason] : []));
  /** Lies about the balance that a price follows from. */
  const lieAboutBalance = () => {
    rpc.tamper = (method, params, result) => {
      const { data = '', to } = (params[0] ?? {}) as { data?: string; to?: string };
      const isBalance = method === 'eth_call' && data.startsWith('0x70a08231');
      return isBalance && to?.toLowerCase() === protocol.asset.address.toLowerCase()
        ? `0x${(500n * one).toString(16).padStart(64, '0')}`
        : result;
    };
  };

  test('default: two that agree are one observation', async () => {
    const chains = decodeObservation((await observed(both())) as Uint8Array);
    expect(chains[0]?.entries).toMatchObject([{ pps: 1_010_000n, nonce: 0n, paused: false }]);
  });

  test('error: one of two that returns another value makes the observation an error, by name', async () => {
    lieAboutBalance();
    const lied = both();
    expect(await observed(lied)).toBeNull();
    expect(errorsOf(lied)).toEqual(['value_disagreement']);
  });

  test('behavior: of three, the two that agree are believed', async () => {
    lieAboutBalance();
    const lied = node(0, { rpcUrls: [honest(), rpc.url, honest()] });
    expect(decodeObservation((await observed(lied)) as Uint8Array)[0]?.entries).toMatchObject([{ pps: 1_010_000n }]);
  });

  test('error: another hash of the same block', async () => {
    rpc.tamper = (method, _params, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: `0x${'99'.repeat(32)}` } : result;
    const lied = both();
    expect(await observed(lied)).toBeNull();
    expect(errorsOf(lied)).toEqual(['block_disagreement']);
  });

  test.each([
    ['wrong_chain_id', 'eth_chainId', '0x1'],
    ['behind', 'eth_blockNumber', '0x1'],
  ])('error: %s leaves too few', async (result, lie, answer) => {
    rpc.tamper = (method, _params, honestAnswer) => (method === lie ? answer : honestAnswer);
    const lied = both();
    expect(await observed(lied)).toBeNull();
    expect(errorsOf(lied)).toEqual(['too_few_endpoints']);
    expect(eventsOf(lied, 'rpc')).toContainEqual(expect.objectContaining({ rpc: 'rpc-1', result }));
  });

  test('behavior: one that shouts a head far ahead does not put the honest ones behind', async () => {
    rpc.tamper = (method, _params, result) => (method === 'eth_blockNumber' ? '0xffffff' : result);
    const lied = node(0, { rpcUrls: [honest(), rpc.url, honest()] });
    expect(await observed(lied)).not.toBeNull();
    expect(eventsOf(lied, 'rpc')).toContainEqual(expect.objectContaining({ rpc: 'rpc-1', result: 'ahead' }));
  });

  test('error: all gone: nothing is observed, and the next round is as before', async () => {
    const cut = node(0, { rpcUrls: [rpc.url] });
    rpc.isDown = true;
    expect(await observed(cut)).toBeNull();
    rpc.isDown = false;
    expect(await observed(cut)).not.toBeNull();
  });

  test('error: too slow for the deadline: the node says nothing in time', async () => {
    rpc.delayMs = 12_000;
    const quick = { ...config, timing: { ...config.timing, maxDurationObservation: 500 } };
    const slow = makeNode(chain, protocol, quick, 0, { rpcUrls: [rpc.url] });
    const started = performance.now();
    expect(await observed(slow)).toBeNull();
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(errorsOf(slow)).toEqual(['deadline']);
  });

  test('behavior: a liar of four nodes moves nothing, and does not sign what is true', async () => {
    lieAboutBalance();
    const nodes = [...network().slice(0, 3), node(3, { rpcUrls: [rpc.url] })];
    const { signers, prices: sent } = await playRound(nodes, config);
    expect([signers, sent[0]?.pps]).toEqual([[0, 1, 2], 1_010_000n]);
  });

  test('behavior: a strategy that only two of four can read is dropped and counted', async () => {
    const cut = (index: number) => node(index, { rpcUrls: [rpc.url] });
    rpc.tamper = (method, params, result) => {
      const { data = '' } = (params[0] ?? {}) as { data?: string };
      return method === 'eth_call' && data.startsWith('0x70a08231') ? '0x' : result;
    };
    const nodes = [node(0), node(1), cut(2), cut(3)];
    expect((await playRound(nodes, config)).report).toBeNull();
    expect(eventsOf(nodes[0] as TestNode, 'insufficient_observations')).toMatchObject([
      { chainId: 31_337, observers: 2 },
    ]);
    expect(errorsOf(nodes[2] as TestNode)).toEqual(['unreadable']);
  });
});
