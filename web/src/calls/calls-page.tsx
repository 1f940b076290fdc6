import { preparedStates } from '@castellan/contracts';
import { changes } from '@castellan/sdk/calls';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Choice } from '../design/choice.tsx';
import { Empty, Failure, Notice, RowSkeletons } from '../design/states.tsx';
import { NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { More } from '../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { reviewPath } from '../navigation/paths.ts';
import { useQueryPart } from '../period/use-view.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { isOver, type Prepared, type State, stateWords } from './call-states.ts';
import { CallStatePill } from './state-pill.tsx';

const PAGE = '50';
const BUSY_MS = 5_000;
const QUIET_MS = 30_000;

const stateOptions = [
  { value: 'all' as const, label: 'Every state' },
  ...preparedStates.map((value) => ({ value, label: stateWords[value].word })),
];

function useCalls({ vault, live }: Shown, state: State | undefined) {
  const { api } = useApp();
  const viewer = useViewer();
  const isSignedIn = useSession().status === 'signed_in';
  const isResting = live.mode === 'paused' || live.mode === 'hidden';
  const list = useInfiniteQuery({
    queryKey: ['prepared-calls', viewer, vault.chain_id, vault.vault_address.toLowerCase(), state],
    queryFn: ({ pageParam }) =>
      api.listPrepared({
        query: {
          vault_address: vault.vault_address,
          chain_id: String(vault.chain_id),
          limit: PAGE,
          ...(state === undefined ? {} : { status: state }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: isSignedIn,
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      if (isResting || pages.length > 1) return false;
      const isBusy = pages.some(({ prepared }) => prepared.some(({ status }) => !isOver(status)));
      return isBusy ? BUSY_MS : QUIET_MS;
    },
  });
  return { list, isSignedIn };
}

/** Every call that was prepared for the vault, and what became of it. */
export function CallsPage({ shown }: { shown: Shown }) {
  const role = shown.vault.my_role;
  const isManager = role === 'primary_manager' || role === 'secondary_manager';
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">Prepared calls</h2>
        <p className="text-13 text-muted">
          Every call prepared for this vault, from its simulation to what the chain says afterwards. Open one to review
          it, or send its link to a second signer.
        </p>
      </div>
      {isManager ? (
        <Calls shown={shown} />
      ) : (
        <Notice tone="info" title="Prepared calls are for managers">
          What became of them is in the timeline of this vault.
        </Notice>
      )}
    </div>
  );
}

function Calls({ shown }: { shown: Shown }) {
  const { search } = useLocation();
  const put = useQueryPart();
  const wanted = new URLSearchParams(search).get('status');
  const state = preparedStates.find((each) => each === wanted);
  const { list, isSignedIn } = useCalls(shown, state);
  const [first] = list.data?.pages ?? [];
  const rows = list.data?.pages.flatMap((page) => page.prepared) ?? [];
  return (
    <Card isFlush>
      <div className="border-b p-4">
        <Choice
          label="State"
          value={state ?? 'all'}
          options={stateOptions}
          onChange={(next) => put({ status: next === 'all' ? null : next })}
          className="w-52"
        />
      </div>
      {first === undefined ? (
        list.isError && isSignedIn ? (
          <div className="p-4">
            <Failure error={list.error} title="The calls could not be read" retry={() => list.refetch()} />
          </div>
        ) : (
          <RowSkeletons rows={5} />
        )
      ) : rows.length === 0 ? (
        state === undefined ? (
          <Empty title="Nothing was prepared yet">
            A call appears here as soon as a manager prepares it, signed or not.
          </Empty>
        ) : (
          <Empty title="No call in this state">Choose another state to see more.</Empty>
        )
      ) : (
        <>
          <RowsTable
            label="Prepared calls"
            columns={columnsOf(shown.chain.explorer_url)}
            rows={rows}
            rowId={({ id }) => id}
          />
          <More list={list} shown={rows.length} total={first.total} what="calls" />
        </>
      )}
    </Card>
  );
}

const columnsOf = (explorerUrl: string | null | undefined): RowsColumn<Prepared>[] => [
  {
    id: 'call',
    header: 'Call',
    cell: ({ id, kind, description }) => (
      <span className="flex min-w-40 flex-col">
        <Link to={reviewPath(id)} className="link font-medium">
          {changes[kind].title}
        </Link>
        <span className="max-w-prose text-12 text-muted [overflow-wrap:anywhere]">{description}</span>
      </span>
    ),
  },
  { id: 'state', header: 'State', cell: ({ status }) => <CallStatePill state={status} /> },
  {
    id: 'who',
    header: 'Prepared by',
    cell: ({ prepared_by: wallet }) => <AddressTag value={wallet} what="wallet" explorerUrl={explorerUrl} />,
    className: 'hidden md:table-cell',
  },
  {
    id: 'when',
    header: 'Prepared',
    cell: ({ prepared_at: at }) => (
      <time dateTime={at} className="whitespace-nowrap">
        {formatUtc(at)}
      </time>
    ),
    className: 'hidden sm:table-cell',
  },
  {
    id: 'tx',
    header: 'Transaction',
    cell: ({ tx_hash: tx }) =>
      tx === null ? NONE : <AddressTag value={tx} what="transaction hash" kind="tx" explorerUrl={explorerUrl} />,
    className: 'hidden lg:table-cell',
  },
];
