import type { Address, Hash, PublicClient } from 'viem';
import { bloomMayHold, isEmptyBloom } from './bloom.ts';
import type { BloomHeader } from './headers.ts';
import { keyOf, logsOfBlock, logsOfRange, type MinedLog } from './raw-logs.ts';

/**
 * What was done to be sure that no log is missing.
 * - `blocks`: those whose bloom filter was held against what came.
 * - `confirmed`: of these, the blocks that were asked for once more, because their filter matches our contracts and no logs came.
 * - `recovered`: logs that the first answer lacked.
 * - `witnessed`: what another endpoint said of the same range; null where it was not asked.
 * - `blooms`: `useless` when a filter is empty though its block has logs, or headers have none.
 */
export type LogCheck = {
  blocks: number;
  confirmed: number;
  recovered: number;
  witnessed: 'same' | 'more' | 'failed' | null;
  blooms: 'used' | 'useless';
};

/** Where logs are read, and by whom they are checked. */
export type LogSource = {
  /** The endpoint whose headers and logs are read. */
  client: PublicClient;
  /** Another one, for a second opinion. */
  witness: PublicClient | null;
  addresses: readonly Address[];
};

/** Held against filters of a long range when nobody else can be asked: few, so that a range does not cost a request a block. */
const SAMPLED_BLOCKS = 8;

/** A check that has counted nothing yet. */
export const newCheck = (): LogCheck => ({ blocks: 0, confirmed: 0, recovered: 0, witnessed: null, blooms: 'used' });

/** Some blocks of a range, most of them at its end, which is what a node that is behind lacks. */
export function sampledNumbers(from: bigint, to: bigint): bigint[] {
  const span = to - from;
  const half = SAMPLED_BLOCKS / 2;
  const numbers = new Set<bigint>();
  for (let index = 0; index < half; index += 1) {
    numbers.add(from + (span * BigInt(index)) / BigInt(half));
    numbers.add(to - BigInt(index) < from ? from : to - BigInt(index));
  }
  return [...numbers];
}

/** The logs of one block once more, from another endpoint where there is one and it has the block. */
async function askAgain({ client, witness, addresses }: LogSource, hash: Hash): Promise<MinedLog[]> {
  // A second endpoint may be behind, or away: then the first one is asked a second time.
  const found = witness === null ? null : await logsOfBlock(witness, addresses, hash).catch(() => null);
  return found ?? (await logsOfBlock(client, addresses, hash)) ?? [];
}

/**
 * Holds the bloom filters of some blocks against the logs that came of them. A block whose filter matches our contracts and
 * of which nothing came is asked for once more by its hash; what it answers then counts, because filters have false positives.
 * @returns the logs that were missing.
 */
export async function missingByBloom(
  source: LogSource,
  headers: readonly BloomHeader[],
  logs: readonly MinedLog[],
  check: LogCheck,
): Promise<MinedLog[]> {
  const withLogs = new Set(logs.map(({ blockHash }) => blockHash));
  const suspicious: BloomHeader[] = [];
  for (const header of headers) {
    if (header.logsBloom === null) {
      check.blooms = 'useless';
      continue;
    }
    const hasLogs = withLogs.has(header.hash);
    check.blocks += 1;
    if (hasLogs && isEmptyBloom(header.logsBloom)) check.blooms = 'useless';
    else if (!hasLogs && bloomMayHold(header.logsBloom, source.addresses)) suspicious.push(header);
  }
  if (check.blooms === 'useless') return [];
  check.confirmed += suspicious.length;
  const found = (await Promise.all(suspicious.map(({ hash }) => askAgain(source, hash)))).flat();
  check.recovered += found.length;
  return found;
}

/**
 * Whether another endpoint has logs of a range that did not come. It may be behind itself: what it lacks says nothing.
 */
export async function isMoreAtWitness(
  { witness, addresses }: LogSource,
  { from, to }: { from: bigint; to: bigint },
  logs: readonly MinedLog[],
  check: LogCheck,
): Promise<boolean> {
  if (witness === null) return false;
  let found: MinedLog[];
  try {
    found = await logsOfRange(witness, addresses, from, to);
  } catch {
    // The logs are kept without a second opinion; the metric counts how often there was none.
    check.witnessed = 'failed';
    return false;
  }
  const known = new Set(logs.map(keyOf));
  const more = found.filter((log) => !known.has(keyOf(log)));
  check.witnessed = more.length > 0 ? 'more' : 'same';
  check.recovered += more.length;
  return more.length > 0;
}
