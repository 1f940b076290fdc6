import { expect, test } from '@jest/globals';
import { PpsPlugin, type PpsPluginOptions } from '../../src/plugin/pps-plugin.ts';
import { encodeReport } from '../../src/plugin/report.ts';
import { at, final, follower, second, third, timing } from './kit/first-round.ts';
import { config, single } from './kit/single.ts';

/** Finals that a peer echoes: what it costs to find out that they are invented. */

const echo = { ...final, kind: 'final_echo' } as const;
/** Its own signature is good, those of the others are not. */
const invented = (round: number) => ({
  ...echo,
  round,
  signatures: echo.signatures.map((entry) => ({ ...entry, attestation: new Uint8Array(64) })),
});

async function listening() {
  let verified = 0;
  const node = single({
    index: follower,
    plugin: {
      verify: async () => {
        verified += 1;
        return false;
      },
    },
  });
  await node.oracle.start();
  return { ...node, verified: () => verified };
}

test('behavior: no signature for the contract is looked at before all attestations are good', async () => {
  const node = await listening();
  const [first, ...others] = echo.signatures;
  const last = others.map((entry, i) =>
    i === others.length - 1 ? { ...entry, attestation: new Uint8Array(64) } : entry,
  );
  node.hear(second, { ...echo, signatures: [first as (typeof echo.signatures)[0], ...last] });
  await node.pass(10);
  expect([node.results('final_echo'), node.verified()]).toEqual([['bad_signature'], 0]);
});

test('behavior: a peer whose echoes are not valid is not listened to for a while, and others are', async () => {
  const node = await listening();
  for (let round = 1; round <= 3; round += 1) for (let i = 0; i < 4; i += 1) node.hear(second, invented(round));
  await node.pass(10);
  expect(node.results('final_echo')).toEqual([...Array(5).fill('bad_signature'), ...Array(7).fill('rate_limited')]);
  node.hear(third, echo);
  await node.pass(10);
  expect(node.results('final_echo').at(-1)).toBe('bad_signature');
  expect(node.verified()).toBe(1);
  await node.pass(10_000);
  node.hear(second, invented(1));
  await node.pass(10);
  expect(node.results('final_echo').at(-1)).toBe('bad_signature');
});

test('behavior: what is of an epoch that nobody honest can be in is not looked at', async () => {
  const node = await listening();
  node.hear(second, { ...echo, epoch: 3 });
  node.hear(second, { ...echo, epoch: 4_000_000_000 });
  await node.pass(10);
  expect(node.results('final_echo')).toEqual(['unexpected', 'unexpected']);
  for (const from of [second, third]) node.hear(from, { kind: 'wish', epoch: 2 });
  await node.pass(timing.deltaRound);
  node.hear(second, { ...echo, epoch: 3 });
  await node.pass(10);
  expect(node.results('final_echo').at(-1)).toBe('bad_signature');
});

test('behavior: between the entries of a report other work has its turn', async () => {
  let yields = 0;
  const key = `0x${'01'.repeat(65)}` as const;
  const entries = [1, 2, 3].map((index) => ({
    chainId: 1,
    pps: 1n,
    nonce: 1n,
    timestamp: 1n,
    strategy: `0x${String(index).padStart(40, '0')}` as const,
  }));
  const state = {
    nonce: 1n,
    lastPps: 1n,
    lastUpdate: 0n,
    lastUnpause: 0n,
    minInterval: 0n,
    maxStaleness: 10n,
    deviationThreshold: 0n,
    paused: false,
    stale: false,
  };
  const plugin = new PpsPlugin({
    config,
    clock: { now: () => 0, after: () => () => undefined },
    chains: [
      {
        chainId: 1,
        separator: () => `0x${'5e'.repeat(32)}`,
        observe: async () => null,
        takes: async () => true,
        states: async () => ({ timestamp: 1n, states: new Map(entries.map(({ strategy }) => [strategy, state])) }),
      },
    ],
    keyring: { address: `0x${'01'.repeat(20)}`, signKeccak256: async () => key },
    settings: { maxStaleSeconds: 9, maxDeviationPpb: null, futureToleranceSeconds: 9, holdDeviating: false },
    yieldToEventLoop: async () => {
      yields += 1;
    },
    emit: () => undefined,
  } satisfies PpsPluginOptions);
  const report = encodeReport(entries);
  expect(
    await plugin.sign({ ...at, digest: config.digest, signal: new AbortController().signal }, report),
  ).toHaveLength(195);
  expect(yields).toBe(3);
});
