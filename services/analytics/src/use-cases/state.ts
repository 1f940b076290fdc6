import { deviationThresholdBps } from '@castellan/chain';
import type { ActionOf, ParamsOf, ResultOf } from '@castellan/contracts';
import type { Terms } from '../domain/ledgers/terms-ledger.ts';
import { type Moment, observationAt } from '../domain/moment.ts';
import { unknown, written } from '../domain/plain-figures.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import type { Histories } from './ports.ts';

const notKnown = unknown('no event says it, and the vault had not been read yet');

function numberOf<K extends keyof Terms>(
  { history, block }: Moment,
  name: K,
  unit: string,
  shown: (value: Terms[K]) => number | null,
) {
  const term = history.terms.at(name, block);
  if (term === undefined) return notKnown;
  const value = shown(term.value);
  // A guard that is off has no number, and that is known.
  if (value === null) return null;
  const isObserved = term.at === undefined || term.source === 'state_observed';
  return written(value, unit, term, { observed: isObserved });
}

const textOf = <K extends keyof Terms, T>({ history, block }: Moment, name: K, shown: (value: Terms[K]) => T) => {
  const term = history.terms.at(name, block);
  return term === undefined ? notKnown : shown(term.value);
};

/** The last reading by then, because what it does not say is older. */
function lastReading(moment: Moment) {
  const seen = observationAt(moment);
  return seen ? { t: isoOf(seen.time), block: seen.block } : unknown('the vault had not been read yet');
}

export const getState =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<ActionOf<'analyticsState'>>): Promise<ResultOf<ActionOf<'analyticsState'>>> => {
    const moment = await histories.momentOf(params);
    const { terms } = moment.history;
    const seconds = (name: 'minUpdateIntervalSeconds' | 'maxStalenessSeconds' | 'expirationSeconds') =>
      numberOf(moment, name, 'seconds', (value) => value);
    return answer(params, moment, 'state', {
      observed: lastReading(moment),
      // A vault begins unpaused.
      is_paused: terms.at('isPaused', moment.block)?.value ?? false,
      settings: {
        performance_fee_bps: numberOf(moment, 'performanceFeeBps', 'bps', Number),
        entry_fee_bps: numberOf(moment, 'entryFeeBps', 'bps', Number),
        fee_recipient: textOf(moment, 'feeRecipient', checksummed),
        min_update_interval_seconds: seconds('minUpdateIntervalSeconds'),
        max_staleness_seconds: seconds('maxStalenessSeconds'),
        expiration_seconds: seconds('expirationSeconds'),
        deviation_threshold_bps: numberOf(moment, 'deviationThreshold', 'bps', deviationThresholdBps),
        hooks_root: terms.at('hooksRoot', moment.block)?.value ?? null,
      },
      roles: {
        primary_manager: textOf(moment, 'primaryManager', checksummed),
        secondary_managers: textOf(moment, 'secondaryManagers', (managers) => managers.map(checksummed)),
      },
    });
  };
