import { useState } from 'react';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card, Figures } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Range } from '../../design/range.tsx';
import { formatCount, formatShare, formatWholeShare } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { Metric } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { sourceName } from '../allocation-over-time.tsx';
import { assetsExact, assetsText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { firstRun, type RunInputs, runQuery } from './run-query.ts';

type Answer = AnalyticsResult<'analyticsRun'>;
const hoursText = (hours: number): string => formatDuration(hours * 3_600);

/** "The largest holders ask for everything at once": who is paid, by when, and who waits. */
export function RunSimulator({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const [inputs, setInputs] = useState(firstRun);
  const [asked, setAsked] = useState(firstRun);
  const read = useRead(shown, 'analyticsRun', runQuery(asked));
  const part = (name: keyof RunInputs) => ({
    value: inputs[name],
    onChange: (value: number) => setInputs((before) => ({ ...before, [name]: value })),
    onEnd: (value: number) => setAsked((before) => ({ ...before, [name]: value })),
  });
  const exact = (raw: string) => assetsExact(vault, raw);
  const text = (raw: string) => assetsText(vault, raw);
  return (
    <Card className="flex flex-col gap-4">
      <div>
        <h3 className="text-14 font-semibold">Run simulator</h3>
        <p className="text-13 text-muted">The largest holders ask for everything at once. Nothing is sent.</p>
      </div>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-3">
        <Range label="Largest holders who leave" min={1} max={50} step={1} show={formatCount} {...part('holders')} />
        <Range label="Time they give" min={1} max={168} step={1} show={hoursText} {...part('hours')} />
        <Range
          label="Liquidity lost at sources"
          min={0}
          max={1}
          step={0.05}
          show={formatWholeShare}
          {...part('shock')}
        />
      </div>
      <ReadFailure of={read} what="The simulation" />
      <div aria-live="polite">
        <Figures columns={3}>
          <Metric
            of={read}
            label="They ask for"
            path="demand"
            value={(answer) => answer.demand}
            show={text}
            exact={exact}
            context={({ demand_share: share }) => (share === null ? null : `${formatShare(share)} of all assets`)}
          />
          <Metric
            of={read}
            label="Paid at once"
            path="paid_now"
            value={(answer) => answer.paid_now}
            show={text}
            exact={exact}
            whyNone="What sources can pay is not known"
          />
          <Metric
            of={read}
            label={`Not paid within ${hoursText(asked.hours)}`}
            path="shortfall"
            value={(answer) => answer.shortfall}
            show={text}
            exact={exact}
            context={({ shortfall }) => (shortfall === '0' ? 'Everybody is paid' : 'Waits for longer')}
            whyNone="What sources can pay is not known"
          />
        </Figures>
      </div>
      {read.result.data === undefined ? null : <Steps answer={read.result.data} shown={shown} />}
    </Card>
  );
}

function Steps({ answer, shown: { vault, chain } }: { answer: Answer; shown: Shown }) {
  const text = (raw: string) => assetsText(vault, raw);
  if (answer.paid_now === null) return null;
  return (
    <div className="flex flex-col gap-4">
      <div>
        <h4 className="text-13 font-semibold">Paid later</h4>
        {answer.paid_by.length === 0 ? (
          <p className="py-2 text-13 text-muted">Nothing comes later within this time.</p>
        ) : (
          <PlainTable
            isInset
            label="Paid later"
            head={['Within', 'From', 'Assets']}
            words={[1]}
            rows={answer.paid_by.map(({ within_seconds: within, source_address: source, assets }) => ({
              id: `${within} ${source}`,
              cells: [formatDuration(within), sourceName(vault, source), text(assets)],
            }))}
          />
        )}
      </div>
      <div>
        <h4 className="text-13 font-semibold">Who waits</h4>
        {answer.waiting.length === 0 ? (
          <p className="py-2 text-13 text-muted">Nobody: all of them are paid at once.</p>
        ) : (
          <PlainTable
            isInset
            label="Who waits"
            head={['Holder', 'Asked', 'At once', 'Later', 'Unpaid']}
            rows={answer.waiting.map(({ wallet_address: wallet, asked, paid_now, paid_later, unpaid }) => ({
              id: wallet,
              cells: [
                <AddressTag key="wallet" value={wallet} what="holder address" explorerUrl={chain.explorer_url} />,
                text(asked),
                text(paid_now),
                text(paid_later),
                text(unpaid),
              ],
            }))}
          />
        )}
      </div>
    </div>
  );
}
