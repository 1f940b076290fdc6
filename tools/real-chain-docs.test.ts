import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployments, loadChains } from '@castellan/chain';
import { expect, test } from '@jest/globals';
import { parse as parseToml } from 'smol-toml';
import { ChainsFile } from '../services/validator-node/src/config/schema.ts';

const page = readFileSync(
  join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/operations/real-chain.md'),
  'utf8',
);
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => `${text}`);

test('default: the configuration of the page is taken as written, with the values that the page says', () => {
  const [chains = '', feeds = ''] = blocks('json');
  expect(loadChains(chains).map(({ chainId, rpcUrls }) => [chainId, rpcUrls.length])).toEqual([
    [1, 2],
    [8453, 2],
  ]);
  const withFeeds = (JSON.parse(chains) as object[]).map((entry) => Object.assign(entry, JSON.parse(feeds)));
  expect(Object.keys(loadChains(JSON.stringify(withFeeds))[0]?.priceFeeds ?? {})).toHaveLength(2);
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\S+) \| (\S+) \|/gm)];
  const said = Object.fromEntries(rows.map(([, field, one, base]) => [field, [one, base]]));
  const { slug: _slug, name: _name, explorer_url: _explorer, native_symbol: _symbol, ...kept } = deployments[8453];
  // These two are read from the governor where they are not known.
  const { aggregator: _aggregator, pps_oracle: _oracle, ...explained } = kept;
  expect(Object.keys(said).sort()).toEqual(Object.keys(explained).sort());
  for (const [field, values] of Object.entries(said)) {
    const of = (chain: Readonly<Record<string, unknown>>) => String(chain[field] ?? 'none');
    expect([field, values]).toEqual([field, [of(deployments[1]), of(deployments[8453])]]);
  }
});

test('default: the entry of a validator is valid, with the published addresses', () => {
  const { chains } = ChainsFile.parse(parseToml(blocks('toml')[0] ?? ''));
  const { start_block, pps_oracle, governor } = deployments[8453];
  expect(chains).toMatchObject([
    { chain_id: 8453, start_block, ecdsa_oracle_address: pps_oracle, super_governor_address: governor },
  ]);
});
