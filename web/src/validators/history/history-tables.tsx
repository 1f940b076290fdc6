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
  NOT_BY_VAULT,
  NOT_RECORDED,
  nodeNameOf,
  type Sent,
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
          ? 'Of the rounds that priced this vault. What a node led, and how far it was behind the first and from the agreed price, is of all its rounds.'
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
              node.late === null ? NOT_BY_VAULT : formatCount(node.late),
              node.dropped === null ? NOT_BY_VAULT : formatCount(node.dropped),
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

const paidWords = ({ transactions, with_receipt, fee }: Sent, symbol: string): string => {
  const unknown = transactions - with_receipt;
  if (with_receipt === 0) return NOT_RECORDED;
  return `${formatWei(fee, symbol)}${unknown === 0 ? '' : ` (${formatCount(unknown)} without a receipt)`}`;
};

const lasting = (days: number | null): string =>
  days === null ? NONE : days >= 1_000 ? 'over 1,000 days' : `${formatRate(days)} days`;

/** What the transmitters paid, by the receipts of the chain, and how long what they have will do. */
export function TransmittersOverTime({ history, isOfVault }: { history: History; isOfVault: boolean }) {
  const { config } = useApp();
  const rows = history.nodes.flatMap((node) => (node.sent ?? []).map((sent) => ({ node, sent })));
  const isKnown = history.nodes.every(({ sent }) => sent !== null);
  return (
    <Section
      title="Transmitters"
      note={
        isOfVault
          ? 'What each paid for transactions with a price of this vault, each in full, though it may carry those of others; “Lasts” is its balance at the pace of all it paid in this window.'
          : 'What each paid, by the receipts of its transactions; “Lasts” is its balance at the pace of this window.'
      }
    >
      {isKnown ? null : (
        <p className="px-3 pb-3 text-13 text-muted sm:px-4">
          {`What a node paid is ${NOT_BY_VAULT} in all of this window. Choose all vaults to see what it paid.`}
        </p>
      )}
      {rows.length === 0 ? (
        isKnown ? (
          <Empty title="No transaction was recorded in this window">
            Each transaction with prices appears here once the chain has confirmed it.
          </Empty>
        ) : null
      ) : (
        <PlainTable
          label="Transmitters over time"
          head={gasHead}
          words={[1]}
          rows={rows.map(({ node, sent }) => {
            const chain = chainById(config, sent.chain_id);
            const symbol = chain?.native_symbol ?? '';
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
                paidWords(sent, symbol),
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

/** A figure and what belongs to it, where a line of both would be too wide. */
const twoLines = (figure: string, below: string) => (
  <>
    {figure}
    <span className="block text-12 text-muted">{below}</span>
  </>
);

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
  'Paid',
];

/** Each vault over the window. */
export function VaultsOverTime({ history }: { history: History }) {
  const { config } = useApp();
  return (
    <Section
      title="Vaults"
      note="“Late” counts gaps between two stored prices that were longer than the heartbeat, or the vault's own interval, and two rounds. “Paid” has each transaction in full, though it may carry prices of other vaults."
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
                : twoLines(formatMeanMs(vault.delay_ms), `at most ${formatMost(vault.delay_ms, formatMilliseconds)}`),
              vault.spread_ppb === null
                ? NOT_RECORDED
                : twoLines(formatMeanPpb(vault.spread_ppb), `at most ${formatMost(vault.spread_ppb, formatPpb)}`),
              vault.observers === null ? NONE : formatRate(vault.observers.mean),
              vault.signers === null ? NONE : formatRate(vault.signers.mean),
              vault.sent
                .map((sent) => paidWords(sent, chainById(config, sent.chain_id)?.native_symbol ?? ''))
                .join(', ') || NONE,
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
