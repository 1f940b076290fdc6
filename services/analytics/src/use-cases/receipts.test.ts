import { CompareVaults, ExportPage, exportDatasets, type Receipt } from '@castellan/contracts';
import { runs } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHAIN } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { publishedFormulas } from '../domain/published-formulas.ts';
import { played, reportedDaily, steps } from '../domain/random-vault.fixture.ts';
import type { VaultLog } from '../domain/vault-log.fixture.ts';
import { exportedRows } from '../verify/compare.ts';
import { checkShown } from '../verify/numbers.ts';
import { verdictLines } from '../verify/report.ts';
import { checkChain, checkInputs, type FromChain } from '../verify/verdict.ts';
import { compareVaults } from './compare.ts';
import { exportPage } from './export-page.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

type Receipts = Readonly<Record<string, Receipt>>;

type WithReceipts = { readonly receipts: Receipts };

/** Beside the reads of one vault: a comparison, here with itself, and the files. */
const names = [...Object.keys(reads), 'compare', ...exportDatasets.map((dataset) => `export/${dataset}`)];

async function asked(name: string, vault: VaultLog, block = vault.chain.block): Promise<WithReceipts> {
  const of = { chain_id: CHAIN, vault_address: vault.vault };
  const histories = historiesAt(momentOf(vault, { block }));
  if (name === 'compare') {
    const params = CompareVaults.params.parse({ vaults: [of, of], receipt: true, points: 20, period: 'all' });
    return CompareVaults.result.parse(await compareVaults({ histories })(params)) as WithReceipts;
  }
  if (!name.startsWith('export/'))
    return (await reads[name]?.read({ histories }, { ...of, receipt: true })) as WithReceipts;
  const params = ExportPage.params.parse({ ...of, dataset: name.slice('export/'.length), receipt: true });
  const { columns, rows, receipts = [] } = ExportPage.result.parse(await exportPage({ histories })(params));
  return exportedRows(
    rows.map((row, at) => ({
      ...Object.fromEntries(row.map((cell, place) => [columns[place]?.name, cell])),
      receipts: receipts[at],
    })),
  );
}

const moments = fc.tuple(steps(60), fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean());

test.each(names)('property: every figure of %s is what its printed formula gives', async (name) => {
  let figures = 0;
  await fc.assert(
    fc.asyncProperty(moments, async ([list, part, observed]) => {
      const vault = played(list, observed);
      const { receipts } = await asked(name, vault, 1 + Math.floor(part * (vault.chain.block - 1)));
      const verdicts = Object.entries(receipts).map(([path, receipt]) => checkInputs(path, receipt));
      expect(verdictLines('From its receipt', verdicts)).toEqual([]);
      figures += Object.values(receipts).filter(({ value }) => value !== null).length;
    }),
    runs(120),
  );
  expect(figures).toBeGreaterThan(0);
});

test('behavior: together the reads evaluate every published formula', async () => {
  const evaluated = new Set<string>();
  const irregular = fc.sample(steps(60), { numRuns: 12, seed: 5 });
  const longest = irregular.reduce((a, b) => (b.length > a.length ? b : a));
  for (const list of [...irregular, reportedDaily(longest)])
    for (const name of names) {
      const { receipts } = await asked(name, played(list, true));
      const verdicts = Object.entries(receipts).map(([path, receipt]) => checkInputs(path, receipt));
      expect(verdictLines('From its receipt', verdicts)).toEqual([]);
      for (const { method, value } of Object.values(receipts)) if (value !== null) evaluated.add(method);
    }
  expect(Object.keys(publishedFormulas).filter((name) => !evaluated.has(name))).toEqual([]);
});

test('behavior: an export gives the receipts of the column, or of the figure of one row, that is asked for', async () => {
  const [list = []] = fc.sample(steps(60), { numRuns: 1, seed: 5 });
  const vault = played(reportedDaily(list));
  const histories = historiesAt(momentOf(vault));
  const named = async (receipt: string) => {
    const of = { chain_id: CHAIN, vault_address: vault.vault };
    const params = ExportPage.params.parse({ ...of, dataset: 'pps', period: 'all', limit: 2, receipt });
    const { receipts } = await exportPage({ histories })(params);
    return receipts?.map((row) => Object.keys(row));
  };
  expect(await named('pps')).toEqual([['pps'], ['pps']]);
  expect(await named('rows.1.pps')).toEqual([[], ['pps']]);
  expect((await named('rows.1'))?.map((row) => row.length > 1)).toEqual([false, true]);
  expect(await named('nothing')).toEqual([[], []]);
});

test.each(names)('behavior: every number that %s shows has a receipt that says the same', async (name) => {
  for (const list of fc.sample(steps(60), { numRuns: 25, seed: 3 })) {
    const { without, altered } = checkShown(await asked(name, played(list)));
    expect(verdictLines('In the answer', [...without, ...altered])).toEqual([]);
  }
});

/**
 * The same receipt with one input off by one in its last digit; of a double, in the eleventh, which all
 * machines agree on; of a name, another one. */
function broken(receipt: Receipt, at: number): Receipt {
  const off = (value: unknown): unknown => {
    if (typeof value === 'number') return Number.isInteger(value) ? value + 1 : value * (1 + 1e-11);
    return /^-?\d+$/.test(String(value)) ? `${BigInt(String(value)) + 1n}` : `${value}x`;
  };
  const inputs = receipt.inputs.map((input, index) => (index === at ? { ...input, value: off(input.value) } : input));
  return { ...receipt, inputs };
}

/** Of long lists the first, the last and one between: every name of an input is among them. */
const placesIn = ({ inputs }: Receipt): number[] => [
  ...new Set(
    [...Map.groupBy(inputs.keys(), (at) => inputs[at]?.name).values()].flatMap((places) => [
      places[0] as number,
      places[places.length >> 1] as number,
      places.at(-1) as number,
    ]),
  ),
];

test.each(names)('property: no input of %s can be off by one without its figure being named', async (name) => {
  let inputs = 0;
  for (const list of fc.sample(steps(60), { numRuns: 4, seed: 7 })) {
    const { receipts } = await asked(name, played(list));
    const chain: FromChain = { receipts, stateMissing: null, termsMissing: null };
    for (const [figure, receipt] of Object.entries(receipts).filter(([, { value }]) => value !== null))
      for (const at of placesIn(receipt)) {
        inputs += 1;
        const altered = broken(receipt, at);
        const lines = [
          ...verdictLines('From its receipt', [checkInputs(figure, altered)]),
          ...verdictLines('From the chain', [checkChain(figure, altered, chain)]),
        ];
        const named = lines.filter((line) => line.includes(`${figure}: NOT EQUAL`));
        if (named.length === 0) expect({ figure, input: altered.inputs[at], lines }).toBeNull();
      }
  }
  expect(inputs).toBeGreaterThan(0);
});
