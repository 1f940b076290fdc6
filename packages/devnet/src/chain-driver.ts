import { request } from 'node:http';
import { decodeRevert, MULTICALL3 } from '@castellan/chain';
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  numberToHex,
} from 'viem';

/** A call of one function of a contract. */
export type Call = { to: Address; abi: Abi; functionName: string; args?: readonly unknown[] };

const dataOf = ({ abi, functionName, args = [] }: Call): Hex =>
  encodeFunctionData({ abi, functionName, args: [...args] });

/** Several calls as one, which fails when any of them does. */
const gatheredCall = (calls: readonly Call[]): Call => {
  const inner = calls.map((call) => ({ target: call.to, allowFailure: false, callData: dataOf(call) }));
  return { to: MULTICALL3, abi: multicall3Abi, functionName: 'aggregate3', args: [inner] };
};

/** Less than half of the processor time that `fetch` takes: a history is thousands of small requests. */
const post = (url: string, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve(text));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });

type RpcAnswer = { id: number; result?: unknown; error?: { message: string; data?: unknown } };
type Sent = { label: string; hash: Hex; from: Address; to: Address | undefined; data: Hex };

const gasPerTransaction = numberToHex(6_000_000);
const gasPrice = { maxFeePerGas: numberToHex(5_000_000_000), maxPriorityFeePerGas: numberToHex(100_000_000) };
const checkEvery = 400;

/**
 * Drives anvil's unlocked accounts: transactions are queued, sent in one batch and mined into one block at a chosen time.
 * Receipts are checked in bulk, and a transaction that reverted stops everything with its name and reason.
 */
export class ChainDriver {
  readonly #url: string;
  readonly #nonces = new Map<Address, number>();
  #queue: { label: string; from: Address; to: Address | undefined; data: Hex }[] = [];
  #gathered = new Map<Address, Call[]>();
  #unchecked: Sent[] = [];
  #time: number;
  #blocks = 0;
  #transactions = 0;

  constructor(url: string, startTime: number) {
    this.#url = url;
    this.#time = startTime;
  }

  /** Unix seconds of the last block mined here, or that there was nothing to mine into. */
  get time(): number {
    return this.#time;
  }

  get blocks(): number {
    return this.#blocks;
  }

  get transactions(): number {
    return this.#transactions;
  }

  setNonce(from: Address, nonce: number): void {
    this.#nonces.set(from, nonce);
  }

  /** Forgets what was queued or awaits its receipt. */
  dropQueued(): void {
    this.#queue = [];
    this.#gathered.clear();
    this.#unchecked = [];
  }

  nextNonce(from: Address): number {
    return this.#nonces.get(from) ?? 0;
  }

  /** Takes a transaction into the next block. */
  queue(label: string, from: Address, call: Call | { to?: Address; data: Hex }): void {
    const data = 'abi' in call ? dataOf(call) : call.data;
    this.#queue.push({ label, from, to: call.to, data });
    this.#nonces.set(from, this.nextNonce(from) + 1);
  }

  /** Takes a call that everybody may make into the next block: all of one sender are one transaction, by Multicall3. */
  gather(from: Address, call: Call): void {
    this.#gathered.set(from, [...(this.#gathered.get(from) ?? []), call]);
  }

  #queueGathered(): void {
    for (const [from, calls] of this.#gathered) {
      this.queue(calls.map(({ functionName }) => functionName).join(', '), from, gatheredCall(calls));
    }
    this.#gathered.clear();
  }

  /** Sends what was queued, in one batch, without mining. */
  async sendQueued(): Promise<void> {
    this.#queueGathered();
    const batch = this.#queue;
    this.#queue = [];
    const next = new Map<Address, number>();
    for (const { from } of batch) next.set(from, (next.get(from) ?? 0) + 1);
    for (const [from, count] of next) next.set(from, this.nextNonce(from) - count);
    const requests = batch.map(({ from, to, data }) => {
      const nonce = next.get(from) ?? 0;
      next.set(from, nonce + 1);
      const call = {
        from,
        ...(to ? { to } : {}),
        data,
        nonce: numberToHex(nonce),
        gas: gasPerTransaction,
        ...gasPrice,
      };
      return { method: 'eth_sendTransaction', params: [call] };
    });
    const hashes = (await this.batch(requests)) as Hex[];
    this.#unchecked.push(...batch.map((sent, index) => ({ ...sent, hash: hashes[index] as Hex })));
    this.#transactions += batch.length;
  }

  /** Mines what was queued into one block at `time` (or the next second, if that has passed); no block where nothing was. */
  async mine(time: number): Promise<void> {
    this.#time = Math.max(time, this.#time + 1);
    if (this.#queue.length === 0 && this.#gathered.size === 0) return;
    await this.sendQueued();
    await this.rpc('evm_mine', [{ timestamp: this.#time, blocks: 1 }]);
    this.#blocks += 1;
    if (this.#unchecked.length >= checkEvery) await this.checkReceipts();
  }

  /** @throws Error naming the first transaction since the last check that reverted or was not mined. */
  async checkReceipts(): Promise<void> {
    const sent = this.#unchecked;
    this.#unchecked = [];
    const receipts = (await this.batch(
      sent.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    )) as ({
      status: Hex;
      blockNumber: Hex;
    } | null)[];
    for (const [index, receipt] of receipts.entries()) {
      const { label, hash, from, to, data } = sent[index] as Sent;
      if (receipt?.status === '0x1') continue;
      const reason = receipt ? await this.#reasonOf({ from, to, data }) : 'it was not mined';
      throw new Error(`${label} failed (${hash}, block ${receipt ? Number(receipt.blockNumber) : '-'}): ${reason}`);
    }
  }

  /** Reads several views at the latest block, by one call. */
  async read(calls: readonly Call[]): Promise<unknown[]> {
    if (calls.length === 0) return [];
    const answer = (await this.rpc('eth_call', [
      { to: MULTICALL3, data: dataOf(gatheredCall(calls)) },
      'latest',
    ])) as Hex;
    const parts = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
    return calls.map(({ abi, functionName }, index) =>
      decodeFunctionResult({ abi, functionName, data: parts[index]?.returnData as Hex }),
    );
  }

  async rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const [result] = await this.batch([{ method, params }]);
    return result;
  }

  async batch(requests: readonly { method: string; params: readonly unknown[] }[]): Promise<unknown[]> {
    if (requests.length === 0) return [];
    const body = JSON.stringify(requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request })));
    const answers = (JSON.parse(await post(this.#url, body)) as RpcAnswer[]).sort((a, b) => a.id - b.id);
    return answers.map(({ result, error }, index) => {
      if (!error) return result;
      const reason = decodeRevert(error.data)?.name;
      throw new Error(`${requests[index]?.method} was refused: ${error.message}${reason ? ` (${reason})` : ''}`);
    });
  }

  async #reasonOf(call: { from: Address; to: Address | undefined; data: Hex }): Promise<string> {
    try {
      await this.rpc('eth_call', [call, 'latest']);
      return 'it reverted, and would not now';
    } catch (error) {
      return (error as Error).message;
    }
  }
}
