import { expect, test } from '@jest/globals';
import { emptyDisk } from './kit/disk.ts';
import { asked, at, digest, final, follower, leader, observeReq, second, timing } from './kit/first-round.ts';
import { attested, leaderOf, single } from './kit/single.ts';

test('behavior: the newest wish is sent again with every DeltaResend', async () => {
  const node = single({ index: leader });
  await node.oracle.start();
  await node.pass(timing.deltaResend * 3 - 10);
  expect(node.sentOf('wish').length).toBeGreaterThanOrEqual(3);
});

test('behavior: stopping waits for the signature in progress, and sends it no more', async () => {
  const guard = Promise.withResolvers<'ok'>();
  const node = await asked({ guard: () => guard.promise });
  let stopped = false;
  const stop = node.oracle.stop().then(() => {
    stopped = true;
  });
  await node.pass(50);
  expect(stopped).toBe(false);
  guard.resolve('ok');
  await stop;
  const before = node.sent.length;
  node.hear(leader, final);
  await node.pass(10_000);
  expect(node.sentOf('report')).toEqual([]);
  expect(node.sent).toHaveLength(before);
});

test('behavior: a new leader that says nothing is left after DeltaInitial, one that stops after DeltaProgress', async () => {
  const silent = single({ index: follower });
  await silent.oracle.start();
  await silent.pass(timing.deltaInitial - 1);
  expect(silent.sentOf('wish')).toEqual([{ kind: 'wish', epoch: 1 }]);
  await silent.pass(2);
  expect(silent.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
  const stops = single({ index: follower });
  await stops.oracle.start();
  stops.hear(leader, observeReq);
  await stops.pass(timing.deltaProgress - 1);
  expect(stops.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 1 });
  await stops.pass(2);
  expect(stops.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
});

test('behavior: a wish is on disk before anybody hears of it, and one that cannot be written is made again', async () => {
  let works = true;
  const node = single({
    index: follower,
    writes: async () => (works ? undefined : Promise.reject(new Error('no disk'))),
  });
  await node.oracle.start();
  works = false;
  await node.pass(timing.deltaInitial + 300);
  expect(node.disk.pacemaker?.highestWish).toBe(1);
  expect(node.sentOf('wish').every(({ epoch }) => epoch === 1)).toBe(true);
  works = true;
  await node.pass(timing.deltaResend);
  expect(node.disk.pacemaker?.highestWish).toBe(2);
  expect(node.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
});

test('behavior: a leader that was restarted asks for the next epoch at once, and does not lead this one', async () => {
  const first = single({ index: leader });
  await first.oracle.start();
  const again = single({ index: leader, disk: first.disk });
  await again.oracle.start();
  await again.pass(10);
  expect(again.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
  expect(again.sentOf('observe_req')).toEqual([]);
});

test('behavior: messages of an epoch to come are taken up when it comes', async () => {
  const next = leaderOf(2);
  const index = [0, 1, 2, 3].find((i) => i !== next) as number;
  const node = single({ index });
  await node.oracle.start();
  node.hear(next, { ...observeReq, epoch: 2 });
  for (const from of [0, 1, 2, 3].filter((i) => i !== index)) node.hear(from, { kind: 'wish', epoch: 2 });
  await node.pass(50);
  expect(node.oracle.inspect()).toMatchObject({ epoch: 2, leader: next, round: 1 });
  expect(node.sentOf('observe')).toMatchObject([{ epoch: 2, round: 1 }]);
});

test('behavior: a transmission overdue at a restart is looked at again, and forgotten only once it is taken over', async () => {
  const disk = emptyDisk();
  disk.pendings.set('1:1', { digest, ...at, report: attested(Uint8Array.of(1)), dueAt: -5000, acceptedAt: -9000 });
  let works = false;
  const node = single({
    index: follower,
    disk,
    submit: () => (works ? Promise.resolve() : Promise.reject(new Error('no disk'))),
  });
  await node.oracle.start();
  await node.pass(50);
  expect(node.events).toContainEqual(expect.objectContaining({ type: 'fault', where: 'transmission' }));
  expect(disk.pendings.size).toBe(1);
  works = true;
  await node.pass(timing.deltaStage + 50);
  expect(node.submitted).toEqual([`${digest}:1:1`]);
  expect(disk.pendings.size).toBe(0);
});

test('behavior: what is no longer worth sending is forgotten, what cannot be judged is kept, what is a day old is dropped', async () => {
  const disk = emptyDisk();
  disk.pendings.set('1:1', { digest, ...at, report: attested(Uint8Array.of(1)), dueAt: 0, acceptedAt: 0 });
  const unknown = single({
    index: follower,
    disk,
    plugin: { shouldTransmit: () => Promise.reject(new Error('no chain')) },
  });
  await unknown.oracle.start();
  await unknown.pass(5000);
  await unknown.oracle.stop();
  expect(disk.pendings.size).toBe(1);
  const useless = single({ index: follower, disk, plugin: { shouldTransmit: async () => [] } });
  await useless.oracle.start();
  await useless.pass(50);
  expect([disk.pendings.size, useless.submitted]).toEqual([0, []]);
  const day = 24 * 3600 * 1000;
  disk.pendings.set('1:1', { digest, ...at, report: attested(Uint8Array.of(1)), dueAt: 0, acceptedAt: -day - 1 });
  const old = single({ index: follower, disk });
  await old.oracle.start();
  await old.pass(50);
  expect([disk.pendings.size, old.submitted]).toEqual([0, []]);
});

test('error: without its store an oracle does not start, and hears nothing', async () => {
  const unreadable = single({ index: follower, reads: () => Promise.reject(new Error('no disk')) });
  await expect(unreadable.oracle.start()).rejects.toThrow('no disk');
  const unwritable = single({ index: follower, writes: () => Promise.reject(new Error('no disk')) });
  await expect(unwritable.oracle.start()).rejects.toThrow('did not start');
  unwritable.hear(second, { kind: 'wish', epoch: 9 });
  await unwritable.pass(5000);
  expect([unwritable.sent, unwritable.disk.pacemaker]).toEqual([[], null]);
});

test('behavior: a leader that wishes for a later epoch has resigned, and the next one is wished for at once', async () => {
  const node = single({ index: follower });
  await node.oracle.start();
  node.hear(leader, observeReq);
  node.hear(leader, { kind: 'wish', epoch: 4_000_000_000 });
  await node.pass(10);
  expect(node.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
  expect(node.disk.pacemaker?.highestWish).toBe(2);
});

test('behavior: nobody but the leader resigns by a wish', async () => {
  const node = single({ index: follower });
  await node.oracle.start();
  node.hear(leader, observeReq);
  node.hear(second, { kind: 'wish', epoch: 2 });
  await node.pass(timing.deltaInitial);
  expect(node.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 1 });
});

test('behavior: a leader that had resigned before its epoch came is not waited for', async () => {
  const next = leaderOf(2);
  const index = [0, 1, 2, 3].find((i) => i !== next) as number;
  const node = single({ index });
  await node.oracle.start();
  node.hear(next, { kind: 'wish', epoch: 3 });
  for (const from of [0, 1, 2, 3].filter((i) => i !== index && i !== next)) node.hear(from, { kind: 'wish', epoch: 2 });
  await node.pass(10);
  expect(node.oracle.inspect().epoch).toBe(2);
  expect(node.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 3 });
});

test('behavior: a node that was restarted waits for a silent leader no longer than DeltaInitial', async () => {
  const first = single({ index: follower });
  await first.oracle.start();
  await first.oracle.stop();
  const again = single({ index: follower, disk: first.disk });
  await again.oracle.start();
  await again.pass(timing.deltaInitial + 10);
  expect(again.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
});

test('behavior: a leader that is stopped hands its epoch over first, a follower says nothing', async () => {
  const leads = single({ index: leader });
  await leads.oracle.start();
  await leads.pass(10);
  await leads.oracle.stop();
  expect(leads.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
  expect(leads.disk.pacemaker).toMatchObject({ epoch: 1, highestWish: 2 });
  const follows = single({ index: follower });
  await follows.oracle.start();
  await follows.oracle.stop();
  expect(follows.sentOf('wish')).toEqual([{ kind: 'wish', epoch: 1 }]);
});

test('error: a store that takes no wish does not keep a leader from stopping', async () => {
  let works = true;
  const node = single({
    index: leader,
    writes: async () => (works ? undefined : Promise.reject(new Error('no disk'))),
  });
  await node.oracle.start();
  works = false;
  await node.oracle.stop();
  expect(node.sentOf('wish')).toEqual([{ kind: 'wish', epoch: 1 }]);
});
