import { LeaseLost } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import type { RunDocument } from '../../strategies/adapters/runs.mongo.ts';
import type { Turn } from '../domain/pace.ts';
import type { KeeperPorts, Target } from '../ports.ts';
import { keeperPass } from './pass.ts';

/** A keeper of three vaults, of which the first cannot be kept. */
function keeping(fault?: Error, vaults: string[] = []) {
  const looked: string[] = [];
  const blocked: unknown[] = [];
  const gauge = { set: () => undefined };
  const ports = {
    chain: { chainId: 1, head: async () => ({ number: 1, time: 1 }), balance: async () => 1n },
    signer: { address: '0x' },
    settings: { fulfilsRedemptions: false, vaults: new Set(vaults) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { all: async () => ['a', 'b', 'c'].map((vault) => ({ chain_id: 1, vault })) },
    queuePlaces: new Map(),
    journal: {
      open: async () => [],
      failing: async () => [],
      vault: async ({ vault }: { vault: string }) => {
        looked.push(vault);
        if (vault === 'a' && fault) throw fault;
        return { open: null, failing: [] };
      },
    },
    heartbeats: { beat: async () => undefined },
    refusals: { note: async () => undefined },
    isReleased: async () => true,
    strategies: {
      running: async (key?: { vault: string }) =>
        (key ? [key.vault] : ['a', 'b', 'c']).map((vault) => ({ _id: vault, chain_id: 1, vault })),
      engine: async () => ({ kill_switch: true }),
    },
    runs: { get: async () => null, save: async ({ _id, code }: RunDocument) => blocked.push([_id, code]) },
    intents: { active: async () => [] },
    metrics: { balance: gauge, open: gauge, lastPass: gauge, lag: gauge, ticks: { inc: () => undefined } },
    logger: { warn: () => undefined, error: () => undefined },
    now: () => 0,
  } as unknown as KeeperPorts;
  return { ports, looked, blocked, pass: () => keeperPass(ports, 1) };
}

/** A vault without a strategy, whose engine may run. */
const noStrategies = {
  engine: async () => ({ kill_switch: false }),
  ofVault: async () => [],
  orders: async () => ({ WITHDRAWAL: [] }),
};

test('behavior: a vault that fails, whatever the reason, does not hold up those behind it', async () => {
  const { looked, pass } = keeping(new Error('The token reverts when it is asked for a balance.'));
  await pass();
  expect(looked).toEqual(['a', 'b', 'c']);
});

test('error: a lease that is lost ends the pass', async () => {
  const { looked, pass } = keeping(new LeaseLost('keeper:1', 'Another keeper works.'));
  await expect(pass()).rejects.toBeInstanceOf(LeaseLost);
  expect(looked).toEqual(['a']);
});

test('behavior: of many vaults only those it is set up for are served', async () => {
  const { blocked, pass } = keeping(undefined, ['1:b']);
  await pass();
  const served = ['b', 'KILL_SWITCH'];
  expect(blocked).toEqual([['a', 'NOT_SERVED'], served, ['c', 'NOT_SERVED']]);
});

test('behavior: of vaults without strategies, intents, failures and requests nothing is read', async () => {
  const { ports, looked } = keeping();
  const asked: string[] = [];
  const at = (vault: string, chain_id = 1) => ({ _id: vault, chain_id, vault });
  const quiet = ['a', 'b', 'c', 'd', 'e'].map((vault) => ({ ...at(vault), detail: {} }));
  await keeperPass(
    {
      ...ports,
      settings: { ...ports.settings, fulfilsRedemptions: true },
      snapshots: { all: async () => quiet },
      strategies: {
        ...ports.strategies,
        running: async (key?: { vault: string }) => {
          asked.push(`running ${key?.vault ?? 'of all'}`);
          return key ? [] : [at('a'), at('e', 2)];
        },
        ofVault: async () => [],
      },
      intents: { active: async (_chain: number, vault?: string) => (vault === undefined ? [at('b')] : []) },
      journal: { ...ports.journal, failing: async () => [at('c')] },
      log: {
        livingOfVault: async (_chain: number, vault: string) =>
          vault === 'd'
            ? [{ name: 'RedeemRequest', contract: 'vault', args: { controller: `0x${'11'.repeat(20)}` } }]
            : [],
      },
    } as unknown as KeeperPorts,
    1,
  );
  expect(looked).toEqual(['a', 'b', 'c', 'd']);
  expect(asked).toEqual(['running of all', 'running a', 'running b', 'running c', 'running d']);
});

test('security: after a restore nothing is followed, sent or decided until a person has released the keeper', async () => {
  const { ports, looked, blocked } = keeping();
  const journal = { ...ports.journal, open: () => Promise.reject(new Error('What is on its way was looked at.')) };
  await keeperPass({ ...ports, journal, isReleased: async () => false }, 1);
  expect(looked).toEqual([]);
  expect(blocked).toEqual(['a', 'b', 'c'].map((vault) => [vault, 'RESTORED']));
});

const facts = {
  ...{ block_number: 1, block_time: 1, pps: '1', pps_precision: '1', queue_count: 0, queue_shares: '0' },
  ...{ free: '0', tvl: '0', supply: '0', price: null, sources: [] },
};

/** Which of them is looked at first, by what the last transaction was for. */
async function firstAfter(last_turn: Turn | null): Promise<string | undefined> {
  const { ports } = keeping();
  const looked: string[] = [];
  await keeperPass(
    {
      ...ports,
      settings: { ...ports.settings, fulfilsRedemptions: true, redemptionsAtOnce: 20 },
      snapshots: { all: async () => [{ chain_id: 1, vault: 'a', detail: { asset: {} } }] },
      journal: { ...ports.journal, vault: async () => ({ open: null, failing: [], paying: {}, last_turn }) },
      chain: {
        ...ports.chain,
        standing: async () => ({ isManager: true, isPaused: true }),
        redemptions: async () => [],
      },
      facts: { live: async () => facts },
      strategies: { ...ports.strategies, ...noStrategies },
      runs: { get: async () => null, save: async () => looked.push('strategies') },
      log: {
        livingOfVault: async () => {
          looked.push('requests');
          return [];
        },
      },
    } as unknown as KeeperPorts,
    1,
  );
  expect(looked.toSorted()).toEqual(['requests', 'strategies']);
  return looked[0];
}

test('behavior: after a payment the strategies have their turn before the next', async () => {
  expect(await firstAfter(null)).toBe('requests');
  expect(await firstAfter('fulfil')).toBe('strategies');
  expect(await firstAfter('intent')).toBe('requests');
});

test.each([
  ['not read', [], []],
  [
    'read for one that waits',
    [{ name: 'RedeemRequest', contract: 'vault', args: { controller: `0x${'a'.repeat(40)}` } }],
    ['a'],
  ],
])('behavior: a vault without a running strategy is %s', async (_, entries, read) => {
  const { ports } = keeping();
  const standings: string[] = [];
  await keeperPass(
    {
      ...ports,
      settings: { ...ports.settings, fulfilsRedemptions: true },
      snapshots: { all: async () => [{ chain_id: 1, vault: 'a', detail: { asset: {} } }] },
      strategies: { running: async () => [], engine: async () => ({ kill_switch: false }) },
      log: { livingOfVault: async () => entries },
      chain: {
        ...ports.chain,
        standing: async () => {
          standings.push('a');
          return { isManager: false };
        },
      },
    } as unknown as KeeperPorts,
    1,
  );
  expect(standings).toEqual(read);
});

/** Three vaults whose strategies hold still, and how they are read; `tookMs` is how long the turn of one takes. */
function reading(tookMs: number) {
  const { ports } = keeping();
  const read: Target[] = [];
  let [now, atOnce, most] = [0, 0, 0];
  const standing = async (target: Target) => {
    read.push(target);
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    return { isManager: true, isPaused: true };
  };
  const pass = () =>
    keeperPass(
      {
        ...ports,
        now: () => now,
        snapshots: { all: async () => ['a', 'b', 'c'].map((vault) => ({ chain_id: 1, vault, detail: { asset: {} } })) },
        chain: { ...ports.chain, standing },
        facts: { live: async () => facts },
        strategies: {
          ...ports.strategies,
          engine: async () => ({ kill_switch: false }),
          ofVault: async () => [],
          orders: async () => ({ WITHDRAWAL: [] }),
        },
        journal: { ...ports.journal, vault: async () => ({ open: null, failing: [], paying: {}, last_turn: null }) },
        runs: {
          get: async () => null,
          save: async () => {
            now += tookMs;
          },
        },
      } as unknown as KeeperPorts,
      1,
    );
  return { pass, read, most: () => most };
}

test('behavior: all vaults are read at once, and each once', async () => {
  const { pass, read, most } = reading(0);
  await pass();
  expect(read).toHaveLength(3);
  expect(most()).toBe(3);
});

test('behavior: a vault whose turn comes late is read again before anything is decided', async () => {
  const { pass, read } = reading(1_000);
  await pass();
  expect(read).toHaveLength(5);
});

/** The vaults that have their turn when the first leaves a transaction of this account, signed and not sent. */
async function turnsBehindUnsent(account: string): Promise<string[]> {
  const { ports } = keeping();
  const turns: string[] = [];
  await keeperPass(
    {
      ...ports,
      snapshots: { all: async () => ['a', 'b'].map((vault) => ({ chain_id: 1, vault, detail: { asset: {} } })) },
      chain: { ...ports.chain, standing: async () => ({ isManager: true, isPaused: true }) },
      facts: { live: async () => facts },
      strategies: { ...ports.strategies, ...noStrategies },
      journal: {
        ...ports.journal,
        open: async () => turns.map(() => ({ open: { account, nonce: 5, offered: false } })),
        vault: async () => ({ open: null, failing: [], paying: {}, last_turn: null }),
      },
      runs: { get: async () => null, save: async ({ vault }: RunDocument) => turns.push(vault) },
    } as unknown as KeeperPorts,
    1,
  );
  return turns;
}

test('behavior: behind a transaction that was signed and not sent the other vaults wait for the next pass', async () => {
  expect(await turnsBehindUnsent('0x')).toEqual(['a']);
  expect(await turnsBehindUnsent('0xformer')).toEqual(['a', 'b']);
});

const needing = (source: string) => ({
  ...{ name: 'n', indicators: [], rules: { type: 'EXPR', expr: `ys_${source}_drawdown > 0.5` } },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: { action: 'DEPOSIT', size_expr: '900', target_address: source, from_address: null },
  ...{ risk_params: { max_amount: null, min_free_assets: null }, max_concurrent: 1, cooldown_ms: 0 },
});

/** A strategy that needs a source, looked at at these blocks while the vault has it or not; what is noted each time. */
async function lacking(looks: [block: number, has: boolean | 'no price'][]): Promise<string[]> {
  const { ports } = keeping();
  const source = `0x${'ab'.repeat(20)}`;
  const strategy = {
    ...{ _id: 's', chain_id: 1, vault: 'a', vault_address: source, version: 1, kind: 'USER_DEFINED' },
    definition: needing(source),
  };
  const noted: string[] = [];
  let kept: RunDocument | null = null;
  for (const [block_number, has] of looks) {
    let state = 'RUNNING';
    const detail = { asset: {}, allocation: has === true ? [{ kind: 'source', source_address: source }] : [] };
    await keeperPass(
      {
        ...ports,
        signer: { address: `0x${'9'.repeat(40)}` },
        snapshots: { all: async () => [{ chain_id: 1, vault: 'a', detail }] },
        chain: {
          ...ports.chain,
          confirmations: 3,
          head: async () => ({ number: block_number, time: 1 }),
          standing: async () => ({
            ...{ isManager: true, priceTime: 1, expirationSeconds: 100 },
            headTime: has === 'no price' ? 1_000 : 1,
          }),
        },
        facts: { live: async () => ({ ...facts, block_number, block_hash: `0x${noted.length}` }) },
        strategies: {
          ...ports.strategies,
          ...noStrategies,
          running: async () => [strategy],
          change: async (_before: unknown, after: { state: string }) => {
            state = after.state;
            return strategy;
          },
        },
        journal: { ...ports.journal, vault: async () => ({ open: null, failing: [], paying: {}, last_turn: null }) },
        runs: {
          get: async () => kept,
          save: async (run: RunDocument) => {
            kept = run;
          },
        },
      } as unknown as KeeperPorts,
      1,
    );
    noted.push(`${state} ${(kept as RunDocument | null)?.code ?? 'asked'}`);
  }
  return noted;
}

test('behavior: a strategy that lacks its source is in ERROR once no reorg can bring that back', async () => {
  const [blocked, ended] = ['RUNNING STRATEGY_INVALID', 'ERROR STRATEGY_INVALID'];
  const first = [5, false] as [number, boolean];
  expect(await lacking([first, [7, false], [8, false]])).toEqual([blocked, blocked, ended]);
  expect(await lacking([first, [6, true], [8, false]])).toEqual([blocked, 'RUNNING asked', blocked]);
  expect(await lacking([first, [4, false], [6, false], [7, false]])).toEqual([blocked, blocked, blocked, ended]);
  const [, between, then] = await lacking([first, [6, 'no price'], [8, false]]);
  expect([between, then]).toEqual(['RUNNING PPS_EXPIRED', ended]);
});
