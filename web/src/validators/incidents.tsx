import { clsx } from 'clsx';
import { CircleX, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { formatUsd, formatUsdFull } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import { When } from '../lists/when.tsx';
import { sectionPath } from '../navigation/paths.ts';
import { answering, bySeverity, type Incident, listed, type Network, nodeName, nodeNames } from './network.ts';

/** What is wrong, what costs most first: whose fault it is, which vaults, how much money, since when. */
export function Incidents({ network }: { network: Network }) {
  if (network.incidents.length === 0) return null;
  return (
    <section aria-label="Incidents" className="flex flex-col gap-3">
      {shownOf(network).map((incident) => (
        <IncidentCard key={keyOf(incident)} incident={incident} network={network} />
      ))}
    </section>
  );
}

/** While nothing can be agreed the silent nodes are the reason and stand there, not beside it. */
const shownOf = (network: Network): Incident[] =>
  bySeverity(network.incidents).filter(({ kind }) => kind !== 'node_silent' || !isHalted(network));

const keyOf = ({ kind, node_index, vaults }: Incident): string =>
  `${kind}:${node_index}:${vaults.map(({ vault_address }) => vault_address).join()}`;

function IncidentCard({ incident, network }: { incident: Incident; network: Network }) {
  const { kind, since } = incident;
  const { title, detail, risk } = said(incident, network);
  const isLoud = kind !== 'node_silent';
  const Icon = isLoud ? CircleX : TriangleAlert;
  return (
    <article
      className={clsx(
        'flex flex-wrap items-start gap-x-6 gap-y-3 rounded-card border border-l-4 bg-surface p-4',
        isLoud ? 'border-danger' : 'border-brass',
      )}
    >
      <Icon size={20} aria-hidden="true" className={clsx('mt-0.5 shrink-0', isLoud ? 'text-danger' : 'text-brass')} />
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
        {/* The title alone is read out: the text below changes with each reading. */}
        <div role={isLoud ? 'alert' : 'status'}>
          <h2 className="text-16 font-semibold">{title}</h2>
        </div>
        <p className="text-13">{detail}</p>
        <p className="text-13 text-muted">
          {`Since ${formatUtc(since)}, `}
          <When at={since} asOf={network.as_of} />
        </p>
        <Vaults incident={incident} />
      </div>
      {risk === null ? null : (
        <p className="flex flex-col sm:text-right">
          <span
            title={risk.exact}
            className={clsx('text-28 font-semibold tracking-tight', isLoud && risk.isMoney && 'text-danger')}
          >
            {risk.value}
          </span>
          <span className="text-13 text-muted">{risk.words}</span>
        </p>
      )}
    </article>
  );
}

function Vaults({ incident: { kind, vaults } }: { incident: Incident }) {
  const { config } = useApp();
  // A single stale vault stands in the title.
  if (vaults.length === 0) return null;
  return (
    <ul aria-label="Vaults" className="flex flex-wrap gap-x-4 gap-y-1 pt-1 text-13">
      {vaults.map(({ chain_id, vault_address, name, tvl_usd }) => (
        <li key={`${chain_id}:${vault_address}`} className="flex gap-1.5">
          <Link
            to={sectionPath('public', chainById(config, chain_id)?.slug ?? String(chain_id), vault_address, 'pricing')}
            className="link"
          >
            {kind === 'strategy_stale' ? `Why ${name} is late` : name}
          </Link>
          {kind === 'strategy_stale' ? null : (
            <span className="text-muted">{tvl_usd === null ? 'no price in dollars' : formatUsd(tvl_usd)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

type Said = {
  title: string;
  detail: string;
  risk: { value: string; exact?: string; words: string; isMoney: boolean } | null;
};

const isHalted = ({ incidents }: Network): boolean => incidents.some(({ kind }) => kind === 'no_rounds');

const silentOf = ({ nodes }: Network): string | null => {
  const silent = nodes.filter(({ status }) => status !== 'ok').map(({ index }) => index);
  return silent.length === 0 ? null : nodeNames(nodes, silent);
};

const silentSince = ({ nodes, as_of }: Network): string =>
  listed.format(
    nodes
      .filter(({ status }) => status !== 'ok')
      .map(({ index, last_seen }) => {
        const away =
          last_seen === null ? '' : ` for ${formatDuration((Date.parse(as_of) - Date.parse(last_seen)) / 1_000)}`;
        return `${nodeName(nodes, index)}${away}`;
      }),
  );

function atRisk(value: number | null): Said['risk'] {
  if (value === null) return { value: 'Not known', words: 'at risk: a vault has no price in dollars', isMoney: true };
  return { value: formatUsd(value), exact: formatUsdFull(value), words: 'at risk', isMoney: value > 0 };
}

function said(incident: Incident, network: Network): Said {
  const { nodes, config } = network;
  const { kind, vaults, node_index, reason, value_at_risk_usd: value } = incident;
  const silent = silentOf(network);
  const counts = config === null ? null : answering(network, config);
  if (kind === 'strategy_stale') {
    const fault = silent === null ? 'All nodes answer.' : `Silent: ${silent}.`;
    return {
      title: `No new price for ${listed.format(vaults.map(({ name }) => name))}`,
      detail: `${reason} ${fault}`,
      risk: atRisk(value),
    };
  }
  if (kind === 'no_rounds') {
    const fault = silent === null ? 'All nodes answer, yet finish no round.' : `Silent: ${silentSince(network)}.`;
    const answer = counts === null ? '' : `${counts.alive} of ${nodes.length} nodes answer, ${counts.needed} must. `;
    return { title: 'The nodes agree on no prices', detail: `${answer}${fault}`, risk: atRisk(value) };
  }
  const title = `${node_index === null ? 'A node' : nodeName(nodes, node_index)} is silent`;
  if (counts === null || counts.alive < counts.needed) {
    return { title, detail: 'Without it and the others that are silent, no price can be agreed.', risk: null };
  }
  const spare = counts.alive - counts.needed;
  const margin =
    spare === 0 ? 'If one more falls silent, prices stop.' : `Prices stop once ${spare + 1} more fall silent.`;
  return {
    title,
    detail: `Prices still come: ${counts.alive} of ${nodes.length} nodes answer, ${counts.needed} must. ${margin}`,
    risk: { value: formatUsd(0), words: 'at risk while the others agree', isMoney: false },
  };
}
