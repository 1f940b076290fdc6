import '../../test/browser.ts';
import { TerminalAnswer } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeNode } from '../../test/fake-node.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { refusal } from '../../test/shown.ts';
import { digestsOf } from '../digests/digests.ts';
import { SessionsPage } from './sessions-page.tsx';
import { TerminalSignIn } from './terminal-sign-in.tsx';

const self = anAddress(0x10);
const request = { port: 41_234, state: '0a1b2c3d'.repeat(8) };
const typed_data = {
  domain: { name: 'Castellan', version: '1', chainId: 31337 },
  types: { Authentication: [{ name: 'nonce', type: 'string' }] },
  primaryType: 'Authentication',
  message: { wallet: self, uri: 'http://localhost', statement: '', nonce: 'n', issuedAt: '', expirationTime: '' },
};
const agree = () => userEvent.click(screen.getByRole('button', { name: /^The codes are the same/ }));

async function open(createNonce: (input: unknown) => Promise<unknown>) {
  const leave = jest.fn<(url: string) => void>();
  const view = await renderPage(<TerminalSignIn request={request} onCancel={() => undefined} leave={leave} />, {
    api: fakeApi({ createNonce }),
    address: self,
  });
  return { ...view, leave };
}

describe('signing in for a terminal', () => {
  test('default: the code is shown, and what the wallet signed goes to the terminal by a fragment', async () => {
    fakeNode({ eth_signTypedData_v4: () => '0x01' });
    const createNonce = jest.fn(async (_input: unknown) => ({ nonce: 'n', siwe_message: '', typed_data }));
    const { leave, session } = await open(createNonce);
    expect(screen.getByText('0A1B-2C3D')).toBeTruthy();
    expect(screen.getByText(self)).toBeTruthy();
    expect(createNonce).not.toHaveBeenCalled();
    await agree();
    await waitFor(() => expect(leave).toHaveBeenCalledTimes(1));
    for (const { label, value } of digestsOf(typed_data))
      expect((await screen.findByText(label)).nextElementSibling?.textContent).toContain(value);
    expect(createNonce).toHaveBeenCalledWith({ body: { address: self, chain_id: 31337 } });
    const { host, search, hash } = new URL(String(leave.mock.calls[0]?.[0]));
    expect([host, search]).toEqual(['127.0.0.1:41234', '']);
    const proof = { method: 'eip712', typed_data, signature: '0x01' };
    expect(TerminalAnswer.parse(JSON.parse(decodeURIComponent(hash.slice(1))))).toEqual({
      state: request.state,
      proof,
    });
    // No token is made here for the terminal, and the one of this page goes nowhere.
    expect(session.get()).toMatchObject({ status: 'signed_in', token: 'token' });
    expect(hash).not.toContain('"token"');
  });

  test('error: what the server refuses, or the person declines, leads nowhere', async () => {
    const refused = await open(async () => {
      throw refusal('SERVICE_UNAVAILABLE');
    });
    await agree();
    expect(await screen.findByText('The terminal is not signed in')).toBeTruthy();
    expect(refused.leave).not.toHaveBeenCalled();
    refused.unmount();
    const declined = await open(async () => {
      throw Object.assign(new Error('no'), { code: 4001 });
    });
    await agree();
    expect(await screen.findByText(/You declined the message/)).toBeTruthy();
    expect(declined.leave).not.toHaveBeenCalled();
  });
});

describe('the page of sessions', () => {
  const page = (hash: string) =>
    renderPage(<SessionsPage />, {
      api: fakeApi({ myVaults: async () => ({ vaults: [] }), listSessions: async () => ({ sessions: [] }) }),
      address: self,
      path: '/operate/sessions',
      url: `/operate/sessions${hash}`,
    });

  test('behavior: asks for the sign-in of a terminal by its fragment, until it is refused', async () => {
    const { where } = await page(`#terminal=${request.port}.${request.state}`);
    await userEvent.click(screen.getByRole('button', { name: 'I did not ask for this' }));
    expect(await screen.findByText('No session')).toBeTruthy();
    expect(where).toMatchObject({ pathname: '/operate/sessions', hash: '' });
  });

  test.each(['#terminal=41234.short', `#terminal=41234@evil.example.${request.state}`])(
    'security: %s asks for nothing',
    async (hash) => {
      await page(hash);
      expect(await screen.findByText('No session')).toBeTruthy();
      expect(screen.queryByText('Sign in your terminal')).toBeNull();
    },
  );
});
