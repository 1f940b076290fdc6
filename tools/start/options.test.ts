import { expect, test } from '@jest/globals';
import { readOptions } from './options.ts';

test('default: one chain, and two where they are asked for', () => {
  expect(readOptions([], '/repository', {})).toMatchObject({
    devnet: true,
    chains: 1,
    stateDir: '/repository/.castellan',
  });
  expect(readOptions(['--chains', '2'], '/repository', {})).toMatchObject({ chains: 2 });
});

test('default: validators share a process unless they are asked for apart', () => {
  expect(readOptions([], '/repository', {})).toMatchObject({ validatorsApart: false });
  expect(readOptions([], '/repository', { DEVNET_VALIDATORS_APART: 'true' })).toMatchObject({ validatorsApart: true });
});

test.each(['0', '3', 'two', ''])('error: --chains "%s" is refused with what is allowed', (text) => {
  expect(() => readOptions(['--chains', text], '/repository', {})).toThrow(
    `--chains must be a whole number from 1 to 2, not "${text}".`,
  );
});
