import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recompute } from '../domain/methods.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { played, steps } from '../domain/random-vault.fixture.ts';
import { CHAIN } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

/** Integers to the last digit, ratios to 1e-12 of themselves. */
function agrees(value: unknown, again: unknown): boolean {
  if (typeof value === 'number' && typeof again === 'number' && !Number.isInteger(value))
    return Math.abs(again - value) <= 1e-12 * Math.abs(value);
  return String(again) === String(value);
}

test.each(Object.keys(reads))('property: every figure of %s is what its receipt computes again', async (name) => {
  let figures = 0;
  await fc.assert(
    fc.asyncProperty(
      steps(60),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      async (list, part, observed) => {
        const vault = played(list, observed);
        const block = 1 + Math.floor(part * (vault.chain.block - 1));
        const histories = historiesAt(momentOf(vault, { block }));
        const answer = await reads[name]?.read(
          { histories },
          { chain_id: CHAIN, vault_address: vault.vault, receipt: true },
        );
        for (const [path, receipt] of Object.entries(answer?.receipts ?? {})) {
          if (receipt.value === null) continue;
          figures += 1;
          const again = recompute(receipt.method, receipt.inputs);
          if (!agrees(receipt.value, again)) expect({ path, value: receipt.value }).toEqual({ path, value: again });
        }
      },
    ),
    { numRuns: 120 },
  );
  if (!withoutFigures.has(name)) expect(figures).toBeGreaterThan(0);
});

/** Lists and series: what they show is written on the chain as it stands. */
const withoutFigures = new Set([
  'what-if',
  'apy',
  'tvl',
  'allocation',
  'run',
  'retention',
  'cohorts',
  'top',
  'transactions',
  'volume',
]);
