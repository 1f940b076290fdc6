import { Errors, type ServiceBroker } from 'moleculer';
import type { BusTransporter } from './bus-transporter.ts';
import type { Logger } from './logger.ts';

/** How long an answer may take once the connections are back: far longer than nearly any, and below what an outage may last. */
const graceMs = 1_500;
/** A node that lives answers sooner; behind a pong nothing is left that was sent before it. */
const pongMs = 500;

type Request = {
  nodeID: string;
  action: { name: string };
  ctx: { options: { timeout?: number } };
  reject(error: Error): void;
};
/** What this needs of moleculer, which its types leave out. */
type Inner = {
  metadata: { bus_connections?: number };
  registry: {
    getLocalNodeInfo(force: boolean): object;
    nodes: { disconnected(nodeId: string, isUnexpected: boolean): void };
    unregisterServicesByNode(nodeId: string): void;
  };
  transit: { pendingRequests: Map<string, Request>; sendNodeInfo(info: object): Promise<void> };
};
type OtherNode = { id: string; metadata?: { bus_connections?: unknown } | null };

/**
 * Refuses calls that a lost connection has swallowed, where they would wait for their timeout: what is sent to a process while it
 * changes from a server of the bus that died to another one reaches nobody, without an error. Each process announces that it is
 * connected anew. Calls that were under way to it, or from one that is connected anew itself, are refused when they are not answered soon
 * after, as those of a node that died; reads are then asked again. A call that was given more time than others keeps it.
 *
 * A call to a node whose connection is gone is not lost: the server says at once that nobody has its subject. It surely never ran, so it goes
 * to another instance, also where it changes something, and the node is asked no more until it announces itself.
 */
export class LostCalls {
  readonly #broker: ServiceBroker;
  readonly #inner: Inner;
  readonly #log: Logger;
  readonly #requestTimeoutMs: number;
  readonly #connectionsOf = new Map<string, number>();
  /** Nodes that did not get a call, until they are taken out or announce themselves. */
  readonly #gone = new Set<string>();

  constructor(broker: ServiceBroker, log: Logger, requestTimeoutMs: number) {
    this.#broker = broker;
    this.#inner = broker as unknown as Inner;
    this.#log = log;
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  watch(transporter: BusTransporter): void {
    transporter.onReconnected = () => this.#announce();
    transporter.onUndelivered = (requestId) => this.#undelivered(requestId, transporter);
    const seen = ({ node }: { node: OtherNode }) => this.#seen(node);
    for (const event of ['$node.connected', '$node.updated']) this.#broker.localBus.on(event, seen);
    this.#broker.localBus.on('$node.disconnected', ({ node }: { node: OtherNode }) =>
      this.#connectionsOf.delete(node.id),
    );
  }

  /** This process is connected anew: others learn of it, and answers to its own calls may be lost. */
  #announce(): void {
    const { metadata, registry, transit } = this.#inner;
    metadata.bus_connections = (metadata.bus_connections ?? 0) + 1;
    void transit.sendNodeInfo(registry.getLocalNodeInfo(true));
    this.#suspect(() => true);
  }

  #undelivered(requestId: string, transporter: Pick<BusTransporter, 'flush'>): void {
    const { pendingRequests } = this.#inner.transit;
    const request = pendingRequests.get(requestId);
    if (request === undefined) return;
    const { action, nodeID, reject } = request;
    pendingRequests.delete(requestId);
    this.#log.warn('node is gone and did not get a call', { action: action.name, nodeId: nodeID });
    reject(new Errors.ServiceNotAvailableError({ action: action.name, nodeID }));
    if (this.#gone.has(nodeID)) return;
    this.#gone.add(nodeID);
    void this.#takeOut(nodeID, transporter);
  }

  /** Of the calls that were sent to it beside that one, the server has said whether it got them once it answers what was sent behind them. */
  async #takeOut(nodeId: string, transporter: Pick<BusTransporter, 'flush'>): Promise<void> {
    const { registry } = this.#inner;
    registry.unregisterServicesByNode(nodeId);
    await transporter.flush();
    if (this.#gone.delete(nodeId)) registry.nodes.disconnected(nodeId, true);
  }

  #seen({ id, metadata }: OtherNode): void {
    const connections = Number(metadata?.bus_connections ?? 0);
    const known = this.#connectionsOf.get(id);
    this.#connectionsOf.set(id, connections);
    this.#gone.delete(id);
    if (known !== undefined && connections > known) this.#suspect(({ nodeID }) => nodeID === id);
  }

  #suspect(isConcerned: (request: Request) => boolean): void {
    const { pendingRequests } = this.#inner.transit;
    const suspected = [...pendingRequests].filter(
      ([, request]) => isConcerned(request) && (request.ctx.options.timeout ?? 0) <= this.#requestTimeoutMs,
    );
    if (suspected.length > 0) setTimeout(() => void this.#refuse(suspected), graceMs).unref();
  }

  async #refuse(suspected: readonly (readonly [string, Request])[]): Promise<void> {
    const { pendingRequests } = this.#inner.transit;
    const unanswered = () => suspected.filter(([id, request]) => pendingRequests.get(id) === request);
    // Answers that are here unread, because this process did other work, come before a pong.
    const nodes = new Set(unanswered().map(([, { nodeID }]) => nodeID));
    await Promise.all([...nodes].map((nodeId) => this.#broker.ping(nodeId, pongMs)));
    for (const [id, { action, nodeID, reject }] of unanswered()) {
      pendingRequests.delete(id);
      this.#log.warn('call was lost with a connection to the bus', { action: action.name, nodeId: nodeID });
      reject(new Errors.RequestRejectedError({ action: action.name, nodeID }));
    }
  }
}
