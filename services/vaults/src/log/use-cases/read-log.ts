import { readHeader, unwrapRpcError } from '@castellan/chain';
import {
  AppError,
  type GetBlock,
  type ListChains,
  type ListLogEntries,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import { traceMarksOf } from '../domain/entry-trace.ts';
import { isoTime } from '../domain/log-entry.ts';
import type { BlockStore, ChainStatusStore, LogReader } from '../ports.ts';

export type BlockTimes = Pick<BlockStore, 'timeUpTo'>;

/** A page stays well under the bus's largest message (1 MiB); the rest comes with the next one. */
const pageBytes = 512 * 1024;

function withinBytes<T>(entries: readonly T[]): T[] {
  let bytes = 0;
  const cut = entries.findIndex((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return bytes > pageBytes;
  });
  return cut < 0 ? [...entries] : entries.slice(0, Math.max(1, cut));
}

export const listLogEntries =
  ({ chains, log, status }: { chains: ChainDirectory; log: LogReader; status: ChainStatusStore }) =>
  async ({ chain_id, after_seq, limit }: ParamsOf<typeof ListLogEntries>): Promise<ResultOf<typeof ListLogEntries>> => {
    chains.get(chain_id);
    // Read first: what it names is in the log by then.
    const { indexed_block = null, indexed_time = null } = await status.get(chain_id);
    const entries = withinBytes(await log.page(chain_id, after_seq, limit));
    const traces = traceMarksOf(entries);
    return {
      entries,
      ...(traces ? { traces } : {}),
      head_seq: Math.max(await log.headSeq(chain_id), entries.at(-1)?.seq ?? 0),
      indexed_block,
      indexed_time: indexed_time === null ? null : isoTime(BigInt(indexed_time)),
    };
  };

export const getBlock =
  ({ chains }: { chains: ChainDirectory }) =>
  async ({ chain_id, block_number }: ParamsOf<typeof GetBlock>): Promise<ResultOf<typeof GetBlock>> => {
    const header = await readHeader(chains.get(chain_id).client, BigInt(block_number)).catch((error: unknown) => {
      throw unwrapRpcError(error);
    });
    if (!header) throw new AppError('BLOCK_IN_FUTURE', `Chain ${chain_id} has no block ${block_number} yet.`);
    return { chain_id, block_number, block_hash: header.hash, block_time: isoTime(header.timestamp) };
  };

/** Chain time of a final block of each chain, read once for each block that it is asked for. */
function finalTimes(blocks: BlockTimes) {
  const last = new Map<number, { block: number; time: number }>();
  return async (chainId: number, block: number): Promise<number | null> => {
    const known = last.get(chainId);
    if (known?.block === block) return known.time;
    const time = await blocks.timeUpTo(chainId, block);
    if (time !== null) last.set(chainId, { block, time });
    return time;
  };
}

type ChainPorts = { chains: ChainDirectory; status: ChainStatusStore; blocks: BlockTimes };

export const listChains = ({ chains, status, blocks }: ChainPorts) => {
  const finalTimeOf = finalTimes(blocks);
  return async (): Promise<ResultOf<typeof ListChains>> => ({
    chains: await Promise.all(
      chains.all().map(async ({ config }) => {
        const { head_block, head_time, indexed_block, indexed_time } = await status.get(config.chainId);
        const known = typeof head_time === 'number' && typeof indexed_time === 'number';
        // Twice as deep as final blocks are: of a number whose block was replaced the time of the former one may be found.
        const deep = typeof indexed_block === 'number' ? indexed_block - 2 * config.confirmations : -1;
        const finalTime = await finalTimeOf(config.chainId, deep);
        return {
          chain_id: config.chainId,
          slug: config.slug,
          name: config.name,
          explorer_url: config.explorerUrl,
          native_symbol: config.nativeSymbol,
          head_block: head_block ?? null,
          indexed_block: indexed_block ?? null,
          lag_seconds: known ? Math.max(0, head_time - indexed_time) : null,
          final_time: finalTime === null ? null : isoTime(BigInt(finalTime)),
        };
      }),
    ),
  });
};
