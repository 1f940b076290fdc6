import { Problem } from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { expect } from '@jest/globals';
import { connect } from '../../services/ai/test/chat-client.ts';
import { requestsFor } from '../../services/gateway/test/route-requests.ts';
import type { World } from './world.ts';

/** What became of a token: let in, or the code it was refused with. */
export type Outcome = 'let in' | string;
type Entrance = (world: World, token: string) => Promise<Outcome>;

/** The code of a refusal of the gateway, which is a problem document and a challenge (RFC 6750). */
async function refusalOf(answer: Response): Promise<Outcome> {
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  const problem = Problem.parse(await answer.json());
  expect(problem.status).toBe(answer.status);
  if (answer.status === 401) expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  else expect(answer.status).toBe(503);
  return problem.code;
}

async function ask(url: string, token: string, more: RequestInit = {}): Promise<Outcome> {
  const opened = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...more.headers };
  const answer = await fetch(url, { ...more, headers, signal: opened.signal });
  if (answer.status >= 400) return refusalOf(answer);
  // A stream has no end to wait for.
  opened.abort();
  return 'let in';
}

const listTools = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
};

const streamOf = ({ vault }: World): string =>
  requestsFor({ vault_address: vault.vault_address, wallet_address: vault.vault_address })('stream').url;

/** Every way by which a token comes in from outside. */
export const entrances: Readonly<Record<string, Entrance>> = {
  http: (world, token) => ask(`${world.origin}/api/v1/auth/me`, token),
  'event stream': (world, token) => ask(`${world.origin}${streamOf(world)}`, token),
  mcp: (world, token) => ask(`${world.origin}/mcp`, token, listTools),
  chat: async ({ origin }, token) => {
    try {
      const { socket } = await connect(0, undefined, { auth: { token } }, origin);
      socket.close();
      return 'let in';
    } catch (error) {
      return String((error as { data?: { code?: unknown } }).data?.code ?? error);
    }
  },
};

/** What each entrance makes of a token. That a call ended too late on a busy machine says nothing of the token. */
export async function atEveryEntrance(world: World, token: string): Promise<Record<string, Outcome>> {
  const outcomes = Object.entries(entrances).map(async ([name, enter]) => {
    const outcome = await until(`an answer to ${name}`, async () => {
      const given = await enter(world, token);
      return given !== 'SERVICE_UNAVAILABLE' && given;
    });
    return [name, outcome] as const;
  });
  return Object.fromEntries(await Promise.all(outcomes));
}

/** The same outcome at every entrance. */
export const everywhere = (outcome: Outcome): Record<string, Outcome> =>
  Object.fromEntries(Object.keys(entrances).map((name) => [name, outcome]));
