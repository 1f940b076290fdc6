import type { Vault } from '../../data/queries.ts';
import { sameAddress } from '../../format/address.ts';
import { formatBaseUnits, formatExact } from '../../format/amount.ts';
import { NONE } from '../../format/figures.ts';
import { assetsExact, assetsText } from '../../vault/money.ts';
import { nameAt, sourcesText } from '../types.ts';
import type { Intent } from './intent-states.ts';

type Amount = { text: string; exact: string | undefined };

/** From which source a rebalance goes into which; of others that is said by what they give and get. */
export const wayOf = (vault: Vault, { action, token_in, token_out }: Intent): string | null =>
  action === 'REBALANCE' && token_out !== null ? sourcesText(vault, { from: token_in, target: token_out }) : null;

/** An amount of a token that a strategy moved: of the asset in whole tokens, of source shares in their base units. */
export function tokenAmount(vault: Vault, raw: string, token: string | null): Amount {
  if (token === null) return { text: raw === '0' ? NONE : formatBaseUnits(raw), exact: formatExact(raw, 0) };
  if (sameAddress(token, vault.asset.address)) return { text: assetsText(vault, raw), exact: assetsExact(vault, raw) };
  const what = `share units of ${nameAt(vault, token)}`;
  return { text: `${formatBaseUnits(raw)} ${what}`, exact: `${formatExact(raw, 0)} ${what}` };
}
