import { restores } from '@castellan/service-kit';
import type { mongo } from 'mongoose';

type Options = {
  client: mongo.MongoClient;
  /** Of the vaults service. */
  database: string;
  isConfirmed: boolean;
  now: () => Date;
  /** A line without its end. */
  say: (line: string) => void;
};

/** Of a document of `keeper_vaults`; another release may have written it. */
type Journalled = {
  _id: string;
  open?: { key?: string; account?: string; nonce?: number; attempts?: { hash?: string }[] } | null;
};

type Held = {
  on_its_way: { vault: string; key?: string; account?: string; nonce?: number; hashes: (string | undefined)[] }[];
  running_strategies: number;
  executing_intents: number;
  is_released: boolean;
};

/** Lists what the restored journal has on its way, and lets the keeper send again once a person has confirmed it. */
export async function releaseKeeper({ client, database, isConfirmed, now, say }: Options): Promise<Held> {
  const db = client.db(database);
  const notes = db.collection<{ _id: 'restore'; keeper_released_at: Date | null }>(restores.name);
  const note = await notes.findOne({ _id: 'restore' });
  if (!note) throw new Error(`${database} was not restored from a backup; its keeper is not held.`);
  if (note.keeper_released_at) throw new Error(`The keeper was released at ${note.keeper_released_at.toISOString()}.`);
  const journalled = await db.collection<Journalled>('keeper_vaults').find({}).toArray();
  const onItsWay = journalled.flatMap(({ _id, open }) => {
    if (!open) return [];
    const { attempts = [], ...transaction } = open;
    return [{ vault: _id, ...transaction, hashes: attempts.map(({ hash }) => hash) }];
  });
  for (const { vault, key, nonce, account, hashes } of onItsWay)
    say(`on its way for ${vault}: ${key}, nonce ${nonce} of ${account}: ${hashes.join(', ')}`);
  const running = await db.collection('strategies').countDocuments({ state: 'RUNNING' });
  const executing = await db.collection('intents').countDocuments({ state: 'EXECUTING' });
  say(`${running} strategies are RUNNING, ${executing} intents EXECUTING.`);
  if (!isConfirmed) {
    say('Nothing was changed. Hold these against what the key has sent on the chain, then run it again with --yes.');
  } else {
    await notes.updateOne({ _id: 'restore' }, { $set: { keeper_released_at: now() } });
    say('The keeper may send again.');
  }
  return {
    on_its_way: onItsWay,
    running_strategies: running,
    executing_intents: executing,
    is_released: isConfirmed,
  };
}
