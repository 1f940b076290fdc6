import { createHmac, timingSafeEqual } from 'node:crypto';

/** A receiver of Castellan's webhooks: takes what is signed, fresh and new. See docs/webhooks.md. */

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Event = { event_id: string; sequence: number | null; chain_id: number | null; vault_address: string | null };
export type Verdict = {
  /** `gap`: new, but events before it are missing: ask for them. Answer 200 to all but `refused`. */
  verdict: 'new' | 'repeated' | 'gap' | 'refused';
  event?: Event;
};

/** An older signature could be a recording of somebody else. */
const MOST_SECONDS_OLD = 300;

type Options = {
  secret: string;
  now: () => number;
  /** Ids that were handled; keep them where they survive a restart, as long as you may ask for a replay. */
  remember: Set<string>;
};

export function createReceiver({ secret, now, remember }: Options) {
  /** The last sequence of each vault. */
  const last = new Map<string, number>();

  /** @param body - The bytes as they came, before they are parsed: other bytes have another signature. */
  return (headers: Headers, body: string): Verdict => {
    const timestamp = String(headers['x-castellan-timestamp'] ?? '');
    const given = Buffer.from(String(headers['x-castellan-signature'] ?? ''));
    const wanted = Buffer.from(`v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return { verdict: 'refused' };
    if (!(Math.abs(now() / 1000 - Number(timestamp)) <= MOST_SECONDS_OLD)) return { verdict: 'refused' };

    const event = JSON.parse(body) as Event;
    if (remember.has(event.event_id)) return { verdict: 'repeated', event };
    remember.add(event.event_id);
    // A test has no sequence.
    if (event.sequence === null) return { verdict: 'new', event };
    const vault = `${event.chain_id}:${event.vault_address}`;
    const before = last.get(vault);
    last.set(vault, Math.max(before ?? 0, event.sequence));
    return { verdict: before !== undefined && event.sequence > before + 1 ? 'gap' : 'new', event };
  };
}
