import { expect, test } from '@jest/globals';
import { askApi, readSaved } from './shown.ts';

const question = { chainId: 31337, vault: '0xAa', block: 7, read: 'performance', query: 'period=7d' };
const answer = {
  chain_id: 31337,
  vault_address: '0xAa',
  as_of: '2026-11-20T00:00:00.000Z',
  block_number: 7,
  receipts: {},
};
const aReceipt = {
  value: 0.05,
  unit: 'fraction',
  method: 'value',
  formula: 'value',
  status: 'ok',
  window: null,
  sample_size: 1,
  gaps: [],
  rests_on: 'logs',
  inputs: [],
  verify: '',
};
const answering =
  (body: unknown, status = 200) =>
  () =>
    Promise.resolve(Response.json(body, { status }));

test('default: asks for the receipts of that block with the same query', async () => {
  let asked = '';
  const request = (url: string) => {
    asked = url;
    return answering(answer)();
  };
  expect(await askApi('http://api', question, request)).toEqual(answer);
  expect(asked).toBe('http://api/api/v1/vaults/31337/0xAa/analytics/performance?period=7d&receipt=true&block=7');
});

test('behavior: of one figure only its receipt is asked for, and all of them where there is none of that name', async () => {
  const asked: (string | null)[] = [];
  const request = (url: string) => {
    const receipt = new URL(url).searchParams.get('receipt');
    asked.push(receipt);
    return answering({ ...answer, receipts: receipt === 'apy.d7' ? { 'apy.d7': aReceipt } : {} })();
  };
  expect(Object.keys((await askApi('http://api', { ...question, figure: 'apy.d7' }, request)).receipts)).toEqual([
    'apy.d7',
  ]);
  expect(asked).toEqual(['apy.d7']);
  await askApi('http://api', { ...question, figure: 'apy.d8' }, request);
  expect(asked).toEqual(['apy.d7', 'apy.d8', 'true']);
});

test('default: a comparison of the vault beside itself, and files, each at the block asked about', async () => {
  const asked: [string, unknown][] = [];
  const request = (url: string, init?: RequestInit) => {
    asked.push([url, init?.body === undefined ? undefined : JSON.parse(String(init.body))]);
    if (url.includes('/export?')) return answering([{ shares: '1', receipts: {} }])();
    if (!url.includes('/compare')) return answering(answer)();
    const row = { chain_id: 31337, vault_address: '0xAa', as_of: answer.as_of, block_number: 7, metrics: {} };
    return answering({ table: [row, row], series: {}, receipts: {} })();
  };
  expect(await askApi('http://api', { ...question, read: 'compare' }, request)).toMatchObject({
    ...answer,
    series: {},
  });
  const self = { chain_id: 31337, vault_address: '0xAa', block: 7 };
  expect(asked[1]).toEqual([
    'http://api/api/v1/analytics/compare',
    { vaults: [self, self], period: '7d', receipt: true },
  ]);
  expect(await askApi('http://api', { ...question, read: 'export/users' }, request)).toEqual({
    ...answer,
    rows: [{ shares: '1' }],
  });
  expect(asked[3]?.[0]).toBe(
    'http://api/api/v1/vaults/31337/0xAa/analytics/export?period=7d&receipt=true&block=7&dataset=users&format=json',
  );
});

test('error: nobody answers, the API refuses, the answer has no receipts', async () => {
  const away = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
  await expect(askApi('http://api', question, away)).rejects.toThrow(/No answer from http:\/\/api \(ECONNREFUSED\)/);
  const problem = {
    type: 'about:blank',
    title: 'x',
    status: 404,
    detail: 'There is no vault.',
    code: 'VAULT_NOT_FOUND',
    request_id: '1',
  };
  await expect(askApi('http://api', question, answering(problem, 404))).rejects.toThrow(
    /VAULT_NOT_FOUND: There is no vault/,
  );
  const { receipts: _receipts, ...without } = answer;
  await expect(askApi('http://api', question, answering(without))).rejects.toThrow(/without usable receipts/);
});

test('error: a file that is no answer', () => {
  expect(() => readSaved('a.json', () => '{}')).toThrow(/neither an answer with receipts/);
  expect(() => readSaved('a.json', () => '{')).toThrow(/a.json cannot be read/);
});
