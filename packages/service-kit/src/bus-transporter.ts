import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, mayCall, servesAction } from '@castellan/contracts';
import { Transporters } from 'moleculer';
import { isRestricted } from './bus-users.ts';
import { natsOptions } from './nats-options.ts';

/** What this needs of a packet of moleculer. */
type Packet = {
  type: string;
  target?: string | null;
  payload: { sender?: string; id?: string; meta?: object; action?: string; services?: AnnouncedService[] };
};
type AnnouncedService = { actions?: Record<string, unknown> };
type Message = { subject: string; data: Uint8Array; headers?: { code: number } };
type NatsClient = {
  info?: { max_payload: number };
  status(): AsyncIterable<{ type: string }>;
  publish(subject: string, data: Uint8Array, options: { reply: string }): void;
  flush(): Promise<void>;
  subscribe(subject: string, options: { callback(error: Error | null, message: Message): void }): unknown;
};

type Handling = { messageHandler(kind: string, packet: Packet): Promise<void> };
type Pending = {
  pendingRequests: Map<string, { ctx?: { nodeID?: string }; reject(error: Error): void }>;
  sendResponse(nodeId: string, id: string, meta: object, headers: null, data: null, error: Error): Promise<void>;
};

/** Why something of the bus is refused: few, as each is a series of a metric. */
export const refusalReasons = [
  'packet is malformed',
  'packet names another sender than its subject',
  'packet names another action than its subject',
  'packet announces actions of another service',
  'answer of a node that was not asked',
  'subscription refused',
] as const;
/** One of {@link refusalReasons}. */
export type RefusalReason = (typeof refusalReasons)[number];

/** Hears what was refused, with the subject that it came on or was to come on. */
type OnRefused = (reason: RefusalReason, subject: string) => void;

const request = 'REQ';
const response = 'RES';
const announcement = 'INFO';
const toAll = 'all';
/** What the server answers where nobody subscribes to a subject. */
const noResponders = 503;

/** The server takes no message of this size. */
class MessageTooLarge extends Error {}

/** `vaults-1a2b3c4d` as `vaults.1a2b3c4d`: which service, and which of its instances. */
const placeOf = (nodeId: string): { service: string; instance: string } => {
  const dash = nodeId.lastIndexOf('-');
  return { service: nodeId.slice(0, dash), instance: nodeId.slice(dash + 1) };
};
const pathOf = (nodeId: string): string => {
  const { service, instance } = placeOf(nodeId);
  return `${service}.${instance}`;
};

/**
 * Moleculer's way over NATS, on subjects that a user's permissions can name: `<prefix>.<kind>.<sender>.all` for everybody,
 * `<prefix>.<kind>.<sender>.<service>.<instance>` for one node, and behind that the action of a request. Moleculer goes on choosing
 * the node itself. What contradicts its subject (another sender, another action) and what announces the actions of another
 * service is dropped where it arrives: the server only holds subjects against permissions.
 */
export class BusTransporter extends Transporters.NATS {
  readonly #onRefused: OnRefused;
  /** On a bus without users nobody is held to the table of the contracts. */
  readonly #hasPermissions: boolean;
  /** Called when the connection is another one: packets of the former one may be lost. */
  onReconnected: () => void = () => undefined;
  /** Called with the id of a request that the server could hand to nobody. */
  onUndelivered: (requestId: string) => void = () => undefined;
  /** The reply subject of requests: the server reports there what it could not deliver. */
  readonly #undelivered: string;
  /** When the packets of this turn of the event loop are handed to the client. */
  #turn: Promise<void> | undefined;

  constructor(url: string, onRefused: OnRefused) {
    const options = natsOptions(url);
    super(options as unknown as ConstructorParameters<typeof Transporters.NATS>[0]);
    this.#onRefused = onRefused;
    this.#hasPermissions = isRestricted(options.user ?? '');
    this.#undelivered = `${options.inboxPrefix ?? '_INBOX'}.undelivered-${randomUUID()}`;
    // Without queue groups of its own: moleculer's balancer knows which nodes live and whose circuit is open.
    this.hasBuiltInBalancer = false;
  }

  override async connect(): Promise<void> {
    await super.connect();
    const client = this.client as NatsClient;
    client.subscribe(`${this.#undelivered}.*`, {
      callback: (error, message) => {
        if (!error && message.headers?.code === noResponders)
          this.onUndelivered(message.subject.slice(this.#undelivered.length + 1));
      },
    });
    void this.#followConnection(client);
  }

  /** Ends with the connection. */
  async #followConnection(client: NatsClient): Promise<void> {
    for await (const { type } of client.status()) if (type === 'reconnect') this.onReconnected();
  }

  override subscribe(kind: string, nodeId?: string): Promise<void> {
    const to = nodeId === undefined ? toAll : pathOf(nodeId);
    const subject = `${this.prefix}.${kind}.*.${to}${kind === request ? '.>' : ''}`;
    (this.client as NatsClient).subscribe(subject, {
      callback: (error, message) => {
        if (error) this.#onRefused('subscription refused', subject);
        else void this.receive(kind, Buffer.from(message.data), message.subject);
      },
    });
    return Promise.resolve();
  }

  override prepublish(packet: Packet): Promise<void> {
    const { service } = placeOf(this.nodeID);
    const { action } = packet.payload;
    if (this.#hasPermissions && packet.type === request && action !== undefined && !mayCall(service, action))
      return Promise.reject(
        new Error(`${service} has no permission to call ${action}: its calls are listed in the contracts.`),
      );
    return super.prepublish(packet as never) as Promise<void>;
  }

  /** Who waits for a packet that the server would not take is answered: otherwise it waits for its timeout and takes the node for dead. */
  override async publish(packet: Packet): Promise<void> {
    try {
      await this.#sendPacket(packet);
    } catch (error) {
      if (!(error instanceof MessageTooLarge)) throw error;
      const { pendingRequests, sendResponse } = this.transit as unknown as Pending;
      const { id = '', meta = {} } = packet.payload;
      if (packet.type === response && packet.target != null) {
        const refusal = new AppError('ANSWER_TOO_LARGE', `The answer is too large to be passed on: ${error.message}.`);
        await sendResponse.call(this.transit, packet.target, id, meta, null, null, refusal);
      } else if (packet.type === request) {
        const waiting = pendingRequests.get(id);
        pendingRequests.delete(id);
        waiting?.reject(new AppError('BODY_TOO_LARGE', `The request is too large to be passed on: ${error.message}.`));
      } else throw error;
    }
  }

  #sendPacket(packet: Packet): Promise<void> {
    const { service } = placeOf(this.nodeID);
    const to = packet.target ? pathOf(packet.target) : toAll;
    const action = packet.type === request ? `.${packet.payload.action}` : '';
    const data = this.serialize(packet as never) as Buffer;
    const meta = packet.type === request ? { requestId: packet.payload.id } : {};
    return this.send(`${this.prefix}.${packet.type}.${service}.${to}${action}`, data, meta) as Promise<void>;
  }

  /**
   * Packets of one turn of the event loop leave in one write to the socket, in their order. With a write for each, writing was a sixth of
   * what a busy service does.
   */
  override async send(
    subject: string,
    data: Buffer,
    { requestId }: { requestId?: string | undefined } = {},
  ): Promise<void> {
    this.#turn ??= nextTurn().then(() => {
      this.#turn = undefined;
    });
    await this.#turn;
    const client = this.client as NatsClient | null;
    const most = client?.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (data.length > most) throw new MessageTooLarge(`${data.length} bytes compressed, ${most} are allowed`);
    if (requestId === undefined) await super.send(subject, data);
    else client?.publish(subject, data, { reply: `${this.#undelivered}.${requestId}` });
  }

  /** Resolves once the server has dealt with all that was sent before, and what it said of it has arrived; or the connection is lost. */
  async flush(): Promise<void> {
    await this.#turn;
    await (this.client as NatsClient | null)?.flush().catch(() => undefined);
  }

  override async disconnect(): Promise<void> {
    await this.#turn;
    await super.disconnect();
  }

  /** After the middlewares, which hand the subject on. */
  override receive(kind: string, data: Buffer, subject?: unknown): Promise<void> {
    try {
      const packet = this.deserialize(kind, data) as unknown as Packet;
      const refused = this.#contradictionIn(kind, packet, String(subject));
      if (refused === undefined) return (this as unknown as Handling).messageHandler(kind, packet);
      this.#onRefused(refused, String(subject));
    } catch {
      this.#onRefused('packet is malformed', String(subject));
    }
    return Promise.resolve();
  }

  #contradictionIn(kind: string, { payload }: Packet, subject: string): RefusalReason | undefined {
    const [sender = '', ...to] = subject.slice(`${this.prefix}.${kind}.`.length).split('.');
    if (typeof payload.sender !== 'string' || placeOf(payload.sender).service !== sender)
      return 'packet names another sender than its subject';
    if (kind === request && payload.action !== to.slice(2).join('.'))
      return 'packet names another action than its subject';
    // A node that was asked further knows the id too. A late answer is to a request that is forgotten.
    const asked = kind === response ? this.#askedNode(payload.id) : undefined;
    if (asked !== undefined && asked !== payload.sender) return 'answer of a node that was not asked';
    if (kind === announcement && this.#hasPermissions) {
      const actions = (payload.services ?? []).flatMap((service) => Object.keys(service.actions ?? {}));
      if (!actions.every((action) => servesAction(sender, action)))
        return 'packet announces actions of another service';
    }
    return undefined;
  }

  #askedNode(id: string | undefined): string | undefined {
    const { pendingRequests } = this.transit as unknown as Pending;
    return pendingRequests.get(String(id))?.ctx?.nodeID;
  }
}
