import { Link } from 'react-router';
import { useApp } from '../client/services.ts';
import { useHead } from '../design/head.ts';
import { Later } from '../design/later.tsx';
import { PublicMandate } from '../mandate/public-mandate.tsx';
import { useMoment } from '../moment/use-moment.ts';
import { operatePath, sectionPath, type VaultView } from '../navigation/paths.ts';
import { MyPosition } from '../position/my-position.tsx';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { Passport } from '../vault/passport.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { VaultNotices } from '../vault/vault-notices.tsx';
import { SectionGate, viewTitle } from './section-gate.tsx';
import { VaultSection } from './sections.tsx';
import { TrustRow } from './trust-row.tsx';

/** The page anyone may read: no wallet is asked for, and nothing on it can be operated. */
export function PublicVaultPage() {
  return <SectionGate area="public">{(shown, view) => <PublicVault shown={shown} view={view} />}</SectionGate>;
}

function PublicVault({ shown, view }: { shown: Shown; view: VaultView }) {
  const { config } = useApp();
  const { vault, chain } = shown;
  // The printed page is no page of its own for a search engine.
  const canonical = view === 'print' ? 'overview' : view;
  const { at } = useMoment();
  useHead(
    `${view === 'overview' ? '' : `${viewTitle(view)} · `}${vault.name} (${vault.symbol})`,
    `${vault.name}, a vault for ${vault.asset.symbol} on ${chain.name}: its price and how old it is, its assets, its managers.`,
    { canonical: `${config.public_url}${sectionPath('public', chain.slug, vault.vault_address, canonical)}` },
  );
  return (
    <>
      <Passport shown={shown} />
      <VaultNotices vault={vault} />
      {view === 'overview' ? (
        <>
          <MyPosition shown={shown} />
          <TrustRow shown={shown} />
        </>
      ) : null}
      <VaultSection shown={shown} view={view} />
      {view === 'overview' && at === undefined ? (
        <Later>
          <PublicMandate shown={shown} />
        </Later>
      ) : null}
      <PublicFooter shown={shown} />
    </>
  );
}

function PublicFooter({ shown: { vault } }: { shown: Shown }) {
  const session = useSession();
  const canOperate = session.status === 'signed_in' && vault.my_role !== null;
  return (
    <p className="mx-auto w-full max-w-[1200px] px-4 pb-8 text-13 text-muted sm:px-6 min-[900px]:pl-[196px]!">
      {canOperate ? (
        <Link to={operatePath(vault.chain_slug, vault.vault_address)} className="link">
          Open this vault in Operate
        </Link>
      ) : session.status === 'signed_in' ? (
        'Your wallet has no role on this vault.'
      ) : (
        <>
          Do you run this vault?{' '}
          <button type="button" onClick={openSignIn} className="link min-h-6">
            Sign in
          </button>{' '}
          to operate it.
        </>
      )}
    </p>
  );
}
