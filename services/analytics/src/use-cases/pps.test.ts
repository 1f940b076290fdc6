import { describe, expect, test } from '@jest/globals';
import { CHAIN, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { recompute } from '../domain/published-formulas.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { type AnyAnswer, reads } from './reads.fixture.ts';

const ask = async (name: string, vault: VaultLog, time?: number): Promise<AnyAnswer> =>
  (await reads[name]?.read(
    { histories: historiesAt(momentOf(vault, time === undefined ? {} : { time })) },
    { chain_id: CHAIN, vault_address: vault.vault, period: '7d', receipt: true },
  )) as AnyAnswer;

/** PPS 1.05 with a mark of 1.04, 15 % fee and 1 000 000 shares. */
function accrued(): VaultLog {
  const vault = new VaultLog({ performanceFeeBps: 1_500n }).observe();
  vault.at(START + HOUR).deposit(wallet(1), 1_000_000_000_000n);
  vault
    .at(START + DAY)
    .report(1_040_000n)
    .resetMark();
  return vault.at(START + 2 * DAY).report(1_050_000n);
}

const expectRecomputed = ({ receipts }: AnyAnswer, path: string, value: unknown) => {
  const receipt = receipts?.[path];
  if (!receipt) throw new Error(`There is no receipt of ${path}.`);
  expect([path, String(recompute(receipt.method, receipt.inputs))]).toEqual([path, String(value)]);
};

describe('the net price now', () => {
  test('default: the published vector, and what a reset of the mark waives is in it at once', async () => {
    const vault = accrued();
    expect(await ask('pps', vault)).toMatchObject({ current: { pps: '1050000', net_pps: '1048500' } });
    vault.at(START + 2 * DAY + HOUR).resetMark();
    const now = await ask('pps', vault);
    expect(now).toMatchObject({
      current: { pps: '1050000', net_pps: '1050000', net_pps_exact: { numerator: '10500000000' } },
      hwm: { pps: '1050000' },
      points: [{}, {}, { net_pps: '1048500' }],
    });
    expectRecomputed(now, 'current.net_pps', 1_050_000);
    expectRecomputed(now, 'current.net_pps_exact.numerator', 10_500_000_000);
    expect(await ask('fees', vault)).toMatchObject({ pending: { total: '0' } });
    // The moment before the reset is as it was.
    expect(await ask('pps', vault, START + 2 * DAY + HOUR - 1)).toMatchObject({ current: { net_pps: '1048500' } });
  });

  test.each([
    ['a reset of the mark', (vault: VaultLog) => vault.resetMark()],
    ['another fee', (vault: VaultLog) => vault.changeFee(3_000n)],
    ['no fee', (vault: VaultLog) => vault.changeFee(0n)],
    ['a skim', (vault: VaultLog) => vault.skim()],
  ])('behavior: after %s it, and the drawdown, are what a report of the same price leaves', async (_, change) => {
    const vault = accrued();
    // Under water, and above the mark: a fall from 1.05 to 1.045.
    vault.at(START + 3 * DAY).report(1_045_000n);
    change(vault.at(START + 3 * DAY + HOUR));
    const changed = await Promise.all([ask('pps', vault), ask('drawdown', vault), ask('performance', vault)]);
    const [{ current }, { current_drawdown }, { drawdown_now }] = changed;
    expectRecomputed(changed[1], 'current_drawdown', current_drawdown);
    expect(current_drawdown).toBe(drawdown_now);
    vault.at(START + 3 * DAY + 2 * HOUR).report(vault.pps);
    const [after, fallen] = await Promise.all([ask('pps', vault), ask('drawdown', vault)]);
    const { net_pps, net_pps_exact } = after.current as Record<string, unknown>;
    expect(current).toMatchObject({ net_pps, net_pps_exact });
    expect(current_drawdown).toBe(fallen.current_drawdown);
  });

  test('behavior: where terms bring the net price to its highest, there is no drawdown and the high is of that time', async () => {
    const vault = accrued();
    vault.at(START + 2 * DAY + HOUR).resetMark();
    const found = await ask('drawdown', vault, START + 2 * DAY + 3 * HOUR);
    expect(found).toMatchObject({ current_drawdown: 0, seconds_since_high: 2 * HOUR });
    expectRecomputed(found, 'seconds_since_high', 2 * HOUR);
  });
});
