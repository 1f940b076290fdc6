import { execFile, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rolldown } from 'rolldown';
import { buildCli } from './build-cli.ts';
import { buildSdk } from './build-sdk.ts';
import { declaredForExamples, docstringExamples } from './docstring-examples.ts';
import { linksOut } from './links-out.ts';
import { tooOld } from './oldest-node.ts';
import { pack } from './pack.ts';
import { typeOf } from './schema-types.ts';
import { scriptedDeployment } from './scripted-deployment.fixture.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** What a page that only reads may carry of the SDK, compressed. */
const mostBytes = 20_000;

/** A stranger's folder, with what `npm install` would put there. */
let folder: string;
const installed = () => join(folder, 'node_modules/@castellan/sdk');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-sdk-'));
  for (const scope of ['@castellan', '@types']) mkdirSync(join(folder, 'node_modules', scope), { recursive: true });
  await buildSdk(root, installed());
  for (const name of ['viem', 'eventsource-parser', 'yaml', '@types/node'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Programs of the README, of the page of mandates, and of the guides of docs/guides that use the package. */
const programs = ['packages/sdk/README.md', 'docs/mandates.md', ...globSync('docs/guides/*.md', { cwd: root }).sort()]
  .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)])
  .map(([, code = '']) => code)
  .filter((code) => code.includes("from '@castellan/sdk"));

/** Each example as a function of its own; those that make a client take none. */
const examplesModule = (): string =>
  [
    "import { ApiError, type Client, createClient, createSession, hasCode, itemsOf } from '@castellan/sdk';",
    declaredForExamples,
    ...docstringExamples(root)
      .filter((code) => !code.includes('createGrowingClient'))
      .map((code, index) => {
        const parameters = /const client\b/.test(code) ? '' : 'client: Client';
        return `export async function example${index}(${parameters}) {\n${code}\n}`;
      }),
  ].join('\n');

/** Names of routes whose types are others than what the schemas infer. */
const comparison = `
import type * as Ours from '@castellan/contracts';
import type * as Built from '@castellan/sdk';
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Names = keyof Ours.Routes | keyof Built.Routes;
type Other<A, B, K> = K extends keyof A & keyof B ? (Same<A[K], B[K]> extends true ? never : K) : K;
type Inputs<R> = { [K in keyof R]: Ours.RouteInput<R[K]> };
type Results<R> = { [K in keyof R]: Ours.RouteResult<R[K]> };
type BuiltInputs = { [K in keyof Built.Routes]: Built.RouteInput<Built.Routes[K]> };
type BuiltResults = { [K in keyof Built.Routes]: Built.RouteResult<Built.Routes[K]> };
declare const otherRequest: Other<Inputs<Ours.Routes>, BuiltInputs, Names>;
declare const otherResult: Other<Results<Ours.Routes>, BuiltResults, Names>;
declare const otherChange: Other<{ [K in Ours.PreparedKind]: Ours.PreparedArgs<K> }, Built.PreparedArgsByKind, Ours.PreparedKind | Built.PreparedKind>;
declare const otherCode: Exclude<Ours.ErrorCode, Built.ErrorCode> | Exclude<Built.ErrorCode, Ours.ErrorCode>;
export const requests: [never] = [otherRequest] as [typeof otherRequest];
export const results: [never] = [otherResult] as [typeof otherResult];
export const changes: [never] = [otherChange] as [typeof otherChange];
export const codes: [never] = [otherCode] as [typeof otherCode];
`;

const ofThisRepository = {
  extends: join(root, 'tsconfig.base.json'),
  compilerOptions: {
    paths: { '@castellan/contracts': [join(root, 'packages/contracts/src/index.ts')] },
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
  },
};

/** What the compiler says of the files of the folder; a line for each fault, with what it adds in further lines. */
function faultsOf(files: Readonly<Record<string, string>>, project: object = ofThisRepository): string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...project, files: Object.keys(files) }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, error } = spawnSync(process.execPath, [compiler, '-p', '.', '--checkers', '1'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error) throw error;
  return stdout.split(/\n(?! )/).filter((fault) => fault !== '');
}

describe('the package', () => {
  test('default: packed it is one file that npm installs with what it needs, under a name without its version', () => {
    const packed = pack(installed());
    expect(packed).toBe(join(installed(), '../castellan-sdk.tgz'));
    const { stdout } = spawnSync('tar', ['-tzf', packed], { encoding: 'utf8' });
    const files = stdout.trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining(['package/package.json', 'package/index.js', 'package/types/index.d.ts']),
    );
    const there = globSync('**/*', { cwd: installed(), withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files).toHaveLength(there.length);
  });

  test('default: it needs an event-stream parser and, for calls, viem; nothing of this repository', () => {
    const importsOf = (pattern: string) =>
      globSync(pattern, { cwd: installed() }).flatMap((file) =>
        [
          ...readFileSync(join(installed(), file), 'utf8').matchAll(/^(?:import|export) .*?from ["']([^."'][^"']*)/gm),
        ].map(([, name]) => name),
      );
    expect(new Set(importsOf('**/*.js'))).toEqual(new Set(['eventsource-parser', 'viem']));
    expect(importsOf('index.js')).toEqual(['eventsource-parser']);
    expect(new Set(importsOf('types/**/*.d.ts'))).toEqual(new Set(['viem']));
    const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      name: '@castellan/sdk',
      dependencies: { 'eventsource-parser': expect.any(String) },
      sideEffects: false,
    });
    expect(manifest.private ?? manifest.devDependencies).toBeUndefined();
  });

  test('default: every type that its declarations take of the contracts is among them', () => {
    const declared = readFileSync(join(installed(), 'types/contracts.d.ts'), 'utf8');
    const taken = globSync('types/**/*.d.ts', { cwd: installed() }).flatMap((file) => {
      const text = readFileSync(join(installed(), file), 'utf8');
      const lists = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from "[./]*contracts\.js"/gm)];
      return lists.flatMap(([, list = '']) => list.split(',').map((name) => name.replace(/\btype\b/, '').trim()));
    });
    expect(new Set(taken)).toEqual(new Set([...taken, 'RouteInput', 'PreparedCall']));
    expect(taken.filter((name) => !new RegExp(`^export (type|interface) ${name}\\b`, 'm').test(declared))).toEqual([]);
  });

  test('default: its types are those of the schemas, and accept its README, the guides and all examples', () => {
    const wrong =
      "import { createClient } from '@castellan/sdk';\nawait createClient({ baseUrl: '' }).vault({ params: {} });";
    const faults = faultsOf({
      'examples.mts': examplesModule(),
      'comparison.mts': comparison,
      'wrong.mts': wrong,
      ...Object.fromEntries(programs.map((code, index) => [`program-${index}.mts`, code])),
    });
    expect(faults.filter((line) => !line.startsWith('wrong.mts'))).toEqual([]);
    expect(faults.join()).toMatch(/wrong\.mts[\s\S]*chain_id/);
  });

  test('behavior: the set-up of the start page, which checks declarations too, finds no fault in them and in the guides', () => {
    const [, setUp = ''] =
      /```json\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/guides/start.md'), 'utf8')) ?? [];
    const files = Object.fromEntries(programs.map((code, index) => [`guide-${index}.ts`, code]));
    expect(faultsOf(files, JSON.parse(setUp))).toEqual([]);
  });

  test('default: what only reads carries no more than 20 kB of it', async () => {
    const entry = join(folder, 'reader.js');
    writeFileSync(
      entry,
      "import { createClient } from '@castellan/sdk';\nconsole.log(await createClient({ baseUrl: 'http://x' }).publicVaults({}));",
    );
    const bundle = await rolldown({ cwd: folder, input: entry, platform: 'browser' });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    const [{ code }] = output;
    expect(gzipSync(code).length).toBeLessThan(mostBytes);
    expect(code).not.toContain('verifyWebhook');
  });

  test('default: Node runs it and the programs of its README and of the guides, but those that send, against a deployment', async () => {
    const { url, stop } = await scriptedDeployment();
    for (const [index, code] of programs.entries()) writeFileSync(join(folder, `program-${index}.mts`), code);
    const running = programs.flatMap((code, index) => (code.includes('sendChange') ? [] : [index]));
    const all = `import { createClient } from '@castellan/sdk';
const [vault] = await createClient({ baseUrl: process.env.CASTELLAN_URL }).publicVaults({});
console.log('passed on as it came:', vault.newer);
for (const index of ${JSON.stringify(running)}) await import('./program-' + index + '.mts');
// One of them is a server, which goes on.
process.exit(0);`;
    writeFileSync(join(folder, 'all.mts'), all);
    writeFileSync(join(folder, 'mandate.yml'), 'format: 1');
    const env = { CASTELLAN_URL: url, WALLET_MNEMONIC: `${'test '.repeat(11)}junk`, PORT: '0' };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['all.mts'], { cwd: folder, env });
    stop();
    expect(stdout.trimEnd().split('\n')).toEqual([
      'passed on as it came: 1',
      'USDC Core 1.5 USDC',
      `0x${'22'.repeat(20)} primary_manager`,
      'pause verified',
      'pps 7',
      'Check the chain id, address or id.',
      'version 2 { format: 1 }',
      'in force since now',
      'USDC Core 1.5 USDC 1.04 fresh',
      'APY of seven days 0.0847 ok the formula the command',
      'USDC Core 1040000 USDC fresh',
      `export CHANNEL=ch_1 VAULT=0x${'22'.repeat(20)} FROM=4`,
      'export WEBHOOK_SECRET=shown-once CASTELLAN_TOKEN=bound',
      `a role: 0x${'22'.repeat(20)} primary_manager`,
    ]);
    expect(running).toHaveLength(programs.length - 2);
  });
});

/** What a Node has not that is as old as the packages say, where a program would use it without asking first. */
const newerThanNode =
  /\b(?:Promise\.try|RegExp\.escape|Error\.isError|Math\.sumPrecise|Iterator\.concat|Atomics\.pause|getOrInsert(?:Computed)?)\(|\bnew (?:URLPattern|Float16Array)\(|\busing \w+ ?=/;

const scriptsIn = (path: string) => globSync('**/*.js', { cwd: path, exclude: ['node_modules/**'] });

function oldestOf(path: string): number[] {
  const { engines } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { engines?: { node: string } };
  return (
    /(\d+)\.?(\d*)/
      .exec(engines?.node ?? '0')
      ?.slice(1)
      .map(Number) ?? []
  );
}

test('default: the SDK asks for a Node that its dependency runs on, and uses nothing newer', () => {
  const [major = 0, minor = 0] = oldestOf(installed());
  const [leastMajor = 0, leastMinor = 0] = oldestOf(join(root, 'node_modules/eventsource-parser'));
  expect(major * 1000 + minor).toBeGreaterThanOrEqual(leastMajor * 1000 + leastMinor);
  const newer = scriptsIn(installed()).filter((file) =>
    newerThanNode.test(readFileSync(join(installed(), file), 'utf8')),
  );
  expect(newer).toEqual([]);
});

test('default: a link leads to the repository, and is text where nobody knows where that is', () => {
  const text = '[one](api/sessions.md#make) [here](#codes) [out](https://example.org)';
  expect(linksOut(text, 'docs/cli.md', 'https://x')).toBe(text.replace('api/', 'https://x/blob/main/docs/api/'));
  expect(linksOut(text, 'docs/cli.md', undefined)).toBe('one [here](#codes) [out](https://example.org)');
});

test.each([
  ['20.20.2', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['24.0.0', true],
])('default: Node %s runs the command line: %s', (running, isEnough) => {
  expect(tooOld(running) === undefined).toBe(isEnough);
});

test('default: the command line is built as one program, and both packages have the version of the release', async () => {
  const to = join(folder, 'cli');
  await buildCli(root, to, 'https://github.com/example/castellan');
  const manifestIn = (path: string) =>
    JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { version: string };
  const { version } = manifestIn(root);
  expect([manifestIn(to), manifestIn(installed())]).toMatchObject([
    { version, repository: { url: 'git+https://github.com/example/castellan.git', directory: 'packages/cli' } },
    { version },
  ]);
  const castellan = (...args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [join(to, 'castellan.js'), ...args], { encoding: 'utf8' });
    return [status, stdout];
  };
  expect(castellan('--version')).toEqual([0, `castellan ${version}, Node ${process.version}\n`]);
  writeFileSync(join(to, 'audit.json'), '{}');
  expect(castellan('verify', 'audit', join(to, 'audit.json'))).toEqual([1, expect.stringMatching(/^broken: /)]);
  expect(castellan('doctor')[0]).toBe(2);
  const readme = readFileSync(join(to, 'README.md'), 'utf8');
  expect(readme).toContain('### castellan mandate check');
  expect(readme).not.toContain('operators');
  expect(readme).toContain('(https://github.com/example/castellan/blob/main/docs/api/sessions.md)');
  expect(oldestOf(to)).toEqual([22, 12]);
  expect(scriptsIn(to).filter((file) => newerThanNode.test(readFileSync(join(to, file), 'utf8')))).toEqual([]);
});

test.each([
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'array', items: { anyOf: [{ type: 'integer' }, { $ref: '#/components/schemas/A' }] } }, 'Array<number | A>'],
  [{ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } }, '[string, ...number[]]'],
  [{ type: 'object', properties: { 'a-b': { const: 1 } } }, '{\n"a-b"?: 1 | undefined;\n}'],
  [{ type: 'object', additionalProperties: { enum: ['a', 2] } }, 'Record<string, "a" | 2>'],
  [{ allOf: [{ $ref: '#/A' }, { $ref: '#/B' }] }, '(A) & (B)'],
])('default: a schema as a type: %j', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

test('error: a keyword that it does not know is refused', () => {
  expect(() => typeOf({ type: 'object', patternProperties: {} })).toThrow('cannot say "patternProperties"');
});
