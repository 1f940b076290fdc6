import { type BusService, type BusServiceName, busServices } from '@castellan/contracts';
import { busPermissionsOf, busUsers, subjectOf } from '@castellan/service-kit';
import { headers, type NatsConnection } from 'nats';
import { type Finding, findingsOf } from './finding.ts';

const bus = findingsOf('bus');
/** A word that is in no subject of the system, and no request of JetStream. */
const unknown = 'castellan-doctor';
/** No service may publish there. */
const forbidden = `${unknown}.may-not`;
const patienceMs = 250;
const named = 3;

const heard = (namespace: string): Set<string> =>
  new Set(
    Object.values<BusService>(busServices)
      .flatMap(({ hears = [] }) => hears)
      .map((event) => subjectOf(namespace, event)),
  );

/**
 * Of the subjects that a service may publish those on which a message does nothing: where the permission leaves a part open nobody listens
 * to ours, JetStream refuses what is no request, and no stream takes a message that is for another one. What every instance hears, and
 * events that are taken as they are sent, are left out.
 */
function harmlessSubjects(namespace: string, name: BusServiceName): string[] {
  const isHeard = heard(namespace);
  return busPermissionsOf(namespace, name)
    .publish.allow.filter((subject) => !subject.endsWith('.all') && !isHeard.has(subject))
    .map((subject) => subject.replaceAll(/(?<=\.)[*>](?=\.|$)/g, unknown));
}

type Refused = { operation: string; subject: string };

/** What the server refuses of these subjects; the one that no service may publish is tried last. */
async function refusedOf(nats: NatsConnection, publish: readonly string[], subscribe: readonly string[]) {
  const refused: Refused[] = [];
  // The server refuses in the order in which it was asked.
  const last = (async () => {
    for await (const event of nats.status()) {
      const { permissionContext } = event as { permissionContext?: Refused };
      if (permissionContext) refused.push(permissionContext);
      if (permissionContext?.subject === forbidden) return;
    }
  })();
  const subscriptions = subscribe.map((subject) => nats.subscribe(subject, { callback: () => undefined }));
  const forNoStream = headers();
  forNoStream.set('Nats-Expected-Stream', unknown);
  for (const subject of publish) nats.publish(subject, unknown, { headers: forNoStream });
  nats.publish(forbidden);
  await nats.flush();
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, patienceMs);
  await Promise.race([last, patience.promise]);
  clearTimeout(timer);
  for (const subscription of subscriptions) if (!subscription.isClosed()) subscription.unsubscribe();
  return refused;
}

const shownOf = (subjects: readonly string[]): string => {
  const more = subjects.length - named;
  return `${subjects.slice(0, named).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Tries what the service is to do on the bus, and what no service may. */
export async function checkPermissions(
  nats: NatsConnection,
  name: BusServiceName,
  namespace: string,
  user: string | undefined,
): Promise<Finding[]> {
  if (user === undefined || !busUsers.includes(user))
    return [
      bus.warning(
        name,
        'the bus has no user of its own for it',
        'Use deploy/nats, which gives each service its permissions.',
      ),
    ];
  const { subscribe } = busPermissionsOf(namespace, name);
  const refused = await refusedOf(nats, harmlessSubjects(namespace, name), subscribe.allow);
  const load = 'Load the permissions of this release, deploy/nats/castellan.conf, into the server.';
  const found: Finding[] = [];
  if (!refused.some(({ subject }) => subject === forbidden))
    found.push(bus.fault(name, `${user} may publish what it should not`, load));
  for (const [operation, words] of [
    ['publish', 'publish'],
    ['subscription', 'subscribe to'],
  ]) {
    const missing = refused.filter((each) => each.operation === operation && each.subject !== forbidden);
    const subjects = missing.map(({ subject }) => subject);
    if (subjects.length > 0) found.push(bus.fault(name, `${user} may not ${words} ${shownOf(subjects)}`, load));
  }
  return found;
}
