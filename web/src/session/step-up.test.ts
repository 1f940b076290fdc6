import { describe, expect, jest, test } from '@jest/globals';
import { memoryStorage } from '../../test/memory-storage.ts';
import type { Api } from '../client/api.ts';
import { createSession } from '../client/session.ts';
import type { MessageSigner, Nonce } from './sign-in.ts';
import { stepUp } from './step-up.ts';

const wallet_address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const nonce = { nonce: 'n', siwe_message: 'sign again', typed_data: { primaryType: 'Authentication' } } as Nonce;
const stored = { token: 'old', address: wallet_address, isManager: true, vaults: [other] };

function setup({ issuedTo = wallet_address, before }: { issuedTo?: string; before?: () => void } = {}) {
  const session = createSession(memoryStorage());
  session.begin(stored);
  const answer = jest.fn(async (_: unknown) => {
    before?.();
    return { access_token: 'fresh', token_type: 'Bearer', expires_in: 60, wallet_address: issuedTo };
  });
  const createNonce = jest.fn(async (_: unknown) => nonce);
  const api = { createNonce, stepUp: answer } as unknown as Api;
  const signer: MessageSigner = { signTypedData: async () => '0x01', signText: async () => '0x02' };
  return { session, createNonce, answer, run: (wallet = signer) => stepUp(api, session, 31337, wallet) };
}

describe('stepUp', () => {
  test('default: the session goes on under the new token, with all else it had', async () => {
    const { session, createNonce, answer, run } = setup();
    await run();
    expect(createNonce).toHaveBeenCalledWith({ body: { address: wallet_address, chain_id: 31337 } });
    expect(answer).toHaveBeenCalledWith({
      body: { method: 'eip712', typed_data: nonce.typed_data, signature: '0x01' },
    });
    expect(session.get()).toEqual({ status: 'signed_in', ...stored, token: 'fresh' });
  });

  test('behavior: a person who declines keeps the session as it was', async () => {
    const { session, answer, run } = setup();
    const signTypedData = async () => {
      throw Object.assign(new Error('no'), { code: 4001 });
    };
    await expect(run({ signTypedData, signText: async () => '0x' })).rejects.toMatchObject({ code: 4001 });
    expect(answer).not.toHaveBeenCalled();
    expect(session.get()).toEqual({ status: 'signed_in', ...stored });
  });

  test('behavior: a token for another wallet, or after another signed in, is not taken', async () => {
    const foreign = setup({ issuedTo: other });
    await expect(foreign.run()).rejects.toThrow('Another wallet');
    expect(foreign.session.get()).toMatchObject({ token: 'old' });
    const changed: ReturnType<typeof setup> = setup({
      before: () => changed.session.begin({ ...stored, token: 'theirs', address: other }),
    });
    await expect(changed.run()).rejects.toThrow('Another wallet');
    expect(changed.session.get()).toMatchObject({ token: 'theirs' });
  });

  test('error: nobody is signed in', async () => {
    const { session, createNonce, run } = setup();
    session.end('unauthorized');
    await expect(run()).rejects.toThrow('Sign in again');
    expect(createNonce).not.toHaveBeenCalled();
  });
});
