import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';
import { observedWords } from './observed-words.ts';

/** Whether the vault was observed at the moment that the page shows, and how long before it otherwise. */
export function ObservedThen({ shown }: { shown: Shown }) {
  const { data } = useRead(shown, 'analyticsState').result;
  return data === undefined ? null : <p>{observedWords(data)}</p>;
}
