import { ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import type { AnalyticsId } from '../data/use-analytics.ts';
import { OpenedReceipt } from './opened-receipt.tsx';
import type { ReceiptOf } from './receipt.ts';

/** Opens how a figure came about; it is asked for only then. */
export function ReceiptButton<K extends AnalyticsId>(of: ReceiptOf<K>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        aria-label={`Receipt of ${of.label}`}
        onPress={() => setIsOpen(true)}
        className="grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-raised hover:text-text"
      >
        <ReceiptText size={14} aria-hidden="true" />
      </Button>
      {isOpen ? <OpenedReceipt of={of} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}
