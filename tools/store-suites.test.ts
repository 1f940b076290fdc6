import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { storeSuites } from './store-suites.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

test('default: suites that start the store themselves, and those whose harness does', () => {
  expect(storeSuites(root)).toEqual(
    expect.arrayContaining([
      'packages/embedded/test/driver.integration.test.ts',
      'services/auth/test/auth.integration.test.ts',
      'services/gateway/test/live.integration.test.ts',
      'services/users/test/users.integration.test.ts',
      'services/validator-node/src/store/store.integration.test.ts',
    ]),
  );
});

test('behavior: suites without a store, and those about the embedded one alone, are not among them', () => {
  const suites = storeSuites(root);
  for (const other of [
    'packages/embedded/test/wire.integration.test.ts',
    'packages/embedded/test/crash.integration.test.ts',
    'packages/protocol/test/access.integration.test.ts',
  ]) {
    expect(suites).not.toContain(other);
  }
});
