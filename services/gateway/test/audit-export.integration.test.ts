import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AuditRow } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

/** The export of the audit log as a client gets it, over several pages. */

const sorted = (value: object): string => JSON.stringify(value, Object.keys(value).sort());

function chainOf(length: number): AuditRow[] {
  const rows: AuditRow[] = [];
  for (let n = 1; n <= length; n += 1) {
    const last = rows.at(-1)?.hash ?? '0'.repeat(64);
    const row = {
      id: `row-${n}`,
      seq: n,
      timestamp: '2026-01-01T00:00:00.000Z',
      category: 'write' as const,
      action_type: '=cmd()',
      vault_address: vaultAddress,
      chain_id: 31337,
      actor_wallet: managerAddress,
      details: {},
      tx_hash: null,
      request_id: null,
      vault_seq: n,
      vault_prev_hash: last,
      prev_hash: last,
    };
    rows.push({ ...row, hash: createHash('sha256').update(sorted(row)).digest('hex') });
  }
  return rows;
}

const rows = chainOf(5);
const head = { vault_seq: 5, hash: rows[4]?.hash };
const path = `/api/v1/audit/export?chain_id=31337&vault_address=${vaultAddress}`;
let gateway: TestGateway;
let headers: { authorization: string };

beforeAll(async () => {
  gateway = await startTestGateway({ auditLog: rows });
  headers = { authorization: `Bearer ${await aToken()}` };
});
beforeEach(() => {
  gateway.spy.length = 0;
});
afterAll(() => gateway.stop());

const ask = (query = '') => gateway.http.inject({ url: `${path}${query}`, headers });

describe('GET /api/v1/audit/export', () => {
  test('default: JSON with the head and every row, one page of rows at a time', async () => {
    const answer = await ask();
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${vaultAddress}-audit-5.json"`,
      'cache-control': 'private, no-store',
      'x-audit-head': head.hash,
    });
    const exported_at = new Date(gateway.clock.now).toISOString();
    expect(answer.json()).toEqual({ vault_address: vaultAddress, chain_id: 31337, exported_at, head, rows });
    expect(gateway.spy.map(({ params }) => (params as { after?: string }).after)).toEqual([undefined, '2', '4']);
  });

  test('behavior: NDJSON opens with the head; filters are written and applied', async () => {
    const lines = (await ask('&format=ndjson&category=write')).body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ head, filters: { category: 'write' } });
    expect(lines.slice(1)).toEqual(rows);
    expect(gateway.spy[0]?.params).toMatchObject({ category: 'write', vault_address: vaultAddress });
  });

  test('behavior: CSV with one header, details as JSON, and no formula of a spreadsheet', async () => {
    const answer = await ask('&format=csv');
    const lines = answer.body.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'id,seq,timestamp,category,action_type,vault_address,chain_id,actor_wallet,details,tx_hash,request_id,vault_seq,vault_prev_hash,prev_hash,hash',
    );
    const last = rows[4] as AuditRow;
    expect(lines[5]).toBe(
      `row-5,5,${last.timestamp},write,'=cmd(),${vaultAddress},31337,${managerAddress},{},,,5,${last.prev_hash},${last.prev_hash},${last.hash}`,
    );
    expect(lines).toHaveLength(6);
  });

  test('behavior: what is downloaded verifies offline', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'castellan-export-'));
    const file = join(folder, 'audit');
    for (const format of ['json', 'ndjson']) {
      writeFileSync(file, (await ask(`&format=${format}`)).body);
      const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
      // Not synchronously: while this process stood still, the brokers in it would lose sight of each other.
      const args = ['services/users/src/audit/verify/main.ts', file];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(stdout).toBe(`ok: 5 rows, head ${head.hash}\n`);
    }
    rmSync(folder, { recursive: true });
  });

  test('error: a refusal is a problem, not a file', async () => {
    const authorization = `Bearer ${await aToken({ claims: { sub: anAddress(9), wallet_address: anAddress(9) } })}`;
    const answer = await gateway.http.inject({ url: path, headers: { authorization } });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'ROLE_REQUIRED']);
    expect((await gateway.http.inject(path)).statusCode).toBe(401);
    expect((await ask('&format=xml')).statusCode).toBe(400);
  });
});

describe('GET /api/v1/vaults/{chain_id}/{vault_address}/report', () => {
  const report = (query: string, accept?: string) =>
    gateway.http.inject({
      url: `/api/v1/vaults/31337/${vaultAddress}/report?${query}`,
      headers: accept === undefined ? {} : { accept },
    });

  test('default: the bytes as they are stored, JSON for programs and the page for browsers', async () => {
    const answer = await report('period=2026-10');
    expect([answer.statusCode, answer.body]).toEqual([200, '{}']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `inline; filename="${vaultAddress}-report-2026-10.json"`,
      'cache-control': 'private, no-cache',
      etag: `"${'ab'.repeat(32)}"`,
      vary: 'Accept, Authorization',
      'x-report-state': 'final',
    });
    const page = await report('period=2026-10', 'text/html,*/*;q=0.8');
    expect([page.headers['content-type'], page.body]).toEqual(['text/html; charset=utf-8', '<p>Report</p>']);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect((await report('period=2026-10&format=json', 'text/html')).body).toBe('{}');
  });

  test('error: a period that is no month, one that is missing, an edition that takes a role', async () => {
    const codes = await Promise.all(
      ['period=2026-13', 'period=30d', 'period=', '', 'period=2026-10&edition=full'].map(async (query) => {
        const answer = await report(query);
        return [answer.statusCode, answer.json().code];
      }),
    );
    expect(codes).toEqual([
      ...Array(3).fill([400, 'PERIOD_UNKNOWN']),
      [400, 'VALIDATION_FAILED'],
      [403, 'ROLE_REQUIRED'],
    ]);
  });
});
