import {
  type Action,
  type BusService,
  type BusServiceName,
  busServiceNames,
  busServices,
  callersOf,
  type DurableEvent,
  oracleEvents,
  type StreamDefinition,
  serverOf,
} from '@castellan/contracts';
import {
  deadLetterDefiner,
  deadStreamOf,
  deadSubjectOf,
  packetPrefix,
  streamNameOf,
  subjectOf,
} from './bus-subjects.ts';
import { busUsers, inboxOf, operatorUser, passwordVariableOf } from './bus-users.ts';

/** Subjects of one user of the bus; what is denied is denied though it is allowed too. */
export type BusPermissions = {
  readonly publish: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly subscribe: { readonly allow: readonly string[]; readonly deny: readonly string[] };
};

const api = '$JS.API';
const broadcasts = ['DISCOVER', 'INFO', 'DISCONNECT', 'HEARTBEAT', 'PING'];
const directed = ['DISCOVER', 'INFO', 'PING', 'PONG'];
const sorted = (subjects: readonly string[]): string[] => [...new Set(subjects)].sort();

/** Packets of moleculer: requests to those whose actions it calls, answers to those who call its own. */
function packetsOf(prefix: string, name: BusServiceName): string[] {
  const calls: readonly Action[] = busServices[name].calls;
  return [
    ...calls.map((action) => `${prefix}.REQ.${name}.${serverOf(action.name)}.*.${action.name}`),
    ...callersOf(name).map((caller) => `${prefix}.RES.${name}.${caller}.*`),
    ...broadcasts.map((kind) => `${prefix}.${kind}.${name}.all`),
    ...directed.map((kind) => `${prefix}.${kind}.${name}.*.*`),
  ];
}

const durablesOf = (stream: StreamDefinition): string[] =>
  busServiceNames.flatMap((name) => {
    const { consumes }: BusService = busServices[name];
    return Object.keys(consumes).filter((durable) => consumes[durable]?.name === stream.name);
  });

/** What a publisher needs; it waits at its start until the stream is there. */
const publishingOf = (namespace: string, event: DurableEvent): string[] => [
  subjectOf(namespace, event),
  `${api}.STREAM.INFO.${streamNameOf(namespace, event.stream)}`,
];

/** What a durable consumer needs: to be made, to be asked for messages, to acknowledge them, and to bury one. */
function consumingOf(namespace: string, durable: string, stream: StreamDefinition): string[] {
  const name = streamNameOf(namespace, stream);
  return [
    `${api}.STREAM.INFO.${name}`,
    `${api}.CONSUMER.CREATE.${name}.${durable}`,
    `${api}.CONSUMER.DURABLE.CREATE.${name}.${durable}`,
    `${api}.CONSUMER.INFO.${name}.${durable}`,
    `${api}.CONSUMER.MSG.NEXT.${name}.${durable}`,
    `$JS.ACK.${name}.${durable}.>`,
    `${api}.STREAM.INFO.${deadStreamOf(namespace)}`,
    deadSubjectOf(namespace, durable),
  ];
}

/** What a follower needs. Its consumer has a name of the server's choice: all are allowed, and the known ones of groups denied. */
function followingOf(namespace: string, stream: StreamDefinition): { allow: string[]; deny: string[] } {
  const name = streamNameOf(namespace, stream);
  return {
    allow: [
      `${api}.STREAM.INFO.${name}`,
      `${api}.CONSUMER.CREATE.${name}`,
      `${api}.CONSUMER.INFO.${name}.*`,
      `${api}.CONSUMER.MSG.NEXT.${name}.*`,
    ],
    deny: durablesOf(stream).map((durable) => `${api}.CONSUMER.MSG.NEXT.${name}.${durable}`),
  };
}

const definingOf = (stream: string): string[] =>
  ['CREATE', 'UPDATE', 'INFO'].map((verb) => `${api}.STREAM.${verb}.${stream}`);

function servicePermissions(namespace: string, name: BusServiceName): BusPermissions {
  const { publishes, defines, follows, consumes }: BusService = busServices[name];
  const prefix = packetPrefix(namespace);
  const following = follows.map((stream) => followingOf(namespace, stream));
  const own = new Set(Object.entries(consumes).flatMap(([durable, stream]) => consumingOf(namespace, durable, stream)));
  return {
    publish: {
      allow: sorted([
        ...packetsOf(prefix, name),
        ...publishes.flatMap((event) => publishingOf(namespace, event)),
        ...defines.flatMap((stream) => definingOf(streamNameOf(namespace, stream))),
        ...(name === deadLetterDefiner ? definingOf(deadStreamOf(namespace)) : []),
        ...following.flatMap(({ allow }) => allow),
        ...own,
      ]),
      deny: sorted(following.flatMap(({ deny }) => deny).filter((subject) => !own.has(subject))),
    },
    subscribe: {
      allow: sorted([
        ...broadcasts.map((kind) => `${prefix}.${kind}.*.all`),
        ...[...directed, 'RES', 'EVENT'].map((kind) => `${prefix}.${kind}.*.${name}.*`),
        `${prefix}.REQ.*.${name}.>`,
        `${inboxOf(name)}.>`,
      ]),
      deny: [],
    },
  };
}

/** Reads and removes dead letters, and publishes them again where they came from. */
function operatorPermissions(namespace: string): BusPermissions {
  const dead = deadStreamOf(namespace);
  const verbs = ['INFO', 'MSG.GET', 'MSG.DELETE'];
  const allow = [...verbs.map((verb) => `${api}.STREAM.${verb}.${dead}`), `${namespace}.durable.>`];
  return { publish: { allow, deny: [] }, subscribe: { allow: [`${inboxOf(operatorUser)}.>`], deny: [] } };
}

/**
 * What a user of the services' account may do, from the table of the contracts.
 * @param user - One of `busUsers`.
 */
export const busPermissionsOf = (namespace: string, user: string): BusPermissions =>
  user === operatorUser ? operatorPermissions(namespace) : servicePermissions(namespace, user as BusServiceName);

/** Streams that validators publish to, which the services' account exports to that of the validators. */
export const oracleSubjects = (namespace: string): string[] =>
  sorted(oracleEvents.map((event) => subjectOf(namespace, event)));
const listed = (subjects: readonly string[], indent: string): string =>
  subjects.length === 0
    ? '[]'
    : `[\n${subjects.map((subject) => `${indent}  ${JSON.stringify(subject)}`).join('\n')}\n${indent}]`;

/** A user of an account, as the server's configuration writes it; the password is a variable. */
export function userBlock(user: string, { publish, subscribe }: BusPermissions): string {
  const indent = ' '.repeat(8);
  const denied = publish.deny.length > 0 ? `, deny: ${listed(publish.deny, indent)}` : '';
  return `    {
      user: ${user}, password: $${passwordVariableOf(user)}
      permissions: {
        publish: { allow: ${listed(publish.allow, indent)}${denied} }
        subscribe: { allow: ${listed(subscribe.allow, indent)} }
      }
    }`;
}

/** The account of the services: part of the server's `accounts { ... }`. */
export function servicesConf(namespace: string): string {
  const exported = oracleSubjects(namespace);
  return `# The services' account of the bus: a user for each service, who may do what the contracts say it does, and nothing else. Made by
#
#   node tools/bus-accounts.ts
#
# from packages/contracts/src/bus-services.ts; a test notices when it is stale. Passwords are variables, defined in passwords.conf.

CASTELLAN {
  jetstream: enabled
  # What validators report is stored here; their account imports these subjects and nothing else.
  exports: [
${exported.map((subject) => `    { service: ${JSON.stringify(subject)}, accounts: [VALIDATORS] }`).join('\n')}
  ]
  users: [
${busUsers.map((user) => userBlock(user, busPermissionsOf(namespace, user))).join('\n')}
  ]
}
`;
}
