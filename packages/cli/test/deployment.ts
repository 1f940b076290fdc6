import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aVault } from '@castellan/testkit';
import { afterAll } from '@jest/globals';
import { privateKeyToAccount } from 'viem/accounts';
import { apiCommands, runCommand, type World, withCompletion } from '../src/index.ts';

export const key = `0x${'11'.repeat(32)}` as const;
export const account = privateKeyToAccount(key);
export const address = (byte: string) => `0x${byte.repeat(20)}`;
export const aChain = {
  chain_id: 1,
  slug: 'ethereum',
  name: 'Ethereum',
  explorer_url: null,
  native_symbol: 'ETH',
  head_block: 1,
  indexed_block: 1,
  lag_seconds: 0,
};
export const detail = aVault({ name: 'USDC Core', symbol: 'cUSDC', total_assets: '1500000' });
/** The same in the public list. */
export const vault = {
  ...detail,
  underlying_asset_symbol: 'USDC',
  underlying_asset_decimals: 6,
  underlying_asset_address: detail.asset.address,
};

/** Where commands keep what they keep; a test may write to it. */
export const folder = mkdtempSync(join(tmpdir(), 'castellan-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export type Answer = object | ((body: Record<string, string>, url: URL) => Response);
type Parts = { env?: World['env']; answers?: Record<string, Answer>; typed?: string[] } & Pick<
  World,
  'browse' | 'signal' | 'fetch'
>;

/** Runs a command against a deployment that answers by the end of a path; what it says and what was asked. */
export async function run(args: string[], { env = {}, answers = {}, typed, ...more }: Parts = {}) {
  const said = { out: '', err: '' };
  const asked: { path: string; token: string | null; origin: string }[] = [];
  const questions: [string, boolean | undefined][] = [];
  const fake: typeof fetch = async (url, init) => {
    const at = new URL(String(url));
    const { pathname, origin } = at;
    asked.push({ path: pathname, origin, token: new Headers(init?.headers).get('authorization') });
    const found = Object.entries(answers).find(([end]) => pathname.endsWith(end))?.[1];
    if (found === undefined) return Response.json({ code: 'VAULT_NOT_FOUND', detail: 'None.' }, { status: 404 });
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    return typeof found === 'function' ? found(body, at) : Response.json(found);
  };
  const world: World = {
    env: { XDG_CONFIG_HOME: join(folder, 'config'), CASTELLAN_URL: 'https://app.example.org', ...env },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    fetch: fake,
    ...more,
    ...(typed === undefined
      ? {}
      : {
          ask: async (question: string, isSecret?: boolean) => {
            questions.push([question, isSecret]);
            return typed.shift() ?? '';
          },
        }),
  };
  const code = await runCommand(withCompletion(apiCommands), 'castellan 1.2.3', args, world);
  return { code, ...said, asked, questions };
}
