import type { Api } from './api.ts';
import { type ChainRecord, type Deployment, readChain } from './chain-record.ts';
import { type Rpc, timesOf } from './rpc.ts';
import type { Checking } from './run.ts';

/** Reads the chain up to `head` once, so that any moment before can be recomputed. */
export async function checkingOf(given: {
  rpc: Rpc;
  api: Api;
  deployments: readonly Deployment[];
  head: bigint;
  receipts: boolean;
}): Promise<Checking> {
  const { rpc, api, deployments, head, receipts } = given;
  const records = new Map<string, ChainRecord>();
  for (const deployment of deployments) records.set(deployment.vault, await readChain(rpc, deployment, head));
  const first = deployments.reduce((least, { startBlock }) => (startBlock < least ? startBlock : least), head);
  const numbers = Array.from({ length: Number(head - first + 1n) }, (_, at) => first + BigInt(at));
  const times = await timesOf(rpc, numbers);
  // Of blocks in the same second the last has the state of that second.
  const blocks = new Map([...times].map(([block, time]) => [time, block]));
  const known = <K, V>(map: Map<K, V>, key: K): V => {
    const value = map.get(key);
    if (value === undefined) throw new Error(`Nothing is known of ${key}: it is not in the first ${head} blocks.`);
    return value;
  };
  return {
    api,
    rpc,
    records,
    receipts,
    timeOf: (block) => known(times, block),
    blockAt: (time) => known(blocks, time),
  };
}
