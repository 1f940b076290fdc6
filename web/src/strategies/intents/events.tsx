import { AddressTag } from '../../design/address-tag.tsx';
import { Empty } from '../../design/states.tsx';
import { type IntentEvent, secondOf } from './intent-states.ts';

const eventWords: Readonly<Record<string, string>> = {
  RECEIVE: 'Received',
  ACK: 'Accepted',
  STAGE: 'Staged',
  PLAN: 'Planned',
  EXECUTE: 'Sent to the chain',
  FILL: 'Filled',
  COMPLETE: 'Completed',
  FAIL: 'Failed',
  ABORT: 'Aborted',
  EXPIRE: 'Expired',
  CANCEL: 'Cancelled',
};

const isPart = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an event carries, without its nesting: `{ plan: { amount: "5" } }` is shown as `amount: 5`, the legs of a plan by their number. */
export const factsOf = (payload: unknown): [string, string][] =>
  Object.entries((payload ?? {}) as Record<string, unknown>).flatMap(([name, value]): [string, string][] => {
    if (isPart(value)) return factsOf(value);
    if (Array.isArray(value) && value.length > 0 && value.every(isPart))
      return value.flatMap((part, index) =>
        factsOf(part).map(([fact, text]): [string, string] => [`${index + 1}. ${fact}`, text]),
      );
    return [[name.replaceAll('_', ' '), typeof value === 'string' ? value : JSON.stringify(value)]];
  });

const HASH = /^0x[0-9a-fA-F]{40,}$/;

/** Everything that happened to an intent, in its order, with what each event carried. */
export function Events({ events }: { events: readonly IntentEvent[] }) {
  if (events.length === 0) return <Empty title="No event yet" />;
  return (
    <ol aria-label="Events" className="divide-y text-13">
      {events.map(({ event_id, seq_num, message_type, created_at, payload }) => {
        const facts = factsOf(payload);
        return (
          <li key={event_id} className="flex flex-col gap-x-6 gap-y-1 px-4 py-2 md:flex-row">
            <p className="flex shrink-0 gap-3 md:w-80">
              <span className="w-5 text-right text-muted tabular-nums">{seq_num}</span>
              <span className="min-w-0 flex-1 font-medium">{eventWords[message_type] ?? message_type}</span>
              <span className="whitespace-nowrap text-muted tabular-nums">{secondOf(created_at)}</span>
            </p>
            {facts.length === 0 ? null : (
              <dl className="flex min-w-0 flex-1 flex-wrap gap-x-5 gap-y-0.5 pl-8 text-12 md:pl-0">
                {facts.map(([name, value]) => (
                  <div key={name} className="flex min-w-0 flex-wrap items-center gap-x-1.5">
                    <dt className="text-muted">{name}</dt>
                    <dd className="min-w-0 break-all">
                      {HASH.test(value) ? <AddressTag value={value} what={name} /> : value}
                    </dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        );
      })}
    </ol>
  );
}
