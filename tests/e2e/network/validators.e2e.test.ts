import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { parseAbi } from 'viem';
import { baseUrl, chain, passTime, stateDir, until, untilRead } from '../../system/actors.ts';
import { scenarioMs } from '../../system/patience.ts';
import { pidsOf } from '../../system/running-system.ts';

/** The oracle network as an operator sees it: four processes, three must agree, and the API says why when they do not. */

const priceAbi = parseAbi(['event PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)']);
const all = [0, 1, 2, 3];
/** The clock is moved to the next price; a busy machine still needs rounds, and a stage that waits for a missing node. */
const nextPriceMs = 110_000;
let core: PublicVault;
let priceIntervalSeconds: number;

const client = () => createClient({ baseUrl: baseUrl() });
const portShift = () => Number(new URL(process.env.E2E_RPC_URL ?? '').port) - 8545;
const pidOf = (index: number): number => {
  const pid = pidsOf(stateDir())[`validator-${index}`];
  if (pid === undefined) throw new Error(`validator-${index} does not run`);
  return pid;
};

/** Prices that the chain stored for the vault in the blocks after `block`. */
const pricesAfter = async (block: bigint) => {
  const [event] = priceAbi;
  const args = { strategy: core.strategy_address as `0x${string}` };
  // From a block that is there: anvil refuses a range that begins after the head.
  const logs = await chain().getLogs({ event, args, fromBlock: block });
  return logs.filter(({ blockNumber }) => blockNumber > block);
};
const aPriceAfter = async (block: bigint) => {
  await passTime(priceIntervalSeconds);
  await until(`a price after block ${block}`, async () => (await pricesAfter(block)).length > 0, nextPriceMs);
};

const transmissions = () =>
  client().transmissions({ params: { chain_id: String(core.chain_id), vault_address: core.vault_address } });
const statuses = async () => (await client().validators({})).nodes.map(({ status }) => status);

/** One sample of the vault's strategy, from the scrape of a node. */
async function gauge(index: number, name: string): Promise<number | undefined> {
  const scrape = await fetch(`http://127.0.0.1:${9190 + index + portShift()}/metrics`).then((r) => r.text());
  const line = scrape
    .split('\n')
    .find((each) => each.startsWith(`${name}{`) && each.includes(`strategy="${core.strategy_address}"`));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

const frozen = new Map<number, number>();
const freeze = (index: number) => {
  const pid = pidOf(index);
  process.kill(pid, 'SIGSTOP');
  frozen.set(index, pid);
};
const resume = (index: number) => {
  const pid = frozen.get(index);
  if (pid !== undefined) process.kill(pid, 'SIGCONT');
  frozen.delete(index);
};
const resumeAll = () => {
  for (const index of [...frozen.keys()]) resume(index);
};
const allWell = () =>
  untilRead(
    'all nodes are well and there is no incident',
    async () => {
      const { nodes, incidents } = await client().validators({});
      return { statuses: nodes.map(({ status }) => status), incidents };
    },
    ({ statuses, incidents }) => JSON.stringify(statuses) === JSON.stringify(asWhen([])) && incidents.length === 0,
    nextPriceMs,
  );

/** The statuses of the nodes while these are silent. */
const asWhen = (silent: readonly number[]) => all.map((index) => (silent.includes(index) ? 'silent' : 'ok'));

beforeAll(async () => {
  const found = (await client().publicVaults({})).find(({ name }) => name === 'USDC Core');
  if (!found) throw new Error('USDC Core is not in the public list');
  core = found;
  await allWell();
  priceIntervalSeconds = (await client().validators({})).config?.heartbeat_seconds ?? 0;
}, scenarioMs);
afterEach(resumeAll);

test(
  'default: four processes, three of them under each price',
  async () => {
    expect(new Set(all.map(pidOf)).size).toBe(4);
    const readiness = (index: number) =>
      fetch(`http://127.0.0.1:${9290 + index + portShift()}/readyz`).then(
        ({ status }) => status,
        () => 'away',
      );
    await untilRead(
      'each node says that it is ready',
      () => Promise.all(all.map(readiness)),
      (read) => read.every((status) => status === 200),
      60_000,
    );
    const { config, nodes } = await client().validators({});
    expect([config?.quorum, config?.f, nodes.length]).toEqual([3, 1, 4]);
    await aPriceAfter(await chain().getBlockNumber());
    const latest = await until('a transmission', async () =>
      (await transmissions()).transmissions.find(({ status }) => status === 'success'),
    );
    expect(new Set(latest.signers).size).toBe(3);
    const signers = new Set(nodes.map(({ signer_address }) => signer_address));
    expect(latest.signers.every((signer) => signers.has(signer))).toBe(true);
  },
  scenarioMs,
);

/** Prices go on without this node alone, and the API names it. The node before it may still be on its way back. */
async function oneIsDown(index: number): Promise<void> {
  await aPriceAfter(await chain().getBlockNumber());
  await untilRead(
    `node ${index} alone is called silent`,
    statuses,
    (read) => JSON.stringify(read) === JSON.stringify(asWhen([index])),
    90_000,
  );
  await untilRead(
    'the API says whom the next price lacks, and whom the last round lacked',
    async () => {
      const { next, rounds } = await transmissions();
      return [next.silent_nodes, rounds[0]?.missing];
    },
    (read) => JSON.stringify(read) === JSON.stringify([[index], [index]]),
    60_000,
  );
  // One round more than usual makes a price late as well, which is an incident, too.
  await untilRead(
    'the silence is an incident',
    async () => (await client().validators({})).incidents,
    (incidents) => {
      const silent = incidents.filter(({ kind }) => kind === 'node_silent').map(({ node_index }) => node_index);
      return JSON.stringify(silent) === JSON.stringify([index]);
    },
    60_000,
  );
}

/** Without these two nothing is sent, the others say that the strategy is stale, and the API says why. */
async function twoAreDown(down: readonly [number, number], frozenAt: { number: bigint; timestamp: bigint }) {
  for (const index of all.filter((each) => !down.includes(each)))
    await untilRead(
      `node ${index} says stale`,
      () => gauge(index, 'ocr2_strategy_update_stale'),
      (value) => value === 1,
      150_000,
    );
  // Of two that fall silent together the API first knows of one.
  const { next } = await untilRead(
    'the API says that two are missing',
    transmissions,
    (read) =>
      JSON.stringify([read.next.reason, read.next.silent_nodes]) === JSON.stringify(['too_few_observers', down]),
    60_000,
  );
  expect(next.detail).toContain(down.map((index) => `oracle-${index}`).join(', '));
  expect(Number(next.value_at_risk_usd)).toBeGreaterThan(0);
  await untilRead(
    'all three incidents are reported',
    async () => (await client().validators({})).incidents.map(({ kind }) => kind),
    (kinds) => (['no_rounds', 'strategy_stale', 'node_silent'] as const).every((kind) => kinds.includes(kind)),
    60_000,
  );
  // What was signed before may have been stored since; what was observed since must not.
  const since = (await pricesAfter(frozenAt.number)).filter(({ args }) => (args.timestamp ?? 0n) > frozenAt.timestamp);
  expect(since).toEqual([]);
}

const freshAgain = (index: number) =>
  untilRead(
    `node ${index} says fresh`,
    () => gauge(index, 'ocr2_strategy_update_stale').catch(() => undefined),
    (value) => value === 0,
    nextPriceMs,
  );

test(
  'behavior: without any one of four prices go on; with two of four down nothing is sent, the strategy goes stale, and all recovers by itself',
  async () => {
    freeze(0);
    await oneIsDown(0);
    resume(0);
    freeze(1);
    await oneIsDown(1);
    freeze(2);
    const frozenAt = await chain().getBlock();
    await twoAreDown([1, 2], frozenAt);
    resume(1);
    await oneIsDown(2);
    for (const index of [0, 1, 3]) await freshAgain(index);
    resume(2);
    freeze(3);
    await oneIsDown(3);
    resume(3);
    for (const index of all) await freshAgain(index);
    await allWell();
    await untilRead(
      'the API says that nothing is missing',
      async () => (await transmissions()).next,
      ({ reason, silent_nodes }) => reason === null && silent_nodes.length === 0,
      60_000,
    );
  },
  scenarioMs,
);

test(
  'behavior: all four killed at once come back, and no nonce is used twice',
  async () => {
    await allWell();
    const block = await chain().getBlockNumber();
    for (const index of all) process.kill(pidOf(index), 'SIGKILL');
    await aPriceAfter(block);
    await allWell();
    const stamps = (await pricesAfter(block)).map(({ args }) => args.timestamp);
    expect(new Set(stamps).size).toBe(stamps.length);
  },
  scenarioMs,
);
