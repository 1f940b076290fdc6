import { Figure, Figures } from '../../design/card.tsx';
import { formatPps } from '../../format/amount.ts';
import { formatShare, formatUsdFull, NONE } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { useView } from '../../period/use-view.ts';
import { Metric, MetricSkeleton, type Read } from '../../receipts/metric.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { assetsExact, assetsText, dollarsAt, moneyText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { VaultReceipt } from '../vault-receipt.tsx';
import { skimReason } from './fee-labels.ts';

type Props = { shown: Shown; fees: Read<'analyticsFees'> };

/** What was taken over the whole life, what is due now, and the mark it is counted from. */
export function FeeFigures({ shown, fees }: Props) {
  const { vault } = shown;
  const { unit } = useView(vault);
  const { at } = useMoment();
  const { data } = fees.result;
  const exact = (raw: string, dollars: number | null) => bothExact(vault, raw, dollars);
  return (
    <Figures>
      {at === undefined ? <DueNow shown={shown} fees={fees} /> : <DueThen shown={shown} fees={fees} />}
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

/** Every digit of the amount, and the dollars to the cent where they are known. */
const bothExact = (vault: Shown['vault'], raw: string, dollars: number | null): string =>
  [assetsExact(vault, raw), ...(dollars === null ? [] : [formatUsdFull(dollars)])].join(' · ');

/** What was due at a moment of the past, at the price of that moment. */
function DueThen({ shown, fees }: Props) {
  const { vault } = shown;
  const { unit } = useView(vault);
  const overview = useRead(shown, 'analyticsOverview').result.data;
  const { data, isError } = fees.result;
  if (data === undefined && !isError) return <MetricSkeleton label="Fee due" />;
  const pending = data?.pending ?? null;
  if (pending === null)
    return (
      <Figure label="Fee due" value={NONE}>
        Not known at that moment
      </Figure>
    );
  const dollars = dollarsAt(vault, pending.total, overview?.asset_price?.usd ?? null);
  return (
    <Figure
      label="Fee due"
      value={moneyText(vault, unit, pending.total, dollars) ?? NONE}
      exact={bothExact(vault, pending.total, dollars)}
    >
      {`From a profit of ${assetsText(vault, pending.profit)}`}
    </Figure>
  );
}

/** In the present the vault's own figure, which knows the split and whether it can be taken. */
function DueNow({ shown: { vault }, fees }: Props) {
  const { unit } = useView(vault);
  const { data, isError } = fees.result;
  if (data === undefined && !isError) return <MetricSkeleton label="Fee due now" />;
  const { pending_performance_fee: due } = vault;
  const dollars = dollarsAt(vault, due.total, vault.asset.price_usd);
  return (
    <Figure
      label="Fee due now"
      value={moneyText(vault, unit, due.total, dollars) ?? NONE}
      exact={bothExact(vault, due.total, dollars)}
    >
      <span className="block">
        {`${assetsText(vault, due.recipient_share)} to the recipient, ${assetsText(vault, due.protocol_share)} to the protocol`}
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
        : `${formatShare(share)} of the supply was bought below it`}
    </Figure>
  );
}
