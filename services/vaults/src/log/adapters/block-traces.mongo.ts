import { activeTracing } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { chainLogCollection } from '../models/chain-log.ts';

/**
 * Of a block of a chain the trace (`traceparent`) in which it was read; undefined where that is not recorded, or the block has no entries.
 * Where no traces are sent the store is not asked.
 */
export function blockTraces(connection: Connection) {
  const log = chainLogCollection(connection);
  return async (chainId: number, block: number): Promise<string | undefined> => {
    if (!activeTracing()?.isRecorded) return undefined;
    const entries = await log.find({ chain_id: chainId, block_number: block }).project({ trace: 1, seq: 1 }).toArray();
    // After a reorganisation the block that came last.
    const marked = entries.filter(({ trace }) => trace !== undefined).sort((a, b) => a.seq - b.seq);
    return marked.at(-1)?.trace;
  };
}
