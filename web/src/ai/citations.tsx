import { ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import type { AnalyticsId } from '../data/use-analytics.ts';
import { Dialog } from '../design/dialog.tsx';
import { formatNumber } from '../format/figures.ts';
import { OpenedReceipt } from '../receipts/opened-receipt.tsx';
import type { Moment, ReceiptOf } from '../receipts/receipt.ts';
import { exactText } from '../receipts/receipt-text.ts';
import { type AskedTool, type Cited, distinct, receiptOf } from './cited.ts';

/** What a citation's receipt is asked of. */
export type CitationSource = {
  source: ReceiptOf<AnalyticsId>['source'];
  /** When the figures were true. */
  moment?: Moment | undefined;
  tools?: readonly AskedTool[];
};
type Props = CitationSource & { citations: readonly Cited[] };

/** Figures a text rests on and does not write out; each opens its receipt. */
export function Citations({ citations, ...from }: Props) {
  const [opened, setOpened] = useState<Cited>();
  if (citations.length === 0) return null;
  return (
    <>
      <ul aria-label="Figures this rests on" className="flex flex-wrap gap-1.5">
        {distinct(citations).map((citation) => (
          <li key={citation.path} className="min-w-0">
            <Button
              aria-label={`Receipt of ${citation.metric}`}
              onPress={() => setOpened(citation)}
              className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-full border bg-raised px-2 text-12 text-muted hover:border-line-strong hover:text-text"
            >
              <ReceiptText size={12} aria-hidden="true" className="shrink-0" />
              <span className="truncate first-letter:uppercase">{citation.metric}</span>
            </Button>
          </li>
        ))}
      </ul>
      {opened === undefined ? null : (
        <OpenedCitation citation={opened} from={from} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

type OpenedProps = { citation: Cited; from: CitationSource; onClose: () => void };

/** The receipt of a figure, or what the API gave where it is only read. */
export function OpenedCitation({ citation, from: { source, moment, tools = [] }, onClose }: OpenedProps) {
  const { metric, path, value } = citation;
  const of = receiptOf(citation, { source, tools, moment });
  if (of !== undefined) return <OpenedReceipt of={of} onClose={onClose} />;
  return (
    <Dialog title={`Receipt: ${metric}`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className="text-28 font-semibold tracking-tight break-all tabular-nums">
          {typeof value === 'number' ? formatNumber(value) : exactText(value)}
        </p>
        <p className="text-13 text-muted">
          {`The API gave ${exactText(value)}; amounts are in base units. It is read and not computed, so there is no arithmetic to show.`}
        </p>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-13">
          <dt className="text-muted">Stands at</dt>
          <dd>
            <code className="font-mono break-all">{path}</code>
          </dd>
        </dl>
      </div>
    </Dialog>
  );
}
