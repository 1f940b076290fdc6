/** JSON-RPC in batches over fetch: what the recomputation knows of a chain is what a node answers here. */
export type Rpc = {
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  one(method: string, params: readonly unknown[]): Promise<unknown>;
};
export type RpcCall = { method: string; params: readonly unknown[] };

type Answer = { id: number; result?: unknown; error?: { message: string } };

/** Calls in one request; public nodes refuse much larger ones. */
const BATCH = 200;

const hex = (value: bigint): string => `0x${value.toString(16)}`;

async function post(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
  });
  const answers = (await response.json()) as Answer[];
  const results = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map(({ method }, id) => {
    const answer = results.get(id);
    if (!answer || answer.error) throw new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`);
    return answer.result;
  });
}

export function rpcOf(url: string): Rpc {
  const batch = async (calls: readonly RpcCall[]): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (let from = 0; from < calls.length; from += BATCH)
      results.push(...(await post(url, calls.slice(from, from + BATCH))));
    return results;
  };
  return { batch, one: async (method, params) => (await batch([{ method, params }]))[0] };
}

/** Asks each question once: answers about past blocks stay the same on a chain that is not reorganised meanwhile. */
export function rememberingRpc(rpc: Rpc): Rpc {
  const answers = new Map<string, unknown>();
  const batch = async (calls: readonly RpcCall[]): Promise<unknown[]> => {
    const keys = calls.map((call) => JSON.stringify(call));
    const missing = calls.filter((_, at) => !answers.has(keys[at] as string));
    const found = await rpc.batch(missing);
    for (const [at, call] of missing.entries()) answers.set(JSON.stringify(call), found[at]);
    return keys.map((key) => answers.get(key));
  };
  return { batch, one: async (method, params) => (await batch([{ method, params }]))[0] };
}

export type RawLog = {
  address: string;
  topics: [`0x${string}`, ...`0x${string}`[]];
  data: `0x${string}`;
  blockNumber: bigint;
  logIndex: number;
  transactionHash: string;
};

type WireLog = Omit<RawLog, 'blockNumber' | 'logIndex'> & { blockNumber: string; logIndex: string };

/** Blocks in one question for logs. */
const LOG_RANGE = 5_000n;

/** All logs of some contracts up to a block, in chain order. */
export async function logsUpTo(rpc: Rpc, addresses: readonly string[], from: bigint, to: bigint): Promise<RawLog[]> {
  const calls: RpcCall[] = [];
  for (let start = from; start <= to; start += LOG_RANGE) {
    const end = start + LOG_RANGE - 1n < to ? start + LOG_RANGE - 1n : to;
    calls.push({ method: 'eth_getLogs', params: [{ address: addresses, fromBlock: hex(start), toBlock: hex(end) }] });
  }
  const pages = (await rpc.batch(calls)) as WireLog[][];
  return pages
    .flat()
    .map((log) => ({
      ...log,
      address: log.address.toLowerCase(),
      blockNumber: BigInt(log.blockNumber),
      logIndex: Number(log.logIndex),
    }))
    .sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
}

/** Times of blocks, chain seconds. */
export async function timesOf(rpc: Rpc, blocks: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const distinct = [...new Set(blocks)];
  const headers = (await rpc.batch(
    distinct.map((block) => ({ method: 'eth_getBlockByNumber', params: [hex(block), false] })),
  )) as { timestamp: string }[];
  return new Map(distinct.map((block, at) => [block, BigInt((headers[at] as { timestamp: string }).timestamp)]));
}

export type Cost = { from: string; gasUsed: bigint; price: bigint };

/** Sender and cost of transactions, from their receipts. */
export async function costsOf(rpc: Rpc, hashes: readonly string[]): Promise<Map<string, Cost>> {
  const receipts = (await rpc.batch(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )) as { from: string; gasUsed: string; effectiveGasPrice: string }[];
  return new Map(
    receipts.map(({ from, gasUsed, effectiveGasPrice }, at) => [
      hashes[at] as string,
      { from: from.toLowerCase(), gasUsed: BigInt(gasUsed), price: BigInt(effectiveGasPrice) },
    ]),
  );
}

/** Answers of contracts at one block. */
export async function callsAt(
  rpc: Rpc,
  calls: readonly { to: string; data: string }[],
  block: bigint,
): Promise<`0x${string}`[]> {
  return (await rpc.batch(
    calls.map((call) => ({ method: 'eth_call', params: [call, hex(block)] })),
  )) as `0x${string}`[];
}
