import {
  AlertEvent,
  ChatDone,
  ChatError,
  ChatResume,
  ChatSend,
  ChatStarted,
  ChatStop,
  ChatToken,
  ChatTool,
  chatNamespace,
  type DurableEvent,
  LogGrew,
  PriceTransmitted,
  ProjectionMoved,
  RolesChanged,
  routes,
  updateKinds,
  VaultMeasured,
  VaultUpdate,
  VaultUpdated,
  validatorEvents,
} from '@castellan/contracts';
import { z } from 'zod';
import { commentOf } from './comments.ts';
import type { Json } from './json.ts';
import { type DescribedSchemas, describeSchemas } from './schemas.ts';
import { capitalised } from './shapes.ts';

/** An AsyncAPI 3.0 document: what is sent without being asked for. */
export type AsyncApiDocument = {
  asyncapi: string;
  info: Json;
  defaultContentType: string;
  servers: Record<string, Json>;
  channels: Record<string, Json>;
  operations: Record<string, Json>;
  components: Json;
};

/** Events of the bus for services of your own. Others are between the services, and change with them. */
const busEvents: readonly DurableEvent[] = [
  LogGrew,
  PriceTransmitted,
  VaultUpdated,
  RolesChanged,
  ProjectionMoved,
  VaultMeasured,
  ...validatorEvents,
];

const StreamReset = z.object({ reason: z.literal('last_event_id_too_old') });
const received = { ChatStarted, ChatToken, ChatTool, ChatDone, ChatError };
const sent = { ChatSend, ChatStop, ChatResume };

type Message = { readonly name: string; readonly summary: string; readonly payload: Json; readonly headers?: Json };
type Channel = {
  readonly id: string;
  readonly server?: string;
  readonly address: string | null;
  readonly description: string;
  readonly parameters?: Json;
  /** What comes from here, and what a client sends. */
  readonly out: readonly Message[];
  readonly in?: readonly Message[];
};

const vaultParameters: Json = {
  chain_id: { description: 'The chain, e.g. 1 for Ethereum.' },
  vault_address: { description: 'The vault: 0x and 40 hexadecimal digits.' },
};

/** Server-Sent Events of a vault: `id`, `event` and `data` of each are those of the message. */
const vaultStream = ({ result }: DescribedSchemas): Channel => ({
  id: 'vaultStream',
  server: 'http',
  address: routes.stream.path,
  description:
    'Server-Sent Events. `event` is the kind of the update, `data` its JSON, `id` its sequence: sent back as `Last-Event-ID` within five ' +
    'minutes, nothing is lost; after that a `reset` says that the vault is to be read again. The first event is the vault as it is. ' +
    'Alerts are for wallets with a role on the vault: send the token in `Authorization`. A comment every 15 s keeps the connection.',
  parameters: vaultParameters,
  out: [
    ...updateKinds.map((kind) => ({
      name: kind,
      summary: `The vault has a change of kind \`${kind}\``,
      payload: result(VaultUpdate),
    })),
    { name: 'reset', summary: 'Events were missed: read the vault again', payload: result(StreamReset) },
  ],
});

const eventName = (name: string): string => name.replace('Chat', 'chat:').toLowerCase();

const chat = ({ result, sent: sentSchema }: DescribedSchemas): Channel => ({
  id: 'chat',
  server: 'socketio',
  address: chatNamespace,
  description:
    'A socket.io namespace, by websocket only; the token is `auth.token` of the handshake. Tokens of an answer are numbered from 0: after a ' +
    'gap or a new connection `chat:resume` goes on behind the last one seen.',
  out: Object.entries(received).map(([name, schema]) => ({
    name: eventName(name),
    summary: commentOf(schema) ?? name,
    payload: result(schema),
  })),
  in: Object.entries(sent).map(([name, schema]) => ({
    name: eventName(name),
    summary: commentOf(schema) ?? name,
    payload: sentSchema(schema),
  })),
});

const text = (description: string): Json => ({ type: 'string', description });

const webhooks = ({ result }: DescribedSchemas): Channel => ({
  id: 'webhooks',
  address: null,
  description:
    'POSTed to the URL of a channel, signed by its secret. At least once, in the order of `sequence`; answer 2xx within ten seconds. Headers of ' +
    'Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) are there beside these.',
  out: [
    {
      name: 'alert',
      summary: 'An alert has changed, or a test',
      payload: result(AlertEvent),
      headers: {
        type: 'object',
        required: ['x-castellan-timestamp', 'x-castellan-signature', 'x-castellan-event-id'],
        properties: {
          'x-castellan-timestamp': text('Unix seconds when this delivery was sent.'),
          'x-castellan-signature': text('`v1=` and the HMAC-SHA256, in hex, of `<timestamp>.<body>` under the secret.'),
          'x-castellan-event-id': text('The same in each delivery of an event.'),
          'x-castellan-sequence': text('Place among the events of the vault, from 1 without gaps; absent in a test.'),
        },
      },
    },
  ],
});

const busChannel =
  ({ result }: DescribedSchemas) =>
  (event: DurableEvent): Channel => {
    const { stream, name, data } = event;
    return {
      id: name,
      server: 'bus',
      address: `{namespace}.durable.${stream.subject}.${name}`,
      description: `Of the JetStream stream \`{namespace}_${stream.name}\`, kept ${stream.maxAgeSeconds / 3600} h; delivered at least once.`,
      parameters: { namespace: { description: 'NAMESPACE of the installation.' } },
      out: [{ name, summary: commentOf(event) ?? name, payload: result(data) }],
    };
  };

function channelObject({ server, address, description, parameters, out, in: taken = [] }: Channel): Json {
  return {
    address,
    ...(server === undefined ? {} : { servers: [{ $ref: `#/servers/${server}` }] }),
    description,
    ...(parameters === undefined ? {} : { parameters }),
    messages: Object.fromEntries([...out, ...taken].map((message) => [message.name, message])),
  };
}

const directions = { send: 'Sent by Castellan', receive: 'Taken from clients' } as const;
const operation = (channel: Channel, action: 'send' | 'receive', messages: readonly Message[]): Json => ({
  action,
  description: `${directions[action]}: ${messages.map(({ name }) => `\`${name}\``).join(', ')}.`,
  channel: { $ref: `#/channels/${channel.id}` },
  messages: messages.map(({ name }) => ({ $ref: `#/channels/${channel.id}/messages/${name}` })),
});

const operationsOf = (channel: Channel): [string, Json][] => [
  [`send${capitalised(channel.id)}`, operation(channel, 'send', channel.out)],
  ...(channel.in === undefined
    ? []
    : [[`receive${capitalised(channel.id)}`, operation(channel, 'receive', channel.in)] as [string, Json]]),
];

/** Describes live updates, the chat, webhooks and events of the bus by the schemas that validate them (AsyncAPI 3.0). */
export function asyncApiDocument(publicUrl: string): AsyncApiDocument {
  const { host, protocol } = new URL(publicUrl);
  const secure = protocol === 'https:';
  const answers = [
    VaultUpdate,
    StreamReset,
    AlertEvent,
    ...Object.values(received),
    ...busEvents.map(({ data }) => data),
  ];
  const schemas = describeSchemas([], answers, Object.values(sent));
  const channels = [vaultStream(schemas), chat(schemas), webhooks(schemas), ...busEvents.map(busChannel(schemas))];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Castellan events',
      version: '1',
      tags: [{ name: 'events' }],
      description:
        'Live updates of vaults, the chat, webhooks, and events of the bus. Reads and writes are in `/api/v1/openapi.json`.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      contact: { name: 'Who runs this installation', url: publicUrl },
    },
    defaultContentType: 'application/json',
    servers: {
      http: { host, protocol: secure ? 'https' : 'http' },
      socketio: { host, pathname: '/socket.io', protocol: secure ? 'wss' : 'ws' },
      bus: {
        host: 'nats:4222',
        protocol: 'nats',
        description: 'Inside of the installation; not open to the internet.',
      },
    },
    channels: Object.fromEntries(channels.map((channel) => [channel.id, channelObject(channel)])),
    operations: Object.fromEntries(channels.flatMap(operationsOf)),
    components: { schemas: schemas.components },
  };
}
