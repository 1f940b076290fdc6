import { ReceiptButton } from '../receipts/receipt-button.tsx';
import type { Shown } from './vault-gate.tsx';

/** The least that answers about one moment. */
const least = { period: '24h', points: '2' } as const;

/** Figures of the vault's detail that analytics derive as well, and where their arithmetic stands. */
const readings = {
  tvl_usd: { id: 'analyticsOverview', query: {}, path: 'tvl_usd' },
  tvl_asset: { id: 'analyticsOverview', query: {}, path: 'tvl_asset' },
  current_pps: { id: 'analyticsPps', query: least, path: 'current.pps' },
  calculated_pps: { id: 'analyticsPps', query: least, path: 'calculated.pps' },
  divergence_bps: { id: 'analyticsPps', query: least, path: 'calculated.divergence_bps' },
  hwm_pps: { id: 'analyticsPps', query: least, path: 'hwm.pps' },
} as const;

type Props = { shown: Shown; of: keyof typeof readings; label: string };

/** Opens the receipt of a figure that a card takes from the vault's detail. */
export const VaultReceipt = ({ shown, of, label }: Props) => (
  <ReceiptButton source={shown} label={label} {...readings[of]} />
);
