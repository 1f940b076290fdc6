import type { AuditRow } from '@castellan/contracts';
import type { ReactNode } from 'react';
import { AddressTag, CopyButton } from '../design/address-tag.tsx';
import { Dialog } from '../design/dialog.tsx';
import { NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { actionWords, categoryWords } from './audit-labels.ts';

type Props = { row: AuditRow; explorerUrl: string | null | undefined; onClose: () => void };

/** One row as it is kept, with what ties it to the others. */
export function RowDialog({ row, explorerUrl, onClose }: Props) {
  const json = JSON.stringify(row, null, 2);
  return (
    <Dialog title={actionWords(row.action_type)} isOpen onClose={onClose}>
      <dl className="flex flex-col gap-3">
        <Item label="When">{formatUtc(row.timestamp)}</Item>
        <Item label="Kind">{categoryWords[row.category]}</Item>
        <Item label="Who">
          {row.actor_wallet === null ? (
            NONE
          ) : (
            <AddressTag value={row.actor_wallet} what="wallet" explorerUrl={explorerUrl} whole />
          )}
        </Item>
        <Item label="Transaction">
          {row.tx_hash === null ? (
            NONE
          ) : (
            <AddressTag value={row.tx_hash} what="transaction hash" kind="tx" explorerUrl={explorerUrl} whole />
          )}
        </Item>
        <Item label="Request">{row.request_id ?? NONE}</Item>
        <Item label={row.vault_seq === null ? 'Hash' : `Hash of row ${row.vault_seq} of this vault`}>
          <AddressTag value={row.hash} what="hash" whole />
        </Item>
        <Item label="Hash of the row before, in this vault">
          {row.vault_prev_hash === null ? NONE : <AddressTag value={row.vault_prev_hash} what="hash before" whole />}
        </Item>
        <Item label="Hash of the row before, in the whole log">
          <AddressTag value={row.prev_hash} what="hash before in the log" whole />
        </Item>
        <Item label="As it is kept">
          <span className="flex items-start gap-1">
            <pre className="max-h-64 min-w-0 flex-1 overflow-auto rounded bg-raised p-2 font-mono text-12">{json}</pre>
            <CopyButton value={json} what="row" />
          </span>
        </Item>
      </dl>
    </Dialog>
  );
}

function Item({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="min-w-0 break-words text-13">{children}</dd>
    </div>
  );
}
