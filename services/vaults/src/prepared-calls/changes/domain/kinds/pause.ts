import { SKIM_COOLDOWN_SECONDS } from '@castellan/chain';
import { check, differs, fromManager, single, toAggregator } from '../build.ts';
import type { ChangesOf, PostCondition } from '../change.ts';
import { duration } from '../wording.ts';

const unauthorized = 'UNAUTHORIZED_UPDATE_AUTHORITY';

const isPaused = (expected: boolean): PostCondition => ({
  description: `The vault is ${expected ? '' : 'not '}paused.`,
  holds: ({ vault }) => ({ ok: vault.isPaused === expected, actual: vault.isPaused }),
});

/** Pausing and unpausing, by the rules of SuperVaultAggregator. */
export const pauseChanges: ChangesOf<'pause' | 'unpause'> = {
  pause: single({
    role: 'manager',
    // A pause stops damage: it must never wait for a signature.
    needsStepUp: false,
    step({ request, target, state }) {
      const { isPaused: paused, isPpsStale } = state.vault;
      return {
        call: toAggregator(target, 'pauseStrategy', [target.strategy]),
        description:
          `Pause ${target.name}: deposits, redemption requests, fulfilments, fee skims and price updates stop at once. Claims of ` +
          'fulfilled redemptions, cancellations and hooks still work. Any manager can unpause it.',
        preconditions: [
          fromManager(unauthorized, request, state),
          check('STRATEGY_ALREADY_PAUSED', !paused, `The vault is ${paused ? 'already' : 'not'} paused.`),
        ],
        changes: [differs('is_paused', paused, true), differs('is_pps_stale', isPpsStale, true)],
      };
    },
    postCondition: () => isPaused(true),
  }),

  unpause: single({
    role: 'manager',
    needsStepUp: true,
    step({ request, target, state }) {
      const { isPaused: paused, isPpsStale } = state.vault;
      return {
        call: toAggregator(target, 'unpauseStrategy', [target.strategy]),
        description:
          `Unpause ${target.name}. Its price stays stale, and deposits and redemption requests stay blocked, until ` +
          'the next report, which the deviation guard does not check. Fees cannot be taken for ' +
          `${duration(SKIM_COOLDOWN_SECONDS)}.`,
        preconditions: [
          fromManager(unauthorized, request, state),
          check('STRATEGY_NOT_PAUSED', paused, `The vault is ${paused ? '' : 'not '}paused.`),
        ],
        changes: [differs('is_paused', paused, false), differs('is_pps_stale', isPpsStale, isPpsStale)],
      };
    },
    postCondition: () => isPaused(false),
  }),
};
