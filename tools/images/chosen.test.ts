import { expect, test } from '@jest/globals';
import { bundledServices } from '../bundle/programs.ts';
import { chosenServices } from './chosen.ts';

test('default: all images, or those that are named and the gateway', () => {
  expect(chosenServices([])).toEqual(bundledServices);
  expect(chosenServices(['users'])).toEqual(['gateway', 'users']);
  expect(chosenServices(['gateway'])).toEqual(['gateway']);
});

test('error: a name that no service has', () => {
  expect(() => chosenServices(['users', 'keeper'])).toThrow(/no image of keeper, but of gateway/);
});
