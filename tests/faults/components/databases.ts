import { connectMongo, createRegistry } from '@castellan/service-kit';
import type { TestStore } from '@castellan/testkit';
import type { Connection } from '../gated-store.ts';

let made = 0;

/** A database of the scene's own. */
export function openDatabase(store: TestStore): Promise<Connection> {
  made += 1;
  return connectMongo({ uri: store.uri, database: `${store.database}_${made}`, registry: createRegistry('test') });
}
