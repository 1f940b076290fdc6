import { randomBytes } from 'node:crypto';
import { currentRequestId, type ServiceContext } from '@castellan/service-kit';
import type { Address } from 'viem';
import type { ChainDirectory, KnownChain } from './chains/chain-directory.ts';
import { runWhileHolding } from './chains/held-loop.ts';
import { rpcSimulation } from './chains/simulation.rpc.ts';
import type { TransactionReader } from './chains/transactions.rpc.ts';
import type { ChainStatusStore } from './log/ports.ts';
import type { ChangeReader } from './prepared-calls/changes/adapters/state.rpc.ts';
import { postConditionOf, stepsOf } from './prepared-calls/changes/domain/catalogue.ts';
import type { PreparedDraft } from './prepared-calls/changes/domain/change.ts';
import { rpcPauseFacts } from './prepared-calls/pause-proof/adapters/pause-facts.rpc.ts';
import { mongoPauseProofs } from './prepared-calls/pause-proof/adapters/pause-proofs.mongo.ts';
import { type ProofPorts, proveDue } from './prepared-calls/pause-proof/use-cases/keep-proving.ts';
import { signerPackager, signsItself } from './prepared-calls/signers/signer.ts';
import { mongoPrepared } from './prepared-calls/tracking/adapters/prepared-store.mongo.ts';
import { keepPrepared } from './prepared-calls/tracking/use-cases/keep-prepared.ts';
import { type TrackerPorts, trackCalls } from './prepared-calls/tracking/use-cases/tracker.ts';
import type { VaultsMetrics } from './telemetry.ts';
import type { SnapshotStore } from './vault/adapters/snapshot-store.mongo.ts';

type Given = Pick<ServiceContext, 'mongo' | 'outbox' | 'log'> & {
  chains: ChainDirectory;
  status: ChainStatusStore;
  snapshots: SnapshotStore;
  transactions: TransactionReader;
  changes: ChangeReader;
  config: { preparedSeconds: number; pauseProofSeconds: number };
};

/** What prepared calls and the proof of the panic button need, on the service's own store and chains. */
export function callPorts({ mongo, outbox, log, chains, status, snapshots, transactions, changes, config }: Given) {
  const ports = {
    chains,
    status,
    snapshots,
    transactions,
    outbox,
    logger: log,
    states: changes,
    postConditionOf,
    stepsOf,
    prepared: mongoPrepared(mongo),
    proofs: mongoPauseProofs(mongo),
    facts: rpcPauseFacts(),
    simulation: rpcSimulation(),
    signerOf: signerPackager(Date.now),
    signsItself: ({ client }: KnownChain, wallet: Address) => signsItself(client, wallet),
    now: Date.now,
    newId: () => randomBytes(12).toString('base64url'),
    preparedSeconds: config.preparedSeconds,
    pauseProofSeconds: config.pauseProofSeconds,
  };
  const keep = keepPrepared(ports);
  return {
    ...ports,
    keep: async (drafts: PreparedDraft[]) => {
      const [first] = drafts;
      return first ? keep(drafts, { callerWallet: first.request.caller, requestId: currentRequestId() }) : [];
    },
  };
}

/** A proof is looked for this often, so that a new vault gets its first one soon. */
const PROOF_LOOK_MS = 10_000;

/** Follows the prepared calls of a chain, and proves its panic buttons, until the signal. */
export async function followCalls(
  ports: TrackerPorts & ProofPorts,
  chainId: number,
  options: {
    connection: ServiceContext['mongo'];
    holder: string;
    pollMs: number;
    metrics: Pick<VaultsMetrics, 'pauseProofs'>;
    signal: AbortSignal;
  },
): Promise<void> {
  const { connection, holder, pollMs, metrics, signal } = options;
  const common = { holder, connection, logger: ports.logger, signal };
  await Promise.all([
    runWhileHolding({
      ...common,
      name: `prepared-calls:${chainId}`,
      everyMs: pollMs,
      pass: () => trackCalls(ports, chainId),
    }),
    runWhileHolding({
      ...common,
      name: `pause-proofs:${chainId}`,
      everyMs: Math.min(PROOF_LOOK_MS, ports.pauseProofSeconds * 250),
      pass: () => proveDue(ports, chainId, metrics.pauseProofs.observe),
      onLost: () => metrics.pauseProofs.forget(chainId),
    }),
  ]);
}
