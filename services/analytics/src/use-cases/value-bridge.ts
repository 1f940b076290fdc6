import type { ActionOf, ParamsOf, ResultOf } from '@castellan/contracts';
import { valueBridge } from '../domain/metrics/value-bridge.ts';
import { rangeOf, windowStart } from '../domain/range.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';

export const getValueBridge =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<ActionOf<'analyticsBridge'>>): Promise<ResultOf<ActionOf<'analyticsBridge'>>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    return answer(params, moment, 'performance/bridge', {
      period: range.period,
      from: isoOf(range.from),
      to: isoOf(range.to),
      ...valueBridge(moment, { from: windowStart(range), to: range.to }),
    });
  };
