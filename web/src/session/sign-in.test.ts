import { describe, expect, jest, test } from '@jest/globals';
import { memoryStorage } from '../../test/memory-storage.ts';
import type { Api } from '../client/api.ts';
import { createSession } from '../client/session.ts';
import { type MessageSigner, type Nonce, signIn } from './sign-in.ts';

const wallet_address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const vault_address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const nonce: Nonce = {
  nonce: 'n',
  issued_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-01T00:05:00Z',
  siwe_message: 'sign in',
  typed_data: {
    domain: { name: 'Castellan', version: '1', chainId: 31337 },
    types: {},
    primaryType: 'Authentication',
    message: { wallet: wallet_address, uri: '', statement: '', nonce: 'n', issuedAt: '', expirationTime: '' },
  },
};

function setup(signer: Partial<MessageSigner>, roles?: () => Promise<never>) {
  const createToken = jest.fn(async (_: unknown) => ({
    access_token: 'a.b.c',
    token_type: 'Bearer',
    expires_in: 60,
    wallet_address,
  }));
  const vaults = [
    { vault_address, chain_id: 1, role: 'primary_manager' },
    { vault_address, chain_id: 2, role: 'view_only' },
  ];
  const me = roles ?? (async () => ({ wallet_address, is_manager: true, vaults }));
  const session = createSession(memoryStorage());
  const refuse = async () => {
    throw new Error('this test signs the other way');
  };
  const run = () =>
    signIn({ createToken, me } as unknown as Api, session, nonce, {
      signTypedData: refuse,
      signText: refuse,
      ...signer,
    });
  return { run, session, createToken };
}

describe('signIn', () => {
  test('default: sends the typed data exactly as received and keeps what the server says of the wallet', async () => {
    const { run, session, createToken } = setup({ signTypedData: async () => '0x01' });
    await run();
    expect(createToken).toHaveBeenCalledWith({
      body: { method: 'eip712', typed_data: nonce.typed_data, signature: '0x01' },
    });
    expect(session.get()).toEqual({
      status: 'signed_in',
      token: 'a.b.c',
      address: wallet_address,
      isManager: true,
      vaults: [vault_address],
    });
  });

  test('error: a session is begun also where the roles cannot be read', async () => {
    const log = jest.spyOn(console, 'info').mockImplementation(() => undefined);
    const { run, session } = setup({ signTypedData: async () => '0x01' }, async () => {
      throw new Error('away');
    });
    await run();
    expect(session.get()).toMatchObject({ status: 'signed_in', address: wallet_address, vaults: [] });
    expect(log).toHaveBeenCalledWith('roles were not refreshed', 'away');
  });

  test('error: a session that is refused while the roles are read is none', async () => {
    const refused = setup({ signTypedData: async () => '0x01' }, async () => {
      refused.session.end('unauthorized');
      throw new Error('refused');
    });
    await expect(refused.run()).rejects.toThrow('refused');
  });

  test('behavior: a wallet that knows no typed data signs the text message', async () => {
    const signTypedData = async () => {
      throw Object.assign(new Error('unsupported'), { cause: { code: -32601 } });
    };
    const { run, createToken } = setup({ signTypedData, signText: async () => '0x02' });
    await run();
    expect(createToken).toHaveBeenCalledWith({ body: { method: 'siwe', message: 'sign in', signature: '0x02' } });
  });

  test('behavior: a person who declines is not asked a second way', async () => {
    const signText = jest.fn(async () => '0x02');
    const signTypedData = async () => {
      throw Object.assign(new Error('no'), { code: 4001 });
    };
    const { run, session } = setup({ signTypedData, signText });
    await expect(run()).rejects.toMatchObject({ code: 4001 });
    expect(signText).not.toHaveBeenCalled();
    expect(session.get()).toEqual({ status: 'anonymous' });
  });
});
