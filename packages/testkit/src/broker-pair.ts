import { randomUUID } from 'node:crypto';
import type { Action, InputOf, ResultOf } from '@castellan/contracts';
import { type CallOptions, callAction, createBroker, createLogger, createRegistry } from '@castellan/service-kit';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { testIdentity } from './identity.ts';

/** Two brokers on one bus. */
export type BrokerPair = {
  /** Serves the schemas. */
  readonly server: ServiceBroker;
  /** Has none of its own: every call crosses the serializer. */
  readonly client: ServiceBroker;
  call<A extends Action>(action: A, params: InputOf<A>, options?: CallOptions): Promise<ResultOf<A>>;
  stop(): Promise<void>;
};

/**
 * Two brokers with the kit's own settings and serializer, whose calls are proven by keys of tests, joined inside this process or, given a URL, by a real NATS server.
 * @param schemas - What the serving one offers.
 */
export async function brokerPair(
  schemas: ServiceSchema | readonly ServiceSchema[],
  options: { natsUrl?: string; logLevel?: string } = {},
): Promise<BrokerPair> {
  const namespace = `pair-${randomUUID().slice(0, 8)}`;
  const make = (service: string) =>
    createBroker({
      service,
      nats: { url: options.natsUrl ?? 'inprocess:', namespace },
      registry: createRegistry(service),
      log: createLogger({ service, level: options.logLevel ?? 'silent' }),
      identity: testIdentity(),
      // A limit costs nothing where the answer comes before it; the kit's own is for machines that do nothing else.
      requestTimeoutMs: 15_000,
    });
  const server = make('server');
  const client = make('client');
  const served = Array.isArray(schemas) ? (schemas as readonly ServiceSchema[]) : [schemas as ServiceSchema];
  for (const schema of served) server.createService(schema);
  // In this order: started together, each would wait a second more for the other.
  await server.start();
  await client.start();
  await client.waitForServices(served.map(({ name, version }) => ({ name, ...(version ? { version } : {}) })));
  return {
    server,
    client,
    call: (action, params, callOptions) => callAction(client, action, params, callOptions),
    stop: async () => {
      await client.stop();
      await server.stop();
    },
  };
}
