import { expect, test } from '@jest/globals';
import { serviceNameOf } from './service-name.ts';

test.each([
  ['/app/services/vaults/src/main.js', 'vaults'],
  ['/app/services/vaults/src/keeper/main.js', 'keeper'],
  ['/app/services/validator-node/bin/castellan-validator.js', 'validator-node'],
])('default: %s is traced as %s', (program, name) => {
  expect(serviceNameOf(program)).toBe(name);
});
