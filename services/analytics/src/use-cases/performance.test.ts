import { expect, test } from '@jest/globals';
import { CHAIN, DAY, START } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { isoOf } from '../domain/timeline.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { type AnyAnswer, reads } from './reads.fixture.ts';

/** Reports every day for ten days and then none for twenty. */
function silent(): VaultLog {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  for (let day = 1; day <= 10; day += 1) vault.at(START + day * DAY).report(1_000_000n + BigInt(day) * 100n);
  return vault;
}

const vault = silent();
const histories = historiesAt(momentOf(vault, { time: START + 30 * DAY }));
const ask = async (name: 'performance' | 'benchmark', to: number): Promise<AnyAnswer> =>
  (await reads[name]?.read(
    { histories },
    { chain_id: CHAIN, vault_address: vault.vault, from: isoOf(START + DAY), to: isoOf(START + to * DAY) },
  )) as AnyAnswer;

test('behavior: figures over a past range are stale by the end of the range, current ones by now', async () => {
  const [past, late] = await Promise.all([ask('performance', 9), ask('performance', 15)]);
  expect(Object.keys(past.quality)).not.toContain('twr');
  expect(Object.keys(past.quality)).not.toContain('apr');
  expect(past.quality['period_return.since_inception']).toMatchObject({ status: 'stale' });
  expect(late.quality).toMatchObject({ twr: { status: 'stale' }, apr: { status: 'stale' } });
});

test('behavior: a comparison with the benchmark over a past range is stale by the end of the range', async () => {
  const [past, late] = await Promise.all([ask('benchmark', 9), ask('benchmark', 15)]);
  expect(Object.keys(past.quality)).not.toContain('vault_return');
  expect(late.quality).toMatchObject({ vault_return: { status: 'stale' } });
});
