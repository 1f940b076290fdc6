import type { KeeperReport } from '../../strategies/access.ts';
import { type HeartbeatStore, PASS_LATE_MS } from '../adapters/heartbeat.mongo.ts';

/**
 * What the keeper of a chain last reported. It is read from the store, so it is known while no keeper is there, and is the same
 * whichever of several works.
 */
export const lastReport =
  ({ heartbeats, now }: { heartbeats: Pick<HeartbeatStore, 'get'>; now: () => number }) =>
  async (chainId: number): Promise<KeeperReport | null> => {
    const found = await heartbeats.get(chainId);
    if (!found) return null;
    const { address, block_number, balance, at } = found;
    return { address, is_running: now() - Date.parse(at) < PASS_LATE_MS, block_number, last_pass_at: at, balance };
  };
