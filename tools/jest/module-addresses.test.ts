import { expect, test } from '@jest/globals';
import { moduleAddresses } from './module-addresses.ts';

const { addressOf } = moduleAddresses('file:///repo/', { sharesStateless: true });
const from = (importer: string, testFile = 7) => ({ importer: `file:///repo/${importer}`, testFile });

test('default: a module of ours is another one for each test file, a package is not', () => {
  const service = 'file:///repo/services/a/src/main.ts';
  expect(addressOf(service, from('services/a/src/main.test.ts'))).toBe(`${service}?test-file=7`);
  expect(addressOf(`${service}?test-file=7`, from('x.ts', 8))).toBe(`${service}?test-file=8`);
  for (const url of ['node:fs', 'file:///repo/node_modules/zod/index.js', 'file:///elsewhere/x.ts'])
    expect(addressOf(url, from('x.ts'))).toBe(url);
});

test('behavior: schemas and ABIs are evaluated once, their tests and fixtures for each test file', () => {
  for (const url of ['file:///repo/packages/contracts/src/errors.ts', 'file:///repo/packages/chain/src/abi/erc20.ts'])
    expect(addressOf(url, from('x.ts'))).toBe(url);
  for (const url of [
    'file:///repo/packages/contracts/src/primitives.test.ts',
    'file:///repo/packages/contracts/src/some.fixture.ts',
    'file:///repo/packages/chain/src/client.ts',
  ])
    expect(addressOf(url, from('x.ts'))).toBe(`${url}?test-file=7`);
});

test('behavior: where they are not shared they are evaluated for each test file too', () => {
  const each = moduleAddresses('file:///repo/', { sharesStateless: false });
  const schemas = 'file:///repo/packages/contracts/src/errors.ts';
  expect(each.addressOf(schemas, from('x.ts'))).toBe(`${schemas}?test-file=7`);
});

test('error: a module that is evaluated once imports none that is not', () => {
  const client = 'file:///repo/packages/chain/src/client.ts';
  expect(() => addressOf(client, from('packages/chain/src/abi/erc20.ts'))).toThrow('is evaluated once');
});
