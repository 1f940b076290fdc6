import type { Call } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import fastify from 'fastify';
import { type Format, sendExport } from './download.ts';

const receipt = { value: '7', method: 'value', formula: 'value', inputs: [] };

/** Two pages of one row each. */
const pages =
  (receipts: boolean) =>
  (_action: unknown, { after }: { after?: string }) =>
    Promise.resolve({
      block_number: 9,
      columns: [{ name: 'pps', type: 'integer' }],
      rows: [[after === undefined ? '7' : '8']],
      next: after === undefined ? 'more' : null,
      ...(receipts ? { receipts: [{ pps: receipt }] } : {}),
    });

async function fileOf(format: Format, receipts: boolean): Promise<string> {
  const app = fastify();
  const params = { chain_id: 1, vault_address: '0xaa', dataset: 'pps' } as const;
  app.get('/', (_request, reply) =>
    sendExport(pages(receipts) as unknown as Call['callAction'], reply, params, format),
  );
  const { body } = await app.inject('/');
  await app.close();
  return body;
}

test('default: pages become one file of each format', async () => {
  expect(await fileOf('csv', false)).toBe('pps\r\n7\r\n8\r\n');
  expect(JSON.parse(await fileOf('json', false))).toEqual([{ pps: '7' }, { pps: '8' }]);
  expect(await fileOf('ndjson', false)).toBe('{"pps":"7"}\n{"pps":"8"}\n');
});

test('behavior: rows have the receipts of their figures where they were asked for; CSV has no place for them', async () => {
  const row = (pps: string) => ({ pps, receipts: { pps: receipt } });
  expect(JSON.parse(await fileOf('json', true))).toEqual([row('7'), row('8')]);
  expect(await fileOf('ndjson', true)).toBe(`${JSON.stringify(row('7'))}\n${JSON.stringify(row('8'))}\n`);
  expect(await fileOf('csv', true)).toBe('pps\r\n7\r\n8\r\n');
});
