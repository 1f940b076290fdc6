import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UpdateStream, type VaultUpdate } from '@castellan/contracts';
import { connectDurable, createLogger, type DurableBus, streamNameOf } from '@castellan/service-kit';
import { AckPolicy, DeliverPolicy, type JsMsg, nanos } from 'nats';
import { stateDir } from '../system/actors.ts';
import type { Published } from './heard.ts';
import { passTime } from './pass-time.ts';
import type { Vault } from './readers.ts';

const paceMs = 1_000;
/** One question, well above what a read takes and below what a reader of the stream is kept for. */
const pull = { max_messages: 500, expires: 1_000 };
const keptMs = 10_000;

/** Nobody sees alerts without a role on the vault. */
const isPublic = ({ kind }: VaultUpdate): boolean => kind !== 'alert';

/** The servers of the bus, without the doors that are cut, as the user who may read the stream. */
export const joinServers = (): Promise<DurableBus> =>
  connectDurable({
    url: readFileSync(join(stateDir(), 'secrets/nats-url-gateway'), 'utf8'),
    namespace: process.env.NATS_NAMESPACE ?? 'castellan',
    service: 'soak',
    log: createLogger({ service: 'soak', level: 'silent' }),
  });

/**
 * Reads the stream of updates from the servers of the bus, number after number, by nothing that a gateway reads it with: what it finds is
 * what was published, and no part of it is left out unseen.
 */
export class PublishedUpdates implements Published {
  readonly vaults: number[] = [];
  readonly ids: number[] = [];
  upTo = 0;
  lost = 0;
  readonly #vault: Vault;
  readonly #bus: DurableBus;
  readonly #stream: string;

  private constructor(vault: Vault, bus: DurableBus) {
    this.#vault = vault;
    this.#bus = bus;
    this.#stream = streamNameOf(bus.namespace, UpdateStream);
  }

  /** From the stream's first message on. */
  static async open(vault: Vault, bus: DurableBus): Promise<PublishedUpdates> {
    const updates = new PublishedUpdates(vault, bus);
    updates.upTo = Math.max(0, (await updates.#ends()).first - 1);
    return updates;
  }

  /** Reads on until the signal aborts; what a server that is away does not answer is asked for again. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#readOn().catch(() => undefined);
      await passTime(paceMs, stop);
    }
  }

  /** @returns whether everything is read that was stored when it was asked. */
  async isAtEnd(): Promise<boolean> {
    const { last } = await this.#ends();
    await this.#readOn();
    return this.upTo >= last;
  }

  close(): Promise<void> {
    return this.#bus.nats.close();
  }

  async #ends(): Promise<{ first: number; last: number }> {
    const { state } = await this.#bus.manager.streams.info(this.#stream);
    return { first: state.first_seq, last: state.last_seq };
  }

  async #readOn(): Promise<void> {
    const { manager, jetstream } = this.#bus;
    const { first } = await this.#ends();
    if (first > this.upTo + 1) {
      this.lost += first - this.upTo - 1;
      this.upTo = first - 1;
    }
    const { name } = await manager.consumers.add(this.#stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.upTo + 1,
      ack_policy: AckPolicy.None,
      mem_storage: true,
      inactive_threshold: nanos(keptMs),
    });
    const consumer = await jetstream.consumers.get(this.#stream, name);
    for await (const message of await consumer.fetch(pull)) {
      // One that got lost on its way is asked for again, and those behind it with it.
      if (message.seq !== this.upTo + 1) return;
      this.#take(message);
    }
  }

  #take(message: JsMsg): void {
    const update = message.json<VaultUpdate>();
    const { chain_id, vault_address } = this.#vault;
    const isOurs = update.chain_id === chain_id && update.vault_address === vault_address;
    if (isOurs && isPublic(update)) (update.kind === 'vault' ? this.vaults : this.ids).push(message.seq);
    this.upTo = message.seq;
  }
}
