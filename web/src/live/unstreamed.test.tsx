import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { anAddress, aPublicVault, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown } from '../../test/shown.ts';
import { anUpdate, aStream } from '../../test/stream.ts';
import { drawAllForPrint } from '../charts/draw-for-print.ts';
import { useApp } from '../client/services.ts';
import { HEAL_MS, POLL_MS, vaultQuery } from '../data/queries.ts';
import { LiveModeContext, useVaultLive } from '../data/use-live.ts';
import { PriceCourse } from '../home/price-course.tsx';
import { useMerkleSync } from '../merkle/hooks-state.ts';
import { useProof } from '../pause/use-proof.ts';
import { useViewer } from '../session/use-session.ts';
import { useTargets } from '../targets/use-targets.ts';
import { useSources } from '../yield-sources/use-sources.ts';

const shown = aShown();
const { vault } = shown;
const answer = async () => ({});
const sync = (reason: string) => async () => ({ reason });
const reads = {
  targets: () => void useTargets(vault),
  proof: () => void useProof(shown),
  sources: () => void useSources(vault),
  hooks: () => void useMerkleSync({ vault }),
};

function Reader({ of }: { of: keyof typeof reads }) {
  reads[of]();
  return null;
}

/** How often the read is made once its answer is there. */
async function intervalOf(of: keyof typeof reads, mode: 'stream' | 'poll' | 'paused', reason = 'root_in_force') {
  const api = fakeApi({
    allocationTargets: answer,
    pauseProof: answer,
    yieldSources: answer,
    merkleSync: sync(reason),
  });
  const page = (
    <LiveModeContext value={mode}>
      <Reader of={of} />
    </LiveModeContext>
  );
  const { queries } = await renderPage(page, { api, address: anAddress(0x10) });
  await waitFor(() => expect(queries.getQueryCache().getAll()[0]?.state.data).toBeDefined());
  const [query] = queries.getQueryCache().getAll();
  const interval = query?.observers[0]?.options.refetchInterval;
  return typeof interval === 'function' ? interval(query as never) : interval;
}

describe('what no event of the stream reports', () => {
  test.each(['targets', 'proof', 'sources'] as const)(
    'default: the %s are read every 15 s, stream or not',
    async (of) => {
      expect([await intervalOf(of, 'stream'), await intervalOf(of, 'poll')]).toEqual([POLL_MS, POLL_MS]);
      expect(await intervalOf(of, 'paused')).toBe(false);
    },
  );

  test('behavior: of hooks only the end of a timelock comes without an event', async () => {
    expect(await intervalOf('hooks', 'stream')).toBe(HEAL_MS);
    expect(await intervalOf('hooks', 'poll')).toBe(POLL_MS);
    expect(await intervalOf('hooks', 'stream', 'timelock_running')).toBe(POLL_MS);
    expect(await intervalOf('hooks', 'paused', 'timelock_running')).toBe(false);
  });
});

function Hooks() {
  const { api } = useApp();
  const viewer = useViewer();
  useVaultLive(viewer, vault.chain_id, vault.vault_address);
  const { data } = useQuery(vaultQuery(api, viewer, vault.chain_id, vault.vault_address));
  useMerkleSync({ vault });
  return <p>{data?.name}</p>;
}

test.each([
  ['what a manager wrote', {}, 2],
  [
    'another root on chain',
    { detail: aVault({ merkle: { ...vault.merkle, proposed_root: `0x${'c'.repeat(64)}` } }) },
    2,
  ],
  ['a price', { detail: aVault({ current_pps: '2000000' }) }, 1],
])(
  'behavior: how hooks stand is read when the stream reports that it may be another: %s',
  async (_what, parts, times) => {
    const merkleSync = jest.fn(sync('root_in_force'));
    const { followVault, follow } = aStream();
    const api = fakeApi({ vault: async () => vault, merkleSync, followVault });
    const { queries } = await renderPage(<Hooks />, { api, address: anAddress(0x10) });
    await screen.findByText(vault.name);
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    const { onEvent } = await follow;
    act(() => onEvent(anUpdate('vault', parts)));
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    expect(merkleSync).toHaveBeenCalledTimes(times);
  },
);

test('behavior: the course of a listed vault is read again with another price, and stands until it is there', async () => {
  const analyticsPps = jest.fn(async () => ({
    points: [1, 2].map((n) => ({ t: `2026-01-0${n}T00:00:00Z`, pps: `${n}`, net_pps_exact: null })),
  }));
  const course = (current_pps: string) => <PriceCourse vault={aPublicVault({ current_pps })} />;
  let change: (pps: string) => void = () => undefined;
  function Row() {
    const [pps, setPps] = useState('1');
    change = setPps;
    return course(pps);
  }
  await renderPage(<Row />, { api: fakeApi({ analyticsPps }) });
  // Nothing is near in a page without a layout; what is printed is drawn all the same.
  act(drawAllForPrint);
  await screen.findByRole('img');
  act(() => change('2'));
  expect(screen.getByRole('img')).toBeTruthy();
  await waitFor(() => expect(analyticsPps).toHaveBeenCalledTimes(2));
});
