import { expect, test } from '@jest/globals';
import { formatFor } from './report.ts';

test('default: JSON, for programs and for who takes anything', () => {
  expect([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/csv'].map(formatFor)).toEqual(
    Array(5).fill('json'),
  );
});

test('behavior: a browser gets the page, and so does who would rather have it', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
  expect([browser, 'text/html', 'application/json;q=0.1, TEXT/*'].map(formatFor)).toEqual(Array(3).fill('html'));
});

test('error: a weight that is no number wants nothing', () => {
  expect(formatFor('text/html;q=much')).toBe('json');
});
