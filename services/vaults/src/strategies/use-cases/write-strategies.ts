import {
  AppError,
  type ArchiveStrategy,
  type CreateStrategy,
  MOST_STRATEGIES,
  type ParamsOf,
  type ReorderStrategies,
  type ResultOf,
  type SetStrategyState,
  type UpdateStrategy,
  type ValidateStrategy,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { decide, laneOf } from '@castellan/strategy';
import { getAddress } from 'viem/utils';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import {
  auditRow,
  keyOf,
  refOf,
  requireBinding,
  requireReader,
  requireStrategy,
  requireWriter,
  type StrategyPorts,
} from '../access.ts';
import { type StrategyFacts, snapshotOf } from '../domain/facts.ts';
import { isPermutation } from '../domain/lane-order.ts';
import { lockOf } from '../domain/lock.ts';
import { stateSignal } from '../domain/state-signal.ts';
import { mayChange, nextStates } from '../domain/states.ts';
import type { StoredDefinition, StrategyDocument } from '../domain/strategy.ts';
import { EXIT_SLIPPAGE_BPS, isExitId } from '../follow.ts';
import { judge, requireSound, warningsOf } from '../validate.ts';
import { viewOf } from './read-strategies.ts';

type Definition = Pick<ParamsOf<typeof CreateStrategy>, keyof StoredDefinition>;
const definitionOf = (params: Definition): StoredDefinition => ({
  name: params.name,
  indicators: params.indicators,
  rules: params.rules,
  conviction_config: params.conviction_config,
  action_config: params.action_config,
  risk_params: params.risk_params,
  max_concurrent: params.max_concurrent,
  cooldown_ms: params.cooldown_ms,
});

/** The vault now; undefined while the chain is away, which must not keep a manager from saving. */
async function liveFacts(ports: StrategyPorts, snapshot: Snapshot): Promise<StrategyFacts | undefined> {
  try {
    return await ports.facts.live(snapshot);
  } catch (error) {
    if (error instanceof AppError && error.retryable) return undefined;
    throw error;
  }
}

export const validateStrategy =
  (ports: StrategyPorts) =>
  async (params: ParamsOf<typeof ValidateStrategy>, { caller }: Call): Promise<ResultOf<typeof ValidateStrategy>> => {
    const { snapshot } = await requireReader(ports, params, caller);
    const facts = await liveFacts(ports, snapshot);
    const judged = judge(definitionOf(params), snapshot, facts, params);
    return {
      ok: judged.program !== undefined,
      errors: judged.faults.map(({ suggestion, ...fault }) => ({ ...fault, suggestion: suggestion ?? null })),
      warnings: warningsOf(judged),
      decision: judged.program && facts ? decide(judged.program, snapshotOf(facts)) : null,
    };
  };

export const createStrategy =
  (ports: StrategyPorts) =>
  async (
    params: ParamsOf<typeof CreateStrategy>,
    { caller, requestId }: Call,
  ): Promise<ResultOf<typeof CreateStrategy>> => {
    const { wallet, snapshot } = await requireWriter(ports, params, caller);
    if (isExitId(params.id))
      throw new AppError('VALIDATION_FAILED', 'This is the id of an emergency exit. Choose another.', {
        data: { errors: [{ path: 'body.id', message: 'must not be that of an emergency exit' }] },
      });
    if ((await ports.strategies.countKept(keyOf(params))) >= MOST_STRATEGIES)
      throw new AppError('STRATEGY_LIMIT', `A vault has at most ${MOST_STRATEGIES} strategies. Archive one first.`);
    const judged = judge(definitionOf(params), snapshot, await liveFacts(ports, snapshot), params);
    requireSound(judged);
    const { definition, written_in } = judged;
    const at = new Date(ports.now()).toISOString();
    const by = getAddress(wallet);
    const lane = laneOf(definition.action_config.action);
    const details = { strategy_id: params.id, name: definition.name, lane, definition };
    const document: StrategyDocument = {
      _id: params.id,
      version: 1,
      chain_id: params.chain_id,
      vault: params.vault_address.toLowerCase(),
      vault_address: params.vault_address,
      kind: 'USER_DEFINED',
      state: 'CREATED',
      lane,
      target: definition.action_config.target_address.toLowerCase(),
      definition,
      written_in,
      warnings: warningsOf(judged),
      error: null,
      armed: null,
      created_at: at,
      created_by: by,
      updated_at: at,
      updated_by: by,
    };
    const row = auditRow(ports, params, { action_type: 'strategy_created', wallet, details, requestId });
    if (!(await ports.strategies.insert(document, [row])))
      throw new AppError('STRATEGY_EXISTS', 'A strategy with this id already exists. Choose another id.');
    return viewOf(ports, document, { snapshot });
  };

const stale = (document: StrategyDocument | null): AppError =>
  new AppError('VERSION_CONFLICT', 'Somebody else has changed this strategy in the meantime. Check it and try again.', {
    data: { current: document && { version: document.version, state: document.state } },
  });

/** The strategy for a write, with its vault. @throws AppError as {@link requireWriter}; STRATEGY_NOT_FOUND; VERSION_CONFLICT. */
async function forWriting(ports: StrategyPorts, id: string, version: number | undefined, { caller }: Call) {
  const document = await requireStrategy(ports, id);
  requireBinding(caller, document);
  const { wallet, snapshot } = await requireWriter(ports, refOf(document), caller);
  if (version !== undefined && version !== document.version) throw stale(document);
  return { document, wallet, snapshot };
}

type Change = Parameters<StrategyPorts['strategies']['change']>[1];
type Written = { action_type: string; wallet: string; details: Record<string, unknown> };

async function write(
  ports: StrategyPorts,
  document: StrategyDocument,
  fields: Change,
  written: Written,
  { requestId }: Call,
) {
  const details = { strategy_id: document._id, name: document.definition.name, ...written.details };
  const row = auditRow(ports, refOf(document), { ...written, details, requestId });
  const by = { updated_at: new Date(ports.now()).toISOString(), updated_by: getAddress(written.wallet) };
  const signals = stateSignal(document, fields.state ?? document.state, fields.error ?? null);
  const after = await ports.strategies.change(document, { ...fields, ...by }, [row, ...signals]);
  if (!after) throw stale(await ports.strategies.get(document._id));
  return after;
}

const refused = (document: StrategyDocument, message: string): AppError =>
  new AppError('STATE_CHANGE_REFUSED', message, { data: { state: document.state } });

export const updateStrategy =
  (ports: StrategyPorts) =>
  async (params: ParamsOf<typeof UpdateStrategy>, call: Call): Promise<ResultOf<typeof UpdateStrategy>> => {
    const { document, wallet, snapshot } = await forWriting(ports, params.id, params.version, call);
    if (document.state === 'ARCHIVED')
      throw refused(document, 'An archived strategy stays as it was. Create a new one.');
    if (document.kind === 'EMERGENCY_EXIT')
      throw refused(document, 'An emergency exit is kept by the system; it can only be armed and stopped.');
    const judged = judge(definitionOf(params), snapshot, await liveFacts(ports, snapshot), params);
    requireSound(judged);
    const { definition, written_in } = judged;
    const fields: Change = {
      definition,
      written_in,
      lane: laneOf(definition.action_config.action),
      target: definition.action_config.target_address.toLowerCase(),
      warnings: warningsOf(judged),
    };
    const details = { before: document.definition, definition };
    return viewOf(
      ports,
      await write(ports, document, fields, { action_type: 'strategy_updated', wallet, details }, call),
      { snapshot },
    );
  };

/** What starting, stopping and archiving change besides the state. */
function consequences(
  ports: StrategyPorts,
  document: StrategyDocument,
  params: ParamsOf<typeof SetStrategyState>,
  wallet: string,
): Change {
  const isExit = document.kind === 'EMERGENCY_EXIT';
  if (!isExit || params.target_state !== 'RUNNING')
    return { error: params.target_state === 'ERROR' ? 'Stopped by a manager.' : null, armed: null };
  const { emergency_arm_reason: reason = null, emergency_max_slippage_bps: slippage } = params;
  const { definition } = document;
  const max_slippage_bps = slippage ?? EXIT_SLIPPAGE_BPS;
  return {
    error: null,
    armed: { started_at: new Date(ports.now()).toISOString(), reason, by: getAddress(wallet) },
    definition: { ...definition, action_config: { ...definition.action_config, max_slippage_bps } },
  };
}

export const setStrategyState =
  (ports: StrategyPorts) =>
  async (params: ParamsOf<typeof SetStrategyState>, call: Call): Promise<ResultOf<typeof SetStrategyState>> => {
    const { document, wallet, snapshot } = await forWriting(ports, params.id, params.version, call);
    const { kind, state } = document;
    const { target_state } = params;
    if (!mayChange(kind, state, target_state)) {
      const possible = nextStates(kind, state).join(', ') || 'none';
      throw refused(document, `A strategy that is ${state} cannot become ${target_state}. Possible: ${possible}.`);
    }
    if (target_state === 'RUNNING' && kind === 'USER_DEFINED') {
      await requireUnlocked(ports, document);
      requireSound(judge(document.definition, snapshot, await liveFacts(ports, snapshot)));
    }
    const fields: Change = { ...consequences(ports, document, params, wallet), state: target_state };
    const details = { from: state, to: target_state, reason: params.emergency_arm_reason ?? null, kind };
    return viewOf(
      ports,
      await write(ports, document, fields, { action_type: 'strategy_state_changed', wallet, details }, call),
      { snapshot },
    );
  };

/** @throws AppError EMERGENCY_LOCK_ACTIVE while an exit drains the source this strategy works on. */
async function requireUnlocked(ports: StrategyPorts, document: StrategyDocument): Promise<void> {
  const running = await ports.strategies.running({ chainId: document.chain_id, vault: document.vault });
  const lock = lockOf(document, running);
  if (lock)
    throw new AppError('EMERGENCY_LOCK_ACTIVE', 'An emergency exit drains this yield source. Stop it first.', {
      data: { strategy_id: lock._id },
    });
}

export const archiveStrategy =
  (ports: StrategyPorts) =>
  async ({ id }: ParamsOf<typeof ArchiveStrategy>, call: Call): Promise<ResultOf<typeof ArchiveStrategy>> => {
    const { document, wallet, snapshot } = await forWriting(ports, id, undefined, call);
    if (!mayChange(document.kind, document.state, 'ARCHIVED'))
      throw refused(document, `A strategy that is ${document.state} cannot be archived, nor can an emergency exit.`);
    const details = { from: document.state };
    const after = await write(
      ports,
      document,
      { state: 'ARCHIVED' },
      { action_type: 'strategy_archived', wallet, details },
      call,
    );
    return { strategy: await viewOf(ports, after, { snapshot }) };
  };

export const reorderStrategies =
  (ports: StrategyPorts) =>
  async (
    params: ParamsOf<typeof ReorderStrategies>,
    { caller, requestId }: Call,
  ): Promise<ResultOf<typeof ReorderStrategies>> => {
    const { wallet } = await requireWriter(ports, params, caller);
    const { lane, ordered_strategy_ids: order } = params;
    const key = keyOf(params);
    const before = (await ports.strategies.orders(key, await ports.strategies.ofVault(key)))[lane];
    if (!isPermutation(order, before))
      throw new AppError('LANE_MISMATCH', 'Name every strategy of the lane that is not archived exactly once.', {
        data: { lane, strategy_ids: before },
      });
    const details = { lane, from: before, to: order };
    const row = auditRow(ports, params, { action_type: 'strategies_reordered', wallet, details, requestId });
    await ports.strategies.setOrder(key, lane, order, row);
    return { lane, strategies: order.map((id, index) => ({ id, priority: index + 1 })) };
  };
