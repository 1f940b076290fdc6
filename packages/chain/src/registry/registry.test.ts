import { describe, expect, test } from '@jest/globals';
import { superGovernorAbi } from '../abi/super-governor.ts';
import { scriptedChain, scriptedClient } from '../scripted-rpc.fixture.ts';
import { devnetChain, devnetSources, loadChains } from './chain-config.ts';
import { deployments } from './deployments.ts';
import { explorerLink } from './explorer.ts';
import { registryKeys } from './keys.ts';
import { resolveContracts } from './resolve.ts';

const KEY = 'sup3rs3cretkey';
const one = { chain_id: 1, rpc_urls: [`https://rpc.example/${KEY}`] };
const asset = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const feed = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

describe('loadChains', () => {
  test('default: a published deployment needs an RPC URL and nothing else', () => {
    expect(loadChains(JSON.stringify([one, { ...one, chain_id: 8453 }]))).toMatchObject([
      {
        chainId: 1,
        slug: 'ethereum',
        governor: deployments[1].governor,
        startBlock: 23_600_000n,
        vaults: null,
        priceFeeds: {},
      },
      { chainId: 8453, slug: 'base', blockTimeSeconds: 2 },
    ]);
  });

  test('behavior: fields can be overridden; keys become lower case', () => {
    const [chain] = loadChains(
      JSON.stringify([
        {
          ...one,
          name: 'Mine',
          price_feeds: { [asset]: feed.toLowerCase() },
          vaults: [asset],
          source_names: { [feed]: 'Lending' },
        },
      ]),
    );
    expect(chain).toMatchObject({
      name: 'Mine',
      priceFeeds: { [asset.toLowerCase()]: feed },
      vaults: [asset.toLowerCase()],
      sourceNames: { [feed.toLowerCase()]: 'Lending' },
    });
  });

  test('default: rewards of sources with the hooks for them; the pool may be missing', () => {
    const reward = { source: asset, distributor: feed, token: asset };
    const hooks = { claim: feed, swap: asset };
    const [chain] = loadChains(JSON.stringify([{ ...one, hooks, rewards: [reward, { ...reward, pool: feed }] }]));
    expect(chain).toMatchObject({ hooks, rewards: [reward, { ...reward, pool: feed }] });
    expect(loadChains(JSON.stringify([one]))[0]?.rewards).toEqual([]);
    expect(() => loadChains(JSON.stringify([{ ...one, rewards: [{ source: asset }] }]))).toThrow(/distributor/);
  });

  test('behavior: the path of a file', () => {
    expect(
      loadChains('/etc/chains.json', (path) => (path === '/etc/chains.json' ? JSON.stringify([one]) : '')),
    ).toHaveLength(1);
  });

  test.each([
    ['an unknown chain without contracts', [{ ...one, chain_id: 5 }], /governor/],
    ['no RPC URL', [{ chain_id: 1, rpc_urls: [] }], /rpc_urls/],
    ['a URL that is none', [{ chain_id: 1, rpc_urls: [`ftp://${KEY}`] }], /rpc_urls/],
    ['an unknown field', [{ ...one, rpc_url: KEY }], /rpc_url/],
    ['a bad address', [{ ...one, governor: '0x12' }], /governor/],
    ['a feed of no address', [{ ...one, price_feeds: { usdc: feed } }], /not an address/],
    ['the same chain twice', [one, one], /chainId 1 twice/],
    ['the same slug twice', [one, { ...one, chain_id: 8453, slug: 'ethereum' }], /slug ethereum twice/],
    ['an empty list', [], /CHAINS/],
  ])('error: %s is named, without the key', (_what, chains, message) => {
    const load = () => loadChains(JSON.stringify(chains));
    expect(load).toThrow(message);
    expect(load).not.toThrow(KEY);
  });

  test('error: broken JSON does not quote itself', () => {
    expect(() => loadChains(`["${KEY}`)).toThrow(/^CHAINS is not valid JSON$/);
  });
});

describe('devnetChain', () => {
  const deployment = {
    chain_id: 31_337,
    slug: 'devnet',
    name: 'Devnet',
    governor: feed,
    aggregator: feed,
    pps_oracle: feed,
    upkeep_token: feed,
    start_block: 3,
    price_feeds: { [asset]: feed },
    vaults: [{ name: 'USDC Core', vault: feed, strategy: feed, escrow: feed, asset }],
    source_names: { [feed]: 'Lending' },
  };

  test('default: the deployment file as a chain', () => {
    expect(devnetChain(deployment, { rpcUrls: ['http://127.0.0.1:8545'] })).toMatchObject({
      chainId: 31_337,
      slug: 'devnet',
      startBlock: 3n,
      aggregator: feed,
      ppsOracle: feed,
      confirmations: 1,
      observationCadenceSeconds: 15,
      explorerUrl: null,
      vaults: null,
      priceFeeds: { [asset.toLowerCase()]: feed },
    });
  });

  test('behavior: several chains are two lists in the same order', () => {
    expect(devnetSources('a.json, b.json', 'http://127.0.0.1:8545,http://127.0.0.1:8546')).toEqual([
      { deploymentFile: 'a.json', rpcUrl: 'http://127.0.0.1:8545' },
      { deploymentFile: 'b.json', rpcUrl: 'http://127.0.0.1:8546' },
    ]);
    expect(() => devnetSources('a.json,b.json', 'http://127.0.0.1:8545')).toThrow(
      'DEVNET_DEPLOYMENT_FILE names 2 chains and DEVNET_RPC_URL 1',
    );
    expect(() => devnetSources('a.json,b.json', 'http://127.0.0.1:8545,8546')).toThrow(/DEVNET_RPC_URL, entry 2/);
  });

  test('error: what is wrong with it is named', () => {
    expect(() => devnetChain({ ...deployment, governor: 'x' }, { rpcUrls: ['http://127.0.0.1:8545'] })).toThrow(
      /governor/,
    );
  });
});

test('default: contracts come from the configuration, else from the governor', async () => {
  const chain = scriptedChain({
    contracts: {
      [feed.toLowerCase()]: {
        abi: superGovernorAbi,
        functions: {
          getAddress: ([key]) => (key === registryKeys.aggregator ? asset : feed),
          getActivePPSOracle: () => asset,
        },
      },
    },
  });
  const client = scriptedClient(chain);
  expect(await resolveContracts(client, { governor: feed, aggregator: null, ppsOracle: null })).toEqual({
    governor: feed,
    aggregator: asset,
    ppsOracle: asset,
  });
  const asked = chain.requests.length;
  expect(await resolveContracts(client, { governor: feed, aggregator: feed, ppsOracle: feed })).toEqual({
    governor: feed,
    aggregator: feed,
    ppsOracle: feed,
  });
  expect(chain.requests.length).toBe(asked);
});

test('default: explorer pages', () => {
  expect(explorerLink('https://etherscan.io/', 'tx', '0xab')).toBe('https://etherscan.io/tx/0xab');
  expect(explorerLink('https://etherscan.io', 'block', 7n)).toBe('https://etherscan.io/block/7');
  expect(explorerLink(null, 'address', feed)).toBeNull();
});
