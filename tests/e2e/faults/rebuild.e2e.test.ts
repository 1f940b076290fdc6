import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@castellan/sdk';
import { expect, test } from '@jest/globals';
import { baseUrl, stateDir, until } from '../../system/actors.ts';
import { scenarioMs } from '../../system/patience.ts';

/** Analytics projected anew. Until that is done it answers nothing, which would disturb tests that read. */

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const chainId = 31337;

test(
  'behavior: a rebuild from zero answers the same bytes',
  async () => {
    const vault = (await createClient({ baseUrl: baseUrl() }).publicVaults({})).find(
      ({ name }) => name === 'USDC Core',
    );
    const read = async (path: string): Promise<string> => {
      const response = await fetch(`${baseUrl()}/api/v1/vaults/${chainId}/${vault?.vault_address}/analytics/${path}`);
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return response.text();
    };
    const overview = await until('the first projection', () => read('overview').catch(() => undefined), 60_000);
    // Before the newest that is answered, whose state may still be observed.
    const block = (JSON.parse(overview) as { block_number: number }).block_number - 1;
    const paths = ['overview', 'pps', 'performance', 'risk', 'users', 'users/top', 'operations', 'fees'];
    const ask = () => Promise.all(paths.map((path) => read(`${path}?receipt=true&block=${block}`)));
    const before = await ask();
    const uri = readFileSync(join(stateDir(), 'store-users/analytics.uri'), 'utf8');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'services/analytics/src/rebuild.ts'), '--chain', String(chainId)],
      { cwd: root, env: { ...process.env, MONGODB_URI: uri } },
    );
    expect(stdout).toMatch(/chain 31337: \d+ entries projected again in/);
    // Reads open again when the projection has caught up with the log.
    expect(await until('answers again', () => ask().catch(() => undefined))).toEqual(before);
  },
  scenarioMs,
);
