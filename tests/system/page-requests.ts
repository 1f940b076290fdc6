import { gzipSync } from 'node:zlib';
import type { Page, Request } from 'playwright-core';
import { until } from './actors.ts';
import { minedMs } from './patience.ts';

/** So long without a request in flight, a page has loaded what it wanted. */
const QUIET_MS = 500;

const isStream = (request: Request): boolean =>
  ['eventsource', 'websocket'].includes(request.resourceType()) || /\/stream|\/socket\.io/.test(request.url());

/** Follows what a page asks for. The live stream keeps the network busy for ever, so it is asked for and never in flight. */
export function requestsOf(page: Page) {
  /** All of them, in their order. */
  const asked: string[] = [];
  /** Bytes of each script, as gzip sends them. */
  const scripts = new Map<string, Promise<number>>();
  const inFlight = new Set<Request>();
  let changedAt = Date.now();
  const end = (request: Request) => {
    if (inFlight.delete(request)) changedAt = Date.now();
  };
  page.on('request', (request) => {
    asked.push(request.url());
    if (isStream(request)) return;
    inFlight.add(request);
    changedAt = Date.now();
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.endsWith('.js')) return;
    const size = response.body().then(
      (body) => gzipSync(body).length,
      () => 0,
    );
    scripts.set(response.url(), size);
  });
  const isQuiet = () => inFlight.size === 0 && Date.now() - changedAt > QUIET_MS;
  return { asked, scripts, quiet: () => until('the page asks for nothing more', async () => isQuiet(), minedMs) };
}
