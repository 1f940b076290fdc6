import { expect, test } from '@jest/globals';
import { preparedArgs } from './kinds.ts';

test.each([
  ['deposit', 'assets'],
  ['request_redemption', 'shares'],
] as const)('security: %s of nothing is refused before anybody reads the chain for it', (kind, field) => {
  expect(preparedArgs[kind].safeParse({ [field]: '1' }).success).toBe(true);
  const { error } = preparedArgs[kind].safeParse({ [field]: '0' });
  expect(error?.issues).toMatchObject([{ path: [field], message: 'must be above zero' }]);
});
