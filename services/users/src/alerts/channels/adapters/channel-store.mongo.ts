import { AppError } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type {
  ChannelConfig,
  NotificationCollections,
  StoredBinding,
  StoredChannel,
  StoredDelivery,
} from '../models/collections.ts';
import { type Distrust, isBinding, isChannel } from '../models/trusted.ts';
import { labelOf, openChannel, plainPrefix, type Sealer } from './sealed.ts';

type Vault = { chain_id: number; vault_address: string };
type BindingKey = Pick<StoredBinding, 'channel_id' | 'chain_id' | 'vault'>;

const keyOf = ({ channel_id, chain_id, vault }: BindingKey): BindingKey => ({ channel_id, chain_id, vault });
/** Polled again this soon when there was nothing to deliver. */
const REST_MS = 2_000;
/** And what cannot be read at all: it must not take the place of others. */
const MALFORMED_REST_MS = 3_600_000;
const UNOPENED_REST_MS = 60_000;

/** Channels, where they are bound, and what was sent. */
export class ChannelStore {
  readonly #collections: NotificationCollections;
  readonly #sealer: Sealer;
  readonly #distrust: Distrust;
  #onDue: () => void = () => undefined;

  constructor(collections: NotificationCollections, sealer: Sealer, distrust: Distrust) {
    this.#collections = collections;
    this.#sealer = sealer;
    this.#distrust = distrust;
  }

  /** Calls the listener when a binding was made due in this process. */
  whenDue(listener: () => void): void {
    this.#onDue = listener;
  }

  seal(channel: Pick<StoredChannel, 'channel_id' | 'owner'>, config: ChannelConfig): string {
    return this.#sealer.seal(JSON.stringify(config), labelOf(channel));
  }

  /** @throws Error for what was not sealed by us for this channel and owner. */
  configOf(channel: Pick<StoredChannel, 'channel_id' | 'owner' | 'sealed'>): ChannelConfig {
    return JSON.parse(openChannel(this.#sealer, channel)) as ChannelConfig;
  }

  #bindings(found: readonly StoredBinding[]): StoredBinding[] {
    return found.filter((document) => {
      if (isBinding(document)) return true;
      this.#distrust('channel_bindings', document.channel_id);
      return false;
    });
  }

  #channels(found: readonly StoredChannel[]): StoredChannel[] {
    return found.filter((document) => {
      if (isChannel(document)) return true;
      this.#distrust('notification_channels', document.channel_id);
      return false;
    });
  }

  /**
   * Seals what was kept in plain text before a key was required. Before anything is delivered, and only when the operator asks for it:
   * anyone who can write to the store could otherwise have addresses of their own sealed.
   */
  async sealPlain(): Promise<void> {
    const { channels } = this.#collections;
    for await (const { channel_id, owner, sealed } of channels.find({ sealed: { $regex: `^${plainPrefix}` } })) {
      const anew = this.#sealer.seal(sealed.slice(plainPrefix.length), labelOf({ channel_id, owner }));
      await channels.updateOne({ channel_id, sealed }, { $set: { sealed: anew } });
    }
  }

  async get(channel_id: string): Promise<StoredChannel | null> {
    const found = await this.#collections.channels.findOne({ channel_id });
    return this.#channels(found ? [found] : [])[0] ?? null;
  }

  async ofOwner(owner: string): Promise<StoredChannel[]> {
    const found = this.#collections.channels.find({ owner: owner.toLowerCase() }).sort({ created_at: -1 });
    return this.#channels(await found.toArray());
  }

  async add(channel: StoredChannel): Promise<void> {
    await this.#collections.channels.insertOne({ ...channel });
  }

  /** @throws AppError VERSION_CONFLICT. */
  async change(channel_id: string, version: number, change: Partial<StoredChannel>): Promise<StoredChannel> {
    const set = { ...change, version: version + 1 };
    const changed = await this.#collections.channels.findOneAndUpdate(
      { channel_id, version },
      { $set: set },
      { returnDocument: 'after' },
    );
    if (!changed)
      throw new AppError('VERSION_CONFLICT', 'The channel has changed in the meantime. Check it and save again.', {
        data: { current: { version: (await this.get(channel_id))?.version ?? null } },
      });
    return changed;
  }

  async remove(channel_id: string): Promise<boolean> {
    await this.#collections.bindings.deleteMany({ channel_id });
    return (await this.#collections.channels.deleteOne({ channel_id })).deletedCount === 1;
  }

  async bindingsOf(channelIds: readonly string[]): Promise<StoredBinding[]> {
    return this.#bindings(await this.#collections.bindings.find({ channel_id: { $in: [...channelIds] } }).toArray());
  }

  async onVault({ chain_id, vault_address }: Vault): Promise<StoredBinding[]> {
    const found = this.#collections.bindings.find({ chain_id, vault: vault_address.toLowerCase() });
    return this.#bindings(await found.sort({ bound_at: -1 }).toArray());
  }

  async binding(channel_id: string, { chain_id, vault_address }: Vault): Promise<StoredBinding | null> {
    const key = { channel_id, chain_id, vault: vault_address.toLowerCase() };
    const found = await this.#collections.bindings.findOne(key);
    return this.#bindings(found ? [found] : [])[0] ?? null;
  }

  /** @returns false when it was bound already; then only the severity is set. */
  async bind(binding: StoredBinding): Promise<boolean> {
    try {
      await this.#collections.bindings.insertOne({ ...binding });
      this.#onDue();
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const { min_severity, receives } = binding;
      const set = { min_severity, ...(receives ? { receives } : {}) };
      await this.#collections.bindings.updateOne(keyOf(binding), { $set: set });
      return false;
    }
  }

  async unbind(channel_id: string, { chain_id, vault_address }: Vault): Promise<boolean> {
    const vault = vault_address.toLowerCase();
    return (await this.#collections.bindings.deleteOne({ channel_id, chain_id, vault })).deletedCount === 1;
  }

  /** Removes this binding, not one that was made anew meanwhile. */
  async drop(binding: StoredBinding): Promise<void> {
    await this.#collections.bindings.deleteOne({ ...keyOf(binding), bound_at: binding.bound_at });
  }

  /** Notes the block where the role of its owner was found to have ended, which is looked at from now on; undefined: it has not. */
  async noteEnd(
    { bound_at, ...binding }: StoredBinding,
    role_ended_block: number | undefined,
    due_at: Date,
  ): Promise<void> {
    const change =
      role_ended_block === undefined
        ? { $unset: { role_ended_block: 1 as const } }
        : { $set: { role_ended_block, due_at } };
    await this.#collections.bindings.updateOne({ ...keyOf(binding), bound_at }, change);
  }

  /** What is due now, and in how many milliseconds the next is, up to `withinMs`. What is malformed is put off. */
  async due(now: Date, withinMs: number): Promise<{ due: StoredBinding[]; nextMs: number }> {
    const { bindings } = this.#collections;
    const soon = await bindings
      .find({ due_at: { $lte: new Date(now.getTime() + withinMs) } })
      .sort({ due_at: 1 })
      .limit(500)
      .toArray();
    const found = soon.filter(({ due_at }) => due_at <= now);
    const next = soon[found.length]?.due_at;
    const sound = this.#bindings(found);
    const malformed = found.filter((binding) => !sound.includes(binding)).map(({ _id }) => _id);
    const due_at = new Date(now.getTime() + MALFORMED_REST_MS);
    if (malformed.length > 0) await bindings.updateMany({ _id: { $in: malformed } }, { $set: { due_at } });
    return { due: sound, nextMs: next === undefined ? withinMs : next.getTime() - now.getTime() };
  }

  /** Puts a binding off whose channel cannot be opened. */
  async putOff(binding: StoredBinding, now: Date): Promise<void> {
    this.#distrust('notification_channels', binding.channel_id);
    await this.#set(binding, { due_at: new Date(now.getTime() + UNOPENED_REST_MS) });
  }

  failingCount(tries: number): Promise<number> {
    return this.#collections.bindings.countDocuments({ failures: { $gt: tries } });
  }

  /** On to the next event, unless a replay or another process moved it meanwhile. */
  async move(
    binding: StoredBinding,
    { delivered, now }: { delivered: boolean; now: Date },
  ): Promise<StoredBinding | undefined> {
    const moved = {
      next_sequence: binding.next_sequence + 1,
      failures: 0,
      due_at: now,
      revision: binding.revision + 1,
      ...(delivered ? { last_delivered_at: now } : {}),
    };
    return this.#set(binding, moved);
  }

  /** On to the next event; the one at the head is kept for the digest. */
  async hold(binding: StoredBinding, now: Date): Promise<StoredBinding | undefined> {
    return this.#set(binding, {
      held: [...(binding.held ?? []), binding.next_sequence],
      next_sequence: binding.next_sequence + 1,
      failures: 0,
      due_at: now,
      revision: binding.revision + 1,
    });
  }

  /** What a digest had in it is held no more. */
  async release(binding: StoredBinding, sequences: readonly number[], now: Date): Promise<StoredBinding | undefined> {
    return this.#set(binding, {
      held: (binding.held ?? []).filter((each) => !sequences.includes(each)),
      failures: 0,
      due_at: now,
      last_delivered_at: now,
      revision: binding.revision + 1,
    });
  }

  async failed(binding: StoredBinding, due_at: Date): Promise<void> {
    await this.#set(binding, { failures: binding.failures + 1, due_at, revision: binding.revision + 1 });
  }

  async rest(binding: StoredBinding, now: Date): Promise<undefined> {
    await this.#set(binding, { due_at: new Date(now.getTime() + REST_MS) });
    return undefined;
  }

  async #set(binding: StoredBinding, set: Partial<StoredBinding>): Promise<StoredBinding | undefined> {
    const found = await this.#collections.bindings.findOneAndUpdate(
      { ...keyOf(binding), revision: binding.revision },
      { $set: set },
      { returnDocument: 'after' },
    );
    return found ?? undefined;
  }

  /** From a sequence on again; or, without one, the head now. @returns undefined when it is not bound. */
  async replay(
    channel_id: string,
    { chain_id, vault_address }: Vault,
    from: number | undefined,
    now: Date,
  ): Promise<StoredBinding | undefined> {
    for (;;) {
      const binding = await this.binding(channel_id, { chain_id, vault_address });
      if (!binding) return undefined;
      const { revision, held = [] } = binding;
      // What is sent again by itself is not in the digest too.
      const again =
        from === undefined ? {} : { next_sequence: from, failures: 0, held: held.filter((each) => each < from) };
      const found = await this.#set(binding, { due_at: now, ...again, revision: revision + 1 });
      if (!found) continue;
      this.#onDue();
      return found;
    }
  }

  async record(delivery: StoredDelivery): Promise<void> {
    await this.#collections.deliveries.insertOne({ ...delivery });
  }

  get deliveries(): NotificationCollections['deliveries'] {
    return this.#collections.deliveries;
  }
}
