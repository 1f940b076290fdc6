import { usePages } from '../receipts/use-pages.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { RedemptionList } from './redemption-list.tsx';

/** The queue for a section of the vault's page, for reading only. */
export const WaitingRedemptions = ({ shown }: { shown: Shown }) => (
  <RedemptionList shown={shown} pages={usePages(shown, 'analyticsRedemptions', {})} />
);
