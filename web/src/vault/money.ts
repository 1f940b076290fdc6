import { amount, usd } from '../charts/units.ts';
import type { Vault } from '../data/queries.ts';
import {
  decimalsOf,
  formatAmount,
  formatExact,
  formatPps,
  formatSignedAmount,
  ppsPlaces,
  toDecimal,
} from '../format/amount.ts';
import { formatUsd } from '../format/figures.ts';
import type { MoneyUnit } from '../period/use-view.ts';

/** An amount of the vault's asset for reading: "12.34M USDC". */
export const assetsText = ({ asset }: Pick<Vault, 'asset'>, raw: string): string =>
  `${formatAmount(raw, asset.decimals)} ${asset.symbol}`;

/** The same with its sign in front. */
export const assetsSigned = ({ asset }: Pick<Vault, 'asset'>, raw: string): string =>
  `${formatSignedAmount(raw, asset.decimals)} ${asset.symbol}`;

/** An amount of the asset with every digit. */
export const assetsExact = ({ asset }: Pick<Vault, 'asset'>, raw: string): string =>
  `${formatExact(raw, asset.decimals)} ${asset.symbol}`;

/** An amount of what price updates are paid with. */
export const upkeepText = ({ upkeep_info: { decimals, symbol } }: Pick<Vault, 'upkeep_info'>, raw: string): string =>
  `${formatAmount(raw, decimals ?? 18)} ${symbol ?? ''}`;

/** The same with every digit. */
export const upkeepExact = ({ upkeep_info: { decimals, symbol } }: Pick<Vault, 'upkeep_info'>, raw: string): string =>
  `${formatExact(raw, decimals ?? 18)} ${symbol ?? ''}`;

/** Whole tokens as a number for drawing; what is read goes by the exact text. */
export const tokens = (raw: string, decimals: number): number => Number(toDecimal(raw, decimals));

/** A raw price per share as a number for drawing. */
export const priceNumber = (raw: string, precision: string): number => tokens(raw, decimalsOf(precision));

/** A price of the vault's detail, with the decimals that set its prices apart. */
export const priceText = (vault: Vault, raw: string): string =>
  formatPps(
    raw,
    vault.pps_precision,
    ppsPlaces([vault.current_pps, vault.calculated_pps, vault.hwm_pps], vault.pps_precision),
  );

export const chartUnit = (unit: MoneyUnit, { asset }: Pick<Vault, 'asset'>) =>
  unit === 'usd' ? usd : amount(asset.symbol);

/** An amount in the unit of the page; the asset amount where no dollar value is known. */
export const moneyText = (vault: Pick<Vault, 'asset'>, unit: MoneyUnit, raw: string | null, dollars: number | null) => {
  if (unit === 'usd' && dollars !== null) return formatUsd(dollars);
  return raw === null ? null : assetsText(vault, raw);
};

/** What an amount of the asset is worth at a price in dollars; null without one. */
export const dollarsAt = ({ asset }: Pick<Vault, 'asset'>, raw: string, price: number | null): number | null =>
  price === null ? null : tokens(raw, asset.decimals) * price;
