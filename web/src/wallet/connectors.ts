import type { Connector, CreateConnectorFn } from 'wagmi';
import { safe, walletConnect } from 'wagmi/connectors';
import type { AppConfig } from '../client/config.ts';
import { demoConnector } from './demo-connector.ts';

/** How wagmi calls the connector of WalletConnect. */
export const RELAYED = 'walletConnect';

/** Sent to the connector of the relay, as it sends its link, once nobody waits for the wallet any more. */
const CANCELLED = 'pairing_cancelled';

/** Gives a pairing up: a wallet that approves it later is disconnected at once and never becomes the one of the page. */
export function cancelPairing(connector: Connector | undefined): void {
  connector?.emitter.emit('message', { type: CANCELLED });
}

/** How long a Safe may take to say which one it is; outside of a Safe nobody answers. */
const SAFE_ANSWERS_WITHIN_MS = 5_000;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The page in a frame of a Safe wallet, which answers only from the origins that the server names. */
const safeApp = (origins: readonly string[]): CreateConnectorFn =>
  safe({
    allowedDomains: origins.map((origin) => new RegExp(`^${escaped(origin)}$`)),
    unstable_getInfoTimeout: SAFE_ANSWERS_WITHIN_MS,
  });

type Relayed = Omit<ReturnType<ReturnType<typeof walletConnect>>, 'setup'>;
type Emitter = Parameters<CreateConnectorFn>[0]['emitter'];

/** Connects until that is cancelled; wagmi then goes back to the state before. */
function cancellable(connector: Relayed, emitter: Emitter): Relayed['connect'] {
  return async function connect(this: Relayed, parameters?: Parameters<Relayed['connect']>[0]) {
    const approved = connector.connect.call(this, parameters);
    // What is brought back at the start is no pairing, and nobody gives it up.
    if (parameters?.isReconnecting) return approved;
    const cancelled = Promise.withResolvers<never>();
    const onMessage = ({ type }: { type: string }) => {
      if (type !== CANCELLED) return;
      cancelled.reject(new Error('The pairing was cancelled.'));
      // Either may fail: of a pairing that nobody waits for there is nothing to say.
      approved.then(() => this.disconnect()).catch(() => undefined);
      this.getProvider()
        .then(({ signer }) => signer.cleanupPendingPairings({ deletePairings: true }))
        .catch(() => undefined);
    };
    emitter.on('message', onMessage);
    try {
      return await Promise.race([approved, cancelled.promise]);
    } finally {
      emitter.off('message', onMessage);
    }
  } as Relayed['connect'];
}

/**
 * Wallets behind WalletConnect's relay. wagmi prepares the provider of a connector as soon as it is listed; here its code is loaded
 * once the wallet is chosen, or was the one of the last visit. The code to scan is drawn by the page (`pairing.tsx`).
 */
function relayed(projectId: string, publicUrl: string): CreateConnectorFn {
  const connector = walletConnect({
    projectId,
    showQrModal: false,
    telemetryEnabled: false,
    metadata: {
      name: 'Castellan',
      description: 'The system that curators of on-chain vaults run their business on',
      url: publicUrl,
      icons: [`${publicUrl}/icon-192.png`],
    },
  });
  return (config) => {
    const { setup: _, ...lazily } = connector(config);
    return {
      ...lazily,
      // What a wallet says by itself is no connection: only what somebody chose here is.
      onConnect: () => undefined,
      connect: cancellable(lazily, config.emitter),
    };
  };
}

/** The connectors that the server's configuration offers beside the wallets that the browser announces. */
export function connectorsOf(config: AppConfig, isFramed: boolean): CreateConnectorFn[] {
  const { devnet, demo_wallets, walletconnect_project_id: project, safe_app_origins: safes, public_url } = config;
  return [
    ...(isFramed && safes.length > 0 ? [safeApp(safes)] : []),
    ...(project ? [relayed(project, public_url)] : []),
    ...(devnet ? demo_wallets.map(demoConnector) : []),
  ];
}
