import { MOST_OWN_RULES, OwnRuleDefinition } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { bindChannel, unbindChannel } from '../src/alerts/channels/use-cases/bindings.ts';
import { createChannel } from '../src/alerts/channels/use-cases/channels.ts';
import type { AlertEvaluator } from '../src/alerts/evaluator/evaluator.ts';
import { plainAlert } from '../src/alerts/records/adapters/alert-records.mongo.ts';
import { acknowledgeAlert } from '../src/alerts/records/use-cases/change-alerts.ts';
import { backtestOwnRule } from '../src/alerts/rules/use-cases/backtest-own-rule.ts';
import { changeOwnRule, createOwnRule, deleteOwnRule, listOwnRules } from '../src/alerts/rules/use-cases/own-rules.ts';
import { type ChannelScene, forEachTest } from './channel-scene.ts';
import { chain_id, primary, rollBack, vault } from './scene.ts';

/** Rules that managers make, from their making to the alert, its channels and its end. */

let scene: ChannelScene['scene'];
let parts: ChannelScene['parts'];
let call: ChannelScene['call'];
let aWebhook: ChannelScene['aWebhook'];
let pass: ChannelScene['pass'];
let evaluator: AlertEvaluator;

forEachTest((opened) => {
  ({ scene, parts, call, aWebhook, pass } = opened);
});

const aRule = (given: Record<string, unknown> = {}) =>
  OwnRuleDefinition.parse({
    title: 'Few depositors',
    text: 'Call the large ones.',
    metric: 'depositors',
    comparison: 'below',
    threshold: 10,
    severity: 'warning',
    clear_seconds: 0,
    ...given,
  });
const create = (given: Record<string, unknown> = {}) =>
  createOwnRule(parts.deps)({ ...vault, rule: aRule(given) }, call());
const list = () => listOwnRules(parts.deps)(vault, call());
const alerts = async () =>
  (await scene.alerts.alerts.find({ chain_id, rule_id: /^own_/ }).sort({ opened_at: 1, alert_id: 1 }).toArray()).map(
    plainAlert,
  );

/** A vault that is watched, with one observation. */
async function watched(): Promise<void> {
  scene.created();
  scene.observe(0, { depositors: 12, tvl_asset: '5000000' });
  evaluator = scene.evaluator();
  await settle();
}
const settle = async () => {
  await scene.settle(evaluator);
  await scene.settle(evaluator);
};
const observe = async (after: number, figures: Record<string, number | string>) => {
  scene.observe(after, figures);
  await settle();
};

describe('an own rule', () => {
  test('default: it is kept with its version and rows of the audit log, and opens an alert of its own words', async () => {
    await watched();
    const made = await create({ severity: 'critical', owner: 'Night desk' });
    expect(made).toMatchObject({ version: 1, unit: 'count', created_by: primary, title: 'Few depositors' });
    await settle();
    expect(await alerts()).toEqual([]);
    await observe(100, { depositors: 9, tvl_asset: '5000000' });
    const [alert] = await alerts();
    expect(alert).toMatchObject({
      rule_id: made.rule_id,
      severity: 'critical',
      status: 'active',
      title: 'Few depositors',
      message: 'Depositors: 9, below 10. Call the large ones.',
      facts: { metric: 'depositors', value: 9, threshold: 10 },
      owner: 'Night desk',
      subject: 'vault',
      source: 'own_rule',
      runbook_url: 'docs/runbooks/alerts.md#own_rule',
    });
    await acknowledgeAlert(parts.deps)({ id: alert?.alert_id ?? '' }, call());
    expect(await alerts()).toMatchObject([{ status: 'acknowledged' }]);
    await observe(200, { depositors: 10, tvl_asset: '5000000' });
    expect(await alerts()).toMatchObject([{ status: 'resolved', resolved_by: null }]);
    const rows = (await scene.storedRows()).filter(({ action_type }) => /own_alert|^alert_/.test(action_type));
    expect(rows.map(({ action_type, actor_wallet }) => [action_type, actor_wallet])).toEqual([
      ['own_alert_rule_created', primary],
      ['alert_opened', null],
      ['alert_acknowledged', primary],
      ['alert_resolved', null],
    ]);
  });

  test('default: a change needs the version that was read, and is judged at once by the last observation', async () => {
    await watched();
    const { rule_id } = await create();
    const change = (version: number, given: object) =>
      changeOwnRule(parts.deps)({ ...vault, rule_id, version, rule: aRule({ ...given }) }, call());
    expect(await change(1, { threshold: 20 })).toMatchObject({
      version: 2,
      threshold: 20,
      updated_by: primary,
    });
    await expect(change(1, { threshold: 5 })).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
      data: { current: { version: 2, threshold: 20 } },
    });
    await settle();
    expect(await alerts()).toMatchObject([{ status: 'active', message: expect.stringContaining('12, below 20') }]);
    const other = { rule_id: 'own_ffffffffffffffffffffffff', version: 1, rule: aRule() };
    await expect(changeOwnRule(parts.deps)({ ...vault, ...other }, call())).rejects.toMatchObject({
      code: 'RULE_NOT_FOUND',
    });
  });

  test('default: a deleted rule is gone, and so is what it had open', async () => {
    await watched();
    const { rule_id } = await create({ threshold: 20 });
    await settle();
    expect(await alerts()).toMatchObject([{ status: 'active' }]);
    const remove = (version: number) => deleteOwnRule(parts.deps)({ ...vault, rule_id, version }, call());
    await expect(remove(2)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await remove(1);
    expect((await list()).rules).toEqual([]);
    await expect(remove(2)).rejects.toMatchObject({ code: 'RULE_NOT_FOUND' });
    await settle();
    expect(await alerts()).toMatchObject([{ status: 'resolved' }]);
    expect(await scene.alerts.ownRules.countDocuments({})).toBe(0);
  });

  test('error: a vault has no more rules than are allowed, also when they are made at the same time', async () => {
    await watched();
    for (let made = 0; made < MOST_OWN_RULES - 1; made += 1) await create({ title: `Rule ${made}` });
    const tried = await Promise.allSettled([create(), create(), create()]);
    const refused = tried.filter((each) => each.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(['TOO_MANY_RULES', 'TOO_MANY_RULES']);
    expect((await list()).rules).toHaveLength(MOST_OWN_RULES);
  });

  test('behavior: the list offers every figure with its unit and where it is answered', async () => {
    await watched();
    const { metrics, most, asset } = await list();
    expect({ most, asset }).toEqual({ most: MOST_OWN_RULES, asset: { symbol: 'USDC', decimals: 6 } });
    expect(metrics).toContainEqual({
      metric: 'tvl_asset',
      title: 'Value of the vault',
      unit: 'asset',
      source: 'analyticsOverview: tvl_asset',
      known: expect.any(String),
    });
  });
});

describe('what is read', () => {
  test('behavior: one read at an observation for all rules of a vault, none between observations', async () => {
    await watched();
    expect(scene.world.measuring).toEqual([]);
    await create();
    await create({ metric: 'tvl_asset', threshold: '6000000' });
    await create({ metric: 'tvl_asset', comparison: 'changes', threshold: '1', within_seconds: 3_600 });
    await create({ metric: 'risk_score', enabled: false });
    await settle();
    scene.world.measuring = [];
    await observe(100, { depositors: 12, tvl_asset: '5000000' });
    await settle();
    expect(scene.world.measuring).toMatchObject([{ after_block: 0 }]);
    const read = scene.world.measuring[0]?.readings.map(({ metric, ago_seconds }) => `${metric} ${ago_seconds}`);
    expect(read?.sort()).toEqual(['depositors 0', 'tvl_asset 0', 'tvl_asset 3600']);
  });

  test('behavior: no observation is left out when nobody answered for a time, and the others are judged meanwhile', async () => {
    await watched();
    await create();
    await settle();
    scene.world.measuring = null;
    await observe(100, { depositors: 9 });
    await observe(200, { depositors: 11 });
    expect((await scene.alerts.clocks.findOne({ chain_id }))?.time).toBe(Date.UTC(2026, 0, 1) / 1000 + 200);
    // Nobody is asked again at once: the other rules are not held up.
    scene.world.measuring = [];
    await observe(250, { depositors: 12 });
    expect(scene.world.measuring).toEqual([]);
    scene.world.now += 15_000;
    await observe(300, { depositors: 12 });
    expect(scene.world.measuring).toHaveLength(1);
    expect(await alerts()).toMatchObject([{ status: 'resolved', message: expect.stringContaining('9, below 10') }]);
  });

  test('behavior: a rule that is switched on again is judged by the last observation, not by those of while it was off', async () => {
    await watched();
    const { rule_id } = await create();
    await settle();
    const change = (version: number, enabled: boolean) =>
      changeOwnRule(parts.deps)({ ...vault, rule_id, version, rule: aRule({ enabled }) }, call());
    await change(1, false);
    await settle();
    await observe(1_000, { depositors: 3 });
    await observe(2_000, { depositors: 50 });
    scene.world.measuring = [];
    await change(2, true);
    await settle();
    expect(scene.world.measuring).toHaveLength(1);
    expect(scene.world.measuring[0]).not.toHaveProperty('after_block');
    expect(await alerts()).toEqual([]);
    await observe(3_000, { depositors: 9 });
    expect(await alerts()).toMatchObject([{ status: 'active', message: expect.stringContaining('9, below 10') }]);
  });

  test('behavior: figures of blocks that were taken back are read anew', async () => {
    await watched();
    await create();
    await observe(100, { depositors: 9 });
    expect(await alerts()).toMatchObject([{ status: 'active' }]);
    rollBack(scene.fake, 100);
    scene.world.figures.delete(100);
    await settle();
    expect(await alerts()).toMatchObject([{ status: 'resolved' }]);
    await observe(100, { depositors: 8 });
    expect((await alerts()).map(({ status }) => status).sort()).toEqual(['active', 'resolved']);
  });

  test('behavior: a block that was made again is read at once, not with a later one', async () => {
    await watched();
    await create();
    await settle();
    await observe(100, { depositors: 9 });
    rollBack(scene.fake, 100);
    await observe(100, { depositors: 12 });
    expect(await alerts()).toMatchObject([{ status: 'resolved' }]);
    rollBack(scene.fake, 100);
    scene.observe(100, {});
    // The service that is asked does not know of the block yet.
    scene.world.figures.delete(100);
    await settle();
    scene.world.figures.set(100, { depositors: 8 });
    await settle();
    expect(await alerts()).toMatchObject([{ status: 'resolved' }, { status: 'active' }]);
  });
});

describe('the back-test', () => {
  const day = 86_400;
  const start = Date.UTC(2026, 0, 1);

  test('default: it finds the alerts that were, at their times, whatever the rule is called and whether it is on', async () => {
    await watched();
    const given = { for_seconds: 60, clear_seconds: 120 };
    await create(given);
    await settle();
    for (const [after, depositors] of [
      [100, 9],
      [400, 8],
      [900, 14],
      [2_000, 3],
      [2_030, 12],
      [4_000, 2],
    ] as const)
      await observe(after, { depositors });
    await observe(5_000, { depositors: 2 });
    const live = await alerts();
    expect(live).toHaveLength(2);
    const rule = aRule({ ...given, title: 'Tried', enabled: false });
    const tried = await backtestOwnRule(parts.deps)({ ...vault, rule }, call());
    expect(tried).toMatchObject({ fired: 2, observations: 8, truncated: false });
    expect([...tried.episodes].reverse().map(({ opened_at, resolved_at }) => [opened_at, resolved_at])).toEqual(
      live.map(({ opened_at, resolved_at }) => [opened_at, resolved_at]),
    );
    expect(tried.points[0]).toEqual({ t: new Date(start).toISOString(), value: 12 });
  });

  test('behavior: a rule about a figure that nobody needed is tried on every observation there was', async () => {
    await watched();
    for (const [after, tvl_asset] of [
      [100, '100'],
      [200, '90'],
      [300, '200'],
    ] as const)
      scene.observe(after, { depositors: 12, tvl_asset });
    await settle();
    const rule = aRule({ metric: 'tvl_asset', threshold: '100' });
    const tried = await backtestOwnRule(parts.deps)({ ...vault, rule }, call());
    expect(tried).toMatchObject({
      fired: 1,
      open_seconds: 100,
      episodes: [{ message: 'Value of the vault: 0.00009 USDC, below 0.0001 USDC. Call the large ones.' }],
    });
    expect(tried.points.map(({ value }) => value)).toEqual(['5000000', '100', '90', '200']);
  });

  test('behavior: of the journal no more is read than the range needs: from its last figure before that is still there', async () => {
    await watched();
    await create({ enabled: true });
    await create({ metric: 'tvl_asset', threshold: '1' });
    await settle();
    for (const after of [100, 200, 300]) await observe(after, { depositors: after, tvl_asset: '5' });
    rollBack(scene.fake, 300);
    for (const after of [310, 400, 500]) await observe(after, { depositors: after, tvl_asset: '5' });
    const second = Date.UTC(2026, 0, 1) / 1000;
    const key = { chain_id, vault: vault.vault_address.toLowerCase() };
    const read = async (from: number, to: number, most = 1_000) => {
      const range = { from: second + from, to: second + to, keys: ['depositors'] };
      const items = await scene.journal.figures(key, range, most);
      return items.map(({ events: [event] }) => (event?.type === 'measured' ? event.values : event?.type));
    };
    expect(await read(405, 505)).toEqual([{ depositors: 400 }, { depositors: 500 }]);
    // The one of block 300 was taken back.
    const later = ['rollback', { depositors: 310 }, { depositors: 400 }];
    expect(await read(305, 405)).toEqual([{ depositors: 200 }, { depositors: 300 }, ...later]);
    expect(await read(305, 505, 2)).toEqual([{ depositors: 400 }, { depositors: 500 }]);
  });

  test('behavior: what could not be read at the start of a range stays as it was before', async () => {
    await watched();
    await create();
    await settle();
    await observe(100, { depositors: 9 });
    for (const after of [150, 200]) await observe(after, {});
    const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
    const asked = { ...vault, rule: aRule(), from: at(175), to: at(201) };
    const { episodes } = await backtestOwnRule(parts.deps)(asked, call());
    expect(episodes).toMatchObject([{ opened_at: at(200), message: expect.stringContaining('9, below 10') }]);
  });

  test('error: who would have waited for the rules that others try is asked to try again', async () => {
    await watched();
    const now = () => {
      scene.world.now += 600;
      return new Date(scene.world.now);
    };
    const tests = backtestOwnRule({ ...parts.deps, now });
    const tried = await Promise.allSettled(Array.from({ length: 4 }, () => tests({ ...vault, rule: aRule() }, call())));
    const refused = tried.filter((each) => each.status === 'rejected');
    expect(tried[0]?.status).toBe('fulfilled');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'RATE_LIMITED', data: { retry_after_seconds: expect.any(Number) } });
    expect(await tests({ ...vault, rule: aRule() }, call())).toMatchObject({ fired: 0 });
  });

  test('error: a range that ends before it begins', async () => {
    await watched();
    const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
    const asked = { ...vault, rule: aRule(), from: at(day), to: at(0) };
    await expect(backtestOwnRule(parts.deps)(asked, call())).rejects.toMatchObject({ code: 'RANGE_REVERSED' });
  });
});

describe('its channels', () => {
  const slack = (name: string) => {
    const config = { url: `https://hooks.slack.com/services/T/B/${name}` };
    return createChannel(parts.deps)({ provider: 'slack', name, config }, call());
  };
  const bind = (channel_id: string, receives: 'all' | 'escalations' = 'all') =>
    bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info', receives }, call());

  test('error: a channel that gets nothing of the vault, or escalations alone, cannot be named', async () => {
    await watched();
    const refusal = { code: 'VALIDATION_FAILED', data: { errors: [{ path: 'body.rule.channels' }] } };
    await expect(create({ channels: ['ch_strange'] })).rejects.toMatchObject(refusal);
    const { channel_id } = await slack('Pager');
    await bind(channel_id, 'escalations');
    await expect(create({ channels: [channel_id] })).rejects.toMatchObject(refusal);
    await bind(channel_id);
    expect(await create({ channels: [channel_id] })).toMatchObject({ channels: [channel_id] });
  });

  test('behavior: a rule whose channel is gone is changed and switched off as others, but gets no other strange one', async () => {
    await watched();
    const { channel_id } = await slack('Pager');
    await bind(channel_id);
    const { rule_id } = await create({ channels: [channel_id] });
    await unbindChannel(parts.deps)({ ...vault, channel_id }, call());
    const change = (version: number, given: Record<string, unknown>) =>
      changeOwnRule(parts.deps)({ ...vault, rule_id, version, rule: aRule(given) }, call());
    expect(await change(1, { channels: [channel_id], enabled: false })).toMatchObject({ version: 2, enabled: false });
    await expect(change(2, { channels: [channel_id, 'ch_strange'] })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      data: { errors: [{ message: expect.stringContaining('ch_strange') }] },
    });
    await change(2, { channels: null });
    await expect(change(3, { channels: [channel_id] })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('behavior: beside webhooks those it names alone get its alerts; when none of them is bound any more, all do', async () => {
    await watched();
    const [{ channel_id: desk }, { channel_id: other }] = [await slack('Desk'), await slack('Other')];
    await bind(desk);
    await bind(other);
    await aWebhook();
    await create({ channels: [desk] });
    await settle();
    await observe(100, { depositors: 9 });
    const sent: string[] = [];
    const dispatcher = parts.dispatcher(async ({ provider, channel_id }, _config, { event_type, data }) => {
      expect(data.alert?.only_channels).toEqual([desk]);
      const to = provider === 'webhook' ? provider : channel_id === desk ? 'desk' : 'other';
      sent.push(`${to} ${event_type}`);
      return { ok: true, status: 200, reason: null, durationMs: 1 };
    });
    await pass(3, dispatcher);
    expect(sent.sort()).toEqual(['desk alert.opened', 'webhook alert.opened']);
    await unbindChannel(parts.deps)({ ...vault, channel_id: desk }, call());
    await observe(200, { depositors: 12 });
    await pass(3, dispatcher);
    expect(sent.slice(2).sort()).toEqual(['other alert.resolved', 'webhook alert.resolved']);
  });
});
