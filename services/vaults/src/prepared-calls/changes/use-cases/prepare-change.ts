import type { DecodedRevert } from '@castellan/chain';
import {
  AppError,
  type Caller,
  isDepositorKind,
  isErrorCode,
  type ManagerKind,
  type ParamsOf,
  type Precondition,
  type PrepareChange,
  type PreparedCall,
  type ResultOf,
} from '@castellan/contracts';
import { type Address, getAddress } from 'viem';
import type { KnownChain } from '../../../chains/chain-directory.ts';
import type { Mandates } from '../../../mandates/mandates.mongo.ts';
import { mayBreak, objectionsTo } from '../../../mandates/objections.ts';
import type { Snapshot } from '../../../vault/adapters/snapshot-store.mongo.ts';
import { requireWallet, walletAt } from '../../../vault/use-cases/caller.ts';
import { type RoleSource, requireRoleOn } from '../../../vault/use-cases/require-role.ts';
import { requireVault } from '../../../vault/use-cases/vault-view.ts';
import type { Simulate } from '../adapters/simulate.rpc.ts';
import type { ChangeReader } from '../adapters/state.rpc.ts';
import { catalogue, stepsOf } from '../domain/all-changes.ts';
import type { ChangeRequest, ChangeStep, ChangeTarget, PreparedDraft } from '../domain/change.ts';

export type PreparePorts = RoleSource & {
  changes: ChangeReader;
  simulate: Simulate;
  mandates: Pick<Mandates, 'inForce'>;
  prepared: {
    /** How many calls a wallet has prepared for its own position that may still be sent. */
    unsentOf: (of: { wallet: string; chainId: number }, now: Date) => Promise<number>;
    /** Removes calls of depositors that were kept and never answered. */
    takeBack: (ids: readonly string[]) => Promise<void>;
  };
  /** Stores the drafts of one request, in their order, and answers them as resources. */
  keep: (drafts: PreparedDraft[]) => Promise<PreparedCall[]>;
  /** How old the wallet's signature may be for what takes a recent one; 0 for any age. */
  stepUpSeconds: number;
  /** Milliseconds. */
  now: () => number;
};

type Params = ParamsOf<typeof PrepareChange>;

/** Where a vault's calls go. */
export async function targetOf(chain: KnownChain, { chain_id, detail }: Snapshot): Promise<ChangeTarget> {
  const { aggregator } = await chain.contracts();
  return {
    chainId: chain_id,
    vault: detail.vault_address as Address,
    strategy: detail.strategy_address as Address,
    aggregator: getAddress(aggregator),
    name: detail.name,
  };
}

/** Who may ask for a kind of change that managers make. */
const neededFor = (kind: ManagerKind) =>
  catalogue[kind].role === 'manager'
    ? { least: 'secondary_manager' as const, message: 'Only a manager of this vault can prepare this.' }
    : { least: 'primary_manager' as const, message: 'Only the primary manager of this vault can prepare this.' };

/** More than a person reviews at once, so that nobody keeps calls without end here. */
const MOST_UNSENT = 30;

/** @throws AppError TOO_MANY_PREPARED when a wallet has as many beside `own`, which were just kept. */
async function requirePlace(
  { prepared, now }: PreparePorts,
  of: { wallet: string; chainId: number },
  own = 0,
): Promise<void> {
  if ((await prepared.unsentOf(of, new Date(now()))) - own < MOST_UNSENT) return;
  throw new AppError(
    'TOO_MANY_PREPARED',
    `Your wallet has ${MOST_UNSENT} prepared calls on this chain that were not sent. Send one of them, or wait until they run out of time.`,
  );
}

/** Anybody who is signed in, for a change of the own position. @throws AppError ROLE_REQUIRED, TOO_MANY_PREPARED. */
async function requireOwn(ports: PreparePorts, { chain_id, vault_address }: Params, caller: Caller | undefined) {
  const wallet = requireWallet(caller);
  const snapshot = await requireVault(ports, chain_id, vault_address);
  if (walletAt(caller, snapshot) === undefined)
    throw new AppError('ROLE_REQUIRED', 'This token is for another vault or chain. Sign in without that limit.');
  await requirePlace(ports, { wallet, chainId: chain_id });
  return { wallet, snapshot };
}

const requireRight = (ports: PreparePorts, params: Params, caller: Caller | undefined) =>
  isDepositorKind(params.kind)
    ? requireOwn(ports, params, caller)
    : requireRoleOn(ports, params, caller, neededFor(params.kind));

/** @throws AppError STEP_UP_REQUIRED. */
function requireRecentSignature(
  { stepUpSeconds, now }: PreparePorts,
  caller: Caller | undefined,
  kind: Params['kind'],
) {
  if (!catalogue[kind].needsStepUp || stepUpSeconds === 0) return;
  const age = caller?.auth_time === undefined ? Number.POSITIVE_INFINITY : now() / 1000 - caller.auth_time;
  if (age <= stepUpSeconds) return;
  throw new AppError(
    'STEP_UP_REQUIRED',
    'This change needs a recent signature of your wallet. Sign again and repeat it.',
    {
      data: { max_age_seconds: stepUpSeconds },
    },
  );
}

/** What the mandate in force promises otherwise. @throws AppError MANDATE_REFUSES where it says so; `force` does not help. */
async function warningsOf(
  { mandates }: PreparePorts,
  { kind, args, chain_id, vault_address }: Params,
  { detail: vault }: Snapshot,
): Promise<PreparedDraft['mandateWarnings']> {
  const mandate = await mandates.inForce(chain_id, vault_address);
  if (mandate === 'unreadable') {
    if (!mayBreak(kind)) return [];
    throw new AppError(
      'MANDATE_REFUSES',
      'The mandate in force has promises that this version does not understand, so it cannot be said whether this keeps them. ' +
        'Ask the operator to finish the update.',
    );
  }
  const objections = mandate ? objectionsTo(mandate, kind, { args, vault }) : [];
  const refusal = objections.find(({ refuses }) => refuses);
  if (refusal)
    throw new AppError('MANDATE_REFUSES', refusal.detail, {
      data: { promise_id: refusal.promise_id },
    });
  return objections.map(({ promise_id, detail }) => ({ promise_id, detail }));
}

/** What the chain says of a step, or would say were the steps before it mined. */
type Judged = { step: ChangeStep; failed: Precondition | undefined; revert: DecodedRevert | null };

async function judge(
  simulate: Simulate,
  chain: KnownChain,
  { caller }: ChangeRequest,
  step: ChangeStep,
  blockNumber: bigint,
): Promise<Judged> {
  const { metBefore = [], preconditions, call } = step;
  const failed = preconditions.find(({ code, ok }) => !ok && !metBefore.includes(code));
  // Before the steps it waits for, a call reverts for their lack and hides every other reason: only the checks can speak.
  const revert = metBefore.length > 0 ? null : await simulate(chain, { ...call, from: caller }, blockNumber);
  return { step, failed, revert };
}

/** @throws AppError by the name of what the chain would refuse it with. */
function refuse({ step, failed, revert }: Judged): void {
  const reason = failed?.code ?? revert?.name;
  if (reason === undefined) return;
  const code = failed && isErrorCode(failed.code) ? failed.code : (revert?.code ?? 'WOULD_REVERT');
  throw new AppError(code, failed?.detail ?? `The chain would refuse this call (${reason}).`, {
    data: { revert_reason: reason, args: revert?.args ?? {}, preconditions: step.preconditions },
  });
}

const simulationOf = ({ step, failed, revert }: Judged): PreparedDraft['simulation'] =>
  step.metBefore
    ? { ok: failed === undefined, revertReason: failed?.code ?? null }
    : { ok: revert === null, revertReason: revert?.name ?? null };

/** Keeps what was prepared. Requests that were counted at once all found room: each counts again once its calls are there. */
async function keepWithin(
  ports: PreparePorts,
  drafts: PreparedDraft[],
  { kind, chain_id, wallet }: Params & { wallet: string },
) {
  const steps = await ports.keep(drafts);
  if (!isDepositorKind(kind)) return steps;
  try {
    await requirePlace(ports, { wallet, chainId: chain_id }, steps.length);
  } catch (error) {
    await ports.prepared.takeBack(steps.map(({ id }) => id));
    throw error;
  }
  return steps;
}

/**
 * Prepares a change: role first (from our own store; none for the own position), then the age of the signature, the mandate, then the chain's own checks on the latest
 * block, then an `eth_call` from the caller's wallet. Changes nothing on the chain.
 * @throws AppError ROLE_REQUIRED; TOO_MANY_PREPARED; STEP_UP_REQUIRED; MANDATE_REFUSES; the contract's own error name, or WOULD_REVERT, unless `force`;
 * RPC_UNAVAILABLE.
 */
export const prepareChange =
  (ports: PreparePorts) =>
  async (params: Params, caller: Caller | undefined): Promise<ResultOf<typeof PrepareChange>> => {
    const { wallet, snapshot } = await requireRight(ports, params, caller);
    requireRecentSignature(ports, caller, params.kind);
    const mandateWarnings = await warningsOf(ports, params, snapshot);
    const chain = ports.chains.get(params.chain_id);
    const target = await targetOf(chain, snapshot);
    const request: ChangeRequest = { kind: params.kind, args: params.args, caller: getAddress(wallet) };
    const state = await ports.changes.read(chain, target, request);
    const { blockNumber: number, blockHash: hash, blockTimestamp: timestamp } = state.vault;
    const judged = await Promise.all(
      stepsOf(request, target, state).map((step) => judge(ports.simulate, chain, request, step, number)),
    );
    if (!params.force) judged.forEach(refuse);
    const drafts = judged.map(
      (item, step): PreparedDraft => ({
        request,
        target,
        step,
        content: item.step,
        simulation: simulationOf(item),
        mandateWarnings,
        forced: params.force,
        reason: 'reason' in request.args ? request.args.reason : null,
        block: { number, hash, timestamp },
      }),
    );
    return { steps: await keepWithin(ports, drafts, { ...params, wallet }) };
  };
