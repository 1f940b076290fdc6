import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { displayOf } from './display-of.ts';

test('default: how each element shows is kept, the more special rule behind the general one, and nothing else', () => {
  const styles = `/* div { display: none } */ @namespace "x"; div, p { margin: 1px; display: block;
    color: red } b { font-weight: bold } [hidden], p { display: none }`;
  expect(displayOf(styles).split('\n')).toEqual([
    'div, p { display: block }',
    'p { display: none }',
    '[hidden] { display: none }',
  ]);
});

test("behavior: of jsdom's own styles remains what hides an element", () => {
  const styles = displayOf(createRequire(import.meta.url)('jsdom/lib/jsdom/browser/default-stylesheet.js') as string);
  for (const hidden of ['[hidden]', 'input[type="hidden"]', 'dialog:not([open])'])
    expect(styles.split('\n')).toContain(`${hidden} { display: none }`);
  expect(styles).toMatch(/^head, meta, title, link, style, script,.* { display: none }$/m);
  expect(styles).not.toMatch(/margin|color|font/);
});
