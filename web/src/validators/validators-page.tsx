import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { useLastingError } from '../data/lasting-error.ts';
import { publicVaultsQuery } from '../data/queries.ts';
import { Card } from '../design/card.tsx';
import { useHead } from '../design/head.ts';
import { Empty, Failure, Skeleton } from '../design/states.tsx';
import { shortHex } from '../format/address.ts';
import { When } from '../lists/when.tsx';
import { NotUpdated } from '../live/not-updated.tsx';
import { sectionPath } from '../navigation/paths.ts';
import { ConfigCard } from './config-card.tsx';
import { roundPath } from './history/history.ts';
import { Incidents } from './incidents.tsx';
import { type Network, networkQuery, type Transmission } from './network.ts';
import { MarksLegend } from './node-marks.tsx';
import { NodesTable } from './nodes-table.tsx';
import { RoundsTable } from './rounds-table.tsx';
import { TransmissionsTable } from './transmissions-table.tsx';
import { ValidatorsTabs } from './validators-tabs.tsx';

/** The network of nodes that prices all vaults: whether it works, who is in it, and what it did lately. */
export function ValidatorsPage() {
  const { api, config } = useApp();
  useHead(
    'Validators',
    'The nodes that agree on the price of each vault: who answers, who signs, what reaches the chain.',
    {
      canonical: `${config.public_url}/validators`,
    },
  );
  const network = useQuery(networkQuery(api));
  const { data, refetch, dataUpdatedAt } = network;
  const error = useLastingError(network);
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h1 className="text-28 font-semibold tracking-tight">Validators</h1>
        <p className="max-w-prose text-13 text-muted">
          Independent nodes read the value of each vault, agree on its price, sign it and send it to the chain. No
          single one of them can set a price.
        </p>
      </div>
      <ValidatorsTabs />
      {error === null ? null : data === undefined ? (
        <Failure error={error} title="The validators could not be read" retry={() => void refetch()} />
      ) : (
        <NotUpdated what="Validators" readAt={dataUpdatedAt} error={error} retry={() => void refetch()} />
      )}
      {data === undefined ? error === null ? <Waiting /> : null : <Known network={data} />}
    </div>
  );
}

const Waiting = () => (
  <div role="status" aria-label="Loading the validators" className="flex flex-col gap-4">
    <Skeleton className="h-12 w-full" />
    <Skeleton className="h-44 w-full" />
    <Skeleton className="h-64 w-full" />
    <Skeleton className="h-96 w-full" />
  </div>
);

function Known({ network }: { network: Network }) {
  const { config, nodes, rounds, transmissions, as_of } = network;
  return (
    <>
      <Incidents network={network} />
      {config === null ? (
        <Card isFlush>
          <Empty title="No validator network has reported yet">
            Nodes, rounds and transmissions appear here once the first node reports the configuration it works with.
          </Empty>
        </Card>
      ) : (
        <>
          {network.incidents.length === 0 ? <AllWell network={network} /> : null}
          <ConfigCard config={config} nodes={nodes.length} />
          <NodesTable network={network} config={config} />
          <Part title="Last rounds" note={<RoundsNote />}>
            {rounds.length === 0 ? (
              <Empty title="No round has ended yet">The first one appears here within a minute.</Empty>
            ) : (
              <RoundsTable
                withOutcome
                label="Last rounds"
                rounds={rounds}
                nodesOf={() => nodes}
                transmissions={transmissions}
                asOf={as_of}
                pathOf={(round) => roundPath(config.digest, round)}
              />
            )}
          </Part>
        </>
      )}
      {config === null && transmissions.length === 0 ? null : <Sent network={network} />}
    </>
  );
}

const RoundsNote = () => (
  <>
    <p className="pb-2">
      In a round the nodes agree whether a price is due, and on which. It is numbered by epoch and round: a new epoch
      begins when another node takes the lead.
    </p>
    <MarksLegend />
  </>
);

function AllWell({ network: { nodes, rounds, as_of } }: { network: Network }) {
  const [last] = rounds;
  const away = nodes.filter(({ status }) => status !== 'ok').length;
  return (
    <p className="flex items-center gap-2 text-14 font-medium">
      <CircleCheck size={18} aria-hidden="true" className="shrink-0 text-accent" />
      <span>
        {away === 0
          ? `All ${nodes.length} nodes answer.`
          : `${nodes.length - away} of ${nodes.length} nodes answer; the others have not been heard yet.`}
        {last === undefined ? null : (
          <>
            {' The last round ended '}
            <When at={last.finished_at} asOf={as_of} />.
          </>
        )}
      </span>
    </p>
  );
}

function Sent({ network: { transmissions, as_of } }: { network: Network }) {
  return (
    <Part title="Latest transmissions" note="Prices that nodes sent to the chain, and what became of them.">
      {transmissions.length === 0 ? (
        <Empty title="Nothing has been sent yet">Each price that a node sends to the chain appears here.</Empty>
      ) : (
        <TransmissionsTable
          label="Latest transmissions"
          transmissions={transmissions}
          asOf={as_of}
          about={{ header: 'Vault', cell: (sent) => <VaultName sent={sent} /> }}
        />
      )}
    </Part>
  );
}

function VaultName({ sent: { chain_id, vault_address, strategy_address } }: { sent: Transmission }) {
  const { api, config } = useApp();
  const listed = useQuery(publicVaultsQuery(api));
  if (vault_address === null) return <span className="font-mono">{shortHex(strategy_address)}</span>;
  const known = listed.data?.find((vault) => vault.chain_id === chain_id && vault.vault_address === vault_address);
  const slug = known?.chain_slug ?? chainById(config, chain_id)?.slug ?? String(chain_id);
  return (
    <Link
      to={sectionPath('public', slug, vault_address, 'pricing')}
      title={vault_address}
      className="font-medium hover:text-accent"
    >
      {known?.name ?? shortHex(vault_address)}
    </Link>
  );
}

const Part = ({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) => (
  <Card isFlush>
    <div className="flex flex-col gap-2 px-4 pt-4 pb-2">
      <h2 className="text-14 font-semibold">{title}</h2>
      <div className="text-13 text-muted">{note}</div>
    </div>
    {children}
  </Card>
);
