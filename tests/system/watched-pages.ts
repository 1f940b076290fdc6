import type { Page, Response } from 'playwright-core';

/** A page a test opened, with what it has written and asked since. */
export type WatchedPage = {
  readonly page: Page;
  /** Uncaught errors, and what the console calls an error, but for refusals that the page handles. */
  readonly errors: string[];
  readonly console: string[];
  readonly network: string[];
};

/** Where tests and the jest environment, which collects what belongs to a failure, meet: a property of the tests' global. */
const REGISTRY = 'castellanWatchedPages';
type Registry = { [REGISTRY]?: WatchedPage[] };

export const watchedPages = (global: object): WatchedPage[] => {
  const registry = global as Registry;
  registry[REGISTRY] ??= [];
  return registry[REGISTRY];
};

const stamp = (): string => new Date().toISOString().slice(11, 23);

function networkLine(response: Response): string {
  const { startTime, responseEnd } = response.request().timing();
  const took = startTime > 0 && responseEnd > 0 ? ` ${Math.round(responseEnd)} ms` : '';
  return `${stamp()} ${response.status()} ${response.request().method()} ${response.url()}${took}`;
}

/** Follows a page: its errors fail the test, and a failed test keeps its picture, console and network log. */
export function watch(page: Page): WatchedPage {
  const watched: WatchedPage = { page, errors: [], console: [], network: [] };
  page.on('pageerror', (error) => {
    watched.errors.push(error.message);
    watched.console.push(`${stamp()} uncaught: ${error.stack ?? error.message}`);
  });
  page.on('console', (message) => {
    watched.console.push(`${stamp()} ${message.type()}: ${message.text()}`);
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) watched.errors.push(message.text());
  });
  page.on('response', (response) => watched.network.push(networkLine(response)));
  page.on('requestfailed', (request) =>
    watched.network.push(`${stamp()} failed ${request.method()} ${request.url()}: ${request.failure()?.errorText}`),
  );
  watchedPages(globalThis).push(watched);
  return watched;
}
