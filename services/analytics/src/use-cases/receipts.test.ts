import { runs } from '@castellan/testkit';
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
    runs(120),
  );
  expect(figures).toBeGreaterThan(0);
});

/** Numbers that are no figures: places on the chain, what was asked, settings of the answer, definitions. */
const noFigures = [
  /^(chain_id|block_number|interval_seconds|window_seconds|total|rank|hours|top_holders|venue_shock|dust_shares)$/,
  /(^|\.)(block|log_index|pps_display|pps_precision|rank|age|cohorts|base|within_seconds|expiration_seconds)$/,
  /^benchmark\./,
  /^(coverage|components\.\d+\.weight|floors\.\d+\.floor)$/,
];

test.each(Object.keys(reads))('behavior: every number that %s shows has a receipt', async (name) => {
  const missing = new Set<string>();
  const look = (node: unknown, path: string, receipts: object): void => {
    if (typeof node === 'object' && node !== null)
      for (const [key, item] of Object.entries(node)) look(item, path === '' ? key : `${path}.${key}`, receipts);
    const isNumber = typeof node === 'number' || (typeof node === 'string' && /^-?\d+$/.test(node));
    if (isNumber && !(path in receipts) && !noFigures.some((pattern) => pattern.test(path))) missing.add(path);
  };
  for (const list of fc.sample(steps(60), { numRuns: 25, seed: 3 })) {
    const vault = played(list, true);
    const histories = historiesAt(momentOf(vault, { block: vault.chain.block }));
    const asked = { chain_id: CHAIN, vault_address: vault.vault, receipt: true };
    const { receipts = {}, quality: _quality, ...shown } = (await reads[name]?.read({ histories }, asked)) ?? {};
    look(shown, '', receipts as object);
  }
  expect([...missing]).toEqual([]);
});
