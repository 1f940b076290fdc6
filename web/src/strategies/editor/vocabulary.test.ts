import { compileWritten, type StrategyDefinition } from '@castellan/strategy';
import { expect, test } from '@jest/globals';
import { anAddress } from '../../../test/builders.ts';
import { allocation, source } from '../../../test/strategies.ts';
import { lexiconOf, type Named, namesIn, vocabularyFor } from './vocabulary.ts';

const aVault = (names: readonly (readonly [string, string])[]): Named => ({
  asset: { address: anAddress(9), symbol: 'USDC', name: 'USD Coin', decimals: 6, price_usd: 1, price_updated_at: null },
  symbol: 'cUSDC',
  vault_share_decimals: 6,
  allocation: names.map(([name, source_address]) => ({
    ...(allocation[0] as Named['allocation'][number]),
    name,
    source_address,
  })),
});
const definition = (expr: string): StrategyDefinition => ({
  indicators: [],
  rules: { type: 'EXPR', expr },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: { action: 'DEPOSIT', size_expr: 'vault_free_assets', target_address: source },
  risk_params: { max_amount: null, min_free_assets: null },
  max_concurrent: 1,
  cooldown_ms: 0,
});
const faultOf = (expr: string, now: Named, begun: Named) => {
  const sources = lexiconOf(now).sources.map(({ address }) => address.toLowerCase());
  const vocabulary = vocabularyFor(now, begun);
  return compileWritten(definition(expr), { sources, vocabulary, bareNumbers: 'refused' }).faults[0];
};
const other = anAddress(0x31);
const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`.toLowerCase();
const begun = aVault([['Morpho Prime', source]]);
const rule = 'Morpho Prime.apy > 5 %';

test('default: a name stands for its source', () => {
  expect(faultOf(rule, begun, begun)).toBeUndefined();
  expect(namesIn(definition(rule), begun, begun)).toEqual({ 'Morpho Prime': source.toLowerCase() });
});

test('error: a name that is given to another source while one writes is refused with both addresses', () => {
  const now = aVault([
    ['Morpho Prime', other],
    ['Prime II', source],
  ]);
  const fault = faultOf(rule, now, begun);
  expect(fault).toMatchObject({ code: 'CHANGED_NAME', path: 'rules.expr' });
  for (const address of [source, other]) expect(fault?.message).toContain(short(address));
  expect(namesIn(definition(rule), now, begun)).toEqual({ 'Morpho Prime': source.toLowerCase() });
});

test('error: a second source of the same name makes the name ambiguous', () => {
  const now = aVault([
    ['Morpho Prime', source],
    ['Morpho Prime', other],
  ]);
  const fault = faultOf(rule, now, begun);
  expect(fault).toMatchObject({ code: 'DUPLICATE_NAME' });
  for (const address of [source, other]) expect(fault?.message).toContain(short(address));
});
