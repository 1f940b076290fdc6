import { type HeldLoop, heldLoop, namedLease, type ServiceContext } from '@castellan/service-kit';
import type { Address } from 'viem';
import type { ChainDirectory, KnownChain } from '../../chains/chain-directory.ts';
import { rpcSimulation } from '../../chains/simulation.rpc.ts';
import type { TransactionReader } from '../../chains/transactions.rpc.ts';
import type { SnapshotReader } from '../../vault/adapters/snapshot-store.mongo.ts';
import { signsItself } from '../signers/signer.ts';
import { rpcPauseFacts } from './adapters/pause-facts.rpc.ts';
import { mongoPauseProofs } from './adapters/pause-proofs.mongo.ts';
import type { PauseProofMetrics } from './telemetry.ts';
import { type ProofPorts, proveDue } from './use-cases/keep-proving.ts';

type Given = Pick<ServiceContext, 'mongo' | 'log'> & {
  chains: ChainDirectory;
  snapshots: SnapshotReader;
  transactions: TransactionReader;
  config: { pauseProofSeconds: number };
};

/** What the proof of the panic button needs, on the service's own store and chains. */
export const pauseProofPorts = ({ mongo, log, chains, snapshots, transactions, config }: Given) => ({
  chains,
  snapshots,
  transactions,
  logger: log,
  proofs: mongoPauseProofs(mongo),
  facts: rpcPauseFacts(),
  simulation: rpcSimulation(),
  signsItself: ({ client }: KnownChain, wallet: Address) => signsItself(client, wallet),
  now: Date.now,
  pauseProofSeconds: config.pauseProofSeconds,
});

/** How often vaults are checked for a proof that is due, so that a new vault gets its first one soon. */
const CHECK_MS = 10_000;

/** Another process takes over so long after this one was killed. Every write of a pass is conditional by itself. */
const LEASE_MS = 25_000;

/** Proves the panic buttons of a chain again as their proofs grow old. */
export const keepProvingPauses = (
  ports: ProofPorts,
  chainId: number,
  { connection, metrics }: { connection: ServiceContext['mongo']; metrics: PauseProofMetrics },
): HeldLoop =>
  heldLoop({
    lease: namedLease(connection, { name: `pause-proofs:${chainId}`, ttlMs: LEASE_MS }),
    pauseMs: Math.min(CHECK_MS, ports.pauseProofSeconds * 250),
    pass: async () => {
      await proveDue(ports, chainId, metrics.observe);
      return 'rest';
    },
    onHolding: (isHeld) => {
      if (!isHeld) metrics.forget(chainId);
    },
    log: ports.logger,
  });
