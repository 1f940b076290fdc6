import '../../test/browser.ts';
import type { PreparedCall } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { fakeNode } from '../../test/fake-node.ts';
import { config, fakeApi, renderPage } from '../../test/harness.tsx';
import { anIntent, aPreparedCall, aPreparedResource, manager, primary } from '../../test/prepared.ts';
import { Toasts } from '../design/toast.tsx';
import { SignDialog } from './sign-dialog.tsx';

const hash = `0x${'cd'.repeat(32)}`;
const transaction = async () => ({ status: 'mined', block_number: 7, indexed: true, revert_reason: null });

/** The dialog, with its call handed to a wallet that waits for its person. */
async function handOver(parts: Partial<PreparedCall> = {}) {
  const { promise, resolve } = Promise.withResolvers<string>();
  fakeNode({ eth_sendTransaction: () => promise });
  const [chain] = config.chains;
  if (chain === undefined) throw new Error('no chain');
  const onClose = jest.fn();
  const broadcastPrepared = jest.fn(async (_: unknown) => aPreparedResource({ status: 'broadcast' }));
  const getPrepared = async () => aPreparedResource({ status: 'verified' });
  const page = await renderPage(
    <SignDialog
      title="A change"
      intent={anIntent({ kind: 'add_secondary_manager', args: { manager_address: manager } })}
      chain={chain}
      prepare={async () => [aPreparedCall(parts)]}
      onDone={jest.fn()}
      onClose={onClose}
    />,
    { api: fakeApi({ broadcastPrepared, getPrepared, transaction }), address: primary },
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Sign and send' }));
  await screen.findByRole('button', { name: 'Waiting for the wallet' });
  return { ...page, onClose, broadcastPrepared, approve: () => act(async () => resolve(hash)) };
}
const reported = { params: { id: 'prepared-1' }, body: { tx_hash: hash } };

describe('while the wallet asks', () => {
  test('behavior: a wallet that never answers holds nobody in the dialog', async () => {
    const { onClose } = await handOver();
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('behavior: nothing closes the dialog by chance, and afterwards everything does', async () => {
    const { approve, onClose, broadcastPrepared } = await handOver();
    await userEvent.keyboard('{Escape}');
    expect(onClose).not.toHaveBeenCalled();
    await approve();
    expect(await screen.findByText(/Verified/)).toBeTruthy();
    expect(broadcastPrepared.mock.calls).toEqual([[reported]]);
    // The button that had the focus is gone; a browser puts it back into the dialog.
    act(() => screen.getByRole('button', { name: 'Close' }).focus());
    await userEvent.keyboard('{Escape}');
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('behavior: a call that expires then is not offered anew, and its transaction is followed', async () => {
    const { approve } = await handOver({ expires_at: new Date(Date.now() + 3_000).toISOString() });
    expect(await screen.findByText(/Decline it in the wallet/, {}, { timeout: 6_000 })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Waiting for the wallet' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Prepare it again' })).toBeNull();
    await approve();
    expect(await screen.findByText(/Verified/)).toBeTruthy();
  }, 15_000);

  test('behavior: what is signed after the page was left is reported all the same, and the person learns of it', async () => {
    const { approve, broadcastPrepared, unmount } = await handOver();
    unmount();
    render(<Toasts />);
    await approve();
    await waitFor(() => expect(broadcastPrepared.mock.calls).toEqual([[reported]]));
    expect(await screen.findByText('What you signed was sent')).toBeTruthy();
  });
});
