import { describe, expect, test } from '@jest/globals';
import { compare } from './coverage.ts';
import { holderFigures } from './holders.ts';
import { randomOf } from './moments.ts';
import { wrongReceipts } from './receipts.ts';
import { aRecord, mint, price, transfer } from './record-builders.ts';
import { residual, splitParts } from './tvl.ts';

describe('random histories', () => {
  const random = randomOf(20_261_123);
  const whole = (most: number) => Math.floor(random() * most);

  test('behavior: the parts of a change in dollars leave nothing over', () => {
    for (let time = 0; time < 200; time += 1) {
      const [before, after] = [1, 2].map(() => ({ assets: BigInt(whole(1e15)), price: BigInt(whole(1e12)) })) as [
        { assets: bigint; price: bigint },
        { assets: bigint; price: bigint },
      ];
      expect(residual(splitParts(before, after, BigInt(whole(1e15) - 5e14), BigInt(whole(1e12))))).toBe(0);
    }
  });

  test('behavior: the bridge of holders joins both ends', () => {
    for (let history = 0; history < 20; history += 1) {
      const wallets = Array.from({ length: 6 }, (_, at) => `0xw${at}`);
      const held = new Map(wallets.map((who) => [who, 0n]));
      const events = Array.from({ length: 60 }, (_, at) => {
        const from = wallets[whole(6)] as string;
        const to = wallets[whole(6)] as string;
        const leaves = random() < 0.5 ? (held.get(from) as bigint) : (held.get(from) as bigint) / 2n;
        if (at % 2 === 0 || leaves === 0n || from === to) {
          held.set(to, (held.get(to) as bigint) + 1_000_000n);
          return mint(1 + at / 2, to, 1_000_000n);
        }
        held.set(from, (held.get(from) as bigint) - leaves);
        held.set(to, (held.get(to) as bigint) + leaves);
        return transfer(1 + at / 2, from, to, leaves);
      });
      const { bridge, total } = holderFigures(aRecord(33, [price(0, 1), ...events]));
      for (const { start: before, new_kept, reactivated, churned, end } of Object.values(bridge))
        expect(before + new_kept + reactivated - churned).toBe(end);
      expect(total).toBe([...held.values()].filter((shares) => shares > 10_000n).length);
    }
  });
});

describe('printed formulas', () => {
  const receipt = (formula: string, value: unknown, inputs: [string, unknown][]) => ({
    figure: value,
    receipts: { figure: { value, formula, inputs: inputs.map(([name, input]) => ({ name, value: input })) } },
  });
  const counted = 'count(item)';

  test('default: a formula that gives another figure is a difference', () => {
    const worth: [string, unknown][] = [
      ['shares', '3'],
      ['pps', '1500000'],
      ['precision', '1000000'],
    ];
    expect(wrongReceipts(receipt('floor(shares x pps / precision)', '4', worth))).toMatchObject({
      evaluated: 1,
      differences: [],
    });
    expect(wrongReceipts(receipt('floor(shares x pps / precision)', '5', worth)).differences).toHaveLength(1);
  });

  test('behavior: a wording that is not known is counted, not passed', () => {
    const found = wrongReceipts(receipt(`${counted} twice`, 2, [['item', '0x1']]));
    expect([found.evaluated, [...found.unknown.keys()]]).toEqual([0, [`formula: ${counted} twice`]]);
  });

  test('behavior: a receipt of another figure than the answer has is a difference', () => {
    const answer = { ...receipt(counted, 1, [['item', '0x1']]), figure: 2 };
    expect(wrongReceipts(answer).differences).toMatchObject([{ path: 'receipt of figure', actual: 1, expected: 2 }]);
  });
});

describe('coverage', () => {
  test('default: integers and texts exactly, ratios to 1e-12, and what has no rule is counted', () => {
    const { compared, differences, unruled } = compare(
      { count: 3, amount: '10', ratio: 0.1 + 1e-15, list: [{ more: 1 }, { more: 2 }] },
      { count: 4, amount: '11', ratio: 0.1, missing: 1, list: [{}, {}] },
    );
    expect(compared).toBe(4);
    expect(differences.map(({ path }) => path)).toEqual(['count', 'amount', 'missing']);
    expect([...unruled]).toEqual([['list.*.more', 2]]);
  });
});
