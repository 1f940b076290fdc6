import { Registry } from '@castellan/service-kit';
import { describe, expect, test } from '@jest/globals';
import type { PublicClient } from 'viem';
import { logMetrics } from '../telemetry.ts';
import { FakeChain, singletons, somethingBy } from './fake-chain.fixture.ts';
import { clientOf, nodeOf } from './fake-nodes.fixture.ts';
import { FinalCheck } from './final-check.ts';
import { MemoryLog, WriteCounter } from './memory-stores.fixture.ts';
import type { RangeRead } from './read-range.ts';
import { readsNothing } from './reads-nothing.fixture.ts';
import { ChainIndexer, type IndexerDeps } from './run.ts';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const logger = { ...silent, child: () => logger } as IndexerDeps['logger'];

/** A chain with one log of ours in every block, and what a node that has lost those of some blocks makes of it. */
function chains(length: number, lost: readonly number[]) {
  const whole = new FakeChain();
  for (let number = 0; number < length; number += 1) whole.mine([somethingBy(singletons.aggregator)]);
  const lossy = new FakeChain();
  lossy.blocks = whole.blocks.map((block, number) => (lost.includes(number) ? { ...block, logs: [] } : block));
  return { whole, lossy };
}

function indexerOf(chain: FakeChain, client: PublicClient) {
  const registry = new Registry();
  const log = new MemoryLog(new WriteCounter());
  const unused = async () => undefined;
  const deps = {
    chain: { ...chain.known(), client },
    log,
    blocks: log,
    status: {
      get: async () => ({}),
      setHead: unused,
      setIndexed: unused,
      setBackfilled: unused,
      setPublished: unused,
    },
    snapshots: { rollBack: unused },
    refresher: readsNothing,
    onAppended: () => undefined,
    metrics: logMetrics([registry]),
    logger,
    revisions: { last: 0 },
    initialRange: { size: 3, max: 5 },
  } as unknown as IndexerDeps;
  const logged = () =>
    log
      .livingEntries()
      .filter(({ kind }) => kind === 'log')
      .map(({ block_number }) => block_number);
  return { indexer: new ChainIndexer(deps, 1), log, logged, registry };
}

async function rest(indexer: ChainIndexer, times: number): Promise<void> {
  for (let rests = 0, steps = 0; rests < times; steps += 1) {
    if (steps > 500) throw new Error('The indexer never comes to rest.');
    if ((await indexer.step()) === 'rest') rests += 1;
  }
}

describe('final blocks', () => {
  test('default: logs that an endpoint lost are found in another one, and read from there', async () => {
    const { whole, lossy } = chains(66, [20, 21, 40]);
    const { indexer, log, logged, registry } = indexerOf(whole, clientOf([nodeOf(whole, lossy), nodeOf(whole)]));
    await rest(indexer, 1);
    await rest(indexer, 8);
    expect(logged()).toEqual(whole.blocks.map((_block, number) => number));
    expect(log.entries.filter(({ kind }) => kind === 'rollback')).toHaveLength(1);
    expect(await registry.metrics()).toContain('vaults_final_checks_total{chain_id="7",result="more"} 1');
  });

  test('behavior: what both have is asked for once', async () => {
    const { whole } = chains(66, []);
    const nodes = [nodeOf(whole), nodeOf(whole)] as const;
    const { indexer, registry } = indexerOf(whole, clientOf(nodes));
    await rest(indexer, 8);
    expect(await registry.metrics()).toContain('vaults_final_checks_total{chain_id="7",result="same"} 2');
    const before = nodes[1].asked.length;
    await rest(indexer, 4);
    expect(nodes[1].asked).toHaveLength(before);
  });

  test('behavior: a second endpoint that is away or has lost more changes nothing', async () => {
    const { whole, lossy } = chains(66, [20]);
    const { indexer, log, logged } = indexerOf(whole, clientOf([nodeOf(whole), nodeOf(whole, lossy)]));
    await rest(indexer, 8);
    expect(logged()).toHaveLength(66);
    expect(log.entries.filter(({ kind }) => kind === 'rollback')).toEqual([]);
    const away = clientOf([nodeOf(whole), nodeOf(new FakeChain())]);
    const second = indexerOf(whole, away);
    await rest(second.indexer, 8);
    expect(second.logged()).toHaveLength(66);
    expect(await second.registry.metrics()).toContain('vaults_final_checks_total{chain_id="7",result="failed"} 2');
  });

  test('behavior: blocks wait for their confirmations, and for the others of their range', async () => {
    const { whole } = chains(64, []);
    const witness = clientOf([nodeOf(whole)]);
    const blocks = whole.blocks
      .map(({ hash }, number) => ({ number: BigInt(number), hash, timestamp: 0n }))
      .slice(0, 32);
    const end = blocks.at(-1) as (typeof blocks)[number];
    const answer: RangeRead = { kind: 'logs', from: 0n, end, blocks, drafts: [], witness, range: { size: 1, max: 1 } };
    const check = new FinalCheck(12);
    check.note(answer);
    expect(await check.check([], 42n)).toBeNull();
    expect(await check.check([], 43n)).toEqual({ result: 'same' });
    check.note(answer);
    expect(await check.check([], 60n)).toBeNull();
    const left = new FinalCheck(0);
    left.note(answer);
    left.forgetFrom(0n);
    expect(await left.check([], 60n)).toBeNull();
  });
});
