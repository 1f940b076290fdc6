import { type Route, routes } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { descriptionOf, descriptions } from './descriptions.ts';

test('default: every route has a description of its own, and none is left over', () => {
  expect(Object.keys(descriptions).sort()).toEqual(Object.keys(routes).sort());
});

test('behavior: a description is found by the id of its route, also where its key is another name', () => {
  expect(descriptionOf(routes.stream as unknown as Route).summary).toBe(
    'Server-Sent Events of one vault; Last-Event-ID resumes',
  );
});

test('error: a route outside of the contracts has no description', () => {
  expect(() => descriptionOf({ id: 'nothing' })).toThrow('The route nothing has no description.');
});
