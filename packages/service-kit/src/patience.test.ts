import { expect, test } from '@jest/globals';
import { createLogger } from './logger.ts';
import { untilAvailable } from './patience.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const away = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:4222'), { code: 'ECONNREFUSED' });

test('behavior: work of a start is done again while the bus or the store is away', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries === 1) throw away();
    return 'made';
  };
  expect(await untilAvailable('streams could not be made', log, work)).toBe('made');
  expect(tries).toBe(2);
});

test('error: what is no fault of the infrastructure ends the start at once', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    throw new TypeError('The index has no key.');
  };
  await expect(untilAvailable('indexes could not be made', log, work)).rejects.toThrow('The index has no key.');
  expect(tries).toBe(1);
});
