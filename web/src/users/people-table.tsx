import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { AddressTag } from '../design/address-tag.tsx';
import { AskedButton } from '../design/asked-button.tsx';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/states.tsx';
import { DataTable, type Sorting, type TableColumn } from '../design/table.tsx';
import { nameOf, sameAddress, shortHex } from '../format/address.ts';
import { NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { useSession } from '../session/use-session.ts';
import { canChangeAccess, canRename, type Role, type Row } from './access.ts';

type Actions = {
  role: Role | null;
  explorerUrl: string | null | undefined;
  onRename: (row: Row) => void;
  onRemoveManager: (row: Row) => void;
  onRevoke: (row: Row) => void;
  isRevoking: boolean;
};
type Props = Actions & { label: string; rows: Row[]; empty: { title: string; text: string } };

export function PeopleTable({ label, rows, empty, ...actions }: Props) {
  const session = useSession();
  const self = session.status === 'anonymous' ? undefined : session.address;
  const [sorting, setSorting] = useState<Sorting>();
  const columns = columnsOf(actions, self);
  if (rows.length === 0) return <Empty title={empty.title}>{empty.text}</Empty>;
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={rows}
      rowId={({ user, grant }) => `${user.wallet_address}:${grant.role}`}
      sorting={sorting}
      onSort={setSorting}
    />
  );
}

function columnsOf(actions: Actions, self: string | undefined): TableColumn<Row>[] {
  const columns: TableColumn<Row>[] = [
    {
      id: 'person',
      header: 'Person',
      sort: { compare: (left, right) => nameOf(left.user).localeCompare(nameOf(right.user)) },
      cell: (row) => <PersonCell row={row} actions={actions} self={self} />,
    },
    {
      id: 'granted',
      header: 'Since',
      sort: {
        compare: (left, right) => (left.grant.granted_at ?? '').localeCompare(right.grant.granted_at ?? ''),
        isMissing: ({ grant }) => grant.granted_at === null,
      },
      cell: (row) => <Since row={row} />,
      meta: { className: 'hidden md:table-cell' },
    },
  ];
  if (!canChangeAccess(actions.role)) return columns;
  return [
    ...columns,
    {
      id: 'actions',
      header: () => <span className="sr-only">Actions</span>,
      cell: (row) => <RowActions row={row} actions={actions} />,
      meta: { align: 'right' },
    },
  ];
}

type CellProps = { row: Row; actions: Actions };

function PersonCell({ row, actions, self }: CellProps & { self: string | undefined }) {
  const { user } = row;
  const isSelf = sameAddress(user.wallet_address, self);
  const address = <AddressTag value={user.wallet_address} what="wallet address" explorerUrl={actions.explorerUrl} />;
  return (
    <div className="flex flex-col items-start">
      <span className="flex items-center gap-1">
        {user.display_name === null ? address : <span className="font-medium">{user.display_name}</span>}
        {isSelf ? <span className="text-12 text-muted">you</span> : null}
        {canRename(actions.role, user.wallet_address, self) ? (
          <AriaButton
            aria-label={`Edit the name of ${nameOf(user)}`}
            onPress={() => actions.onRename(row)}
            className="grid size-6 place-items-center rounded text-muted hover:bg-raised hover:text-text"
          >
            <Pencil size={14} aria-hidden="true" />
          </AriaButton>
        ) : null}
      </span>
      {user.display_name === null ? null : address}
      {row.grant.granted_at === null ? null : (
        <span className="text-12 text-muted md:hidden">{`Since ${formatUtc(row.grant.granted_at)}`}</span>
      )}
    </div>
  );
}

function Since({ row: { grant } }: { row: Row }) {
  if (grant.granted_at === null) return <span title="Not recorded on chain">{NONE}</span>;
  return (
    <>
      <span className="block whitespace-nowrap">{formatUtc(grant.granted_at)}</span>
      {grant.granted_by === null ? null : (
        <span className="block text-12 text-muted" title={grant.granted_by}>
          {`by ${shortHex(grant.granted_by)}`}
        </span>
      )}
    </>
  );
}

function RowActions({ row, actions }: CellProps) {
  const name = nameOf(row.user);
  if (row.grant.role === 'secondary_manager') {
    return (
      <Button look="danger" aria-label={`Remove ${name}`} onPress={() => actions.onRemoveManager(row)}>
        Remove
      </Button>
    );
  }
  if (row.grant.role === 'view_only') {
    return (
      <AskedButton
        label={`Revoke access of ${name}`}
        sure="Revoke now"
        sureLabel={`Revoke access of ${name} now`}
        isDisabled={actions.isRevoking}
        onPress={() => actions.onRevoke(row)}
      >
        Revoke
      </AskedButton>
    );
  }
  return null;
}
