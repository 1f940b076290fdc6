import type { Precondition } from '@castellan/contracts';
import { check } from './build.ts';
import type { ChangeState } from './change.ts';
import { moment } from './wording.ts';

/** A usable price, in the order in which the strategy asks. */
export function usable({ vault }: ChangeState): Precondition[] {
  const { blockTimestamp, lastUpdateTimestamp, ppsExpiration } = vault;
  const expires = lastUpdateTimestamp + ppsExpiration;
  return [
    check('STRATEGY_PAUSED', !vault.isPaused, `The vault is ${vault.isPaused ? '' : 'not '}paused.`),
    check(
      'STALE_PPS',
      !vault.isPpsStale,
      vault.isPpsStale ? 'The vault is waiting for its next price.' : 'The vault has a price since its last pause.',
    ),
    check(
      'PPS_EXPIRED',
      blockTimestamp <= expires,
      `The price was reported at ${moment(lastUpdateTimestamp)} and can be used until ${moment(expires)}. The chain's clock reads ${moment(blockTimestamp)}.`,
    ),
  ];
}
