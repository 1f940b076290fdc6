import { formatDuration } from '../../format/time.ts';
import type { MomentReads } from './comparison.ts';

/** When the vault was last read by a moment: what no event holds is as old as that. */
export function observedWords(state: MomentReads['state']): string {
  if (state === undefined) return '';
  if (state.observed === null)
    return 'Nothing had been observed yet: what no event says (allocation, liquidity) is not known.';
  const seconds = (Date.parse(state.as_of) - Date.parse(state.observed.t)) / 1_000;
  return seconds < 1 ? 'The vault was observed at this moment.' : `Last observed ${formatDuration(seconds)} before.`;
}
