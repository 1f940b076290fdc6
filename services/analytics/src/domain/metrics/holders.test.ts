import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import type { Moment } from '../moment.ts';
import { played, steps } from '../random-vault.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import {
  activeWithin,
  assetRetention,
  comingsOf,
  dustOf,
  holdersNow,
  retention,
  standings,
  tenure,
  topShare,
} from './holders.ts';

const [ada, bob, eve, dan] = [1, 2, 3, 4].map(wallet) as [string, string, string, string];
const week = 7 * DAY;
const lower = (address: string) => address.toLowerCase();

function comings(moment: Moment, seconds: number = week) {
  const dust = dustOf(moment);
  return comingsOf(moment, standings(moment, dust), dust, seconds);
}
const names = (people: readonly { holder: { address: string } }[]) => people.map(({ holder }) => holder.address);
const window = { from: 0, to: 1 };

describe('who came and went', () => {
  /** Ada stays, bob leaves, eve left long ago and is back, dan comes by a transfer. */
  function vault(): VaultLog {
    const log = new VaultLog().observe();
    log.at(START + HOUR).deposit(ada, 1_000_000n);
    log.at(START + 2 * HOUR).deposit(bob, 1_000_000n);
    log.at(START + 3 * HOUR).deposit(eve, 1_000_000n);
    log.at(START + DAY).request(eve, 1_000_000n);
    log.at(START + 2 * DAY).fulfil(eve);
    log.at(START + 10 * DAY).deposit(eve, 500_000n);
    log.at(START + 11 * DAY).request(bob, 1_000_000n);
    log.at(START + 12 * DAY).fulfil(bob);
    log.at(START + 13 * DAY).transfer(ada, dan, 250_000n);
    return log;
  }

  test('default: start + new + reactivated - churned = end', () => {
    const found = comings(momentOf(vault()));
    expect(names(found.start)).toEqual([ada, bob].map(lower));
    expect(names(found.newKept)).toEqual([lower(dan)]);
    expect(names(found.reactivated)).toEqual([lower(eve)]);
    expect(names(found.churned)).toEqual([lower(bob)]);
    expect(names(found.end)).toEqual([ada, eve, dan].map(lower));
    expect(retention(found, window, 1n).value).toBe(0.5);
  });

  test('behavior: retention in shares is not flattered by yield, nor by what others bring', () => {
    const log = vault();
    log.at(START + 13 * DAY + HOUR).report(2_000_000n);
    const found = comings(momentOf(log));
    // Of 2 000 000 shares at the start, ada keeps 750 000; bob none.
    expect(assetRetention(found, window, false).value).toBe(0.375);
    log.at(START + 13 * DAY + 2 * HOUR).deposit(ada, 4_000_000n);
    const later = comings(momentOf(log));
    expect(assetRetention(later, window, false).value).toBe(0.5);
    expect(assetRetention(later, window, true).value).toBe(1.375);
  });

  test('behavior: nobody at the start is no retention, not zero', () => {
    const found = comings(
      momentOf(
        new VaultLog()
          .observe()
          .at(START + HOUR)
          .deposit(ada, 1_000_000n),
      ),
    );
    expect(retention(found, window, 1n)).toMatchObject({ value: null, status: 'insufficient' });
    expect(assetRetention(found, window, false).value).toBeNull();
  });

  test('behavior: shares that wait for redemption are still held', () => {
    const log = new VaultLog().observe();
    log.at(START + HOUR).deposit(ada, 1_000_000n);
    log.at(START + 2 * HOUR).request(ada, 1_000_000n);
    const moment = momentOf(log);
    const [person] = holdersNow(standings(moment, 1n), 1n);
    expect(person?.now).toMatchObject({ shares: 1_000_000n, locked: 1_000_000n });
  });

  test('property: the identity holds over any history, window and moment', () => {
    fc.assert(
      fc.property(
        steps(60),
        fc.integer({ min: 1, max: 60 * DAY }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, seconds, part) => {
          const log = played(list);
          const moment = momentOf(log, { block: 1 + Math.floor(part * (log.chain.block - 1)) });
          const { start, newKept, reactivated, churned, end } = comings(moment, seconds);
          expect(start.length + newKept.length + reactivated.length - churned.length).toBe(end.length);
          const dust = dustOf(moment);
          expect(names(end)).toEqual(names(holdersNow(standings(moment, dust), dust)));
          const before = moment.history.holders.people(moment.block).filter(({ holdings }) => {
            const last = holdings.findLast(({ time, block }) => time <= moment.time - seconds && block <= moment.block);
            return (last?.shares ?? 0n) > dust;
          });
          expect(names(start)).toEqual(before.map(({ address }) => address));
        },
      ),
      runs(400),
    );
  });
});

describe('who counts', () => {
  test('behavior: dust is what is worth less than a cent, at least one raw share', () => {
    const log = new VaultLog().observe();
    expect(dustOf(momentOf(log))).toBe(1n);
    log.chain.answer([log.asset], 100_000_000n);
    log
      .at(START + HOUR)
      .deposit(ada, 10_000n)
      .deposit(bob, 10_001n);
    const moment = momentOf(log);
    const dust = dustOf(moment);
    expect(dust).toBe(10_000n);
    expect(names(holdersNow(standings(moment, dust), dust))).toEqual([lower(bob)]);
    // At 0.1 dollars a unit it takes ten times the shares.
    log.at(START + 2 * HOUR).chain.answer([log.asset], 10_000_000n);
    expect(dustOf(momentOf(log))).toBe(100_000n);
  });

  test('behavior: contracts of the vault and fee recipients are no holders', () => {
    const log = new VaultLog().observe();
    log
      .at(START + HOUR)
      .deposit(ada, 1_000_000n)
      .deposit(log.recipient, 1_000_000n)
      .deposit(log.strategy, 1_000_000n);
    log.at(START + 2 * HOUR).request(ada, 400_000n);
    log.at(START + 3 * HOUR).deposit(bob, 1_000_000n);
    const before = log.chain.block;
    log.at(START + 4 * HOUR).changeRecipient(bob);
    const people = (block: number) => names(holdersNow(standings(momentOf(log, { block }), 1n), 1n));
    expect(people(before)).toEqual([ada, bob].map(lower));
    expect(people(log.chain.block)).toEqual([lower(ada)]);
  });

  test('behavior: deposits, requests, cancels and claims are activity, transfers are not', () => {
    const log = new VaultLog().observe();
    log.at(START + HOUR).deposit(ada, 1_000_000n);
    log.at(START + 2 * DAY).transfer(ada, bob, 400_000n);
    expect(activeWithin(momentOf(log), DAY).value).toBe(0);
    log.at(START + 3 * DAY).request(bob, 100_000n);
    expect(activeWithin(momentOf(log), DAY).value).toBe(1);
    log
      .at(START + 5 * DAY)
      .cancel(bob)
      .fulfilCancel(bob)
      .claimCancel(bob);
    expect(activeWithin(momentOf(log), DAY).value).toBe(1);
    expect(activeWithin(momentOf(log), week).value).toBe(2);
  });

  test('behavior: the largest of equal holders are the same every time', () => {
    const log = new VaultLog().observe();
    log
      .at(START + HOUR)
      .deposit(bob, 3_000_000n)
      .deposit(ada, 3_000_000n)
      .deposit(eve, 2_000_000n);
    const moment = momentOf(log);
    const people = holdersNow(standings(moment, 1n), 1n);
    expect([topShare(people, 1).value, topShare(people, 10).value]).toEqual([0.375, 1]);
    expect(topShare([], 1)).toMatchObject({ value: null, reason: 'nobody holds shares' });
  });
});

test('default: tenure is the age of the shares that are left, the oldest having left first', () => {
  const vault = new VaultLog().observe();
  vault.at(START + DAY).deposit(ada, 3_000_000n);
  vault.at(START + 3 * DAY).deposit(ada, 2_000_000n);
  vault.at(START + 4 * DAY).deposit(bob, 1_000_000n);
  vault.at(START + 5 * DAY).transfer(ada, bob, 4_000_000n);
  const moment = momentOf(vault, { time: START + 6 * DAY });
  const holders = holdersNow(standings(moment, dustOf(moment)), dustOf(moment));
  // One million of day 3 is left with the first; the second has one of day 4 and four of day 5.
  expect(tenure(moment, holders)).toMatchObject({ value: ((3 + 2 + 4 * 1) * DAY) / 6, sampleSize: 3 });
  expect(tenure(moment, [])).toMatchObject({ value: null, reason: 'nobody holds shares' });
});
