import { acquireLease, isDuplicateKey, LeaseLost, releaseLease } from '@castellan/service-kit';
import { type Connection, Schema } from 'mongoose';
import type { Address } from 'viem';
import { isLive } from './intent.ts';
import { type Intent, NonceTaken, type TransmitStore } from './types.ts';

/** An intent as it is stored; bigints inside `body` are written `{ "$big": "1" }`. */
type IntentDocument = {
  _id: string;
  key: string;
  account: string;
  state: Intent['state'];
  /** Absent once the intent is final, so that the unique index covers live intents only. */
  live_nonce?: number;
  nonce: number | null;
  owes: boolean;
  order: Date;
  revision: number;
  /** Token of the last holder that wrote or claimed it. */
  fence: number;
  body: string;
};

const collectionName = 'transmit_intents';
const openStates: readonly Intent['state'][] = ['queued', 'in_progress', 'pending', 'mined'];

/** Pending events are stored as `owed`, the name that former versions gave them. */
const toText = ({ pendingEvents, ...intent }: Intent): string =>
  JSON.stringify({ ...intent, owed: pendingEvents }, (_name, value: unknown) =>
    typeof value === 'bigint' ? { $big: String(value) } : value,
  );

const dates = new Set(['createdAt', 'sentAt']);

type StoredIntent = Omit<Intent, 'pendingEvents'> & { owed: Intent['pendingEvents'] };

const fromText = (text: string, revision: number): Intent => {
  const { owed, ...intent } = JSON.parse(text, (name, value: unknown) => {
    if (typeof value === 'object' && value !== null && '$big' in value) return BigInt(value.$big as string);
    return dates.has(name) && typeof value === 'string' ? new Date(value) : value;
  }) as StoredIntent;
  return { ...intent, pendingEvents: owed, revision };
};

type Intents = ReturnType<typeof intentsOf>;

const intentsOf = (connection: Connection) => connection.collection<IntentDocument>(collectionName);
const read = ({ body, revision }: IntentDocument): Intent => fromText(body, revision);
const idOf = (account: string, key: string): string => `${account}:${key}`;

const documentOf = (account: string, intent: Intent): Omit<IntentDocument, '_id' | 'fence'> => ({
  ...{ key: intent.key, account, state: intent.state, nonce: intent.nonce },
  ...(isLive(intent) && intent.nonce !== null ? { live_nonce: intent.nonce } : {}),
  ...{
    owes: intent.pendingEvents.length > 0,
    order: intent.createdAt,
    revision: intent.revision,
    body: toText(intent),
  },
});

const readsOf = (
  intents: Intents,
  account: string,
): Pick<TransmitStore, 'find' | 'live' | 'queued' | 'withPendingEvents' | 'highestNonce'> => ({
  find: async (key) => {
    const found = await intents.findOne({ _id: idOf(account, key) });
    return found ? read(found) : null;
  },
  live: async () =>
    (
      await intents
        .find({ account, live_nonce: { $exists: true } })
        .sort({ live_nonce: 1 })
        .toArray()
    ).map(read),
  queued: async (limit) =>
    (await intents.find({ account, state: 'queued' }).sort({ order: 1 }).limit(limit).toArray()).map(read),
  withPendingEvents: async () => (await intents.find({ account, owes: true }).sort({ order: 1 }).toArray()).map(read),
  highestNonce: async () => {
    const [highest] = await intents
      .find({ account, nonce: { $ne: null } })
      .sort({ nonce: -1 })
      .limit(1)
      .toArray();
    return highest?.nonce ?? null;
  },
});

const writesOf = (intents: Intents, account: string): Pick<TransmitStore, 'claim' | 'add' | 'save'> => ({
  claim: async (token) => {
    await intents.updateMany(
      { account, $or: [{ state: { $in: [...openStates] } }, { owes: true }] },
      { $max: { fence: token } },
    );
  },
  add: async (intent) => {
    const _id = idOf(account, intent.key);
    try {
      // Unclaimed: until its first write any holder may take it, and the unique nonce keeps two of them apart.
      await intents.insertOne({ _id, ...documentOf(account, intent), fence: 0 });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      if (await intents.findOne({ _id })) return false;
      throw new NonceTaken(`Nonce ${intent.nonce} of ${account} is taken.`);
    }
  },
  save: async (intent, token) => {
    const next: Intent = { ...intent, revision: intent.revision + 1 };
    const document = documentOf(account, next);
    const { matchedCount } = await intents
      .updateOne(
        { _id: idOf(account, intent.key), revision: intent.revision, fence: { $lte: token } },
        {
          $set: { ...document, fence: token },
          ...(document.live_nonce === undefined ? { $unset: { live_nonce: '' } } : {}),
        },
      )
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw new NonceTaken(`Nonce ${intent.nonce} of ${account} is taken.`);
        throw error;
      });
    if (matchedCount > 0) return next;
    throw new LeaseLost(
      `transmit:${account}`,
      `${intent.key} was written by another, or the account is held by another.`,
    );
  },
});

/** Creates nothing by itself: `ensureIndexes` of the connection does, before the first use. */
export function mongoTransmitStore(options: {
  connection: Connection;
  chainId: number;
  account: Address;
  /** Unique per process. */
  holder: string;
  leaseMs: number;
}): TransmitStore {
  const { connection, chainId, holder, leaseMs } = options;
  const account = `${chainId}:${options.account.toLowerCase()}`;
  const lease = { name: `transmit:${account}`, holder };
  if (!connection.models[collectionName]) connection.model(collectionName, schema(), collectionName);
  const intents = intentsOf(connection);
  return {
    ...readsOf(intents, account),
    ...writesOf(intents, account),
    hold: async () => (await acquireLease(connection, { ...lease, ttlMs: leaseMs }))?.token,
    release: () => releaseLease(connection, lease),
  };
}

function schema(): Schema {
  const fields = {
    _id: String,
    key: String,
    account: String,
    state: String,
    live_nonce: Number,
    nonce: Number,
    owes: Boolean,
    order: Date,
    revision: Number,
    fence: Number,
    body: String,
  };
  const intents = new Schema(fields, { versionKey: false });
  intents.index(
    { account: 1, live_nonce: 1 },
    { unique: true, partialFilterExpression: { live_nonce: { $exists: true } } },
  );
  intents.index({ account: 1, state: 1, order: 1 });
  intents.index({ account: 1, nonce: -1 });
  intents.index({ account: 1, owes: 1, order: 1 });
  return intents;
}
