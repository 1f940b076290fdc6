import { Registry } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import type { StatusWriter } from '../ports.ts';
import { logMetrics } from '../telemetry.ts';
import { deployedLog, FakeChain, somethingBy, trioOf } from './fake-chain.fixture.ts';
import { MemoryLog, WriteCounter } from './memory-stores.fixture.ts';
import { readsNothing } from './reads-nothing.fixture.ts';
import { ChainIndexer, type IndexerDeps } from './run.ts';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const logger = { ...silent, child: () => logger } as IndexerDeps['logger'];

/** An indexer whose writes to the vaults and to the status are kept in their order. */
function aWorld() {
  const chain = new FakeChain();
  const log = new MemoryLog(new WriteCounter());
  const events: string[] = [];
  const due = { count: 0 };
  const vanishing: string[] = [];
  const wrote = (what: string, { token, revision }: StatusWriter) => void events.push(`${what} ${token}.${revision}`);
  /** @param revisions - Of the process that indexes. */
  const indexer = (token: number, revisions = { last: 0 }) =>
    new ChainIndexer(
      {
        chain: chain.known(),
        log,
        blocks: log,
        status: {
          get: async () => ({}),
          setHead: async () => undefined,
          setIndexed: async (writer) => wrote('published', writer),
          setBackfilled: async () => undefined,
          setPublished: async () => undefined,
        },
        snapshots: {
          rollBack: async (writer) => {
            wrote('rolled back', writer);
            return vanishing.splice(0);
          },
        },
        refresher: {
          ...readsNothing,
          announceGone: (vaults, block) => void events.push(...vaults.map((vault) => `${vault} gone from ${block}`)),
          readDue: async (_vaults, _tip, touched = new Map()) => ({
            observations: [],
            count: touched.size + due.count,
            commit: async (writer) => wrote('stored', writer),
            announce: () => void events.push('announced'),
          }),
        },
        onAppended: () => undefined,
        metrics: logMetrics([new Registry()]),
        logger,
        revisions,
      },
      token,
    );
  const settle = async (running: ChainIndexer) => {
    for (let steps = 0; steps < 30; steps += 1) if ((await running.step()) === 'rest') break;
    return events.splice(0);
  };
  return { chain, due, vanishing, indexer, settle };
}

test('default: vaults are published with the block they were read at, under a new number, and announced after that', async () => {
  const { chain, due, indexer, settle } = aWorld();
  chain.mine([deployedLog(0)]);
  const running = indexer(1);
  const first = await settle(running);
  expect(first.slice(0, 2)).toEqual(['rolled back 1.1', 'published 1.1']);
  expect(first.slice(-3)).toEqual(['stored 1.2', 'published 1.2', 'announced']);
  chain.mine([somethingBy(trioOf(0)[0])]);
  expect((await settle(running)).slice(0, 3)).toEqual(['stored 1.3', 'published 1.3', 'announced']);
  // What is read while the chain stands still is published by itself.
  due.count = 1;
  expect(await settle(running)).toEqual(['stored 1.4', 'published 1.4', 'announced']);
});

test('behavior: a rollback and a takeover are revisions of their own', async () => {
  const { chain, indexer, settle } = aWorld();
  for (let nr = 0; nr < 4; nr += 1) chain.mine([]);
  const running = indexer(1);
  await settle(running);
  chain.blocks = chain.blocks.slice(0, 2);
  for (let nr = 0; nr < 4; nr += 1) chain.mine([deployedLog(nr)]);
  const events = await settle(running);
  expect(events.slice(0, 2)).toEqual(['rolled back 1.2', 'published 1.2']);
  expect((await settle(indexer(2))).slice(0, 2)).toEqual(['rolled back 2.1', 'published 2.1']);
});

test('behavior: vaults that a rollback took away are announced once that is published, also by the process that takes over', async () => {
  const { chain, vanishing, indexer, settle } = aWorld();
  for (let nr = 0; nr < 4; nr += 1) chain.mine([]);
  const running = indexer(1);
  await settle(running);
  chain.blocks = chain.blocks.slice(0, 2);
  for (let nr = 0; nr < 4; nr += 1) chain.mine([]);
  vanishing.push('0xa');
  expect((await settle(running)).slice(0, 3)).toEqual(['rolled back 1.2', 'published 1.2', '0xa gone from 2']);
  vanishing.push('0xb');
  expect((await settle(indexer(2))).slice(0, 3)).toEqual(['rolled back 2.1', 'published 2.1', '0xb gone from 6']);
});

test('error: an indexer that is made again under the same token, after a write that failed, goes on counting', async () => {
  const { chain, indexer, settle } = aWorld();
  const revisions = { last: 0 };
  chain.mine([deployedLog(0)]);
  expect(await settle(indexer(1, revisions))).toContain('stored 1.2');
  expect((await settle(indexer(1, revisions))).slice(0, 2)).toEqual(['rolled back 1.3', 'published 1.3']);
});
