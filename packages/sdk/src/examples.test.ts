import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Route, routes } from '@castellan/contracts';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient } from './index.ts';
import { operationNames } from './types.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const address = (byte: string) => JSON.stringify(`0x${byte.repeat(20)}`);
const hash = (byte: string) => JSON.stringify(`0x${byte.repeat(32)}`);

/** What examples may use without declaring it; the README of the package lists it. */
const given = `
const vault_address = ${address('11')};
const vault = { chain_id: '1', vault_address };
const target = { chain_id: 1, vault_address };
const vault_id = \`1:\${vault_address}\`;
const wallet_address = ${address('22')};
const manager_address = ${address('33')};
const source_address = ${address('44')};
const oracle_address = ${address('55')};
const hook_address = ${address('66')};
const id = '0199a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b';
const channel_id = id;
const tx_hash = ${hash('aa')};
const root = ${hash('bb')};
const leaf_hash = ${hash('cc')};
const artifact_hash = ${hash('dd')};
const message = 'app.example.org wants you to sign in';
const signature = '0x00';
const access_token = 'secret';
const hook: Omit<Parameters<Client['updateRegistryHook']>[0]['body'], 'version'> = {
  name: 'ApproveAndDeposit4626',
  hook_type: 'DEPOSIT',
  addresses: [{ chain_id: 1, address: hook_address }],
  inspect_params: [{ name: 'source', solidity_type: 'address', ref_type: 'yield_source', param_order: 0 }],
  calldata: [{ name: 'source', solidity_type: 'address' }],
};
const definition: Omit<Parameters<Client['updateStrategy']>[0]['body'], 'version'> = {
  name: 'Deposit what is idle',
  indicators: [],
  rules: { type: 'EXPR', expr: 'free_assets > 1_000 USDC' },
  action_config: {
    action: 'DEPOSIT',
    execution_name: 'Deposit',
    size_expr: 'free_assets',
    execution_address: source_address,
    target_address: source_address,
  },
  max_concurrent: 1,
};
const mandate: Parameters<Client['draftMandate']>[0]['body']['document'] = {
  format: 1,
  title: 'Mandate',
  promises: [{ id: 'liquidity', kind: 'idle_share', at_least_bps: 200 }],
};
`;

/** Code of every `@example` in a text: to the next tag, or to the end of its docstring. */
const examplesIn = (source: string): string[] =>
  [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\//g)].flatMap(([, docstring = '']) =>
    docstring
      .replaceAll(/^ *\* ?/gm, '')
      .split(/(?:^|\s)@(?=[a-z])/)
      .filter((tag) => tag.startsWith('example'))
      .map((tag) => tag.slice('example'.length).trim()),
  );

const examples = ['packages/contracts/src/**/*.ts', 'packages/sdk/src/*.ts']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => examplesIn(readFileSync(join(root, file), 'utf8')));

/** The first call of a method of the client. */
const methodOf = (code: string): string | undefined => /\bclient\.(\w+)\(/.exec(code)?.[1];

const named = Object.entries(routes as Record<string, Route>).map(([key, route]) => ({
  route,
  name: (operationNames as Record<string, string>)[key] ?? key,
}));
const folder = mkdtempSync(join(tmpdir(), 'castellan-examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const imports = `
import { operateRoutes, publicRoutes } from '@castellan/contracts';
import { ApiError, type Client, createClient, createGrowingClient } from '@castellan/sdk';
`;

/** Each code as a function of its own; those that make a client take none. */
const moduleOf = (codes: readonly string[]): string =>
  [imports, given]
    .concat(
      codes.map((code, index) => {
        const parameters = /const client\b/.test(code) ? '' : 'client: Client';
        return `export async function example${index}(${parameters}) {\n${code}\n}`;
      }),
    )
    .join('\n');

/** What the compiler says of some modules, all in one program; a line for each fault. */
function faultsOf(modules: Readonly<Record<string, string>>): string[] {
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
  const options = {
    paths: { '@castellan/*': [join(root, 'packages/*/src/index.ts')] },
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
  };
  const files = Object.keys(modules);
  const project = { extends: join(root, 'tsconfig.base.json'), compilerOptions: options, files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, error } = spawnSync(process.execPath, [compiler, '-p', '.', '--checkers', '1'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error) throw error;
  return stdout.split('\n').filter((line) => line !== '');
}

/** The request that the example sends, as its route sees it. */
async function requestOf(code: string): Promise<{ method: string; url: URL; body: unknown }> {
  const sent = Promise.withResolvers<{ method: string; url: URL; body: unknown }>();
  const client = createClient({
    baseUrl: 'http://x',
    token: 'secret',
    fetch: async (url, init) => {
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      sent.resolve({ method: init?.method ?? 'GET', url: new URL(String(url)), body });
      throw new TypeError('fetch failed');
    },
  });
  const lines = stripTypeScriptTypes(`async function example() {${given}\n{\n${code}\n}\n}`);
  const run = new Function('client', `${lines}\nreturn example();`) as (given: typeof client) => Promise<unknown>;
  await run(client).catch(sent.reject);
  return sent.promise;
}

describe('examples of the methods', () => {
  test('default: every method has one', () => {
    const shown = new Set(examples.map(methodOf));
    const methods = [
      ...named.filter(({ route }) => route.action).map(({ name }) => name),
      'streamVault',
      'followVault',
    ];
    expect(methods.filter((name) => !shown.has(name))).toEqual([]);
    for (const maker of ['createClient(', 'createGrowingClient('])
      expect(examples.filter((code) => code.includes(maker))).toHaveLength(1);
  });

  test('default: all of them compile, and the compiler finds one that does not', () => {
    const wrong = moduleOf(["await client.vault({ params: { chain_id: '1' } });"]);
    const faults = faultsOf({ 'examples.mts': moduleOf(examples), 'wrong.mts': wrong });
    expect(faults.filter((line) => line.startsWith('examples.mts'))).toEqual([]);
    expect(faults.join()).toMatch(/^wrong\.mts.*vault_address/);
  });

  test.each(
    named.flatMap(({ name, route }) =>
      examples
        .filter((code) => methodOf(code) === name && !code.includes('createClient'))
        .map((code) => ({ name, route, code })),
    ),
  )('behavior: $name takes the request of its example', async ({ route, code }) => {
    const { method, url, body } = await requestOf(code);
    expect(method).toBe(route.method);
    const path = new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(
      decodeURIComponent(url.pathname),
    );
    const faults = [
      [route.params, { ...path?.groups }],
      [route.query, Object.fromEntries(url.searchParams)],
      ...(route.body ? [[route.body, body]] : []),
    ].flatMap(([schema, value]) => (schema as Route['params']).safeParse(value).error?.issues ?? []);
    expect(faults).toEqual([]);
  });
});
