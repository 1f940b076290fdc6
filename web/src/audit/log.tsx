import type { AuditRow } from '@castellan/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Empty, Failure, RowSkeletons } from '../design/states.tsx';
import { NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { isReversed } from '../lists/days.ts';
import { More } from '../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { useSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { actionWords, categoryWords } from './audit-labels.ts';
import { ExportButtons } from './export-buttons.tsx';
import { filterFrom } from './filter.ts';
import { LogFilters } from './log-filters.tsx';
import { logQuery } from './queries.ts';
import { RowDialog } from './row-dialog.tsx';
import { VerifyChain } from './verify-chain.tsx';

/** The audit log row by row, narrowed by what the URL says. */
export function Log({ shown: { vault, chain, live } }: { shown: Shown }) {
  const { api } = useApp();
  const viewer = useViewer();
  const { search } = useLocation();
  const filter = filterFrom(new URLSearchParams(search));
  const isWrong = isReversed(filter);
  const isSignedIn = useSession().status === 'signed_in';
  const list = useInfiniteQuery({
    ...logQuery(api, viewer, vault, filter),
    enabled: isSignedIn && !isWrong,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : live.pollMs),
  });
  const [opened, setOpened] = useState<AuditRow>();
  const [first] = list.data?.pages ?? [];
  const rows = list.data?.pages.flatMap((page) => page.logs) ?? [];
  return (
    <div className="flex flex-col gap-4">
      <VerifyChain vault={vault} />
      <Card isFlush>
        <div className="flex flex-wrap items-center justify-between gap-3 px-4 pt-4">
          <h3 className="text-14 font-semibold">Audit log</h3>
          <ExportButtons vault={vault} filter={filter} isDisabled={rows.length === 0 || isWrong} />
        </div>
        <LogFilters filter={filter} actionTypes={first?.action_types ?? []} />
        {isWrong ? (
          <Empty title="Nothing matches">The first day is after the last.</Empty>
        ) : first === undefined ? (
          list.isError && isSignedIn ? (
            <div className="p-4">
              <Failure error={list.error} title="The log could not be read" retry={() => list.refetch()} />
            </div>
          ) : (
            <RowSkeletons rows={8} />
          )
        ) : rows.length === 0 ? (
          <Empty title="Nothing matches">Choose another kind, wallet or longer period to see more.</Empty>
        ) : (
          <>
            <RowsTable
              label="Audit log"
              columns={columnsOf(chain.explorer_url, setOpened)}
              rows={rows}
              rowId={({ id }) => id}
            />
            <More list={list} shown={rows.length} total={first.total} what="rows" />
          </>
        )}
      </Card>
      {opened === undefined ? null : (
        <RowDialog row={opened} explorerUrl={chain.explorer_url} onClose={() => setOpened(undefined)} />
      )}
    </div>
  );
}

type ExplorerUrl = string | null | undefined;

const columnsOf = (explorerUrl: ExplorerUrl, onOpen: (row: AuditRow) => void): RowsColumn<AuditRow>[] => [
  {
    id: 'what',
    header: 'What',
    cell: (row) => (
      <>
        <span className="block font-medium">{actionWords(row.action_type)}</span>
        <time dateTime={row.timestamp} className="block text-12 text-muted">
          {formatUtc(row.timestamp)}
        </time>
      </>
    ),
  },
  {
    id: 'category',
    header: 'Kind',
    cell: ({ category }) => categoryWords[category],
    className: 'hidden md:table-cell',
  },
  {
    id: 'actor',
    header: 'Who',
    cell: ({ actor_wallet: wallet }) =>
      wallet === null ? NONE : <AddressTag value={wallet} what="wallet" explorerUrl={explorerUrl} />,
    className: 'hidden sm:table-cell',
  },
  {
    id: 'tx',
    header: 'Transaction',
    cell: ({ tx_hash: tx }) =>
      tx === null ? NONE : <AddressTag value={tx} what="transaction hash" kind="tx" explorerUrl={explorerUrl} />,
    className: 'hidden lg:table-cell',
  },
  {
    id: 'open',
    header: 'Row',
    align: 'right',
    cell: (row) => (
      <Button
        look="quiet"
        aria-label={`Open row ${row.vault_seq ?? row.seq}, ${actionWords(row.action_type)}`}
        onPress={() => onOpen(row)}
      >
        Details
      </Button>
    ),
  },
];
