import { useSearchParams } from 'react-router';
import { Figures } from '../../design/card.tsx';
import { formatCount, formatCounted, formatUsdFull } from '../../format/figures.ts';
import { useView } from '../../period/use-view.ts';
import { Metric } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { usePages } from '../../receipts/use-pages.ts';
import { useRead } from '../../receipts/use-read.ts';
import { WaitingRedemptions } from '../../redemptions/waiting-redemptions.tsx';
import { assetsExact, moneyText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { filterFrom, queryOf, rangeOf } from './filter.ts';
import { GasTable } from './gas.tsx';
import type { PartProps } from './part.ts';
import { RedemptionFigures } from './redemptions.tsx';
import { SlippageFigures } from './slippage.tsx';
import { Transactions } from './transactions.tsx';
import { VolumeChart } from './volume.tsx';

/** The work done for the vault: money in and out, gas and who paid it, waiting redemptions, every transaction. */
export default function OperationsSection({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span } = useView(vault);
  const [search] = useSearchParams();
  const filter = filterFrom(search);
  const range = rangeOf(filter, span, vault.created_at);
  const operations = useRead(shown, 'analyticsOperations', span);
  const pages = usePages(shown, 'analyticsTransactions', queryOf(filter, range));
  return (
    <>
      <ReadFailure of={operations} what="Operations" />
      <FlowFigures shown={shown} operations={operations} />
      <VolumeChart shown={shown} />
      <RedemptionFigures shown={shown} operations={operations} />
      <WaitingRedemptions shown={shown} />
      <SlippageFigures shown={shown} operations={operations} />
      <GasTable shown={shown} operations={operations} />
      <Transactions shown={shown} pages={pages} filter={filter} range={range} />
    </>
  );
}

const none = 'The asset had no dollar price then';

function FlowFigures({ shown: { vault }, operations }: PartProps) {
  const { unit, words } = useView(vault);
  const { data } = operations.result;
  const money = (raw: string, dollars: number | null | undefined) =>
    moneyText(vault, unit, raw, dollars ?? null) ?? none;
  const exact = (raw: string, dollars: number | null | undefined) =>
    [assetsExact(vault, raw), ...(dollars == null ? [] : [formatUsdFull(dollars)])].join(' · ');
  return (
    <Figures>
      <Metric
        of={operations}
        label="Deposits"
        path="deposits.assets"
        value={({ deposits }) => deposits.assets}
        show={(raw) => money(raw, data?.deposits.usd)}
        exact={(raw) => exact(raw, data?.deposits.usd)}
        context={({ deposits }) => `${formatCounted(deposits.count, 'deposit')}, before the entry fee`}
      />
      <Metric
        of={operations}
        label="Withdrawals"
        path="withdrawals.assets"
        value={({ withdrawals }) => withdrawals.assets}
        show={(raw) => money(raw, data?.withdrawals.usd)}
        exact={(raw) => exact(raw, data?.withdrawals.usd)}
        context={({ withdrawals, requests, cancels }) =>
          `${formatCount(withdrawals.count)} fulfilled, ${formatCount(requests)} requested, ${formatCount(cancels)} cancelled`
        }
      />
      <Metric
        of={operations}
        label="Net flow"
        path="net_flow"
        value={({ net_flow: net }) => net}
        show={(raw) => `${BigInt(raw) > 0n ? '+' : ''}${money(raw, data?.net_flow_usd)}`}
        exact={(raw) => exact(raw, data?.net_flow_usd)}
        context={() => 'Deposits after entry fees, less withdrawals'}
      />
      <Metric
        of={operations}
        label="Transactions"
        path="transactions"
        value={({ transactions }) => transactions}
        show={formatCount}
        context={() => `That touched the vault ${words}`}
      />
    </Figures>
  );
}
