import { expect, test } from '@jest/globals';
import { sealer } from './seal.ts';

const first = 'the first secret of thirty-two characters';
const second = 'the second secret of thirty-two characters';

test('default: what was sealed opens under its label, and is not the same twice', () => {
  const { seal, open } = sealer(first);
  const sealed = seal('a private key', 'kid-1');
  expect(open(sealed, 'kid-1')).toEqual({ text: 'a private key', isFromPrevious: false });
  expect(sealed).not.toContain('private');
  expect(seal('a private key', 'kid-1')).not.toBe(sealed);
});

test('behavior: while the secret is replaced, the former one opens and the new one seals', () => {
  const sealed = sealer(first).seal('a private key', 'kid-1');
  const both = sealer(second, first);
  expect(both.open(sealed, 'kid-1')).toEqual({ text: 'a private key', isFromPrevious: true });
  const anew = both.seal('a private key', 'kid-1');
  expect(sealer(second).open(anew, 'kid-1').isFromPrevious).toBe(false);
  expect(() => sealer(first).open(anew, 'kid-1')).toThrow('AUTH_KEY_SECRET_PREVIOUS');
});

test.each([
  ['another secret', sealer(second), (sealed: string) => sealed, 'kid-1'],
  ['another label', sealer(first), (sealed: string) => sealed, 'kid-2'],
  [
    'a changed byte',
    sealer(first),
    (sealed: string) => `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`,
    'kid-1',
  ],
  ['too few bytes', sealer(first), () => 'AAAA', 'kid-1'],
])('error: %s opens nothing', (_what, { open }, change, label) => {
  const sealed = sealer(first).seal('a private key of some length', 'kid-1');
  expect(() => open(change(sealed), label)).toThrow('cannot be opened');
});
