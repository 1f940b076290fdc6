import { useMemo } from 'react';
import type { Series } from '../../charts/types.ts';
import { toDecimal } from '../../format/amount.ts';
import { formatUsd } from '../../format/figures.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { type MoneyUnit, useView } from '../../period/use-view.ts';
import { useRead } from '../../receipts/use-read.ts';
import { assetsText, chartUnit, tokens } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';

export const noValue = (unit: MoneyUnit) => ({
  title: unit === 'usd' ? 'No dollar value in this period' : 'No value in this period',
  detail: 'Each reading of the vault adds a point here, and a dollar value where the price feed of the asset has one.',
});

/** The value of a vault over the range of the page, in its unit of money. */
export function useTvlSeries(shown: Shown) {
  const { vault } = shown;
  const { span, unit } = useView(vault);
  const { at } = useMoment();
  const read = useRead(shown, 'analyticsTvl', span).result;
  const { data } = read;
  const { decimals } = vault.asset;
  const series = useMemo(
    (): Series[] =>
      data === undefined
        ? []
        : [
            {
              id: 'tvl',
              name: 'TVL',
              kind: 'area',
              points: data.points.map(({ t, tvl_usd, tvl_asset }) =>
                unit === 'usd'
                  ? [Date.parse(t), tvl_usd]
                  : tvl_asset === null
                    ? [Date.parse(t), null]
                    : [Date.parse(t), tokens(tvl_asset, decimals), toDecimal(tvl_asset, decimals)],
              ),
            },
          ],
    [data, unit, decimals],
  );
  const drawnUnit = useMemo(() => chartUnit(unit, { asset: vault.asset }), [unit, vault.asset]);
  const last = at === undefined ? { tvl_usd: vault.tvl_usd, tvl_asset: vault.total_assets } : data?.points.at(-1);
  const text =
    unit === 'usd'
      ? last?.tvl_usd == null
        ? undefined
        : formatUsd(last.tvl_usd)
      : last?.tvl_asset == null
        ? undefined
        : assetsText(vault, last.tvl_asset);
  return { series, drawnUnit, read, takeaway: text === undefined ? undefined : `The vault holds ${text}.` };
}
