import type { Connection } from 'mongoose';
import type { ConfigStore } from '../chain/config-tracker.ts';
import type { WatchStore } from '../chain/event-watcher.ts';
import { trackerFromJson, trackerToJson, watchFromJson, watchToJson } from '../chain/state-json.ts';

type Stored = { _id: string; state: unknown };

/** How far the chains were followed, in the node's own database: one document for each follower. */
export function followedState(connection: Connection): { config: ConfigStore; watch: WatchStore } {
  const followers = connection.collection<Stored>('chain_followers');
  const read = async (_id: string) => (await followers.findOne({ _id }))?.state;
  const write = async (_id: string, state: unknown) => {
    await followers.replaceOne({ _id }, { state }, { upsert: true });
  };
  return {
    config: {
      read: async () => {
        const state = await read('config');
        return state === undefined ? null : trackerFromJson(state);
      },
      write: (state) => write('config', trackerToJson(state)),
    },
    watch: {
      read: async (chainId) => {
        const state = await read(`events:${chainId}`);
        return state === undefined ? null : watchFromJson(state);
      },
      write: (chainId, state) => write(`events:${chainId}`, watchToJson(state)),
    },
  };
}
