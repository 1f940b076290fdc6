import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeRevert, hookLeaf, hookTree, ppsDomainSeparator, registryKeys, updatePpsDigest } from '@castellan/chain';
import { freePort } from '@castellan/testkit';
import {
  type Abi,
  type Address,
  createTestClient,
  decodeEventLog,
  encodeFunctionData,
  encodePacked,
  type Hex,
  http,
  numberToHex,
  pad,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  toHex,
  zeroAddress,
} from 'viem';
import { type HDAccount, sign } from 'viem/accounts';
import {
  type Anvil,
  type Artifacts,
  type ContractName,
  contractArtifacts,
  deployContract,
  deployCore,
  devWallet,
  type Sender,
  startAnvil,
} from '../src/index.ts';

/** Account `index` of anvil's mnemonic. */
export const person = devWallet;
const at = (index: number): Address => person(index).address;

export const who = {
  deployer: at(0),
  main: at(1),
  secondary: at(2),
  transmitter: at(5),
  alice: at(10),
  bob: at(11),
  stranger: at(50),
} as const;
export const signers = [60, 61, 62, 63]
  .map(person)
  .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1)) as HDAccount[];
export const one = 1_000_000n;

export const keyOf = (signer: HDAccount): Hex => toHex(signer.getHdKey().privateKey as Uint8Array);

/** A thing on the chain that can be called. */
export type Contract = { name: ContractName; address: Address };
export type Happened = { contract: string; event: string; args: Record<string, unknown> };
export type Entry = { strategy: Address; pps: bigint; timestamp: bigint; proofs: Hex[] };

const gas = numberToHex(20_000_000);

/** A chain of its own with the core, one vault over a 6-decimals token, two sources, and a proven hooks root. */
export class TestChain {
  readonly anvil: Anvil;
  readonly artifacts: Artifacts;
  readonly client;
  readonly #contracts = new Map<string, Contract>();
  readonly #folder: string;

  private constructor(anvil: Anvil, artifacts: Artifacts, folder: string) {
    this.anvil = anvil;
    this.artifacts = artifacts;
    this.#folder = folder;
    this.client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl), cacheTime: 0 }).extend(
      publicActions,
    );
  }

  static async start(): Promise<TestChain> {
    const folder = mkdtempSync(join(tmpdir(), 'castellan-protocol-'));
    const artifacts = contractArtifacts({ cacheDir: join(tmpdir(), 'castellan-contracts') });
    const anvil = await startAnvil({ port: await freePort(), cachePath: join(folder, 'cache') });
    return new TestChain(anvil, artifacts, folder);
  }

  async stop(): Promise<void> {
    await this.anvil.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  know(name: ContractName, address: Address): Contract {
    const contract = { name, address };
    this.#contracts.set(address.toLowerCase(), contract);
    return contract;
  }

  encode({ name }: Contract, functionName: string, args: readonly unknown[] = []): Hex {
    return encodeFunctionData({ abi: this.artifacts[name].abi as Abi, functionName, args: [...args] });
  }

  /** What a call would do now: `ok`, or the name of the error. Nothing changes. */
  async attempt(from: Address, contract: Contract, functionName: string, args: readonly unknown[] = []) {
    const data = this.encode(contract, functionName, args);
    const answer = (await this.client
      .request({ method: 'eth_call', params: [{ from, to: contract.address, data, gas }, 'latest'] } as never)
      .catch((error: unknown) => ({ error }))) as Hex | { error: unknown };
    return typeof answer === 'string' ? 'ok' : (decodeRevert(answer.error)?.name ?? String(answer.error));
  }

  /** Sends a transaction and returns the events of our contracts, in order. @throws Error naming the revert. */
  async send(
    from: Address,
    contract: Contract,
    functionName: string,
    args: readonly unknown[] = [],
  ): Promise<Happened[]> {
    const data = this.encode(contract, functionName, args);
    const hash = await this.#transaction({ from, to: contract.address, data });
    const receipt = await this.receiptOf(hash);
    if (receipt.status !== 'success') {
      throw new Error(`${functionName}: ${await this.attempt(from, contract, functionName, args)}`);
    }
    return receipt.logs.flatMap((log) => {
      const source = this.#contracts.get(log.address.toLowerCase());
      if (!source) return [];
      const decoded = decodeEventLog({
        abi: this.artifacts[source.name].abi as Abi,
        data: log.data,
        topics: log.topics,
      });
      return [{ contract: source.name, event: decoded.eventName ?? '', args: (decoded.args ?? {}) as never }];
    });
  }

  async read<T>({ name, address }: Contract, functionName: string, args: readonly unknown[] = []): Promise<T> {
    const abi = this.artifacts[name].abi as Abi;
    return (await this.client.readContract({ address, abi, functionName, args: [...args] })) as T;
  }

  async deploy(name: ContractName, args: readonly unknown[] = []): Promise<Contract> {
    return this.know(name, await deployContract(await this.sender(who.deployer), this.artifacts, name, args));
  }

  async sender(from: Address): Promise<Sender> {
    let nonce = await this.client.getTransactionCount({ address: from });
    const send = async (call: { to?: Address; data: Hex }) => {
      const hash = await this.#transaction({ from, ...call });
      const { status } = await this.receiptOf(hash);
      if (status !== 'success') throw new Error(`deployment step ${nonce} failed`);
      nonce += 1;
    };
    return { from, nextNonce: () => nonce, send };
  }

  async now(): Promise<bigint> {
    return (await this.client.getBlock()).timestamp;
  }

  /** Moves the clock; a block is mined at the new time. */
  async pass(seconds: number): Promise<void> {
    await this.client.increaseTime({ seconds });
    await this.client.mine({ blocks: 1 });
  }

  /**
   * Waits for the block that has a transaction. anvil answers with the hash a moment before that block is there, and after a
   * snapshot was taken back it now and then leaves a transaction in its pool: one block more takes it along. viem's own wait
   * would last for ever then.
   */
  async receiptOf(hash: Hex): Promise<TransactionReceipt> {
    for (let tries = 1; tries <= 1_000; tries += 1) {
      const found = await this.client.getTransactionReceipt({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      });
      // Its receipt can be there a moment before its block is the head.
      if (found && (await this.client.getBlockNumber()) >= found.blockNumber) return found;
      if (tries % 200 === 0) await this.client.mine({ blocks: 1 });
      // biome-ignore lint/plugin: between two reads of a poll
      await sleep(5);
    }
    throw new Error(`${hash} was not mined.`);
  }

  async #transaction(call: { from: Address; to?: Address; data: Hex }): Promise<Hex> {
    return (await this.client.request({
      method: 'eth_sendTransaction',
      params: [{ ...call, gas }],
    } as never)) as Hex;
  }
}

/** The contracts that tests name. */
export type Protocol = {
  governor: Contract;
  aggregator: Contract;
  oracle: Contract;
  upkeepToken: Contract;
  sourceOracle: Contract;
  depositHook: Contract;
  redeemHook: Contract;
  asset: Contract;
  vault: Contract;
  strategy: Contract;
  escrow: Contract;
  sources: [Contract, Contract];
};

export const creation = (asset: Address, changes: Record<string, unknown> = {}) => ({
  asset,
  name: 'Test Vault',
  symbol: 'TV',
  mainManager: who.main,
  secondaryManagers: [who.secondary],
  minUpdateInterval: 60n,
  maxStaleness: 3_600n,
  feeConfig: { performanceFeeBps: 1_000n, managementFeeBps: 0n, recipient: who.main },
  ...changes,
});

/** The core with four validators (quorum 3) and one vault, funded with upkeep. */
export async function setUp(chain: TestChain): Promise<Protocol> {
  const core = await deployCore(await chain.sender(who.deployer), chain.artifacts, {
    bank: at(51),
    treasury: at(52),
    validators: signers.map(({ address }) => address),
    validatorPublicKeys: signers.map(({ publicKey }) => publicKey as Hex),
    quorum: 3n,
    offchainConfig: '0x01',
    gasPerEntry: 50_000n,
  });
  const asset = await chain.deploy('DevToken', ['USD Coin', 'USDC', 6]);
  const aggregator = chain.know('DevAggregator', core.aggregator);
  const vaults = await createVault(chain, aggregator, creation(asset.address));
  const sources = [
    await chain.deploy('DevYieldVault', [asset.address, 'Source A', 'SA']),
    await chain.deploy('DevYieldVault', [asset.address, 'Source B', 'SB']),
  ] as [Contract, Contract];
  const protocol: Protocol = {
    governor: chain.know('DevGovernor', core.governor),
    aggregator,
    oracle: chain.know('DevPPSOracle', core.ppsOracle),
    upkeepToken: chain.know('DevToken', core.upkeepToken),
    sourceOracle: chain.know('DevYieldSourceOracle', core.yieldSourceOracle),
    depositHook: chain.know('DevDepositHook', core.depositHook),
    redeemHook: chain.know('DevRedeemHook', core.redeemHook),
    asset,
    ...vaults,
    sources,
  };
  await fundUpkeep(chain, protocol, 10n ** 18n);
  return protocol;
}

export async function createVault(chain: TestChain, aggregator: Contract, params: unknown) {
  await chain.send(who.deployer, aggregator, 'createVault', [params]);
  const last = async (functionName: string) =>
    (await chain.read<Address[]>(aggregator, functionName)).at(-1) ?? zeroAddress;
  return {
    vault: chain.know('DevVault', await last('getAllSuperVaults')),
    strategy: chain.know('DevStrategy', await last('getAllSuperVaultStrategies')),
    escrow: chain.know('DevEscrow', await last('getAllSuperVaultEscrows')),
  };
}

export async function fundUpkeep(chain: TestChain, { aggregator, upkeepToken, strategy }: Protocol, amount: bigint) {
  await chain.send(who.stranger, upkeepToken, 'mint', [who.stranger, amount]);
  await chain.send(who.stranger, upkeepToken, 'approve', [aggregator.address, amount]);
  await chain.send(who.stranger, aggregator, 'depositUpkeep', [strategy.address, amount]);
}

export type SignChoices = { by?: readonly HDAccount[]; nonce?: bigint; chainId?: bigint; oracle?: Contract };

/** An entry signed by three validators at the strategy's current nonce, unless overridden. */
export async function signed(
  chain: TestChain,
  protocol: Protocol,
  update: { pps: bigint; timestamp: bigint; strategy?: Address },
  choices: SignChoices = {},
): Promise<Entry> {
  const { by = signers.slice(0, 3), chainId = 31_337n, oracle = protocol.oracle } = choices;
  const { pps, timestamp, strategy = protocol.strategy.address } = update;
  const nonce = choices.nonce ?? (await chain.read<bigint>(oracle, 'noncePerStrategy', [strategy]));
  const domain = { name: 'ECDSAPPSOracle', version: '1.0', chainId, verifyingContract: oracle.address };
  const hash = updatePpsDigest({ strategy, pps, timestamp, nonce, domainSeparator: ppsDomainSeparator(domain) });
  const proofs = await Promise.all(by.map((signer) => sign({ hash, privateKey: keyOf(signer), to: 'hex' })));
  return { strategy, pps, timestamp, proofs };
}

export const batchOf = (entries: readonly Entry[]) => ({
  strategies: entries.map(({ strategy }) => strategy),
  proofsArray: entries.map(({ proofs }) => proofs),
  ppss: entries.map(({ pps }) => pps),
  timestamps: entries.map(({ timestamp }) => timestamp),
});

/** Signing, sending and reading prices of the vault. */
export const prices = (chain: TestChain, protocol: Protocol) => {
  const { oracle, aggregator, strategy } = protocol;
  const entryAt = async (secondsAgo: bigint, pps = one, choices: SignChoices = {}) =>
    signed(chain, protocol, { pps, timestamp: (await chain.now()) - secondsAgo }, choices);
  return {
    entryAt,
    /** Signed now, once the minimum interval has passed. */
    fresh: async (pps?: bigint, choices?: SignChoices) => {
      await chain.pass(61);
      return entryAt(0n, pps, choices);
    },
    nonce: (of: Address = strategy.address) => chain.read<bigint>(oracle, 'noncePerStrategy', [of]),
    stored: () => chain.read<bigint>(aggregator, 'getPPS', [strategy.address]),
    publish: (entries: Entry[], through: Contract = oracle): Promise<Happened[]> =>
      chain.send(who.transmitter, through, 'updatePPS', [batchOf(entries)]),
  };
};

/** Stores `pps`, signed at the latest block after the minimum interval has passed. */
export async function price(chain: TestChain, protocol: Protocol, pps: bigint): Promise<Happened[]> {
  await chain.pass(61);
  const entry = await signed(chain, protocol, { pps, timestamp: await chain.now() });
  return chain.send(who.transmitter, protocol.oracle, 'updatePPS', [batchOf([entry])]);
}

export async function deposit(chain: TestChain, { asset, vault }: Protocol, from: Address, amount: bigint) {
  await chain.send(from, asset, 'mint', [from, amount]);
  await chain.send(from, asset, 'approve', [vault.address, amount]);
  return chain.send(from, vault, 'deposit', [amount, from]);
}

/** Packed calldata of both hooks: `source`, then the token or the owner, then the amount. */
export const hookData = (source: Address, second: Address, amount: bigint, usePrevious = false): Hex =>
  encodePacked(
    ['bytes32', 'address', 'address', 'uint256', 'bool'],
    [pad('0x', { size: 32 }), source, second, amount, usePrevious],
  );

export const argsOf = (first: Address, second: Address): Hex => encodePacked(['address', 'address'], [first, second]);

/** Leaves and tree that let the strategy deposit into and redeem from its first source. */
export function leavesOf({ depositHook, redeemHook, sources, asset, strategy }: Protocol) {
  const source = sources[0].address;
  const depositLeaf = hookLeaf(depositHook.address, argsOf(source, asset.address));
  const redeemLeaf = hookLeaf(redeemHook.address, argsOf(source, strategy.address));
  return { depositLeaf, redeemLeaf, tree: hookTree([depositLeaf, redeemLeaf]) };
}

export const names = (events: readonly Happened[]): string[] => events.map(({ event }) => event);
export const argsOfEvent = (events: readonly Happened[], event: string): Record<string, unknown> => {
  const found = events.find((item) => item.event === event);
  if (!found) throw new Error(`${event} was not emitted, but: ${names(events).join(', ') || 'nothing'}`);
  return found.args;
};
export const keys = registryKeys;
