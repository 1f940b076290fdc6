import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runs } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deserialize, serialize } from 'bson';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { type DocumentStore, startDocumentStore } from '../src/index.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'castellan-wire-'));
let store: DocumentStore;
let client: MongoClient;
let port: number;

beforeAll(async () => {
  store = await startDocumentStore({ port: 0, dataDir });
  client = await MongoClient.connect(store.uri);
  port = store.port;
});
afterAll(async () => {
  await client?.close();
  await store?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function frame(body: object, flags = 0, trailer = Buffer.alloc(0)): Buffer {
  const document = serialize(body);
  const head = Buffer.alloc(21);
  head.writeInt32LE(21 + document.length + trailer.length, 0);
  head.writeInt32LE(7, 4);
  head.writeInt32LE(2013, 12);
  head.writeUInt32LE(flags, 16);
  return Buffer.concat([head, document, trailer]);
}

function open(): Promise<Socket> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(socket));
    socket.on('error', () => socket.destroy());
  });
}

/** Sends bytes and gives what came back until the connection closed or an answer was whole. */
function exchange(socket: Socket, bytes: Buffer, waitMs = 40): Promise<{ answer: Buffer; closed: boolean }> {
  // biome-ignore lint/plugin: a server that answers nothing leaves nothing to wait for
  return new Promise((done) => {
    let answer = Buffer.alloc(0);
    const timer = setTimeout(() => done({ answer, closed: socket.destroyed }), waitMs);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      done({ answer, closed });
    };
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length >= 4 && answer.length >= answer.readInt32LE(0)) finish(false);
    });
    socket.on('close', () => finish(true));
    socket.write(bytes);
  });
}

test('a checksum is accepted, bytes may trickle in, two messages may share a packet', async () => {
  const socket = await open();
  const ping = frame({ ping: 1, $db: 'admin' }, 1, Buffer.alloc(4));
  const { answer } = await exchange(socket, ping, 30_000);
  expect(deserialize(answer.subarray(21))).toEqual({ ok: 1 });
  expect(answer.readInt32LE(8)).toBe(7);
  for (const byte of ping.subarray(0, -1)) socket.write(Buffer.from([byte]));
  const second = await exchange(socket, Buffer.concat([ping.subarray(-1), ping]), 30_000);
  expect(second.answer.length).toBeGreaterThanOrEqual(answer.length);
  socket.destroy();
});

test.each([
  ['unknown required flag', frame({ ping: 1, $db: 'a' }, 1 << 5)],
  ['negative length', Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])],
  ['over 48 MB', Buffer.from([0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 221, 7, 0, 0])],
  ['unknown operation', Buffer.from([16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 0, 0])],
  ['no body', Buffer.from([21, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 221, 7, 0, 0, 0, 0, 0, 0, 9])],
])('malformed: %s closes the connection', async (_name, bytes) => {
  const socket = await open();
  expect((await exchange(socket, bytes, 30_000)).closed).toBe(true);
});

test('random, truncated and altered frames hurt nobody else', async () => {
  const good = frame({ find: 'x', filter: { a: { $gt: 1 } }, $db: 'fuzz' });
  const truncated = fc.integer({ min: 0, max: good.length - 1 }).map((length) => {
    const cut = Buffer.from(good.subarray(0, Math.max(16, length)));
    cut.writeInt32LE(cut.length, 0);
    return cut;
  });
  const altered = fc
    .array(fc.tuple(fc.integer({ min: 4, max: good.length - 1 }), fc.nat(255)), { minLength: 1, maxLength: 6 })
    .map((changes) => {
      const copy = Buffer.from(good);
      for (const [at, byte] of changes) copy[at] = byte;
      return copy;
    });
  const random = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.oneof(truncated, altered, random), async (bytes) => {
      const socket = await open();
      const { answer } = await exchange(socket, bytes, 15);
      if (answer.length > 0) expect(answer.readInt32LE(0)).toBe(answer.length);
      socket.destroy();
    }),
    runs(750),
  );
  expect(await client.db('admin').command({ ping: 1 })).toEqual({ ok: 1 });
});
