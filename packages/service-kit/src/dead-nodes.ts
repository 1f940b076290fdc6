import type { ServiceBroker } from 'moleculer';
import type { Logger } from './logger.ts';

/** After so long without an answer, the nodes that could give it are asked whether they live. */
const suspectMs = 1_000;
/** A node that lives says so in a few milliseconds, also while it works on a call. */
const pongMs = 500;
/** Beyond this the time was not the node's: this process did other work meanwhile, and its answer may be here unread. */
const ownDelayMs = 100;

/** What this needs of moleculer's registry, which its types leave out. */
type Registry = {
  actions: { get(name: string): { endpoints: readonly { id: string; local: boolean }[] } | undefined };
  nodes: { disconnected(nodeId: string, isUnexpected: boolean): void };
};

const byBroker = new WeakMap<ServiceBroker, DeadNodes>();

/** Names what watches a broker's calls. */
export const bindDeadNodes = (broker: ServiceBroker, log: Logger): void =>
  void byBroker.set(broker, new DeadNodes(broker, log));

/** @throws Error for a broker that the kit did not make. */
export function deadNodesOf(broker: ServiceBroker): DeadNodes {
  const found = byBroker.get(broker);
  if (!found) throw new Error('Nobody watches the calls of this broker: make it with createBroker.');
  return found;
}

/**
 * Finds nodes that died without a word before their heartbeats are missed (6 s), where another one could answer instead. What was
 * asked of a node found dead is refused at once, and it is not asked again until it announces itself, which a node that was
 * only slow does with its next heartbeat.
 */
class DeadNodes {
  readonly #broker: ServiceBroker;
  readonly #log: Logger;
  readonly #asked = new Map<string, Promise<void>>();

  constructor(broker: ServiceBroker, log: Logger) {
    this.#broker = broker;
    this.#log = log;
  }

  /** Watches a call of an action. @returns what ends the watch. */
  watch(action: string): () => void {
    const timer = setTimeout(() => this.#suspect(action), suspectMs);
    timer.unref();
    return () => clearTimeout(timer);
  }

  #suspect(action: string): void {
    const { actions } = this.#broker.registry as unknown as Registry;
    const endpoints = actions.get(action)?.endpoints ?? [];
    if (endpoints.length < 2) return;
    for (const { id, local } of endpoints) if (!local) void this.#ask(id);
  }

  #ask(nodeId: string): Promise<void> {
    const asked = this.#asked.get(nodeId) ?? this.#askOnce(nodeId).finally(() => this.#asked.delete(nodeId));
    this.#asked.set(nodeId, asked);
    return asked;
  }

  async #askOnce(nodeId: string): Promise<void> {
    for (let askedAt = performance.now(); ; askedAt = performance.now()) {
      if ((await this.#broker.ping(nodeId, pongMs)) !== null) return;
      if (performance.now() - askedAt < pongMs + ownDelayMs) break;
    }
    this.#log.warn('node does not answer and is taken for dead', { nodeId });
    (this.#broker.registry as unknown as Registry).nodes.disconnected(nodeId, true);
  }
}
