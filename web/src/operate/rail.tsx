import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { LayoutDashboard } from 'lucide-react';
import { Link, useLocation, useParams } from 'react-router';
import { chainById, chainBySlug } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { Choice } from '../design/choice.tsx';
import { useGuardedNavigate } from '../design/leaving.ts';
import { areOn, keysText, type ShortcutKeys, vaultPageKeys } from '../navigation/keys.ts';
import { dashboardStep, operatePath } from '../navigation/paths.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { menuGroups, type VaultPage, type VaultPageStep, vaultPages } from './vault-pages.ts';

const pages = Object.entries(vaultPages) as [VaultPageStep, VaultPage][];

/** Switches between own vaults and leads to the pages of the chosen one. */
export function Rail({ onNavigate }: { onNavigate?: () => void }) {
  const { chainName = '', vaultAddress = '' } = useParams();
  const { pathname } = useLocation();
  const dashboard = operatePath(chainName, vaultAddress);
  // Its sections belong to the dashboard.
  const current = pathname.startsWith(`${dashboard}/${dashboardStep}/`) ? dashboard : pathname;
  const groups = menuGroups.map((title) => ({
    title,
    links: [
      ...(title === 'Vault'
        ? [{ to: dashboard, label: 'Dashboard', icon: LayoutDashboard, shortcut: vaultPageKeys.dashboard }]
        : []),
      ...pages
        .filter(([, { group }]) => group === title)
        .map(([step, page]) => ({
          to: `${dashboard}/${step}`,
          label: page.title,
          icon: page.icon,
          shortcut: vaultPageKeys[step],
        })),
    ],
  }));
  return (
    <div className="flex flex-col gap-5">
      <VaultSwitcher {...(onNavigate ? { onNavigate } : {})} />
      <nav aria-label="This vault" className="flex flex-col gap-4">
        {groups.map(({ title, links }) => (
          <div key={title} className="flex flex-col gap-1">
            <p className="px-3 label-caps">{title}</p>
            {links.map(({ to, label, icon: Icon, shortcut }) => (
              <Link
                key={to}
                to={to}
                aria-current={to === current ? 'page' : undefined}
                {...(onNavigate ? { onClick: onNavigate } : {})}
                className={clsx(
                  'group flex min-h-9 items-center gap-2 rounded-control px-3 text-13 font-medium',
                  to === current ? 'bg-raised text-text' : 'text-muted hover:bg-raised hover:text-text',
                )}
              >
                <Icon size={16} aria-hidden="true" />
                {label}
                <KeysOfLink keys={['g', shortcut]} />
              </Link>
            ))}
          </div>
        ))}
      </nav>
    </div>
  );
}

/** Shown where the menu stands beside the page, else once the link is pointed at. */
const KeysOfLink = ({ keys }: { keys: ShortcutKeys }) =>
  areOn(keys) ? (
    <span
      aria-hidden="true"
      className="ml-auto font-mono text-12 font-normal text-muted opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 min-[1100px]:opacity-100"
    >
      {keysText(keys)}
    </span>
  ) : null;

function VaultSwitcher({ onNavigate }: { onNavigate?: () => void }) {
  const { api, config } = useApp();
  const session = useSession();
  const viewer = useViewer();
  const navigate = useGuardedNavigate();
  const { chainName = '', vaultAddress = '' } = useParams();
  const { pathname } = useLocation();
  // Names to choose from, not figures: read once.
  const mine = useQuery({
    ...myVaultsQuery(api, viewer),
    enabled: session.status === 'signed_in',
    refetchInterval: false,
  });
  const current = `${chainBySlug(config, chainName)?.chain_id}:${vaultAddress.toLowerCase()}`;
  const vaults = mine.data?.vaults ?? [];
  if (vaults.length === 0) return null;
  const options = vaults.map((vault) => ({
    value: `${vault.chain_id}:${vault.vault_address.toLowerCase()}`,
    label: `${vault.name} · ${chainById(config, vault.chain_id)?.name ?? vault.chain_id}`,
  }));
  const open = (value: string) => {
    const vault = vaults.find((each) => `${each.chain_id}:${each.vault_address.toLowerCase()}` === value);
    if (vault === undefined) return;
    const slug = chainById(config, vault.chain_id)?.slug ?? String(vault.chain_id);
    onNavigate?.();
    // The same page of the other vault: what follows /operate, its chain and its address.
    const page = pathname.split('/').slice(4);
    navigate([operatePath(slug, vault.vault_address), ...page].join('/'));
  };
  return <Choice label="Vault" value={current} options={options} onChange={open} placeholder="Another vault" />;
}
