import {
  type Action,
  type BusService,
  type BusServiceName,
  busReaders,
  busServiceNames,
  busServices,
  callersOf,
  type DurableEvent,
  oracleEvents,
  publicStreams,
  readersOf,
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
import {
  accountUsers,
  inboxOf,
  jetStreamPrefixOf,
  operatorUser,
  passwordVariableOf,
  readerUsers,
} from './bus-users.ts';

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

/** What a reader asks of its place in a stream, without the prefix of JetStream. Who defines the stream has made the place. */
const readingOf = (namespace: string, reader: string, stream: StreamDefinition): string[] => {
  const place = `${streamNameOf(namespace, stream)}.${reader}`;
  return [`CONSUMER.INFO.${place}`, `CONSUMER.MSG.NEXT.${place}`];
};

const acknowledgingOf = (namespace: string, reader: string, stream: StreamDefinition): string =>
  `$JS.ACK.${streamNameOf(namespace, stream)}.${reader}.>`;

/** Places of readers, made by who makes the stream: who makes one says where its messages go, so no reader may. */
const makingPlaces = (namespace: string, stream: StreamDefinition): string[] =>
  readersOf(stream).flatMap((reader) => {
    const place = `${streamNameOf(namespace, stream)}.${reader}`;
    return [`${api}.CONSUMER.CREATE.${place}`, `${api}.CONSUMER.DURABLE.CREATE.${place}`];
  });

const definingOf = (stream: string): string[] =>
  ['CREATE', 'UPDATE', 'INFO'].map((verb) => `${api}.STREAM.${verb}.${stream}`);

function servicePermissions(namespace: string, name: BusServiceName): BusPermissions {
  const { publishes, defines, follows, hears = [], consumes }: BusService = busServices[name];
  const prefix = packetPrefix(namespace);
  const following = follows.map((stream) => followingOf(namespace, stream));
  const own = new Set(Object.entries(consumes).flatMap(([durable, stream]) => consumingOf(namespace, durable, stream)));
  return {
    publish: {
      allow: sorted([
        ...packetsOf(prefix, name),
        ...publishes.flatMap((event) => publishingOf(namespace, event)),
        ...defines.flatMap((stream) => definingOf(streamNameOf(namespace, stream))),
        ...defines.flatMap((stream) => makingPlaces(namespace, stream)),
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
        ...hears.map((event) => subjectOf(namespace, event)),
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

/** Reads its places in the public streams, and does nothing else. */
function readerPermissions(namespace: string, reader: string): BusPermissions {
  const streams = busReaders[reader] ?? [];
  const prefix = jetStreamPrefixOf(reader);
  const asked = streams.flatMap((stream) => [
    ...readingOf(namespace, reader, stream).map((subject) => `${prefix}.${subject}`),
    acknowledgingOf(namespace, reader, stream),
  ]);
  return {
    publish: { allow: sorted(asked), deny: [] },
    subscribe: { allow: [`${inboxOf(reader)}.>`], deny: [] },
  };
}

/**
 * What a user of the services' account may do, from the table of the contracts.
 * @param user - One of `accountUsers`.
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

type Import = { subject: string; to?: string };

/** The requests that the readers' account imports, each for one reader and stream. */
const readerImports = (namespace: string): Import[] =>
  readerUsers.flatMap((reader) =>
    (busReaders[reader] ?? []).flatMap((stream) => [
      ...readingOf(namespace, reader, stream).map((subject) => ({
        subject: `${api}.${subject}`,
        to: `${jetStreamPrefixOf(reader)}.${subject}`,
      })),
      { subject: acknowledgingOf(namespace, reader, stream) },
    ]),
  );

/** What the services' account offers to that of the readers. */
const readerExports = (namespace: string): string[] =>
  publicStreams.flatMap((stream) => {
    const name = streamNameOf(namespace, stream);
    const next = JSON.stringify(`${api}.CONSUMER.MSG.NEXT.${name}.*`);
    const others = [`${api}.CONSUMER.INFO.${name}.*`, `$JS.ACK.${name}.*.>`];
    return [
      `    { service: ${next}, response_type: stream, accounts: [READERS] }`,
      ...others.map((subject) => `    { service: ${JSON.stringify(subject)}, accounts: [READERS] }`),
    ];
  });

/**
 * The account of the readers. Requests reach the services' account, and answers come back into this one alone: the server sends
 * the answer of a request wherever it is asked to, within the account of who asks.
 */
const readersConf = (namespace: string): string => `
# Who reads public events and publishes nothing. The account has no messages of its own: it imports requests for its users' places.
READERS {
  imports: [
${readerImports(namespace)
  .map(
    ({ subject, to }) =>
      `    { service: { account: CASTELLAN, subject: ${JSON.stringify(subject)} }${to ? `, to: ${JSON.stringify(to)}` : ''} }`,
  )
  .join('\n')}
  ]
  users: [
${readerUsers.map((reader) => userBlock(reader, readerPermissions(namespace, reader))).join('\n')}
  ]
}
`;

/** The accounts of the services and of the readers: part of the server's `accounts { ... }`. */
export function servicesConf(namespace: string): string {
  const exported = oracleSubjects(namespace);
  return `# The services' account of the bus: a user for each service, who may do what the contracts say it does, and nothing else. Behind it
# the account of those who read public events. Made by
#
#   node tools/bus-accounts.ts
#
# from packages/contracts/src/bus-services.ts; a test notices when it is stale. Passwords are variables, defined in passwords.conf.

CASTELLAN {
  jetstream: enabled
  # What validators report is stored here; their account imports these subjects and nothing else.
  exports: [
${exported.map((subject) => `    { service: ${JSON.stringify(subject)}, accounts: [VALIDATORS] }`).join('\n')}
    # What readers ask for; they import what is for their own places.
${readerExports(namespace).join('\n')}
  ]
  users: [
${accountUsers.map((user) => userBlock(user, busPermissionsOf(namespace, user))).join('\n')}
  ]
}
${readersConf(namespace)}`;
}
