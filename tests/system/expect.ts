import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { patienceMs } from './patience.ts';

type Waiting = { withinMs?: number };
type Result = { pass: boolean; message: () => string };

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> {
    /** The element is there and to be seen, now or soon. */
    toBeVisible(options?: Waiting): Promise<R>;
    /** No such element is to be seen any more. */
    toBeGone(options?: Waiting): Promise<R>;
    /** The element's text contains this, or matches it, now or soon. */
    toHaveText(wanted: string | RegExp, options?: Waiting): Promise<R>;
    /** So many elements, now or soon. */
    toHaveCount(wanted: number, options?: Waiting): Promise<R>;
  }
}

const POLL_MS = 50;

/** Reads until `isRight`; what is read while the page is between two states may fail. @returns what was read last. */
async function settled<T>(read: () => Promise<T>, isRight: (value: T) => boolean, withinMs: number) {
  const deadline = Date.now() + withinMs;
  let last: T | Error;
  do {
    last = await read().catch((error: Error) => error);
    if (!(last instanceof Error) && isRight(last)) return { pass: true, last };
    // biome-ignore lint/plugin: the interval between two readings of the page
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  } while (Date.now() < deadline);
  return { pass: false, last };
}

const firstLine = (error: unknown): string => String(error).split('\n')[0] ?? '';

async function waitedFor(locator: Locator, state: 'visible' | 'hidden', withinMs: number): Promise<Result> {
  try {
    await locator.waitFor({ state, timeout: withinMs });
    return { pass: true, message: () => `${locator} is ${state}, and should not be` };
  } catch (error) {
    const count = await locator.count().catch(() => 0);
    const found = /strict mode violation/.test(String(error)) ? String(error) : `${count} such elements are there`;
    return { pass: false, message: () => `${locator} was not ${state} within ${withinMs} ms: ${found}` };
  }
}

expect.extend({
  toBeVisible: (locator: Locator, { withinMs = patienceMs }: Waiting = {}) => waitedFor(locator, 'visible', withinMs),
  toBeGone: (locator: Locator, { withinMs = patienceMs }: Waiting = {}) => waitedFor(locator, 'hidden', withinMs),
  async toHaveText(locator: Locator, wanted: string | RegExp, { withinMs = patienceMs }: Waiting = {}) {
    const isRight = (text: string) => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
    const read = () => locator.innerText({ timeout: withinMs });
    const { pass, last } = await settled(read, isRight, withinMs);
    const got = last instanceof Error ? firstLine(last) : JSON.stringify(last);
    return { pass, message: () => `${locator} did not say ${wanted} within ${withinMs} ms, but: ${got}` };
  },
  async toHaveCount(locator: Locator, wanted: number, { withinMs = patienceMs }: Waiting = {}) {
    const { pass, last } = await settled(
      () => locator.count(),
      (count) => count === wanted,
      withinMs,
    );
    return {
      pass,
      message: () => `${locator} is there ${last} times after ${withinMs} ms, and should be ${wanted} times`,
    };
  },
});

/** Jest's `expect`, which also says of a locator what is to be seen there. */
export { expect };
