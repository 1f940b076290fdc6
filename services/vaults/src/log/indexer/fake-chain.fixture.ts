import { type ChainConfig, superVaultAggregatorAbi } from '@castellan/chain';
import {
  type Address,
  createPublicClient,
  custom,
  encodeAbiParameters,
  encodeEventTopics,
  type Hash,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  type PublicClient,
  toHex,
} from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';

export type FakeLog = { address: Address; topics: Hex[]; data: Hex };
type LogFilter = { address: Address[]; fromBlock: Hex; toBlock: Hex } | { address: Address[]; blockHash: Hash };
export type FakeBlock = { hash: Hash; parent: Hash; logs: FakeLog[] };

export const singletons = {
  governor: '0x1111111111111111111111111111111111111111',
  aggregator: '0x2222222222222222222222222222222222222222',
  ppsOracle: '0x3333333333333333333333333333333333333333',
} as const;
export const foreign: Address = '0x9999999999999999999999999999999999999999';
const genesisParent: Hash = `0x${'0'.repeat(64)}`;
const someTopic = keccak256(toHex('Something()'));

/** The vault, strategy and escrow of the nth creation. */
export const trioOf = (index: number): [Address, Address, Address] => {
  const at = (kind: number): Address => `0x${(0xa000_0000 + index * 16 + kind).toString(16).padStart(40, '0')}`;
  return [at(1), at(2), at(3)];
};

export const somethingBy = (address: Address): FakeLog => ({ address, topics: [someTopic], data: '0x' });

export function deployedLog(index: number): FakeLog {
  const [vault, strategy, escrow] = trioOf(index);
  return {
    address: singletons.aggregator,
    topics: encodeEventTopics({
      abi: superVaultAggregatorAbi,
      eventName: 'VaultDeployed',
      args: { vault, strategy, nonce: BigInt(index) },
    }) as Hex[],
    data: encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'string' }, { type: 'string' }],
      [escrow, foreign, `Vault ${index}`, `V${index}`],
    ),
  };
}

/** A chain that can fork, and go back to a fork it left. Block 0 is the first. */
export class FakeChain {
  blocks: FakeBlock[] = [];
  readonly #left: FakeBlock[][] = [];
  #made = 0;
  #highest = 0;

  mine(logs: FakeLog[]): void {
    this.#made += 1;
    const parent = this.blocks.at(-1)?.hash ?? genesisParent;
    this.blocks.push({ hash: keccak256(toHex(`block ${this.#made}`)), parent, logs });
    this.#highest = Math.max(this.#highest, this.blocks.length);
  }

  /** Drops the newest blocks, for others to follow. */
  cut(depth: number): void {
    this.#left.push([...this.blocks]);
    this.blocks = this.blocks.slice(0, Math.max(1, this.blocks.length - depth));
  }

  /** Mines until the chain is longer than it ever was: a shorter one looks like a node that lags behind. */
  outgrow(): void {
    const target = this.#highest + 1;
    while (this.blocks.length < target) this.mine([]);
  }

  /** Goes back to the branch that was left last: its blocks and logs return under their old hashes. */
  goBack(): void {
    const branch = this.#left.pop();
    if (!branch) return;
    this.#left.push([...this.blocks]);
    this.blocks = branch;
  }

  /** Vaults of this branch. */
  deployed(): number[] {
    return this.blocks
      .flatMap(({ logs }) => logs)
      .filter(({ data }) => data !== '0x')
      .map(({ topics }) => Number(hexToBigInt(topics[3] ?? '0x0')));
  }

  #header(number: bigint): unknown {
    const block = this.blocks[Number(number)];
    if (!block) return null;
    return {
      number: numberToHex(number),
      hash: block.hash,
      parentHash: block.parent,
      timestamp: numberToHex(1_700_000_000n + number),
    };
  }

  /** A block that is not on the chain is an error by its hash, and nothing by its number. */
  #spanOf(filter: LogFilter): [number, number] {
    if ('fromBlock' in filter) return [Number(filter.fromBlock), Number(filter.toBlock)];
    const number = this.blocks.findIndex(({ hash }) => hash === filter.blockHash);
    if (number < 0) throw Object.assign(new Error('unknown block'), { code: -32_000 });
    return [number, number];
  }

  #logs(filter: LogFilter): unknown[] {
    const wanted = new Set(filter.address.map((item) => item.toLowerCase()));
    const [first, last] = this.#spanOf(filter);
    const found: unknown[] = [];
    for (let number = first; number <= last; number += 1) {
      const block = this.blocks[number];
      for (const [index, log] of (block?.logs ?? []).entries()) {
        if (!wanted.has(log.address)) continue;
        const place = { blockNumber: numberToHex(number), blockHash: block?.hash, logIndex: numberToHex(index) };
        found.push({ ...log, ...place, transactionHash: block?.hash, transactionIndex: '0x0', removed: false });
      }
    }
    return found;
  }

  /** Each block holds one transaction, of the block's own hash. */
  #receipt(hash: Hash): unknown {
    const number = this.blocks.findIndex((block) => block.hash === hash);
    if (number < 0) return null;
    const place = { blockHash: hash, blockNumber: numberToHex(number), transactionHash: hash, transactionIndex: '0x0' };
    const cost = {
      gasUsed: '0x5208',
      cumulativeGasUsed: '0x5208',
      effectiveGasPrice: '0x1',
      status: '0x1',
      type: '0x2',
    };
    return { ...place, ...cost, from: foreign, to: foreign, contractAddress: null, logs: [], logsBloom: '0x' };
  }

  answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_blockNumber') return numberToHex(this.blocks.length - 1);
    if (method === 'eth_getBlockByNumber') return this.#header(hexToBigInt(params[0] as Hex));
    if (method === 'eth_getTransactionReceipt') return this.#receipt(params[0] as Hash);
    if (method === 'eth_getLogs') return this.#logs(params[0] as LogFilter);
    throw new Error(`The test does not script ${method}`);
  }

  /** What the log must hold in the end: our contracts' logs, in chain order, as `<block hash>:<log index>`. */
  expected(): string[] {
    const ours = new Set<string>(Object.values(singletons));
    for (const index of this.deployed()) for (const address of trioOf(index)) ours.add(address);
    return this.blocks.flatMap(({ hash, logs }) =>
      logs.flatMap(({ address }, index) => (ours.has(address) ? [`${hash}:${index}`] : [])),
    );
  }

  known(): KnownChain {
    const client = createPublicClient({
      cacheTime: 0,
      transport: custom(
        {
          request: async ({ method, params }: { method: string; params?: readonly unknown[] }) =>
            this.answer(method, params ?? []),
        },
        { retryCount: 0 },
      ),
    }) as PublicClient;
    return { config: fakeConfig, client, contracts: async () => ({ ...singletons }), feeds: async () => [] };
  }
}

export const fakeConfig: ChainConfig = {
  chainId: 7,
  slug: 'fake',
  name: 'Fake',
  rpcUrls: [],
  explorerUrl: null,
  nativeSymbol: 'ETH',
  blockTimeSeconds: 1,
  confirmations: 1,
  observationCadenceSeconds: 15,
  startBlock: 0n,
  ...singletons,
  priceFeeds: {},
  vaults: null,
  sourceNames: {},
};
