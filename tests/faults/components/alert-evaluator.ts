import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  AlertChanged,
  AlertStream,
  type EventData,
  ListLogEntries,
  UpdateStream,
  VaultUpdated,
} from '@castellan/contracts';
import {
  type CallAction,
  createOutbox,
  createRegistry,
  defineStreams,
  ensureIndexes,
  streamNameOf,
} from '@castellan/service-kit';
import { AlertEvaluator } from '../../../services/users/src/alerts/evaluator/evaluator.ts';
import { Measurer } from '../../../services/users/src/alerts/evaluator/measurer.ts';
import { evaluationMetrics } from '../../../services/users/src/alerts/evaluator/telemetry.ts';
import { Journal } from '../../../services/users/src/alerts/journal/adapters/journal.mongo.ts';
import { AlertRecords, alertIdOf } from '../../../services/users/src/alerts/records/adapters/alert-records.mongo.ts';
import { AuditLog } from '../../../services/users/src/audit/adapters/audit-log.mongo.ts';
import { openAlertCollections, openCollections } from '../../../services/users/src/collections.ts';
import { observation } from '../../../services/users/test/alerts-scene.ts';
import { addTo, chain_id, type FakeLog, primary, strategy, vault_address } from '../../../services/users/test/scene.ts';
import { type Connection, gatedConnection } from '../gated-store.ts';
import { MemoryBus } from '../memory-bus.ts';
import type { Component, Work } from '../play.ts';
import { Process, World } from '../world.ts';
import { openDatabase } from './databases.ts';
import { log } from './silent.ts';

const namespace = 'faults';

class EvaluatorScene {
  readonly connection: Connection;
  readonly #world: World;
  readonly #bus: MemoryBus;
  readonly #log: FakeLog = { entries: [], indexed: null, page: 1_000, reads: [] };

  constructor(world: World, connection: Connection) {
    this.#world = world;
    this.connection = connection;
    this.#bus = new MemoryBus(world, log);
  }

  /** Until the alerts are live: what came before is history and not sent. */
  async prepare(): Promise<void> {
    const args = { vault: vault_address, strategy, name: 'USDC Core' };
    addTo(this.#log, 0, { name: 'VaultDeployed', args, from: primary });
    addTo(this.#log, 0, observation());
    openCollections(this.connection);
    openAlertCollections(this.connection);
    await ensureIndexes(this.connection);
    const { evaluator } = await this.#parts(new World(), new Process());
    for (let steps = 0; steps < 3; steps += 1) await evaluator.step(chain_id);
    await evaluator.stop();
    this.#happen(100, 'StrategyPaused');
    this.#happen(200, 'StrategyUnpaused');
  }

  #happen(after: number, name: string): void {
    addTo(this.#log, after, { name, args: { strategy }, from: primary });
    addTo(this.#log, after, observation({ is_paused: name === 'StrategyPaused' }));
  }

  /** The service whose log is judged, as one process reaches it. */
  #callOf(world: World, process: Process): CallAction {
    const page = ({ after_seq }: { after_seq: number }) => {
      const { entries } = this.#log;
      const last = entries.at(-1);
      return {
        entries: entries.filter(({ seq }) => seq > after_seq),
        head_seq: entries.length,
        indexed_block: last?.block_number ?? null,
        indexed_time: last?.block_time ?? null,
      };
    };
    const answer = ({ name }: { name: string }, params: { after_seq: number }) =>
      name === ListLogEntries.name ? page(params) : { chains: [{ chain_id, lag_seconds: 0 }] };
    return ((action: { name: string }, params: { after_seq: number }) =>
      world.request(process, 'vaults', 'call', async () => answer(action, params))) as unknown as CallAction;
  }

  async #parts(world: World, process: Process) {
    const mongo = gatedConnection(this.connection, world, process);
    const bus = this.#bus.of(process, namespace);
    await defineStreams(bus, [UpdateStream, AlertStream]);
    const { now, date } = world.clock;
    const outbox = createOutbox({ connection: mongo, bus, events: [VaultUpdated, AlertChanged], log, now });
    const collections = openAlertCollections(mongo);
    const journal = new Journal(collections);
    const callAction = this.#callOf(world, process);
    const evaluator = new AlertEvaluator({
      collections,
      outbox,
      mongo,
      log,
      now: date,
      records: new AlertRecords(collections),
      journal,
      auditLog: new AuditLog(openCollections(mongo)),
      callAction,
      measurer: new Measurer({ callAction, journal, log, nowMs: now }),
      metrics: evaluationMetrics(createRegistry('test'), now),
      sample: async () => undefined,
      yieldToEventLoop,
    });
    return { evaluator, outbox };
  }

  async start(process: Process): Promise<Work> {
    const { evaluator, outbox } = await this.#parts(this.#world, process);
    return {
      step: async () => {
        const next = await evaluator.step(chain_id);
        return (await outbox.flush()) === 0 ? next : 'more';
      },
    };
  }

  meanwhile(): void {
    this.#happen(300, 'StrategyPaused');
  }

  async accounts() {
    const [first, second] = [1, 2].map((ordinal) => alertIdOf(chain_id, vault_address.toLowerCase(), ordinal));
    const expected = [`${first} active`, `${first} resolved`, `${second} active`];
    const published = this.#bus.messages(streamNameOf(namespace, UpdateStream)) as EventData<typeof VaultUpdated>[];
    const events = await this.connection.collection('alert_events').find().sort({ sequence: 1 }).toArray();
    const rows = await this.connection.collection('audit_log').find().sort({ seq: 1 }).toArray();
    const nameOf = (alert: { alert_id: string; status: string } | null | undefined) =>
      `${alert?.alert_id} ${alert?.status}`;
    return [
      { what: 'an event of each change of an alert', expected, seen: events.map(({ data }) => nameOf(data.alert)) },
      { what: 'an update on the bus of each', expected, seen: published.map(({ alert }) => nameOf(alert)) },
      { what: 'a row of each', expected, seen: rows.map(({ details }) => nameOf(details)) },
    ];
  }
}

/** Judges a vault by the log, opens alerts and resolves them. */
export const alertEvaluator: Component = {
  name: 'the evaluator of alerts',
  needs: ['store', 'vaults', 'bus'],
  open: async (world, store) => {
    const scene = new EvaluatorScene(world, await openDatabase(store));
    await scene.prepare();
    return scene;
  },
};
