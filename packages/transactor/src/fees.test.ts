import { expect, test } from '@jest/globals';
import { belowCancel, bump, type FeePolicy, type Fees, feeDefaults, offer, outbidsMarket, paysMarket } from './fees.ts';
import { lowestMarket, type Market, marketOf } from './market.ts';

const gwei = 1_000_000_000n;
const settings: FeePolicy = { ...feeDefaults, maxFeeLimit: 500n * gwei, maxTip: 500n * gwei };
const market: Market = { baseFee: 8n * gwei, tip: 2n * gwei, highTip: 3n * gwei };

test('default: an offer outlives the steepest rise of the base fee until the bump, and the tip goes on top', () => {
  // 8 gwei after four full blocks: 8 * (9/8)^4 = 12.814453125 gwei.
  expect(offer(market, settings, 3)).toEqual({ maxFee: 14_814_453_125n, tip: 2n * gwei });
});

test('behavior: the tip is the mean of the tips that were paid, zeros left out, and at least the minimum', () => {
  const rewards = [0n, 10n, 20n].map((tip) => [tip, tip + 9n]);
  const read = marketOf([1n, 7n], rewards);
  expect(read).toEqual({ baseFee: 7n, tip: 15n, highTip: 29n });
  expect(marketOf([7n], [[0n, 0n]])).toMatchObject({ tip: 0n, highTip: 0n });
  expect(offer({ ...market, tip: 0n }, settings, 3).tip).toBe(feeDefaults.minTip);
});

test('behavior: neither field passes the limit, nor the tip the whole fee', () => {
  expect(offer(market, { ...settings, maxFeeLimit: gwei }, 3)).toEqual({ maxFee: gwei, tip: gwei });
});

test('behavior: the tip stays below its own limit, whatever others pay', () => {
  const dear = { ...market, tip: 500n * gwei };
  const limited = { ...settings, maxTip: 20n * gwei };
  expect(offer(dear, limited, 3)).toEqual({ maxFee: 32_814_453_125n, tip: 20n * gwei });
  expect(bump({ maxFee: 10n * gwei, tip: 2n * gwei }, dear, limited, 3)?.tip).toBe(20n * gwei);
  // Nodes take no replacement with the old tip.
  expect(bump({ maxFee: 10n * gwei, tip: 20n * gwei }, dear, limited, 3)).toBeNull();
});

test('behavior: of several endpoints the lowest market counts, and what outbids all of them', () => {
  const confused: Market = { baseFee: 800n * gwei, tip: gwei, highTip: 900n * gwei };
  expect(lowestMarket([market, confused])).toEqual({ baseFee: 8n * gwei, tip: gwei, highTip: 900n * gwei });
  expect(lowestMarket([market])).toEqual(market);
});

test('behavior: a legacy transaction has one price, which is no tip', () => {
  expect(offer(market, { ...settings, type: 'legacy', maxTip: 1n }, 3).tip).toBeGreaterThan(gwei);
  const { maxFee, tip } = offer({ ...market, tip: 0n }, { ...settings, type: 'legacy' }, 3);
  expect(tip).toBe(maxFee);
});

test.each([
  ['small', { maxFee: 3n, tip: 1n }],
  ['odd', { maxFee: 1_000_000_007n, tip: 13n }],
  ['above the market', { maxFee: 100n * gwei, tip: 50n * gwei }],
])('behavior: a bump raises both fields by an eighth or more (%s)', (_name, old) => {
  const next = bump(old, { baseFee: 1n, tip: 1n }, { ...settings, minTip: 0n }, 3);
  expect(next).not.toBeNull();
  expect((next?.maxFee ?? 0n) * 1000n).toBeGreaterThanOrEqual(old.maxFee * 1125n);
  expect((next?.tip ?? 0n) * 1000n).toBeGreaterThanOrEqual(old.tip * 1125n);
  expect(next?.maxFee).toBeGreaterThan(old.maxFee);
});

test('behavior: a bump follows the market when that asks for more', () => {
  expect(bump({ maxFee: gwei, tip: 1n }, market, settings, 3)).toEqual(offer(market, settings, 3));
});

test('behavior: a bump stops where the limit leaves less than nodes ask for a replacement', () => {
  const old = { maxFee: 450n * gwei, tip: gwei };
  expect(bump(old, market, settings, 3)).toBeNull();
  expect(bump({ maxFee: 440n * gwei, tip: gwei }, market, settings, 3)?.maxFee).toBe(495n * gwei);
  const dear = { ...market, baseFee: 490n * gwei };
  expect(bump({ maxFee: 440n * gwei, tip: gwei }, dear, settings, 3)?.maxFee).toBe(500n * gwei);
});

test.each([
  ['a dear base fee', { ...market, baseFee: 490n * gwei }],
  ['tips above the limit', { ...market, tip: 900n * gwei }],
])(
  'behavior: whatever was offered, and however often raised, one replacement fits below the limits (%s)',
  (_, dear) => {
    for (const bumpPermille of [125n, 200n, 1_000n])
      for (const limit of [37n, gwei + 7n, 500n * gwei])
        for (const type of ['eip1559', 'legacy'] as const) {
          const policy: FeePolicy = { ...settings, type, bumpPermille, minTip: 1n, maxFeeLimit: limit, maxTip: limit };
          const offered = [offer(dear, belowCancel(policy), 3)];
          for (let next: Fees | null = { maxFee: 1n, tip: 1n }; next; next = bump(next, market, belowCancel(policy), 3))
            offered.push(next);
          for (const last of offered) {
            const taken = bump(last, dear, policy, 3);
            expect(taken?.maxFee).toBeLessThanOrEqual(limit);
            expect((taken?.maxFee ?? 0n) * 1000n).toBeGreaterThanOrEqual(last.maxFee * (1000n + bumpPermille));
            expect((taken?.tip ?? 0n) * 1000n).toBeGreaterThanOrEqual(last.tip * (1000n + bumpPermille));
          }
        }
  },
);

test('behavior: the least tip is offered even where it leaves no room', () => {
  expect(belowCancel({ ...settings, minTip: 30n * gwei, maxTip: 30n * gwei }).maxTip).toBe(30n * gwei);
  expect(belowCancel({ ...settings, minTip: 30n * gwei, maxTip: 20n * gwei }).maxTip).toBe(20n * gwei);
});

test('behavior: whether it pays enough, or more than the dearest, is judged by both fields', () => {
  expect(paysMarket({ maxFee: 10n * gwei, tip: 2n * gwei }, market)).toBe(true);
  expect(paysMarket({ maxFee: 9n * gwei, tip: 2n * gwei }, market)).toBe(false);
  expect(paysMarket({ maxFee: 10n * gwei, tip: gwei }, market)).toBe(false);
  expect(outbidsMarket({ maxFee: 12n * gwei, tip: 4n * gwei }, market)).toBe(true);
  expect(outbidsMarket({ maxFee: 11n * gwei, tip: 4n * gwei }, market)).toBe(false);
  expect(outbidsMarket({ maxFee: 12n * gwei, tip: 3n * gwei }, market)).toBe(false);
  expect(outbidsMarket({ maxFee: 12n * gwei, tip: 4n * gwei }, { ...market, highTip: 0n })).toBe(false);
});

test('error: a node without a base fee is not believed', () => {
  expect(() => marketOf([], [])).toThrow('base fee');
});
