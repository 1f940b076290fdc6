import type { AlertEvent } from '@castellan/contracts';
import { type CallAction, createRegistry, ensureIndexes, inTransaction, type RecordWith } from '@castellan/service-kit';
import { ChannelStore } from '../../../services/users/src/alerts/channels/adapters/channel-store.mongo.ts';
import { sealer } from '../../../services/users/src/alerts/channels/adapters/sealed.ts';
import { openNotificationCollections } from '../../../services/users/src/alerts/channels/models/collections.ts';
import { Dispatcher } from '../../../services/users/src/alerts/delivery/deliver-and-retry.ts';
import type { Send } from '../../../services/users/src/alerts/delivery/providers.ts';
import { deliveryMetrics } from '../../../services/users/src/alerts/delivery/telemetry.ts';
import { openDutyCollections } from '../../../services/users/src/alerts/duty/models/collections.ts';
import { AlertRecords } from '../../../services/users/src/alerts/records/adapters/alert-records.mongo.ts';
import { AuditLog } from '../../../services/users/src/audit/adapters/audit-log.mongo.ts';
import { openAlertCollections, openCollections } from '../../../services/users/src/collections.ts';
import { chain_id, primary, vault, vault_address } from '../../../services/users/test/scene.ts';
import { type Connection, gatedConnection } from '../gated-store.ts';
import type { Component, Work } from '../play.ts';
import type { Process, World } from '../world.ts';
import { openDatabase } from './databases.ts';
import { log } from './silent.ts';

/** Channels are served every half second; during an outage that would be work without an end. */
const awayStepMs = 10_000;
const channel_id = 'ch_desk';
/** What a receiver refuses as signed too long ago: docs/webhooks.md. */
const mostAgeMs = 5 * 60_000;
const seal = sealer(Buffer.alloc(32, 7));
const distrust = (collection: string) => {
  throw new Error(`A document of ${collection} is not trusted.`);
};

/** No vault of this scene has a rota, so nothing is escalated. */
const refuseChanges: RecordWith = () => Promise.reject(new Error('Nothing may be escalated.'));

const managers = {
  ...vault,
  primary: { wallet_address: primary, granted_by: null, granted_at: '2026-01-01T00:00:00.000Z' },
  secondary: [],
  block_number: 1,
};

class DeliveryScene {
  readonly connection: Connection;
  readonly #world: World;
  readonly #sent: string[] = [];
  readonly #received: AlertEvent[] = [];

  constructor(world: World, connection: Connection) {
    this.#world = world;
    this.connection = connection;
  }

  #parts(connection: Connection) {
    const collections = openCollections(connection);
    return {
      auditLog: new AuditLog(collections),
      records: new AlertRecords(openAlertCollections(connection)),
      store: new ChannelStore(openNotificationCollections(connection), seal, distrust),
    };
  }

  #records(): AlertRecords {
    const { connection } = this;
    return new AlertRecords({
      alerts: connection.collection('alerts') as never,
      events: connection.collection('alert_events') as never,
      revisions: connection.collection('alert_revisions') as never,
    });
  }

  async prepare(): Promise<void> {
    const { store } = this.#parts(this.connection);
    await ensureIndexes(this.connection);
    const now = this.#world.clock.date();
    const owner = primary.toLowerCase();
    const sealed = store.seal({ channel_id, owner }, { url: 'https://desk.example/hook', secret: 'x'.repeat(24) });
    await store.add({
      channel_id,
      owner,
      provider: 'webhook',
      name: 'Desk',
      sealed,
      origin: 'https://desk.example',
      is_active: true,
      created_at: now,
      updated_at: now,
      version: 1,
    });
    await store.bind({
      channel_id,
      chain_id,
      vault: vault_address.toLowerCase(),
      vault_address,
      min_severity: 'info',
      bound_by: primary.toLowerCase(),
      bound_at: now,
      next_sequence: 1,
      failures: 0,
      due_at: now,
      last_delivered_at: null,
      revision: 1,
    });
    await this.#sendAlerts(3);
  }

  async #sendAlerts(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const event_id = `e${this.#sent.length + 1}`;
      const event_type = 'alert.opened' as const;
      const timestamp = this.#world.clock.date().toISOString();
      const data = { alert: null, note: event_id };
      await inTransaction(this.connection, (session) =>
        this.#records().addEvent({ event_id, event_type, timestamp, ...vault, data }, 'critical', session),
      );
      this.#sent.push(event_id);
    }
  }

  /** As a webhook is sent: what the other side does is never thrown. */
  #sendOf(process: Process): Send {
    const outcome = { ok: true, status: 200, reason: null, durationMs: 1 };
    return async (_channel, _config, event) => {
      const { clock } = this.#world;
      const signedAt = clock.now();
      try {
        await this.#world.request(process, 'receiver', 'send', async () => {
          if (clock.now() - signedAt <= mostAgeMs) this.#received.push(event);
        });
        return outcome;
      } catch (error) {
        if (process.isKilled) throw error;
        return { ...outcome, ok: false, status: null, reason: 'CONNECTION_REFUSED' };
      }
    };
  }

  start(process: Process): Work {
    const mongo = gatedConnection(this.connection, this.#world, process);
    const parts = this.#parts(mongo);
    const alerts = openAlertCollections(mongo);
    const outbox = { recordWith: refuseChanges };
    const dispatcher = new Dispatcher({
      ...parts,
      escalation: { ...parts, alerts, outbox, duty: openDutyCollections(mongo), log },
      mongo,
      log,
      send: this.#sendOf(process),
      metrics: deliveryMetrics(createRegistry('test'), this.#world.clock.now),
      now: this.#world.clock.date,
      callAction: (() => this.#world.request(process, 'vaults', 'call', async () => managers)) as unknown as CallAction,
    });
    return {
      step: async () => {
        await dispatcher.step();
        const binding = await this.connection.collection('channel_bindings').findOne({ channel_id });
        if (Number(binding?.next_sequence) > this.#sent.length) return 'rest';
        this.#world.pass(this.#world.isAnythingAway ? awayStepMs : 1000);
        return 'more';
      },
    };
  }

  async meanwhile(): Promise<void> {
    await this.#sendAlerts(2);
  }

  async accounts() {
    const ids = this.#received.map(({ event_id }) => event_id);
    return [
      {
        what: 'a delivery of each event, repeated at most before the next one',
        expected: this.#sent,
        seen: ids.filter((id, index) => id !== ids[index - 1]),
      },
    ];
  }
}

/** Delivers alerts to a webhook. */
export const alertDeliveries: Component = {
  name: 'the deliveries of alerts',
  needs: ['store', 'vaults', 'receiver'],
  open: async (world, store) => {
    const scene = new DeliveryScene(world, await openDatabase(store));
    await scene.prepare();
    return scene;
  },
};
