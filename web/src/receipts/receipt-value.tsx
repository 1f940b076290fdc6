import { useState } from 'react';
import { Button } from 'react-aria-components';
import type { AnalyticsId, Answer } from '../data/use-analytics.ts';
import { NONE } from '../format/figures.ts';
import type { Read } from './metric.tsx';
import { OpenedReceipt } from './opened-receipt.tsx';
import { qualityWords } from './receipt-text.ts';

type Props<K extends AnalyticsId> = {
  of: Read<K>;
  path: string;
  label: string;
  /** Written value; null where there is none. */
  children: string | null;
};

/** A figure inside a table that opens its receipt; a missing one is a dash whose reason can be read. */
export function ReceiptValue<K extends AnalyticsId>({ of, path, label, children }: Props<K>) {
  const [isOpen, setIsOpen] = useState(false);
  const answer: Answer | undefined = of.result.data;
  const reason = qualityWords(answer?.quality[path]);
  const text = children ?? NONE;
  return (
    <>
      <Button
        onPress={() => setIsOpen(true)}
        className="-mx-1 min-h-6 rounded px-1 tabular-nums decoration-dotted underline-offset-4 hover:bg-raised hover:underline"
      >
        <span title={reason}>{text}</span>
        <span className="sr-only">{`${reason === undefined ? '' : ` (${reason})`}, receipt of ${label}`}</span>
      </Button>
      {isOpen ? (
        <OpenedReceipt
          of={{ source: of.source, id: of.id, query: of.query, path, label }}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  );
}
