import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { main } from '../../services/validator-node/src/cli/main.ts';
import { operatorCommands, runCastellan } from './commands.ts';
import { publishedCommands } from './published.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-validator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function castellan(args: string[], answers: typeof fetch = fetch) {
  const said = { out: '', err: '' };
  const into = (name: 'out' | 'err') => (text: string) => {
    said[name] += text;
  };
  const code = await runCastellan(args, { env: {}, out: into('out'), err: into('err'), fetch: answers });
  return { code, ...said };
}

const namesOf = (commands: typeof operatorCommands) =>
  commands.flatMap(({ path }) => (path.startsWith('validator ') ? [path.slice('validator '.length)] : []));

describe('castellan validator', () => {
  test('default: has every command of castellan-validator but the one that runs a node', async () => {
    let help = '';
    const out = (text: string) => {
      help += text;
    };
    const world = { argv: ['--help'], env: {}, out, err: out, fetch, sleep: async () => undefined, now: () => 0 };
    expect(await main(world)).toBe(0);
    const own = [...help.matchAll(/^ {2}(\S+(?: \S+)?) {2}/gm)].map(([, name]) => name);
    expect(own.length).toBeGreaterThan(8);
    expect(['run', ...namesOf(operatorCommands)].sort()).toEqual(own.sort());
  });

  test('behavior: it is for operators, and not in the package that is published', () => {
    expect(namesOf(publishedCommands)).toEqual([]);
  });

  test('default: a command takes its own options, and its help says how it is called here', async () => {
    const { code, out } = await castellan(['validator', 'keys', 'generate', '--help']);
    expect([code, out]).toEqual([0, expect.stringContaining('Usage: castellan validator keys generate [OPTIONS]')]);
    expect((await castellan(['validator', '--help'])).out).toContain('castellan validator bus permissions');
    expect(await castellan(['validator', 'validate', '--template'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('[monitoring]'),
    });
  });

  test('default: a node is asked at the address that is named', async () => {
    writeFileSync(join(folder, 'config.toml'), '');
    const asked: string[] = [];
    const answers: typeof fetch = async (url) => {
      asked.push(String(url));
      return new Response('ocr2_up 1\n');
    };
    const args = [
      'validator',
      'status',
      '-c',
      join(folder, 'config.toml'),
      '--host',
      'oracle-1',
      '--metrics-port',
      '7001',
    ];
    const { code, out } = await castellan(args, answers);
    expect([code, asked[0], out]).toEqual([
      0,
      'http://oracle-1:7001/metrics',
      expect.stringContaining('node           up'),
    ]);
  });

  test.each([
    [['validator', 'run'], 'There is no command "validator run".'],
    [['validator'], 'There is no command "validator".'],
    [['validator', 'keys', 'delete'], 'There is no command "validator keys delete".'],
    [['validator', 'status', '--colour'], '--colour'],
    [['validator', 'keys', 'export'], '--bundle is missing.'],
  ])('error: %j ends with 2 and says how it is used', async (args, message) => {
    const { code, err } = await castellan(args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).toContain('castellan validator ');
  });
});
