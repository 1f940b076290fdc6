import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, TLSSocket } from 'node:tls';
import { freePort, startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '../src/logger.ts';
import { createRegistry } from '../src/metrics.ts';
import { connectMongo } from '../src/mongo.ts';
import { busPeersOf, type Peer, storePeersOf, watchCertificates } from '../src/peer-certificates.ts';
import { testCertificate } from './fixtures/certificate.ts';

const { key, cert, expires } = testCertificate;
const log = createLogger({ service: 'test', level: 'silent' });
const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** What is shown after a round. */
async function shown(peers: () => readonly Peer[]): Promise<{ peer?: unknown; server?: unknown; value: number }[]> {
  const registry = createRegistry('test');
  const watching = watchCertificates({ registry, peers, log });
  ends.push(watching.stop);
  await watching.first;
  const metric = registry.getSingleMetric('peer_certificate_expires_timestamp_seconds');
  const { values = [] } = (await metric?.get()) ?? {};
  return values.map(({ labels: { peer, server }, value }) => ({ peer, server, value }));
}

/** The test store behind a server that speaks TLS. */
async function storeByTls(store: TestStore): Promise<number> {
  const { hostname, port } = new URL(store.uri.replace('mongodb:', 'http:'));
  const server = createServer({ key, cert }, (socket) => {
    const behind = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => behind.destroy());
    behind.on('error', () => socket.destroy());
    socket.pipe(behind).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function busByTls(): Promise<number> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'castellan-tls-'));
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const files = ['--tls', '--tlscert', join(folder, 'cert.pem'), '--tlskey', join(folder, 'key.pem')];
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...files], { stdio: 'ignore' });
  ends.push(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true });
  });
  await until('nats-server', async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    try {
      await once(socket, 'data');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  });
  return port;
}

test('default: when the certificates of bus and store end is shown of the servers that are reached by TLS', async () => {
  const store = await startTestStore();
  ends.push(() => store.stop());
  const port = await storeByTls(store);
  const uri = `mongodb://127.0.0.1:${port}/?tls=true&tlsAllowInvalidCertificates=true&directConnection=true`;
  const connection = await connectMongo({ uri, database: store.database, registry: createRegistry('test') });
  ends.push(() => connection.close());
  const busPort = await busByTls();
  const found = await shown(() => [
    ...busPeersOf(`tls://vaults:password@127.0.0.1:${busPort}`),
    ...storePeersOf(connection),
  ]);
  expect(found).toEqual([
    { peer: 'bus', server: `127.0.0.1:${busPort}`, value: expires },
    { peer: 'store', server: `127.0.0.1:${port}`, value: expires },
  ]);
});

test('behavior: without TLS there is nothing to show, and a server that does not answer is left out', async () => {
  expect(busPeersOf('nats://vaults:password@127.0.0.1:4222')).toEqual([]);
  expect(busPeersOf('inprocess:')).toEqual([]);
  expect(busPeersOf('tls://a:b@one.example.org,tls://a:b@[::1]:4333')).toEqual([
    { peer: 'bus', host: 'one.example.org', port: 4222 },
    { peer: 'bus', host: '::1', port: 4333 },
  ]);
  const store = await startTestStore();
  ends.push(() => store.stop());
  const registry = createRegistry('test');
  const connection = await connectMongo({ uri: store.uri, database: store.database, registry });
  ends.push(() => connection.close());
  expect(storePeersOf(connection)).toEqual([]);
  expect(await shown(() => [{ peer: 'bus', host: '127.0.0.1', port: 1 }])).toEqual([]);
});

test('behavior: a greeting of the bus that comes in parts is read to its end before TLS begins', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('INFO {"server_id":"N",');
    // Long enough to arrive by itself.
    setTimeout(() => {
      socket.write('"tls_required":true}\r\n');
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
    }, 100);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  expect(await shown(() => [{ peer: 'bus', host: '127.0.0.1', port }])).toEqual([
    { peer: 'bus', server: `127.0.0.1:${port}`, value: expires },
  ]);
});

test('error: servers that cannot be named end no service', async () => {
  const broken = () => {
    throw new Error('no address');
  };
  expect(await shown(broken)).toEqual([]);
});
