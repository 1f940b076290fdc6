import { AppError, type Caller } from '@castellan/contracts';
import { cursorOf } from '@castellan/service-kit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { getAddress, numberToHex, padHex } from 'viem/utils';
import type { DescribedSource, SourceDescriber } from '../adapters/described-source.rpc.ts';
import { describeYieldSource, listSourceCatalogue, type SourceCataloguePorts } from './read-source-catalogue.ts';

/** What is read of sources and oracles, and how often; the chain is a few functions. */

const address = (n: number) => getAddress(padHex(numberToHex(n), { size: 20 }));
const usdc = { address: address(0xa0), symbol: `USDC\u202e${'C'.repeat(100_000)}`, decimals: 6 };
const caller = { wallet_address: address(0xb0), sid: 's', issuer: 'i' } as unknown as Caller;
const ofChain = { chain_id: 1 };

type Use = [source: number, oracle: number];
type Failure = 'node' | 'other';
let vaults: { vault_address: string; uses: Use[] }[] = [];
let block = 1_500n;
let asked: string[] = [];
let failing = new Map<string, Failure>();
let codeless = new Set<string>();

function answered<T>(what: string, who: string, answer: T): Promise<T> {
  asked.push(`${what} ${Number(who)}`);
  const failure = failing.get(who);
  if (failure === undefined) return Promise.resolve(answer);
  return Promise.reject(failure === 'node' ? new AppError('RPC_UNAVAILABLE', 'away') : new Error('a strange answer'));
}

const detailOf = ({ vault_address, uses }: (typeof vaults)[number]) => ({
  vault_address,
  asset: usdc,
  allocation: uses.map(([source, oracle]) => ({
    kind: 'source',
    source_address: address(source),
    oracle_address: address(oracle),
    assets: '1',
    apy: null,
  })),
});

const describer: SourceDescriber = {
  describe: (_chain, source, { assets }) => {
    const asset = assets.get(usdc.address.toLowerCase()) ?? null;
    const described: DescribedSource = {
      source_type: 'erc4626',
      name: `Source ${Number(source)}`,
      symbol: 'S',
      decimals: 18,
      asset,
      total_assets: '1',
    };
    return answered('describe', source, described);
  },
  totalAssets: (_chain, source) => answered('total', source, `${block}`),
  hasCode: (_chain, source) => answered('code', source, !codeless.has(source)),
  isPriced: (_chain, _source, oracle) => answered('price', oracle, true),
};

const ports = {
  chains: { get: () => ({ config: { chainId: 1 } }) },
  status: { get: async () => ({ backfilled: true }) },
  log: { livingOfChain: async () => [] },
  snapshots: {
    all: async () => vaults.map((vault) => ({ detail: detailOf(vault) })),
    get: async (_chain: number, vault_address: string) => {
      const found = vaults.find((vault) => vault.vault_address === vault_address);
      return found && { detail: detailOf(found) };
    },
  },
  settingsChain: { newestBlock: async () => ({ number: block, hash: `hash of ${block}` }) },
  describer,
} as unknown as SourceCataloguePorts;

beforeEach(() => {
  vaults = [{ vault_address: address(0x100), uses: [] }];
  block = 1_500n;
  asked = [];
  failing = new Map();
  codeless = new Set();
});

const aVault = (n: number, ...uses: Use[]) => ({ vault_address: address(n), uses });
const numbersOf = (sources: readonly { source_address: string }[]) =>
  sources.map(({ source_address }) => Number(source_address));

describe('one address', () => {
  test('behavior: oracles of the vault that is named come before those that strangers pair with the source', async () => {
    const strangers = Array.from({ length: 12 }, (_, n) => aVault(0x200 + n, [1, 0x50 + n]));
    vaults = [aVault(0x100, [2, 0x40], [3, 0x40]), ...strangers];
    const { oracles } = await describeYieldSource(ports)(
      { ...ofChain, source_address: address(1), vault_address: address(0x100) },
      caller,
    );
    expect(oracles).toHaveLength(8);
    expect(oracles[0]).toEqual({ oracle_address: address(0x40), used_by: 1, is_used_for_it: false, answers: true });
    expect(oracles[1]).toMatchObject({ is_used_for_it: true });
  });

  test('behavior: where there is no code nothing more is asked', async () => {
    vaults = [aVault(0x100, [2, 0x40])];
    codeless = new Set([address(1)]);
    const facts = await describeYieldSource(ports)({ ...ofChain, source_address: address(1) }, caller);
    expect(facts).toMatchObject({ is_contract: false, name: null, oracles: [{ answers: false }] });
    expect(asked).toEqual(['code 1']);
  });

  test('error: what fails in a way of its own says nothing, and an absent node is an error', async () => {
    vaults = [aVault(0x100, [2, 0x40], [3, 0x41])];
    failing = new Map<string, Failure>([[address(0x40), 'other']]);
    const describeSource = describeYieldSource(ports);
    const { oracles } = await describeSource({ ...ofChain, source_address: address(1) }, caller);
    expect(oracles.map(({ answers }) => answers)).toEqual([false, true]);
    failing = new Map<string, Failure>([[address(0x40), 'node']]);
    block += 1n;
    await expect(describeSource({ ...ofChain, source_address: address(1) }, caller)).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
    });
  });

  test('behavior: the symbol of a vault’s asset is foreign text, and is cut', async () => {
    const { asset } = await describeYieldSource(ports)({ ...ofChain, source_address: address(1) }, caller);
    expect(asset?.symbol).toBe(`USDC${'C'.repeat(59)}…`);
  });
});

describe('the list', () => {
  const page = { ...ofChain, limit: 2 };

  test('default: only the page is read, names once for many blocks and amounts once for each', async () => {
    vaults = [aVault(0x100, [1, 0x40], [2, 0x40], [3, 0x40])];
    const list = listSourceCatalogue(ports);
    expect(await list(page, caller)).toMatchObject({ total: 3, has_more: true });
    await list(page, caller);
    expect(asked.sort()).toEqual(['describe 1', 'describe 2', 'total 1', 'total 2']);
    asked = [];
    block += 1n;
    expect((await list(page, caller)).sources[0]?.total_assets).toBe('1501');
    expect(asked).toEqual(['total 1', 'total 2']);
    asked = [];
    block += 1_000n;
    await list(page, caller);
    expect(asked).toContain('describe 1');
  });

  test('behavior: another set of sources of the same size is another list', async () => {
    const list = listSourceCatalogue(ports);
    vaults = [aVault(0x100, [1, 0x40], [2, 0x40])];
    expect(numbersOf((await list(page, caller)).sources)).toEqual([1, 2]);
    vaults = [aVault(0x100, [1, 0x40], [7, 0x40])];
    expect(numbersOf((await list(page, caller)).sources)).toEqual([1, 7]);
  });

  test('behavior: the next page goes on behind a source that moved or went', async () => {
    vaults = [aVault(0x100, [1, 0x40], [3, 0x40], [4, 0x40], [9, 0x40]), aVault(0x101, [9, 0x40])];
    const list = listSourceCatalogue(ports);
    const first = await list(page, caller);
    expect(numbersOf(first.sources)).toEqual([9, 1]);
    const second = { ...page, cursor: first.next_cursor ?? '' };
    vaults = [aVault(0x100, [3, 0x40], [4, 0x40], [9, 0x40]), aVault(0x101, [9, 0x40], [3, 0x40])];
    expect(numbersOf((await list(second, caller)).sources)).toEqual([4]);
  });

  test.each(['', '5', `5 - ${address(1).slice(0, 30)}`, `x - ${address(1)}`])(
    'error: %j is no place of this list',
    async (place) => {
      await expect(listSourceCatalogue(ports)({ ...page, cursor: cursorOf(place) }, caller)).rejects.toMatchObject({
        code: 'CURSOR_INVALID',
      });
    },
  );

  test('behavior: a text narrows the whole list, whatever the page', async () => {
    vaults = [aVault(0x100, [1, 0x40], [2, 0x40], [3, 0x40])];
    const list = listSourceCatalogue(ports);
    expect(await list({ ...page, limit: 1, search: 'SOURCE 3' }, caller)).toMatchObject({
      total: 1,
      sources: [{ name: 'Source 3' }],
    });
    expect(numbersOf((await list({ ...page, search: address(2).slice(2) }, caller)).sources)).toEqual([2]);
  });

  test('behavior: it is made of 200 sources, those of most vaults first', async () => {
    const many = Array.from({ length: 210 }, (_, n): Use => [n + 1, 0x40]);
    vaults = [aVault(0x100, ...many), aVault(0x101, [210, 0x40])];
    const { total, sources } = await listSourceCatalogue(ports)({ ...page, search: 'source' }, caller);
    expect([total, ...numbersOf(sources)]).toEqual([200, 210, 1]);
    expect(asked.filter((each) => each.startsWith('describe'))).toHaveLength(200);
  });

  test('error: one source that fails in a way of its own is without words, and an absent node is an error', async () => {
    vaults = [aVault(0x100, [1, 0x40], [2, 0x40])];
    failing = new Map<string, Failure>([[address(1), 'other']]);
    const list = listSourceCatalogue(ports);
    expect((await list(page, caller)).sources).toMatchObject([
      { source_type: 'unknown', name: null, asset: null, total_assets: null, vault_count: 1 },
      { name: 'Source 2', total_assets: '1500' },
    ]);
    failing = new Map<string, Failure>([[address(1), 'node']]);
    await expect(list(page, caller)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
  });
});
