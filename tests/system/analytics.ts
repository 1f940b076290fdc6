import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { baseUrl, stateDir, until } from './actors.ts';
import { patientFetch } from './patient-fetch.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const paths = ['overview', 'pps', 'performance', 'risk', 'users', 'users/top', 'operations', 'fees'];

const ask = (vault: string, path: string): Promise<Response> =>
  patientFetch(`${baseUrl()}/api/v1/vaults/${vault}/analytics/${path}`);

async function read(vault: string, path: string): Promise<string> {
  const response = await ask(vault, path);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.text();
}

/** An answer with its receipts; those of a long history are asked for part by part. */
async function readReceipts(vault: string, path: string, block: number): Promise<string> {
  const response = await ask(vault, `${path}?receipt=true&block=${block}`);
  const text = await response.text();
  if (response.ok) return text;
  if (!text.includes('ANSWER_TOO_LARGE')) throw new Error(`${path}: ${text}`);
  const whole = await read(vault, `${path}?block=${block}`);
  const parts = Object.keys(JSON.parse(whole) as object).filter((name) => name !== 'quality');
  const receipts: string[] = [];
  for (const name of parts) receipts.push(await read(vault, `${path}?receipt=${name}&block=${block}`));
  return [whole, ...receipts].join('\n');
}

/** The newest block that a vault's figures are of. */
export async function newestBlock(vault: string, withinMs: number): Promise<number> {
  const text = await until('the first projection', () => read(vault, 'overview').catch(() => undefined), withinMs);
  return (JSON.parse(text) as { block_number: number }).block_number;
}

/** Every figure of a vault at a block, with its receipts, as the API answers. @param vault - `<chain>/<address>`. */
export const figuresAt = (vault: string, block: number): Promise<string[]> =>
  Promise.all(paths.map((path) => readReceipts(vault, path, block)));

/** Has analytics project the log from its beginning. Until that is done it answers nothing. @returns what the program printed. */
export async function rebuildAnalytics(chainId: number): Promise<string> {
  const uri = readFileSync(join(stateDir(), 'store-users/analytics.uri'), 'utf8');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'services/analytics/src/rebuild.ts'), '--chain', String(chainId)],
    { cwd: root, env: { ...process.env, MONGODB_URI: uri } },
  );
  return stdout;
}
