import { type CompareVaults, type InputOf, Receipt } from '@castellan/contracts';
import { z } from 'zod';
import { Refusal } from './refusal.ts';

type Vault = { readonly chainId: number; readonly vault: string; readonly block?: number | undefined };

function vaultOf(text: string): InputOf<typeof CompareVaults>['vaults'][number] {
  const [chain = '', vault_address = '', block] = text.split(':');
  if (!/^\d+$/.test(chain) || vault_address === '' || (block !== undefined && !/^\d+$/.test(block)))
    throw new Refusal('--query: vaults are written as chain:address:block, set apart by commas.');
  return { chain_id: Number(chain), vault_address, ...(block === undefined ? {} : { block: Number(block) }) };
}

/** What a comparison is asked with. Without vaults in the query it is the vault beside itself: every metric, every series. */
export function comparisonOf(query: string, { chainId, vault, block }: Vault) {
  const given = new URLSearchParams(query);
  // An empty list is a list: `series=` asks for none.
  const listed = (name: string) =>
    given
      .get(name)
      ?.split(',')
      .filter((item) => item !== '');
  const self = [chainId, vault, ...(block === undefined ? [] : [block])].join(':');
  const points = given.get('points');
  return {
    vaults: (listed('vaults') ?? [self, self]).map(vaultOf),
    ...(given.has('period') ? { period: given.get('period') } : {}),
    ...(given.has('metrics') ? { metrics: listed('metrics') } : {}),
    ...(given.has('series') ? { series: listed('series') } : {}),
    ...(points === null ? {} : { points: Number(points) }),
    receipt: true,
  };
}

const Row = z.object({ chain_id: z.int(), vault_address: z.string(), as_of: z.string(), block_number: z.int() });

/** The rows of a comparison that was shown, each a moment of one vault. */
export const rowsOf = (answer: unknown) => z.object({ table: z.array(Row) }).parse(answer).table;

/** The receipts of the figures of one row. */
export const receiptsOfRow = (receipts: Readonly<Record<string, Receipt>>, row: number) =>
  Object.fromEntries(Object.entries(receipts).filter(([path]) => path.startsWith(`table.${row}.`)));

const Exported = z.array(z.looseObject({ receipts: z.record(z.string(), Receipt).default({}) }));

/** A file's rows as an answer whose receipts are by path: `rows.3.shares`. */
export function exportedRows(body: unknown) {
  const rows = Exported.parse(body);
  const receipts = rows.flatMap((row, at) =>
    Object.entries(row.receipts).map(([name, receipt]) => [`rows.${at}.${name}`, receipt] as const),
  );
  return { rows: rows.map(({ receipts: _receipts, ...row }) => row), receipts: Object.fromEntries(receipts) };
}
