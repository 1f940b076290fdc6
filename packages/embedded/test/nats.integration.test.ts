import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@castellan/testkit';
import { afterAll, describe, expect, test } from '@jest/globals';
import { connect, StringCodec } from 'nats';
import { findNatsServer, startNats } from '../src/index.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'castellan-nats-'));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

test('the server starts with JetStream, keeps its streams over a restart and stops', async () => {
  const port = await freePort();
  const options = { port, dataDir: join(stateDir, 'data'), stateDir };
  let server = await startNats(options);
  const codec = StringCodec();
  let client = await connect({ servers: server.url });
  const manager = await client.jetstreamManager();
  await manager.streams.add({ name: 'things', subjects: ['things.>'] });
  await client.jetstream().publish('things.one', codec.encode('hello'));
  expect(client.info?.max_payload).toBe(1024 * 1024);
  await client.close();
  await expect(startNats(options)).rejects.toThrow(`Port ${port} is taken`);
  await server.stop();
  expect(() => process.kill(server.pid, 0)).toThrow();

  server = await startNats(options);
  client = await connect({ servers: server.url });
  expect((await (await client.jetstreamManager()).streams.info('things')).state.messages).toBe(1);
  await client.close();
  await server.stop();
});

test('behavior: of three servers that are a cluster one may die, and a stream with three copies loses nothing', async () => {
  const routes = await Promise.all([freePort(), freePort(), freePort()]);
  const servers = await Promise.all(
    routes.map(async (port, index) =>
      startNats({
        port: await freePort(),
        dataDir: join(stateDir, `member-${index}`),
        stateDir,
        cluster: { name: 'members', port, ports: routes },
      }),
    ),
  );
  const client = await connect({ servers: servers.map(({ url }) => url), maxReconnectAttempts: -1 });
  const things = { name: 'copied', subjects: ['copied.>'], num_replicas: 3 };
  const manager = await client.jetstreamManager({ checkAPI: false });
  await until('the cluster has a leader', () => manager.streams.add(things).then(Boolean, () => false), 60_000);
  await client.jetstream().publish('copied.one', StringCodec().encode('hello'));
  expect(client.info?.connect_urls).toBeUndefined();
  const [first] = servers;
  process.kill(first?.pid as number, 'SIGKILL');
  const messages = () =>
    manager.streams.info('copied').then(
      ({ state }) => state.messages,
      () => undefined,
    );
  await until('the others answer', async () => (await messages()) === 1, 60_000);
  await client.close();
  await Promise.all(servers.map((server) => server.stop()));
});

describe('without a server on PATH', () => {
  /** Stand-ins for apt and dpkg: no network, and no package to trust. */
  const aPath = (unpack: string): string => {
    const folder = mkdtempSync(join(stateDir, 'path-'));
    const script = (name: string, body: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\nset -e\n${body}\n`, { mode: 0o755 });
    script('apt-get', '[ "$*" = "download nats-server" ]; echo package > nats-server_2.9_amd64.deb');
    script('dpkg-deb', `/bin/mkdir -p "$3/usr/sbin"; ${unpack}`);
    return folder;
  };
  const whole = aPath('echo whole > "$3/usr/sbin/nats-server"');

  test('default: the Debian package is unpacked once, into the state folder', async () => {
    const said: string[] = [];
    const options = { stateDir: mkdtempSync(join(stateDir, 'state-')), log: (line: string) => said.push(line) };
    const found = await findNatsServer({ ...options, path: whole });
    expect(found).toBe(join(options.stateDir, 'nats-server/usr/sbin/nats-server'));
    expect(await findNatsServer({ ...options, path: '/nowhere' })).toBe(found);
    expect(said).toEqual(['nats-server is not on PATH: unpacking the Debian package']);
  });

  test('behavior: a binary that was half unpacked is never taken for the server', async () => {
    const folder = mkdtempSync(join(stateDir, 'state-'));
    const torn = aPath('echo ha > "$3/usr/sbin/nats-server"; exit 1');
    await expect(findNatsServer({ stateDir: folder, path: torn })).rejects.toThrow('Install it');
    const found = await findNatsServer({ stateDir: folder, path: whole });
    expect(readFileSync(found, 'utf8')).toBe('whole\n');
  });

  test('error: without apt it says what to do', async () => {
    const folder = mkdtempSync(join(stateDir, 'state-'));
    await expect(findNatsServer({ stateDir: folder, path: '/nowhere' })).rejects.toThrow('Install it');
  });
});
