import { describe, expect, test } from '@jest/globals';
import { HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { payerOf } from './gas-ledger.ts';

const report = ['aggregator.UpkeepSpent', 'aggregator.PPSUpdated'];
const skim = ['strategy.PerformanceFeeSkimmed', 'strategy.HWMPPSUpdated', 'aggregator.PPSUpdatedAfterSkim'];
const fulfilment = ['strategy.RedeemClaimable', 'vault.Transfer', 'strategy.RedeemRequestsFulfilled'];
const deposit = ['strategy.DepositHandled', 'vault.Transfer', 'vault.Deposit'];
const creation = ['vault.Initialized', 'aggregator.VaultDeployed', 'aggregator.PPSUpdated'];

describe('who paid', () => {
  test.each([
    ['a price report', report, 'validator', 'validator'],
    ['a report whose price came too soon', ['oracle.PPSValidated'], 'validator', 'validator'],
    ['a refused price', ['oracle.PPSValidated', 'aggregator.StrategyCheckFailed'], 'validator', 'validator'],
    ['a report that nobody could prove', ['oracle.ProofValidationFailed'], 'other', 'manager'],
    ['a deposit', deposit, 'depositor', 'manager'],
    ['a request', ['vault.Transfer', 'escrow.SharesEscrowed', 'vault.RedeemRequest'], 'depositor', 'manager'],
    ['an approval', ['vault.Approval'], 'depositor', 'manager'],
    ['a transfer of shares', ['vault.Transfer'], 'depositor', 'keeper'],
    ['a fulfilment', fulfilment, 'depositor', 'keeper'],
    ['a cancellation given back', ['strategy.RedeemCancelRequestFulfilled'], 'other', 'keeper'],
    ['a skim', skim, 'other', 'keeper'],
    ['upkeep', ['aggregator.UpkeepDeposited'], 'keeper', 'keeper'],
    ['an allocation', ['strategy.HookExecuted', 'strategy.HooksExecuted'], 'other', 'manager'],
    ['a fulfilment with an allocation', [...fulfilment, 'strategy.HooksExecuted'], 'depositor', 'manager'],
    ['new fee terms', ['strategy.VaultFeeConfigUpdated', 'strategy.HWMPPSUpdated'], 'other', 'manager'],
    ['nothing of the vault', [], 'other', 'manager'],
  ])('default: of %s: %j by a stranger is %s, by a manager %s', (_, events, stranger, manager) => {
    expect(payerOf(new Set(events), { isManager: false }, false)).toBe(stranger);
    expect(payerOf(new Set(events), { isManager: true }, false)).toBe(manager);
  });

  test('behavior: the price set at creation was brought by no validator', () => {
    expect(payerOf(new Set(creation), { isManager: false }, true)).toBe('other');
    expect(payerOf(new Set(creation), { isManager: true }, true)).toBe('manager');
  });
});

describe('totals', () => {
  const vault = new VaultLog().observe();
  vault
    .at(START + HOUR)
    .deposit(wallet(1), 1_000_000n)
    .deposit(wallet(2), 1_000_000n);
  vault.at(START + 2 * HOUR).report(1_000_000n);
  vault.at(START + 3 * HOUR).request(wallet(1), 1_000_000n);
  vault.at(START + 4 * HOUR).fulfil(wallet(1));
  const moment = momentOf(vault);
  const counts = (from: number, to: number) =>
    Object.fromEntries(
      Object.entries(moment.history.gas.totals(from, to, moment.block)).map(([payer, { count }]) => [payer, count]),
    );

  test('default: one transaction counts once, for the one who paid', () => {
    expect(counts(START - 1, moment.time)).toEqual({ depositor: 3, manager: 1, keeper: 1, validator: 1, other: 0 });
    expect(moment.history.gas.totals(START - 1, moment.time, moment.block).depositor).toMatchObject({
      gasUsed: 300_000n,
      cost: 300_000_000_000_000n,
      // The native coin has no price here.
      usd: { scaled: 0n, missing: 3 },
    });
  });

  test('behavior: the start of a range is not part of it, its end is', () => {
    expect(counts(START + HOUR, START + 3 * HOUR)).toMatchObject({ depositor: 1, validator: 1, keeper: 0 });
  });
});
