import { randomBytes } from 'node:crypto';
import { currentRequestId, type HeldLoop, heldLoop, namedLease, type ServiceContext } from '@castellan/service-kit';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import { rpcSimulation } from '../../chains/simulation.rpc.ts';
import type { TransactionReader } from '../../chains/transactions.rpc.ts';
import { blockTraces } from '../../log/adapters/block-traces.mongo.ts';
import type { ChainStatusStore } from '../../log/ports.ts';
import type { ChangeReader } from '../changes/adapters/state.rpc.ts';
import { postConditionOf, stepsOf } from '../changes/domain/all-changes.ts';
import type { PreparedDraft } from '../changes/domain/change.ts';
import { signerPackager } from '../signers/signer.ts';
import { mongoPrepared, type PreparedStore } from './adapters/prepared-store.mongo.ts';
import { isOwn } from './domain/prepared-call.ts';
import { keepPrepared } from './use-cases/keep-prepared.ts';
import { depositorTracker, type TrackerPorts, trackCalls } from './use-cases/tracker.ts';

/** Another process takes over so long after this one was killed. Every write of a pass is conditional by itself. */
const LEASE_MS = 15_000;

/** Where no call is to be followed, for one whose transaction another process was given, or that ran out of time. */
const IDLE_MS = 2_000;

/** Whose calls a loop follows. Each has one of its own, so that no call of a manager waits for those of strangers. */
type Whose = 'managers' | 'depositors';

/** The names of their leases, before the chain. */
const leases = { managers: 'prepared-calls', depositors: 'depositor-calls' } as const satisfies Record<Whose, string>;

/** Those who follow the calls of a chain in this process, by their lease. */
type Wakes = Map<string, () => void>;
const leaseOf = (whose: Whose, chainId: number): string => `${leases[whose]}:${chainId}`;

/** Wakes the follower of a chain when a call of it is broadcast. */
const waking = (prepared: PreparedStore, wakes: Wakes): PreparedStore => ({
  ...prepared,
  async move(document, move) {
    const moved = await prepared.move(document, move);
    if (moved && move.status === 'broadcast')
      wakes.get(leaseOf(isOwn(moved) ? 'depositors' : 'managers', moved.chain_id))?.();
    return moved;
  },
});

type Given = Pick<ServiceContext, 'mongo' | 'outbox' | 'log'> & {
  chains: ChainDirectory;
  status: ChainStatusStore;
  transactions: TransactionReader;
  changes: ChangeReader;
  config: { preparedSeconds: number };
};

/** What prepared calls need, on the service's own store and chains. */
export function trackingPorts({ mongo, outbox, log, chains, status, transactions, changes, config }: Given) {
  const wakes: Wakes = new Map();
  const ports = {
    wakes,
    chains,
    status,
    transactions,
    logger: log,
    states: changes,
    postConditionOf,
    stepsOf,
    prepared: waking(mongoPrepared(mongo, outbox.recordWith), wakes),
    simulation: rpcSimulation(),
    traceOfBlock: blockTraces(mongo),
    signerOf: signerPackager(Date.now),
    now: Date.now,
    newId: () => randomBytes(12).toString('base64url'),
    preparedSeconds: config.preparedSeconds,
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

/** Follows the prepared calls of a chain. */
export function followPreparedCalls(
  { wakes, ...ports }: TrackerPorts & { wakes: Wakes },
  chainId: number,
  { connection, pauseMs }: { connection: ServiceContext['mongo']; pauseMs: number },
): HeldLoop[] {
  const loopOf = (whose: Whose, track: () => Promise<number>): HeldLoop => {
    const name = leaseOf(whose, chainId);
    const loop = heldLoop({
      lease: namedLease(connection, { name, ttlMs: LEASE_MS }),
      pauseMs,
      pass: async () => ((await track()) > 0 ? 'rest' : { restMs: Math.max(pauseMs, IDLE_MS) }),
      log: ports.logger,
    });
    wakes.set(name, () => loop.wake());
    return loop;
  };
  return [loopOf('managers', () => trackCalls(ports, chainId)), loopOf('depositors', depositorTracker(ports, chainId))];
}
