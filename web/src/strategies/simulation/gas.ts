import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { formatAmount, formatExact } from '../../format/amount.ts';
import { formatSignedUsd, formatUsd } from '../../format/figures.ts';
import type { Shown } from '../../vault/vault-gate.tsx';

type Gas = Pick<AnalyticsResult<'analyticsOperations'>['gas'], 'average' | 'by_payer'>;

const WEI_DECIMALS = 18;

/**
 * What one execution costs on the mean of the last 30 days: of the keeper's transactions, of all of the vault where a keeper sent
 * none. Null while no transaction is known.
 */
export function costOfOne({ average, by_payer: { keeper } }: Gas) {
  if (keeper.transactions > 0) {
    return {
      wei: BigInt(keeper.total) / BigInt(keeper.transactions),
      usd: keeper.usd === null ? null : keeper.usd / keeper.transactions,
      of: 'the keeper’s transactions',
    };
  }
  return average === null ? null : { wei: BigInt(average), usd: null, of: 'all transactions of the vault' };
}

/** The gas of a run's firings, and what is left of the gain after it where both have a dollar price. */
export function gasWords(
  { vault, chain }: Pick<Shown, 'vault' | 'chain'>,
  { fired, gained }: { fired: number; gained: string },
  gas: Gas | undefined,
) {
  const one = gas === undefined ? null : costOfOne(gas);
  if (one === null) return undefined;
  const wei = one.wei * BigInt(fired);
  const usd = one.usd === null ? null : one.usd * fired;
  const { price_usd: price, decimals } = vault.asset;
  const left = usd === null || price === null ? null : (Number(gained) / 10 ** decimals) * price - usd;
  return {
    gas: `${formatAmount(wei, WEI_DECIMALS)} ${chain.native_symbol}${usd === null ? '' : ` (${formatUsd(usd)})`}`,
    exact: `${formatExact(wei, WEI_DECIMALS)} ${chain.native_symbol}`,
    basis: `Gas as ${one.of} cost on the mean of the last 30 days.`,
    left: left === null ? undefined : formatSignedUsd(left),
  };
}
