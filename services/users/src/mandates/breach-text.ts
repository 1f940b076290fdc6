import type { PromiseBreach } from '@castellan/contracts';
import { formatBps, formatDuration } from '../alerts/journal/domain/format.ts';

const kinds: Readonly<Record<PromiseBreach['kind'], string>> = {
  source_share: 'the share of one source',
  layer_share: 'the share of a group of sources',
  idle_share: 'the share of idle assets',
  drawdown: 'the drawdown',
  largest_holder: 'the share of the largest holder',
  performance_fee: 'the performance fee',
  entry_fee: 'the entry fee',
  price_age: 'the age of the price',
  price_updates: 'the number of price updates',
  hooks: 'the number of executions of other hooks',
  managers: 'the number of other managers',
};

const valueText = ({ unit }: Pick<PromiseBreach, 'unit'>, value: number): string => {
  if (unit === 'bps') return formatBps(value);
  return unit === 'seconds' ? formatDuration(value) : String(value);
};

/** `Promise "cap": the share of one source is 62.00%, at most 60.00% is promised.` */
export function promiseText(
  breach: Pick<PromiseBreach, 'promise_id' | 'kind' | 'bound' | 'limit' | 'unit' | 'worst'>,
): string {
  const { promise_id, kind, bound, limit, worst } = breach;
  const limitText = `${bound === 'at_most' ? 'at most' : 'at least'} ${valueText(breach, limit)}`;
  return `Promise "${promise_id}": ${kinds[kind]} is ${valueText(breach, worst.value)}, ${limitText} is promised.`;
}
