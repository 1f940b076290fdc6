import { DescribeYieldSource, ListSourceCatalogue, type SourceFacts } from '@castellan/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Address, concatHex, encodeAbiParameters, type Hex, numberToHex, padHex } from 'viem';
import { who } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id, VaultsSystem } from './harness.ts';

/** What the chain says of addresses that may become yield sources, honest and not. */

let system: VaultsSystem;
let block_number: number;

type Seven = [Address, Address, Address, Address, Address, Address, Address];
const strange = (n: number): Address => padHex(numberToHex(0xbad0 + n), { size: 20 });
const [reverting, looping, garbage, loud, endless, jumping, poor] = [1, 2, 3, 4, 5, 6, 7].map(strange) as Seven;

/** A contract that gives one answer to every call. */
const answering = (bytes: Hex): Hex => {
  const length = numberToHex((bytes.length - 2) / 2, { size: 3 });
  return concatHex(['0x62', length, '0x6010600039', '0x62', length, '0x6000f3', bytes]);
};

const describeSource = (source_address: string, wallet?: string, vault_address?: string): Promise<SourceFacts> =>
  system.call(DescribeYieldSource, { chain_id, source_address, ...(vault_address ? { vault_address } : {}) }, wallet);

beforeAll(async () => {
  system = await VaultsSystem.start(async (chain, { strategy, sources, sourceOracle }) => {
    for (const { address } of sources)
      await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
    await chain.send(who.main, strategy, 'manageYieldSource', [sources[1].address, sourceOracle.address, 2]);
    const codes: [Address, Hex][] = [
      [reverting, '0x60006000fd'],
      [looping, '0x5b600056'],
      [garbage, answering(`0x${'ff'.repeat(32)}`)],
      [loud, answering(encodeAbiParameters([{ type: 'string' }], [`\u202eLend\u0000\n${'A'.repeat(2_000)}`]))],
      [endless, answering(encodeAbiParameters([{ type: 'string' }], ['A'.repeat(200_000)]))],
      [jumping, '0x600056'],
      [poor, '0x01'],
    ];
    for (const [address, bytecode] of codes) await chain.client.setCode({ address, bytecode });
  });
  block_number = Number(await system.chain.client.getBlockNumber());
});
afterAll(async () => system?.stop());

const nothing = {
  source_type: 'unknown',
  name: null,
  symbol: null,
  decimals: null,
  asset: null,
  total_assets: null,
  is_vault_asset: null,
  vault_count: 0,
  first_seen_at: null,
  apy: null,
};

describe('one address', () => {
  test('default: a source of a vault, with its asset, its oracle and who uses it since when', async () => {
    const { vault, sources, sourceOracle, asset } = system.protocol;
    const [added] = (await system.log()).filter(({ name }) => name === 'YieldSourceAdded');
    expect(await describeSource(sources[0].address, who.stranger, vault.address)).toEqual({
      chain_id,
      block_number,
      source_address: sources[0].address,
      is_contract: true,
      source_type: 'erc4626',
      name: 'Source A',
      symbol: expect.any(String),
      decimals: 6,
      asset: { address: asset.address, symbol: expect.any(String), decimals: 6 },
      total_assets: '0',
      is_vault_asset: true,
      vault_count: 1,
      first_seen_at: added?.block_time,
      apy: null,
      oracles: [{ oracle_address: sourceOracle.address, used_by: 1, is_used_for_it: true, answers: true }],
    });
  });

  test('behavior: an address without code is an answer, and not an error', async () => {
    const facts = await describeSource(who.alice, who.stranger);
    expect(facts).toMatchObject({ is_contract: false, ...nothing });
    expect(facts.oracles).toEqual([expect.objectContaining({ is_used_for_it: false, answers: false })]);
  });

  test.each([
    ['reverts', reverting],
    ['never ends', looping],
    ['answers without end', endless],
    ['jumps to where it must not', jumping],
    ['takes from an empty stack', poor],
  ])('behavior: a contract that %s says nothing of itself', async (_what, address) => {
    expect(await describeSource(address, who.stranger, system.protocol.vault.address)).toMatchObject({
      is_contract: true,
      ...nothing,
    });
  });

  test('behavior: bytes that are no address, no decimals and no text are none', async () => {
    expect(await describeSource(garbage, who.stranger)).toMatchObject({
      ...nothing,
      is_contract: true,
      total_assets: `${2n ** 256n - 1n}`,
    });
  });

  test('behavior: a name of any length is short and plain, and an asset that is no token has no unit', async () => {
    const facts = await describeSource(loud, who.stranger, system.protocol.vault.address);
    expect(facts).toMatchObject({
      source_type: 'erc4626',
      is_vault_asset: false,
      asset: { address: padHex('0x20', { size: 20 }), symbol: null, decimals: null },
    });
    expect(facts.name).toBe(`Lend ${'A'.repeat(58)}…`);
  });

  test('error: without a wallet, with a vault that is none, on a chain that is none', async () => {
    const { vault, sources } = system.protocol;
    await expect(describeSource(sources[0].address)).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
    await expect(describeSource(vault.address, who.stranger, who.bob)).rejects.toMatchObject({
      code: 'VAULT_NOT_FOUND',
    });
    const elsewhere = { chain_id: 7, source_address: vault.address };
    await expect(system.call(DescribeYieldSource, elsewhere, who.stranger)).rejects.toMatchObject({
      code: 'CHAIN_NOT_FOUND',
    });
  });
});

describe('the catalogue', () => {
  const list = (
    query: { asset?: string; search?: string; limit?: number; cursor?: string } = {},
    wallet: string | undefined = who.stranger,
  ) => system.call(ListSourceCatalogue, { chain_id, ...query }, wallet);

  test('default: sources that a vault has or had, page by page', async () => {
    const { sources, sourceOracle } = system.protocol;
    const all = await list();
    expect(all).toMatchObject({ chain_id, block_number, total: 2, has_more: false, next_cursor: null });
    expect(all.sources).toMatchObject([
      {
        source_address: sources[0].address,
        name: 'Source A',
        source_type: 'erc4626',
        total_assets: '0',
        vault_count: 1,
        oracles: [{ oracle_address: sourceOracle.address, used_by: 1 }],
      },
      { source_address: sources[1].address, source_type: 'erc4626', vault_count: 0, oracles: [] },
    ]);
    const first = await list({ limit: 1 });
    expect(first).toMatchObject({ total: 2, has_more: true, sources: [{ source_address: sources[0].address }] });
    const second = await list({ limit: 1, cursor: first.next_cursor ?? '' });
    expect(second).toMatchObject({ has_more: false, sources: [{ source_address: sources[1].address }] });
  });

  test('behavior: only those with a text', async () => {
    expect(await list({ search: 'source a' })).toMatchObject({ sources: [{ name: 'Source A' }], total: 1 });
    expect((await list({ search: 'no such source' })).total).toBe(0);
  });

  test('behavior: only those of an asset', async () => {
    expect((await list({ asset: system.protocol.asset.address })).total).toBe(2);
    expect(await list({ asset: who.bob })).toMatchObject({ sources: [], total: 0 });
  });

  test('error: without a wallet, and from a place that is none', async () => {
    await expect(system.call(ListSourceCatalogue, { chain_id })).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
    await expect(list({ cursor: 'nowhere' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  });
});
