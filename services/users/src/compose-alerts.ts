import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  AlertSignalled,
  AlertSignalStream,
  RoleStream,
  RolesChanged,
  StrategyRecovered,
  StrategyStale,
  ValidatorStream,
} from '@castellan/contracts';
import { type Consumption, consumeDurable, on, type ServiceContext } from '@castellan/service-kit';
import { untilRolesAreRead } from '@castellan/tokens';
import { ChannelStore } from './alerts/channels/adapters/channel-store.mongo.ts';
import { sealer } from './alerts/channels/adapters/sealed.ts';
import { openNotificationCollections } from './alerts/channels/models/collections.ts';
import { noteEndedRoles } from './alerts/channels/use-cases/ended-roles.ts';
import { Dispatcher } from './alerts/delivery/deliver-and-retry.ts';
import { mailSender } from './alerts/delivery/mail.ts';
import { sendThrough } from './alerts/delivery/providers.ts';
import { safePost } from './alerts/delivery/safe-post.ts';
import { deliveryMetrics } from './alerts/delivery/telemetry.ts';
import { openDutyCollections } from './alerts/duty/models/collections.ts';
import { AlertEvaluator } from './alerts/evaluator/evaluator.ts';
import { Measurer } from './alerts/evaluator/measurer.ts';
import { sampler } from './alerts/evaluator/sampler.ts';
import { recordRecovered, recordSignal, recordStale } from './alerts/evaluator/signals.ts';
import { evaluationMetrics } from './alerts/evaluator/telemetry.ts';
import { Journal } from './alerts/journal/adapters/journal.mongo.ts';
import { AlertRecords } from './alerts/records/adapters/alert-records.mongo.ts';
import type { AuditLog } from './audit/adapters/audit-log.mongo.ts';
import { type Collections, openAlertCollections } from './collections.ts';
import type { UsersConfig } from './config.ts';

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
  const evaluations = evaluationMetrics(registry, Date.now);
  const deliveries = deliveryMetrics(registry, Date.now);
  const { trustedOrigins, key, sealPlain, sampleSeconds, mail } = config.notifications;
  const distrust = (collection: string, id: unknown) => {
    deliveries.distrusted.inc({ collection });
    log.error('ignored a stored document that is malformed or forged', { collection, id: String(id) });
  };
  const store = new ChannelStore(openNotificationCollections(mongo), sealer(key), distrust);
  const sendMail = mail && mailSender(mail.server);
  const send = sendThrough({ post: safePost({ trustedOrigins }), sendMail, outbox, now: shared.now });
  const roles = { store, auditLog: shared.auditLog, callAction, now: shared.now };
  const duty = openDutyCollections(mongo);
  const escalation = { records, auditLog: shared.auditLog, outbox, alerts, duty, log };
  const dispatcher = new Dispatcher({ ...roles, records, send, mongo, metrics: deliveries, log, escalation });
  const evaluator = new AlertEvaluator({
    ...{ records, auditLog: shared.auditLog, outbox, collections: alerts, journal, mongo, callAction, log },
    metrics: evaluations,
    yieldToEventLoop,
    now: shared.now,
    measurer: new Measurer({ callAction, journal, log, nowMs: Date.now }),
    sample: sampler({
      callAction,
      journal,
      services: servicesOn(broker),
      log,
      now: Date.now,
      intervalMs: sampleSeconds * 1000,
    }),
  });
  const stores = { alerts, journal };
  let consuming: Consumption[] = [];
  return {
    deps: {
      ...{ ...shared, alerts, duty, records, journal, outbox, store, dispatcher, trustedOrigins, yieldToEventLoop },
      emailDomains: mail?.domains,
    },
    signal: recordSignal(stores),
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
              if (await untilRolesAreRead({ callAction, wait: sleep }, change)) await noteEndedRoles(roles, change);
            }),
          ],
        }),
      ];
      await evaluator.start(durable);
      dispatcher.start();
    },
    drain: async () => {
      for (const consumption of consuming) await consumption.stop();
      await evaluator.stop();
      await dispatcher.stop();
    },
  };
}
