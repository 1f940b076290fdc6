import { expect, test } from '@jest/globals';
import { CHAIN, DAY, HOUR, START } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { type AnyAnswer, reads } from './reads.fixture.ts';

/** Quiet for 60 days, then up 2 % one day and down the next for 60. */
function restless(): VaultLog {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  for (let day = 0; day < 120; day += 1)
    vault.at(START + day * DAY + 12 * HOUR).report(BigInt(1_000_000 + day * 100 + (day < 60 ? 0 : (day % 2) * 20_000)));
  return vault;
}

const vault = restless();
const histories = historiesAt(momentOf(vault, { time: START + 120 * DAY }));
const ask = async (period: string): Promise<AnyAnswer> =>
  (await reads.volatility?.read({ histories }, { chain_id: CHAIN, vault_address: vault.vault, period })) as AnyAnswer;

test('behavior: the answer for 90 days is of 90 days', async () => {
  const [month, quarter] = await Promise.all([ask('30d'), ask('90d')]);
  expect(month).toMatchObject({ days: 30, stale_days: 0 });
  expect(quarter).toMatchObject({ days: 90, stale_days: 0 });
  expect(quarter.volatility_daily).toBeLessThan((month.volatility_daily as number) * 0.9);
  expect(Object.keys(quarter.quality)).not.toContain('volatility_daily');
});

test('behavior: one ratio under one name, in the risk and in its part', async () => {
  const [risk, month] = await Promise.all([
    reads.risk?.read({ histories }, { chain_id: CHAIN, vault_address: vault.vault }),
    ask('30d'),
  ]);
  expect(risk).toMatchObject({ sharpe: month.sharpe, sharpe_naive: month.sharpe_naive });
  expect(month.sharpe).not.toBe(month.sharpe_naive);
});

test('behavior: rolling figures over a week are marked in quality', async () => {
  const { quality, points } = await ask('7d');
  expect(points).toHaveLength(7);
  expect(quality['points.6.d7']).toMatchObject({ status: 'partial', reason: '7 daily returns; 20 are needed' });
  expect(quality).not.toHaveProperty('points.6.d30');
  expect(quality.volatility_daily).toMatchObject({ status: 'insufficient', sample_size: 7 });
});
