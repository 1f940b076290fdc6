import { useMemo } from 'react';
import { Sparkline } from '../charts/sparkline.tsx';
import type { Point } from '../charts/types.ts';
import type { Vault } from '../data/queries.ts';
import { Figure, Figures } from '../design/card.tsx';
import { Delta } from '../design/delta.tsx';
import { cutDecimals } from '../format/amount.ts';
import {
  formatCount,
  formatShare,
  formatSignedShare,
  formatSignedUsd,
  formatUsd,
  formatUsdFull,
  NONE,
} from '../format/figures.ts';
import { useMoment } from '../moment/use-moment.ts';
import { type MoneyUnit, useView } from '../period/use-view.ts';
import { Metric, type Read } from '../receipts/metric.tsx';
import { ReadFailure } from '../receipts/read-failure.tsx';
import { useRead } from '../receipts/use-read.ts';
import { assetsExact, assetsSigned, assetsText, tokens } from './money.ts';
import { placesOf } from './pricing/price-series.ts';
import type { Shown } from './vault-gate.tsx';
import { VaultReceipt } from './vault-receipt.tsx';

type Props = { shown: Shown };

/** What one reads first: the money, what it earns, who holds it, where it flows. */
export function Headline({ shown }: Props) {
  const { vault } = shown;
  const { at } = useMoment();
  const { unit } = useView(vault);
  const read = useRead(shown, 'analyticsOverview');
  return (
    <>
      <ReadFailure of={read} what="The headline figures" />
      <Figures columns={4}>
        {at === undefined ? (
          <TvlNow shown={shown} of={read} unit={unit} />
        ) : (
          <TvlThen shown={shown} of={read} unit={unit} />
        )}
        <Metric
          of={read}
          label="Net APY, 7 days"
          path="apy.d7"
          value={({ apy }) => apy.d7}
          show={formatShare}
          context={({ apy }) =>
            apy.d30 === null ? 'Realised, after fees' : `Realised, after fees; 30 days ${formatShare(apy.d30)}`
          }
          whyNone="Needs a week of prices"
        />
        <Metric
          of={read}
          label="Depositors"
          path="depositors"
          value={({ depositors }) => depositors}
          show={formatCount}
          context={({ strategies }) =>
            strategies === null
              ? null
              : `${formatCount(strategies)} ${strategies === 1 ? 'source' : 'sources'} of yield`
          }
        />
        <NetFlow of={read} unit={unit} vault={vault} />
        {at === undefined ? null : <PricesThen shown={shown} />}
      </Figures>
    </>
  );
}

type Part = Props & { of: Read<'analyticsOverview'>; unit: MoneyUnit };

/** The live value of the vault; how it changed comes from its history. */
function TvlNow({ shown, of, unit }: Part) {
  const { vault } = shown;
  const isUsd = unit === 'usd';
  const dollars = vault.tvl_usd === null ? NONE : formatUsd(vault.tvl_usd);
  const change = (isUsd ? of.result.data?.tvl_change_usd : of.result.data?.tvl_change)?.h24;
  return (
    <Figure
      label="Total value"
      action={<VaultReceipt shown={shown} of={isUsd ? 'tvl_usd' : 'tvl_asset'} label="Total value" />}
      value={isUsd ? dollars : assetsText(vault, vault.total_assets)}
      exact={
        isUsd
          ? vault.tvl_usd === null
            ? undefined
            : formatUsdFull(vault.tvl_usd)
          : assetsExact(vault, vault.total_assets)
      }
    >
      <span className="flex flex-wrap gap-x-2">
        {isUsd ? (
          <span title={assetsExact(vault, vault.total_assets)}>{assetsText(vault, vault.total_assets)}</span>
        ) : (
          <span>{vault.tvl_usd === null ? 'no dollar price' : dollars}</span>
        )}
        {change == null ? null : <Delta value={change} show={formatSignedShare} words="in 24 h" />}
        {isUsd && vault.tvl_usd === null ? <span>no dollar price at this block</span> : null}
      </span>
      <TvlSpark shown={shown} unit={unit} />
    </Figure>
  );
}

function TvlThen({ shown: { vault }, of, unit }: Part) {
  return unit === 'usd' ? (
    <Metric
      of={of}
      label="Total value"
      path="tvl_usd"
      value={(answer) => answer.tvl_usd}
      show={formatUsd}
      exact={formatUsdFull}
      context={({ tvl_asset: raw }) => (raw === null ? null : assetsText(vault, raw))}
      whyNone="No dollar price at that moment"
    />
  ) : (
    <Metric
      of={of}
      label="Total value"
      path="tvl_asset"
      value={(answer) => answer.tvl_asset}
      show={(raw) => assetsText(vault, raw)}
      exact={(raw) => assetsExact(vault, raw)}
      context={({ tvl_usd: dollars }) => (dollars === null ? 'no dollar price' : formatUsd(dollars))}
    />
  );
}

function TvlSpark({ shown, unit }: Props & { unit: MoneyUnit }) {
  const { span, words } = useView(shown.vault);
  const { data } = useRead(shown, 'analyticsTvl', span).result;
  const { decimals } = shown.vault.asset;
  const points = useMemo(
    (): Point[] =>
      (data?.points ?? []).map(({ t, tvl_usd, tvl_asset }) => [
        Date.parse(t),
        unit === 'usd' ? tvl_usd : tvl_asset === null ? null : tokens(tvl_asset, decimals),
      ]),
    [data, unit, decimals],
  );
  return (
    <span className="mt-1 block h-7">
      <Sparkline points={points} label={`Course of the total value ${words}; drawn in full under Performance`} />
    </span>
  );
}

function NetFlow({ of, unit, vault }: { of: Read<'analyticsOverview'>; unit: MoneyUnit; vault: Vault }) {
  const flow = (raw: string) => assetsSigned(vault, raw);
  const others = (h24: string | null, d30: string | null) =>
    [h24 === null ? null : `24 h ${h24}`, d30 === null ? null : `30 d ${d30}`]
      .filter((text) => text !== null)
      .join(' · ');
  const dollars = (value: number | null) => (value === null ? null : formatSignedUsd(value));
  return unit === 'usd' ? (
    <Metric
      of={of}
      label="Net flow, 7 days"
      path="net_flow_usd.d7"
      value={({ net_flow_usd: flows }) => flows.d7}
      show={formatSignedUsd}
      exact={formatUsdFull}
      context={({ net_flow_usd: flows }) => others(dollars(flows.h24), dollars(flows.d30))}
      whyNone="No dollar price in these days"
    />
  ) : (
    <Metric
      of={of}
      label="Net flow, 7 days"
      path="net_flow.d7"
      value={({ net_flow: flows }) => flows.d7}
      show={flow}
      exact={(raw) => assetsExact(vault, raw)}
      context={({ net_flow: flows }) => others(flow(flows.h24), flow(flows.d30))}
    />
  );
}

/** The prices of a past moment. */
function PricesThen({ shown }: Props) {
  const { vault } = shown;
  const { span } = useView(vault);
  const read = useRead(shown, 'analyticsPps', { ...span, points: '600' });
  const places = read.result.data === undefined ? 6 : placesOf(read.result.data);
  return (
    <>
      <Metric
        of={read}
        label="Price per share"
        path="current.pps"
        tone="accent"
        value={(answer) => answer.current}
        show={(current) => cutDecimals(current.pps_display, places)}
        exact={(current) => `${current.pps_display} ${vault.asset.symbol}`}
        whyNone="No price had been accepted"
      />
      <Metric
        of={read}
        label="High-water mark"
        path="hwm.pps"
        tone="brass"
        value={(answer) => answer.hwm}
        show={(hwm) => cutDecimals(hwm.pps_display, places)}
        exact={(hwm) => `${hwm.pps_display} ${vault.asset.symbol}`}
        whyNone="There was none yet"
      />
    </>
  );
}
