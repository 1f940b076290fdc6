import { useQuery } from '@tanstack/react-query';
import { memo, type ReactNode, useDeferredValue, useMemo } from 'react';
import { Link, Navigate, useLocation, useParams } from 'react-router';
import type { AppChain } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { useLastingError } from '../data/lasting-error.ts';
import { type Vault, vaultQuery } from '../data/queries.ts';
import { type Live, LiveModeContext, useVaultLive } from '../data/use-live.ts';
import { explain } from '../design/explain.ts';
import { MessagePage } from '../design/message-page.tsx';
import { Failure, FigureSkeletons, RowSkeletons, Skeleton } from '../design/states.tsx';
import type { VaultArea } from '../navigation/paths.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { resolveVault } from './resolve.ts';

export type Shown = {
  vault: Vault;
  /** Of which of its pages this is a part. */
  area: VaultArea;
  chain: AppChain;
  updatedAt: number;
  live: Live;
  /** Why the last update failed; null while updates come. */
  error: unknown;
  retry: () => void;
};

type GateProps = {
  /** Path of this page for a chain slug and an EIP-55 address. */
  path: (chain: string, address: string) => string;
  /** The public page reads as anybody once a session ended; Operate keeps what the wallet last saw. */
  area: VaultArea;
  children: (shown: Shown) => ReactNode;
};

/** Reads the vault a URL names; malformed, unknown and unreadable ones each get their own page. */
export function VaultGate({ path, area, children }: GateProps) {
  const { config } = useApp();
  const { chainName = '', vaultAddress = '' } = useParams();
  const { search, hash } = useLocation();
  const resolved = resolveVault(config, chainName, vaultAddress);
  if (resolved.kind === 'unknown_chain') return <UnknownChain chainName={resolved.chainName} />;
  if (resolved.kind === 'malformed') return <Malformed text={resolved.text} />;
  if (!resolved.isCanonical) {
    return <Navigate replace to={`${path(resolved.chain.slug, resolved.address)}${search}${hash}`} />;
  }
  const { chain, address } = resolved;
  return (
    <Read key={`${chain.chain_id}:${address}`} chain={chain} address={address} area={area}>
      {children}
    </Read>
  );
}

const FIRST_READ_MS = 3_000;

type ReadProps = { chain: AppChain; address: string } & Pick<GateProps, 'area' | 'children'>;

function Read({ chain, address, area, children }: ReadProps) {
  const { api } = useApp();
  const wallet = useViewer();
  const hasEnded = useSession().status === 'ended';
  const viewer = hasEnded && area === 'public' ? 'public' : wallet;
  const isFrozen = hasEnded && area === 'operate';
  const live = useVaultLive(viewer, chain.chain_id, address, !isFrozen);
  const query = useQuery({
    ...vaultQuery(api, viewer, chain.chain_id, address),
    enabled: !isFrozen,
    // A page without figures has nothing the stream could keep up to date, so it asks again soon.
    refetchInterval: ({ state }) => (state.data === undefined ? FIRST_READ_MS : live.pollMs),
  });
  const error = useLastingError(query);
  const code = explain(error).code;
  if (error !== null && (code === 'VAULT_NOT_FOUND' || code === 'CHAIN_NOT_FOUND')) {
    return <UnknownVault chain={chain} address={address} />;
  }
  if (query.data === undefined) {
    return error !== null ? (
      <div className="mx-auto w-full max-w-[1200px] p-4 sm:p-6">
        <Failure error={error} title="The vault could not be read" retry={() => query.refetch()} />
      </div>
    ) : (
      <VaultSkeleton />
    );
  }
  return (
    <Given
      vault={query.data}
      area={area}
      chain={chain}
      updatedAt={query.dataUpdatedAt}
      live={live}
      error={isFrozen ? null : error}
      refetch={query.refetch}
    >
      {children}
    </Given>
  );
}

type GivenProps = Omit<Shown, 'retry'> & Pick<GateProps, 'children'> & { refetch: () => Promise<unknown> };

/** An update of the vault draws most of the page anew: in small steps, between which the page still answers. */
function Given({ vault, area, chain, updatedAt, live, error, refetch, children }: GivenProps) {
  const shown = useMemo<Shown>(
    () => ({ vault, area, chain, updatedAt, live, error, retry: () => void refetch() }),
    [vault, area, chain, updatedAt, live, error, refetch],
  );
  return (
    <LiveModeContext value={live.mode}>
      <Page shown={useDeferredValue(shown)}>{children}</Page>
    </LiveModeContext>
  );
}

const Page = memo(({ shown, children }: { shown: Shown } & Pick<GateProps, 'children'>) => children(shown));

function VaultSkeleton() {
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-6 p-4 sm:p-6">
      <Skeleton className="h-12 w-72" />
      <FigureSkeletons count={9} columns={3} />
      <div className="rounded-card border bg-surface">
        <RowSkeletons rows={4} />
      </div>
    </div>
  );
}

const allVaults = (
  <Link to="/" className="link">
    See all vaults
  </Link>
);

function UnknownVault({ chain, address }: { chain: AppChain; address: string }) {
  return (
    <MessagePage title="No such vault" action={allVaults}>
      <p>
        {`${chain.name} has no vault of this system at`}{' '}
        <code className="block font-mono text-13 break-all">{address}</code>
      </p>
      <p>A vault that was created a moment ago appears once its block is indexed.</p>
    </MessagePage>
  );
}

function UnknownChain({ chainName }: { chainName: string }) {
  const { config } = useApp();
  return (
    <MessagePage title="Unknown chain" action={allVaults}>
      <p>
        <code className="font-mono text-13 break-all">{chainName}</code> is not a chain this system reads. It reads{' '}
        {config.chains.map(({ name }) => name).join(', ')}.
      </p>
    </MessagePage>
  );
}

function Malformed({ text }: { text: string }) {
  return (
    <MessagePage title="That is not an address" action={allVaults}>
      <p>
        <code className="font-mono text-13 break-all">{text}</code> is not 0x followed by 40 hexadecimal digits. Check
        that the whole address was copied.
      </p>
    </MessagePage>
  );
}
