import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAbi } from 'viem';
import { baseUrl, chain, passTime, stateDir, until } from '../../system/actors.ts';
import { pidsOf } from '../../system/running-system.ts';

/** The oracle network as an operator sees it: four processes, three must agree, and what stands still says why. */

const priceAbi = parseAbi(['event PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)']);
const all = [0, 1, 2, 3];
/** A price a minute, for which the clock is moved, and what a round and a stage that waits for a missing node take. */
const nextPriceMs = 110_000;
let core: PublicVault;

const client = () => createClient({ baseUrl: baseUrl() });
const portShift = () => Number(new URL(process.env.E2E_RPC_URL ?? '').port) - 8545;
const pidOf = (index: number): number => {
  const pid = pidsOf(stateDir())[`validator-${index}`];
  if (pid === undefined) throw new Error(`validator-${index} does not run`);
  return pid;
};

/** Prices that the chain stored for the vault in the blocks behind `block`. */
const pricesAfter = async (block: bigint) => {
  const [event] = priceAbi;
  const args = { strategy: core.strategy_address as `0x${string}` };
  // From a block that is there: anvil refuses a range that begins behind the head.
  const logs = await chain().getLogs({ event, args, fromBlock: block });
  return logs.filter(({ blockNumber }) => blockNumber > block);
};
const aPriceAfter = async (block: bigint) => {
  await passTime(60);
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
const resumeAll = () => {
  for (const pid of frozen.values()) process.kill(pid, 'SIGCONT');
  frozen.clear();
};
const allWell = () =>
  until(
    'all nodes well, no incident',
    async () => {
      const { nodes, incidents } = await client().validators({});
      return nodes.length === 4 && nodes.every(({ status }) => status === 'ok') && incidents.length === 0;
    },
    nextPriceMs,
  );

beforeAll(async () => {
  const found = (await client().publicVaults({})).find(({ name }) => name === 'USDC Core');
  if (!found) throw new Error('USDC Core is not in the public list');
  core = found;
  await allWell();
}, 150_000);
afterEach(resumeAll);

test('default: four processes, three of them under each price', async () => {
  expect(new Set(all.map(pidOf)).size).toBe(4);
  for (const index of all) {
    const ready = await fetch(`http://127.0.0.1:${9290 + index + portShift()}/readyz`);
    expect([index, ready.status]).toEqual([index, 200]);
  }
  const { config, nodes } = await client().validators({});
  expect([config?.quorum, config?.f, nodes.length]).toEqual([3, 1, 4]);
  await aPriceAfter(await chain().getBlockNumber());
  const latest = await until('a transmission', async () =>
    (await transmissions()).transmissions.find(({ status }) => status === 'success'),
  );
  expect(new Set(latest.signers).size).toBe(3);
  const signers = new Set(nodes.map(({ signer_address }) => signer_address));
  expect(latest.signers.every((signer) => signers.has(signer))).toBe(true);
}, 150_000);

describe('one of four is down', () => {
  test.each(all)(
    'behavior: without node %i prices go on, and the API names it',
    async (index) => {
      freeze(index);
      const block = await chain().getBlockNumber();
      await aPriceAfter(block);
      // The node of the test before may still be on its way back.
      const asFrozen = JSON.stringify(all.map((each) => (each === index ? 'silent' : 'ok')));
      await until(
        'this node alone is called silent',
        async () => JSON.stringify(await statuses()) === asFrozen,
        90_000,
      );
      await until('the API says whom the next price lacks, and whom the last round lacked', async () => {
        const { next, rounds } = await transmissions();
        return JSON.stringify([next.silent_nodes, rounds[0]?.missing]) === JSON.stringify([[index], [index]]);
      });
      // The interval of this test is so short that one round more than usual makes a price late as well, which is told too.
      const told = async () =>
        (await client().validators({})).incidents.flatMap(({ kind, node_index }) =>
          kind === 'node_silent' ? [node_index] : [],
        );
      await until('the silence is an incident', async () => JSON.stringify(await told()) === JSON.stringify([index]));
    },
    300_000,
  );
});

test('behavior: with two of four down nothing is sent, the strategy goes stale, and all recovers by itself', async () => {
  await allWell();
  freeze(1);
  freeze(2);
  // What was signed before may still land.
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const block = await chain().getBlockNumber();
  for (const index of [0, 3])
    await until(
      `node ${index} says stale`,
      async () => (await gauge(index, 'ocr2_strategy_update_stale')) === 1,
      150_000,
    );
  expect(await pricesAfter(block)).toEqual([]);
  const { next } = await until('the API says why', async () => {
    const read = await transmissions();
    return read.next.reason === null ? undefined : read;
  });
  expect(next).toMatchObject({ reason: 'too_few_observers', silent_nodes: [1, 2] });
  expect(next.detail).toContain('oracle-1, oracle-2');
  expect(Number(next.value_at_risk_usd)).toBeGreaterThan(0);
  await until('all three incidents are told', async () => {
    const kinds = (await client().validators({})).incidents.map(({ kind }) => kind);
    return (['no_rounds', 'strategy_stale', 'node_silent'] as const).every((kind) => kinds.includes(kind));
  });
  resumeAll();
  await aPriceAfter(block);
  for (const index of all)
    await until(
      `node ${index} says fresh`,
      async () => (await gauge(index, 'ocr2_strategy_update_stale').catch(() => 1)) === 0,
      30_000,
    );
  await allWell();
  expect((await transmissions()).next).toMatchObject({ reason: null, silent_nodes: [] });
}, 480_000);

test('behavior: all four killed at once come back, and no nonce is used twice', async () => {
  const block = await chain().getBlockNumber();
  for (const index of all) process.kill(pidOf(index), 'SIGKILL');
  await aPriceAfter(block);
  await allWell();
  const stamps = (await pricesAfter(block)).map(({ args }) => args.timestamp);
  expect(new Set(stamps).size).toBe(stamps.length);
}, 240_000);
