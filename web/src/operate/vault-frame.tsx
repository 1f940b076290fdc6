import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useApp } from '../client/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { useHead } from '../design/head.ts';
import { MessagePage } from '../design/message-page.tsx';
import { operatePath, vaultPath } from '../navigation/paths.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { Passport } from '../vault/passport.tsx';
import { type Shown, VaultGate } from '../vault/vault-gate.tsx';
import { VaultNotices } from '../vault/vault-notices.tsx';

/** Only wallets with a role come in; the reason and the way to the public page are said to others. */
export function RoleGate({ shown, children }: { shown: Shown; children: ReactNode }) {
  const { api } = useApp();
  const session = useSession();
  const viewer = useViewer();
  const mine = useQuery({
    ...myVaultsQuery(api, viewer),
    enabled: session.status === 'signed_in' && shown.vault.my_role === null,
    refetchInterval: false,
  });
  const { vault } = shown;
  if (vault.my_role !== null) return children;
  const other = mine.data?.vaults[0];
  return (
    <MessagePage
      title="You have no role on this vault"
      action={
        <span className="flex flex-wrap gap-4">
          <Link to={vaultPath(vault.chain_slug, vault.vault_address)} className="link">
            See its public page
          </Link>
          {other === undefined ? null : (
            <Link to={operatePath(other.chain_slug ?? vault.chain_slug, other.vault_address)} className="link">
              {`Operate ${other.name}`}
            </Link>
          )}
        </span>
      }
    >
      <p>
        {`Operating ${vault.name} needs a role that its primary manager gives. `}
        {session.status === 'anonymous' ? null : (
          <>
            You are signed in as <code className="font-mono text-13 break-all">{session.address}</code>.
          </>
        )}
      </p>
    </MessagePage>
  );
}

export function OperatePassport({ shown }: { shown: Shown }) {
  return (
    <>
      <Passport shown={shown} />
      <VaultNotices vault={shown.vault} />
    </>
  );
}

type VaultPageFrameProps = {
  title: string;
  path: (chain: string, address: string) => string;
  children: (shown: Shown) => ReactNode;
};

/** A page about one vault for those with a role on it. */
export function VaultPageFrame({ title, path, children }: VaultPageFrameProps) {
  return (
    <VaultGate path={path} area="operate">
      {(shown) => (
        <RoleGate shown={shown}>
          <VaultHead shown={shown} suffix={title} />
          <OperatePassport shown={shown} />
          {children(shown)}
        </RoleGate>
      )}
    </VaultGate>
  );
}

export function VaultHead({ shown, suffix }: { shown: Shown; suffix: string }) {
  useHead(`${suffix} · ${shown.vault.name}`);
  return null;
}
