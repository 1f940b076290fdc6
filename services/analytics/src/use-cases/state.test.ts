import { describe, expect, test } from '@jest/globals';
import { CHAIN, DAY, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { type AnyAnswer, reads } from './reads.fixture.ts';

const ask = async (name: 'state' | 'marks', vault: VaultLog, block: number, more: object = {}) =>
  reads[name]?.read(
    { histories: historiesAt(momentOf(vault, { block })) },
    {
      chain_id: CHAIN,
      vault_address: vault.vault,
      ...more,
    },
  );

const marksIn = (answer: AnyAnswer | undefined) => (answer?.marks ?? []) as { kind: string; event: string }[];

/** A vault whose settings and roles all changed once after the first reading. */
function changed() {
  const vault = new VaultLog();
  const { strategy, manager } = vault;
  const begun = vault.at(START + 60).deposit(wallet(1), 1_000_000n).chain.block;
  vault.at(START + DAY).observe({ secondary_managers: [wallet(7)] });
  const read = vault.chain.block;
  vault.at(START + 2 * DAY).transaction(manager, [
    ['aggregator.MinUpdateIntervalChanged', { strategy, oldMinUpdateInterval: '60', newMinUpdateInterval: '300' }],
    ['strategy.PPSExpiryThresholdUpdated', { ppsExpiration: '7200' }],
    ['aggregator.DeviationThresholdUpdated', { strategy, deviationThreshold: `${2n ** 256n - 1n}` }],
    [
      'aggregator.StrategyHooksRootUpdated',
      { strategy, oldRoot: `0x${'0'.repeat(64)}`, newRoot: `0x${'ab'.repeat(32)}` },
    ],
    ['aggregator.SecondaryManagerAdded', { strategy, manager: wallet(8) }],
    ['aggregator.SecondaryManagerRemoved', { strategy, manager: wallet(7) }],
    ['aggregator.StrategyCheckFailed', { strategy, reason: 'HIGH_PPS_DEVIATION' }],
    ['aggregator.StrategyPaused', { strategy }],
  ]);
  vault.changeFee(500n, wallet(9));
  const after = vault.chain.block;
  vault.at(START + 3 * DAY).transaction(manager, [
    [
      'aggregator.PrimaryManagerChanged',
      { strategy, oldManager: manager, newManager: wallet(8), feeRecipient: wallet(9) },
    ],
    ['aggregator.StrategyUnpaused', { strategy }],
  ]);
  return { vault, begun, read, after };
}

describe('the state of a vault', () => {
  test('default: what was in force after a block, whatever changed later', async () => {
    const { vault, read, after } = changed();
    expect(await ask('state', vault, read)).toMatchObject({
      observed: { block: read },
      is_paused: false,
      settings: {
        performance_fee_bps: 1_000,
        min_update_interval_seconds: 60,
        expiration_seconds: DAY,
        deviation_threshold_bps: 500,
        hooks_root: null,
      },
      roles: { secondary_managers: [wallet(7)].map((each) => expect.stringMatching(new RegExp(each, 'i'))) },
      quality: {},
    });
    expect(await ask('state', vault, after)).toMatchObject({
      is_paused: true,
      settings: {
        performance_fee_bps: 500,
        fee_recipient: expect.stringMatching(new RegExp(wallet(9), 'i')),
        min_update_interval_seconds: 300,
        expiration_seconds: 7_200,
        deviation_threshold_bps: null,
        hooks_root: `0x${'ab'.repeat(32)}`,
      },
      roles: { secondary_managers: [expect.stringMatching(new RegExp(wallet(8), 'i'))] },
      quality: {},
    });
    expect(await ask('state', vault, vault.chain.block)).toMatchObject({
      is_paused: false,
      roles: { primary_manager: expect.stringMatching(new RegExp(wallet(8), 'i')), secondary_managers: [] },
    });
  });

  test('behavior: before the first reading it is what the vault began with, and says that nothing was read', async () => {
    const { vault, begun } = changed();
    expect(await ask('state', vault, begun)).toMatchObject({
      observed: null,
      settings: { performance_fee_bps: 1_000, expiration_seconds: DAY, max_staleness_seconds: null },
      quality: {
        observed: { reason: 'the vault had not been read yet' },
        'settings.max_staleness_seconds': { status: 'insufficient' },
      },
    });
  });

  test('behavior: of a vault that was never read, only what events say is known', async () => {
    const vault = new VaultLog().changeFee(700n);
    expect(await ask('state', vault, vault.chain.block)).toMatchObject({
      settings: { performance_fee_bps: 700, min_update_interval_seconds: null },
      roles: { primary_manager: null, secondary_managers: null },
    });
  });
});

describe('marks of what happened', () => {
  test('default: each with its kind and the event, oldest first, and none of a later moment', async () => {
    const { vault, after } = changed();
    const kinds = async (block: number) => {
      const answer = await ask('marks', vault, block, { period: 'all' });
      return marksIn(answer).map(({ kind, event }) => `${kind} ${event}`);
    };
    expect((await kinds(after)).sort()).toEqual([
      'deposit Deposit',
      'guard StrategyCheckFailed',
      'pause StrategyPaused',
      'role SecondaryManagerAdded',
      'role SecondaryManagerRemoved',
      'setting DeviationThresholdUpdated',
      'setting MinUpdateIntervalChanged',
      'setting PPSExpiryThresholdUpdated',
      'setting VaultFeeConfigUpdated',
    ]);
    expect(await kinds(vault.chain.block)).toEqual(
      expect.arrayContaining(['role PrimaryManagerChanged', 'pause StrategyUnpaused']),
    );
  });

  test('behavior: of the kinds that are asked for only, and only those count', async () => {
    const { vault, after } = changed();
    const answer = await ask('marks', vault, after, { period: 'all', kinds: ['pause', 'guard'] });
    const found = marksIn(answer).map(({ kind, event }) => `${kind} ${event}`);
    expect(found.sort()).toEqual(['guard StrategyCheckFailed', 'pause StrategyPaused']);
    expect(answer?.total).toBe(2);
  });

  test('behavior: of many deposits some are left out, of the one change of a role none', async () => {
    const vault = new VaultLog().observe();
    for (let n = 1; n <= 40; n += 1) vault.at(START + n * 600).deposit(wallet(1), 1_000n);
    vault.transaction(vault.manager, [
      ['aggregator.SecondaryManagerAdded', { strategy: vault.strategy, manager: wallet(2) }],
    ]);
    const answer = await ask('marks', vault, vault.chain.block, { period: 'all', points: 10 });
    const marks = marksIn(answer);
    expect(answer?.total).toBe(41);
    expect(marks.length).toBeLessThanOrEqual(10);
    expect(marks.filter(({ kind }) => kind === 'role')).toHaveLength(1);
  });
});
