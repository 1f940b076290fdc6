import { momentOf, type Named } from '../domain/moment.fixture.ts';
import type { Moment } from '../domain/moment.ts';
import { secondsOf } from '../domain/timeline.ts';
import type { Histories } from './ports.ts';

/** Histories that know this one moment. */
export const historiesAt = (moment: Moment): Histories => ({ momentOf: () => Promise.resolve(moment) });

/** Histories of a whole log: any block, any time. */
export const historiesOf = (named: Named): Histories => ({
  momentOf: ({ at, block }) => {
    if (at === undefined) return Promise.resolve(momentOf(named, block === undefined ? {} : { block }));
    const time = secondsOf(at);
    const last = named.entries.findLast(({ block_time }) => secondsOf(block_time) <= time);
    return Promise.resolve(momentOf(named, { time, block: last?.block_number ?? 0 }));
  },
});
