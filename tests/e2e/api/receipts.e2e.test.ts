import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { baseUrl, stateDir, until } from '../../system/actors.ts';
import { keeperMs, scenarioMs } from '../../system/patience.ts';
import { patientFetch } from '../../system/patient-fetch.ts';

/** A stranger checks the published figures with the commands that the receipts print. */

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const chainId = 31337;
const saved = join(tmpdir(), `castellan-receipts-${process.pid}.json`);
const rpcUrl = () => process.env.E2E_RPC_URL ?? '';
let vault: PublicVault;

type Printed = Record<string, { verify: string }>;
type Ended = { code: number; output: string };

/** Runs a script of the repository as its npm script does. */
const run = (script: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [join(root, script), ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
    });
  });

const verify = (...args: string[]): Promise<Ended> =>
  run('services/analytics/src/verify/main.ts', [
    ...['--api', baseUrl(), '--chain', String(chainId), '--vault', vault.vault_address],
    ...args,
  ]);

const fromChain = () => ['--rpc', rpcUrl(), '--deployment', join(stateDir(), 'devnet/deployment.json')];

const read = async (path: string): Promise<string> => {
  const response = await patientFetch(`${baseUrl()}/api/v1/vaults/${chainId}/${vault.vault_address}/analytics/${path}`);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.text();
};

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const found = vaults.find(({ name }) => name === 'USDC Core');
  if (!found) throw new Error('USDC Core is not in the public list');
  vault = found;
  await until('the first projection', () => read('overview').catch(() => undefined), keeperMs);
});

afterAll(() => rmSync(saved, { force: true }));

/** `139 figures recomputed, 139 equal`, by where they were computed from. */
const countsIn = (output: string) =>
  [...output.matchAll(/^From the (receipts|chain): (\d+) figures recomputed, (\d+) equal/gm)].map((match) => ({
    from: match[1],
    recomputed: Number(match[2]),
    equal: Number(match[3]),
  }));

describe('verify:receipt', () => {
  test(
    'default: every figure of a vault comes out of its receipt, and of the chain alone',
    async () => {
      const { code, output } = await verify('--all', ...fromChain());
      expect(output).not.toContain('NOT EQUAL');
      const [receipts, chain] = countsIn(output);
      expect(receipts).toMatchObject({ from: 'receipts', equal: receipts?.recomputed });
      expect(chain).toMatchObject({ from: 'chain', equal: chain?.recomputed });
      // What a series of observations shows, the chain alone does not hold.
      const unchecked =
        /not checked: (.*): it rests on observations of earlier blocks/.exec(output)?.[1]?.split(', ') ?? [];
      const ofSeries = /^(allocation\.points|performance\/bridge\.yield_by)\./;
      expect(unchecked.filter((figure) => !ofSeries.test(figure))).toEqual([]);
      expect((chain?.recomputed ?? 0) + unchecked.length).toBe(receipts?.recomputed);
      expect(receipts?.recomputed).toBeGreaterThan(100);
      // No number that is shown is without a receipt, a comparison and the files included.
      expect(output).not.toContain('it has no receipt');
      expect(output).toMatch(/^From the receipts: .* 100 % of those with a value/m);
      expect(code).toBe(0);
    },
    scenarioMs,
  );

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  test.each([
    ['block', '800'],
    ['at', daysAgo(45)],
  ])(
    'behavior: the past, by %s, is computed from the chain too',
    async (by, moment) => {
      const { code, output } = await verify('--all', `--${by}`, moment, ...fromChain());
      expect(output).not.toContain('NOT EQUAL');
      for (const { recomputed, equal } of countsIn(output)) expect(equal).toBe(recomputed);
      expect(code).toBe(0);
    },
    scenarioMs,
  );

  test.each(['compare', 'export/fees'])('behavior: the command of a receipt of %s works as it stands', async (path) => {
    const { output } = await verify('--read', path, '--all');
    expect(output).toMatch(/^From the receipts: (\d+) figures recomputed, \1 equal/m);
    const url = `${baseUrl()}/api/v1`;
    const of = { chain_id: chainId, vault_address: vault.vault_address };
    const response =
      path === 'compare'
        ? await patientFetch(`${url}/analytics/compare`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ vaults: [of, of], metrics: ['apy_7d'], series: [], receipt: true }),
          })
        : await patientFetch(
            `${url}/vaults/${chainId}/${vault.vault_address}/analytics/export?dataset=fees&format=json&receipt=true`,
          );
    const body = (await response.json()) as { receipts?: Printed } | { receipts: Printed }[];
    const printed = Object.values((Array.isArray(body) ? body[0]?.receipts : body.receipts) ?? {});
    const [, args = ''] = (printed[0]?.verify ?? '').split(/^castellan verify receipt /);
    const { code, output: single } = await run(
      'services/analytics/src/verify/main.ts',
      args.split(' ').map((word) => word.replaceAll('"', '')),
      { CASTELLAN_API: baseUrl() },
    );
    expect(single).toContain('From its receipt: EQUAL');
    expect(code).toBe(0);
  });

  test('behavior: the command that a receipt prints works as it stands', async () => {
    const { receipts } = JSON.parse(await read('overview?receipt=true')) as {
      receipts: Record<string, { verify: string }>;
    };
    const [, args = ''] = (receipts['apy.d7']?.verify ?? '').split(/^castellan verify receipt /);
    const { code, output } = await run('services/analytics/src/verify/main.ts', args.split(' '), {
      CASTELLAN_API: baseUrl(),
    });
    expect(output).toMatch(/net_start .*PPSUpdated/);
    expect(output).toContain('From its receipt: EQUAL');
    expect(code).toBe(0);
  });

  test('behavior: an altered figure is found, by its receipt and by the chain', async () => {
    const answer = JSON.parse(await read('overview?receipt=true')) as {
      receipts: Record<string, { value: unknown; inputs: { name: string; value: unknown }[] }>;
    };
    const tvl = answer.receipts.tvl_asset;
    const [supply, pps, precision] = ['supply', 'pps', 'precision'].map((wanted) =>
      tvl?.inputs.find(({ name }) => name === wanted),
    );
    if (!tvl || !supply || !pps || !precision) throw new Error('the receipt of tvl_asset lacks inputs');
    // Consistent in itself: only the chain disproves it.
    supply.value = String(BigInt(String(supply.value)) * 2n);
    const [shares, price, unit] = [supply, pps, precision].map(({ value }) => BigInt(String(value)));
    tvl.value = String(((shares ?? 0n) * (price ?? 0n)) / (unit ?? 1n));
    writeFileSync(saved, JSON.stringify(answer));
    const both = await verify('--file', saved, '--read', 'overview', ...fromChain());
    expect(both.output).toMatch(/From the receipts: (\d+) figures recomputed, \1 equal/);
    expect(both.output).toContain('From the chain, overview.tvl_asset: NOT EQUAL');
    expect(both.code).toBe(1);
    tvl.value = '1';
    writeFileSync(saved, JSON.stringify(answer));
    const alone = await verify('--file', saved, '--figure', 'tvl_asset');
    expect(alone.output).toContain('From its receipt: NOT EQUAL: shown 1, computed');
    expect(alone.code).toBe(1);
  });

  test('error: an unknown figure is answered with those there are', async () => {
    const { code, output } = await verify('--read', 'overview', '--figure', 'apy.d8');
    expect(output).toMatch(/There is no figure apy\.d8 here\. Figures: apy\.current, apy\.d7/);
    expect(code).toBe(2);
  });
});
