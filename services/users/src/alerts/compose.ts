import { setTimeout as sleep } from 'node:timers/promises';
import {
  AlertSignalled,
  AlertSignalStream,
  ChainStream,
  LogAppended,
  RoleStream,
  RolesChanged,
  StrategyRecovered,
  StrategyStale,
  ValidatorStream,
} from '@castellan/contracts';
import {
  type Consumption,
  consumeDurable,
  type Following,
  followStream,
  on,
  type ServiceContext,
} from '@castellan/service-kit';
import { untilRolesAreRead } from '@castellan/tokens';
import type { AuditLog } from '../adapters/audit-log.mongo.ts';
import type { UsersConfig } from '../config.ts';
import type { Collections } from '../models/collections.ts';
import { ChannelStore } from '../notifications/channel-store.ts';
import { openNotificationCollections } from '../notifications/collections.ts';
import { Dispatcher } from '../notifications/dispatcher.ts';
import { endBindingsOf } from '../notifications/ended-roles.ts';
import { sendThrough } from '../notifications/providers.ts';
import { safePost } from '../notifications/safe-post.ts';
import { sealer } from '../notifications/sealed.ts';
import { openAlertCollections } from './collections.ts';
import { AlertEvaluator } from './evaluator.ts';
import { Journal } from './journal.mongo.ts';
import { AlertRecords } from './records.mongo.ts';
import { sampler } from './sampler.ts';
import { recordRecovered, recordSignal, recordStale } from './signals.ts';
import { alertMetrics } from './telemetry.ts';
import { AlertWatch } from './watch.ts';

type Shared = {
  auditLog: AuditLog;
  collections: Collections;
  checksum: (address: string) => string;
  now: () => Date;
};

/** Names of the services that answer on the bus, as this process knows it. */
const servicesOn = (broker: ServiceContext['broker']) => async (): Promise<string[]> => {
  const list = broker.registry.getServiceList({ onlyAvailable: true, skipInternal: true }) as unknown as {
    name: string;
  }[];
  return [...new Set(list.map(({ name }) => name))];
};

/** The alerts and the notifications of them: what watches, what delivers, and what the actions need. */
export function composeAlerts(context: ServiceContext, config: UsersConfig, shared: Shared) {
  const { mongo, outbox, durable, callAction, broker, registry, log } = context;
  const alerts = openAlertCollections(mongo);
  const journal = new Journal(alerts);
  const records = new AlertRecords(alerts);
  const metrics = alertMetrics(registry, Date.now);
  const { trustedOrigins, key, sealPlain, sampleSeconds } = config.notifications;
  const distrust = (collection: string, id: unknown) => {
    metrics.distrusted.inc({ collection });
    log.error('ignored a stored document that is malformed or forged', { collection, id: String(id) });
  };
  const store = new ChannelStore(openNotificationCollections(mongo), sealer(key), distrust);
  const send = sendThrough({ post: safePost({ trustedOrigins }), outbox, now: shared.now });
  const roles = { store, auditLog: shared.auditLog, callAction, now: shared.now };
  const dispatcher = new Dispatcher({ ...roles, records, send, mongo, metrics, log });
  const evaluator = new AlertEvaluator({
    ...{ records, auditLog: shared.auditLog, outbox, collections: alerts, journal, mongo, callAction, metrics, log },
    hasEvent: async (id) => (await alerts.events.findOne({ event_id: id })) !== null,
    now: shared.now,
    sample: sampler({
      callAction,
      journal,
      services: servicesOn(broker),
      log,
      now: Date.now,
      intervalMs: sampleSeconds * 1000,
    }),
  });
  const watch = new AlertWatch({ evaluator, callAction, metrics, log });
  const stores = { alerts, journal };
  let consuming: Consumption[] = [];
  let following: Following | undefined;
  return {
    deps: { ...shared, alerts, records, journal, outbox, store, dispatcher, trustedOrigins },
    start: async () => {
      if (sealPlain) await store.sealPlain();
      consuming = [
        await consumeDurable(durable, {
          stream: AlertSignalStream,
          durable: 'users-alert-signals',
          handlers: [on(AlertSignalled, recordSignal(stores))],
        }),
        await consumeDurable(durable, {
          stream: ValidatorStream,
          durable: 'users-alert-validators',
          handlers: [on(StrategyStale, recordStale(stores)), on(StrategyRecovered, recordRecovered(stores))],
        }),
        await consumeDurable(durable, {
          stream: RoleStream,
          durable: 'users-channel-roles',
          handlers: [
            on(RolesChanged, async (change) => {
              if (await untilRolesAreRead({ callAction, wait: sleep }, change)) await endBindingsOf(roles, change);
            }),
          ],
        }),
      ];
      following = await followStream(durable, {
        stream: ChainStream,
        events: [LogAppended],
        from: new Date(),
        onMessage: () => watch.wake(),
      });
      watch.start();
      dispatcher.start();
    },
    drain: async () => {
      await following?.stop();
      for (const consumption of consuming) await consumption.stop();
      await watch.stop();
      await dispatcher.stop();
    },
  };
}
