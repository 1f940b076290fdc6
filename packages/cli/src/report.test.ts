import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VaultReport } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { detail, folder, run, vault } from '../test/deployment.ts';

const figure = (
  id: string,
  unit: VaultReport['sections'][number]['figures'][number]['unit'],
  value: string | number | null,
) => ({
  id,
  label: id,
  value,
  unit,
  receipt: null,
  note: value === null ? 'Too few days.' : null,
});

const report: VaultReport = {
  format: 1,
  chain_id: 31337,
  vault_address: detail.vault_address,
  vault_name: 'USDC Core\u001b[2J',
  vault_symbol: 'cUSDC',
  chain_name: 'Local',
  asset_symbol: 'USDC',
  asset_decimals: 6,
  share_decimals: 18,
  pps_precision: '1000000',
  native_symbol: 'ETH',
  period: '2026-10',
  from: '2026-10-01T00:00:00.000Z',
  to: '2026-11-01T00:00:00.000Z',
  state: 'final',
  edition: 'public',
  as_of: '2026-11-01T00:00:00.000Z',
  block_number: 77,
  formulas_version: '4',
  sections: [
    {
      id: 'performance',
      title: 'Performance',
      notes: ['Without the first day.'],
      figures: [
        figure('return', 'fraction', 0.0123),
        figure('assets', 'asset', '-1234567'),
        figure('shares', 'shares', '2000000000000000000'),
        figure('gas', 'wei', '1000000000000000'),
        figure('price', 'pps', '1012300'),
        figure('value', 'usd', 1234.5),
        figure('age', 'seconds', 600),
        figure('slippage', 'bps', 3),
        figure('transactions', 'count', 4),
        figure('sharpe', 'number', null),
      ],
      tables: [
        {
          id: 'fees',
          title: 'Fees',
          columns: [
            { id: 'kind', label: 'Kind', unit: 'text' },
            { id: 'total', label: 'Total', unit: 'asset' },
          ],
          rows: [
            [
              { value: 'performance', receipt: null },
              { value: '100', receipt: null },
            ],
          ],
          total: 3,
        },
      ],
      charts: [],
    },
  ],
  reads: [],
};

/** A deployment that has the report, and notes which form it was asked for. */
async function reportOf(args: string[], given: VaultReport = report) {
  const forms: string[] = [];
  const text = `${JSON.stringify(given)}\n`;
  const answers = {
    '/public/vaults': [vault],
    '/report': (_body: object, { searchParams }: URL) => {
      forms.push([...searchParams.values()].join(' '));
      return new Response(searchParams.get('format') === 'html' ? '<!doctype html>' : text);
    },
  };
  const env = { INIT_CWD: folder };
  return { ...(await run(['report', 'cUSDC', ...args], { answers, env })), forms, text };
}

describe('the report of a month', () => {
  test('default: figures in their units, tables, and what is not known', async () => {
    const { code, out, forms } = await reportOf(['2026-10']);
    expect([code, forms]).toEqual([0, ['2026-10 public json']]);
    expect(out.split('\n')).toEqual([
      'USDC Core\u{fffd}[2J (cUSDC), 2026-10: final, public edition',
      `31337:${detail.vault_address} as of 2026-11-01T00:00:00.000Z, block 77, formulas 4`,
      '',
      'Performance',
      '  Without the first day.',
      '  return        1.23%',
      '  assets        -1.234567 USDC',
      '  shares        2 cUSDC',
      '  gas           0.001 ETH',
      '  price         1.0123',
      '  value         1234.50 USD',
      '  age           600 s',
      '  slippage      3 bp',
      '  transactions  4',
      '  sharpe        n/a             (Too few days.)',
      '',
      '  Fees',
      '  Kind         Total',
      '  performance  0.0001 USDC',
      '  2 more',
      '',
    ]);
  });

  test('behavior: JSON and page are the bytes of the server, with their SHA-256, and go over no other file', async () => {
    expect(await reportOf(['2026-10', '--json'])).toMatchObject({
      code: 0,
      out: `${JSON.stringify(report)}\n`,
      err: '',
    });
    const { err, text } = await reportOf(['2026-10', '--json', '--edition', 'full', '--to', 'report.json']);
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect([readFileSync(join(folder, 'report.json'), 'utf8'), err]).toEqual([
      text,
      `report.json: final, SHA-256 ${sha256}\n`,
    ]);
    const page = await reportOf(['2026-10', '--format', 'html', '--to', 'report.html']);
    expect([page.code, page.forms]).toEqual([0, ['2026-10 public json', '2026-10 public html']]);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toBe('<!doctype html>');
    expect(await reportOf(['2026-10', '--json', '--to', 'report.json'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('EEXIST'),
    });
  });

  test('behavior: --final takes no preview, and writes nothing then', async () => {
    const preview: VaultReport = { ...report, state: 'preview' };
    expect((await reportOf(['2026-10', '--final'])).code).toBe(0);
    expect(await reportOf(['2026-10', '--final', '--json', '--to', 'early.json'], preview)).toMatchObject({
      code: 1,
      out: '',
      err: `2026-10 is not final yet: there is a preview as of ${report.as_of}.\n`,
    });
    expect(existsSync(join(folder, 'early.json'))).toBe(false);
    expect((await reportOf(['2026-10'], preview)).out).toContain('2026-10: preview');
  });

  test.each([
    [['2026-13'], '"2026-13" is no month'],
    [['october'], '"october" is no month'],
    [[], 'MONTH is missing'],
    [['2026-10', '--format', 'pdf'], 'There is no format pdf'],
    [['2026-10', '--edition', 'secret'], 'There is no edition secret'],
  ])('error: %j is not understood, and nobody is asked', async (args, message) => {
    const { code, err, asked } = await reportOf(args);
    expect([code, err, asked]).toEqual([2, expect.stringContaining(message), []]);
  });
});
