import { Figure, Figures } from '../../design/card.tsx';
import { formatAmount, formatPps } from '../../format/amount.ts';
import { formatShare, formatUsdFull, NONE } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { useView } from '../../period/use-view.ts';
import { Metric, MetricSkeleton, type Read } from '../../receipts/metric.tsx';
import { assetsExact, assetsText, moneyText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { VaultReceipt } from '../vault-receipt.tsx';
import { skimReason } from './fee-labels.ts';

type Props = { shown: Shown; fees: Read<'analyticsFees'> };

/** What was taken over the whole life, what is due now, and the mark it is counted from. */
export function FeeFigures({ shown, fees }: Props) {
  const { vault } = shown;
  const { unit } = useView(vault);
  const { data } = fees.result;
  const exact = (raw: string, dollars: number | null) =>
    [assetsExact(vault, raw), ...(dollars === null ? [] : [formatUsdFull(dollars)])].join(' · ');
  return (
    <Figures>
      <Due shown={shown} fees={fees} />
      <Metric
        of={fees}
        label="Performance fees taken"
        path="totals.performance"
        value={({ totals }) => totals.performance}
        show={(raw) => moneyText(vault, unit, raw, data?.totals.performance_usd ?? null) ?? NONE}
        exact={(raw) => exact(raw, data?.totals.performance_usd ?? null)}
        context={({ totals }) =>
          `${assetsText(vault, totals.performance_recipient)} to the recipient, ${assetsText(vault, totals.performance_protocol)} to the protocol`
        }
      />
      <Metric
        of={fees}
        label="Entry fees taken"
        path="totals.entry"
        value={({ totals }) => totals.entry}
        show={(raw) => moneyText(vault, unit, raw, data?.totals.entry_usd ?? null) ?? NONE}
        exact={(raw) => exact(raw, data?.totals.entry_usd ?? null)}
        context={() => 'Since the vault began'}
      />
      <Mark shown={shown} fees={fees} />
    </Figures>
  );
}

function Due({ shown: { vault }, fees }: Props) {
  const { at } = useMoment();
  const { data, isError } = fees.result;
  if (data === undefined && !isError) return <MetricSkeleton label="Fee due" />;
  // The moment's own figure in the past; in the present the vault's, which knows the split and whether it can be taken.
  if (at !== undefined) {
    const pending = data?.pending ?? null;
    return (
      <Figure label="Fee due" value={pending === null ? NONE : assetsText(vault, pending.total)}>
        {pending === null ? 'Not known at that moment' : `From a profit of ${assetsText(vault, pending.profit)}`}
      </Figure>
    );
  }
  const { pending_performance_fee: due } = vault;
  return (
    <Figure
      label="Fee due now"
      value={formatAmount(due.total, vault.asset.decimals)}
      exact={assetsExact(vault, due.total)}
    >
      <span className="block">
        {`${vault.asset.symbol}: ${formatAmount(due.recipient_share, vault.asset.decimals)} to the recipient, ${formatAmount(due.protocol_share, vault.asset.decimals)} to the protocol`}
      </span>
      <span className="block">
        {due.can_skim ? 'Can be taken now' : skimReason(due.reason)}
        {due.can_skim_at === null ? '' : `, until ${formatUtc(due.can_skim_at)}`}
      </span>
    </Figure>
  );
}

function Mark({ shown, fees }: Props) {
  const { vault } = shown;
  const { at } = useMoment();
  const { data, isError } = fees.result;
  if (data === undefined && !isError) return <MetricSkeleton label="High-water mark" />;
  const mark = at === undefined ? vault.hwm_pps : (data?.hwm_pps ?? null);
  const share = data?.share_below_hwm ?? null;
  return (
    <Figure
      label="High-water mark"
      action={<VaultReceipt shown={shown} of="hwm_pps" label="High-water mark" />}
      tone="brass"
      value={mark === null ? NONE : formatPps(mark, vault.pps_precision)}
      isOld={isError || fees.result.isPlaceholderData}
    >
      {share === null
        ? 'Share of supply bought below it: not known'
        : `${formatShare(share)} of the supply was bought below it and pays no fee on its first gains`}
    </Figure>
  );
}
