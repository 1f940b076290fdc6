import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ed25519 } from '@noble/curves/ed25519.js';
import { connect, type NatsConnection, StringCodec } from 'nats';
import { bytesToHex, type Hex, keccak256 } from 'viem';
import { passwordOf, startValidatorNats, type ValidatorNats } from '../../test/nats-server.ts';
import { offchainKeyring } from '../keys/keyring.ts';
import type { MessageResult } from '../monitoring/events.ts';
import type { Transport } from '../ports.ts';
import { connectBus, type ValidatorBus } from './bus.ts';
import { createNatsTransport } from './nats-transport.ts';
import { usersOf } from './permissions.ts';
import { nameOf } from './subjects.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const seeds = [0, 1, 2, 3].map((i) => new Uint8Array(32).fill(i + 1));
const offchainKeys = seeds.map((seed) => bytesToHex(ed25519.getPublicKey(seed)));
const servicesUser = 'users';
const oracleUsers = usersOf(offchainKeys);
const userAt = (index: number) => oracleUsers[index] as string;
const nameAt = (index: number) => nameOf(offchainKeys[index] as Hex);
const folder = mkdtempSync(join(tmpdir(), 'castellan-bus-'));
let server: ValidatorNats;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startValidatorNats(offchainKeys);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function busOf(index: number): Promise<ValidatorBus> {
  const credentials = join(folder, `oracle-${index}`);
  writeFileSync(credentials, `${userAt(index)}:${passwordOf(userAt(index))}\n`, { mode: 0o600 });
  const settings = { urls: [server.url], credentials_file: credentials, tls: {} };
  const bus = await connectBus(settings, { name: `oracle-${index}`, log });
  closing.push(() => bus.close());
  return bus;
}

type Node = { transport: Transport; heard: string[]; results: MessageResult[]; bus: ValidatorBus };

async function nodeOf(index: number, digest: Hex, more: { bus?: ValidatorBus; session?: bigint } = {}): Promise<Node> {
  const bus = more.bus ?? (await busOf(index));
  const heard: string[] = [];
  const results: MessageResult[] = [];
  const transport = createNatsTransport({
    bus,
    network: 'castellan',
    digest,
    index,
    offchainKeys,
    keyring: offchainKeyring(seeds[index] as Uint8Array),
    session: { number: more.session ?? 1n, nonce: 1n },
    maxBodyBytes: 1000,
    rate: { perSecond: 100, burst: 1000 },
    now: Date.now,
    onMessage: (_, result) => results.push(result),
  });
  transport.start((from, message) => heard.push(`${from}:${Buffer.from(message)}`));
  await bus.nats.flush();
  closing.push(() => transport.close());
  return { transport, heard, results, bus };
}
const text = (words: string) => new Uint8Array(Buffer.from(words));
/** Long enough for what must not arrive. */
// biome-ignore lint/plugin: a message that is dropped leaves nothing to wait for
const settled = () => new Promise((resolve) => setTimeout(resolve, 150));

describe('between nodes', () => {
  test('default: to all but oneself, or to one; in order', async () => {
    const digest = keccak256('0x01');
    const [a, b, c] = await Promise.all([nodeOf(0, digest), nodeOf(1, digest), nodeOf(2, digest)]);
    for (let i = 0; i < 50; i += 1) a.transport.broadcast(text(`m${i}`));
    a.transport.send(2, text('for you'));
    await until('the last', () => c.heard.length === 51 && b.heard.length === 50);
    expect(b.heard).toEqual(Array.from({ length: 50 }, (_, i) => `0:m${i}`));
    expect(c.heard.at(-1)).toBe('0:for you');
    expect(a.heard).toEqual([]);
  });

  test('behavior: two configurations on one bus hear nothing of each other', async () => {
    const one = keccak256('0x02');
    const two = keccak256('0x03');
    const [bus0, bus1] = await Promise.all([busOf(0), busOf(1)]);
    const [a1, b1] = await Promise.all([nodeOf(0, one, { bus: bus0 }), nodeOf(1, one, { bus: bus1 })]);
    const [a2, b2] = await Promise.all([nodeOf(0, two, { bus: bus0 }), nodeOf(1, two, { bus: bus1 })]);
    a1.transport.broadcast(text('one'));
    a2.transport.broadcast(text('two'));
    await until('both', () => b1.heard.length > 0 && b2.heard.length > 0);
    expect([b1.heard, b2.heard, b1.results, b2.results]).toEqual([['0:one'], ['0:two'], ['ok'], ['ok']]);
  });

  test('behavior: a restarted node is heard again; what it said before is not', async () => {
    const digest = keccak256('0x04');
    const [bus0, b] = await Promise.all([busOf(0), nodeOf(1, digest)]);
    const captured: Uint8Array[] = [];
    const wire = await busOf(2);
    wire.nats.subscribe('ocr2.castellan.*.*.all', {
      callback: (_, { data }) => void captured.push(Uint8Array.from(data)),
    });
    await wire.nats.flush();
    const before = await nodeOf(0, digest, { bus: bus0, session: 1n });
    before.transport.broadcast(text('before'));
    await until('before', () => b.heard.length === 1 && captured.length === 1);
    const after = await nodeOf(0, digest, { bus: bus0, session: 2n });
    after.transport.broadcast(text('after'));
    await until('after', () => b.heard.length === 2);
    bus0.nats.publish(`ocr2.castellan.${digest.slice(2, 18)}.${nameAt(0)}.all`, captured[0]);
    await until('the replay', () => b.results.includes('replayed'));
    expect(b.heard).toEqual(['0:before', '0:after']);
  });

  test('behavior: after the server was away both go on; what was sent meanwhile is lost, and nothing else', async () => {
    const digest = keccak256('0x05');
    const [a, b] = await Promise.all([nodeOf(0, digest), nodeOf(1, digest)]);
    const states: boolean[] = [];
    a.bus.onState((isConnected) => states.push(isConnected));
    await server.kill();
    await until('the loss', () => !a.bus.isConnected());
    a.transport.broadcast(text('lost'));
    await settled();
    await server.start();
    await until('both back', () => a.bus.isConnected() && b.bus.isConnected());
    await b.bus.nats.flush();
    a.transport.broadcast(text('found'));
    await until('found', () => b.heard.length > 0);
    expect(b.heard).toEqual(['0:found']);
    expect(states).toEqual([false, true]);
  });

  test('behavior: what a node says before it ends is still heard', async () => {
    const digest = keccak256('0x07');
    const [a, b] = await Promise.all([nodeOf(0, digest), nodeOf(1, digest)]);
    for (let i = 0; i < 5; i += 1) a.transport.broadcast(text(`${i}`));
    await a.transport.close();
    await until('the last word', () => b.heard.includes('0:4'));
  });

  test('error: a message larger than peers take is refused where it is made; a full queue drops the oldest', async () => {
    const digest = keccak256('0x06');
    const [a, b] = await Promise.all([nodeOf(0, digest), nodeOf(1, digest)]);
    expect(() => a.transport.broadcast(new Uint8Array(1001))).toThrow(RangeError);
    for (let i = 0; i < 300; i += 1) a.transport.broadcast(text(`${i}`));
    await until('the last', () => b.heard.includes('0:299'));
    expect(a.results.filter((result) => result === 'overflow').length).toBe(300 - b.heard.length);
    expect(b.heard.length).toBeLessThan(300);
    await a.transport.close();
    a.transport.broadcast(text('closed'));
    await settled();
    expect(b.heard).not.toContain('0:closed');
  });
});

describe('permissions made from the keys', () => {
  async function connection(user: string): Promise<{ nats: NatsConnection; refusals: string[] }> {
    const nats = await connect({ servers: server.url, user, pass: passwordOf(user) });
    closing.push(() => nats.close());
    const refusals: string[] = [];
    void (async () => {
      for await (const { type, data } of nats.status()) if (type === 'error') refusals.push(String(data));
    })();
    return { nats, refusals };
  }
  async function listener(user: string, subject: string) {
    const { nats, refusals } = await connection(user);
    const heard: string[] = [];
    nats.subscribe(subject, {
      callback: (error, message) => void (error ? refusals.push(error.code) : heard.push(message.subject)),
    });
    await nats.flush();
    await settled();
    return { nats, heard, refusals };
  }
  const words = StringCodec().encode('x');

  test('behavior: each publishes under its own key only', async () => {
    const all = await listener(userAt(1), 'ocr2.castellan.*.*.all');
    const { nats, refusals } = await connection(userAt(0));
    for (const subject of [
      `ocr2.castellan.aa.${nameAt(0)}.all`,
      `ocr2.castellan.aa.${nameAt(1)}.all`,
      `ocr2.castellan.aa.${nameAt(2)}.all`,
      `ocr2.other.aa.${nameAt(0)}.all`,
      'x',
    ])
      nats.publish(subject, words);
    await nats.flush();
    await until('refusals', () => refusals.length === 4);
    await until('its own', () => all.heard.length > 0);
    await settled();
    expect(all.heard).toEqual([`ocr2.castellan.aa.${nameAt(0)}.all`]);
  });

  test('behavior: each hears what is for all or for it, not what is for another', async () => {
    const own = await listener(userAt(1), `ocr2.castellan.*.*.${nameAt(1)}`);
    const others = await listener(userAt(1), `ocr2.castellan.*.*.${nameAt(2)}`);
    const everything = await listener(userAt(1), '>');
    const { nats } = await connection(userAt(0));
    for (const to of [nameAt(1), nameAt(2), 'all']) nats.publish(`ocr2.castellan.aa.${nameAt(0)}.${to}`, words);
    await until('mine', () => own.heard.length === 1);
    await until('both refusals', () => others.refusals.length > 0 && everything.refusals.length > 0);
    await settled();
    expect([others.heard, everything.heard]).toEqual([[], []]);
  });

  test('behavior: the services of the bus and the validators do not see each other; strangers see nothing', async () => {
    const services = await listener(servicesUser, '>');
    const { nats } = await connection(userAt(0));
    nats.publish(`ocr2.castellan.aa.${nameAt(0)}.all`, words);
    await nats.flush();
    // It may not even ask for what is not its own.
    await until('the refusal', () => services.refusals.length > 0);
    await settled();
    expect(services.heard).toEqual([]);
    await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(/Authorization/i);
    await expect(connect({ servers: server.url, user: userAt(0), pass: 'x', reconnect: false })).rejects.toThrow(
      /Authorization/i,
    );
  });
});
