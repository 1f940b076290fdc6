import {
  AppError,
  type Caller,
  type GetEngineShard,
  type GetEngineStatus,
  type GetEngineVault,
  type GetStrategySnapshot,
  managerRoleOnVault,
  type ParamsOf,
  type ResultOf,
  type UpdateEngineVault,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { decide, type StrategySnapshot } from '@castellan/strategy';
import { getAddress } from 'viem/utils';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { walletsOf } from '../../vault/domain/vault-facts.ts';
import { requireWallet } from '../../vault/use-cases/caller.ts';
import {
  auditRow,
  forReaders,
  type KeeperReport,
  keyOf,
  requireWriter,
  type StrategyPorts,
  vaultIdOf,
} from '../access.ts';
import type { RunDocument } from '../adapters/runs.mongo.ts';
import type { Engine } from '../adapters/strategies.mongo.ts';
import { snapshotOf } from '../domain/facts.ts';
import { lockOf } from '../domain/lock.ts';
import type { RewardFacts } from '../domain/rewards.ts';
import type { StrategyDocument } from '../domain/strategy.ts';
import { programOf } from '../validate.ts';
import { turnYielder } from '../yield-turn.ts';
import { prioritiesOf, sorted } from './read-strategies.ts';

const engineView = (id: string, engine: Engine): ResultOf<typeof UpdateEngineVault> => ({
  id,
  kill_switch: engine.kill_switch,
  max_intents_per_minute: engine.max_intents_per_minute,
  max_active_intents: engine.max_active_intents,
  version: engine.version,
});

/** The keeper of the chain, as one vault sees it. */
export function keeperView(
  report: KeeperReport | null,
  { managers }: Snapshot,
): ResultOf<typeof GetEngineVault>['keeper'] {
  if (!report) return null;
  const role = managerRoleOnVault(report.address.toLowerCase(), walletsOf(managers));
  return { ...report, address: getAddress(report.address), role };
}

export const getEngineVault = (ports: StrategyPorts) =>
  forReaders(
    ports,
    async (params: ParamsOf<typeof GetEngineVault>, snapshot): Promise<ResultOf<typeof GetEngineVault>> => {
      const [engine, report] = await Promise.all([
        ports.strategies.engine(keyOf(params)),
        ports.keeper(params.chain_id),
      ]);
      const keeper = keeperView(report, snapshot);
      return { ...engineView(vaultIdOf(params.chain_id, params.vault_address), engine), keeper };
    },
  );

export const updateEngineVault =
  (ports: StrategyPorts) =>
  async (
    params: ParamsOf<typeof UpdateEngineVault>,
    { caller, requestId }: Call,
  ): Promise<ResultOf<typeof UpdateEngineVault>> => {
    const { wallet } = await requireWriter(ports, params, caller);
    const { chain_id, vault_address, version, ...wanted } = params;
    const before = await ports.strategies.engine(keyOf(params));
    const stale = new AppError(
      'VERSION_CONFLICT',
      'Somebody else has changed this in the meantime. Check it and try again.',
      {
        data: { current: before },
      },
    );
    if (version !== undefined && version !== before.version) throw stale;
    const { version: read, ...limits } = before;
    const after = {
      kill_switch: wanted.kill_switch ?? limits.kill_switch,
      max_intents_per_minute: wanted.max_intents_per_minute ?? limits.max_intents_per_minute,
      max_active_intents: wanted.max_active_intents ?? limits.max_active_intents,
    };
    const details = { from: limits, to: after };
    const row = auditRow(ports, params, { action_type: 'engine_limits_changed', wallet, details, requestId });
    const engine = await ports.strategies.setEngine(keyOf(params), read, after, row);
    if (!engine) throw stale;
    return engineView(vaultIdOf(chain_id, vault_address), engine);
  };

const fieldsOf = ({ values, block_number }: StrategySnapshot) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, block_number }]));

const rewardView = ({ source, distributor, token, pool, symbol, decimals }: RewardFacts) => ({
  source_address: getAddress(source),
  distributor: getAddress(distributor),
  token: getAddress(token),
  symbol,
  decimals,
  pool: pool === null ? null : getAddress(pool),
});

export const getStrategySnapshot = (ports: StrategyPorts) =>
  forReaders(
    ports,
    async (params: ParamsOf<typeof GetStrategySnapshot>, snapshot): Promise<ResultOf<typeof GetStrategySnapshot>> => {
      const facts = await ports.facts.live(snapshot);
      const seen = snapshotOf(facts);
      return {
        vault_id: vaultIdOf(params.chain_id, params.vault_address),
        block_number: seen.block_number,
        t: new Date(seen.block_time * 1000).toISOString(),
        fields: fieldsOf(seen),
        rewards: (facts.rewards ?? []).map(rewardView),
      };
    },
  );

export const getEngineStatus =
  (ports: StrategyPorts) =>
  async (_params: object, caller: Caller | undefined): Promise<ResultOf<typeof GetEngineStatus>> => {
    requireWallet(caller);
    const running = await ports.strategies.running();
    return {
      active_shards: new Set(running.map(({ chain_id, vault }) => `${chain_id}:${vault}`)).size,
      total_strategies_running: running.length,
    };
  };

/** How often a keeper looks at a vault: with each block that is indexed, and about this often at least. */
const TICK_SECONDS = 15;

const lookOf = (run: RunDocument | undefined) =>
  run && {
    last_look: {
      outcome: run.outcome,
      code: run.code,
      because: run.because,
      block_number: run.block_number,
      at: run.at,
    },
  };

const locksOf = (running: readonly StrategyDocument[]) => running.filter(({ kind }) => kind === 'EMERGENCY_EXIT');

export const getEngineShard = (ports: StrategyPorts) =>
  forReaders(
    ports,
    async (params: ParamsOf<typeof GetEngineShard>, snapshot): Promise<ResultOf<typeof GetEngineShard>> => {
      const key = keyOf(params);
      const running = await ports.strategies.running(key);
      if (running.length === 0)
        throw new AppError('ENGINE_IDLE', 'No strategy runs on this vault. Start one to see what it sees.');
      const documents = await ports.strategies.ofVault(key);
      const priorities = await prioritiesOf(ports, key, documents);
      const seen = snapshotOf(await ports.facts.live(snapshot));
      const locks = locksOf(running);
      const looks = new Map(
        (await ports.runs.ofVault(params.chain_id, params.vault_address)).map((run) => [run._id, run]),
      );
      const strategies: ResultOf<typeof GetEngineShard>['strategies'] = [];
      const yieldTurn = turnYielder(ports.now);
      for (const document of sorted(running, priorities)) {
        await yieldTurn();
        const program = programOf(document, snapshot);
        strategies.push({
          strategy_id: document._id,
          name: document.definition.name,
          state: document.state,
          priority: priorities.get(document._id) ?? null,
          is_locked: lockOf(document, running) !== undefined,
          decision: program ? decide(program, seen) : null,
          ...lookOf(looks.get(document._id)),
        });
      }
      return {
        vault_id: vaultIdOf(params.chain_id, params.vault_address),
        strategy_count: running.length,
        active_intent_count: (await ports.intents.active(params.chain_id, params.vault_address)).length,
        tick_interval_seconds: TICK_SECONDS,
        block_number: seen.block_number,
        fields: fieldsOf(seen),
        strategies,
        emergency_locks: locks.map(({ _id, target, armed, updated_at }) => ({
          strategy_id: _id,
          target_address: getAddress(target),
          started_at: armed?.started_at ?? updated_at,
          reason: armed?.reason ?? null,
        })),
      };
    },
  );
