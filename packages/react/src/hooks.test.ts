import { readFileSync } from 'node:fs';
import { type Route, routes } from '@castellan/contracts';
import { afterEach, expect, test } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { usePreparedCall } from './calls.ts';
import { CastellanProvider, useAnalytics, useRead, useVault, useVaults, useVaultUpdates } from './index.ts';

type Client = Parameters<typeof CastellanProvider>[0]['client'];
const vault = { chain_id: 1, vault_address: '0xAbCd000000000000000000000000000000000001' };
const params = { chain_id: '1', vault_address: vault.vault_address };
type Asked = { id: string; input: Record<string, unknown> };

const open: QueryClient[] = [];

/** A client whose methods answer what they were asked, and the world around the hooks. */
function scene(methods: Record<string, (input: never) => unknown> = {}) {
  const asked: Asked[] = [];
  const client = new Proxy({} as Record<string, unknown>, {
    get: (_, id: string) => (input: Record<string, unknown>) => {
      const { signal: _signal, ...rest } = input;
      asked.push({ id, input: rest });
      return Promise.resolve(methods[id] ? methods[id](input as never) : { id, asked: asked.length });
    },
  }) as unknown as Client;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  open.push(queries);
  const world = { viewer: 'a' };
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(
      QueryClientProvider,
      { client: queries },
      createElement(CastellanProvider, { client, viewer: world.viewer }, children),
    );
  return { asked, world, wrapper };
}
afterEach(() => {
  cleanup();
  for (const queries of open.splice(0)) queries.clear();
});

test('default: hooks ask the client for what they are called, and share an answer', async () => {
  const { asked, wrapper } = scene();
  const { result } = renderHook(
    () => ({
      vaults: useVaults(),
      vault: useVault(vault),
      again: useRead('vault', { params }),
      tvl: useAnalytics('analyticsTvl', vault, { period: '30d', points: '200' }),
    }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.tvl.data).toBeDefined());
  expect(result.current.again.data).toBe(result.current.vault.data);
  expect(asked).toEqual([
    { id: 'myVaults', input: { query: { detail: 'full', limit: '500' } } },
    { id: 'vault', input: { params } },
    { id: 'analyticsTvl', input: { params, query: { period: '30d', points: '200' } } },
  ]);
});

test('behavior: what one viewer read is not shown to another', async () => {
  const { world, wrapper } = scene();
  const { result, rerender } = renderHook(() => useVaults(), { wrapper });
  await waitFor(() => expect(result.current.data).toBeDefined());
  world.viewer = 'b';
  rerender();
  expect(result.current.data).toBeUndefined();
  await waitFor(() => expect(result.current.data).toBeDefined());
});

test('behavior: a change of the vault reads again what is about it, and nothing else; leaving ends the stream', async () => {
  let follow: { onEvent: () => void; onOpen: () => void; signal: AbortSignal } | undefined;
  const { asked, wrapper } = scene({
    followVault: (input) => {
      follow = input;
      return new Promise(() => undefined);
    },
  });
  const { result, unmount } = renderHook(
    () => ({ open: useVaultUpdates(vault), vault: useVault(vault), vaults: useVaults() }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.vault.data).toBeDefined());
  act(() => follow?.onOpen());
  expect(result.current.open).toBe(true);
  asked.splice(0);
  act(() => follow?.onEvent());
  await waitFor(() => expect(asked.map(({ id }) => id)).toEqual(['vault']));
  unmount();
  expect(follow?.signal.aborted).toBe(true);
});

test('error: a change that cannot be prepared says why, and is not sent', async () => {
  const refused = new Error('refused');
  const { asked, wrapper } = scene({
    vault: () => {
      throw refused;
    },
  });
  const { result } = renderHook(() => usePreparedCall(vault), { wrapper });
  await act(() => result.current.prepare({ kind: 'skim_fees', args: {} }));
  expect(result.current).toMatchObject({ status: 'failed', error: refused });
  await act(() => result.current.send({} as never));
  expect(asked.map(({ id }) => id)).toEqual(['vault']);
  act(() => result.current.reset());
  expect(result.current.status).toBe('idle');
});

test('error: a call whose bytes say something else is shown with its problems and refused', async () => {
  const call = {
    id: 'c1',
    chain_id: 1,
    to: vault.vault_address,
    data: '0xdeadbeef',
    value: '0',
    preconditions: [],
    simulation: { ok: true, revert_reason: null },
    signer: { kind: 'eoa', wallet_address: vault.vault_address, package: null },
    decoded: { function: 'skimPerformanceFee', args: {} },
    changes: [],
  };
  const detail = {
    strategy_address: vault.vault_address,
    upkeep_info: { token: null },
    asset: { address: vault.vault_address },
  };
  const { asked, wrapper } = scene({ vault: () => detail, prepareSkimFees: () => call });
  const { result } = renderHook(() => usePreparedCall(vault), { wrapper });
  await act(() => result.current.prepare({ kind: 'skim_fees', args: {} }));
  expect(result.current).toMatchObject({ status: 'ready', error: undefined });
  expect(result.current.steps[0]?.problems).not.toEqual([]);
  await act(() => result.current.send({} as never));
  expect(result.current).toMatchObject({ status: 'failed', error: { name: 'CallRefused' } });
  expect(asked.map(({ id }) => id)).toEqual(['vault', 'prepareSkimFees']);
});

test('behavior: reads are all that answer a GET with JSON, and nothing that changes something', () => {
  const source = readFileSync(new URL('./reads.ts', import.meta.url), 'utf8');
  const listed = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, id]) => String(id));
  const excluded = [...source.matchAll(/'(analyticsCompare|analyticsExport)'/g)].map(([, id]) => String(id));
  const all = (Object.values(routes) as unknown as Route[]).filter(({ action }) => action !== undefined);
  const isRead = ({ method, media, otherMedia }: Route) =>
    method === 'GET' && media === 'application/json' && otherMedia.length === 0;
  const ofAnalytics = ({ id }: Route) => id.startsWith('analytics');
  const others = ['openidConfiguration', 'jwks', 'verify'];
  const named = all.filter((route) => isRead(route) && !ofAnalytics(route) && !others.includes(route.id));
  expect(listed.sort()).toEqual(named.map(({ id }) => id).sort());
  const unread = all.filter((route) => ofAnalytics(route) && !isRead(route));
  expect(excluded.sort()).toEqual(unread.map(({ id }) => id).sort());
});
