import { AddressTag } from '../../design/address-tag.tsx';
import { Figures } from '../../design/card.tsx';
import { formatBps, formatCount, formatSignedBps } from '../../format/figures.ts';
import { Metric } from '../../receipts/metric.tsx';
import type { PartProps } from './part.ts';

/** What depositors and redeemers got against the price one block before; above zero is a cost to them. */
export function SlippageFigures({ shown: { chain }, operations }: PartProps) {
  const none = 'Nothing was deposited or fulfilled in this period';
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">Slippage</h3>
      <Figures columns={3}>
        <Metric
          of={operations}
          label="Weighted by amount"
          path="slippage.average_bps"
          value={({ slippage }) => slippage.average_bps}
          show={formatSignedBps}
          whyNone={none}
          context={() => 'Against the price one block before; + is a cost'}
        />
        <Metric
          of={operations}
          label="Simple average"
          path="slippage.simple_average_bps"
          value={({ slippage }) => slippage.simple_average_bps}
          show={formatSignedBps}
          whyNone={none}
          context={({ slippage }) => `Over ${formatCount(slippage.sample_size)} deposits and redemptions`}
        />
        <Metric
          of={operations}
          label="Worst"
          path="slippage.max_bps"
          value={({ slippage }) => slippage.max_bps}
          show={formatSignedBps}
          exact={formatBps}
          whyNone={none}
          context={({ slippage: { max_tx_hash: tx } }) =>
            tx === null ? null : (
              <AddressTag value={tx} what="worst transaction" explorerUrl={chain.explorer_url} kind="tx" />
            )
          }
        />
      </Figures>
    </div>
  );
}
