import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { preparesOf } from '../../test/prepares.ts';
import { aShown, refusal } from '../../test/shown.ts';
import { MerklePage } from './merkle-page.tsx';
import type { Config, Hook, Job, Role, Sync, Tree, Version } from './types.ts';

const self = anAddress(0x10);
const hash = (digit: string) => `0x${digit.repeat(64)}`;
const at = '2026-01-01T00:00:00.000Z';
const aSync = (parts: Partial<Sync> = {}): Sync => ({
  action: 'propose',
  reason: 'not_proposed',
  config_version: 2,
  tree_id: 'tree-2',
  root_hash: hash('a'),
  strategy_root: hash('b'),
  proposed_root: null,
  effective_time: null,
  timelock_seconds: 900,
  chain_time: at,
  block_number: 100,
  veto: { global: false, strategy: false },
  ...parts,
});
const vault = { vault_address: anAddress(1), chain_id: 31337 };
const aVersion = (version: number, is_active: boolean): Version => ({
  ...vault,
  id: `config-${version}`,
  version,
  is_active,
  note: version === 2 ? 'Both pools' : null,
  row_count: 1,
  config_hash: 'ab',
  tree_id: null,
  created_by: self,
  created_at: at,
});
const param = (name: string, param_order: number, ref_type: Hook['inspect_params'][number]['ref_type']) => ({
  name,
  solidity_type: 'address',
  ref_type,
  param_order,
});
const hook: Hook = {
  id: 'hook-1',
  version: 1,
  name: 'Deposit',
  hook_type: 'DEPOSIT',
  addresses: [{ chain_id: 31337, address: anAddress(0x50) }],
  inspect_params: [param('yield_source', 0, 'yield_source'), param('token', 1, 'token')],
  calldata: [],
  is_active: true,
  created_at: at,
  updated_at: at,
};
const rows = [{ hook_id: 'hook-1', params: { yield_source: anAddress(0x30), token: anAddress(0x31) } }];
const aConfig: Config = {
  ...aVersion(2, true),
  rows: rows.map((row) => ({ ...row, hook_name: 'Deposit', hook_type: 'DEPOSIT', hook_address: anAddress(0x50) })),
};
const aTree: Tree = {
  ...vault,
  id: 'tree-2',
  root_hash: hash('a'),
  leaf_count: 2,
  row_count: 3,
  config_version: 2,
  config_hash: 'ab',
  block_number: 99,
  created_at: at,
  is_current: true,
};
const aJob = (parts: Partial<Job>): Job => ({
  ...vault,
  id: 'job-1',
  kind: 'generate',
  status: 'running',
  progress: { done: 3, total: 8 },
  config_version: 2,
  tree_id: null,
  error: null,
  attempts: 1,
  requested_by: self,
  created_at: at,
  started_at: at,
  finished_at: null,
  ...parts,
});
const listed =
  <K extends string>(name: K, items: unknown[]) =>
  async () => ({
    [name]: items,
    total: items.length,
    has_more: false,
    next_cursor: null,
  });

async function open(
  my_role: Role,
  answers: Record<string, unknown> = {},
  url = '/',
  parts: Parameters<typeof aShown>[0] = {},
) {
  const { api, asked } = preparesOf({
    merkleJobs: listed('jobs', []),
    merkleSync: async () => aSync(),
    merkleConfigVersions: listed('versions', [aVersion(2, true), aVersion(1, false)]),
    merkleConfig: async () => aConfig,
    registryHooks: listed('hooks', [hook]),
    merkleTrees: listed('trees', [aTree]),
    publishedMerkleTree: async () => ({ success: false, published: false, message: null, data: null }),
    merkleProofs: listed('proofs', []),
    yieldSources: async () => ({ yield_sources: [], oracles: [] }),
    ...answers,
  });
  const shown = aShown({ my_role, ...parts });
  const view = await renderPage(<MerklePage shown={shown} />, { api, address: self, url });
  return { ...view, asked };
}
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));

describe('the way to the chain', () => {
  test.each<[string, Partial<Sync>, RegExp, string | null]>([
    [
      'no configuration',
      { action: 'needs_generation', reason: 'no_active_config' },
      /No configuration is active/,
      null,
    ],
    ['no tree', { action: 'needs_generation', reason: 'not_generated' }, /has no tree yet/, 'Generate the tree'],
    ['not proposed', {}, /not on the chain yet/, 'Propose the root'],
    ['a foreign proposal', { reason: 'foreign_proposal' }, /Another root is proposed/, 'Propose the root'],
    [
      'the timelock',
      { action: 'pending_timelock', reason: 'timelock_running', effective_time: '2026-01-01T00:15:00.000Z' },
      /May be executed from 1 Jan 2026, 00:15 UTC/,
      null,
    ],
    ['due', { action: 'execute', reason: 'timelock_over' }, /timelock is over/, 'Put the root into force'],
  ])('default: %s has its words and its one button', async (_what, parts, words, button) => {
    await open('primary_manager', { merkleSync: async () => aSync(parts) });
    expect(await screen.findByText(words)).toBeTruthy();
    const found = screen.queryByRole('button', {
      name: /^(Generate the tree|Propose the root|Put the root into force)$/,
    });
    expect(found?.textContent ?? null).toBe(button);
  });

  test('default: in sync there is nothing to do', async () => {
    await open('primary_manager', { merkleSync: async () => null });
    expect(await screen.findByText('In sync')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Propose|Put the root/ })).toBeNull();
  });

  test('behavior: proposing prepares the root that is shown', async () => {
    const { asked } = await open('primary_manager');
    await screen.findByText('Not proposed');
    await press('Propose the root');
    await screen.findByRole('dialog', { name: 'Propose a hooks root' });
    await waitFor(() => expect(JSON.stringify(asked())).toContain(`"root":"${hash('a')}"`));
  });

  test('behavior: a secondary manager generates and executes, and does not propose', async () => {
    await open('secondary_manager');
    expect(await screen.findByText('Only the primary manager proposes roots.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Propose the root' })).toBeNull();
  });

  test('behavior: who only views has no button at all', async () => {
    await open('view_only', { merkleSync: async () => aSync({ action: 'execute', reason: 'timelock_over' }) });
    await screen.findByRole('table', { name: 'Hook configurations' });
    expect(screen.queryByRole('button', { name: /Generate|Propose|Put the root|New version|Activate/ })).toBeNull();
  });

  test('behavior: a running job is shown with its progress, and closes the button', async () => {
    await open('primary_manager', {
      merkleJobs: listed('jobs', [aJob({})]),
      merkleSync: async () => aSync({ action: 'needs_generation', reason: 'not_generated' }),
    });
    expect(await screen.findByText('Generating the tree: 3 of 8')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Generate the tree' }).hasAttribute('disabled')).toBe(true);
    expect(screen.getByText('Wait for the job that runs.')).toBeTruthy();
  });

  test('error: why the last job failed', async () => {
    const error = { code: 'HOOK_ROW_REFUSED' as const, detail: 'The hook of row 2 does not answer.', row: 2 };
    await open('primary_manager', { merkleJobs: listed('jobs', [aJob({ status: 'failed', error })]) });
    expect(await screen.findByText('The hook of row 2 does not answer.')).toBeTruthy();
  });
});

describe('configurations', () => {
  test('default: the active one is marked, others can be activated', async () => {
    const activateMerkleConfig = jest.fn(async (_input: unknown) => aVersion(1, true));
    await open('secondary_manager', { activateMerkleConfig });
    const table = await screen.findByRole('table', { name: 'Hook configurations' });
    const [, second, first] = within(table).getAllByRole('row');
    expect(second?.textContent).toMatch(/Version 2.*Active.*Both pools/);
    expect(first?.textContent).toMatch(/Version 1.*For reading/);
    await press('Activate version 1');
    expect(activateMerkleConfig).toHaveBeenCalledWith({ body: { ...vault, version: 1, active_version: 2 } });
  });

  test('behavior: a new version begins with the rows of the newest, and is made on it', async () => {
    const createMerkleConfig = jest.fn(async (_input: unknown) => aConfig);
    await open('primary_manager', { createMerkleConfig });
    await userEvent.click(await screen.findByRole('button', { name: 'New version' }));
    const token = screen.getByRole<HTMLInputElement>('combobox', { name: 'Token 1' });
    expect(token.value).toBe(anAddress(0x31));
    await press('Discard');
    expect(screen.queryByRole('combobox', { name: 'Token 1' })).toBeNull();
    await press('New version');
    await press('Another row');
    await press('Remove row 2');
    await press('Make the version');
    expect(createMerkleConfig).toHaveBeenCalledWith({ body: { ...vault, rows, base_version: 2 } });
  });

  test('behavior: who was led here makes one at once, which in one press is activated and has its tree generated', async () => {
    const calls: unknown[] = [];
    const noting = (name: string, answer: unknown) => async (input: unknown) => {
      calls.push([name, input]);
      return answer;
    };
    await open(
      'primary_manager',
      {
        createMerkleConfig: noting('create', { ...aConfig, version: 3 }),
        activateMerkleConfig: noting('activate', aVersion(3, true)),
        generateMerkleTree: noting('generate', {}),
      },
      '/#new-version',
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Make, activate and generate its tree' }));
    await waitFor(() =>
      expect(calls).toEqual([
        ['create', { body: { ...vault, rows, base_version: 2 } }],
        ['activate', { body: { ...vault, version: 3, active_version: 2 } }],
        ['generate', { body: vault }],
      ]),
    );
    expect(screen.queryByRole('form', { name: 'New hook configuration' })).toBeNull();
  });

  test('behavior: a version that somebody else made meanwhile is not dropped unseen', async () => {
    let newest = 2;
    const createMerkleConfig = jest.fn(async (_input: unknown) => aConfig);
    const { queries } = await open('primary_manager', {
      createMerkleConfig,
      merkleConfigVersions: async () => listed('versions', [aVersion(newest, true), aVersion(1, false)])(),
      merkleConfig: async () => ({
        ...aConfig,
        rows: newest === 2 ? aConfig.rows : [...aConfig.rows, ...aConfig.rows],
      }),
    });
    await userEvent.click(await screen.findByRole('button', { name: 'New version' }));
    await press('Another row');
    newest = 3;
    await act(() => queries.invalidateQueries());
    expect(
      await screen.findByText(/^Version 3 with 2 rows is the newest now; yours began with version 2/),
    ).toBeTruthy();
    const make = screen.getByRole('button', { name: 'Make the version', description: /^Decide first what becomes/ });
    expect(make.hasAttribute('disabled')).toBe(true);
    await press('Take theirs and drop mine');
    expect(screen.getAllByRole('combobox', { name: /^Token/ })).toHaveLength(2);
    await press('Make the version');
    expect(createMerkleConfig).toHaveBeenCalledWith({ body: { ...vault, rows: [...rows, ...rows], base_version: 3 } });
  });

  test('error: without the rows of the newest version no other is begun', async () => {
    await open('primary_manager', { merkleConfig: async () => Promise.reject(refusal('SERVICE_UNAVAILABLE', 503)) });
    expect(await screen.findByText('The newest version could not be read')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'New version' }).hasAttribute('disabled')).toBe(true);
  });

  test('error: a refusal stands at the field it is about', async () => {
    const errors = [{ path: 'body.rows.0.params.token', message: 'is not a token' }];
    const createMerkleConfig = async () => {
      throw Object.assign(refusal('VALIDATION_FAILED', 400), { errors });
    };
    await open('primary_manager', { createMerkleConfig });
    await userEvent.click(await screen.findByRole('button', { name: 'New version' }));
    await press('Make the version');
    expect(await screen.findByText('is not a token')).toBeTruthy();
    expect(screen.getByRole('form', { name: 'New hook configuration' })).toBeTruthy();
  });
});

const redeem: Hook = {
  ...hook,
  id: 'hook-2',
  name: 'Redeem',
  hook_type: 'WITHDRAWAL',
  addresses: [{ chain_id: 31337, address: anAddress(0x51) }],
  inspect_params: [param('yield_source', 0, 'yield_source'), param('owner', 1, 'others')],
};
const aSource = (n: number, name: string, source_type = 'erc4626') => ({
  source_address: anAddress(n),
  name,
  source_type,
  oracle_address: anAddress(0x40),
  apy: null,
});
const aLeaf = (index: number, hook_address: string, hook_name: string, params: Record<string, string>) => ({
  index,
  leaf_hash: hash(String(index)),
  hook_address,
  hook_name,
  encoded_args: '0x',
  proof: [],
  params,
  is_banned: false,
});

describe('rows from the sources of the vault', () => {
  const withSources = (...yield_sources: unknown[]) => ({
    registryHooks: listed('hooks', [hook, redeem]),
    yieldSources: async () => ({ yield_sources, oracles: [] }),
  });
  const makeNew = async () => userEvent.click(await screen.findByRole('button', { name: 'New version' }));
  const preset = () => screen.findByRole('button', { name: 'Deposit and redeem for all my sources' });

  test('default: one press fills in what is missing, and what it changes of the tree in force is said before', async () => {
    const { asset, strategy_address } = aShown().vault;
    const kept = aLeaf(1, anAddress(0x50), 'Deposit', rows[0]?.params ?? {});
    const lost = aLeaf(2, anAddress(0x51), 'Redeem', { yield_source: anAddress(0x39), owner: strategy_address });
    const createMerkleConfig = jest.fn(async (_input: unknown) => aConfig);
    const sources = withSources(aSource(0x30, 'Lend'), aSource(0x35, 'Odd pool', 'unknown'));
    await open(
      'primary_manager',
      { ...sources, createMerkleConfig, merkleProofs: listed('proofs', [kept, lost]) },
      '/',
      {
        merkle: { ...aShown().vault.merkle, strategy_root: hash('a') },
      },
    );
    await makeNew();
    const change = await screen.findByRole('region', { name: 'These rows against the tree in force' });
    expect(await within(change).findByText('0 added, 1 removed, 1 unchanged.')).toBeTruthy();
    expect(await screen.findByText(/Fills in 2 missing rows.*do not answer as ERC-4626 vaults: Odd pool/)).toBeTruthy();
    await userEvent.click(await preset());
    expect(within(change).getByText('2 added, 1 removed, 1 unchanged.')).toBeTruthy();
    await press('Make the version');
    const filled = [
      { hook_id: 'hook-1', params: { yield_source: anAddress(0x30), token: asset.address } },
      { hook_id: 'hook-2', params: { yield_source: anAddress(0x30), owner: strategy_address } },
    ];
    expect(createMerkleConfig).toHaveBeenCalledWith({
      body: { ...vault, rows: [...rows, ...filled], base_version: 2 },
    });
  });

  test('behavior: a preset that has nothing to fill says why beside itself', async () => {
    await open('primary_manager', withSources(aSource(0x30, 'Lend')));
    await makeNew();
    await userEvent.click(await preset());
    expect((await preset()).hasAttribute('disabled')).toBe(true);
    const id = (await preset()).getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(id)?.textContent).toBe('Each of them has its deposit and its redeem here.');
  });

  test('behavior: one move of one source is added once', async () => {
    await open('primary_manager', withSources(aSource(0x36, 'Pool')));
    await makeNew();
    await userEvent.click(await screen.findByText('Rows of one source'));
    await press('Add the redeem of Pool');
    const added = screen.getByRole('button', { name: 'Add the redeem of Pool' });
    expect([
      added.hasAttribute('disabled'),
      document.getElementById(added.getAttribute('aria-describedby') ?? ''),
    ]).toEqual([true, expect.objectContaining({ textContent: 'Added' })]);
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Owner 2' }).value).toBe(
      aShown().vault.strategy_address,
    );
  });

  test('behavior: a tree that was not made here is not compared', async () => {
    await open('primary_manager', withSources(), '/', {
      merkle: { ...aShown().vault.merkle, strategy_root: hash('f') },
    });
    await makeNew();
    expect((await screen.findAllByText(/was not made here/)).length).toBeGreaterThan(0);
  });

  const compared = () => screen.findByRole('region', { name: 'These rows against the tree in force' });

  test('behavior: a tree that is older than the list is found, and compared', async () => {
    const leaf = aLeaf(1, anAddress(0x50), 'Deposit', rows[0]?.params ?? {});
    const old = { ...aTree, id: 'tree-1', root_hash: hash('f'), is_current: false };
    const merkleTrees = async ({ query: { cursor } }: { query: { cursor?: string } }) =>
      cursor === 'more'
        ? { trees: [old], total: 2, has_more: false, next_cursor: null }
        : { trees: [aTree], total: 2, has_more: true, next_cursor: 'more' };
    const merkleProofs = jest.fn(async (_input: unknown) => listed('proofs', [leaf])());
    await open('primary_manager', { ...withSources(), merkleTrees, merkleProofs }, '/', {
      merkle: { ...aShown().vault.merkle, strategy_root: hash('f') },
    });
    await makeNew();
    expect(await within(await compared()).findByText('Nothing changes: 1 leaf as now.')).toBeTruthy();
    expect(screen.queryByText(/was not made here/)).toBeNull();
    expect(merkleProofs).toHaveBeenCalledWith({ query: expect.objectContaining({ tree_id: 'tree-1' }) });
  });

  test("behavior: where the chain's tree for all vaults is in force, it is said that it is not compared", async () => {
    const merkle = { ...aShown().vault.merkle, strategy_root: null };
    const { unmount } = await open('primary_manager', withSources(), '/', {
      merkle: { ...merkle, global_root: hash('e') },
    });
    await makeNew();
    expect((await compared()).textContent).toMatch(/the chain's tree for all vaults is in force.*is not compared/);
    expect(screen.queryByText(/\d added/)).toBeNull();
    unmount();
    await open('primary_manager', withSources(), '/', { merkle: { ...merkle, global_root: null } });
    await makeNew();
    expect(await within(await compared()).findByText('1 added, 0 removed, 0 unchanged.')).toBeTruthy();
  });

  test('behavior: the root that is proposed next is shown as a change', async () => {
    const leaf = aLeaf(1, anAddress(0x50), 'Deposit', rows[0]?.params ?? {});
    await open('primary_manager', { merkleProofs: listed('proofs', [leaf]) });
    expect(await screen.findByText('1 added, 0 removed, 0 unchanged.')).toBeTruthy();
  });
});

describe('trees', () => {
  const leaf = {
    index: 0,
    leaf_hash: hash('c'),
    hook_address: anAddress(0x50),
    hook_name: 'Deposit',
    encoded_args: '0x1234',
    proof: [hash('d')],
    params: { yield_source: anAddress(0x99) },
    is_banned: true,
  };
  const merkleProofs = async () => ({
    ...(await listed('proofs', [leaf])()),
    tree_id: 'tree-2',
    root_hash: hash('a'),
  });

  test('default: leaves come with arguments, proof and ban', async () => {
    await open('view_only', { merkleProofs }, '/?tab=trees');
    await userEvent.click(await screen.findByRole('button', { name: `Show leaves of ${hash('a')}` }));
    const table = await screen.findByRole('table', { name: 'Leaves' });
    expect(table.textContent).toMatch(/Deposit.*yield source.*0x1234.*Banned globally.*1 hash/);
    expect(screen.queryByRole('button', { name: /Publish/ })).toBeNull();
  });

  test.each([
    [true, 'The chain takes it'],
    [false, 'The chain does not take it'],
  ])('behavior: a leaf is looked up by its hash, and the chain says %s', async (is_valid, words) => {
    const merkleProof = jest.fn(async (_input: unknown) => ({
      tree_id: 'tree-2',
      root_hash: hash('a'),
      proof: leaf,
      is_valid,
      block_number: 7,
    }));
    await open('view_only', { merkleProofs, merkleProof }, '/?tab=trees');
    await userEvent.click(await screen.findByRole('button', { name: `Show leaves of ${hash('a')}` }));
    await userEvent.type(await screen.findByRole('textbox', { name: 'Leaf hash' }), hash('c'));
    await press('Ask the chain');
    expect(await screen.findByText(words)).toBeTruthy();
    const query = { chain_id: '31337', vault_address: vault.vault_address, tree_id: 'tree-2', leaf_hash: hash('c') };
    expect(merkleProof).toHaveBeenCalledWith({ query });
  });

  test('behavior: the primary manager publishes a tree', async () => {
    const publishMerkleTree = jest.fn(async (_input: unknown) => aJob({ kind: 'publish' }));
    await open('primary_manager', { publishMerkleTree }, '/?tab=trees');
    await userEvent.click(await screen.findByRole('button', { name: `Publish ${hash('a')}` }));
    expect(publishMerkleTree).toHaveBeenCalledWith({ body: { ...vault, tree_id: 'tree-2' } });
  });
});
