import type { Api } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import { sameAddress } from '../format/address.ts';

export type Nonce = Awaited<ReturnType<Api['createNonce']>>;

/** What signing in asks of a wallet. */
export type MessageSigner = {
  signTypedData: (typedData: Nonce['typed_data']) => Promise<string>;
  signText: (message: string) => Promise<string>;
};

const codeOf = (error: unknown): number | undefined => {
  const { code, cause } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    cause?: unknown;
  };
  if (typeof code === 'number') return code;
  return cause === undefined ? undefined : codeOf(cause);
};

/** True when the person declined in the wallet (EIP-1193 code 4001). */
export const isRejection = (error: unknown): boolean => codeOf(error) === 4001;

/** EIP-1193 4200 and JSON-RPC -32601, -32004: the wallet knows no typed data. */
const cannotSignTypedData = (error: unknown): boolean => [4200, -32601, -32004].includes(codeOf(error) ?? 0);

/** Signs what a nonce came with, the way the wallet can. */
export async function proofOf(nonce: Nonce, signer: MessageSigner) {
  try {
    return {
      method: 'eip712' as const,
      typed_data: nonce.typed_data,
      signature: await signer.signTypedData(nonce.typed_data),
    };
  } catch (error) {
    if (!cannotSignTypedData(error)) throw error;
    return {
      method: 'siwe' as const,
      message: nonce.siwe_message,
      signature: await signer.signText(nonce.siwe_message),
    };
  }
}

/**
 * Proves the wallet to the identity provider and starts the session with the roles the server gives it. The session is begun
 * even where the roles, which are hints, cannot be read.
 */
export async function signIn(api: Api, session: Session, nonce: Nonce, signer: MessageSigner) {
  const issued = await api.createToken({ body: await proofOf(nonce, signer) });
  session.begin({ token: issued.access_token, address: issued.wallet_address, isManager: false, vaults: [] });
  try {
    await refreshRoles(api, session);
  } catch (error) {
    if (session.get().status !== 'signed_in') throw error;
    console.info('roles were not refreshed', error instanceof Error ? error.message : error);
  }
}

/** Brings the stored hints (manager or not, which vaults) up to what the server says now. */
export async function refreshRoles(api: Api, session: Session) {
  const me = await api.me({});
  const current = session.get();
  if (current.status !== 'signed_in' || !sameAddress(current.address, me.wallet_address)) return;
  session.begin({
    token: current.token,
    address: me.wallet_address,
    isManager: me.is_manager,
    vaults: [...new Set(me.vaults.map((vault) => vault.vault_address))],
  });
}
