import { AppError } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { type Built, createSnapshots, jsonSnapshot, type SnapshotOptions } from './snapshots.ts';

const world = (options: Partial<SnapshotOptions> = {}) => {
  const clock = { now: 1_000_000 };
  const counted = { hit: 0, shared: 0, miss: 0 };
  let made = 0;
  const snapshots = createSnapshots({
    maxAgeMs: 15_000,
    maxBytes: 100_000,
    now: () => clock.now,
    count: (outcome) => {
      counted[outcome] += 1;
    },
    ...options,
  });
  /** The number of what is answered: another one when it was made anew. */
  const read = async (key: string, parts: Partial<Built> = {}, subject = 'vault') => {
    const { bytes } = await snapshots.get(key, subject, async () => {
      made += 1;
      return { ...jsonSnapshot(made), ...parts };
    });
    return Number(bytes);
  };
  return { snapshots, clock, counted, read };
};

/** Something that is being made until it is said what of it. */
function pending() {
  let finish: (built: Built) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const built = new Promise<Built>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return { make: () => built, finish, fail };
}

test('default: kept under its key until its subject changes, or for so long', async () => {
  const { snapshots, clock, counted, read } = world();
  expect([await read('a'), await read('a'), await read('b')]).toEqual([1, 1, 2]);
  snapshots.invalidate('another');
  expect(await read('a')).toBe(1);
  snapshots.invalidate('vault');
  expect([await read('a'), await read('a')]).toEqual([3, 3]);
  clock.now += 14_999;
  expect(await read('a')).toBe(3);
  clock.now += 1;
  expect(await read('a')).toBe(4);
  expect(counted).toEqual({ hit: 4, shared: 0, miss: 4 });
});

test('behavior: what is made of something older ages with it', async () => {
  const { clock, read } = world();
  await read('page', { readAtMs: clock.now - 10_000 });
  clock.now += 4_999;
  expect(await read('page')).toBe(1);
  clock.now += 1;
  expect(await read('page')).toBe(2);
});

test('behavior: what may stand for a shorter time than all is kept for that', async () => {
  const { clock, read } = world();
  const young = { maxAgeMs: 1000 };
  expect([await read('young', young), await read('old', { maxAgeMs: 60_000 })]).toEqual([1, 2]);
  clock.now += 999;
  expect(await read('young')).toBe(1);
  clock.now += 1;
  expect([await read('young'), await read('old')]).toEqual([3, 2]);
  clock.now += 14_000;
  expect(await read('old')).toBe(4);
});

test('behavior: requests that meet share one answer, and those after an event do not', async () => {
  const { snapshots, counted } = world();
  const first = pending();
  const second = pending();
  const before = [snapshots.get('a', 'vault', first.make), snapshots.get('a', 'vault', second.make)];
  snapshots.invalidate('vault');
  const after = snapshots.get('a', 'vault', second.make);
  first.finish(jsonSnapshot('before'));
  second.finish(jsonSnapshot('after'));
  expect((await Promise.all([...before, after])).map(({ bytes }) => `${bytes}`)).toEqual([
    '"before"',
    '"before"',
    '"after"',
  ]);
  expect(counted).toEqual({ hit: 0, shared: 1, miss: 2 });
});

test('behavior: what an event overtakes while it is made is answered and not kept', async () => {
  const { snapshots, read } = world();
  const slow = pending();
  const answer = snapshots.get('a', 'vault', slow.make);
  snapshots.invalidate('vault');
  slow.finish(jsonSnapshot('old'));
  expect(`${(await answer).bytes}`).toBe('"old"');
  expect(await read('a')).toBe(1);
});

test('behavior: what shows a subject at an earlier block than was announced is answered and not kept', async () => {
  const { snapshots, read } = world();
  const at = (block: number) => ({ blocks: [['vault', block] as const] });
  snapshots.invalidate('vault', 100);
  expect([await read('a', at(99)), await read('a', at(99))]).toEqual([1, 2]);
  expect([await read('a', at(100)), await read('a')]).toEqual([3, 3]);
  // An event without a block says nothing of it, and one of an earlier block came late.
  for (const late of [undefined, 98]) {
    snapshots.invalidate('vault', late);
    expect(await read('a', at(99))).not.toBe(await read('a', at(99)));
  }
});

test('behavior: of several subjects that are shown each must be as new as was announced', async () => {
  const { snapshots, read } = world();
  snapshots.invalidate('second', 100);
  const list = (second: number) => ({ blocks: [['first', 1] as const, ['second', second] as const] });
  expect([await read('list', list(99)), await read('list', list(99))]).toEqual([1, 2]);
  expect([await read('list', list(100)), await read('list')]).toEqual([3, 3]);
});

test('behavior: an answer says whether it was kept', async () => {
  const { snapshots } = world();
  const isKept = async (make: () => Promise<Built>) => (await snapshots.get('a', 'vault', make)).keep;
  const overtaken = async () => {
    snapshots.invalidate('vault', 100);
    return jsonSnapshot('old');
  };
  expect(await isKept(overtaken)).toBe(false);
  expect(await isKept(async () => ({ ...jsonSnapshot('old'), blocks: [['vault', 99]] }))).toBe(false);
  expect(await isKept(async () => ({ ...jsonSnapshot('no'), keep: false }))).toBe(false);
  expect(await isKept(async () => jsonSnapshot('new'))).toBe(true);
  expect(await isKept(overtaken)).toBe(true);
});

test('behavior: after events were lost all is made anew, and no block is forgotten', async () => {
  const { snapshots, read } = world();
  snapshots.invalidate('vault', 100);
  const blocks = [['vault', 100] as const];
  const slow = pending();
  const answer = snapshots.get('slow', 'vault', slow.make);
  expect([await read('a', { blocks }), await read('b', {}, 'another')]).toEqual([1, 2]);
  snapshots.invalidateAll();
  slow.finish(jsonSnapshot('old'));
  expect((await answer).keep).toBe(false);
  expect([await read('a', { blocks: [['vault', 99]] }), await read('b', {}, 'another')]).toEqual([3, 4]);
  expect([await read('a', { blocks }), await read('a'), await read('b', {}, 'another')]).toEqual([5, 5, 4]);
});

test('error: a failure and what is not to be kept reach those who wait, and nobody after them', async () => {
  const { snapshots, read } = world();
  const broken = pending();
  const both = [snapshots.get('a', 'vault', broken.make), snapshots.get('a', 'vault', broken.make)];
  broken.fail(new AppError('RPC_UNAVAILABLE', 'No node answers.'));
  const codes = await Promise.all(both.map((one) => one.catch(({ code }: AppError) => code)));
  expect(codes).toEqual(['RPC_UNAVAILABLE', 'RPC_UNAVAILABLE']);
  expect(await read('a', { keep: false })).toBe(1);
  expect(await read('a')).toBe(2);
});

test('behavior: it holds no more bytes than it may, and drops what was not asked for the longest', async () => {
  const { read } = world({ maxBytes: 4000 });
  const large = { bytes: Buffer.from(`7${' '.repeat(999)}`) };
  for (const key of ['a', 'b']) await read(key, large);
  expect(await read('a')).toBe(7);
  await read('c', large);
  expect(await read('a')).toBe(7);
  expect(await read('b')).toBe(4);
  // What alone is too large is never kept.
  await read('huge', { bytes: Buffer.alloc(5000, ' ') });
  expect(await read('huge')).toBe(6);
});

test('behavior: what is kept holds no other bytes in memory', async () => {
  const { snapshots } = world();
  const make = async () => jsonSnapshot('short');
  await snapshots.get('a', 'vault', make);
  const { bytes } = await snapshots.get('a', 'vault', make);
  expect([`${bytes}`, bytes.buffer.byteLength]).toEqual(['"short"', bytes.length]);
});

test('behavior: a change that is forgotten invalidates more, not less', async () => {
  const { snapshots, read } = world({ maxSubjects: 2 });
  snapshots.invalidate('vault');
  expect(await read('a')).toBe(1);
  snapshots.invalidate('vault');
  for (const other of ['1', '2', '3']) snapshots.invalidate(other);
  expect([await read('a'), await read('a')]).toEqual([2, 2]);
  snapshots.invalidate('4');
  expect(await read('a')).toBe(3);
});

test('behavior: with an age of zero nothing is kept, and requests that meet still share', async () => {
  const { counted, read } = world({ maxAgeMs: 0 });
  expect(await Promise.all([read('a'), read('a')])).toEqual([1, 1]);
  expect(await read('a')).toBe(2);
  expect(counted).toEqual({ hit: 0, shared: 1, miss: 2 });
});
