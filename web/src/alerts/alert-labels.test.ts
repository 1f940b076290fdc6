import { expect, test } from '@jest/globals';
import { eventWord, reasonWords } from './alert-labels.ts';

test.each([
  ['ECONNREFUSED', 'nothing listens at the address (ECONNREFUSED)'],
  ['ENOTFOUND', 'the name of the server was not found (ENOTFOUND)'],
  ['TIMEOUT', 'no answer in time (TIMEOUT)'],
  ['ADDRESS_FORBIDDEN', 'notifications may not be sent to this address (ADDRESS_FORBIDDEN)'],
  ['HTTP_302', 'the server sent to another URL, which is not followed (HTTP_302)'],
  ['HTTP_404', 'there is nothing at this URL (HTTP_404)'],
  ['HTTP_418', 'the server refused it (HTTP_418)'],
  ['HTTP_503', 'the server had an error (HTTP_503)'],
  ['SOMETHING_NEW', 'SOMETHING_NEW'],
  [null, 'no reason is known'],
])('default: the reason %s is put into words', (reason, words) => {
  expect(reasonWords(reason)).toBe(words);
});

test('default: an event is named; one this page does not know keeps its name', () => {
  expect(eventWord('alert.resolved')).toBe('Alert resolved');
  expect(eventWord('alert.new')).toBe('alert.new');
});
