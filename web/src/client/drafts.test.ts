import { expect, test } from '@jest/globals';
import { memoryStorage } from '../../test/memory-storage.ts';
import { draftPrefix, dropAllDrafts } from './drafts.ts';

test('behavior: signing out drops every draft and nothing else', () => {
  const storage = memoryStorage();
  storage.setItem(`${draftPrefix}0x1:31337:0x2:`, '{}');
  storage.setItem('castellan_theme', 'dark');
  storage.setItem(`${draftPrefix}0x1:31337:0x2:idle`, '{}');
  dropAllDrafts(storage);
  expect([storage.length, storage.getItem('castellan_theme')]).toEqual([1, 'dark']);
});
