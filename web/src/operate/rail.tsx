import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import {
  FileSignature,
  FlaskConical,
  History,
  LayoutDashboard,
  Network,
  Newspaper,
  OctagonPause,
  ScrollText,
  SlidersHorizontal,
  Sparkles,
  Sprout,
  Users,
  Workflow,
} from 'lucide-react';
import { NavLink, useNavigate, useParams } from 'react-router';
import { chainById, chainBySlug } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { Choice } from '../design/choice.tsx';
import {
  analysisPath,
  auditPath,
  callsPath,
  feedPath,
  intentsPath,
  merklePath,
  operatePath,
  pausePath,
  settingsPath,
  simulationPath,
  strategiesPath,
  usersPath,
  yieldSourcesPath,
} from '../navigation/paths.ts';
import { useSession, useViewer } from '../session/use-session.ts';

/** Switches between own vaults and leads to the pages of the chosen one. */
export function Rail({ onNavigate }: { onNavigate?: () => void }) {
  const { chainName = '', vaultAddress = '' } = useParams();
  const to = (path: (chain: string, address: string) => string) => path(chainName, vaultAddress);
  const groups = [
    {
      title: 'Vault',
      links: [
        { to: to(operatePath), label: 'Dashboard', icon: LayoutDashboard },
        { to: to(analysisPath), label: 'Analysis', icon: Sparkles },
        { to: to(feedPath), label: 'Feed', icon: Newspaper },
      ],
    },
    {
      title: 'Strategies',
      links: [
        { to: to(strategiesPath), label: 'Strategies', icon: Workflow },
        { to: to(intentsPath), label: 'Intent history', icon: History },
        { to: to(simulationPath), label: 'Simulation', icon: FlaskConical },
      ],
    },
    {
      title: 'Access and settings',
      links: [
        { to: to(usersPath), label: 'User management', icon: Users },
        { to: to(settingsPath), label: 'Settings', icon: SlidersHorizontal },
        { to: to(yieldSourcesPath), label: 'Yield sources', icon: Sprout },
        { to: to(merklePath), label: 'Merkle trees', icon: Network },
      ],
    },
    {
      title: 'Operations',
      links: [
        { to: to(pausePath), label: 'Pause', icon: OctagonPause },
        { to: to(callsPath), label: 'Prepared calls', icon: FileSignature },
        { to: to(auditPath), label: 'Timeline and audit', icon: ScrollText },
      ],
    },
  ];
  return (
    <div className="flex flex-col gap-5">
      <VaultSwitcher {...(onNavigate ? { onNavigate } : {})} />
      <nav aria-label="This vault" className="flex flex-col gap-4">
        {groups.map(({ title, links }) => (
          <div key={title} className="flex flex-col gap-1">
            <p className="px-3 label-caps">{title}</p>
            {links.map(({ to, label, icon: Icon }) => (
              <NavLink
                key={to}
                to={to}
                end
                {...(onNavigate ? { onClick: onNavigate } : {})}
                className={({ isActive }) =>
                  clsx(
                    'flex min-h-9 items-center gap-2 rounded-control px-3 text-13 font-medium',
                    isActive ? 'bg-raised text-text' : 'text-muted hover:bg-raised hover:text-text',
                  )
                }
              >
                <Icon size={16} aria-hidden="true" />
                {label}
              </NavLink>
            ))}
          </div>
        ))}
      </nav>
    </div>
  );
}

function VaultSwitcher({ onNavigate }: { onNavigate?: () => void }) {
  const { api, config } = useApp();
  const session = useSession();
  const viewer = useViewer();
  const navigate = useNavigate();
  const { chainName = '', vaultAddress = '' } = useParams();
  const mine = useQuery({ ...myVaultsQuery(api, viewer), enabled: session.status === 'signed_in' });
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
    navigate(operatePath(slug, vault.vault_address));
  };
  return <Choice label="Vault" value={current} options={options} onChange={open} />;
}
