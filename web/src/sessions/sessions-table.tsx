import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Pill } from '../design/pill.tsx';
import { formatUtc } from '../format/time.ts';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { type AccountSession, nameOfSession, scopeWords } from './session-labels.ts';

type Props = { rows: readonly AccountSession[]; onRevoke: (row: AccountSession) => void };

export function SessionsTable({ rows, onRevoke }: Props) {
  return <RowsTable label="Sessions and tokens" columns={columnsOf(onRevoke)} rows={rows} rowId={({ id }) => id} />;
}

const columnsOf = (onRevoke: Props['onRevoke']): RowsColumn<AccountSession>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: (row) => (
      <span className="flex flex-col items-start gap-1">
        <span className="font-medium">{nameOfSession(row)}</span>
        {row.kind === 'token' ? <span className="text-12 text-muted">Token</span> : null}
        {row.is_current ? <Pill tone="info">This browser</Pill> : null}
        <span className="text-12 text-muted md:hidden">{scopeWords[row.scope]}</span>
        {row.vault === null ? null : (
          <span className="sm:hidden">
            <Where vault={row.vault} />
          </span>
        )}
        <span className="text-12 text-muted lg:hidden">
          {`Issued ${formatUtc(row.issued_at)}`}
          <span className="sm:hidden">{`, expires ${formatUtc(row.expires_at)}`}</span>
        </span>
      </span>
    ),
  },
  {
    id: 'scope',
    header: 'May do',
    cell: ({ scope }) => scopeWords[scope],
    className: 'hidden md:table-cell',
  },
  {
    id: 'vault',
    header: 'Vault',
    cell: (row) => <Where vault={row.vault} />,
    className: 'hidden sm:table-cell',
  },
  {
    id: 'issued',
    header: 'Issued',
    cell: ({ issued_at: at }) => <time dateTime={at}>{formatUtc(at)}</time>,
    className: 'hidden lg:table-cell',
  },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ expires_at: at }) => <time dateTime={at}>{formatUtc(at)}</time>,
    className: 'hidden sm:table-cell',
  },
  {
    id: 'actions',
    header: 'End',
    align: 'right',
    cell: (row) => (
      <Button look="danger" aria-label={`Revoke ${nameOfSession(row)}`} onPress={() => onRevoke(row)}>
        Revoke
      </Button>
    ),
  },
];

function Where({ vault }: { vault: AccountSession['vault'] }) {
  const { config } = useApp();
  if (vault === null) return 'All of yours';
  const chain = chainById(config, vault.chain_id);
  return (
    <span className="flex flex-col">
      <AddressTag value={vault.vault_address} what="vault address" explorerUrl={chain?.explorer_url} />
      <span className="text-12 text-muted">{chain?.name ?? `Chain ${vault.chain_id}`}</span>
    </span>
  );
}
