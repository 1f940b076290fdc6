import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@castellan/testkit';
import { afterAll, expect, test } from '@jest/globals';
import { createPublicClient, http } from 'viem';
import { startDevnet } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-history-'));
const cache = join(folder, 'cache');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let starts = 0;

/** Starts on a fresh state folder, and stops. @returns what the log says of the history, and where it ends. */
async function historyOfStart(
  secondsLater = 0,
): Promise<{ said: string; firstRun: boolean; lastLog: string | undefined }> {
  starts += 1;
  const said: string[] = [];
  const devnet = await startDevnet({
    stateDir: join(folder, `state-${starts}`),
    port: await freePort(),
    days: 1,
    artifactsDir: join(tmpdir(), 'castellan-contracts'),
    historyCache: { folder: cache, maxAgeSeconds: 600 },
    now: () => Math.floor(Date.now() / 1000) + secondsLater,
    onProgress: () => undefined,
    log: (line) => said.push(line),
  });
  const logs = await createPublicClient({ transport: http(devnet.rpcUrl) }).getLogs({
    fromBlock: 0n,
    toBlock: 'latest',
  });
  await devnet.stop();
  const last = logs.at(-1);
  const text = said.join('\n');
  return {
    said: text,
    firstRun: devnet.firstRun,
    lastLog: last && `${last.blockHash} ${last.logIndex} of ${logs.length}`,
  };
}

const made = expect.stringMatching(/^history: \d+ blocks, \d+ transactions$/);
const taken = expect.stringMatching(/^history taken from the cache; it ends \d+ s ago$/);

test('behavior: a history is made once and taken until it is too old, damaged or from the future', async () => {
  // Two systems that start side by side: one makes it, the other waits.
  const [first, second] = await Promise.all([historyOfStart(), historyOfStart()]);
  expect(new Set([first, second].map(({ said }) => said.includes('taken from the cache')))).toEqual(
    new Set([true, false]),
  );
  expect(`${first.said}${second.said}`).toContain('Another process is making this history');
  expect(second.lastLog).toBe(first.lastLog);
  expect([first.firstRun, second.firstRun]).toEqual([true, true]);

  // Young enough, it is the same history with another present.
  const later = await historyOfStart(300);
  expect([later.said, later.lastLog]).toEqual([taken, first.lastLog]);

  // Too old: it is made again, and the new one is taken from then on.
  const old = await historyOfStart(5_000);
  expect([old.said, old.lastLog === first.lastLog]).toEqual([made, false]);
  expect((await historyOfStart(5_000)).said).toEqual(taken);

  // One that ends after the present is no history.
  expect((await historyOfStart()).said).toEqual(made);

  // Half a state file is not loaded.
  const [entry] = readdirSync(cache).filter((name) => !name.endsWith('.lock'));
  truncateSync(join(cache, entry ?? '', 'state.json'), 1_000);
  expect((await historyOfStart()).said).toEqual(made);
  expect((await historyOfStart()).said).toEqual(taken);
});
