import { FeedItem } from '@castellan/contracts';
import { anAddress, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  addTo,
  deposit,
  type FeedScene,
  holder,
  openFeedScene,
  primary,
  redemption,
  report,
  secondary,
  stranger,
  strategy,
  timeOf,
} from './feed-scene.ts';
import { aVault, chainId, vaultAddress } from './fixtures.ts';

let store: TestStore;
let scene: FeedScene;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openFeedScene(store);
});
afterEach(() => scene.mongo.close());

const million = 1_000_000_000_000n;
const paused = { name: 'StrategyPaused', args: { strategy } };
const tx = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

describe('flows', () => {
  test('default: a deposit of the threshold becomes an item with its part of the total assets, one below it is not', async () => {
    addTo(scene.fake, 1, deposit(million));
    addTo(scene.fake, 100, deposit(million / 20n, million / 20n, anAddress(0xc2)));
    addTo(scene.fake, 200, deposit(million / 20n, million / 20n, anAddress(0xc3)));
    await scene.follow();
    const { items } = await scene.list();
    expect(items.map(({ id, title }) => [id, title])).toEqual([
      ['31337-5', '50,000.00 USDC was deposited'],
      ['31337-2', '1.00M USDC was deposited'],
    ]);
    expect(items[0]).toMatchObject({
      kind: 'large_deposit',
      severity: 'notice',
      author: null,
      t: timeOf(100),
      body: 'That is 5.00 % of the 1.00M USDC the vault held before.',
      metrics: { assets: '50000000000', share_bps: 500, total_assets_before: '1000000000000', count: 1 },
    });
    expect(items[1]?.body).toBe('The vault was empty before.');
    for (const item of items) expect(FeedItem.parse(item)).toEqual(item);
  });

  test('behavior: a withdrawal is measured by what there was before its transaction, at the price it was paid', async () => {
    addTo(scene.fake, 1, deposit(10n * million));
    addTo(scene.fake, 100, redemption(3n * million, 2n * million));
    await scene.follow();
    const [item] = (await scene.list({ kind: 'large_withdrawal' })).items;
    expect(item).toMatchObject({
      title: '3.00M USDC was withdrawn',
      severity: 'warning',
      tx_hash: tx(100_004),
      body: 'That is 20.00 % of the 15.00M USDC the vault held before.',
      metrics: { share_bps: 2000, actor: holder },
    });
    expect(item?.links).toEqual([
      { label: 'Transaction', url: `https://explorer.example/tx/${tx(100_004)}` },
      { label: 'Operations', url: `/managed-vaults/devnet/${vaultAddress}/operations` },
    ]);
  });

  test('behavior: without an explorer no link to a transaction is made up', async () => {
    scene.world.explorer = null;
    addTo(scene.fake, 1, deposit(million));
    await scene.follow();
    expect((await scene.list()).items[0]?.links).toHaveLength(1);
  });
});

describe('the price', () => {
  const reports = async (prices: number[]) => {
    for (const [index, pps] of prices.entries()) addTo(scene.fake, 100 * (index + 1), [report(pps)]);
    await scene.follow();
    return scene.list();
  };

  test('default: a jump beyond the threshold becomes an item, one of the threshold does not', async () => {
    const { items } = await reports([1_000_000, 1_010_000, 999_000]);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      kind: 'price_anomaly',
      severity: 'warning',
      title: 'The price per share fell by 1.09 % in one update',
      body: 'From 1.010000 to 0.999000.',
      metrics: { pps: '999000', pps_before: '1010000', move_bps: -108.91 },
    });
  });

  test('behavior: a very far jump is critical', async () => {
    const { items } = await reports([1_000_000, 900_000]);
    expect(items[0]).toMatchObject({ severity: 'critical', metrics: { move_bps: -1000 } });
  });

  test('behavior: a jump that is far only for a calm price becomes an item', async () => {
    const calm = Array.from({ length: 13 }, (_, index) => 1_000_000 + 100 * index);
    const { items } = await reports([...calm, 1_007_000]);
    expect(items.map(({ title }) => title)).toEqual(['The price per share rose by 0.58 % in one update']);
  });

  test('behavior: a skim takes its fee out of the price, which is no jump', async () => {
    addTo(scene.fake, 1, [report(1_000_000)]);
    addTo(scene.fake, 100, [
      { contract: 'strategy', name: 'PerformanceFeeSkimmed', args: { totalFee: '5000000', superformFee: '1000000' } },
      { name: 'PPSUpdatedAfterSkim', args: { strategy, oldPPS: '1000000', newPPS: '900000' } },
    ]);
    addTo(scene.fake, 200, [report(900_100)]);
    await scene.follow();
    const { items } = await scene.list();
    expect(items.map(({ title, body }) => [title, body])).toEqual([
      ['A performance fee of 5.00 USDC was taken', '1.00 USDC of it went to the protocol.'],
    ]);
  });

  test('behavior: one stale item until the price has recovered, which is an item, too', async () => {
    addTo(scene.fake, 1, [{ name: 'StrategyPPSStale' }]);
    addTo(scene.fake, 100, [{ name: 'StrategyPPSStale' }]);
    addTo(scene.fake, 200, [{ name: 'StrategyPPSStaleReset' }, report(1_000_000)]);
    addTo(scene.fake, 300, [report(1_000_000)]);
    await scene.follow();
    expect((await scene.kindsAndTitles()).map(([, title]) => title)).toEqual([
      'The price is fresh again',
      'The price is stale',
    ]);
  });

  test('behavior: the reason a contract gives is one short line', async () => {
    addTo(scene.fake, 1, [{ name: 'StrategyCheckFailed', args: { reason: `a\n\u202e${'b'.repeat(500)}` } }]);
    await scene.follow();
    const [item] = (await scene.list()).items;
    expect(item?.title).toBe('A price was refused');
    expect(item?.body).toBe(`Reason given by the chain: a ${'b'.repeat(198)}`);
  });
});

const changes: [string, object, string, string, string][] = [
  ['aggregator.StrategyPaused', {}, 'pause', 'critical', 'The vault was paused'],
  ['aggregator.StrategyUnpaused', {}, 'pause', 'notice', 'The vault was unpaused'],
  ['aggregator.SecondaryManagerAdded', { manager: secondary }, 'role_change', 'notice', 'a secondary manager'],
  ['aggregator.SecondaryManagerRemoved', { manager: secondary }, 'role_change', 'notice', 'no longer'],
  [
    'aggregator.PrimaryManagerChanged',
    { newManager: secondary, oldManager: primary },
    'role_change',
    'warning',
    'in place of',
  ],
  ['strategy.YieldSourceAdded', { source: holder, oracle: holder }, 'source_change', 'notice', 'was added'],
  ['strategy.YieldSourceRemoved', { source: holder }, 'source_change', 'notice', 'was removed'],
  [
    'strategy.YieldSourceOracleUpdated',
    { source: holder, oldOracle: holder, newOracle: holder },
    'source_change',
    'warning',
    'another oracle',
  ],
  [
    'strategy.VaultFeeConfigUpdated',
    { performanceFeeBps: '1050', managementFeeBps: '0' },
    'setting_change',
    'notice',
    'Fees were set: 10.50 % of profit and 0.00 % of deposits',
  ],
  [
    'strategy.PPSExpiryThresholdUpdated',
    { ppsExpiration: '172800' },
    'setting_change',
    'notice',
    'Prices expire after 2 days',
  ],
  ['aggregator.MinUpdateIntervalChanged', { newMinUpdateInterval: '90' }, 'setting_change', 'notice', 'is 90 seconds'],
  [
    'aggregator.DeviationThresholdUpdated',
    { deviationThreshold: '10000000000000000' },
    'setting_change',
    'notice',
    'set to 1.00 %',
  ],
  [
    'aggregator.DeviationThresholdUpdated',
    { deviationThreshold: `${2n ** 256n - 1n}` },
    'setting_change',
    'warning',
    'turned off',
  ],
  [
    'aggregator.InsufficientUpkeep',
    { balance: '1000', cost: '2000000', strategyAddr: strategy },
    'upkeep',
    'critical',
    'The upkeep is spent',
  ],
  [
    'aggregator.UpkeepWithdrawalProposed',
    { amount: '7000000', effectiveTime: '1767225600' },
    'upkeep',
    'warning',
    'of 7.00 UP of upkeep was proposed',
  ],
  ['aggregator.UpkeepWithdrawn', { amount: '7000000' }, 'upkeep', 'notice', '7.00 UP of upkeep was withdrawn'],
];
describe('changes', () => {
  test.each(changes)('default: %s %j', async (event, args, kind, severity, title) => {
    const [contract = '', name = ''] = event.split('.');
    addTo(scene.fake, 1, [{ contract, name, args: { strategy, ...args } as Record<string, unknown> }]);
    await scene.follow();
    const { items } = await scene.list();
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ kind, severity, metrics: { actor: primary, count: 1 } });
    expect(items[0]?.title).toContain(title);
    expect(FeedItem.parse(items[0])).toEqual(items[0]);
  });

  test('default: routine and other vaults stay out', async () => {
    addTo(scene.fake, 1, [
      { name: 'UpkeepSpent', args: { amount: '1' } },
      { name: 'HooksExecuted', contract: 'strategy' },
    ]);
    addTo(scene.fake, 2, [{ ...paused, vault_address: null }]);
    addTo(scene.fake, 3, [{ ...paused, vault_address: anAddress(0xdead) }]);
    await scene.follow();
    expect(await scene.kindsAndTitles()).toEqual([]);
  });

  test('behavior: a spent upkeep is one item until somebody pays', async () => {
    const short = { name: 'InsufficientUpkeep', args: { balance: '0', cost: '1' } };
    addTo(scene.fake, 1, [short]);
    addTo(scene.fake, 100, [short]);
    addTo(scene.fake, 200, [{ name: 'UpkeepDeposited', args: { amount: '5' } }]);
    addTo(scene.fake, 300, [short]);
    await scene.follow();
    expect((await scene.list()).items.map(({ t }) => t)).toEqual([timeOf(300), timeOf(1)]);
  });
});

describe('no repetition', () => {
  test('behavior: several of a kind by one actor within ten minutes are one item, with the count and the sum', async () => {
    addTo(scene.fake, 1, deposit(million, million, anAddress(0xc9)));
    for (const block of [100, 110, 150]) addTo(scene.fake, block, deposit(million));
    addTo(scene.fake, 151, deposit(million));
    await scene.follow();
    const { items } = await scene.list();
    expect(items.map(({ title }) => title)).toEqual([
      '1.00M USDC was deposited',
      '3 large deposits',
      '1.00M USDC was deposited',
    ]);
    expect(items[1]).toMatchObject({ t: timeOf(100), metrics: { count: 3, assets: '3000000000000' } });
    expect(items[1]?.body.split('\n')).toHaveLength(3);
    expect(items[1]?.links).toHaveLength(4);
  });

  test('behavior: other kinds, actors and vaults are not merged', async () => {
    const added = { name: 'SecondaryManagerAdded', args: { strategy, manager: secondary } };
    addTo(scene.fake, 1, [added], primary);
    addTo(scene.fake, 2, [added], secondary);
    addTo(scene.fake, 3, [paused], primary);
    addTo(scene.fake, 4, [{ name: 'StrategyUnpaused', args: { strategy } }], primary);
    await scene.follow();
    expect(await scene.kindsAndTitles()).toHaveLength(4);
  });

  test('behavior: a merged item is as severe as its worst fact', async () => {
    addTo(scene.fake, 1, [{ name: 'SecondaryManagerAdded', args: { manager: secondary } }]);
    addTo(scene.fake, 2, [{ name: 'PrimaryManagerChanged', args: { newManager: secondary, oldManager: primary } }]);
    await scene.follow();
    expect((await scene.list({ severity: 'warning' })).items).toMatchObject([{ title: '2 changes of roles' }]);
  });
});

describe('the list', () => {
  beforeEach(async () => {
    addTo(scene.fake, 1, deposit(million));
    for (let block = 1; block <= 9; block += 1) addTo(scene.fake, 100 * block, [paused]);
    addTo(scene.fake, 900, [{ name: 'UpkeepWithdrawn', args: { amount: '1' } }]);
    await scene.follow();
  });

  test('default: pages, newest first, without a gap or a repetition', async () => {
    const ids: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await scene.list({ limit: 4, ...(cursor ? { cursor } : {}) });
      expect(page).toMatchObject({ total: 11, has_more: page.next_cursor !== null });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(ids).toEqual((await scene.list()).items.map(({ id }) => id));
    expect(new Set(ids).size).toBe(11);
  });

  test('default: by kind, severity and time', async () => {
    expect((await scene.list({ kind: 'pause' })).total).toBe(9);
    expect((await scene.list({ severity: 'critical' })).total).toBe(9);
    expect((await scene.list({ kind: 'pause', severity: 'info' })).total).toBe(0);
    expect((await scene.list({ from: timeOf(300), to: timeOf(500) })).total).toBe(3);
  });

  test('error: a range that ends before it begins, a cursor of nobody, a vault that is none', async () => {
    const reversed = scene.list({ from: timeOf(5), to: timeOf(4) });
    await expect(reversed).rejects.toMatchObject({ code: 'RANGE_REVERSED' });
    await expect(scene.list({ cursor: 'eA' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(scene.list({ vault_address: stranger })).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
  });

  test('behavior: everybody reads a listed vault; others are for those with a role, with a token for them', async () => {
    expect((await scene.list({}, scene.callOf())).total).toBe(11);
    scene.world.vault = { activation: { ...aVault().activation, is_discoverable: false } };
    for (const call of [
      scene.callOf(),
      scene.callOf(stranger),
      scene.callOf(primary, { chain_id: chainId, vault_address: stranger }),
    ])
      await expect(scene.list({}, call)).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
    expect((await scene.list({}, scene.callOf(primary))).total).toBe(11);
  });
});
