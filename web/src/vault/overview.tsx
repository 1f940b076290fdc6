import { ArrowDown, ArrowUp, Equal } from 'lucide-react';
import type { Vault } from '../data/queries.ts';
import { Figure, Figures } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { formatAmount, formatExact } from '../format/amount.ts';
import { formatBpsShare, formatSignedBps, NONE } from '../format/figures.ts';
import { formatAgo, formatDuration, formatUtc } from '../format/time.ts';
import { useChainNow, useRemaining } from '../live/chain-clock.ts';
import { useMoment } from '../moment/use-moment.ts';
import { runwayText } from './fees/runway.ts';
import { Headline } from './headline.tsx';
import { assetsExact, assetsText, priceText } from './money.ts';
import type { Shown } from './vault-gate.tsx';
import { VaultReceipt } from './vault-receipt.tsx';

/** State, then money, then price. A past moment has the figures that history keeps; the rest is of the present only. */
export function Overview({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { at } = useMoment();
  return (
    <>
      <Headline shown={shown} />
      {at === undefined ? (
        <Figures columns={4}>
          <PriceFigure shown={shown} />
          <CalculatedFigure shown={shown} />
          <MarkFigure shown={shown} />
          <NextUpdateFigure vault={vault} />
          <SupplyFigure vault={vault} />
          <IdleFigure vault={vault} />
          <FeesFigure vault={vault} />
          <UpkeepFigure vault={vault} />
        </Figures>
      ) : null}
    </>
  );
}

function PriceFigure({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const now = useChainNow(vault.chain_time);
  const oracle = vault.last_oracle_update_timestamp;
  return (
    <Figure
      label="Price per share"
      tone="accent"
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

function CalculatedFigure({ shown }: { shown: Shown }) {
  const { vault } = shown;
  if (vault.calculated_pps === null) {
    return (
      <Figure label="Calculated price" value={NONE}>
        Appears after the first reading of the vault's sources
      </Figure>
    );
  }
  return (
    <Figure
      label="Calculated price"
      value={priceText(vault, vault.calculated_pps)}
      exact={`${vault.calculated_pps_display ?? ''} ${vault.asset.symbol}`}
      action={<VaultReceipt shown={shown} of="calculated_pps" label="Calculated price" />}
    >
      <Divergence bps={vault.divergence_bps} threshold={vault.pps_config.deviation_threshold_bps} />
    </Figure>
  );
}

function Divergence({ bps, threshold }: { bps: number | null; threshold: number | null }) {
  if (bps === null) return 'No divergence: one of the two prices is missing';
  const Icon = bps === 0 ? Equal : bps > 0 ? ArrowUp : ArrowDown;
  const side = bps === 0 ? 'as reported' : bps > 0 ? 'above the current price' : 'below the current price';
  const tripped = threshold !== null && Math.abs(bps) > threshold;
  return (
    <span
      className={`inline-flex items-center gap-1 ${tripped ? 'text-danger' : ''}`}
      title={threshold === null ? 'The deviation guard is off' : `The vault pauses beyond ${formatBpsShare(threshold)}`}
    >
      <Icon size={14} aria-hidden="true" className="shrink-0" />
      {`${formatSignedBps(bps)}, ${side}`}
    </span>
  );
}

function MarkFigure({ shown }: { shown: Shown }) {
  const { vault } = shown;
  return (
    <Figure
      label="High-water mark"
      tone="brass"
      value={priceText(vault, vault.hwm_pps)}
      exact={`${vault.hwm_pps_display} ${vault.asset.symbol}`}
      action={<VaultReceipt shown={shown} of="hwm_pps" label="High-water mark" />}
    >
      The price fees are counted from, not the highest ever
    </Figure>
  );
}

function SupplyFigure({ vault }: { vault: Vault }) {
  return (
    <Figure
      label="Shares in circulation"
      value={formatAmount(vault.total_supply, vault.vault_share_decimals)}
      exact={`${formatExact(vault.total_supply, vault.vault_share_decimals)} ${vault.symbol}`}
    >
      {vault.symbol}
    </Figure>
  );
}

function IdleFigure({ vault }: { vault: Vault }) {
  return (
    <Figure
      label="Idle assets"
      value={formatAmount(vault.free_assets, vault.asset.decimals)}
      exact={assetsExact(vault, vault.free_assets)}
    >
      <span title={assetsExact(vault, vault.escrowed_assets)}>
        {`${vault.asset.symbol} · ${assetsText(vault, vault.escrowed_assets)} in escrow`}
      </span>
    </Figure>
  );
}

function FeesFigure({ vault }: { vault: Vault }) {
  const { fee_config: fees, pending_fee_config: pending, pending_performance_fee: due } = vault;
  return (
    <Figure label="Performance fee" value={formatBpsShare(fees.performance_fee_bps)}>
      <span title={assetsExact(vault, due.total)}>
        {`Entry fee ${formatBpsShare(fees.management_fee_bps)} · ${assetsText(vault, due.total)} due`}
      </span>
      {pending === null ? null : (
        <span className="block text-brass">{`Changes ${formatUtc(pending.effective_at)}`}</span>
      )}
    </Figure>
  );
}

function UpkeepFigure({ vault }: { vault: Vault }) {
  const { upkeep_info: upkeep } = vault;
  const decimals = upkeep.decimals ?? 18;
  const runway = upkeep.runway_seconds === null ? 'runway not known yet' : `${runwayText(upkeep.runway_seconds)} left`;
  const worst =
    upkeep.runway_worst_case_seconds === null ? '' : `, ${runwayText(upkeep.runway_worst_case_seconds)} at worst`;
  const isShort = upkeep.enabled && upkeep.threshold.shortfall !== '0';
  return (
    <Figure
      label="Upkeep balance"
      value={formatAmount(upkeep.balance, decimals)}
      exact={`${formatExact(upkeep.balance, decimals)} ${upkeep.symbol ?? ''}`}
    >
      {isShort ? (
        <Pill tone="warn">{`${formatAmount(upkeep.threshold.shortfall, decimals)} ${upkeep.symbol ?? ''} short`}</Pill>
      ) : (
        `${upkeep.symbol ?? ''} · ${upkeep.enabled ? `${runway}${worst}` : 'not charged on this chain'}`
      )}
    </Figure>
  );
}

function NextUpdateFigure({ vault }: { vault: Vault }) {
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
