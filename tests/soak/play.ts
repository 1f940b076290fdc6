import type { PublicVault } from '@castellan/contracts';
import { seededRandom } from '@castellan/devnet';
import { createClient } from '@castellan/sdk';
import { chain, until } from '../system/actors.ts';
import { Answers, outages } from './answers.ts';
import { Chats } from './chats.ts';
import { analyticsEqualRebuild, auditVerifies, logEqualsChain, type Verdict } from './checks.ts';
import { KeeperWork } from './keeper-work.ts';
import { Killer } from './killer.ts';
import { Pairs } from './pairs.ts';
import { passTime } from './pass-time.ts';
import { ask, type Vault } from './readers.ts';
import { report } from './report.ts';
import { noneLost, RollingUpdate } from './rolling-update.ts';
import { Sender } from './sender.ts';
import { Strangers } from './strangers.ts';
import { Listeners } from './stream.ts';
import { Webhooks } from './webhooks.ts';

export type SoakOptions = {
  /** How long faults are played. */
  seconds: number;
  seed: number;
  portOffset: number;
  /** Leave the folder with the logs; a run that fails always does. */
  keep: boolean;
  /** All services, three servers of the bus and the validators; else as few as are worth killing. */
  isWhole: boolean;
  /** Instances are stopped in order, one after the other, instead of killed. */
  isRolling: boolean;
  /** A checkout of another version with its dependencies: a rolling update begins with it and ends with this version. */
  from?: string | undefined;
  say: (line: string) => void;
};

type Work = { run(stop: AbortSignal): Promise<unknown>; verdict(): Verdict | Promise<Verdict> };

const readyMs = 300_000;
/** How fast each service is asked: a rolling update is played under load. */
const quickMs = 150;
const quickAnswers = 10;
const calmMs = 180_000;
/** For what was begun before the end: a call that is followed for five minutes, and what waits behind it. */
const lastWordMs = 900_000;
const paceMs = { faults: 250, rolling: 25 };
const refOf = ({ chain_id, vault_address }: PublicVault): Vault => ({ chain_id, vault_address });
const publicVaults = ({ origin }: Pairs) =>
  createClient({ baseUrl: origin })
    .publicVaults({})
    .catch(() => undefined);

/** What all start at once keeps the machine busy: the work begins when a few answers in a row came quickly, or after a while. */
async function calm(pairs: Pairs): Promise<void> {
  let quick = 0;
  const inARow = async () => {
    const from = performance.now();
    quick = (await publicVaults(pairs)) && performance.now() - from < quickMs ? quick + 1 : 0;
    await passTime(1_000);
    return quick >= quickAnswers;
  };
  await until('quick answers', inARow, calmMs).catch(() => undefined);
}

/** What everybody who uses the system does meanwhile, each with what must hold of it. */
async function workOn(pairs: Pairs, vaults: readonly PublicVault[], isWhole: boolean): Promise<Work[]> {
  const named = (name: string) => {
    const found = vaults.find((vault) => vault.name === name);
    if (!found) throw new Error(`${name} is not in the public list`);
    return found;
  };
  const core = refOf(named('USDC Core'));
  const growth = refOf(named('WETH Growth'));
  const webhooks = new Webhooks(pairs.webhookOrigin, growth);
  const keeperWork = isWhole ? [new KeeperWork(named('WBTC Reserve'))] : [];
  await Promise.all([webhooks.start(), ...keeperWork.map((work) => work.start())]);
  return [
    new Listeners(growth),
    new Strangers(core),
    new Sender(growth),
    webhooks,
    ...keeperWork,
    ...(isWhole ? [new Chats(core)] : []),
  ];
}

/** One who waits for what never comes would otherwise keep the whole run waiting. */
async function notEnding(): Promise<never> {
  await passTime(lastWordMs);
  throw new Error(`Somebody at work has not come to an end ${lastWordMs / 60_000} minutes after the last fault.`);
}

/** Plays faults while the work goes on, until the time is over and the last fault with it. */
async function playFaults(pairs: Pairs, works: readonly Work[], core: Vault, options: SoakOptions): Promise<Answers> {
  const { seconds, seed, say, isRolling } = options;
  const answers = new Answers();
  const stop = new AbortController();
  const head = Number(await chain().getBlockNumber());
  const asked = pairs.services.filter((service) => service !== 'keeper');
  const working = Promise.all([
    ask({ vault: core, answers, head, seed, asked, paceMs: paceMs[isRolling ? 'rolling' : 'faults'] }, stop.signal),
    ...works.map((work) => work.run(stop.signal)),
  ]);
  const isAnswered = async () => answers.services.length === asked.length;
  await Promise.race([until('every service has answered', isAnswered, readyMs), working]);
  answers.refusals.clear();
  const killer = isRolling ? new RollingUpdate(pairs, say) : new Killer(pairs, seededRandom(seed), say);
  say(isRolling ? `rolling updates for ${seconds} s` : `faults for ${seconds} s, seed ${seed}`);
  const killing = killer.run();
  await Promise.race([passTime(seconds * 1000), killing, working]);
  killer.stop();
  await killing;
  stop.abort();
  await Promise.race([working, notEnding()]);
  report(answers, outages(answers, killer.played), say);
  return answers;
}

/** What holds afterwards. One that could not be found out speaks against the system. */
async function judge(judged: readonly (() => Verdict | Promise<Verdict>)[], say: SoakOptions['say']): Promise<boolean> {
  let isGood = true;
  for (const verdict of judged) {
    const failed = (error: Error): Verdict => ({
      what: 'a statement',
      found: 'not known',
      faults: [String(error.stack)],
    });
    const { what, found, faults } = await Promise.resolve().then(verdict).catch(failed);
    say(`${faults.length === 0 ? 'ok    ' : 'BROKEN'} ${what}: ${found}`);
    for (const fault of faults.slice(0, 20)) say(`         ${fault}`);
    isGood &&= faults.length === 0;
  }
  return isGood;
}

/** Starts two of each service, plays faults, and says what held. @returns whether every statement holds. */
export async function soak(options: SoakOptions, interrupted: AbortSignal): Promise<boolean> {
  const { say, isWhole, keep } = options;
  const pairs = new Pairs(options);
  Object.assign(process.env, {
    E2E_BASE_URL: pairs.origin,
    E2E_RPC_URL: pairs.rpcUrl,
    E2E_STATE_DIR: pairs.stateDir,
  });
  let isGood = false;
  const run = async () => {
    await pairs.start();
    await calm(pairs);
    const vaults = await until('the vaults', () => publicVaults(pairs), readyMs);
    const works = await workOn(pairs, vaults, isWhole);
    const answers = await playFaults(pairs, works, refOf(vaults[0] as PublicVault), options);
    return judge(
      [
        ...(options.isRolling ? [() => noneLost(answers, pairs.askedTwice, works)] : []),
        ...works.map((work) => () => work.verdict()),
        () => auditVerifies(vaults),
        () => logEqualsChain(vaults),
        ...(isWhole ? [() => analyticsEqualRebuild(vaults)] : []),
      ],
      say,
    );
  };
  try {
    isGood = await Promise.race([
      run(),
      new Promise<never>((_, reject) => interrupted.addEventListener('abort', () => reject(new Error('interrupted')))),
    ]);
  } finally {
    await pairs.stop();
    if (isGood && !keep) pairs.forget();
    else say(`logs: ${pairs.stateDir}/logs`);
  }
  return isGood;
}
