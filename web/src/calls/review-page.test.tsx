import '../../test/browser.ts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { keccak256 } from 'viem';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeNode } from '../../test/fake-node.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aPreparedResource, callOf, manager, primary, strategy } from '../../test/prepared.ts';
import { refusal } from '../../test/shown.ts';
import type { Prepared } from './call-states.ts';
import { ReviewPage } from './review-page.tsx';

const reviewer = anAddress(0x77);
const hash = `0x${'cd'.repeat(32)}`;

type Answers = Parameters<typeof fakeApi>[0];
const open = (call: Prepared | (() => Promise<Prepared>), address = reviewer, answers: Answers = {}) =>
  renderPage(<ReviewPage />, {
    api: fakeApi({
      getPrepared: typeof call === 'function' ? call : async () => call,
      vault: async () => aVault(),
      followVault: () => Promise.reject(new Error('no stream here')),
      ...answers,
    }),
    address,
    path: '/operate/review/:id',
    url: '/operate/review/prepared-1',
  });
const throws = (error: Error) => async () => {
  throw error;
};
const sign = { name: 'Sign and send' };
const signButton = () => screen.queryByRole('button', sign);

describe('review of a prepared call', () => {
  test('default: decoded here, with its digest, what it changes, and what the chain must say afterwards', async () => {
    const call = aPreparedResource({
      reason: 'Cover for the holidays',
      preconditions: [{ code: 'ZERO_ADDRESS', ok: true, detail: 'The wallet is not the zero address.' }],
      changes: [{ field: 'secondary_managers', before: 1, after: 2 }],
    });
    await open(call);
    expect(await screen.findByText(`Makes ${manager} a secondary manager.`)).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1, name: 'Add a secondary manager' })).toBeTruthy();
    expect(screen.getByText(keccak256(call.data as `0x${string}`))).toBeTruthy();
    expect(screen.getByText('The wallet is not the zero address.')).toBeTruthy();
    expect(screen.getByRole('table', { name: 'What changes' })).toBeTruthy();
    expect(screen.getByText('Cover for the holidays')).toBeTruthy();
    expect(screen.getByText('The wallet is a secondary manager.')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'USDC Core' }).getAttribute('href')).toContain('/operate/devnet/');
  });

  test('behavior: a reviewer sees who sends it and can sign nothing', async () => {
    await open(aPreparedResource());
    expect(await screen.findByText(/nothing is asked of your wallet/)).toBeTruthy();
    expect(signButton()).toBeNull();
  });

  test('behavior: calldata that does another thing than its kind is said so, and its own preparer cannot sign it', async () => {
    await open(aPreparedResource(callOf('removeSecondaryManager', { strategy, manager })), primary);
    expect(await screen.findByText(/Do not sign this/)).toBeTruthy();
    expect((await screen.findByRole('button', sign)).hasAttribute('disabled')).toBe(true);
  });

  test('behavior: a call on the strategy of another vault is said so', async () => {
    await open(aPreparedResource(callOf('addSecondaryManager', { strategy: anAddress(0x99), manager })), primary);
    expect(await screen.findByText('The calldata names the strategy of another vault.')).toBeTruthy();
    expect((await screen.findByRole('button', sign)).hasAttribute('disabled')).toBe(true);
  });

  test('behavior: without the vault the call cannot be checked, so it cannot be signed', async () => {
    await open(aPreparedResource(), primary, { vault: throws(refusal('SERVICE_UNAVAILABLE', 503)) });
    expect(await screen.findByText(/cannot be checked here/)).toBeTruthy();
    expect(signButton()).toBeNull();
  });

  test('behavior: it is simulated again on demand, and only what the chain says anew is taken', async () => {
    const again = aPreparedResource({
      ...callOf('removeSecondaryManager', { strategy, manager }),
      simulation: { ok: false, revert_reason: 'MANAGER_ALREADY_EXISTS' },
    });
    const getPrepared = jest.fn(async ({ query }: { query: { recheck?: string } }) =>
      query.recheck === 'true' ? again : aPreparedResource(),
    );
    await open(aPreparedResource(), primary, { getPrepared });
    await userEvent.click(await screen.findByRole('button', { name: 'Simulate it again' }));
    expect(await screen.findByText('Would fail: MANAGER_ALREADY_EXISTS')).toBeTruthy();
    expect(screen.getByText(aPreparedResource().data)).toBeTruthy();
    expect((await screen.findByRole('button', sign)).hasAttribute('disabled')).toBe(true);
  });

  test('behavior: who prepared it sends it from here and sees what becomes of it', async () => {
    const node = fakeNode({ eth_sendTransaction: () => hash });
    let call = aPreparedResource();
    const broadcastPrepared = jest.fn(async (_input: unknown) => {
      const entry = { state: 'verified' as const, t: '2026-01-01T00:01:00Z', tx_hash: hash, block_number: 7 };
      call = aPreparedResource({ status: 'verified', tx_hash: hash, history: [entry] });
      return call;
    });
    const transaction = async () => ({ status: 'mined', block_number: 7, indexed: true, revert_reason: null });
    const followVault = jest.fn(() => Promise.reject(new Error('no stream here')));
    await open(async () => call, primary, { broadcastPrepared, transaction, followVault });
    const sign = await screen.findByRole('button', { name: 'Sign and send' });
    expect(followVault).not.toHaveBeenCalled();
    await userEvent.click(sign);
    await waitFor(() => expect(followVault).toHaveBeenCalledTimes(1));
    expect(await screen.findByText(/Verified: The wallet is a secondary manager/)).toBeTruthy();
    expect(node.asked('eth_sendTransaction')[0]?.params).toMatchObject([{ to: call.to, data: call.data }]);
    expect(broadcastPrepared).toHaveBeenCalledWith({ params: { id: 'prepared-1' }, body: { tx_hash: hash } });
    const way = screen.getByRole('list', { name: 'What became of it' });
    await waitFor(() => expect(within(way).getByText('Block 7')).toBeTruthy());
  });

  test.each<Prepared['status']>(['broadcast', 'mined', 'verified', 'reverted', 'replaced', 'expired'])(
    'behavior: a call that is %s cannot be sent again',
    async (status) => {
      await open(aPreparedResource({ status, tx_hash: hash }), primary);
      expect(await screen.findByText(`Makes ${manager} a secondary manager.`)).toBeTruthy();
      expect(signButton()).toBeNull();
      expect(screen.queryByRole('button', { name: 'Simulate it again' })).toBeNull();
    },
  );

  test('behavior: what a contract sends, any reviewer may report the transaction, and none can sign here', async () => {
    const signer = { wallet_address: anAddress(0x55), kind: 'contract' as const, package: null };
    const broadcastPrepared = jest.fn(async (_input: unknown) => aPreparedResource({ signer, status: 'broadcast' }));
    const transaction = async () => ({ status: 'pending', block_number: null, indexed: false, revert_reason: null });
    await open(aPreparedResource({ signer }), reviewer, { broadcastPrepared, transaction });
    await userEvent.type(await screen.findByRole('textbox', { name: /^Transaction hash/ }), hash);
    expect(signButton()).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Follow it' }));
    await waitFor(() =>
      expect(broadcastPrepared).toHaveBeenCalledWith({ params: { id: 'prepared-1' }, body: { tx_hash: hash } }),
    );
  });

  describe('by a wallet that is a contract', () => {
    const signer = { wallet_address: primary, kind: 'contract' as const, package: null };
    const proposal = `0x${'ab'.repeat(32)}`;
    const unknown = async () => ({ status: 'unknown', block_number: null, indexed: false, revert_reason: null });
    afterEach(() => sessionStorage.clear());

    test('behavior: after a reload what was proposed is not proposed again', async () => {
      const node = fakeNode({ eth_sendTransaction: () => proposal });
      const call = aPreparedResource({ signer });
      const { unmount } = await open(call, primary, { transaction: unknown });
      await userEvent.click(await screen.findByRole('button', sign));
      expect(await screen.findByText(/not on the chain yet/)).toBeTruthy();
      unmount();
      await open(call, primary, { transaction: unknown });
      expect(await screen.findByText(/not on the chain yet/)).toBeTruthy();
      expect(screen.getByText(proposal)).toBeTruthy();
      expect(signButton()).toBeNull();
      expect(node.asked('eth_sendTransaction')).toHaveLength(1);
    });

    test('behavior: where nothing may be stored it is proposed all the same', async () => {
      fakeNode({ eth_sendTransaction: () => proposal });
      const refuse = () => {
        throw new Error('refused');
      };
      const storage = Object.getPrototypeOf(sessionStorage);
      const refused = [
        jest.spyOn(storage, 'setItem').mockImplementation(refuse),
        jest.spyOn(storage, 'getItem').mockImplementation(refuse),
      ];
      try {
        await open(aPreparedResource({ signer }), primary, { transaction: unknown });
        await userEvent.click(await screen.findByRole('button', sign));
        expect(await screen.findByText(/not on the chain yet/)).toBeTruthy();
      } finally {
        for (const each of refused) each.mockRestore();
      }
    });

    test('behavior: once a transaction carries the call, what was proposed is not shown again', async () => {
      sessionStorage.setItem('castellan_proposal_prepared-1', proposal);
      await open(aPreparedResource({ signer, status: 'verified', tx_hash: hash }), primary);
      expect(await screen.findByText(`Makes ${manager} a secondary manager.`)).toBeTruthy();
      expect(screen.queryByText(/not on the chain yet/)).toBeNull();
    });

    test('behavior: a call that expired meanwhile can still be said to be executed', async () => {
      const expired = { signer, status: 'expired' as const, expires_at: '2020-01-01T00:00:00Z' };
      const broadcastPrepared = jest.fn(async (_input: unknown) => aPreparedResource({ signer, status: 'mined' }));
      const transaction = async () => ({ status: 'mined', block_number: 7, indexed: true, revert_reason: null });
      await open(aPreparedResource(expired), primary, { broadcastPrepared, transaction });
      await userEvent.type(await screen.findByRole('textbox', { name: /^Transaction hash/ }), `${hash}{enter}`);
      await waitFor(() =>
        expect(broadcastPrepared).toHaveBeenCalledWith({ params: { id: 'prepared-1' }, body: { tx_hash: hash } }),
      );
      expect(signButton()).toBeNull();
    });
  });

  test('behavior: a promise the chain did not keep is said loudly', async () => {
    const post_condition = { description: 'The wallet is a secondary manager.', ok: false, actual: 'false' };
    await open(aPreparedResource({ status: 'failed_post_condition', tx_hash: hash, post_condition }));
    expect(await screen.findByText(/It does not. The chain says false. Somebody has to look/)).toBeTruthy();
  });

  test('behavior: a session that ends keeps the call on the page', async () => {
    const { session } = await open(aPreparedResource(), primary);
    await screen.findByRole('button', { name: 'Sign and send' });
    act(() => session.end('unauthorized'));
    expect(await screen.findByText(/What you prepared stays/)).toBeTruthy();
    expect((await screen.findByRole('button', sign)).hasAttribute('disabled')).toBe(true);
  });

  test('error: an unknown call and one of another vault each say so', async () => {
    const { unmount } = await open(throws(refusal('PREPARED_NOT_FOUND', 404)) as never);
    expect(await screen.findByRole('heading', { name: 'No such prepared call' })).toBeTruthy();
    unmount();
    await open(throws(refusal('ROLE_REQUIRED')) as never);
    expect(await screen.findByRole('heading', { name: 'This call is not open to you' })).toBeTruthy();
    expect(screen.getByText(reviewer)).toBeTruthy();
  });

  test('error: a server that is away can be asked again', async () => {
    const getPrepared = jest
      .fn<() => Promise<Prepared>>()
      .mockRejectedValueOnce(refusal('SERVICE_UNAVAILABLE', 503))
      .mockResolvedValue(aPreparedResource());
    await open(getPrepared);
    await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { name: 'Add a secondary manager' })).toBeTruthy();
  });
});
