import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { chainById } from '../../client/config.ts';
import { useApp } from '../../client/services.ts';
import { useLastingError } from '../../data/lasting-error.ts';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card } from '../../design/card.tsx';
import { useHead } from '../../design/head.ts';
import { Pill, type Tone } from '../../design/pill.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty, Failure, Skeleton } from '../../design/states.tsx';
import { shortHex } from '../../format/address.ts';
import { formatExact } from '../../format/amount.ts';
import { formatSignedBps, NONE } from '../../format/figures.ts';
import { formatMilliseconds, formatUtc, formatUtcSeconds } from '../../format/time.ts';
import { NotUpdated } from '../../live/not-updated.tsx';
import { sectionPath } from '../../navigation/paths.ts';
import { nodeName } from '../network.ts';
import { MarksLegend, NodeMarks } from '../node-marks.tsx';
import { outcomeWords, reasonWords } from '../validator-labels.ts';
import {
  bpsOf,
  exactGwei,
  formatGwei,
  formatPpb,
  formatWei,
  NOT_RECORDED,
  type RoundDetail,
  roundQuery,
} from './history.ts';

/** One round of the oracle network, under an address of its own. */
export function RoundPage() {
  const { api } = useApp();
  const { digest: config_digest = '', epoch = '', round = '' } = useParams();
  useHead(`Round ${epoch}.${round}`, 'One round of the oracle network: who observed what, who signed, what it cost.');
  const read = useQuery(roundQuery(api, { config_digest, epoch, round }));
  const error = useLastingError(read);
  const { data, refetch, dataUpdatedAt } = read;
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div className="flex flex-col gap-1">
        <Link to="/validators/history" className="link text-13">
          Validators over time
        </Link>
        <h1 className="text-28 font-semibold tracking-tight">{`Round ${epoch}.${round}`}</h1>
      </div>
      {error === null ? null : data === undefined ? (
        <Failure error={error} title="This round could not be read" retry={() => void refetch()} />
      ) : (
        <NotUpdated what="Round" readAt={dataUpdatedAt} error={error} retry={() => void refetch()} />
      )}
      {data === undefined ? error === null ? <Waiting /> : null : <Known round={data} />}
    </div>
  );
}

const Waiting = () => (
  <div role="status" aria-label="Loading the round" className="flex flex-col gap-4">
    <Skeleton className="h-28 w-full" />
    <Skeleton className="h-64 w-full" />
    <Skeleton className="h-44 w-full" />
  </div>
);

const Part = ({ title, note, children }: { title: string; note: string; children: ReactNode }) => (
  <Card isFlush>
    <div className="px-3 pt-4 pb-2 sm:px-4">
      <h2 className="text-14 font-semibold">{title}</h2>
      <p className="text-13 text-muted">{note}</p>
    </div>
    {children}
  </Card>
);

const since = (from: string | null, to: string | null): string => {
  if (from === null || to === null) return NOT_RECORDED;
  const took = Date.parse(to) - Date.parse(from);
  // Two machines, two clocks.
  return took < 0 ? `${formatMilliseconds(-took)} before, by its own clock` : formatMilliseconds(took);
};

const firstReport = ({ nodes }: RoundDetail): string | null =>
  nodes
    .map(({ reported_at }) => reported_at)
    .filter((at) => at !== null)
    .sort()[0] ?? null;

function Known({ round }: { round: RoundDetail }) {
  const senders = round.transactions.flatMap(({ node_index }) => (node_index === null ? [] : [node_index]));
  return (
    <>
      <Card>
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-16 font-medium">{outcomeWords(round)}</p>
            <NodeMarks round={round} nodes={round.nodes} senders={senders} />
          </div>
          <MarksLegend />
          <dl className="grid grid-cols-2 gap-x-6 gap-y-4 pt-1 lg:grid-cols-4">
            <Fact name="Led by">{nodeName(round.nodes, round.leader)}</Fact>
            <Fact name="Began">{round.started_at === null ? NOT_RECORDED : formatUtcSeconds(round.started_at)}</Fact>
            <Fact name="First end known after">{since(round.started_at, firstReport(round))}</Fact>
            <Fact name="Configuration">
              <AddressTag value={round.config_digest} what="configuration digest" />
            </Fact>
          </dl>
        </div>
      </Card>
      <Nodes round={round} />
      <Prices round={round} />
      <Transactions round={round} />
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-0.5">
    <dt className="label-caps">{name}</dt>
    <dd className="min-h-6 text-14 font-medium">{children}</dd>
  </div>
);

function Nodes({ round }: { round: RoundDetail }) {
  const { nodes, observers, signers, dropped } = round;
  const first = firstReport(round);
  return (
    <Part title="Nodes" note="When each knew the end is by its own clock; what the leader did not use says why.">
      {nodes.length === 0 ? (
        <Empty title="The members of this configuration are not recorded">
          {`Known are their places: ${observers.join(', ')} observed, ${signers.join(', ') || 'none'} signed.`}
        </Empty>
      ) : (
        <PlainTable
          label="Nodes of the round"
          head={['Node', 'Observed', 'Signed', 'Knew the end', 'Signer']}
          words={[1, 2, 4]}
          narrow={[2, 4]}
          rows={nodes.map((node) => {
            const refused = dropped.filter(({ observer }) => observer === node.index).map(({ reason }) => reason);
            return {
              id: String(node.index),
              cells: [
                <span key="name" className="whitespace-nowrap">
                  <span className="text-muted">{`${node.index} `}</span>
                  {nodeName(nodes, node.index)}
                </span>,
                observers.includes(node.index)
                  ? 'Yes'
                  : refused.length > 0
                    ? `Not used: ${refused.map((reason) => dropWords[reason] ?? reason).join(', ')}`
                    : 'No',
                signers.includes(node.index) ? 'Yes' : 'No',
                node.reported_at === null ? NOT_RECORDED : `+${since(first, node.reported_at)}`,
                node.signer_address === null ? (
                  NONE
                ) : (
                  <AddressTag key="signer" value={node.signer_address} what={`signer of node ${node.index}`} />
                ),
              ],
            };
          })}
        />
      )}
    </Part>
  );
}

const dropWords: Record<string, string> = {
  late: 'it came too late',
  bad_signature: 'its signature is not valid',
  invalid: 'it could not be read',
};

type Price = RoundDetail['prices'][number];

function Prices({ round }: { round: RoundDetail }) {
  return (
    <Part title="Prices" note="What was agreed for each vault, and how far from it each node's own reading was.">
      {round.prices.length === 0 ? (
        <Empty title="No price was due">The nodes observed, and agreed that no vault needed a new price.</Empty>
      ) : (
        <ul className="flex flex-col">
          {round.prices.map((price) => (
            <li key={`${price.chain_id}:${price.strategy_address}`} className="border-t px-3 py-3 sm:px-4">
              <PriceOf price={price} round={round} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

const PPB = 1_000_000_000n;
const priceWords = ({ asset_decimals: decimals, asset_symbol: symbol }: Price, pps: string): string =>
  decimals === null ? `${pps} (raw)` : `${formatExact(pps, decimals)} ${symbol ?? ''}`.trim();

function PriceOf({ price, round }: { price: Price; round: RoundDetail }) {
  const { config } = useApp();
  const { pps, observed, vault_address, vault_name, chain_id, strategy_address } = price;
  const name = vault_name ?? shortHex(vault_address ?? strategy_address);
  const slug = chainById(config, chain_id)?.slug ?? String(chain_id);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="text-14 font-semibold">
          {vault_address === null ? (
            name
          ) : (
            <Link to={sectionPath('public', slug, vault_address, 'pricing')} className="hover:text-accent">
              {name}
            </Link>
          )}
        </h3>
        <p className="text-13">
          {pps === null ? `Agreed price ${NOT_RECORDED}` : `Agreed: ${priceWords(price, pps)}`}
          {price.spread_ppb === null ? null : (
            <span className="text-muted">
              {' · spread '}
              <span className="whitespace-nowrap">{formatPpb(price.spread_ppb)}</span>
            </span>
          )}
        </p>
      </div>
      {observed.length === 0 || pps === null ? (
        <p className="text-13 text-muted">What each node observed is not recorded for this round.</p>
      ) : (
        <PlainTable
          isInset
          label={`Observed for ${name}`}
          head={['Node', 'Observed', 'From the agreed price', 'Signed the report']}
          rows={observed.map(({ observer, pps: own }) => ({
            id: String(observer),
            cells: [
              <span key="name" className="whitespace-nowrap">
                {nodeName(round.nodes, observer)}
              </span>,
              priceWords(price, own),
              formatSignedBps(bpsOf(Number(((BigInt(own) - BigInt(pps)) * PPB) / BigInt(pps)))),
              round.signers.includes(observer) ? 'Yes' : 'No',
            ],
          }))}
        />
      )}
    </div>
  );
}

const states: Record<RoundDetail['transactions'][number]['state'], { tone: Tone; word: string }> = {
  sent: { tone: 'plain', word: 'Sent, in no block' },
  mined: { tone: 'info', word: 'In a block' },
  stored: { tone: 'ok', word: 'Stored' },
  failed: { tone: 'critical', word: 'Failed' },
  not_needed: { tone: 'plain', word: 'Not needed' },
};

const sentHead = [
  'Sent by',
  'What became of it',
  'Sent',
  'In a block after',
  'Gas used',
  'Gas price',
  'Paid',
  'Transaction',
];

function Transactions({ round }: { round: RoundDetail }) {
  const { config } = useApp();
  const { transactions, nodes } = round;
  return (
    <Part
      title="Transactions"
      note="What was sent for this round. Gas and what was paid are by the receipt of the chain."
    >
      {transactions.length === 0 ? (
        <Empty title="No transaction is recorded for this round">
          {round.outcome === 'skip'
            ? 'Without a price there is nothing to send.'
            : 'The prices may have been stored by another round, or nobody recorded it.'}
        </Empty>
      ) : (
        <PlainTable
          label="Transactions of the round"
          head={sentHead}
          words={[1, 7]}
          narrow={[7]}
          rows={transactions.map((sent) => {
            const chain = chainById(config, sent.chain_id);
            const symbol = chain?.native_symbol ?? '';
            const { tone, word } = states[sent.state];
            // What is still on its way, or in no block in the end, has no receipt to record.
            const hasReceipt = sent.ended_at !== null && sent.block_number !== null;
            const missing = hasReceipt ? NOT_RECORDED : NONE;
            return {
              id: `${sent.chain_id}:${sent.tx_hash ?? sent.node_id}`,
              cells: [
                <span key="by" className="whitespace-nowrap">
                  {sent.node_index === null ? sent.node_id : nodeName(nodes, sent.node_index)}
                </span>,
                <div key="state" className="flex flex-col gap-1">
                  <span>
                    <Pill tone={tone}>{word}</Pill>
                  </span>
                  {sent.reason === null ? null : <span className="text-muted">{reasonWords(sent.reason)}</span>}
                </div>,
                sent.sent_at === null ? NOT_RECORDED : formatUtc(sent.sent_at),
                sent.mined_at === null ? missing : since(sent.sent_at, sent.mined_at),
                sent.gas_used === null ? missing : formatExact(sent.gas_used, 0),
                sent.gas_price === null ? (
                  missing
                ) : (
                  <span key="price" title={exactGwei(sent.gas_price)}>
                    {formatGwei(sent.gas_price)}
                  </span>
                ),
                <div key="paid">
                  {sent.fee === null ? missing : formatWei(sent.fee, symbol)}
                  <span className="block text-12 text-muted">
                    {sent.balance_after !== null
                      ? `${formatWei(sent.balance_after, symbol)} left`
                      : hasReceipt
                        ? 'balance not recorded'
                        : null}
                  </span>
                </div>,
                sent.tx_hash === null ? (
                  NONE
                ) : (
                  <AddressTag
                    key="tx"
                    value={sent.tx_hash}
                    what="transaction"
                    explorerUrl={chain?.explorer_url}
                    kind="tx"
                  />
                ),
              ],
            };
          })}
        />
      )}
    </Part>
  );
}
