import { VaultReport as shape, type VaultReport } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { answersOf } from '../answers.fixture.ts';
import { questionsOf } from '../ask-analytics.ts';
import { incidentSection, mandateSection, validatorSection } from '../domain/more-sections.ts';
import { analysedSections } from '../domain/sections.ts';
import { reportHtml } from './page.ts';
import { escapeHtml, valueText, wholeUnits } from './text.ts';

const span = { from: '2026-10-01T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z' };
const vault = { chain_id: 31337, vault_address: '0x00000000000000000000000000000000000000A1' };
const answers = answersOf(span);

const reportOf = (more: Partial<VaultReport> = {}): VaultReport => ({
  format: 1,
  ...vault,
  ...span,
  vault_name: 'Core',
  vault_symbol: 'cUSD',
  chain_name: 'Local',
  asset_symbol: 'USDC',
  asset_decimals: 6,
  share_decimals: 6,
  pps_precision: '1000000',
  native_symbol: 'ETH',
  period: '2026-10',
  state: 'final',
  edition: 'public',
  as_of: span.to,
  block_number: 77,
  formulas_version: '3',
  sections: [
    ...analysedSections(answers),
    incidentSection(answers, span.to, null),
    mandateSection(null, '/attestation', 'public'),
    validatorSection(answers, null),
  ],
  reads: questionsOf(vault, { at: span.to }, span),
  ...more,
});

test('default: a report has the form of the contract, and each receipt is of one of its questions', () => {
  const report = reportOf();
  expect(shape.parse(report)).toEqual(report);
  const receipts = report.sections.flatMap(({ figures, tables, charts }) => [
    ...figures.map(({ receipt }) => receipt),
    ...tables.flatMap(({ rows }) => rows.flatMap((cells) => cells.map(({ receipt }) => receipt))),
    ...charts.flatMap(({ points }) => points.map(({ receipt }) => receipt)),
  ]);
  const questions = report.reads.map(({ id }) => id);
  const found = receipts.filter((receipt) => receipt !== null);
  expect(found.length).toBeGreaterThan(70);
  expect(found.filter((receipt) => !questions.includes(receipt.split(':')[0] ?? ''))).toEqual([]);
  expect(report.sections.flatMap(({ figures }) => figures).filter(({ receipt }) => receipt === null)).toEqual([]);
});

test('behavior: what is not known says why, and a question can be asked again as it was', () => {
  const { sections, reads } = reportOf();
  const sharpe = sections.flatMap(({ figures }) => figures).find(({ id }) => id === 'sharpe');
  expect(sharpe).toMatchObject({ value: null, note: 'too few days', receipt: 'risk:sharpe' });
  expect(reads.find(({ id }) => id === 'bridge')).toEqual({
    id: 'bridge',
    address: expect.stringMatching(/performance\/bridge\?at=2026-11-01.*&from=2026-10-01.*&v=.*&receipt=true$/),
    verify: expect.stringMatching(/--at 2026-11-01\S+ --read performance\/bridge --query "from=\S+" --all$/),
  });
});

test('default: one page without a script or a file beside it, with pictures and the notes of a printed page', () => {
  const html = reportHtml(reportOf(), 'ff'.repeat(32));
  expect(html).toContain('<svg viewBox');
  expect(html).toContain('1\u{a0}234.56789 USDC');
  expect(html).toContain('performance:twr');
  expect(html).toContain('The first 1 of 120.');
  expect(html).toContain('@media print');
  expect(html).not.toMatch(/<script|<link|<img|javascript:| on\w+=|url\(/i);
  expect(html).not.toContain('class="preview"');
  expect(reportHtml(reportOf({ state: 'preview' }), '')).toContain('is not final');
});

test('error: a hostile name stays text, in the title and in labels, and turns no direction', () => {
  const hostile = `"><script>alert(1)</script></title><svg onload='x'>\u{202e}`;
  const html = reportHtml(reportOf({ vault_name: hostile, vault_symbol: hostile, asset_symbol: hostile }), '');
  expect(html).not.toContain('<script');
  expect(html).not.toContain('\u{202e}');
  expect(html).not.toMatch(/<svg on/);
  expect(html).toContain('Paused &lt;b&gt;');
  expect(escapeHtml(`<&>"'`)).toBe('&lt;&amp;&gt;&quot;&#39;');
  expect(escapeHtml('a\u{200d}b \u{1f469}\u{200d}\u{1f680}')).toBe('a\u{fffd}b \u{1f469}\u{200d}\u{1f680}');
});

test('behavior: an empty vault has a report, with empty tables and no chart', () => {
  const bare = { ...answers, tvl: { ...answers.tvl, points: [] }, pps: { ...answers.pps, points: [], markers: [] } };
  const html = reportHtml(
    reportOf({ sections: [...analysedSections(bare), incidentSection(bare, span.to, null)] }),
    '',
  );
  expect(html).toContain('Too few values for a chart.');
  expect(html).toContain('<p class="note">None.</p>');
});

test('default: amounts are cut off, not rounded, whatever their sign and size', () => {
  expect(['0', '-1', '999999999999', '1000000'].map((units) => wholeUnits(units, 6))).toEqual([
    '0',
    '-0.000001',
    '999\u{a0}999.999999',
    '1',
  ]);
  expect([wholeUnits('-1999', 3, 2), wholeUnits('12', 0), wholeUnits('1', 18)]).toEqual(['-1.99', '12', '0']);
  const scale = reportOf();
  expect(valueText('1012300', 'pps', scale)).toBe('1.0123');
  expect(valueText(0.0123, 'fraction', scale)).toBe('1.23%');
  expect(valueText(null, 'usd', scale)).toBe('n/a');
});

test('behavior: alerts are in the full edition alone, and what happened after the month is no part of it', () => {
  const alert = {
    opened_at: '2026-10-30T00:00:00.000Z',
    severity: 'critical',
    rule_id: 'vault_paused',
    message: 'Paused',
    acknowledged_at: '2026-10-31T00:00:00.000Z',
    resolved_at: '2026-11-02T00:00:00.000Z',
  } as const;
  const { tables } = incidentSection(answers, span.to, { alerts: [alert], total: 1 });
  expect(tables.map(({ id }) => id)).toEqual(['events', 'alerts']);
  expect(tables[1]?.rows[0]?.slice(4).map(({ value }) => value)).toEqual([alert.acknowledged_at, null]);
  expect(tables[0]?.rows).toHaveLength(1);
  expect(incidentSection(answers, span.to, null).tables.map(({ id }) => id)).toEqual(['events']);
});
