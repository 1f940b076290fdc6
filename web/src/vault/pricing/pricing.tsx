import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { price } from '../../charts/units.ts';
import { Figure, Figures } from '../../design/card.tsx';
import { Pill } from '../../design/pill.tsx';
import { cutDecimals } from '../../format/amount.ts';
import { formatBpsShare, formatCount, formatShare, formatSignedBps, NONE } from '../../format/figures.ts';
import { formatDuration, formatUtc } from '../../format/time.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { useView } from '../../period/use-view.ts';
import { Metric, type Read } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { priceText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { VaultReceipt } from '../vault-receipt.tsx';
import { Countdown } from './countdown.tsx';
import { LatePrice } from './late-price.tsx';
import { markSeries, placesOf, priceMarkers, priceSeries, priceTakeaway } from './price-series.ts';
import { PricedBy, usePricing } from './priced-by.tsx';
import { WhatIf } from './what-if.tsx';

type Props = { shown: Shown };

export default function Pricing({ shown }: Props) {
  const { vault } = shown;
  const { span } = useView(vault);
  const pps = useRead(shown, 'analyticsPps', { ...span, points: '600' });
  const pricing = usePricing(shown);
  const { at } = useMoment();
  const next = pricing.priced.data?.next;
  return (
    <>
      {next === undefined || at !== undefined ? null : <LatePrice next={next} nodes={pricing.network?.nodes ?? []} />}
      <ReadFailure of={pps} what="Prices" />
      <PriceChart shown={shown} pps={pps} />
      <PriceFigures shown={shown} pps={pps} />
      <PricedBy shown={shown} {...pricing} />
      <WhatIf shown={shown} />
    </>
  );
}

type Part = Props & { pps: Read<'analyticsPps'> };

function PriceChart({ shown: { vault }, pps }: Part) {
  const { words, rangeName } = useView(vault);
  const { data, error, isPlaceholderData, dataUpdatedAt } = pps.result;
  const drawn = useMemo(
    () =>
      data === undefined
        ? undefined
        : {
            series: [...priceSeries(data), ...markSeries(data)],
            markers: priceMarkers(data),
            unit: price(vault.asset.symbol, placesOf(data)),
          },
    [data, vault.asset.symbol],
  );
  return (
    <Chart
      title="Price per share"
      takeaway={data === undefined ? undefined : priceTakeaway(data, words)}
      series={drawn?.series ?? []}
      markers={drawn?.markers}
      unit={drawn?.unit ?? price(vault.asset.symbol, 6)}
      group="pricing"
      height={300}
      fileName={`${vault.symbol}-price-per-share-${rangeName}`}
      empty={{ title: 'No price in this period', detail: 'Each report that the chain accepts adds a step here.' }}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void pps.result.refetch()}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}

function PriceFigures({ shown, pps }: Part) {
  const { vault } = shown;
  const { at } = useMoment();
  return (
    <Figures>
      {at === undefined ? <PricesNow shown={shown} pps={pps} /> : <PricesThen shown={shown} pps={pps} />}
      {at === undefined ? <Countdown vault={vault} /> : <ExpiryThen pps={pps} />}
      <NextReport shown={shown} />
      <Metric
        of={pps}
        label="Typical gap"
        path="cadence.p50_seconds"
        value={({ cadence }) => cadence.p50_seconds}
        show={formatDuration}
        context={({ cadence }) => `Median between ${formatCount(cadence.reports)} reports`}
        whyNone="Appears after the second report"
      />
      <Metric
        of={pps}
        label="Longest gap"
        path="cadence.max_seconds"
        value={({ cadence }) => cadence.max_seconds}
        show={formatDuration}
        context={({ cadence }) =>
          cadence.p95_seconds === null ? null : `19 of 20 came within ${formatDuration(cadence.p95_seconds)}`
        }
        whyNone="Appears after the second report"
      />
    </Figures>
  );
}

/** The prices of the present are those of the overview: both are of one answer, the vault's own. */
function PricesNow({ shown, pps }: Part) {
  const { vault } = shown;
  const { symbol } = vault.asset;
  const distance = pps.result.data?.hwm?.distance ?? null;
  const { calculated_pps: calculated, divergence_bps: divergence } = vault;
  return (
    <>
      <Figure
        label="Current"
        tone="accent"
        value={priceText(vault, vault.current_pps)}
        exact={`${vault.current_pps_display} ${symbol}`}
        action={<VaultReceipt shown={shown} of="current_pps" label="Current" />}
      >
        {`Accepted for ${formatUtc(vault.last_pps_update_timestamp)}`}
      </Figure>
      <Figure
        label="Calculated"
        value={calculated === null ? NONE : priceText(vault, calculated)}
        exact={calculated === null ? undefined : `${vault.calculated_pps_display} ${symbol}`}
        action={<VaultReceipt shown={shown} of="calculated_pps" label="Calculated" />}
      >
        {calculated === null
          ? 'Appears after the first reading of the sources'
          : `From the sources at ${formatUtc(vault.chain_time)}`}
      </Figure>
      <Figure
        label="Divergence"
        value={divergence === null ? NONE : formatSignedBps(divergence)}
        action={<VaultReceipt shown={shown} of="divergence_bps" label="Divergence" />}
      >
        {divergence === null ? 'One of the two prices is missing' : <Headroom bps={divergence} shown={shown} />}
      </Figure>
      <Figure
        label="High-water mark"
        tone="brass"
        value={priceText(vault, vault.hwm_pps)}
        exact={`${vault.hwm_pps_display} ${symbol}`}
        action={<VaultReceipt shown={shown} of="hwm_pps" label="High-water mark" />}
      >
        {markWords(distance)}
      </Figure>
    </>
  );
}

const markWords = (distance: number | null): string =>
  distance === null
    ? 'The price fees are counted from, not the highest ever'
    : `The price is ${formatShare(Math.abs(distance))} ${distance < 0 ? 'below' : 'above'} it; fees are counted above it`;

function PricesThen({ shown, pps }: Part) {
  const { vault } = shown;
  const { data } = pps.result;
  const places = data === undefined ? 6 : placesOf(data);
  return (
    <>
      <Metric
        of={pps}
        label="Current"
        path="current.pps"
        tone="accent"
        value={(answer) => answer.current}
        show={(current) => cutDecimals(current.pps_display, places)}
        exact={(current) => `${current.pps_display} ${vault.asset.symbol}`}
        context={(answer) => (answer.current === null ? null : `Accepted for ${formatUtc(answer.current.t)}`)}
        whyNone="Appears with the first report"
      />
      <Metric
        of={pps}
        label="Calculated"
        path="calculated.pps"
        value={(answer) => answer.calculated}
        show={(calculated) => cutDecimals(calculated.pps_display, places)}
        exact={(calculated) => `${calculated.pps_display} ${vault.asset.symbol}`}
        context={({ calculated }) => (calculated === null ? null : `From the sources at ${formatUtc(calculated.t)}`)}
        whyNone="Appears after the first reading of the sources"
      />
      <Metric
        of={pps}
        label="Divergence"
        path="calculated.divergence_bps"
        value={({ calculated }) => calculated?.divergence_bps ?? null}
        show={formatSignedBps}
        context={({ calculated }) => <Headroom bps={calculated?.divergence_bps ?? null} shown={shown} />}
        whyNone="One of the two prices is missing"
      />
      <Metric
        of={pps}
        label="High-water mark"
        path="hwm.pps"
        tone="brass"
        value={(answer) => answer.hwm}
        show={(hwm) => cutDecimals(hwm.pps_display, places)}
        exact={(hwm) => `${hwm.pps_display} ${vault.asset.symbol}`}
        context={({ hwm }) => markWords(hwm?.distance ?? null)}
        whyNone="Appears with the first price"
      />
    </>
  );
}

/** How far the price may still move before the deviation guard pauses the vault. */
function Headroom({ bps, shown: { vault } }: { bps: number | null; shown: Shown }) {
  const { at } = useMoment();
  const threshold = vault.pps_config.deviation_threshold_bps;
  if (threshold === null) return <Pill tone="critical">Deviation guard is off</Pill>;
  if (bps === null) return null;
  const left = threshold - Math.abs(bps);
  return left < 0 ? (
    <Pill tone="critical">{`${formatBpsShare(-left)} beyond the guard`}</Pill>
  ) : (
    `${formatBpsShare(left)} left before the guard pauses the vault${at === undefined ? '' : ', as it is set now'}`
  );
}

function NextReport({ shown: { vault } }: Props) {
  const { at } = useMoment();
  const least = formatDuration(vault.pps_config.min_update_interval_seconds);
  return (
    <Figure label="Least gap allowed" value={least}>
      {at === undefined ? 'A setting: reports that come sooner are refused' : 'A setting, as it is now'}
    </Figure>
  );
}

function ExpiryThen({ pps }: { pps: Read<'analyticsPps'> }) {
  return (
    <Metric
      of={pps}
      label="Price would expire"
      path="expiry.expires_at"
      value={(answer) => answer.expiry}
      show={({ expires_at }) => formatUtc(expires_at)}
      context={({ expiry }) =>
        expiry === null ? NONE : `${formatDuration(expiry.expiration_seconds)} after it was accepted`
      }
      whyNone="The chain's own record of that moment was not read"
    />
  );
}
