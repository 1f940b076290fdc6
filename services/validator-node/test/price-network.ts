import { type ChainConfig, chainClient } from '@castellan/chain';
import { devnetValidatorConfig, devnetValidators } from '@castellan/devnet';
import { type Hex, keccak256 } from 'viem';
import { sign } from 'viem/accounts';
import { type Protocol, type TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import { ChainObserver, type ChainObserverSettings } from '../src/chain/chain-observer.ts';
import { decodeOutcome, packPrices } from '../src/chain/contract-adapter.ts';
import type { EndpointEvent } from '../src/chain/endpoints.ts';
import { networkConfig } from '../src/chain/network-config.ts';
import { yieldToEventLoop } from '../src/node/system.ts';
import type { PluginEvent } from '../src/plugin/events.ts';
import { PpsPlugin } from '../src/plugin/pps-plugin.ts';
import type { PluginSettings } from '../src/plugin/refusals.ts';
import type {
  AttributedObservation,
  Clock,
  NetworkConfig,
  OnchainKeyring,
  RoundContext,
  SignedPrice,
} from '../src/ports.ts';

/** Validators of a test chain without what carries their messages: the test says who hears whom. */

export const realClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

export const chainOf = ({ governor }: Protocol, rpcUrls: readonly string[]): ChainConfig => ({
  chainId: 31_337,
  slug: 'devnet',
  name: 'Devnet',
  rpcUrls,
  explorerUrl: null,
  nativeSymbol: 'ETH',
  blockTimeSeconds: 2,
  confirmations: 1,
  observationCadenceSeconds: 15,
  startBlock: 0n,
  governor: governor.address,
  aggregator: null,
  ppsOracle: null,
  priceFeeds: {},
  vaults: null,
  sourceNames: {},
});

/** Publishes the devnet's configuration as version 2, and returns it as the nodes run it. */
export async function publishConfig(chain: TestChain, { governor, oracle }: Protocol): Promise<NetworkConfig> {
  const { validators, validatorPublicKeys, quorum, offchainConfig } = devnetValidatorConfig;
  await chain.send(who.deployer, governor, 'setValidatorConfig', [
    ...[2n, validators, validatorPublicKeys, quorum, offchainConfig],
  ]);
  return networkConfig({
    chainId: 31_337,
    governor: governor.address,
    oracle: oracle.address,
    version: 2n,
    validators,
    publicKeys: validatorPublicKeys,
    quorum,
    offchainConfig,
  }).config;
}

export const keyringOf = (index: number): OnchainKeyring => {
  const validator = devnetValidators[index];
  if (!validator) throw new Error(`There is no validator ${index}.`);
  const { address, privateKey } = validator.signer;
  return { address, signKeccak256: (message) => sign({ hash: keccak256(message), privateKey, to: 'hex' }) };
};

export type NodeEvent = PluginEvent | EndpointEvent;
export type TestNode = { index: number; plugin: PpsPlugin; observer: ChainObserver; events: NodeEvent[] };

export type NodeChoices = {
  rpcUrls?: readonly string[];
  agreement?: number;
  settings?: Partial<PluginSettings>;
  reading?: Partial<ChainObserverSettings>;
  keyring?: OnchainKeyring;
  config?: NetworkConfig;
};

export function makeNode(
  chain: TestChain,
  protocol: Protocol,
  config: NetworkConfig,
  index: number,
  choices: NodeChoices = {},
): TestNode {
  const { rpcUrls = [chain.anvil.rpcUrl], agreement = Math.min(2, rpcUrls.length) } = choices;
  const once = { retries: 0, timeoutMs: 30_000 };
  const events: NodeEvent[] = [];
  const emit = (event: NodeEvent) => void events.push(event);
  const common = { config, keyring: choices.keyring ?? keyringOf(index), clock: realClock, emit };
  const observer = new ChainObserver({
    chainId: 31_337,
    governor: protocol.governor.address,
    oracle: null,
    aggregator: null,
    endpoints: rpcUrls.map((url, at) => ({ name: `rpc-${at}`, client: chainClient(chainOf(protocol, [url]), once) })),
    client: chainClient(chainOf(protocol, rpcUrls), once),
    agreement,
    maxHeadLagBlocks: 3n,
    maxHeadStallMs: 60_000,
    settings: {
      readLagBlocks: 0n,
      parallelReads: 4,
      priceSource: 'valued',
      signingCheckMs: 600_000,
      ...choices.reading,
    },
    ...common,
  });
  const settings = {
    maxStaleSeconds: 300,
    maxDeviationPpb: 10_000_000n,
    futureToleranceSeconds: 30,
    holdDeviating: false,
  };
  const plugin = new PpsPlugin({
    ...common,
    yieldToEventLoop,
    chains: [observer],
    settings: { ...settings, ...choices.settings },
  });
  return { index, plugin, observer, events };
}

let rounds = 0;
export const nextContext = (config: NetworkConfig): RoundContext => {
  rounds += 1;
  return { digest: config.digest, epoch: 1, round: rounds, signal: new AbortController().signal };
};

const noQuery = new Uint8Array();

/** Observations of those that have one. */
export async function observeAll(nodes: readonly TestNode[], context: RoundContext): Promise<AttributedObservation[]> {
  const all = await Promise.all(
    nodes.map(async ({ index, plugin }) => {
      const observation = await plugin.observation(context, noQuery).catch(() => null);
      return observation === null ? [] : [{ observer: index, observation }];
    }),
  );
  return all.flat();
}

export type Round = {
  context: RoundContext;
  report: Uint8Array | null;
  signers: number[];
  prices: readonly SignedPrice[];
};

/** One whole round: all observe, all report alike, those who are willing sign, and the first of them transmits. */
export async function playRound(nodes: readonly TestNode[], config: NetworkConfig): Promise<Round> {
  const context = nextContext(config);
  const observations = await observeAll(nodes, context);
  const reports = nodes.map(({ plugin }) => plugin.report(noQuery, observations));
  const report = reports[0] ?? null;
  if (report === null) return { context, report, signers: [], prices: [] };
  const signed = await Promise.all(
    nodes.map(async ({ index, plugin }) => {
      const signature = await plugin.sign(context, report);
      return signature === null ? [] : [{ signer: index, signature }];
    }),
  );
  const signatures = signed.flat();
  const signers = signatures.map(({ signer }) => signer);
  if (signatures.length < config.quorum) return { context, report, signers, prices: [] };
  const first = nodes[0] as TestNode;
  const attested = { report, signatures };
  const isAccepted = await first.plugin.shouldAccept(context, attested);
  return { context, report, signers, prices: isAccepted ? await first.plugin.shouldTransmit(context, attested) : [] };
}

/** Sends prices in one transaction and says what became of each. */
export async function transmit(chain: TestChain, protocol: Protocol, prices: readonly SignedPrice[]) {
  const { oracle, aggregator } = protocol;
  const hash = (await chain.client.request({
    method: 'eth_sendTransaction',
    params: [{ from: who.transmitter, to: oracle.address, data: packPrices(prices), gas: '0x1312d00' }],
  } as never)) as Hex;
  const receipt = await chain.receiptOf(hash);
  return decodeOutcome(receipt, prices, { oracle: oracle.address, aggregator: aggregator.address });
}
