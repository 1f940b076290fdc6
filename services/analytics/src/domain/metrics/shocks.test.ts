import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wallet } from '../chain-log.fixture.ts';
import { sum } from '../ratio.ts';
import { assetsOf, type Book, depeg, leave, loseAt, type Outcome, raiseGas, stopOracle } from './shocks.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });
const books: fc.Arbitrary<Book> = fc.record({
  claims: fc
    .array(amount, { maxLength: 8 })
    .map((list) => list.map((assets, n) => ({ wallet: wallet(n), shares: assets, assets }))),
  idle: amount,
  sources: fc
    .array(fc.tuple(amount, amount), { maxLength: 6 })
    .map((list) =>
      list.map(([held, available], n) => ({ address: wallet(n), held, payable: available < held ? available : held })),
    ),
});

/** What holds of every shock: asked = lost + paid + waiting for each, nothing negative, no more paid than there is. */
function isWhole(book: Book, { holders, lost, loss, pool }: Outcome): void {
  for (const one of holders) {
    expect(one.lost + one.paid + one.waiting).toBe(one.assets);
    expect([one.lost, one.paid, one.waiting].every((part) => part >= 0n)).toBe(true);
  }
  const paid = sum(holders.map((one) => one.paid));
  expect(paid <= pool).toBe(true);
  expect(pool <= assetsOf(book) - loss).toBe(true);
  expect(loss).toBe(sum(lost));
  expect(lost.every((part, at) => part >= 0n && part <= (book.sources[at]?.held ?? 0n))).toBe(true);
  // Who waits waits because nothing is left.
  const demand = sum(holders.map((one) => one.assets - one.lost));
  expect(paid).toBe(demand < pool ? demand : pool);
}

describe('shocks', () => {
  const millionths = fc.bigInt({ min: 1n, max: 1_000_000n });

  test('property: nothing is made or lost: asked is lost, paid or waits', () => {
    fc.assert(
      fc.property(books, millionths, fc.nat({ max: 6 }), (book, part, hit) => {
        const targets = new Set(book.sources.slice(0, hit).map(({ address }) => address));
        isWhole(book, loseAt(book, { targets, millionths: part }));
        for (const outcome of [
          depeg(book),
          stopOracle(book, true),
          stopOracle(book, false),
          leave(book, hit),
          raiseGas(book),
        ])
          isWhole(book, outcome);
      }),
      runs(200),
    );
  });

  test('property: a larger loss pays nobody more, and a loss of everything leaves what is elsewhere', () => {
    fc.assert(
      fc.property(books, millionths, millionths, (book, a, b) => {
        const targets = new Set(book.sources.map(({ address }) => address));
        const [small, large] = [a < b ? a : b, a < b ? b : a].map((part) =>
          loseAt(book, { targets, millionths: part }),
        ) as [Outcome, Outcome];
        expect(large.loss >= small.loss && large.pool <= small.pool).toBe(true);
        const all = loseAt(book, { targets, millionths: 1_000_000n });
        expect([all.pool, all.loss]).toEqual([book.idle, assetsOf(book) - book.idle]);
      }),
      runs(200),
    );
  });

  test('default: half of one of two sources, and three who leave', () => {
    const claims = [400n, 300n, 100n].map((assets, n) => ({ wallet: wallet(n), shares: assets, assets }));
    const sources = [
      { address: wallet(11), held: 600n, payable: 500n },
      { address: wallet(12), held: 300n, payable: 0n },
    ];
    const { loss, pool, holders } = loseAt(
      { claims, idle: 100n, sources },
      { targets: new Set([wallet(11)]), millionths: 500_000n },
    );
    expect([loss, pool]).toEqual([300n, 400n]);
    expect(holders.map(({ lost, paid, waiting }) => [lost, paid, waiting])).toEqual([
      [120n, 280n, 0n],
      [90n, 120n, 90n],
      [30n, 0n, 70n],
    ]);
  });

  test('behavior: once the last price has expired nobody is paid', () => {
    const claims = [{ wallet: wallet(1), shares: 5n, assets: 5n }];
    const { pool, holders } = stopOracle({ claims, idle: 9n, sources: [] }, true);
    expect([pool, holders[0]?.waiting]).toEqual([0n, 5n]);
  });
});
