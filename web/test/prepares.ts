import { jest } from '@jest/globals';
import type { Api } from '../src/client/api.ts';

/** An API whose prepares only remember what they were asked for; `asked` gives each body. */
export function preparesOf(answers: Partial<Record<keyof Api, unknown>>) {
  const prepare = jest.fn(async (_input: { body: unknown }) => {
    throw new Error('not prepared in this test');
  });
  const api = new Proxy(answers, {
    get: (target, name) => {
      const answer = target[name as keyof Api];
      if (answer !== undefined) return answer;
      if (String(name).startsWith('prepare')) return prepare;
      throw new Error(`The test expects no call of ${String(name)}.`);
    },
  }) as Api;
  return { api, asked: () => prepare.mock.calls.map(([{ body }]) => body) };
}
