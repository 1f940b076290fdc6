import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { connect, StringCodec } from 'nats';
import { findNatsServer, startNats } from '../src/index.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'castellan-nats-'));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

const freePort = () =>
  new Promise<number>((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });

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

test('a server is found outside PATH where Debian puts it, or the error says what to do', async () => {
  const found = findNatsServer({ stateDir, path: '' });
  await expect(
    found.then(
      (path) => path.endsWith('nats-server'),
      (error: Error) => error.message.includes('Install it'),
    ),
  ).resolves.toBe(true);
});
