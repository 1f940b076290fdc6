import type { ActionOf, ParamsOf, ResultOf } from '@castellan/contracts';
import { eventMarks } from '../domain/event-marks.ts';
import { countByKind } from '../domain/plain-figures.ts';
import { rangeOf } from '../domain/range.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

export const listEventMarks =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<ActionOf<'analyticsMarks'>>): Promise<ResultOf<ActionOf<'analyticsMarks'>>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const { width, all, marks } = eventMarks(moment, range, params.points, params.kinds);
    return answer(params, moment, 'marks', {
      ...seriesOf(range, width),
      total: countByKind(() => all, all.length, 'events'),
      marks: marks.map(({ time, kind, event, block, tx }) => ({ t: isoOf(time), kind, event, block, tx_hash: tx })),
    });
  };
