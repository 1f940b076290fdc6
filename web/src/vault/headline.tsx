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
import { formatAgo, formatDuration, formatUtc } from '../format/time.ts';
import { useChainNow, useRemaining } from '../live/chain-clock.ts';
import { useMoment } from '../moment/use-moment.ts';
import { type MoneyUnit, useView } from '../period/use-view.ts';
import { Metric, type Read } from '../receipts/metric.tsx';
import { ReadFailure } from '../receipts/read-failure.tsx';
import { useRead } from '../receipts/use-read.ts';
import { assetsExact, assetsSigned, assetsText, priceText } from './money.ts';
import { placesOf } from './pricing/price-series.ts';
import type { Shown } from './vault-gate.tsx';
import { VaultReceipt } from './vault-receipt.tsx';

type Props = { shown: Shown; pps: Read<'analyticsPps'> };

/** What one reads first, by its size: the money and its price, then what it earns, where it flows, who holds it. */
export function Headline({ shown, pps }: Props) {
  const { vault } = shown;
  const { at } = useMoment();
  const { unit } = useView(vault);
  const read = useRead(shown, 'analyticsOverview');
  const isNow = at === undefined;
  return (
    <>
      <ReadFailure of={read} what="The headline figures" />
      <Figures columns={2}>
        {isNow ? <TvlNow shown={shown} of={read} unit={unit} /> : <TvlThen shown={shown} of={read} unit={unit} />}
        {isNow ? <PriceNow shown={shown} /> : <PriceThen shown={shown} pps={pps} />}
      </Figures>
      <Figures columns={4}>
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
        <NetFlow of={read} unit={unit} vault={vault} />
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
        {isNow ? <NextUpdate vault={vault} /> : <MarkThen pps={pps} symbol={vault.asset.symbol} />}
      </Figures>
    </>
  );
}

type Part = { shown: Shown; of: Read<'analyticsOverview'>; unit: MoneyUnit };

/** The live value of the vault; how it changed comes from its history. */
function TvlNow({ shown, of, unit }: Part) {
  const { vault } = shown;
  const isUsd = unit === 'usd';
  const dollars = vault.tvl_usd === null ? NONE : formatUsd(vault.tvl_usd);
  const change = (isUsd ? of.result.data?.tvl_change_usd : of.result.data?.tvl_change)?.h24;
  return (
    <Figure
      label="Total value"
      isLarge
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
    </Figure>
  );
}

function TvlThen({ shown: { vault }, of, unit }: Part) {
  return unit === 'usd' ? (
    <Metric
      of={of}
      label="Total value"
      isLarge
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
      isLarge
      path="tvl_asset"
      value={(answer) => answer.tvl_asset}
      show={(raw) => assetsText(vault, raw)}
      exact={(raw) => assetsExact(vault, raw)}
      context={({ tvl_usd: dollars }) => (dollars === null ? 'no dollar price' : formatUsd(dollars))}
    />
  );
}

function PriceNow({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const now = useChainNow(vault.chain_time);
  const oracle = vault.last_oracle_update_timestamp;
  return (
    <Figure
      label="Price per share"
      tone="accent"
      isLarge
      value={priceText(vault, vault.current_pps)}
      exact={`${vault.current_pps_display} ${vault.asset.symbol}`}
      action={<VaultReceipt shown={shown} of="current_pps" label="Price per share" />}
    >
      {oracle === null ? (
        'No validator has reported yet'
      ) : (
        <span title={formatUtc(oracle)}>{`Validators reported ${formatAgo((now - Date.parse(oracle)) / 1_000)}`}</span>
      )}
    </Figure>
  );
}

const placesIn = ({ result: { data } }: Read<'analyticsPps'>): number => (data === undefined ? 6 : placesOf(data));

function PriceThen({ shown: { vault }, pps }: Props) {
  return (
    <Metric
      of={pps}
      label="Price per share"
      isLarge
      path="current.pps"
      tone="accent"
      value={(answer) => answer.current}
      show={(current) => cutDecimals(current.pps_display, placesIn(pps))}
      exact={(current) => `${current.pps_display} ${vault.asset.symbol}`}
      whyNone="No price had been accepted"
    />
  );
}

function MarkThen({ pps, symbol }: { pps: Read<'analyticsPps'>; symbol: string }) {
  return (
    <Metric
      of={pps}
      label="High-water mark"
      path="hwm.pps"
      tone="brass"
      value={(answer) => answer.hwm}
      show={(hwm) => cutDecimals(hwm.pps_display, placesIn(pps))}
      exact={(hwm) => `${hwm.pps_display} ${symbol}`}
      whyNone="There was none yet"
    />
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

function NextUpdate({ vault }: { vault: Vault }) {
  const left = useRemaining(vault.next_update_in_seconds, vault.chain_time);
  if (vault.is_paused) {
    return (
      <Figure label="Next price update" value={NONE}>
        A paused vault accepts no price
      </Figure>
    );
  }
  return (
    <Figure label="Next price update" value={left === 0 ? 'Possible now' : `In ${formatDuration(left)}`} isTicking>
      {`At most every ${formatDuration(vault.pps_config.min_update_interval_seconds)}, by the chain's time`}
    </Figure>
  );
}
