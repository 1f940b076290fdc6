import { type Lexicon, namesUsed, type StrategyDefinition, type Vocabulary, vocabularyOf } from '@castellan/strategy';
import type { Vault } from '../../data/queries.ts';
import { sourcesOf } from '../types.ts';

export type Named = Pick<Vault, 'asset' | 'symbol' | 'vault_share_decimals' | 'allocation'>;

/** The words that expressions of a vault may hold: the symbols of its tokens, and the names of its sources. */
export const lexiconOf = (vault: Named): Lexicon => ({
  asset: vault.asset,
  share: { symbol: vault.symbol, decimals: vault.vault_share_decimals },
  sources: sourcesOf(vault).map(({ name, source_address }) => ({ name, address: source_address })),
});

/** As the editor reads: what has two meanings is refused, and so is a name that stood for another source when it was `begun`. */
export const vocabularyFor = (vault: Named, begun: Named = vault): Vocabulary =>
  vocabularyOf(lexiconOf(vault), {
    isStrict: true,
    names: Object.fromEntries(lexiconOf(begun).sources.map(({ name, address }) => [name, address])),
  });

/** Which source each name of a definition stood for when it was written. */
export const namesIn = (definition: StrategyDefinition, vault: Named, begun: Named): Record<string, string> => ({
  ...namesUsed(definition, vocabularyFor(vault)),
  ...namesUsed(definition, vocabularyFor(begun)),
});
