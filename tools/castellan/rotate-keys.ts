import { userInfo } from 'node:os';
import type { mongo } from 'mongoose';
import { keyRotations, signingKeys } from '../../services/auth/src/models/signing-key.ts';

type Options = {
  client: mongo.MongoClient;
  /** Of the auth service. */
  database: string;
  reason: string;
  now: () => Date;
  sleep: (ms: number) => Promise<unknown>;
  /** A line without its end. */
  say: (line: string) => void;
};

type Rotated = { kid: string; created_at: string; replaces: string };

/** The service looks every minute, and not before the newest key signs. */
const WAIT_MS = 4 * 60_000;
const LOOK_MS = 2_000;

/**
 * Has the identity provider make a new key for signing tokens, and waits until it has. The private part is made and sealed by the
 * service: this command holds no secret but the user of the store.
 */
export async function rotateKeys({ client, database, reason, now, sleep, say }: Options): Promise<Rotated> {
  const db = client.db(database);
  const keys = db.collection<{ _id: string; created_at: Date }>(signingKeys.name);
  const newest = () => keys.findOne({}, { sort: { generation: -1 } });
  const before = await newest();
  if (!before) throw new Error(`${database} has no signing keys: the auth service makes the first when it starts.`);
  const asked = { asked_at: now(), asked_by: userInfo().username, reason };
  await db
    .collection<{ _id: 'asked' }>(keyRotations.name)
    .updateOne({ _id: 'asked' }, { $set: asked }, { upsert: true });
  say('Asked the auth service for a new key; it looks every minute.');
  for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
    const made = await newest();
    if (made && made._id !== before._id) {
      say(`${made._id} was made at ${made.created_at.toISOString()}. It is published now, and signs in two minutes.`);
      say(`${before._id} stays published until the last token that it signed has ended.`);
      return { kid: made._id, created_at: made.created_at.toISOString(), replaces: before._id };
    }
    await sleep(LOOK_MS);
  }
  throw new Error(
    'No new key was made. Does the auth service run, on this database, and does the clock of this machine agree with its?',
  );
}
