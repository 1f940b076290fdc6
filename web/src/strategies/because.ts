import { spellName, type Vocabulary } from '@castellan/strategy';
import type { Vault } from '../data/queries.ts';

const tally = /^(\d+) of (\d+) hold(?:, (\d+) cannot be known)?; (\d+) needed$/;

const asked = (needed: number, of: number): string => {
  if (needed === of) return 'all must be';
  return needed === 1 ? 'one is enough' : `at least ${needed} must be`;
};

/** What the engine says of a node that counts others, in words; any other reason as it is. */
export function becauseWords(because: string): string {
  if (because === 'the opposite') return 'true when what is below is not';
  const match = tally.exec(because);
  if (match === null) return because;
  const [yes, of, open, needed] = match.slice(1).map((text) => Number(text ?? 0)) as [number, number, number, number];
  const unknown = open === 0 ? '' : `, ${open} not known`;
  if (of === 1)
    return yes === 1 ? 'the one condition is true' : `the one condition is ${open === 1 ? 'not known' : 'not true'}`;
  return `${yes} of ${of} conditions are true${unknown}; ${asked(needed, of)}`;
}

/** A number of its own: no part of a name, and none in quotes. */
const number = /(?<![\w."'])(\d+(?:_\d{3})*)(\.\d+)?(?![\w."'])(?= ([^\s")]+)|)/g;

/** A text of the engine for reading: thousands by commas, and no more decimals than the token beside the number has. */
export function readableNumbers(text: string, vault: Pick<Vault, 'asset' | 'symbol' | 'vault_share_decimals'>): string {
  const decimals = new Map([
    [vault.symbol, vault.vault_share_decimals],
    [vault.asset.symbol, vault.asset.decimals],
  ]);
  return text.replaceAll(number, (_all, whole: string, fraction = '', token = '') => {
    const places = decimals.get(token);
    const kept = places === undefined ? fraction : fraction.slice(0, places + 1);
    return `${whole.replaceAll('_', ',')}${kept === '.' ? '' : kept}`;
  });
}

/** Limits by the names of their fields. */
const limitWords: Readonly<Record<string, string>> = {
  max_amount: '“Most at once”',
  min_free_assets: '“Idle assets to leave”',
};

/** What kept a size from being larger, by the name of the engine. */
export const limitedBy = (name: string, vocabulary: Vocabulary): string =>
  `limited by ${limitWords[name] ?? spellName(name, vocabulary)}`;
