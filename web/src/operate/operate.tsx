import { useQuery } from '@tanstack/react-query';
import { Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import { Link, Outlet, useParams } from 'react-router';
import { AnalysisLink } from '../ai/analysis-link.tsx';
import { ChatDock } from '../chat/chat-dock.tsx';
import { useApp } from '../client/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { useHead } from '../design/head.ts';
import { MessagePage } from '../design/message-page.tsx';
import { Notice } from '../design/states.tsx';
import { operatePath, vaultPath } from '../navigation/paths.ts';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { Passport } from '../vault/passport.tsx';
import { type Shown, VaultGate } from '../vault/vault-gate.tsx';
import { VaultNotices } from '../vault/vault-notices.tsx';
import { SectionGate, viewTitle } from '../vault-page/section-gate.tsx';
import { VaultSection } from '../vault-page/sections.tsx';
import { SignInAgain } from '../wallet/session-watch.tsx';
import { WithWallets } from '../wallet/with-wallets.tsx';
import { Rail } from './rail.tsx';

/** The layout of the pages for people with a role: a rail on the left, a drawer on small screens. */
export function OperateShell() {
  const session = useSession();
  const { vaultAddress } = useParams();
  const [strip, setStrip] = useState<HTMLElement | null>(null);
  if (session.status === 'anonymous') return <SignInFirst />;
  return (
    <WithWallets>
      <div className="flex flex-1">
        {vaultAddress === undefined ? null : (
          <aside className="hidden w-60 shrink-0 border-r bg-surface min-[1100px]:block">
            <div className="sticky top-0 p-4">
              <Rail />
            </div>
          </aside>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          {session.status === 'ended' ? (
            <div className="px-4 pt-4 sm:px-6">
              <Notice tone="warn" title="Your session ended" action={<SignInAgain />}>
                What you see and typed stays. Sign in again to go on; figures do not update until then.
              </Notice>
            </div>
          ) : null}
          {vaultAddress === undefined ? null : <Drawer />}
          <Outlet />
          {/* The button of the chat has a strip of its own, so that it lies over nothing. */}
          {vaultAddress === undefined ? null : (
            <div ref={setStrip} className="sticky bottom-0 z-20 mt-auto empty:hidden print:hidden" />
          )}
        </div>
        {vaultAddress === undefined ? null : <ChatDock strip={strip} />}
      </div>
    </WithWallets>
  );
}

function SignInFirst() {
  return (
    <MessagePage
      title="Sign in to operate"
      action={
        <Button look="primary" onPress={openSignIn}>
          Connect and sign in
        </Button>
      }
    >
      <p>Operate is for wallets with a role on a vault. You come back to this page once you are signed in.</p>
      <p>
        Everything public is on the{' '}
        <Link to="/" className="link">
          list of vaults
        </Link>
        .
      </p>
    </MessagePage>
  );
}

function Drawer() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="border-b bg-surface px-4 py-2 sm:px-6 min-[1100px]:hidden">
      <Button look="quiet" onPress={() => setIsOpen(true)} className="-ml-3">
        <MenuIcon size={16} aria-hidden="true" />
        Vault menu
      </Button>
      <ModalOverlay
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        isDismissable
        className="fixed inset-0 z-40 bg-[rgb(4_8_11/60%)]"
      >
        <Modal className="h-full w-72 max-w-[85vw] border-r bg-surface">
          <AriaDialog aria-label="Vault menu" className="h-full overflow-y-auto p-4 outline-none">
            <Rail onNavigate={() => setIsOpen(false)} />
          </AriaDialog>
        </Modal>
      </ModalOverlay>
    </div>
  );
}

/** Only wallets with a role come in; the reason and the way to the public page are said to others. */
function RoleGate({ shown, children }: { shown: Shown; children: ReactNode }) {
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

function OperatePassport({ shown }: { shown: Shown }) {
  return (
    <>
      <Passport shown={shown} />
      <VaultNotices vault={shown.vault} />
    </>
  );
}

/** The dashboard of a vault: its sections, each at its own address. */
export function OperateVault() {
  return (
    <SectionGate area="operate">
      {(shown, view) => (
        <RoleGate shown={shown}>
          <VaultHead shown={shown} suffix={`${viewTitle(view)} · Operate`} />
          <OperatePassport shown={shown} />
          {view === 'overview' ? <AnalysisLink shown={shown} /> : null}
          <VaultSection shown={shown} view={view} />
        </RoleGate>
      )}
    </SectionGate>
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

function VaultHead({ shown, suffix }: { shown: Shown; suffix: string }) {
  useHead(`${suffix} · ${shown.vault.name}`);
  return null;
}
