import { useApp } from '../client/services.ts';
import { sameAddress } from '../format/address.ts';
import { useLogout } from './use-logout.ts';

/** Ends the session where a wallet shows another account than the one that signed in. */
export function useAccountCheck(): (account: string) => Promise<void> {
  const { session } = useApp();
  const logout = useLogout();
  return async (account) => {
    const state = session.get();
    if (state.status !== 'signed_in' || sameAddress(account, state.address)) return;
    const revoked = logout();
    session.end('account_changed');
    await revoked;
  };
}
