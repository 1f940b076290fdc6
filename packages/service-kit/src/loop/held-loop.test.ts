import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { LeaseLost, type NamedLease } from '../fenced-lease.ts';
import type { Logger } from '../logger.ts';
import { type HeldLoop, type HeldLoopOptions, heldLoop } from './held-loop.ts';
import type { Held } from './lease-hold.ts';

/** A lease in the memory of the test: who has it, and whether the store answers. */
function aLease() {
  const state = { holder: '', token: 0, isAway: false, asked: 0, released: 0 };
  const of = (holder: string): NamedLease => ({
    name: 'job',
    ttlMs: 15_000,
    take: async () => {
      state.asked += 1;
      if (state.isAway) throw Object.assign(new Error('no server'), { name: 'MongoServerSelectionError' });
      if (state.holder === '') Object.assign(state, { holder, token: state.token + 1 });
      return state.holder === holder ? { token: state.token } : undefined;
    },
    release: async () => {
      if (state.holder !== holder) return;
      state.holder = '';
      state.released += 1;
    },
  });
  return { state, of };
}

function aLog() {
  const lines: string[] = [];
  const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log = { warn: write('warn'), error: write('error') } as unknown as Logger;
  return { log, lines };
}

const loops: HeldLoop[] = [];
function aLoop(options: Partial<HeldLoopOptions> & Pick<HeldLoopOptions, 'lease'>): HeldLoop {
  const loop = heldLoop({ pass: async () => 'rest', pauseMs: 1_000, log: aLog().log, ...options });
  loops.push(loop);
  return loop;
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.stop();
  jest.useRealTimers();
});

test('default: runs passes with the token, pauses between them, and gives the lease up in the end', async () => {
  const { state, of } = aLease();
  const holding: boolean[] = [];
  const tokens: number[] = [];
  const pass = async ({ token }: Held) => {
    tokens.push(token);
    return tokens.length < 3 ? 'more' : 'rest';
  };
  const loop = aLoop({ lease: of('a'), pass, onHolding: (isHeld) => void holding.push(isHeld) });
  expect(loop.isHealthy).toBe(false);
  loop.start();
  await jest.advanceTimersByTimeAsync(500);
  expect(tokens).toEqual([1, 1, 1]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(tokens).toHaveLength(4);
  expect(loop.isHealthy).toBe(true);
  await loop.stop();
  expect(state).toMatchObject({ holder: '', released: 1 });
  expect(holding).toEqual([true, false]);
});

test('behavior: passes that follow each other quickly share one renewal', async () => {
  const { state, of } = aLease();
  const loop = aLoop({ lease: of('a'), pauseMs: 100 });
  loop.start();
  await jest.advanceTimersByTimeAsync(4_000);
  expect(state.asked).toBe(1);
  await jest.advanceTimersByTimeAsync(4_000);
  expect(state.asked).toBe(2);
});

test('behavior: in a rest that is longer than the lease it is renewed without a pass, and a wake-up ends the rest', async () => {
  const { state, of } = aLease();
  let passes = 0;
  const loop = aLoop({
    lease: of('a'),
    pauseMs: 60_000,
    pass: async () => {
      passes += 1;
      return 'rest';
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(58_000);
  expect({ passes, asked: state.asked, token: loop.heldToken }).toEqual({ passes: 1, asked: 8, token: 1 });
  await jest.advanceTimersByTimeAsync(3_000);
  expect(passes).toBe(2);
  await jest.advanceTimersByTimeAsync(7_000);
  loop.wake();
  await jest.advanceTimersByTimeAsync(10);
  expect(passes).toBe(3);
  await jest.advanceTimersByTimeAsync(58_000);
  expect(passes).toBe(3);
});

test('behavior: the token is named only while no other process can have the lease', async () => {
  const { state, of } = aLease();
  const loop = aLoop({ lease: of('a') });
  expect(loop.heldToken).toBeUndefined();
  await loop.step();
  expect(loop.heldToken).toBe(1);
  state.isAway = true;
  await jest.advanceTimersByTimeAsync(14_999);
  expect(loop.heldToken).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(loop.heldToken).toBeUndefined();
});

test('behavior: a pass that asks for a rest of its own is followed by another at once when it was woken meanwhile', async () => {
  let passes = 0;
  const loop: HeldLoop = aLoop({
    lease: aLease().of('a'),
    pass: async () => {
      passes += 1;
      if (passes === 1) loop.wake();
      return { restMs: 3_000 };
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(2_990);
  expect(passes).toBe(2);
  await jest.advanceTimersByTimeAsync(20);
  expect(passes).toBe(3);
});

test('behavior: the other process stands by, and goes on once the lease is given up', async () => {
  const { state, of } = aLease();
  const passes: string[] = [];
  const named = (name: string) =>
    aLoop({
      lease: of(name),
      pass: async ({ token }) => {
        passes.push(`${name}${token}`);
        return 'rest';
      },
      standbyMs: 200,
    });
  const [first, second] = [named('a'), named('b')];
  expect(await first.step()).toBe('rest');
  second.start();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(passes).toEqual(['a1']);
  expect(second.isHealthy).toBe(true);
  await first.stop();
  await jest.advanceTimersByTimeAsync(200);
  expect(passes).toEqual(['a1', 'b2']);
  expect(state.holder).toBe('b');
});

test('behavior: a wake-up during a pass is followed by another pass at once', async () => {
  let passes = 0;
  const loop: HeldLoop = aLoop({
    lease: aLease().of('a'),
    pass: async () => {
      passes += 1;
      if (passes === 1) loop.wake();
      return 'rest';
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(10);
  expect(passes).toBe(2);
  loop.wake();
  await jest.advanceTimersByTimeAsync(10);
  expect(passes).toBe(3);
});

test('behavior: the lease is renewed while a pass takes longer than it lasts', async () => {
  const { state, of } = aLease();
  let end: () => void = () => undefined;
  let seen: Held | undefined;
  const loop = aLoop({
    lease: of('a'),
    pass: async (held) => {
      seen = held;
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return 'rest';
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(seen?.signal.aborted).toBe(false);
  expect(state.asked).toBe(13);
  expect((seen?.untilMs() ?? 0) - performance.now()).toBe(15_000);
  end();
  await jest.advanceTimersByTimeAsync(0);
});

test('behavior: a pass learns that another process has the lease, and no pass follows', async () => {
  const { state, of } = aLease();
  const holding: boolean[] = [];
  const reasons: unknown[] = [];
  const loop = aLoop({
    lease: of('a'),
    onHolding: (isHeld) => void holding.push(isHeld),
    pass: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reasons.push(signal.reason);
      return 'more';
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(1_000);
  Object.assign(state, { holder: 'b', token: 2 });
  await jest.advanceTimersByTimeAsync(30_000);
  expect(reasons).toEqual([expect.any(LeaseLost)]);
  expect(holding).toEqual([true, false]);
});

test('error: while the store is away a pass is stopped within the lease, and another begins once the store is back', async () => {
  const { state, of } = aLease();
  const { log, lines } = aLog();
  let stoppedAt = 0;
  let passes = 0;
  const loop = aLoop({
    ...{ lease: of('a'), log },
    pass: async ({ signal }) => {
      passes += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stoppedAt = performance.now();
      return 'rest';
    },
  });
  const startedAt = performance.now();
  loop.start();
  await jest.advanceTimersByTimeAsync(0);
  state.isAway = true;
  await jest.advanceTimersByTimeAsync(20_000);
  expect(stoppedAt - startedAt).toBe(15_000);
  expect(passes).toBe(1);
  expect(loop.isHealthy).toBe(false);
  expect(new Set(lines)).toEqual(new Set(['warn the lease could not be renewed', 'warn a pass is done again']));
  state.isAway = false;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(passes).toBe(2);
});

test('error: a lease ends by the time of day too, which goes on while the machine is suspended', async () => {
  let seen: Held | undefined;
  const loop = aLoop({
    lease: aLease().of('a'),
    pass: async (held) => {
      seen = held;
      await new Promise((resolve) => held.signal.addEventListener('abort', resolve));
      return 'rest';
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(0);
  expect(loop.heldToken).toBe(1);
  jest.setSystemTime(Date.now() + 15_000);
  expect(loop.heldToken).toBeUndefined();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(seen?.signal.reason).toBeInstanceOf(LeaseLost);
});

test('error: a time of day that is set back does not prolong a lease', async () => {
  const { state, of } = aLease();
  const loop = aLoop({ lease: of('a') });
  loop.start();
  await jest.advanceTimersByTimeAsync(0);
  jest.setSystemTime(Date.now() - 60_000);
  state.isAway = true;
  await jest.advanceTimersByTimeAsync(14_999);
  expect(loop.heldToken).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(loop.heldToken).toBeUndefined();
});

test('behavior: each new token is claimed before the first pass under it, until that succeeds', async () => {
  const { state, of } = aLease();
  const events: string[] = [];
  let fails = 1;
  const loop = aLoop({
    lease: of('a'),
    onLease: async (token) => {
      events.push(`claim ${token}`);
      if (fails-- > 0) throw new Error('not now');
    },
    pass: async ({ token }) => {
      events.push(`pass ${token}`);
      return 'rest';
    },
  });
  await expect(loop.step()).rejects.toThrow('not now');
  await loop.step();
  await loop.step();
  Object.assign(state, { holder: '', token: 6 });
  await loop.step();
  expect(events).toEqual(['claim 1', 'claim 1', 'pass 1', 'pass 1', 'claim 7', 'pass 7']);
});

test('behavior: a writer that was shut out asks for the lease again before its next pass', async () => {
  const { state, of } = aLease();
  const claims: number[] = [];
  let passes = 0;
  const loop = aLoop({
    lease: of('a'),
    onLease: (token) => void claims.push(token),
    pass: async () => {
      passes += 1;
      if (passes === 1) throw new LeaseLost('job');
      return 'rest';
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(1_000);
  expect({ passes, claims, asked: state.asked }).toEqual({ passes: 2, claims: [1, 1], asked: 2 });
});

test('error: failures are reported and followed by longer and longer pauses, until a pass succeeds', async () => {
  const { log, lines } = aLog();
  const at: number[] = [];
  const begun = performance.now();
  aLoop({
    ...{ lease: aLease().of('a'), log, pauseMs: 50 },
    retry: { firstMs: 250, lastMs: 1_000 },
    pass: async () => {
      at.push(performance.now() - begun);
      if (at.length < 5) throw new Error('broken');
      return 'rest';
    },
  }).start();
  await jest.advanceTimersByTimeAsync(2_800);
  expect(at).toEqual([0, 250, 750, 1_750, 2_750, 2_800]);
  expect(new Set(lines)).toEqual(new Set(['error a pass failed and is done again']));
});

test('behavior: work under the lease is aborted when the loop stops, which waits for it', async () => {
  const { state, of } = aLease();
  let ended = false;
  const loop = aLoop({
    lease: of('a'),
    pass: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended = true;
      expect(state.released).toBe(0);
      return 'rest';
    },
  });
  loop.start();
  await jest.advanceTimersByTimeAsync(0);
  await loop.stop();
  expect(ended).toBe(true);
  expect(state.released).toBe(1);
});

test('error: a confirmation by a holder that lost the lease throws, and so ends the pass', async () => {
  const { state, of } = aLease();
  const loop = aLoop({
    lease: of('a'),
    pass: async ({ confirm }) => {
      await confirm();
      Object.assign(state, { holder: 'b', token: 2 });
      await confirm();
      return 'rest';
    },
  });
  await expect(loop.step()).rejects.toThrow(LeaseLost);
  expect(await loop.step()).toBe('rest');
});
