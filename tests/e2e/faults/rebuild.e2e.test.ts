import { createClient } from '@castellan/sdk';
import { expect, test } from '@jest/globals';
import { baseUrl, until } from '../../system/actors.ts';
import { figuresAt, newestBlock, rebuildAnalytics } from '../../system/analytics.ts';
import { scenarioMs } from '../../system/patience.ts';

/** Analytics projected anew. Until that is done it answers nothing, which would disturb tests that read. */

const chainId = 31337;

test(
  'behavior: a rebuild from zero answers the same bytes',
  async () => {
    const core = (await createClient({ baseUrl: baseUrl() }).publicVaults({})).find(({ name }) => name === 'USDC Core');
    const vault = `${chainId}/${core?.vault_address}`;
    // Before the newest that is answered, whose state may still be observed.
    const block = (await newestBlock(vault, 60_000)) - 1;
    const ask = () => figuresAt(vault, block);
    const before = await ask();
    expect(await rebuildAnalytics(chainId)).toMatch(/chain 31337: \d+ entries projected again in/);
    // Reads open again when the projection has caught up with the log.
    expect(await until('answers again', () => ask().catch(() => undefined))).toEqual(before);
  },
  scenarioMs,
);
