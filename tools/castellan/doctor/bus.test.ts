import { expect, test } from '@jest/globals';
import { checkVersion } from './bus.ts';

const settings = (replicas: number) => ({ url: 'nats://a:4222', namespace: 'castellan', replicas });

test('error: a server on which copies of a stream may come to differ is named, where there are copies', () => {
  expect(checkVersion('vaults', '2.9.10', settings(3))).toMatchObject([
    { check: 'bus', subject: 'vaults', state: 'warning', found: expect.stringContaining('2.9.10') },
  ]);
  expect(checkVersion('vaults', '2.9.10', settings(1))).toEqual([]);
  for (const version of ['2.10.27', '2.12.0', '2.15.1', '3.0.0-beta.1'])
    expect(checkVersion('vaults', version, settings(3))).toEqual([]);
});
