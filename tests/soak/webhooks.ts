import { randomUUID } from 'node:crypto';
import { untilRead } from '../system/actors.ts';
import { type Delivered, faultOf, WebhookReceiver } from '../system/webhook.ts';
import type { Verdict } from './checks.ts';
import type { Vault } from './readers.ts';
import { signIn } from './sign-in.ts';

const deliveredMs = 300_000;

/** Deliveries in the order in which they came: which event each number had, and what is wrong with them. */
export function judged(got: readonly Delivered[], secret: string) {
  const idOf = new Map<number, string>();
  const faults: string[] = [];
  let repeats = 0;
  let last = 0;
  for (const delivered of got) {
    const fault = faultOf(delivered, secret);
    const { sequence, event_id } = delivered.event;
    if (fault) faults.push(`${event_id}: ${fault}`);
    if (sequence === null) continue;
    const known = idOf.get(sequence);
    if (known === undefined) {
      if (last > 0 && sequence !== last + 1) faults.push(`${sequence} came behind ${last}`);
    } else {
      repeats += 1;
      if (known !== event_id) faults.push(`${sequence} came as ${known} and as ${event_id}`);
    }
    idOf.set(sequence, event_id);
    last = Math.max(last, sequence);
  }
  if (new Set(idOf.values()).size !== idOf.size) faults.push('an event came under two numbers');
  return { idOf, repeats, faults };
}

/** A receiver of the alerts of a vault, bound by its manager. */
export class Webhooks {
  readonly #receiver: WebhookReceiver;
  readonly #vault: Vault;
  #secret = '';
  #channel = '';

  constructor(origin: string, vault: Vault) {
    this.#receiver = new WebhookReceiver(origin);
    this.#vault = vault;
  }

  async start(): Promise<void> {
    await this.#receiver.start();
    const { client } = await signIn(1);
    const config = { url: this.#receiver.url };
    const made = await client.createChannel({
      idempotencyKey: randomUUID(),
      body: { provider: 'webhook', name: 'Soak', config },
    });
    this.#channel = made.channel_id;
    this.#secret = made.secret as string;
    await client.bindChannel({ params: { ...this.#params(), channel_id: made.channel_id }, body: {} });
  }

  /** Deliveries come by themselves. */
  run(): Promise<void> {
    return Promise.resolve();
  }

  /** Once nothing waits: numbers without a gap, repeats under the id they had, every signature ours, and the same as the API lists. */
  async verdict(): Promise<Verdict> {
    const { client } = await signIn(1);
    const binding = async () => {
      const { channels } = await client.vaultChannels({ params: this.#params() });
      return channels.find(({ channel }) => channel.channel_id === this.#channel);
    };
    const settled = await untilRead(
      'every alert is delivered',
      () => binding().catch(() => undefined),
      (found) => found !== undefined && found.waiting === 0 && found.head_sequence > 0,
      deliveredMs,
    );
    const { idOf, repeats, faults } = judged(this.#receiver.got, this.#secret);
    await this.#receiver.kill();
    faults.push(...(await this.#unlike(idOf, settled?.head_sequence ?? 0)));
    return {
      what: 'the webhook has every alert in order, each number once',
      found: `${idOf.size} events, ${repeats} delivered again under their id`,
      faults,
    };
  }

  /** What the API lists up to a number and was not delivered so. */
  async #unlike(idOf: ReadonlyMap<number, string>, head: number): Promise<string[]> {
    const first = Math.min(...idOf.keys());
    if (idOf.size === 0) return ['nothing was delivered'];
    const { client } = await signIn(1);
    const listed = new Map<number, string>();
    for (let after = first - 1; ; ) {
      const query = { ...this.#params(), after_sequence: `${after}`, limit: '500' };
      const { events } = await client.alertEvents({ query });
      for (const { sequence, event_id } of events)
        if (sequence !== null && sequence <= head) listed.set(sequence, event_id);
      const end = events.at(-1)?.sequence ?? undefined;
      if (end === undefined) break;
      after = end;
    }
    const all = [...listed].filter(([sequence, event_id]) => idOf.get(sequence) !== event_id);
    return all.map(([sequence, event_id]) => `${sequence} ${event_id} was not delivered`);
  }

  #params() {
    return { chain_id: `${this.#vault.chain_id}`, vault_address: this.#vault.vault_address };
  }
}
