import { lazy, Suspense } from 'react';
import type { AnalyticsId } from '../data/use-analytics.ts';
import type { ReceiptOf } from './receipt.ts';

const ReceiptPanel = lazy(() => import('./receipt-panel.tsx'));

/** The panel of a receipt that was asked for; its code comes with the first. */
export const OpenedReceipt = <K extends AnalyticsId>({ of, onClose }: { of: ReceiptOf<K>; onClose: () => void }) => (
  <Suspense fallback={null}>
    <ReceiptPanel of={of} onClose={onClose} />
  </Suspense>
);
