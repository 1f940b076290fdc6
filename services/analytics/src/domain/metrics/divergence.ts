import { divergenceBps } from '@castellan/chain';
import { type Figure, figure } from '../figure.ts';
import { given, type Moment, observationAt, ppsNow } from '../moment.ts';

/** How far the calculated price of the last observation is from the accepted one: calculated / current - 1, basis points to four digits. */
export function divergenceFigure(moment: Moment): Figure {
  const seen = observationAt(moment);
  const calculated = seen?.calculatedPps ?? null;
  const current = ppsNow(moment)?.pps ?? seen?.pps ?? 0n;
  return figure({
    value: divergenceBps({ calculated, current }),
    unit: 'bps',
    method: 'divergence',
    observed: true,
    inputs: () => [
      { name: 'calculated', value: calculated, unit: 'pps', at: seen, source: 'state_observed' },
      given('current', current, 'pps', 'PPSUpdated'),
    ],
  });
}
