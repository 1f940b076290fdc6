import '../../test/browser.ts';
import { ListSourceCatalogue, ListYieldSources, SourceFacts } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { preparesOf } from '../../test/prepares.ts';
import { aShown, refusal } from '../../test/shown.ts';
import { shortHex } from '../format/address.ts';
import type { Role } from '../users/access.ts';
import type { Facts } from './source-facts.ts';
import type { Source } from './types.ts';
import { YieldSourcesPage } from './yield-sources-page.tsx';

const self = anAddress(0x10);
const lend = anAddress(0x30);
const empty = anAddress(0x31);
const fresh = anAddress(0x32);
const oracle = anAddress(0x40);
const other = anAddress(0x41);
const aSource = (parts: Partial<Source> = {}): Source => ({
  source_address: lend,
  name: 'Lend USDC',
  source_type: 'erc4626',
  oracle_address: oracle,
  oracle_ok: true,
  assets: '5000000000',
  share: 0.5,
  usd: 5_000,
  apy: 0.0412,
  added_at: '2026-01-01T00:00:00Z',
  added_tx: `0x${'ab'.repeat(32)}`,
  ...parts,
});
const idle = aSource({ source_address: empty, name: 'Empty pool', assets: '0', share: 0, usd: 0, apy: null });
const listing = (yield_sources: Source[] = [aSource(), idle]) =>
  ListYieldSources.result.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    block_number: 100,
    yield_sources,
    oracles: [
      { oracle_address: oracle, used_by: 2 },
      { oracle_address: other, used_by: 1 },
    ],
  });

const shownVault = aShown().vault;
const facts = (parts: Partial<Facts> = {}): Facts =>
  SourceFacts.parse({
    chain_id: 31337,
    block_number: 100,
    is_contract: true,
    source_address: fresh,
    source_type: 'erc4626',
    name: 'Lend More',
    symbol: 'LM',
    decimals: 18,
    asset: { address: shownVault.asset.address, symbol: 'USDC', decimals: shownVault.asset.decimals },
    total_assets: `${5_000n * 10n ** BigInt(shownVault.asset.decimals)}`,
    is_vault_asset: true,
    vault_count: 2,
    first_seen_at: '2026-01-01T00:00:00Z',
    apy: 0.05,
    oracles: [
      { oracle_address: other, used_by: 3, is_used_for_it: false, answers: false },
      { oracle_address: oracle, used_by: 2, is_used_for_it: false, answers: true },
    ],
    ...parts,
  });

async function open(
  my_role: Role,
  yieldSources: () => Promise<unknown> = async () => listing(),
  answers: Record<string, unknown> = {},
) {
  // Targets and caps have tests of their own; here they are never read.
  const allocationTargets = () => new Promise(() => undefined);
  const { api, asked } = preparesOf({
    yieldSources,
    allocationTargets,
    describeYieldSource: async () => facts({ oracles: [] }),
    ...answers,
  });
  const view = await renderPage(<YieldSourcesPage shown={aShown({ my_role })} />, { api, address: self });
  return { ...view, asked };
}
const asText = (bodies: unknown[]) => JSON.stringify(bodies);
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const press = (name: string | RegExp) => userEvent.click(button(name));

describe('yield sources', () => {
  test('default: what it holds, what values it, and whether that answers', async () => {
    await open('primary_manager', async () =>
      listing([aSource(), aSource({ ...idle, oracle_ok: false, assets: null })]),
    );
    const table = await screen.findByRole('table', { name: 'Yield sources' });
    const [, first, second] = within(table).getAllByRole('row');
    expect(first?.textContent).toMatch(/Lend USDC.*Answers.*5,000 USDC.*50.00%.*4.12%/);
    expect(second?.textContent).toContain('No answer');
  });

  test.each<Role>(['secondary_manager', 'view_only'])(
    'behavior: %s sees the table and nothing to change it',
    async (role) => {
      await open(role);
      await screen.findByRole('table', { name: 'Yield sources' });
      expect(screen.queryByRole('checkbox')).toBeNull();
      expect(screen.queryByRole('textbox')).toBeNull();
      expect(screen.queryByRole('button', { name: /Remove|Oracle|Change|Prepare/ })).toBeNull();
      expect(screen.getByText(/Only the primary manager changes the list/)).toBeTruthy();
    },
  );

  test('default: an empty list says what will appear, and can be added to', async () => {
    await open('primary_manager', async () => listing([]));
    expect(await screen.findByText('No yield source yet')).toBeTruthy();
    expect(button('Prepare to add')).toBeTruthy();
  });

  test('error: an unreadable list offers nothing to change', async () => {
    const read = jest
      .fn<() => Promise<unknown>>()
      .mockRejectedValueOnce(refusal('RPC_UNAVAILABLE', 503))
      .mockResolvedValue(listing());
    await open('primary_manager', read);
    expect(await screen.findByText('The yield sources could not be read')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Prepare to add' })).toBeNull();
    await press('Try again');
    expect(await screen.findByRole('table', { name: 'Yield sources' })).toBeTruthy();
  });
});

describe('changes', () => {
  test('behavior: a removal says what no longer counts before anything is prepared', async () => {
    const { asked } = await open('primary_manager');
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Lend USDC' }));
    expect(screen.getByRole('alert').textContent).toContain('Lend USDC: 5,000 USDC');
    expect(asked()).toEqual([]);
    await press('Prepare removal');
    expect(await screen.findByRole('dialog', { name: 'Remove a yield source' })).toBeTruthy();
    await waitFor(() => expect(asText(asked())).toContain(lend));
  });

  test('behavior: a source that is empty is removed without an alarm', async () => {
    await open('primary_manager');
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Empty pool' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('behavior: chosen sources change together', async () => {
    const { asked } = await open('primary_manager');
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Choose all' }));
    expect(screen.getByText('2 chosen')).toBeTruthy();
    await press('Change oracle of chosen');
    const field = screen.getByRole('combobox', { name: 'New oracle' });
    await userEvent.type(field, oracle);
    await press('Prepare change');
    expect(screen.getByText('This oracle values them already.')).toBeTruthy();
    await userEvent.clear(field);
    await userEvent.type(field, other);
    await press('Prepare change');
    expect(await screen.findByRole('dialog', { name: 'Change the oracles of yield sources' })).toBeTruthy();
    await waitFor(() => expect(asText(asked())).toContain(lend));
    expect(asText(asked())).toContain(empty);
    expect(asText(asked())).not.toContain(oracle);
  });

  test('behavior: with nothing chosen nothing can be done to all', async () => {
    await open('primary_manager');
    await screen.findByRole('checkbox', { name: 'Choose all' });
    expect(button('Remove chosen').hasAttribute('disabled')).toBe(true);
    await userEvent.click(screen.getByRole('checkbox', { name: 'Choose Empty pool' }));
    expect(button('Remove chosen').hasAttribute('disabled')).toBe(false);
  });

  test('behavior: a source is added with its oracle, one that is there is refused', async () => {
    const { asked } = await open('primary_manager');
    await userEvent.type(await screen.findByRole('textbox', { name: 'Source 1' }), lend);
    await userEvent.type(screen.getByRole('combobox', { name: 'Oracle 1' }), oracle);
    await press('Prepare to add');
    expect(screen.getByText('The vault has this source already.')).toBeTruthy();
    expect(asked()).toEqual([]);
    await userEvent.clear(screen.getByRole('textbox', { name: 'Source 1' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Source 1' }), fresh);
    await press('Prepare to add');
    expect(await screen.findByRole('dialog', { name: 'Add a yield source' })).toBeTruthy();
    await waitFor(() => expect(asText(asked())).toContain(fresh));
  });

  test('behavior: faults of a pasted list are reported by line, and it is used only without any', async () => {
    await open('primary_manager');
    await userEvent.click(await screen.findByRole('button', { name: 'Paste a list' }));
    const area = screen.getByRole('textbox', { name: /^Lines of source/ });
    await userEvent.click(area);
    await userEvent.paste(`${fresh}, ${oracle}\n${lend}, ${oracle}\n0x12, ${oracle}`);
    await press('Take over the list');
    expect(screen.getAllByText(/^Line \d/).map(({ textContent }) => textContent)).toEqual([
      'Line 2: Source: The vault has this source already.',
      expect.stringMatching(/^Line 3: Source: .*40 hexadecimal/),
    ]);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Source 1' }).value).toBe('');
    await userEvent.clear(area);
    await userEvent.click(area);
    await userEvent.paste(`${fresh}, ${oracle}\n${anAddress(0x33)}, ${other}`);
    await press('Take over the list');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Source 2' }).value).toBe(anAddress(0x33));
  });
});

describe('what the chain says of an address', () => {
  const typed = async (describeYieldSource: () => Promise<unknown>, source = fresh) => {
    await open('primary_manager', undefined, { describeYieldSource });
    await userEvent.click(await screen.findByRole('textbox', { name: 'Source 1' }));
    await userEvent.paste(source);
  };
  const oracleField = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Oracle 1' });

  test('default: a pasted address says what it is, and fills in the oracle of this vault that prices it', async () => {
    const describeYieldSource = jest.fn(async (_input: unknown) => facts());
    await typed(describeYieldSource as never);
    const said = await screen.findByRole('status', { name: 'What the chain says of source 1' });
    expect(said.textContent).toMatch(
      /Lend More \(LM\), ERC-4626 vault, holds 5,000 USDC.*APY 5.00%, 2 vaults here have it/,
    );
    expect(said.textContent).toContain('the oracle beside it prices it');
    expect(oracleField().value).toBe(oracle);
    expect(describeYieldSource).toHaveBeenCalledWith({
      params: { chain_id: '31337', source_address: fresh },
      query: { vault_address: shownVault.vault_address },
    });
    await userEvent.clear(oracleField());
    await userEvent.paste(other);
    expect(screen.getByText('This oracle gives no price for the source.')).toBeTruthy();
    expect(oracleField().getAttribute('aria-invalid')).toBe('true');
    expect(oracleField().value).toBe(other);
  });

  const strangers = [
    { oracle_address: other, used_by: 9, is_used_for_it: true, answers: true },
    { oracle_address: anAddress(0x42), used_by: 1, is_used_for_it: false, answers: true },
  ];

  test('behavior: an oracle that only strangers use is offered, and never filled in', async () => {
    await typed(async () => facts({ oracles: strangers }));
    const said = await screen.findByRole('status', { name: 'What the chain says of source 1' });
    expect(oracleField().value).toBe('');
    expect(said.textContent).not.toMatch(/Fits|oracle/);
    const choice = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Oracles that price source 1' });
    expect(
      within(choice)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual([
      'None of these',
      `${other}: 9 vaults here use it, for this source too`,
      `${anAddress(0x42)}: 1 vault here uses it`,
    ]);
    expect(screen.getByText(/Anybody can create a vault/)).toBeTruthy();
    await userEvent.selectOptions(choice, other);
    expect(oracleField().value).toBe(other);
    expect(said.textContent).toContain('the oracle beside it prices it');
  });

  test('behavior: where two oracles of this vault price it the person chooses', async () => {
    const both = [oracle, other].map((oracle_address) => ({ ...facts().oracles[0], oracle_address, answers: true }));
    const yieldSources = async () => listing([aSource(), aSource({ ...idle, oracle_address: other })]);
    await open('primary_manager', yieldSources, { describeYieldSource: async () => facts({ oracles: both as never }) });
    await userEvent.click(await screen.findByRole('textbox', { name: 'Source 1' }));
    await userEvent.paste(fresh);
    expect(
      await screen.findByRole('option', { name: `${oracle}: this vault uses it, 3 vaults here use it` }),
    ).toBeTruthy();
    expect(oracleField().value).toBe('');
  });

  test('behavior: of an oracle that nobody asked it is not known whether it prices the source', async () => {
    await typed(async () => facts());
    await screen.findByText(/the oracle beside it prices it/);
    await userEvent.clear(oracleField());
    await userEvent.paste(anAddress(0x77));
    expect(screen.getByText('It is not known whether the oracle beside it prices this source.')).toBeTruthy();
    expect(screen.queryByText(/^Fits/)).toBeNull();
  });

  test('behavior: a pasted list waits for its turn where so many are not answered in a second', async () => {
    const describeYieldSource = jest
      .fn<() => Promise<unknown>>()
      .mockRejectedValueOnce(refusal('RATE_LIMITED', 429))
      .mockRejectedValueOnce(refusal('RATE_LIMITED', 429))
      .mockRejectedValueOnce(refusal('RATE_LIMITED', 429))
      .mockResolvedValue(facts());
    await typed(describeYieldSource);
    expect(await screen.findByText(/the oracle beside it prices it/)).toBeTruthy();
  });

  test.each([
    ['no contract', { is_contract: false }, /There is no contract/],
    ['no vault', { source_type: 'unknown' as const }, /does not answer as an ERC-4626/],
    [
      'another asset',
      { is_vault_asset: false, asset: { address: other, symbol: 'USDC', decimals: 6 } },
      /Its asset is USDC; the vault holds/,
    ],
    ['no oracle', { oracles: [] }, /No oracle that is used on this chain/],
    ['the vault itself', { source_address: shownVault.vault_address }, /It is this vault itself/],
  ])('behavior: %s is said before anything is prepared', async (_what, parts, words) => {
    await typed(async () => facts(parts));
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.queryByText(/^Fits/)).toBeNull();
  });

  test('behavior: what is typed as an oracle stays, and a source of the list is not asked about', async () => {
    const describeYieldSource = jest.fn(async (_input: unknown) => facts());
    await typed(describeYieldSource as never, lend);
    await userEvent.click(oracleField());
    await userEvent.paste(other);
    expect(describeYieldSource).not.toHaveBeenCalled();
    await userEvent.clear(screen.getByRole('textbox', { name: 'Source 1' }));
    await userEvent.paste(fresh);
    expect(await screen.findByText('This oracle gives no price for the source.')).toBeTruthy();
    expect(oracleField().value).toBe(other);
  });
});

describe('the catalogue', () => {
  const entry = (n: number, name: string, parts: object = {}) => ({
    ...facts(),
    source_address: anAddress(n),
    name,
    oracles: [{ oracle_address: oracle, used_by: 1 }],
    ...parts,
  });
  const sourceCatalogue = jest.fn(async (_input: unknown) =>
    ListSourceCatalogue.result.parse({
      chain_id: 31337,
      block_number: 100,
      sources: [
        entry(0x30, 'Lend USDC'),
        entry(0x32, 'Lend More'),
        entry(0x33, 'Ether pool', { asset: { address: other, symbol: 'WETH', decimals: 18 } }),
      ],
      total: 3,
      has_more: false,
      next_cursor: null,
    }),
  );

  test('default: a row goes into the form; one that cannot says why, and the pressed button stays', async () => {
    await open('primary_manager', undefined, { sourceCatalogue, describeYieldSource: async () => facts() });
    await userEvent.click(await screen.findByRole('button', { name: 'Choose from the catalogue' }));
    const table = await screen.findByRole('table', { name: 'Catalogue' });
    const row = (name: string) => within(table).getByText(name).closest('tr')?.textContent;
    expect(row('Lend USDC')).toContain('On the list already');
    expect(row('Ether pool')).toContain('Its asset is WETH');
    expect(row('Lend More')).toMatch(/5,000 USDC.*5.00%.*2/);
    const add = button('Add Lend More to the form');
    await userEvent.click(add);
    expect(row('Lend More')).toContain('In the form');
    expect(button('Add Lend More to the form')).toBe(add);
    expect(add.hasAttribute('disabled')).toBe(true);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Source 1' }).value).toBe(fresh);
    expect(await screen.findByText(/the oracle beside it prices it/)).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Oracle 1' }).value).toBe(oracle);
  });

  test('default: each row has its asset and the oracles that value it, by how many vaults use them', async () => {
    const oracles = [1, 2, 3, 4].map((n) => ({ oracle_address: anAddress(0x70 + n), used_by: 9 - n }));
    const sources = [
      entry(0x30, 'Lend USDC', { oracles }),
      entry(0x32, 'Lend More'),
      entry(0x33, 'No token', { asset: null, oracles: [], vault_count: 1, first_seen_at: null }),
    ];
    const page = { chain_id: 31337, block_number: 100, sources, total: 3, has_more: false, next_cursor: null };
    await open('primary_manager', undefined, { sourceCatalogue: async () => ListSourceCatalogue.result.parse(page) });
    await userEvent.click(await screen.findByRole('button', { name: 'Choose from the catalogue' }));
    const table = await screen.findByRole('table', { name: 'Catalogue' });
    const headers = within(table).getAllByRole('columnheader');
    expect(headers.map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(['Source', 'Asset', 'Oracle']),
    );
    const row = (name: string) => within(table).getByText(name).closest('tr') as HTMLElement;
    expect(
      within(row('Lend USDC')).getByRole('button', { name: 'Copy address of the asset of Lend USDC' }),
    ).toBeTruthy();
    expect(within(row('Lend USDC')).getAllByRole('button', { name: 'Copy oracle of Lend USDC' })).toHaveLength(3);
    expect(row('Lend USDC').textContent).toContain('in 8 vaults');
    expect(row('Lend USDC').textContent).toContain('and 1 more');
    // On a phone they stand below the name, and with them how many vaults have it, and since when.
    expect(within(row('Lend More')).getByText(`USDC, oracle ${shortHex(oracle)}`)).toBeTruthy();
    expect(within(row('No token')).getByText('no asset, no oracle now')).toBeTruthy();
    expect(row('Lend More').textContent).toContain('in 2 vaults, since 1 Jan 2026');
    expect(row('No token').textContent).toContain('in 1 vault, since before the first block that is read');
  });

  test('behavior: the oracle that strangers pair with a row does not come with it', async () => {
    const others = [{ oracle_address: other, used_by: 9, is_used_for_it: true, answers: true }];
    const describeYieldSource = async () => facts({ oracles: others });
    await open('primary_manager', undefined, { sourceCatalogue, describeYieldSource });
    await userEvent.click(await screen.findByRole('button', { name: 'Choose from the catalogue' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Add Lend More to the form' }));
    await screen.findByRole('combobox', { name: 'Oracles that price source 1' });
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Oracle 1' }).value).toBe('');
  });

  test('behavior: it is narrowed by text and by asset, by the server', async () => {
    await open('primary_manager', undefined, { sourceCatalogue });
    await userEvent.click(await screen.findByRole('button', { name: 'Choose from the catalogue' }));
    await screen.findByRole('table', { name: 'Catalogue' });
    const own = { asset: shownVault.asset.address, limit: '100' };
    expect(sourceCatalogue).toHaveBeenLastCalledWith({ params: { chain_id: '31337' }, query: own });
    await userEvent.type(screen.getByRole('textbox', { name: 'Name, symbol or address' }), ' more ');
    const query = { ...own, search: 'more' };
    await waitFor(() => expect(sourceCatalogue).toHaveBeenLastCalledWith({ params: { chain_id: '31337' }, query }));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Asset' }), 'All assets');
    await waitFor(() =>
      expect(sourceCatalogue).toHaveBeenLastCalledWith({
        params: { chain_id: '31337' },
        query: { search: 'more', limit: '100' },
      }),
    );
  });
});
