import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHAIN } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { played, steps } from '../domain/random-vault.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

type Row = Readonly<Record<string, unknown>>;

/** Kinds of transactions in which shares change hands or assets are paid. */
const ofShares = /^(deposit|redeem_|cancel_fulfilled|cancel_claim|transfer)/;
const ofAssets = /^(deposit|redeem_fulfilled|redeem_claim|skim)$/;

/** A null that means "there is none" and not "it is not known": where, and for which rows. */
const none: readonly [path: RegExp, holds: (row: Row) => boolean][] = [
  [/^next_cursor$/, ({ has_more }) => has_more === false],
  // Said only where there is a figure that means nothing.
  [/^sharpe_note$/, () => true],
  // A file is no contract, and holding the asset has none.
  [/^benchmark\.address$/, ({ source }) => source === 'file' || source === 'holding'],
  // None was in force, or the guard was off.
  [/^settings\.(hooks_root|deviation_threshold_bps)$/, () => true],
  // A fall that lasts.
  [/^episodes\.\d+\.recovered$/, () => true],
  // Shares that came by transfer: the holder has done nothing yet.
  [/^holders\.\d+\.last_active$/, () => true],
  [/^transactions\.\d+\.(assets|usd)$/, ({ type }) => !ofAssets.test(String(type))],
  [/^transactions\.\d+\.shares$/, ({ type }) => !ofShares.test(String(type))],
  [/^transactions\.\d+\.slippage_bps$/, ({ type }) => type !== 'deposit' && type !== 'redeem_fulfilled'],
  [/^transactions\.\d+\.wallet_address$/, ({ type }) => !ofShares.test(String(type))],
  [
    /^fees\.\d+\.(total|protocol_share|recipient_share|usd)$/,
    ({ kind }) => !/^(performance|entry)$/.test(String(kind)),
  ],
  [/^fees\.\d+\.protocol_share$/, ({ kind }) => kind === 'entry'],
  [/^fees\.\d+\.recipient$/, ({ kind }) => kind === 'performance' || kind === 'hwm_reset'],
  [/^fees\.\d+\.(performance_fee_bps|management_fee_bps)$/, ({ kind }) => !/^config_/.test(String(kind))],
  [/^fees\.\d+\.hwm_(before|after)$/, () => true],
];

function nullsOf(node: unknown, path: string, row: Row): { path: string; row: Row }[] {
  if (node === null) return [{ path, row }];
  if (typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, item]) =>
    nullsOf(item, path === '' ? key : `${path}.${key}`, Array.isArray(node) ? (row as Row) : (node as Row)),
  );
}

test.each(Object.keys(reads))('property: a null of %s says why in quality', async (name) => {
  const silent = new Set<string>();
  const moments = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 });
  for (const [list, parts] of fc.sample(fc.tuple(steps(60), moments), { numRuns: 30, seed: 11 }))
    for (const [at, part] of [0, 1, ...parts].entries()) {
      const vault = played(list, at % 2 === 0);
      const block = 1 + Math.floor(part * (vault.chain.block - 1));
      const histories = historiesAt(momentOf(vault, { block }));
      const asked = { chain_id: CHAIN, vault_address: vault.vault };
      const { quality, receipts: _receipts, ...shown } = (await reads[name]?.read({ histories }, asked)) ?? {};
      for (const { path, row } of nullsOf(shown, '', shown))
        if (!(path in (quality as object)) && !none.some(([where, holds]) => where.test(path) && holds(row)))
          silent.add(`${path.replace(/\.\d+\./g, '[].')} of ${row.type ?? row.kind ?? name}`);
    }
  expect([...silent]).toEqual([]);
});
