import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { encodeFunctionData, parseAbi } from 'viem';
import { account, baseUrl, chain, sendRaw, stateDir, until, untilRead } from '../../system/actors.ts';
import { canonical, chainKeys, joinBus, logAfter, logKeys } from '../../system/chain-log.ts';
import { scenarioMs } from '../../system/patience.ts';
import { reorganise } from '../../system/reorg.ts';
import { pidsOf } from '../../system/running-system.ts';

/** Each part of the system is killed while deposits flow; afterwards the log must equal the chain's, entry by entry. */

const vaultAbi = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function mint(address to, uint256 value)',
]);
const depositAbi = parseAbi([
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
]);
const depositor = 52;
let vaults: PublicVault[];
let core: PublicVault;
let bus: ServiceBroker;

async function expectLogEqualsChain(): Promise<void> {
  const head = await chain().getBlockNumber();
  await until(
    `block ${head} indexed`,
    async () => {
      const answer = await createClient({ baseUrl: baseUrl() })
        .chains({})
        .catch(() => undefined);
      return (answer?.chains[0]?.indexed_block ?? -1) >= Number(head);
    },
    60_000,
  );
  const indexed = logKeys(await logAfter(bus, 0), vaults, head);
  expect(new Set(indexed).size).toBe(indexed.length);
  expect(indexed).toEqual(await chainKeys(vaults, head));
}

/** Analytics count every deposit of the chain, each once. */
async function expectAnalyticsEqualsChain(): Promise<void> {
  // Up to one block: deposits go on meanwhile.
  const toBlock = await chain().getBlockNumber();
  const made = await chain().getContractEvents({
    address: core.vault_address as `0x${string}`,
    abi: depositAbi,
    eventName: 'Deposit',
    fromBlock: 0n,
    toBlock,
  });
  const path = `/api/v1/vaults/${core.chain_id}/${core.vault_address}/analytics/operations/transactions`;
  const counted = async () => {
    const answer = await fetch(`${baseUrl()}${path}?type=deposit&limit=1&period=all&block=${toBlock}`).catch(
      () => undefined,
    );
    return answer?.ok ? ((await answer.json()) as { total: number }).total : undefined;
  };
  await untilRead(
    `analytics to count the ${made.length} deposits up to block ${toBlock}`,
    counted,
    (total) => total === made.length,
    90_000,
  );
}

const encode = (functionName: 'deposit' | 'approve' | 'mint', args: readonly unknown[]) => {
  return encodeFunctionData({ abi: vaultAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
};

const deposit = () =>
  sendRaw(
    depositor,
    { to: core.vault_address, data: encode('deposit', [1_000_000n, account(depositor).address]) },
    { gas: 600_000n },
  );

/** Two deposits a second until stopped. */
function flowOfDeposits() {
  let going = true;
  let made = 0;
  const flow = (async () => {
    while (going) {
      await deposit();
      made += 1;
      // biome-ignore lint/plugin: the pace of the flow
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  // A failure is reported where the flow is awaited.
  flow.catch(() => undefined);
  return {
    /** Resolves after this many more deposits. */
    more: (count: number) => {
      const enough = made + count;
      return Promise.race([
        flow,
        untilRead(
          `${count} more deposits`,
          async () => made,
          (now) => now >= enough,
          60_000,
        ),
      ]);
    },
    stop: async () => {
      going = false;
      await flow;
    },
  };
}

beforeAll(async () => {
  vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const found = vaults.find(({ name }) => name === 'USDC Core');
  if (!found) throw new Error('USDC Core is not in the public list');
  core = found;
  const me = account(depositor).address;
  await sendRaw(depositor, { to: core.underlying_asset_address, data: encode('mint', [me, 10n ** 12n]) });
  const approved = await sendRaw(depositor, {
    to: core.underlying_asset_address,
    data: encode('approve', [core.vault_address, 10n ** 12n]),
  });
  await chain().waitForTransactionReceipt({ hash: approved });
  bus = await joinBus();
}, scenarioMs);

afterAll(async () => {
  await bus?.stop();
});

describe('kill -9 during a flow of deposits', () => {
  test.each(['vaults', 'analytics', 'users', 'auth', 'gateway', 'nats', 'store', 'validator-0'])(
    'behavior: %s comes back and nothing is lost or counted twice',
    async (name) => {
      const flow = flowOfDeposits();
      try {
        await flow.more(2);
        const pid = pidsOf(stateDir())[name];
        if (pid === undefined) throw new Error(`${name} does not run`);
        process.kill(pid, 'SIGKILL');
        await until(`${name} started again`, async () => (pidsOf(stateDir())[name] ?? pid) !== pid);
        await flow.more(2);
      } finally {
        await flow.stop();
      }
      await untilRead(
        'the public list',
        () =>
          createClient({ baseUrl: baseUrl() })
            .publicVaults({})
            .then(
              (list) => list.length,
              (error: Error) => error.message,
            ),
        (answer) => answer === 3,
        60_000,
      );
      await bus.waitForServices([{ name: 'vaults', version: 1 }]);
      await expectLogEqualsChain();
      await expectAnalyticsEqualsChain();
    },
    scenarioMs,
  );
});

test(
  'behavior: a reorg of 10 blocks leaves the log equal to the chain',
  async () => {
    const rpc = chain();
    const ask = (method: string, params: unknown[]) => rpc.request({ method, params } as never);
    // Within the blocks that go away, and indexed before they do: after a kill, indexing waits for a lease while blocks go on.
    let made: bigint;
    do {
      for (let block = 0; block < 3; block += 1) {
        await deposit();
        await ask('anvil_mine', ['0x1']);
      }
      made = await rpc.getBlockNumber();
      await expectLogEqualsChain();
    } while ((await rpc.getBlockNumber()) - made > 4n);
    const before = await logAfter(bus, 0);
    await reorganise(10);
    const news = await untilRead(
      'the log has the rollback',
      () => logAfter(bus, before.length),
      (entries) => entries.some(({ kind }) => kind === 'rollback'),
      60_000,
    );
    const from = news.find(({ kind }) => kind === 'rollback')?.block_number ?? 0;
    const lost = canonical(before).filter(({ block_number, name }) => block_number >= from && name === 'Deposit');
    expect(lost.length).toBeGreaterThan(0);
    await expectLogEqualsChain();
    await expectAnalyticsEqualsChain();
  },
  scenarioMs,
);
