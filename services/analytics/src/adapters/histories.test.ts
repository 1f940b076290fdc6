import { AppError } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { CHAIN, HOUR, START } from '../domain/chain-log.fixture.ts';
import { blocksSubject, type Fact, factOf, vaultSubject } from '../domain/facts.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { analyticsMetrics } from '../telemetry.ts';
import { MemoryHistories } from './histories.ts';

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
