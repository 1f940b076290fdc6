import { type Clock, systemClock } from './clock.ts';
import type { OnAnswer } from './deprecation.ts';
import type { ClientOptions, TokenSource } from './types.ts';

/** Where requests go, with which token, and how often; and who reads the headers of successes. */
export type Transport = {
  origin: string;
  send: typeof fetch;
  token: TokenSource;
  retries: number;
  clock: Clock;
  onAnswer?: OnAnswer;
};

/** The transport of a client; a slash at the end of `baseUrl` is dropped. */
export const transportOf = ({
  baseUrl,
  token,
  fetch: given,
  retries = 0,
  clock = systemClock,
}: ClientOptions): Transport => ({
  origin: baseUrl.replace(/\/+$/, ''),
  // Called on its own, the browser's fetch wants the window as `this`.
  send: given ?? ((input, init) => globalThis.fetch(input, init)),
  token,
  retries,
  clock,
});

/** The header with the current token; none without one. */
export async function authorizationOf(token: TokenSource): Promise<Record<string, string>> {
  const value = typeof token === 'function' ? await token() : token;
  return value === undefined ? {} : { authorization: `Bearer ${value}` };
}

/** The URL of a route; path values are encoded, absent query values left out. */
export function urlOf(
  origin: string,
  path: string,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(params[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return `${origin}${filled}${search === '' ? '' : `?${search}`}`;
}
