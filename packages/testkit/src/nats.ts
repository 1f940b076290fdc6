import { randomUUID } from 'node:crypto';
import { connectDurable, createLogger } from '@castellan/service-kit';
import { dockerAsked } from './docker/asked.ts';
import { type Server, startNatsContainer } from './docker/servers.ts';
import { startLocalNats } from './local-nats.ts';

type NatsEnvironment = { TESTCONTAINERS?: string | undefined; CASTELLAN_TEST_NATS_URL?: string | undefined };

/** A bus other test files may be using at the same time. */
export type TestNats = {
  readonly url: string;
  /** A namespace nobody else uses: of services, subjects, streams and with them of durable consumers. */
  readonly namespace: string;
  /** Deletes the streams of the namespace, and ends the server when no other file uses it. */
  stop(): Promise<void>;
};

/** A bus of one file's own, which it may end and start again. */
export type OwnNats = TestNats & {
  /** Kills the server without warning. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
};

const newNamespace = () => `test-${randomUUID().slice(0, 8)}`;

/** A real NATS server with JetStream: in a container with `TESTCONTAINERS=1`, else the `nats-server` of this machine. */
export const startNatsServer = (env: NatsEnvironment = process.env): Promise<Server> =>
  dockerAsked(env) ? startNatsContainer() : startLocalNats();

/** The NATS server of this test run, or one of the file's own outside of the integration project. @throws Error when there is none. */
export const startTestNats = async (env: NatsEnvironment = process.env): Promise<TestNats> => {
  const url = env.CASTELLAN_TEST_NATS_URL;
  if (!url) return startOwnNats(env);
  const namespace = newNamespace();
  return { url, namespace, stop: () => deleteStreams(url, namespace) };
};

/** A NATS server that only this file uses. @throws Error when there is none. */
export const startOwnNats = async (env: NatsEnvironment = process.env): Promise<OwnNats> => ({
  ...(await startNatsServer(env)),
  namespace: newNamespace(),
});

async function deleteStreams(url: string, namespace: string): Promise<void> {
  const log = createLogger({ service: 'test', level: 'silent' });
  const { nats, manager } = await connectDurable({ url, namespace, service: 'test', log });
  for await (const name of manager.streams.names()) if (name.startsWith(namespace)) await manager.streams.delete(name);
  await nats.close();
}
