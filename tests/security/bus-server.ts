import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  busUsers,
  connectDurable,
  createLogger,
  type DurableBus,
  passwordVariableOf,
  servicesConf,
} from '@castellan/service-kit';
import { freePort, until } from '@castellan/testkit';
import type { Hex } from 'viem';
import { usersOf, validatorsConf } from '../../services/validator-node/src/transport/permissions.ts';

const greets = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const passwordOf = (user: string) => `pw-${user}-x`;
const log = createLogger({ service: 'test', level: 'silent' });

export type BusServer = {
  urlOf(user: string): string;
  /** A connection as the kit makes it, of the user. */
  connect(user: string): Promise<DurableBus>;
  stop(): Promise<void>;
};

/**
 * A NATS server with JetStream and the accounts that are shipped, for a namespace and the validators of these keys.
 * @param changed - Makes other permissions of those, such as an older release has.
 */
export async function startBusServer(
  namespace: string,
  offchainKeys: readonly Hex[],
  changed: (accounts: string) => string = (accounts) => accounts,
): Promise<BusServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'castellan-bus-'));
  const shipped = servicesConf(namespace) + validatorsConf({ network: namespace, namespace }, offchainKeys);
  writeFileSync(
    join(folder, 'nats.conf'),
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(folder)} }\naccounts {\n${changed(shipped)}}\n`,
  );
  const users = [...busUsers, ...usersOf(offchainKeys)];
  const passwords = Object.fromEntries(users.map((user) => [passwordVariableOf(user), passwordOf(user)]));
  const env = { ...process.env, ...passwords };
  const child = spawn('nats-server', ['-c', join(folder, 'nats.conf')], { stdio: 'ignore', env });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const killChild = () => void child.kill('SIGKILL');
  process.once('exit', killChild);
  await until('nats-server', () => greets(port));
  const urlOf = (user: string) => `nats://${user}:${passwordOf(user)}@127.0.0.1:${port}`;
  const connections: DurableBus[] = [];
  return {
    urlOf,
    connect: async (user) => {
      const bus = await connectDurable({ url: urlOf(user), namespace, service: user, log });
      connections.push(bus);
      watchRefusals(bus);
      return bus;
    },
    stop: async () => {
      for (const { nats } of connections) await nats.close();
      child.kill('SIGTERM');
      await gone;
      process.removeListener('exit', killChild);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Refusal = { operation: string; subject: string };

const refusals = new WeakMap<DurableBus, Refusal[]>();

/** Keeps what the server refuses a connection from now on. */
function watchRefusals(bus: DurableBus): void {
  const kept: Refusal[] = [];
  refusals.set(bus, kept);
  void (async () => {
    for await (const event of bus.nats.status()) {
      const { permissionContext } = event as { permissionContext?: Refusal };
      if (permissionContext) kept.push(permissionContext);
    }
  })();
}

/** The client hands what the server said to its readers one by one: all of it was read when nothing more comes. */
async function settledLength(kept: readonly Refusal[]): Promise<void> {
  for (let seen = -1; seen !== kept.length; ) {
    seen = kept.length;
    // biome-ignore lint/plugin: until the client's own queue is empty
    await sleep(30);
  }
}

/** Publishes and subscribes. @returns which of the subjects the server refused. */
export async function refusalsOf(
  bus: DurableBus,
  tries: { publish?: readonly string[]; subscribe?: readonly string[] },
): Promise<{ publish: string[]; subscribe: string[] }> {
  const kept = refusals.get(bus) as Refusal[];
  kept.splice(0);
  const subscriptions = (tries.subscribe ?? []).map((subject) =>
    bus.nats.subscribe(subject, { callback: () => undefined }),
  );
  for (const subject of tries.publish ?? []) bus.nats.publish(subject, '{}');
  // The server answers in order: what it refused, it has said before it answers this.
  await bus.nats.flush();
  await settledLength(kept);
  for (const subscription of subscriptions) if (!subscription.isClosed()) subscription.unsubscribe();
  const of = (operation: string) =>
    kept.filter((refusal) => refusal.operation === operation).map(({ subject }) => subject);
  return { publish: of('publish'), subscribe: of('subscription') };
}
