import { expect, test } from '@jest/globals';
import { roleOnVault } from './role-on-vault.ts';

const standing = { primary: 'a', secondary: ['b', 'c'], isViewer: false };

test('default: the role of a manager, of a viewer, and of nobody', () => {
  expect(roleOnVault('a', standing)).toBe('primary_manager');
  expect(roleOnVault('c', standing)).toBe('secondary_manager');
  expect(roleOnVault('d', { ...standing, isViewer: true })).toBe('view_only');
  expect(roleOnVault('d', standing)).toBeNull();
});

test('behavior: the highest role counts', () => {
  expect(roleOnVault('a', { primary: 'a', secondary: ['a'], isViewer: true })).toBe('primary_manager');
  expect(roleOnVault('b', { ...standing, isViewer: true })).toBe('secondary_manager');
});
