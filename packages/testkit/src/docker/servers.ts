import type { StartedTestContainer } from 'testcontainers';
import { freePort } from '../ports.ts';
import { until } from '../until.ts';

/** The images of `docker-compose.yml`: what is tested is what is deployed. */
export const testImages = { nats: 'nats:2.12-alpine', mongo: 'mongo:8.0' } as const;

/** A server in a container. `kill` and `restart` keep its address and its data. */
export type Server = { readonly url: string; kill(): Promise<void>; restart(): Promise<void>; stop(): Promise<void> };

type Recipe = {
  image: string;
  command: string[];
  port: number;
  readyLine: RegExp;
  urlOf: (host: string, port: number) => string;
  /** After each start. */
  prepare?: (container: StartedTestContainer) => Promise<void>;
};

async function startServer({ image, command, port, readyLine, urlOf, prepare }: Recipe): Promise<Server> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  // A port that Docker picks changes with each restart, and clients would wait at the old one.
  const hostPort = await freePort();
  const container = await new GenericContainer(image)
    .withCommand(command)
    .withExposedPorts({ container: port, host: hostPort })
    .withWaitStrategy(Wait.forLogMessage(readyLine))
    .withStartupTimeout(120_000)
    .start();
  const ready = async () => {
    await prepare?.(container);
  };
  await ready();
  return {
    url: urlOf(container.getHost(), hostPort),
    kill: async () => {
      const client = await getContainerRuntimeClient();
      await client.container.getById(container.getId()).kill();
    },
    restart: async () => {
      await container.restart();
      await ready();
    },
    stop: async () => {
      await container.stop();
    },
  };
}

/** NATS with JetStream. */
export const startNatsContainer = (): Promise<Server> =>
  startServer({
    image: testImages.nats,
    command: ['-js', '-sd', '/data'],
    port: 4222,
    readyLine: /Server is ready/,
    urlOf: (host, port) => `nats://${host}:${port}`,
  });

const replicaSet = `
  try { rs.status() } catch { rs.initiate({ _id: 'test', members: [{ _id: 0, host: '127.0.0.1:27017' }] }) }
  print(db.hello().isWritablePrimary ? 'takes-writes' : 'waits')`;

/** MongoDB as a replica set of one, which is what production's write concern and transactions need. */
export const startMongoContainer = (): Promise<Server> =>
  startServer({
    image: testImages.mongo,
    command: ['--replSet', 'test', '--bind_ip_all'],
    port: 27_017,
    readyLine: /Waiting for connections/,
    // The set knows its member by the address inside the container, so the driver must not follow it there.
    urlOf: (host, port) => `mongodb://${host}:${port}/?directConnection=true`,
    prepare: async (container) => {
      await until(
        'the replica set has a primary',
        async () =>
          (await container.exec(['mongosh', '--quiet', '--eval', replicaSet])).output.includes('takes-writes'),
        60_000,
      );
    },
  });
