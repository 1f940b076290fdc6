import { expect, test } from '@jest/globals';
import { affectedBy } from './affected.ts';

const processes = [
  { name: 'gateway', modules: new Set(['/p/contracts/a.ts', '/s/gateway/main.ts']), isDown: false },
  { name: 'auth', modules: new Set(['/p/contracts/a.ts', '/p/tokens/b.ts']), isDown: false },
  { name: 'ai', modules: new Set<string>(), isDown: true },
];
const running = processes.filter(({ isDown }) => !isDown);

test('default: a change concerns the process that imported the file, and no other', () => {
  expect(affectedBy(['/s/gateway/main.ts'], running)).toEqual(['gateway']);
});

test('behavior: a shared file concerns every process that imported it', () => {
  expect(affectedBy(['/p/contracts/a.ts'], running)).toEqual(['gateway', 'auth']);
});

test('behavior: several files concern a process once', () => {
  expect(affectedBy(['/p/contracts/a.ts', '/p/tokens/b.ts'], running)).toEqual(['gateway', 'auth']);
});

test('behavior: a file that no process imported, as a test, concerns none', () => {
  expect(affectedBy(['/s/gateway/main.test.ts'], running)).toEqual([]);
});

test('behavior: every change concerns a process that is down', () => {
  expect(affectedBy(['/s/gateway/main.test.ts'], processes)).toEqual(['ai']);
});
