import { randomUUID } from 'node:crypto';
import { connectMongo, createLogger, createRegistry, LeaseLost } from '@castellan/service-kit';
import { startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Address, Hex } from 'viem';
import type { Clock, PendingTransmission } from '../ports.ts';
import { readGuardFile, writeGuardFile } from './guard-file.ts';
import { holdKeys } from './key-lease.ts';
import { createProtocolStore } from './protocol-store.ts';
import { createSessions } from './sessions.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const signer: Address = '0x00000000000000000000000000000000000000AA';
const digest: Hex = `0x${'11'.repeat(32)}`;
let server: TestStore;
const open: Connection[] = [];

beforeAll(async () => {
  server = await startTestStore();
});
afterAll(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  await server.stop();
});

async function connectionTo(database: string): Promise<Connection> {
  const connection = await connectMongo({ uri: server.uri, database, registry: createRegistry('test') });
  open.push(connection);
  return connection;
}
const freshDatabase = () => `${server.database}_${randomUUID().slice(0, 8)}`;
const storeOn = (connection: Connection, token = 1) =>
  createProtocolStore({ connection, signer, leaseToken: () => token });
const entry = (nonce: bigint, timestamp: bigint) => ({ chainId: 1, strategy: signer, nonce, timestamp });

describe('the sign guard', () => {
  test('behavior: of two processes that ask for one round, exactly one may sign', async () => {
    const database = freshDatabase();
    const a = storeOn(await connectionTo(database));
    const b = storeOn(await connectionTo(database));
    for (let round = 1; round <= 20; round += 1) {
      const answers = await Promise.all(
        [a, b, a, b].map((store) =>
          store.guardSignature(digest, 1, round, [entry(BigInt(round), BigInt(round))], new Map()),
        ),
      );
      expect(answers.filter((answer) => answer === 'ok').length).toBe(1);
      expect(answers.filter((answer) => answer === 'round_not_above').length).toBe(3);
    }
  });

  test('behavior: what was signed outlives the process', async () => {
    const database = freshDatabase();
    await storeOn(await connectionTo(database)).guardSignature(digest, 4, 2, [entry(7n, 9n)], new Map());
    const again = storeOn(await connectionTo(database));
    expect(await again.guardSignature(digest, 4, 2, [entry(8n, 10n)], new Map())).toBe('round_not_above');
    expect(await again.guardSignature(digest, 4, 3, [entry(7n, 9n)], new Map())).toBe('timestamp_not_above');
    expect(await again.guardSignature(digest, 4, 3, [entry(7n, 10n)], new Map())).toBe('ok');
  });

  test('error: a refusal changes nothing', async () => {
    const store = storeOn(await connectionTo(freshDatabase()));
    await store.guardSignature(digest, 1, 1, [entry(7n, 9n)], new Map());
    const before = await store.exportGuard();
    expect(await store.guardSignature(digest, 1, 2, [entry(6n, 10n), entry(6n, 11n)], new Map())).toBe(
      'nonce_not_above',
    );
    expect(await store.exportGuard()).toEqual(before);
  });

  test('behavior: an entry is refused alone, and only what may be signed is kept', async () => {
    const store = storeOn(await connectionTo(freshDatabase()));
    await store.guardSignature(digest, 1, 1, [entry(7n, 9n)], new Map());
    expect(await store.guardSignature(digest, 1, 2, [entry(9n, 10n), entry(6n, 11n)], new Map())).toEqual([
      null,
      'nonce_not_above',
    ]);
    expect(await store.guardSignature(digest, 1, 2, [entry(9n, 12n)], new Map())).toBe('round_not_above');
    expect(await store.guardSignature(digest, 1, 3, [entry(9n, 10n)], new Map())).toBe('timestamp_not_above');
    expect(await store.guardSignature(digest, 1, 3, [entry(9n, 11n)], new Map())).toBe('ok');
  });

  test('error: a holder that lost the key without noticing', async () => {
    const connection = await connectionTo(freshDatabase());
    await storeOn(connection, 2).guardSignature(digest, 1, 1, [], new Map());
    await expect(storeOn(connection, 1).guardSignature(digest, 1, 2, [], new Map())).rejects.toThrow(LeaseLost);
    expect(await storeOn(connection, 3).guardSignature(digest, 1, 2, [], new Map())).toBe('ok');
  });

  test.each([
    ['rounds', { rounds: { [digest]: { epoch: '3', round: 1 } } }],
    ['entries', { entries: { '1:x': { nonce: '1', timestamp: '1' } } }],
    ['entries', { entries: { [`1:${signer.toLowerCase()}`]: { nonce: 1, timestamp: '1' } } }],
    ['revision', { revision: null }],
  ])('error: a damaged document is not guessed at: %s', async (place, change) => {
    const connection = await connectionTo(freshDatabase());
    const store = storeOn(connection);
    await store.guardSignature(digest, 1, 1, [], new Map());
    await connection.collection('sign_guards').updateOne({}, { $set: change });
    await expect(store.guardSignature(digest, 9, 9, [], new Map())).rejects.toMatchObject({
      fault: 'corrupt',
      message: expect.stringContaining(place),
    });
  });

  test('behavior: it moves to another store, and an import never lowers it', async () => {
    const from = storeOn(await connectionTo(freshDatabase()));
    const to = storeOn(await connectionTo(freshDatabase()));
    await from.guardSignature(digest, 5, 1, [entry(7n, 9n)], new Map());
    await to.importGuard(await from.exportGuard());
    expect(await to.guardSignature(digest, 5, 1, [], new Map())).toBe('round_not_above');
    expect(await to.guardSignature(digest, 5, 2, [], new Map())).toBe('ok');
    await to.importGuard(await from.exportGuard());
    expect(await to.guardSignature(digest, 5, 2, [], new Map())).toBe('round_not_above');
  });

  test('behavior: one that has yet to wait out an epoch takes that along, also onto a guard that has not', async () => {
    const from = storeOn(await connectionTo(freshDatabase()));
    await from.beginGuard({ rounds: {}, entries: {}, recovering: true });
    const file = readGuardFile(writeGuardFile(signer, await from.exportGuard()), signer);
    for (const first of [undefined, { rounds: {}, entries: {} }]) {
      const to = storeOn(await connectionTo(freshDatabase()));
      if (first) await to.beginGuard(first);
      await to.importGuard(file);
      expect(await to.guardSignature(digest, 5, 1, [entry(7n, 9n)], new Map())).toBe('recovering');
      await to.endRecovery(digest, 5);
      expect(await to.guardSignature(digest, 6, 1, [entry(7n, 9n)], new Map())).toBe('ok');
    }
  });

  test('behavior: one that begins anew refuses everything until an epoch was waited out, also after a restart', async () => {
    const connection = await connectionTo(freshDatabase());
    const store = storeOn(connection);
    expect([await store.hasGuard(), await store.isRecovering()]).toEqual([false, false]);
    await store.beginGuard({ rounds: {}, entries: {}, recovering: true });
    await store.beginGuard({ rounds: {}, entries: {} });
    const again = storeOn(connection, 2);
    expect([await again.hasGuard(), await again.isRecovering()]).toEqual([true, true]);
    expect(await again.guardSignature(digest, 5, 1, [entry(7n, 9n)], new Map())).toBe('recovering');
    await again.endRecovery(digest, 5);
    expect(await again.guardSignature(digest, 5, 254, [entry(7n, 9n)], new Map())).toBe('round_not_above');
    expect(await again.guardSignature(digest, 6, 1, [entry(7n, 9n)], new Map())).toBe('ok');
    expect(await again.isRecovering()).toBe(false);
  });

  test('error: without the store there is no signature', async () => {
    const connection = await connectionTo(freshDatabase());
    const store = storeOn(connection);
    await connection.close();
    await expect(store.guardSignature(digest, 1, 1, [], new Map())).rejects.toThrow();
  });
});

describe('the rest of the memory', () => {
  test('behavior: the pacemaker per configuration', async () => {
    const store = storeOn(await connectionTo(freshDatabase()));
    expect(await store.readPacemaker(digest)).toBeNull();
    for (const epoch of [1, 2])
      await store.writePacemaker(digest, { epoch, highestWish: epoch + 1, wishes: [0, epoch] });
    expect(await store.readPacemaker(digest)).toEqual({ epoch: 2, highestWish: 3, wishes: [0, 2] });
    expect(await store.readPacemaker(`0x${'22'.repeat(32)}`)).toBeNull();
  });

  test('error: a damaged pacemaker or pending transmission is refused', async () => {
    const connection = await connectionTo(freshDatabase());
    const store = storeOn(connection);
    await store.writePacemaker(digest, { epoch: 1, highestWish: 1, wishes: [1] });
    await connection.collection('pacemakers').updateOne({}, { $set: { epoch: -1 } });
    await expect(store.readPacemaker(digest)).rejects.toMatchObject({ fault: 'corrupt' });
    await connection.collection('pending_transmissions').insertOne({ digest } as never);
    await expect(store.pendings(digest)).rejects.toMatchObject({ fault: 'corrupt' });
  });

  const pending = (round: number, dueAt: number): PendingTransmission => ({
    digest,
    epoch: 1,
    round,
    report: { report: new Uint8Array([1, round]), signatures: [{ signer: 2, signature: new Uint8Array([9]) }] },
    dueAt,
    acceptedAt: dueAt - 1,
  });

  test('behavior: pending transmissions come back whole and in time; the same twice is one; old ones are reaped', async () => {
    const store = storeOn(await connectionTo(freshDatabase()));
    for (const each of [pending(2, 20), pending(1, 10), pending(1, 10), pending(3, 30)]) await store.addPending(each);
    expect(await store.pendings(digest)).toEqual([pending(1, 10), pending(2, 20), pending(3, 30)]);
    await store.removePending(digest, 1, 2);
    expect(await store.reapPending(25)).toBe(1);
    expect(await store.pendings(digest)).toEqual([pending(3, 30)]);
  });

  test('behavior: every session lies above those before it, also when the clock was set back', async () => {
    const store = createSessions(await connectionTo(freshDatabase()));
    const numbers = await Promise.all([1000, 1000, 500].map((now) => store.next('k', now)));
    const later = await store.next('k', 1);
    expect(new Set([...numbers, later].map(({ number }) => number)).size).toBe(4);
    expect(numbers.every(({ number }) => number < later.number)).toBe(true);
  });
});

describe('the lease on a key', () => {
  function handClock() {
    let at = 0;
    let waiting: { due: number; run: () => void }[] = [];
    const clock: Clock = {
      now: () => at,
      after: (ms, run) => {
        const timer = { due: at + ms, run };
        waiting.push(timer);
        return () => {
          waiting = waiting.filter((each) => each !== timer);
        };
      },
    };
    const advance = async (ms: number) => {
      at += ms;
      const due = waiting.filter((timer) => timer.due <= at);
      waiting = waiting.filter((timer) => timer.due > at);
      for (const { run } of due) run();
      // A holder waits for its next renewal and its deadline, or, when it has lost, for nothing: one of both is a renewal under way.
      await until('the renewal has ended', () => waiting.length !== 1);
    };
    return { clock, advance };
  }
  const hold = (connection: Connection, time: ReturnType<typeof handClock>, keys = ['0xA', 'b']) => {
    const lost: string[] = [];
    const held = holdKeys({ connection, keys, clock: time.clock, log, onLost: (key) => lost.push(key) });
    return { held, lost };
  };

  test('behavior: a second process is refused while the first lives, and takes over when it is released', async () => {
    const connection = await connectionTo(freshDatabase());
    const time = handClock();
    const first = await hold(connection, time).held;
    await expect(hold(connection, time, ['c', 'B']).held).rejects.toThrow(/Another process uses the key B/);
    await (await hold(connection, time, ['c']).held).release();
    for (let i = 0; i < 5; i += 1) await time.advance(5000);
    await expect(hold(connection, time).held).rejects.toThrow(/uses the key/);
    await first.release();
    const second = await hold(connection, time).held;
    expect(second.token('b')).toBe(first.token('b') + 1);
    await second.release();
  });

  test('behavior: a killed process frees its keys in fifteen seconds; one that comes back late is stopped', async () => {
    const connection = await connectionTo(freshDatabase());
    const paused = handClock();
    const other = handClock();
    const first = hold(connection, paused);
    await first.held;
    await connection.collection('leases').updateMany({}, { $set: { expires_at: new Date(0) } });
    const second = await hold(connection, other).held;
    await paused.advance(5000);
    expect(first.lost).toEqual(['0xA']);
    expect(second.token('0xA')).toBe(2);
    await second.release();
  });

  test('error: a store that does not answer costs the keys before anyone else can take them', async () => {
    const connection = await connectionTo(freshDatabase());
    const time = handClock();
    const { held, lost } = hold(connection, time);
    await held;
    await connection.close();
    await time.advance(5000);
    expect(lost).toEqual([]);
    await time.advance(10_000);
    expect(lost).toEqual(['0xA']);
  });
});
