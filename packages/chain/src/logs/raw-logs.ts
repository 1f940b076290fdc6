import { AppError } from '@castellan/contracts';
import { type Address, type Hash, type Hex, numberToHex, type PublicClient } from 'viem';
import { isRpcUnavailable, refusalIn } from '../rpc/unavailable.ts';

type RawLog = {
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex | null;
  blockHash: Hash | null;
  transactionHash: Hash | null;
  transactionIndex: Hex | null;
  logIndex: Hex | null;
  blockTimestamp?: Hex | null;
  removed?: boolean;
};

/** A log as `eth_getLogs` sends it, of a block. */
export type MinedLog = RawLog & {
  blockNumber: Hex;
  blockHash: Hash;
  transactionHash: Hash;
  transactionIndex: Hex;
  logIndex: Hex;
};

/** More would make requests that some providers refuse; 1 000 vaults are 3 000 addresses. */
const ADDRESSES_PER_REQUEST = 1_000;

type Where = { fromBlock: Hex; toBlock: Hex } | { blockHash: Hash };

async function getLogs(client: PublicClient, addresses: readonly Address[], where: Where): Promise<MinedLog[]> {
  const wanted = new Set(addresses.map((address) => address.toLowerCase()));
  const groups: Address[][] = [];
  for (let start = 0; start < addresses.length; start += ADDRESSES_PER_REQUEST) {
    groups.push(addresses.slice(start, start + ADDRESSES_PER_REQUEST));
  }
  const answers = await Promise.all(
    groups.map((address) => client.request({ method: 'eth_getLogs', params: [{ address, ...where }] })),
  );
  for (const answer of answers)
    if (!Array.isArray(answer))
      throw new AppError('RPC_UNAVAILABLE', 'The node sent no list of logs. Try again shortly.');
  return (answers.flat() as RawLog[]).filter(
    (log): log is MinedLog => log.blockHash !== null && log.removed !== true && wanted.has(log.address.toLowerCase()),
  );
}

/** Logs of some contracts from one block to another, as far as the node has these blocks: it does not say how far. */
export const logsOfRange = (client: PublicClient, addresses: readonly Address[], from: bigint, to: bigint) =>
  getLogs(client, addresses, { fromBlock: numberToHex(from), toBlock: numberToHex(to) });

/** The node does not have the block of a hash: it is behind, or the block is no longer on its chain. */
export class BlockMissing extends AppError {
  constructor(hash: Hash, cause: unknown) {
    super('RPC_UNAVAILABLE', `The node does not have block ${hash}. Try again shortly.`, { cause });
  }
}

/**
 * Logs of some contracts in one block. A node that does not have the block refuses (EIP-234), where for a range it would
 * answer with less.
 * @returns null when the node does not know logs by a block's hash.
 * @throws BlockMissing, or AppError RPC_UNAVAILABLE when the node does not answer.
 */
export async function logsOfBlock(
  client: PublicClient,
  addresses: readonly Address[],
  hash: Hash,
): Promise<MinedLog[] | null> {
  try {
    const logs = await getLogs(client, addresses, { blockHash: hash });
    return logs.every(({ blockHash }) => blockHash === hash) ? logs : null;
  } catch (error) {
    if (refusalIn(error)?.kind === 'unavailable') throw new BlockMissing(hash, error);
    if (isRpcUnavailable(error)) throw error;
    return null;
  }
}

/** Identifies a log among all others. */
export const keyOf = ({ blockHash, logIndex }: MinedLog): string => `${blockHash}:${Number(logIndex)}`;
