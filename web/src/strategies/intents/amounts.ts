import type { Vault } from '../../data/queries.ts';
import { sameAddress } from '../../format/address.ts';
import { formatAmount, formatBaseUnits, formatExact } from '../../format/amount.ts';
import { NONE } from '../../format/figures.ts';
import { assetsExact, assetsText } from '../../vault/money.ts';
import type { Reward } from '../rewards.ts';
import { nameAt, sourceAt, sourcesText } from '../types.ts';
import type { Intent } from './intent-states.ts';

type Amount = { text: string; exact: string | undefined };

/** From which source a rebalance goes into which; of others that is said by what they give and get. */
export const wayOf = (vault: Vault, { action, token_in, token_out }: Intent): string | null =>
  action === 'REBALANCE' && token_out !== null ? sourcesText(vault, { from: token_in, target: token_out }) : null;

/** The token that the wanted amount of an intent counts: what it gives; a claim gives nothing, and counts what it gets. */
export const wantedToken = ({ action, token_in, token_out }: Intent): string | null =>
  action === 'CLAIM' ? token_out : token_in;

/** An amount of a token that a strategy moved: of the asset and of rewards in whole tokens, of source shares in their base units. */
export function tokenAmount(vault: Vault, raw: string, token: string | null, rewards: readonly Reward[] = []): Amount {
  if (token === null) return { text: raw === '0' ? NONE : formatBaseUnits(raw), exact: formatExact(raw, 0) };
  if (sameAddress(token, vault.asset.address)) return { text: assetsText(vault, raw), exact: assetsExact(vault, raw) };
  const reward = rewards.find((each) => sameAddress(each.token, token));
  if (reward?.symbol && reward.decimals !== null)
    return {
      text: `${formatAmount(raw, reward.decimals)} ${reward.symbol}`,
      exact: `${formatExact(raw, reward.decimals)} ${reward.symbol}`,
    };
  const what = `${sourceAt(vault, token) ? 'share units' : 'units'} of ${nameAt(vault, token)}`;
  return { text: `${formatBaseUnits(raw)} ${what}`, exact: `${formatExact(raw, 0)} ${what}` };
}
