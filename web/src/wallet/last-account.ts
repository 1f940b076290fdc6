import { CONNECTED_KEY } from './demo-connected.ts';

/** A wallet in this browser, as far as it is asked here (EIP-1193). */
type Provider = {
  request: (call: { method: 'eth_accounts' }) => Promise<unknown>;
  on?: (event: 'accountsChanged', listener: (accounts: unknown) => void) => void;
  removeListener?: (event: 'accountsChanged', listener: (accounts: unknown) => void) => void;
};
type Announcement = CustomEvent<{ info: { rdns: string }; provider: Provider } | undefined>;

/** Ids that `wallets.ts` gives the connectors of demo wallets begin so. */
const DEMO = 'demo-';

/** The connector of the last visit, as wagmi keeps it. */
function lastConnector(storage: Storage): string | undefined {
  try {
    const id: unknown = JSON.parse(storage.getItem('wagmi.recentConnectorId') ?? 'null');
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Follows which account the wallet of the last visit shows, without loading what signs: the wallet is asked for what it has
 * already allowed, so that nobody is prompted. @returns what stops following.
 */
export function followLastAccount(storage: Storage, onAccount: (account: string) => void): () => void {
  const last = lastConnector(storage);
  const demo = storage.getItem(CONNECTED_KEY);
  if (last === undefined || last.startsWith(DEMO)) {
    if (demo !== null) onAccount(demo);
    return () => undefined;
  }
  let followed: Provider | undefined;
  const onAccounts = (accounts: unknown) => {
    const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
    // A locked wallet names none, which says nothing about who it is.
    if (typeof first === 'string' && followed !== undefined) onAccount(first);
  };
  const onAnnounced = (event: Event) => {
    const { detail } = event as Announcement;
    if (followed !== undefined || detail?.info.rdns !== last) return;
    followed = detail.provider;
    followed.on?.('accountsChanged', onAccounts);
    // A wallet that does not answer is one that says nothing.
    followed.request({ method: 'eth_accounts' }).then(onAccounts, () => undefined);
  };
  window.addEventListener('eip6963:announceProvider', onAnnounced);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => {
    window.removeEventListener('eip6963:announceProvider', onAnnounced);
    followed?.removeListener?.('accountsChanged', onAccounts);
    followed = undefined;
  };
}
