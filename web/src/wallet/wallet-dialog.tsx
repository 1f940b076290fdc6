import { useQuery } from '@tanstack/react-query';
import { Wallet } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { type Connector, useConnect, useConnection, useConnectors, useDisconnect } from 'wagmi';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure, Skeleton } from '../design/states.tsx';
import { useMedia } from '../design/use-media.ts';
import { AskedToSign } from '../digests/digest-list.tsx';
import { sameAddress, shortHex } from '../format/address.ts';
import { formatUtc } from '../format/time.ts';
import { closeSignIn, useSignInOpen } from '../session/sign-in-prompt.ts';
import { cancelPairing, RELAYED } from './connectors.ts';
import { NetworkPrompt } from './network-prompt.tsx';
import { usePairingLink } from './use-pairing-link.ts';
import { useSignIn } from './use-sign-in.ts';

// Its drawing of codes is for who chose a wallet on another device.
const Pairing = lazy(() => import('./pairing.tsx'));

export function WalletDialog() {
  const isOpen = useSignInOpen();
  const { status } = useConnection();
  const relayed = useConnectors().find(({ id }) => id === RELAYED);
  const close = () => {
    cancelPairing(relayed);
    closeSignIn();
  };
  return (
    <Dialog title={status === 'connected' ? 'Sign in' : 'Connect a wallet'} isOpen={isOpen} onClose={close}>
      {status === 'connected' ? <SignMessage /> : <ChooseWallet />}
    </Dialog>
  );
}

function ChooseWallet() {
  const { config, session } = useApp();
  const connectors = useConnectors();
  const connect = useConnect();
  const demoAddress = (connector: Connector) =>
    config.demo_wallets.find(({ address }) => connector.id === `demo-${address.toLowerCase()}`)?.address;
  const relayed = connectors.find(({ id }) => id === RELAYED);
  const pairing = usePairingLink(relayed);
  const found = connectors.filter(({ type, id }) => type !== 'demo' && id !== RELAYED);
  const demo = connectors.filter(({ type }) => type === 'demo');
  const choose = (connector: Connector) => {
    pairing.forget();
    connect.mutate(
      { connector },
      {
        onSuccess: ({ accounts }) => {
          const state = session.get();
          if (state.status === 'signed_in' && sameAddress(accounts[0], state.address)) closeSignIn();
        },
      },
    );
  };
  const isTouch = useMedia('(pointer: coarse)');
  const cancel = () => {
    cancelPairing(relayed);
    connect.reset();
  };
  if (connect.isPending && connect.variables.connector === relayed) {
    return (
      <Suspense fallback={<Skeleton className="h-96 w-full" />}>
        <Pairing link={pairing.link} onCancel={cancel} />
      </Suspense>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      {connect.isError ? <Failure error={connect.error} title="The wallet did not connect" /> : null}
      <section aria-labelledby="found-wallets" className="flex flex-col gap-2">
        <h3 id="found-wallets" className="label-caps">
          In this browser
        </h3>
        {found.length === 0 ? (
          <p className="text-13 text-muted">
            {isTouch
              ? "No wallet was found. Open this page in your wallet app's browser."
              : 'No wallet was found. Install a wallet extension, then load the page again.'}
          </p>
        ) : (
          found.map((connector) => (
            <WalletOption key={connector.uid} connector={connector} isBusy={connect.isPending} onChoose={choose} />
          ))
        )}
      </section>
      {relayed === undefined ? null : (
        <section aria-labelledby="relayed-wallets" className="flex flex-col gap-2">
          <h3 id="relayed-wallets" className="label-caps">
            On another device
          </h3>
          <WalletOption connector={relayed} isBusy={connect.isPending} onChoose={choose} />
        </section>
      )}
      {demo.length === 0 ? null : (
        <section aria-labelledby="demo-wallets" className="flex flex-col gap-2">
          <h3 id="demo-wallets" className="label-caps">
            Demo wallets of this devnet
          </h3>
          <p className="text-13 text-muted">Their keys are public. They sign for real, on this devnet only.</p>
          {demo.map((connector) => (
            <WalletOption
              key={connector.uid}
              connector={connector}
              address={demoAddress(connector)}
              isBusy={connect.isPending}
              onChoose={choose}
            />
          ))}
        </section>
      )}
    </div>
  );
}

type OptionProps = {
  connector: Connector;
  address?: string | undefined;
  isBusy: boolean;
  onChoose: (connector: Connector) => void;
};

function WalletOption({ connector, address, isBusy, onChoose }: OptionProps) {
  return (
    <AriaButton
      isDisabled={isBusy}
      onPress={() => onChoose(connector)}
      className="flex min-h-11 items-center gap-3 rounded-control border bg-raised px-3 text-left hover:border-line-strong disabled:opacity-50"
    >
      {connector.icon ? (
        <img src={connector.icon} alt="" width={24} height={24} className="rounded" />
      ) : (
        <Wallet size={20} aria-hidden="true" className="text-muted" />
      )}
      <span className="flex-1 font-medium">{connector.name}</span>
      {address === undefined ? null : <span className="font-mono text-12 text-muted">{shortHex(address)}</span>}
    </AriaButton>
  );
}

function SignMessage() {
  const { api, config, session } = useApp();
  const { address, chainId, connector } = useConnection();
  const disconnect = useDisconnect();
  const signIn = useSignIn(closeSignIn);
  const isKnownChain = config.chains.some(({ chain_id }) => chain_id === chainId);
  const nonce = useQuery({
    queryKey: ['nonce', address, chainId, signIn.submittedAt],
    queryFn: () => api.createNonce({ body: { address: address ?? '', chain_id: chainId ?? 0 } }),
    enabled: address !== undefined && isKnownChain && !signIn.isPending && !signIn.isSuccess,
    staleTime: 4 * 60_000,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  // While the wallet asks, its device shows the message that was handed to it, not the next one.
  const shown = signIn.isPending ? signIn.variables : nonce.data;
  const asked = signIn.isPending && signIn.asked ? signIn.asked : shown && { typedData: shown.typed_data };
  const state = session.get();
  const isOther = state.status === 'ended' && !sameAddress(state.address, address);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center justify-between gap-3 rounded-control border bg-raised px-3 py-2">
        <span className="min-w-0">
          <span className="block text-13 font-medium">{connector?.name}</span>
          {address === undefined ? null : <AddressTag value={address} what="wallet address" />}
        </span>
        <Button look="quiet" onPress={() => disconnect.mutate({})}>
          Use another wallet
        </Button>
      </div>
      {isOther ? <p className="text-13 text-brass">This is not the wallet you were signed in with before.</p> : null}
      {isKnownChain ? null : <NetworkPrompt chainId={config.chains[0]?.chain_id ?? 1} />}
      {nonce.isError ? <Failure error={nonce.error} retry={() => nonce.refetch()} /> : null}
      {signIn.isError ? <Failure error={signIn.error} title="You are not signed in" /> : null}
      {isKnownChain && shown === undefined && !nonce.isError ? <Skeleton className="h-36 w-full" /> : null}
      {shown ? <MessageText message={shown.typed_data.message} expiresAt={shown.expires_at} /> : null}
      {asked ? <AskedToSign asked={asked} /> : null}
      <p className="text-13 text-muted">
        Signing proves that the wallet is yours. It sends no transaction and costs no gas.
      </p>
      <Button
        look="primary"
        isDisabled={nonce.data === undefined || signIn.isPending}
        onPress={() => signIn.mutate(nonce.data)}
      >
        {signIn.isPending ? 'Waiting for the wallet' : 'Sign message'}
      </Button>
    </div>
  );
}

type MessageProps = { message: { uri: string; statement: string; nonce: string }; expiresAt: string };

function MessageText({ message, expiresAt }: MessageProps) {
  const rows = [
    ['Site', message.uri],
    ['Statement', message.statement],
    ['Nonce', message.nonce],
    ['Expires', formatUtc(expiresAt)],
  ] as const;
  return (
    <dl className="flex flex-col gap-2 rounded-control border px-3 py-2 text-13">
      {rows.map(([label, value]) => (
        <div key={label} className="flex flex-col sm:flex-row sm:gap-3">
          <dt className="w-24 shrink-0 text-muted">{label}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
