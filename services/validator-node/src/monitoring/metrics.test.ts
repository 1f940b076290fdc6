import { setTimeout as sleep } from 'node:timers/promises';
import { manualClock } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { type Address, getAddress } from 'viem';
import { createInstruments } from './instruments.ts';
import { createMetrics, type Metrics } from './metrics.ts';

const vault: Address = getAddress('0x00000000000000000000000000000000000000aa');
const other: Address = getAddress('0x00000000000000000000000000000000000000bb');
const hour = 3_600_000;

function metricsWith(clock = manualClock()): Metrics {
  return createMetrics({
    chains: [
      { chainId: 1, strategies: [vault] },
      { chainId: 8453, strategies: [] },
    ],
    version: '1.2.3',
    now: clock.now,
    healthCheckIntervalMs: hour,
    tickMs: 1000,
    processMetrics: false,
  });
}

type Family = { type: string; labels: Map<string, Set<string>>; samples: Map<string, number> };

/** The scrape text, read as Prometheus reads it. */
async function scrape({ registry }: Metrics): Promise<Map<string, Family>> {
  const families = new Map<string, Family>();
  for (const line of (await registry.metrics()).split('\n')) {
    const [, named, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (named && type) families.set(named, { type, labels: new Map(), samples: new Map() });
    const [, name, labels = '', value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name) continue;
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (!family) throw new Error(`${name} has no TYPE`);
    family.samples.set(line.slice(0, line.lastIndexOf(' ')), Number(value));
    for (const [, label, text] of labels.matchAll(/(\w+)="([^"]*)"/g))
      family.labels.set(label as string, (family.labels.get(label as string) ?? new Set()).add(text as string));
  }
  return families;
}
const seriesOf = async (metrics: Metrics, series: string) => {
  for (const { samples } of (await scrape(metrics)).values()) if (samples.has(series)) return samples.get(series);
  return undefined;
};

const phases = ['query', 'observation', 'report', 'should_accept', 'should_transmit'];
const results = 'success failure error accept transmit stale deviation nonce_mismatch invalid_pps timeout'.split(' ');
const chain_id = ['1', '8453'];

describe('the thirteen', () => {
  test.each([
    ['ocr2_up', 'gauge', {}],
    ['ocr2_strategy_last_update_seconds', 'gauge', { chain_id: ['1'], strategy: [vault] }],
    ['ocr2_strategy_update_stale', 'gauge', { chain_id: ['1'], strategy: [vault] }],
    ['ocr2_config_version', 'gauge', {}],
    ['ocr2_config_signers', 'gauge', {}],
    ['ocr2_transmit_total', 'counter', { chain_id, status: ['success', 'failure', 'error', 'superseded', 'skipped'] }],
    ['ocr2_transmit_strategies_total', 'counter', { chain_id }],
    ['ocr2_transmit_pack_errors_total', 'counter', { chain_id }],
    ['ocr2_plugin_phase_total', 'counter', { phase: phases, result: results }],
    ['ocr2_plugin_observations_total', 'counter', { chain_id, result: ['success', 'error', 'skipped'] }],
    ['ocr2_plugin_insufficient_observations_total', 'counter', { chain_id }],
    ['ocr2_transmit_duration_seconds', 'histogram', { result: ['success', 'failure', 'error'] }],
    ['ocr2_plugin_phase_duration_seconds', 'histogram', { phase: phases, result: results }],
  ] as [string, string, Record<string, string[]>][])(
    'behavior: %s is a %s with a closed set of labels, there from the start',
    async (name, type, labels) => {
      const metrics = metricsWith();
      metrics.observe({ type: 'price_validated', chainId: 1, strategy: vault, blockSeconds: 1, headSeconds: 1 });
      const family = (await scrape(metrics)).get(name);
      expect(family?.type).toBe(type);
      const found = Object.fromEntries([...(family?.labels ?? [])].filter(([label]) => label !== 'le'));
      expect(found).toEqual(Object.fromEntries(Object.entries(labels).map(([label, set]) => [label, new Set(set)])));
      const series = Object.values(labels).reduce((product, set) => product * set.length, 1);
      const counted = type === 'histogram' ? 'bucket' : name;
      const infinite = [...(family?.samples.keys() ?? [])].filter((key) =>
        counted === 'bucket' ? key.includes('le="+Inf"') : true,
      );
      expect(infinite.length).toBe(series);
    },
  );

  test('default: every counter and histogram begins at 0, and no label is added to all', async () => {
    for (const [name, { type, samples, labels }] of await scrape(metricsWith())) {
      if (type !== 'gauge') for (const [series, value] of samples) expect([series, value]).toEqual([series, 0]);
      expect([name, labels.has('service')]).toEqual([name, false]);
    }
  });
});

describe('what becomes of events', () => {
  test('behavior: a transmission is counted once, timed unless it was superseded', async () => {
    const metrics = metricsWith();
    metrics.observe({ type: 'transmit_submitted', chainId: 8453, strategies: 3 });
    metrics.observe({ type: 'transmit_finished', chainId: 8453, status: 'success', seconds: 4 });
    metrics.observe({ type: 'transmit_finished', chainId: 8453, status: 'superseded', seconds: 9 });
    metrics.observe({ type: 'pack_failed', chainId: 1 });
    metrics.observe({ type: 'tx', chainId: 1, change: 'reorged' });
    expect(await seriesOf(metrics, 'ocr2_transmit_total{chain_id="8453",status="success"}')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_transmit_total{chain_id="8453",status="superseded"}')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_transmit_strategies_total{chain_id="8453"}')).toBe(3);
    expect(await seriesOf(metrics, 'ocr2_transmit_pack_errors_total{chain_id="1"}')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_transmit_duration_seconds_sum{result="success"}')).toBe(4);
    expect(await seriesOf(metrics, 'ocr2_transmit_duration_seconds_count{result="success"}')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_tx_reorged_total{chain_id="1"}')).toBe(1);
  });

  test('behavior: a phase counts under its result, and special results under their own name too', async () => {
    const metrics = metricsWith();
    const about = { type: 'phase', epoch: 1, round: 1, seconds: 0.2 } as const;
    metrics.observe({ ...about, phase: 'should_accept', result: 'stale' });
    metrics.observe({ ...about, phase: 'should_accept', result: 'deviation' });
    metrics.observe({ ...about, phase: 'observation', result: 'success' });
    expect(await seriesOf(metrics, 'ocr2_plugin_phase_total{phase="should_accept",result="stale"}')).toBe(1);
    expect(
      await seriesOf(
        metrics,
        'ocr2_plugin_phase_duration_seconds_bucket{le="0.25",phase="observation",result="success"}',
      ),
    ).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_plugin_stale_reports_total{phase="should_accept"}')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_plugin_deviation_rejections_total')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_sent_observations_total')).toBe(1);
  });

  test('behavior: rounds, leaders and the configuration', async () => {
    const metrics = metricsWith();
    metrics.setIndex(2);
    metrics.observe({ type: 'epoch_changed', epoch: 7, leader: 2, reason: 'joined' });
    metrics.observe({
      type: 'round_completed',
      epoch: 7,
      round: 1,
      leader: 2,
      outcome: 'report',
      entries: [],
      prices: [],
      observations: [],
      observers: [0, 2, 3],
      signers: [0, 1, 2],
    });
    metrics.observe({ type: 'round_started', epoch: 8, round: 1, leader: 0 });
    for (const [version, digest] of [
      [4n, '0xaa'],
      [5n, '0xbb'],
    ] as const)
      metrics.observe({ type: 'config_active', digest, version, signers: 4, f: 1, firstAfterStart: version === 4n });
    metrics.observe({ type: 'config_refused', reason: 'reorg' });
    metrics.observe({ type: 'config_refused', reason: 'parse' });
    for (const [series, value] of Object.entries({
      ocr2_epoch: 8,
      ocr2_is_leader: 0,
      'ocr2_epoch_changes_total{reason="joined"}': 1,
      ocr2_completed_rounds_total: 1,
      ocr2_led_completed_rounds_total: 1,
      ocr2_included_observations_total: 1,
      ocr2_config_version: 5,
      ocr2_config_signers: 4,
      ocr2_config_changes_total: 1,
      ocr2_config_reorgs_total: 1,
      'ocr2_config_load_errors_total{stage="parse"}': 1,
      'ocr2_config_info{digest="0xbb"}': 1,
    }))
      expect([series, await seriesOf(metrics, series)]).toEqual([series, value]);
    expect(await seriesOf(metrics, 'ocr2_config_info{digest="0xaa"}')).toBeUndefined();
  });

  test('behavior: messages and peers', async () => {
    const metrics = metricsWith();
    metrics.observe({ type: 'message', from: 3, kind: 'whatever a peer says', result: 'ok' });
    metrics.observe({ type: 'transport_message', from: 3, result: 'rate_limited' });
    expect(await seriesOf(metrics, 'ocr2_messages_received_total{result="ok"}')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_messages_received_total{result="rate_limited"}')).toBe(1);
    expect(await seriesOf(metrics, 'ocr2_peer_last_seen_seconds{peer="3"}')).toBe(Date.UTC(2026, 0, 1) / 1000);
    expect(await metrics.registry.metrics()).not.toContain('whatever');
  });

  test('behavior: prices that a leader left out are counted for that leader, from 0 on', async () => {
    const metrics = metricsWith();
    metrics.observe({ type: 'config_active', digest: '0x', version: 1n, signers: 4, f: 1, firstAfterStart: true });
    metrics.observe({ type: 'left_out', epoch: 1, round: 1, leader: 2, strategies: ['1:0x1', '1:0x2'] });
    expect(await seriesOf(metrics, 'ocr2_left_out_total{leader="2"}')).toBe(2);
    expect(await seriesOf(metrics, 'ocr2_left_out_total{leader="3"}')).toBe(0);
  });

  test('behavior: what is refused is counted for its peer, from 0 on, and anew for each configuration', async () => {
    const metrics = metricsWith();
    const active = {
      type: 'config_active',
      digest: '0x',
      version: 1n,
      signers: 4,
      f: 1,
      firstAfterStart: true,
    } as const;
    metrics.observe(active);
    const of = (peer: string, result: string) =>
      seriesOf(metrics, `ocr2_messages_refused_total{peer="${peer}",result="${result}"}`);
    expect([await of('3', 'replayed'), await of('none', 'malformed')]).toEqual([0, 0]);
    metrics.observe({ type: 'transport_message', from: 3, result: 'replayed' });
    metrics.observe({ type: 'transport_message', from: -1, result: 'malformed' });
    metrics.observe({ type: 'transport_message', from: 2, result: 'overflow' });
    metrics.observe({ type: 'message', from: 3, kind: 'observe', result: 'duplicate' });
    expect([await of('3', 'replayed'), await of('none', 'malformed')]).toEqual([1, 1]);
    expect([await of('2', 'overflow'), await of('3', 'duplicate')]).toEqual([undefined, undefined]);
    metrics.observe(active);
    expect(await of('3', 'replayed')).toBe(0);
  });
});

describe('freshness', () => {
  const stale = `ocr2_strategy_update_stale{chain_id="1",strategy="${vault}"}`;
  const last = `ocr2_strategy_last_update_seconds{chain_id="1",strategy="${vault}"}`;

  test('behavior: stale after the interval without an update, counted from the start at the earliest', async () => {
    const clock = manualClock();
    const metrics = metricsWith(clock);
    metrics.observe({ type: 'price_validated', chainId: 1, strategy: vault, blockSeconds: 5, headSeconds: 5 });
    expect([await seriesOf(metrics, stale), await seriesOf(metrics, last)]).toEqual([0, 5]);
    clock.advance(hour + 1);
    expect(await seriesOf(metrics, stale)).toBe(1);
    metrics.observe({ type: 'price_validated', chainId: 1, strategy: vault, blockSeconds: 9, headSeconds: 9 });
    expect(await seriesOf(metrics, stale)).toBe(0);
  });

  test('behavior: a chain whose clock runs ahead does not hide a silence', async () => {
    const clock = manualClock();
    const metrics = metricsWith(clock);
    metrics.observe({
      type: 'price_validated',
      chainId: 1,
      strategy: vault,
      blockSeconds: clock.now() / 1000 + 86_400,
      headSeconds: clock.now() / 1000 + 86_400,
    });
    clock.advance(hour + 1);
    expect(await seriesOf(metrics, stale)).toBe(1);
  });

  test('behavior: a reorg takes an update back; never updated is no series, not 0', async () => {
    const metrics = metricsWith();
    expect(await seriesOf(metrics, last)).toBeUndefined();
    metrics.observe({ type: 'price_validated', chainId: 1, strategy: vault, blockSeconds: 9, headSeconds: 9 });
    metrics.observe({ type: 'price_validated', chainId: 1, strategy: vault, blockSeconds: null, headSeconds: 9 });
    expect(await seriesOf(metrics, last)).toBeUndefined();
  });

  test('behavior: strategies that leave take their series along; unknown ones make none', async () => {
    const metrics = metricsWith();
    metrics.observe({ type: 'price_validated', chainId: 1, strategy: other, blockSeconds: 9, headSeconds: 9 });
    metrics.watch(1, [other.toLowerCase() as Address]);
    metrics.observe({ type: 'price_validated', chainId: 1, strategy: vault, blockSeconds: 9, headSeconds: 9 });
    const families = await scrape(metrics);
    expect(families.get('ocr2_strategy_update_stale')?.labels.get('strategy')).toEqual(new Set([other]));
    expect(families.get('ocr2_strategy_last_update_seconds')?.samples.size).toBe(0);
  });

  test('behavior: each turn to stale and back is returned once', () => {
    const clock = manualClock();
    const { staleness } = metricsWith(clock);
    expect(staleness.transitions()).toEqual([]);
    clock.advance(hour + 1);
    expect(staleness.transitions()).toEqual([{ chainId: 1, strategy: vault, kind: 'stale', lastUpdateSeconds: null }]);
    expect(staleness.transitions()).toEqual([]);
    staleness.heard(1, vault, clock.now() / 1000, clock.now() / 1000);
    expect(staleness.transitions().map(({ kind }) => kind)).toEqual(['recovered']);
  });
});

test('behavior: ocr2_up is 1 while the main loop ticks, 0 when it hangs or shuts down', async () => {
  const clock = manualClock();
  const metrics = metricsWith(clock);
  expect(await seriesOf(metrics, 'ocr2_up')).toBe(1);
  clock.advance(3001);
  expect(await seriesOf(metrics, 'ocr2_up')).toBe(0);
  metrics.tick();
  expect(await seriesOf(metrics, 'ocr2_up')).toBe(1);
  metrics.close();
  expect(await seriesOf(metrics, 'ocr2_up')).toBe(0);
});

test('behavior: no clock of the event loop runs before the first scrape', async () => {
  const { registry } = createInstruments({ chainIds: [1], version: '1.2.3' });
  // biome-ignore lint/plugin: a clock that ran would have measured this time
  await sleep(60);
  expect(await registry.metrics()).toContain('nodejs_eventloop_lag_max_seconds 0\n');
});
