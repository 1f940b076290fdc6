import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { sum } from '../ratio.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { holdersNow, standings } from './holders.ts';
import {
  claimsOf,
  coverage,
  instantFigure,
  instantShare,
  ladderOf,
  runOf,
  simulateRun,
  withdrawalAtRisk,
} from './liquidity.ts';

const source = (n: number, assets: bigint | null, available: bigint | null) => ({
  source_address: wallet(0x5000 + n),
  assets: assets === null ? null : `${assets}`,
  available: available === null ? null : `${available}`,
  price_per_share: null,
});

/** 10 idle; 60 of which 20 are available; 30 of an unknown amount. */
function vault(): VaultLog {
  const log = new VaultLog();
  log
    .at(START + HOUR)
    .deposit(wallet(1), 50n)
    .deposit(wallet(2), 30n)
    .deposit(wallet(3), 20n);
  return log.observe({ idle: '10', allocation: [source(1, 60n, 20n), source(2, 30n, null)] });
}
const people = (log: VaultLog) => holdersNow(standings(momentOf(log), 0n), 0n);

describe('liquidity', () => {
  test('default: what can be paid at once, and whether it covers the largest holders', () => {
    const moment = momentOf(vault());
    expect(instantFigure(moment).value).toBe(30n);
    expect(instantShare(moment).value).toBe(0.3);
    expect(coverage(moment, people(vault()), 1).value).toBe(0.6);
    expect(coverage(moment, people(vault()), 3).value).toBe(0.3);
    expect(coverage(moment, [], 3).value).toBeNull();
  });

  test('behavior: no source pays more than is held there', () => {
    const log = vault().observe({ idle: '10', allocation: [source(1, 60n, 500n)] });
    expect(instantFigure(momentOf(log)).value).toBe(70n);
  });

  test('behavior: what no source reports is a rung of its own, and the rungs sum to all', () => {
    const rungs = ladderOf(momentOf(vault()));
    const held = rungs.map(({ bucket, assets }) => [bucket, assets.value] as const);
    expect(held.filter(([, assets]) => assets !== 0n)).toEqual([
      ['now', 10n],
      ['1h', 20n],
      ['unknown', 70n],
    ]);
    expect(rungs.reduce((total, { share }) => total + (share.value as number), 0)).toBeCloseTo(1, 12);
  });

  test('behavior: where a source could not be valued no rung has a share of the whole', () => {
    const log = vault().observe({ idle: '10', allocation: [source(1, null, null), source(2, 30n, null)] });
    const rungs = ladderOf(momentOf(log));
    expect(rungs.map(({ share }) => share.value)).toEqual(rungs.map(() => null));
    const reason = 'a source could not be valued';
    expect(rungs[0]).toMatchObject({ assets: { value: 10n, status: 'ok' }, share: { reason } });
    expect(rungs.at(-1)).toMatchObject({ assets: { value: 30n, status: 'partial', reason } });
  });

  test('behavior: withdrawal at risk needs seven whole days', () => {
    const log = vault();
    for (let day = 1; day <= 7; day += 1) {
      log.at(START + day * DAY + HOUR).request(wallet(1), 1n * BigInt(day));
      log.at(START + day * DAY + 2 * HOUR).fulfil(wallet(1));
    }
    const early = withdrawalAtRisk(momentOf(log, { time: START + 7 * DAY - 1 }));
    expect([early.h24_p95.value, early.shortfall.value]).toEqual([null, null]);
    const whole = withdrawalAtRisk(momentOf(log, { time: START + 8 * DAY }));
    // 7 of the 72 that are left; 30 can be paid at once.
    expect(whole.h24_p95).toMatchObject({ value: 7 / 72, sampleSize: 8 });
    expect(whole.shortfall.value).toBe(0n);
  });
});

describe('run simulator', () => {
  test('default: idle pays at once, sources later, the largest first', () => {
    const run = runOf(momentOf(vault()), claimsOf(momentOf(vault()), people(vault()), 2), 0n);
    expect(run).toMatchObject({ demand: 80n, paidNow: 10n, shortfall: 50n });
    expect(run?.paidBy.map(({ assets }) => assets)).toEqual([20n]);
    const held = (shares: bigint) => ({ shares, held: expect.objectContaining({ block: 2, shares }) });
    expect(run?.waiting).toEqual([
      { wallet: wallet(1).toLowerCase(), ...held(50n), asked: 50n, paidNow: 10n, paidLater: 20n, unpaid: 20n },
      { wallet: wallet(2).toLowerCase(), ...held(30n), asked: 30n, paidNow: 0n, paidLater: 0n, unpaid: 30n },
    ]);
  });

  test('behavior: a shock takes its part of what sources would pay', () => {
    const run = runOf(momentOf(vault()), claimsOf(momentOf(vault()), people(vault()), 2), 500_000n);
    expect(run?.paidBy.map(({ assets }) => assets)).toEqual([10n]);
    expect(runOf(momentOf(new VaultLog()), [], 0n)).toBeNull();
  });

  const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });
  test('property: nothing is made or lost, over all and for each', () => {
    fc.assert(
      fc.property(
        fc.array(amount, { maxLength: 8 }),
        amount,
        fc.array(amount, { maxLength: 5 }),
        fc.bigInt({ min: 0n, max: 1_000_000n }),
        (asked, idle, payable, shockMillionths) => {
          const claims = asked.map((assets, n) => ({ wallet: wallet(n), shares: assets, assets }));
          const sources = payable.map((each, n) => ({ address: wallet(n), payable: each }));
          const run = simulateRun({ claims, idle, sources, shockMillionths });
          const later = sum(run.paidBy.map(({ assets }) => assets));
          expect(run.demand).toBe(sum(asked));
          expect(run.paidNow + later + run.shortfall).toBe(run.demand);
          for (const one of run.waiting) {
            expect(one.paidNow + one.paidLater + one.unpaid).toBe(one.asked);
            expect([one.paidNow, one.paidLater, one.unpaid].every((part) => part >= 0n)).toBe(true);
          }
          expect(sum(run.waiting.map((one) => one.paidNow))).toBe(run.paidNow);
          expect(sum(run.waiting.map((one) => one.paidLater))).toBe(later);
          expect(sum(run.waiting.map((one) => one.unpaid))).toBe(run.shortfall);
        },
      ),
      runs(500),
    );
  });
});
