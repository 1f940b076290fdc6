import { describe, expect, test } from '@jest/globals';
import { readOptions, usage } from './options.ts';
import { receiptOptions } from './receipt-options.ts';

const vault = '0xb208524df384cc907146a996186e15b629cf87ba';
const target = ['--chain', '31337', '--vault', vault];

describe('the command line', () => {
  test('default: what a receipt prints is understood', () => {
    expect(readOptions([...target, '--block', '7', '--read', 'overview', '--figure', 'apy.d7'], {})).toMatchObject({
      chainId: 31337,
      vault: '0xB208524df384cc907146A996186E15B629cf87BA',
      block: 7,
      read: 'overview',
      figure: 'apy.d7',
      api: 'http://127.0.0.1:8080',
      rpc: undefined,
    });
  });

  test('behavior: --all needs no figure, and no read', () => {
    expect(readOptions([...target, '--all'], {})).toMatchObject({ read: undefined, figure: undefined });
  });

  test('behavior: the environment names the API and the chains, a flag wins', () => {
    const env = { CASTELLAN_API: 'http://api:1/', DEVNET_DEPLOYMENT_FILE: 'd.json', CHAINS: '' };
    expect(readOptions([...target, '--all'], env)).toMatchObject({
      api: 'http://api:1',
      deployment: 'd.json',
      chains: undefined,
    });
    expect(readOptions([...target, '--all', '--api', 'http://other'], env)).toMatchObject({ api: 'http://other' });
    const both = { ...env, CASTELLAN_URL: 'http://named:2' };
    expect(readOptions([...target, '--all'], both)).toMatchObject({ api: 'http://named:2' });
  });

  test('behavior: the usage says each option, and each is understood', () => {
    expect(usage).toMatch(/^castellan verify receipt/);
    for (const name of [...Object.keys(receiptOptions), 'api']) expect(usage).toMatch(new RegExp(`^  --${name} `, 'm'));
    const given = Object.entries(receiptOptions).flatMap(([name, option]) =>
      'value' in option && !['block', 'at', 'vault', 'chain', 'read'].includes(name) ? [`--${name}=1`] : [],
    );
    expect(readOptions([...target, '--read', 'overview', '--json', ...given], {})).toMatchObject({
      rpc: '1',
      json: true,
    });
  });

  test('behavior: a saved answer needs no target', () => {
    expect(readOptions(['--file', 'answer.json'], {})).toMatchObject({ file: 'answer.json' });
  });

  test.each([
    [[...target, '--read', 'overvie', '--figure', 'x'], /There is no read overvie\. Reads: overview, pps/],
    [['--all'], /--chain and --vault/],
    [[...target], /--read and the --figure/],
    [['--chain', '1', '--vault', '0x12', '--all'], /--vault must be 0x followed by 40/],
    [['--chain', 'one', '--vault', vault, '--all'], /--chain must be a whole number/],
    [[...target, '--al'], /Unknown option/],
    [[...target, '--all', '--block', '7', '--at', '2026-11-20T14:05:00Z'], /exclude each other/],
  ])('error: %p', (args, message) => {
    expect(() => readOptions(args, {})).toThrow(message);
  });
});
