import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { chainById } from '../../client/config.ts';
import { useApp } from '../../client/services.ts';
import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty } from '../../design/states.tsx';
import { shortHex } from '../../format/address.ts';
import { formatCount, formatRate, formatShare, NONE } from '../../format/figures.ts';
import { formatDuration, formatMilliseconds } from '../../format/time.ts';
import { sectionPath } from '../../navigation/paths.ts';
import {
  formatMeanMs,
  formatMeanPpb,
  formatMost,
  formatPpb,
  formatWei,
  type History,
  NOT_RECORDED,
  type NodeRecord,
  shareOf,
  type VaultRecord,
} from './history.ts';

const Section = ({ title, note, children }: { title: string; note: string; children: ReactNode }) => (
  <Card isFlush>
    <div className="px-3 pt-4 pb-2 sm:px-4">
      <h2 className="text-14 font-semibold">{title}</h2>
      <p className="text-13 text-muted">{note}</p>
    </div>
    {children}
  </Card>
);

const nodeNameOf = ({ node_id, index }: NodeRecord): string => node_id ?? `node ${index}`;

const partOf = (part: number, whole: number): string => {
  const share = shareOf(part, whole);
  return share === null ? NONE : `${formatShare(share)} (${formatCount(part)} of ${formatCount(whole)})`;
};

const nodesHead = [
  'Node',
  'Participation',
  'Missed',
  'Too late',
  'Not used',
  'Signed',
  'Led',
  'Behind the first',
  'From the agreed price',
];

/** Each node over the window. */
export function NodesOverTime({ history, isOfVault }: { history: History; isOfVault: boolean }) {
  return (
    <Section
      title="Nodes"
      note={
        isOfVault
          ? 'Of the rounds that priced this vault. What a node led, sent late or paid is of all its rounds.'
          : 'Enough signatures end a round, so a node that is a little slower signs less without a fault.'
      }
    >
      {history.nodes.length === 0 ? (
        <Empty title="No node was recorded in this window">
          Each node of the configuration appears here with its first round.
        </Empty>
      ) : (
        <PlainTable
          label="Nodes over time"
          head={nodesHead}
          rows={history.nodes.map((node) => ({
            id: `${node.signer_address}`,
            cells: [
              <span key="name" className="whitespace-nowrap">
                <span className="text-muted">{`${node.index} `}</span>
                {nodeNameOf(node)}
              </span>,
              partOf(node.observed, node.rounds),
              formatCount(node.missed),
              formatCount(node.late),
              formatCount(node.dropped),
              partOf(node.signed, node.reports),
              formatCount(node.led),
              node.lag_ms === null
                ? NOT_RECORDED
                : `${formatMeanMs(node.lag_ms)}, at most ${formatMost(node.lag_ms, formatMilliseconds)}`,
              node.deviation_ppb === null
                ? NOT_RECORDED
                : `${formatMeanPpb(node.deviation_ppb)}, at most ${formatMost(node.deviation_ppb, formatPpb)}`,
            ],
          }))}
        />
      )}
    </Section>
  );
}

const gasHead = ['Node', 'Chain', 'Transactions', 'Stored', 'Failed', 'Not needed', 'Paid', 'Balance now', 'Lasts'];

const lasting = (days: number | null): string =>
  days === null ? NONE : days >= 1_000 ? 'over 1,000 days' : `${formatRate(days)} days`;

/** What the transmitters paid, by the receipts of the chain, and how long what they have will do. */
export function TransmittersOverTime({ history }: { history: History }) {
  const { config } = useApp();
  const rows = history.nodes.flatMap((node) => node.sent.map((sent) => ({ node, sent })));
  return (
    <Section
      title="Transmitters"
      note="What each paid, by the receipts of its transactions; “Lasts” is its balance at the pace of this window."
    >
      {rows.length === 0 ? (
        <Empty title="No transaction was recorded in this window">
          Each transaction with prices appears here once the chain has confirmed it.
        </Empty>
      ) : (
        <PlainTable
          label="Transmitters over time"
          head={gasHead}
          words={[1]}
          rows={rows.map(({ node, sent }) => {
            const chain = chainById(config, sent.chain_id);
            const symbol = chain?.native_symbol ?? '';
            const unknown = sent.transactions - sent.with_receipt;
            return {
              id: `${node.signer_address}:${sent.chain_id}`,
              cells: [
                <span key="name" className="whitespace-nowrap">
                  {nodeNameOf(node)}
                </span>,
                chain?.name ?? String(sent.chain_id),
                formatCount(sent.transactions),
                formatCount(sent.stored),
                formatCount(sent.failed),
                formatCount(sent.not_needed),
                sent.with_receipt === 0
                  ? NOT_RECORDED
                  : `${formatWei(sent.fee, symbol)}${unknown === 0 ? '' : ` (${formatCount(unknown)} without a receipt)`}`,
                sent.balance === null ? 'could not be read' : formatWei(sent.balance, symbol),
                lasting(sent.runway_days),
              ],
            };
          })}
        />
      )}
    </Section>
  );
}

const vaultsHead = [
  'Vault',
  'Agreed',
  'Stored',
  'Refused',
  'Late',
  'Longest gap',
  'Until stored',
  'Spread',
  'Observers',
  'Signers',
];

/** Each vault over the window. */
export function VaultsOverTime({ history }: { history: History }) {
  return (
    <Section
      title="Vaults"
      note="“Late” counts gaps between two stored prices that were longer than the heartbeat, or the vault's own interval, and two rounds."
    >
      {history.vaults.length === 0 ? (
        <Empty title="No vault was priced in this window">Each vault appears here with its first price.</Empty>
      ) : (
        <PlainTable
          label="Vaults over time"
          head={vaultsHead}
          rows={history.vaults.map((vault) => ({
            id: `${vault.chain_id}:${vault.strategy_address}`,
            cells: [
              <VaultName key="name" vault={vault} />,
              formatCount(vault.prices),
              formatCount(vault.stored),
              formatCount(vault.refused),
              formatCount(vault.late),
              vault.longest_gap_seconds === null ? NONE : formatDuration(vault.longest_gap_seconds),
              vault.delay_ms === null
                ? NOT_RECORDED
                : `${formatMeanMs(vault.delay_ms)}, at most ${formatMost(vault.delay_ms, formatMilliseconds)}`,
              vault.spread_ppb === null
                ? NOT_RECORDED
                : `${formatMeanPpb(vault.spread_ppb)}, at most ${formatMost(vault.spread_ppb, formatPpb)}`,
              vault.observers === null ? NONE : formatRate(vault.observers.mean),
              vault.signers === null ? NONE : formatRate(vault.signers.mean),
            ],
          }))}
        />
      )}
    </Section>
  );
}

function VaultName({ vault: { chain_id, vault_address, strategy_address, name } }: { vault: VaultRecord }) {
  const { config } = useApp();
  if (vault_address === null) return <span className="font-mono">{shortHex(strategy_address)}</span>;
  const slug = chainById(config, chain_id)?.slug ?? String(chain_id);
  return (
    <Link to={sectionPath('public', slug, vault_address, 'pricing')} className="font-medium hover:text-accent">
      {name ?? shortHex(vault_address)}
    </Link>
  );
}
