import type { Read } from '../../receipts/metric.tsx';
import type { Shown } from '../vault-gate.tsx';

/** What each part of the section shows: the vault, and the one read they share. */
export type PartProps = { shown: Shown; operations: Read<'analyticsOperations'> };
