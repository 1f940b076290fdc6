import { AppError } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { CHAIN, HOUR, START } from '../domain/chain-log.fixture.ts';
import { blocksSubject, type Fact, factOf, vaultSubject } from '../domain/facts.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { analyticsMetrics } from '../telemetry.ts';
import { BYTES_PER_FACT, MemoryHistories } from './histories.ts';

/** A projection of one vault that is complete up to a block, on a chain that is further. */
function aProjection() {
  const vault = new VaultLog().at(START + HOUR).report(1_000_000n);
  const facts = vault.entries.flatMap((entry) => factOf(entry)?.fact ?? []);
  const world = {
    covered: { block: 10, time: START + 2 * HOUR },
    head: 12,
    asked: 0,
    looked: 0,
    onLook: (): unknown => undefined,
  };
  const cursor = { chain_id: CHAIN, generation: 1, busy: false, caught_up: true, after_seq: vault.entries.length };
  const store = {
    cursor: () => {
      world.looked += 1;
      world.onLook();
      return Promise.resolve({ ...cursor, covered: world.covered, tip: world.covered });
    },
    facts: (_cursor: unknown, subject: string): Promise<Fact[]> =>
      Promise.resolve(subject === vaultSubject(vault.vault) ? facts : subject === blocksSubject ? facts : []),
  };
  const histories = new MemoryHistories({
    store: store as never,
    metrics: analyticsMetrics(new Registry()),
    isKnownChain: () => Promise.resolve(true),
    memoryBytes: 100_000_000,
    blockTime: (_chainId, block) => {
      world.asked += 1;
      if (block > world.head) return Promise.reject(new AppError('BLOCK_IN_FUTURE', 'The chain has no such block.'));
      return Promise.resolve(START + 3 * HOUR);
    },
  });
  const momentOf = (block: number) => histories.momentOf({ chain_id: CHAIN, vault_address: vault.vault, block });
  return { world, momentOf };
}

describe('a block that the projection has not taken in', () => {
  test('behavior: is waited for when the chain has it: the detail may be of it already', async () => {
    const { world, momentOf } = aProjection();
    world.onLook = () => {
      if (world.looked === 3) world.covered = { block: 11, time: START + 3 * HOUR };
    };
    expect(await momentOf(11)).toMatchObject({ block: 11, time: START + 3 * HOUR });
  });

  test('error: is refused at once when the chain does not have it', async () => {
    const { world, momentOf } = aProjection();
    await expect(momentOf(13)).rejects.toMatchObject({ code: 'BLOCK_IN_FUTURE' });
    expect([world.looked, world.asked]).toEqual([1, 1]);
  });

  test('error: is refused when it does not come', async () => {
    await expect(aProjection().momentOf(12)).rejects.toMatchObject({ code: 'BLOCK_IN_FUTURE' });
  });
});

/** Vaults of the same log on any chain, with memory for so many histories; counts how often one is folded from its first fact. */
function histories(most: number) {
  const vault = new VaultLog().at(START + HOUR).report(1_000_000n);
  const facts = vault.entries.flatMap((entry) => factOf(entry)?.fact ?? []);
  const end = { block: 10, time: START + 2 * HOUR };
  const cursors = new Map<number, { generation: number; after_seq: number }>();
  const folded: string[] = [];
  const gate = { wait: Promise.resolve() };
  const registry = new Registry();
  const caughtUp = new Set([1, 2, 3]);
  const cursor = (chain_id: number) => {
    const { generation, after_seq } = cursors.get(chain_id) ?? { generation: 1, after_seq: vault.entries.length };
    const caught_up = caughtUp.has(chain_id);
    return { chain_id, generation, after_seq, busy: false, caught_up, covered: end, tip: end };
  };
  const store = {
    cursor: (chain_id: number) => Promise.resolve(cursor(chain_id)),
    cursors: () => Promise.resolve([1, 2, 3].map(cursor)),
    vaults: () => Promise.resolve([{ vault_address: vault.vault, facts: facts.length }]),
    facts: async ({ chain_id }: { chain_id: number }, subject: string, after: number): Promise<Fact[]> => {
      if (subject === blocksSubject) return facts.filter(({ seq }) => seq > after);
      if (!subject.startsWith('vault:')) return [];
      if (after === 0) folded.push(`${chain_id}`);
      await gate.wait;
      return facts.filter(({ seq }) => seq > after);
    },
  };
  const held = new MemoryHistories({
    store: store as never,
    metrics: analyticsMetrics(registry),
    isKnownChain: () => Promise.resolve(true),
    memoryBytes: most * facts.length * BYTES_PER_FACT,
    blockTime: () => Promise.resolve(START),
  });
  const ready = (...chains: number[]) => {
    caughtUp.clear();
    for (const chain of chains) caughtUp.add(chain);
  };
  const read = (chain_id: number) => held.momentOf({ chain_id, vault_address: vault.vault });
  const metric = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
  return { held, ready, read, folded, cursors, gate, metric, bytes: facts.length * BYTES_PER_FACT };
}

describe('histories at a start', () => {
  const log = { warn: () => undefined };
  const aStart = () => new AbortController().signal;

  test('behavior: are loaded as far as they fit, so that nobody waits for the first read', async () => {
    const { held, read, folded, ready } = histories(2);
    ready(1, 2, 3);
    expect(await held.warmUp(log, aStart())).toBe(2);
    for (const chain of [1, 2]) await read(chain);
    expect(folded).toEqual(['1', '2']);
  });

  test('behavior: a vault that cannot be loaded is logged and does not keep the others', async () => {
    const { held, folded, ready, gate } = histories(2);
    ready(1, 2);
    gate.wait = Promise.reject(new Error('The store is away.'));
    const warnings: unknown[] = [];
    const warn = (message: string) => {
      warnings.push(message);
      gate.wait = Promise.resolve();
    };
    expect(await held.warmUp({ warn }, aStart())).toBe(1);
    expect(warnings).toEqual(['could not load the history of a vault']);
    expect(folded).toEqual(['1', '2']);
  });

  test('behavior: chains that are not read to their end, and a service that stops, load none', async () => {
    const { held, folded, ready } = histories(2);
    ready();
    expect(await held.warmUp(log, aStart())).toBe(0);
    ready(1);
    expect(await held.warmUp(log, AbortSignal.abort())).toBe(0);
    expect(folded).toEqual([]);
  });
});

describe('the memory for histories', () => {
  test('behavior: is one for all chains, and the vault that was asked for longest ago is dropped', async () => {
    const { read, folded, metric, bytes } = histories(2);
    for (const chain of [1, 2, 1, 3, 1, 2]) await read(chain);
    expect(folded).toEqual(['1', '2', '3', '2']);
    expect(await metric('analytics_histories')).toBe(2);
    expect(await metric('analytics_histories_bytes')).toBe(2 * bytes);
    expect(await metric('analytics_history_evictions_total')).toBe(2);
  });

  test('edge: a vault larger than all of it is kept, alone', async () => {
    const { read, folded } = histories(0.5);
    for (const chain of [1, 1, 2, 2]) await read(chain);
    expect(folded).toEqual(['1', '2']);
  });

  test('behavior: a load that ends after facts were taken away is not read afterwards', async () => {
    const { read, folded, cursors, gate } = histories(2);
    const opened = Promise.withResolvers<void>();
    gate.wait = opened.promise;
    const early = read(1);
    await new Promise(setImmediate);
    gate.wait = Promise.resolve();
    cursors.set(1, { generation: 2, after_seq: 5 });
    const late = await read(1);
    opened.resolve();
    expect((await early).history).toBe(late.history);
    expect((await read(1)).history).toBe(late.history);
    expect(folded).toEqual(['1', '1']);
  });
});
