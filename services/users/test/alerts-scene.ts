import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Caller, LogEntry, MetricValue, ParamsOf, ResultOf } from '@castellan/contracts';
import {
  AppError,
  GetAlertReadings,
  GetChainRoles,
  GetValidators,
  GetVault,
  GetVaultManagers,
  ListChains,
  ListLogEntries,
  ListTransmissions,
  MeasureMetrics,
} from '@castellan/contracts';
import { type Call, createLogger, createRegistry } from '@castellan/service-kit';
import type { TestStore } from '@castellan/testkit';
import { deliveryMetrics } from '../src/alerts/delivery/telemetry.ts';
import { AlertEvaluator } from '../src/alerts/evaluator/evaluator.ts';
import { Measurer } from '../src/alerts/evaluator/measurer.ts';
import type { StoredEngine } from '../src/alerts/evaluator/models/collections.ts';
import { sampler } from '../src/alerts/evaluator/sampler.ts';
import { evaluationMetrics } from '../src/alerts/evaluator/telemetry.ts';
import { Journal } from '../src/alerts/journal/adapters/journal.mongo.ts';
import { AlertRecords } from '../src/alerts/records/adapters/alert-records.mongo.ts';
import type { RecordDeps } from '../src/alerts/records/record-change.ts';
import { openAlertCollections } from '../src/collections.ts';
import { addTo, chain_id, openScene, primary, strategy, vault, vault_address } from './scene.ts';

/** The parts of the alerts on a real document store, over a log that a test writes. */

type Readings = ResultOf<typeof GetAlertReadings>;
const at = '2026-01-01T00:00:00.000Z';

export const observation = (seen: Record<string, unknown> = {}) => ({
  kind: 'observation' as const,
  name: 'state_observed',
  contract: 'vault',
  tx_hash: null,
  log_index: null,
  args: {
    pps: '1000000',
    calculated_pps: '1000000',
    last_update_timestamp: `${Date.UTC(2026, 0, 1) / 1000}`,
    pps_expiration_seconds: 86_400,
    is_paused: false,
    is_pps_stale: false,
    upkeep_enabled: true,
    upkeep_balance: '1000',
    upkeep_cost_per_update: '5',
    deviation_threshold: '50000000000000000',
    ...seen,
  },
});

type Measuring = ParamsOf<typeof MeasureMetrics>;

/** What analytics answers of figures that a test has written, by the block of their observation. */
function measured(figures: ReadonlyMap<number, Record<string, MetricValue>>, asked: Measuring) {
  const { readings, since, until, after_block, before_block, order, limit = 1_000 } = asked;
  const all = [...figures].map(([block_number, values]) => {
    const time = new Date(Date.UTC(2026, 0, 1) + block_number * 1000).toISOString();
    return { block_number, time, values };
  });
  const before = (time: string) => all.findLast((each) => Date.parse(each.time) <= Date.parse(time));
  const first = before(since)?.block_number ?? 0;
  const inRange = all.filter(
    ({ block_number, time }) =>
      (after_block === undefined ? block_number >= first : block_number > after_block) &&
      (before_block === undefined || block_number < before_block) &&
      (until === undefined || Date.parse(time) <= Date.parse(until)),
  );
  const wanted = order === 'newest_first' ? inRange.slice(-limit) : inRange.slice(0, limit);
  return {
    generation: 1,
    has_more: wanted.length < inRange.length,
    observations: wanted.map(({ block_number, time, values }) => ({
      block_number,
      time,
      values: readings.map(({ metric, ago_seconds }) => {
        const then = new Date(Date.parse(time) - ago_seconds * 1000).toISOString();
        return (ago_seconds === 0 ? values : before(then)?.values)?.[metric] ?? null;
      }),
    })),
  };
}

export async function openAlertScene(store: TestStore) {
  const scene = await openScene(store);
  const { mongo, fake, auditLog, outbox } = scene;
  const alerts = openAlertCollections(mongo);
  for (const model of Object.values(mongo.models)) await model.createIndexes();
  const log = createLogger({ service: 'test', level: 'silent' });
  const journal = new Journal(alerts);
  const records = new AlertRecords(alerts);
  const world = {
    now: Date.parse(at),
    services: ['vaults', 'keeper'],
    nodes: [] as { index: number; node_id: string | null; status: string; transmitter_address: string }[],
    readings: { pause_proof: null, keeper: null, balances: [] } as Readings,
    transmissions: [] as { status: string }[],
    /** How far the indexer is behind the chain. */
    lagSeconds: 0 as number | null,
    /** Chain time up to which blocks are indexed; by default that of the last entry. */
    indexedTime: undefined as string | undefined,
    /** Who manages the vault; undefined: nobody can say. */
    manager: primary as string | undefined,
    /** The last block at which that was read; the one before it stays. */
    block: 1,
    /** Figures of the vault, by the block of their observation. */
    figures: new Map<number, Record<string, MetricValue>>(),
    /** What was asked of them; null: nobody answers. */
    measuring: [] as Measuring[] | null,
  };
  const managers = () => {
    if (world.manager === undefined) throw new AppError('SERVICE_UNAVAILABLE', 'Nobody answers.');
    const appointed = { wallet_address: world.manager, granted_by: null, granted_at: at };
    return { ...vault, primary: appointed, secondary: [], block_number: world.block, final_block: world.block - 1 };
  };
  const callAction = (async ({ name }: { name: string }, params: { after_seq: number; wallet_address: string }) => {
    if (name === ListLogEntries.name) {
      const entries = fake.entries.filter(({ seq }) => seq > params.after_seq).slice(0, fake.page);
      const last = fake.entries.at(-1);
      return {
        entries,
        head_seq: fake.entries.length,
        indexed_block: last?.block_number ?? null,
        indexed_time: world.indexedTime ?? last?.block_time ?? null,
      };
    }
    if (name === ListChains.name) return { chains: [{ chain_id, lag_seconds: world.lagSeconds }] };
    if (name === GetValidators.name) return { config: { chain_id }, nodes: world.nodes };
    if (name === ListTransmissions.name) return { transmissions: world.transmissions };
    if (name === GetVaultManagers.name) return managers();
    if (name === GetAlertReadings.name) return world.readings;
    if (name === GetVault.name) return { asset: { symbol: 'USDC', decimals: 6 } };
    if (name === MeasureMetrics.name) {
      if (world.measuring === null) throw new AppError('SERVICE_UNAVAILABLE', 'Nobody answers.');
      world.measuring.push(params as unknown as Measuring);
      return measured(world.figures, params as unknown as Measuring);
    }
    if (name === GetChainRoles.name) {
      const isRemoved = params.wallet_address === primary && world.manager !== primary;
      return { roles: isRemoved ? [] : [{ ...vault, role: 'primary_manager' }] };
    }
    throw new Error(`Nobody answers ${name}.`);
  }) as unknown as Call['callAction'];
  const registry = createRegistry('test');
  const metrics = evaluationMetrics(registry, () => world.now);
  const deliveries = deliveryMetrics(registry, () => world.now);
  const base: RecordDeps = { records, auditLog, outbox };
  const evaluator = (through: Partial<RecordDeps> = {}) =>
    new AlertEvaluator({
      ...base,
      ...through,
      collections: alerts,
      journal,
      mongo,
      callAction,
      metrics,
      log,
      now: () => new Date(),
      yieldToEventLoop,
      measurer: new Measurer({ callAction, journal, log, nowMs: () => world.now }),
      sample: sampler({
        callAction,
        journal,
        log,
        services: async () => world.services,
        now: () => world.now,
        intervalMs: 0,
      }),
    });
  const call = (wallet: string, bound?: Caller['vault']): Call => ({
    caller: { wallet_address: wallet, sid: 's', issuer: 'test', ...(bound ? { vault: bound } : {}) },
    requestId: 'request-1',
    callAction,
  });
  /** Steps until the log is read and the alerts are live. */
  const settle = async (one: AlertEvaluator) => {
    for (let steps = 0; steps < 50; steps += 1) {
      const next = await one.step(chain_id);
      const clock = await alerts.clocks.findOne({ chain_id });
      if (next === 'rest' && clock?.is_live) return;
    }
    throw new Error('It never came to rest.');
  };
  const created = (): LogEntry =>
    addTo(fake, 0, {
      name: 'VaultDeployed',
      args: { vault: vault_address, strategy, name: 'USDC Core' },
      from: primary,
    });
  /** An observation of the vault so many seconds after the start, and figures of it. */
  const observe = (after: number, figures: Record<string, MetricValue>, seen: Record<string, unknown> = {}) => {
    addTo(fake, after, observation(seen));
    world.figures.set(after, figures);
  };
  const engine = async () => (await alerts.engines.findOne({ chain_id })) as StoredEngine;
  return {
    ...scene,
    alerts,
    journal,
    records,
    world,
    callAction,
    evaluator,
    call,
    settle,
    created,
    observe,
    engine,
    metrics,
    deliveryMetrics: deliveries,
    yieldToEventLoop,
    registry,
    log,
  };
}
export type AlertScene = Awaited<ReturnType<typeof openAlertScene>>;
