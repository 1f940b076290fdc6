import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Client, createClient } from '@castellan/sdk';
import { UsageError, type World } from './command.ts';

/** Who is signed in, and where. */
export type SavedSession = { url: string; wallet_address: string; access_token: string };

type ClientOfDeployment = { client: Client; baseUrl: string; hasToken: boolean };

const defaultUrl = 'http://127.0.0.1:8080';

/** Options of every command that asks the API. */
export const apiOptions = {
  url: {
    value: 'URL',
    summary: 'the deployment; else CASTELLAN_URL, else where you signed in, else that of npm start',
  },
  json: { summary: 'prints JSON instead of text' },
} as const;

const fileOf = ({ XDG_CONFIG_HOME }: World['env']): string =>
  join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'castellan', 'session.json');

function savedSession(env: World['env']): SavedSession | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(env), 'utf8')) as SavedSession;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // What the parser says of it would show a part of the token.
    throw new UsageError(`${fileOf(env)} cannot be read. Remove it and sign in again.`, '');
  }
}

/** Keeps a token where this user alone reads it. */
export function saveSession(env: World['env'], session: SavedSession): string {
  const file = fileOf(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // A mode given to an existing file would not count.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(session), { mode: 0o600 });
  return file;
}

/** Forgets the token. */
export const forgetSession = (env: World['env']): void => rmSync(fileOf(env), { force: true });

const originOf = (url: string): string => {
  if (!URL.canParse(url)) throw new UsageError(`"${url}" is no URL such as https://app.example.org.`);
  return new URL(url).origin;
};

/** The deployment that is meant. */
export const urlOf = (url: string | undefined, { env }: World): string =>
  originOf(url ?? (env.CASTELLAN_URL || savedSession(env)?.url || defaultUrl));

/** Nobody answered at the address of the deployment. */
export class DeploymentAway extends Error {
  constructor(url: string, cause: unknown) {
    const { message, cause: deeper } = cause as Error;
    const reason = (deeper as { code?: string } | undefined)?.code ?? message;
    super(`Nobody answers at ${url} (${reason}). Name another deployment with --url or CASTELLAN_URL.`, { cause });
    this.name = 'DeploymentAway';
  }
}

/** `fetch` that says who did not answer. */
export const namingFetch =
  (baseUrl: string, send: typeof fetch = fetch): typeof fetch =>
  async (input, init) => {
    try {
      return await send(input, init);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      throw new DeploymentAway(baseUrl, error);
    }
  };

/** A client of the deployment, with the token of CASTELLAN_TOKEN or of `castellan login` there. A token goes to no other deployment. */
export function clientFor(url: string | undefined, world: World): ClientOfDeployment {
  const { env, fetch } = world;
  const baseUrl = urlOf(url, world);
  const saved = savedSession(env);
  const token = env.CASTELLAN_TOKEN || (saved?.url === baseUrl ? saved.access_token : undefined);
  return {
    baseUrl,
    hasToken: token !== undefined,
    client: createClient({
      baseUrl,
      retries: 3,
      ...(token === undefined ? {} : { token }),
      fetch: namingFetch(baseUrl, fetch),
    }),
  };
}
