import { expect, test } from '@jest/globals';
import { isRoleAtLeast, managerRoleOnVault, roleOnVault } from './decide-role-on-vault.ts';

const managers = { primary: 'a', secondary: ['b', 'c'] };

test('default: the role of a manager, of a viewer, and of nobody', () => {
  expect(roleOnVault('a', managers, false)).toBe('primary_manager');
  expect(roleOnVault('c', managers, false)).toBe('secondary_manager');
  expect(roleOnVault('d', managers, true)).toBe('view_only');
  expect(roleOnVault('d', managers, false)).toBeNull();
  expect(managerRoleOnVault('d', managers)).toBeNull();
});

test('behavior: the highest role counts', () => {
  expect(roleOnVault('a', { primary: 'a', secondary: ['a'] }, true)).toBe('primary_manager');
  expect(roleOnVault('b', managers, true)).toBe('secondary_manager');
});

test('behavior: a role may do what those below it may, and nobody may do anything', () => {
  expect(isRoleAtLeast('primary_manager', 'view_only')).toBe(true);
  expect(isRoleAtLeast('secondary_manager', 'secondary_manager')).toBe(true);
  expect(isRoleAtLeast('secondary_manager', 'primary_manager')).toBe(false);
  expect(isRoleAtLeast('view_only', 'secondary_manager')).toBe(false);
  expect(isRoleAtLeast(null, 'view_only')).toBe(false);
});
