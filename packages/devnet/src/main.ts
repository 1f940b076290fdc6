import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '@castellan/protocol';
import { type DevnetOptions, startDevnet } from './devnet.ts';
import { admitKeeper, runKeeper } from './keeper.ts';
import { priceIntervalOf } from './pace.ts';
import { seededRandom } from './random.ts';
import { StoredChainError } from './state-files.ts';

/**
 * The devnet as one process: the chain with its history, then the keeper's flow. Prints `progress <done> <total> <label>`,
 * and `problem <what to do>` when only the person who started it can help.
 * Environment: DEVNET_STATE_DIR (needed), DEVNET_PORT, DEVNET_CHAIN_ID (31337 or 31338), DEVNET_FRESH (`true` forgets a stored chain), DEVNET_DAYS,
 * DEVNET_PRICE_INTERVAL_SECONDS (60), DEVNET_KEEPER (`false` leaves the chain quiet), DEVNET_SYSTEM_KEEPER (`true` admits the
 * system's own keeper, which then pays the redemptions), DEVNET_HISTORY_CACHE_DIR (a folder in node_modules of this checkout),
 * DEVNET_HISTORY_MAX_AGE_MINUTES (30; `0` makes the history anew). Exit code 1 when it cannot start or anvil dies.
 */
const say = (line: string) => process.stdout.write(`${line}\n`);
const abort = new AbortController();
// From the start: a signal during the history must not leave anvil behind.
let wasAsked = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    wasAsked = true;
    abort.abort();
  });
}

async function run(): Promise<void> {
  const { DEVNET_STATE_DIR, DEVNET_PORT, DEVNET_CHAIN_ID, DEVNET_FRESH, DEVNET_DAYS } = process.env;
  const { DEVNET_KEEPER, DEVNET_SYSTEM_KEEPER } = process.env;
  if (!DEVNET_STATE_DIR) throw new Error('DEVNET_STATE_DIR must name a folder.');
  const devnet = await startDevnet({
    stateDir: DEVNET_STATE_DIR,
    port: Number(DEVNET_PORT || 8545),
    chainId: Number(DEVNET_CHAIN_ID || 31337),
    fresh: DEVNET_FRESH === 'true' && isFirstOfItsParent(DEVNET_STATE_DIR),
    days: Number(DEVNET_DAYS || 91),
    priceIntervalSeconds: priceIntervalOf(process.env),
    now: () => Math.floor(Date.now() / 1000),
    onProgress: (done, total, label) => say(`progress ${done} ${total} ${label}`),
    log: say,
    signal: abort.signal,
    ...madeOnce(),
  });
  const died = new Promise<never>((_, reject) => {
    devnet.anvil.child.once('exit', (code, signal) => reject(new Error(`anvil stopped (${signal ?? `code ${code}`})`)));
  });
  const asked = new Promise<void>((resolve) => {
    if (abort.signal.aborted) resolve();
    else abort.signal.addEventListener('abort', () => resolve());
  });
  say(`chain ${devnet.chainId} at ${devnet.rpcUrl}`);
  const { rpcUrl, world } = devnet;
  const fulfils = DEVNET_SYSTEM_KEEPER !== 'true';
  if (!fulfils) await admitKeeper({ rpcUrl, world });
  const keeper =
    DEVNET_KEEPER === 'false'
      ? asked
      : runKeeper({ rpcUrl, world, random: seededRandom(Date.now()), signal: abort.signal, log: say, fulfils });
  try {
    await Promise.race([asked, died, keeper]);
  } finally {
    abort.abort();
    await keeper;
    await devnet.stop();
  }
}

/** Half of the vaults' greatest price age: a chain whose last price is older would begin with stale prices. */
const defaultMaxAgeMinutes = 30;

/** What one start of this checkout leaves to the next: compiled contracts, and the history while it is young. */
function madeOnce(): Pick<DevnetOptions, 'historyCache' | 'artifactsDir'> {
  const { DEVNET_HISTORY_CACHE_DIR, DEVNET_HISTORY_MAX_AGE_MINUTES } = process.env;
  const maxAgeSeconds = Number(DEVNET_HISTORY_MAX_AGE_MINUTES || defaultMaxAgeMinutes) * 60;
  const folder = DEVNET_HISTORY_CACHE_DIR || cacheFolder();
  if (!folder) return {};
  return { artifactsDir: folder, ...(maxAgeSeconds > 0 ? { historyCache: { folder, maxAgeSeconds } } : {}) };
}

/** A supervisor that starts this process again after a crash hands it the same environment, and must not lose the chain. */
function isFirstOfItsParent(stateDir: string): boolean {
  const mark = join(stateDir, 'fresh-for');
  const parent = String(process.ppid);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === parent) return false;
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(mark, parent);
  return true;
}

try {
  await run();
} catch (error) {
  // An abort that nobody asked for follows the death of anvil.
  if (!wasAsked) {
    say(`${error instanceof StoredChainError ? 'problem ' : ''}${(error as Error).message}`);
    process.exitCode = 1;
  }
}
