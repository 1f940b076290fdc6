import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { PublicVault } from '@castellan/contracts';
import { seededRandom } from '@castellan/devnet';
import { createClient } from '@castellan/sdk';
import { chain, until } from '../system/actors.ts';
import { Answers, outages } from './answers.ts';
import { Chats } from './chats.ts';
import { analyticsEqualRebuild, auditVerifies, logEqualsChain, streamsAgree, type Verdict } from './checks.ts';
import { KeeperWork } from './keeper-work.ts';
import { Killer } from './killer.ts';
import { Pairs } from './pairs.ts';
import { ask, questionCount, type Vault } from './readers.ts';
import { report } from './report.ts';
import { Sender } from './sender.ts';
import { Strangers } from './strangers.ts';
import { listen } from './stream.ts';
import { Webhooks } from './webhooks.ts';

/** `npm run soak -- [minutes] [--seed=<number>] [--port-offset=<number>] [--keep]` */
const usage = `npm run soak -- [minutes] [--seed=<number>] [--port-offset=<number>] [--keep]
  minutes              how long faults are played (default 5)
  --seed=<number>      the same faults in the same order (default: a new one, which is printed)
  --port-offset=<n>    added to every port (default 3000)
  --keep               leave the folder with the logs; a run that fails always does`;

function wanted() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
      'port-offset': { type: 'string', default: '3000' },
      keep: { type: 'boolean', default: false },
    },
  });
  const [minutes, seed, portOffset] = [positionals[0] ?? '5', values.seed, values['port-offset']].map(Number);
  const isWhole = (value: number | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  if (!(minutes !== undefined && minutes > 0 && isWhole(seed) && isWhole(portOffset)) || positionals.length > 1)
    throw new TypeError(usage);
  return { minutes, seed, portOffset, keep: values.keep };
}

const startedAt = Date.now();
const say = (line: string): void => {
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
};

async function play(pairs: Pairs, { minutes, seed }: { minutes: number; seed: number }): Promise<Verdict[]> {
  const vaults = await until('the vaults', () => publicVaults(pairs), 300_000);
  const named = (name: string) => {
    const found = vaults.find((vault) => vault.name === name);
    if (!found) throw new Error(`${name} is not in the public list`);
    return found;
  };
  const core = named('USDC Core');
  const growth = named('WETH Growth');
  const reserve = named('WBTC Reserve');
  const answers = new Answers();
  const stop = new AbortController();
  const head = Number(await chain().getBlockNumber());
  const webhooks = new Webhooks(pairs.webhookOrigin, refOf(growth));
  const keeperWork = new KeeperWork(reserve);
  await Promise.all([webhooks.start(), keeperWork.start()]);
  const streams = [listen(refOf(growth), stop.signal), listen(refOf(growth), stop.signal)] as const;
  const sender = new Sender(refOf(growth));
  const strangers = new Strangers(refOf(core));
  const chats = new Chats(refOf(core));
  const working = Promise.all([
    ask({ vault: refOf(core), answers, head: () => head, seed }, stop.signal),
    ...[sender, strangers, chats, keeperWork].map((work) => work.run(stop.signal)),
    ...streams.map(({ ended }) => ended),
  ]);
  const isAnswered = async () => answers.services.length === questionCount;
  await Promise.race([until('every service has answered', isAnswered, 300_000), working]);
  answers.refusals.clear();
  const killer = new Killer(pairs, seededRandom(seed), say);
  say(`faults for ${minutes} minutes, seed ${seed}`);
  const killing = killer.run();
  // biome-ignore lint/plugin: faults are played for this long
  await Promise.race([sleep(minutes * 60_000), killing, working]);
  killer.stop();
  await killing;
  stop.abort();
  await working;
  report(answers, outages(answers, killer.played), say);
  const verdicts = [
    strangers.verdict(),
    chats.verdict(),
    streamsAgree(...streams),
    await webhooks.verdict(),
    await sender.verdict(),
    await keeperWork.verdict(),
    await auditVerifies(vaults),
    await logEqualsChain(vaults),
    await analyticsEqualRebuild(vaults),
  ];
  await webhooks.stop();
  return verdicts;
}

const refOf = ({ chain_id, vault_address }: PublicVault): Vault => ({ chain_id, vault_address });
const publicVaults = ({ origin }: Pairs) =>
  createClient({ baseUrl: origin })
    .publicVaults({})
    .catch(() => undefined);

/** @returns whether every statement holds. */
async function soak({ keep, ...options }: ReturnType<typeof wanted>): Promise<boolean> {
  const pairs = new Pairs(options.portOffset, say);
  process.env.E2E_BASE_URL = pairs.origin;
  process.env.E2E_RPC_URL = pairs.rpcUrl;
  process.env.E2E_STATE_DIR = pairs.stateDir;
  let isGood = false;
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)));
  });
  try {
    await Promise.race([pairs.start(), interrupted]);
    const verdicts = await Promise.race([play(pairs, options), interrupted]);
    for (const { what, found, faults } of verdicts) {
      say(`${faults.length === 0 ? 'ok    ' : 'BROKEN'} ${what}: ${found}`);
      for (const fault of faults.slice(0, 20)) say(`         ${fault}`);
    }
    isGood = verdicts.every(({ faults }) => faults.length === 0);
  } finally {
    await pairs.stop();
    if (isGood && !keep) pairs.forget();
    else say(`logs: ${pairs.stateDir}/logs`);
  }
  return isGood;
}

process.umask(0o077);
try {
  process.exitCode = (await soak(wanted())) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof TypeError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 2;
}
