import { describe, expect, test } from '@jest/globals';
import { aVault } from '../../../test/builders.ts';
import type { Vault } from '../../data/queries.ts';
import { type HealthInput, healthOf, worstOf } from './health.ts';

const chainTime = '2026-01-01T00:00:00Z';
const run = {
  hours: 24,
  demand: '1000000',
  paid_now: '1000000',
  shortfall: '0',
} as Exclude<HealthInput['run'], string>;
const input = (parts: Partial<Vault> = {}, more: Partial<HealthInput> = {}): HealthInput => ({
  vault: aVault({ chain_time: chainTime, ...parts }),
  run,
  mandate: undefined,
  alerts: undefined,
  now: Date.parse(chainTime) + 60_000,
  ...more,
});
const shown = (given: HealthInput) => healthOf(given).map(({ verdict, text, proof }) => `${verdict} ${text} ${proof}`);

test('default: each question has its answer and the place of its proof', () => {
  expect(shown(input())).toEqual([
    'good Price 1 m old pricing',
    'good Deviation 0.01% of 0.50% pricing',
    'good The 3 largest could leave at once risk',
    'unknown Upkeep runway not known yet fees',
    'good Nothing is proposed managers',
  ]);
});

describe('healthOf', () => {
  const upkeep = aVault().upkeep_info;
  const pps = aVault().pps_config;
  const merkle = aVault().merkle;
  const day = 86_400;
  const manager = { proposed_manager: aVault().vault_address, proposer: null, effective_at: '2026-01-02T00:01:00Z' };
  const fees = { ...aVault().fee_config, effective_at: '2026-01-01T02:01:00Z' };
  test.each<[string, Partial<Vault>, Partial<HealthInput>, string]>([
    ['a paused vault', { is_paused: true }, {}, 'bad Paused: no price is taken pricing'],
    ['no price yet', { last_oracle_update_timestamp: null }, {}, 'watch No price yet pricing'],
    ['an ageing price', { pps_status: 'ageing' }, {}, 'watch Price 1 m old pricing'],
    ['a price that expired since', { remaining_staleness_time: 59 }, {}, 'bad Price 1 m old pricing'],
    [
      'no deviation guard',
      { pps_config: { ...pps, deviation_threshold_bps: null } },
      {},
      'watch Deviation guard is off pricing',
    ],
    ['a deviation that cannot be computed', { divergence_bps: null }, {}, 'unknown Deviation not known pricing'],
    ['half of the guard', { divergence_bps: -26 }, {}, 'watch Deviation 0.26% of 0.50% pricing'],
    ['beyond the guard', { divergence_bps: 51 }, {}, 'bad Next price would pause the vault: 0.51% of 0.50% pricing'],
    ['a run that is read', {}, { run: 'being read' }, 'unknown Liquidity being read risk'],
    ['a run that was not', {}, { run: 'failed' }, 'unknown Liquidity could not be read risk'],
    ['alerts that are read', {}, { alerts: 'being read' }, 'unknown Alerts being read alerts'],
    ['alerts that were not', {}, { alerts: 'failed' }, 'unknown Alerts could not be read alerts'],
    [
      'liquidity not known',
      {},
      { run: { ...run, paid_now: null, shortfall: null } },
      'unknown Liquidity not known risk',
    ],
    ['paid later', {}, { run: { ...run, paid_now: '999999' } }, 'good The 3 largest could leave within 1 d risk'],
    ['not paid', {}, { run: { ...run, shortfall: '500000' } }, 'bad 0.5 USDC short if the 3 largest leave in 1 d risk'],
    ['no upkeep', { upkeep_info: { ...upkeep, enabled: false } }, {}, 'good No upkeep is charged fees'],
    [
      'upkeep short',
      { upkeep_info: { ...upkeep, threshold: { required_balance: '2', shortfall: '1' } } },
      {},
      'bad Upkeep is below what a price costs fees',
    ],
    ['a week', { upkeep_info: { ...upkeep, runway_seconds: 6 * day } }, {}, 'watch Upkeep for 6 days fees'],
    ['a month', { upkeep_info: { ...upkeep, runway_seconds: 30 * day } }, {}, 'good Upkeep for 30 days fees'],
    [
      'what is left at the fastest cadence',
      { upkeep_info: { ...upkeep, runway_seconds: 1_124 * day, runway_worst_case_seconds: 28 * day } },
      {},
      'good Upkeep for 1,124 days, 28 days at worst fees',
    ],
    ['no alert', {}, { alerts: { critical: 0, warning: 0, info: 0 } }, 'good No active alert alerts'],
    ['a warning', {}, { alerts: { critical: 0, warning: 1, info: 0 } }, 'watch 1 active alert alerts'],
    ['a critical one', {}, { alerts: { critical: 1, warning: 0, info: 120 } }, 'bad 121 active alerts alerts'],
    [
      'one that is acknowledged and still holds',
      {},
      { alerts: { critical: 0, warning: 0, info: 0, acknowledged: 1 } },
      'watch 1 alert acknowledged alerts',
    ],
    [
      'acknowledged ones beside active ones',
      {},
      { alerts: { critical: 0, warning: 1, info: 0, acknowledged: 2 } },
      'watch 1 active alert, 2 acknowledged alerts',
    ],
    [
      'a broken promise',
      {},
      { mandate: { state: 'broken', promises: [{ state: 'broken' }, { state: 'held' }] } },
      'bad 1 promise broken mandate',
    ],
    [
      'a mandate that is held',
      {},
      { mandate: { state: 'held', promises: [{ state: 'held' }] } },
      'good Mandate is held mandate',
    ],
    ['a new manager', { pending_manager_change: manager }, {}, 'bad New primary manager in 1 d managers'],
    ['new fees', { pending_fee_config: fees }, {}, 'watch New fees in 2 h fees'],
    [
      'a new tree that is due',
      { merkle: { ...merkle, proposed_root: `0x${'ab'.repeat(32)}`, effective_at: chainTime } },
      {},
      'watch New hooks tree now managers',
    ],
    [
      'a withdrawal of upkeep',
      { withdrawal_status: { amount: '1', effective_at: '2026-01-02T00:01:00Z' } },
      {},
      'watch Upkeep can be withdrawn in 1 d fees',
    ],
  ])('behavior: says %s', (_, vault, more, expected) => {
    expect(shown(input(vault, more))).toContain(expected);
  });

  test('behavior: with a withdrawal of upkeep alone it is not said that nothing is proposed', () => {
    const withdrawal_status = { amount: '1', effective_at: chainTime };
    expect(shown(input({ withdrawal_status })).at(-1)).toBe('watch Upkeep can be withdrawn now fees');
  });

  test('behavior: nothing is said of alerts to those who may not read them', () => {
    expect(healthOf(input()).some(({ name }) => name === 'Alerts')).toBe(false);
  });

  test('behavior: the worst of all checks stands for the vault', () => {
    expect(worstOf(healthOf(input()))).toBe('good');
    expect(worstOf(healthOf(input({ pps_status: 'ageing' })))).toBe('watch');
    expect(worstOf(healthOf(input({ pps_status: 'ageing', is_paused: true })))).toBe('bad');
    expect(worstOf([])).toBe('unknown');
  });
});
