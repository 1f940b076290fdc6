import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card } from '../../design/card.tsx';
import { Pill } from '../../design/pill.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty } from '../../design/states.tsx';
import { formatAmount, formatExact } from '../../format/amount.ts';
import { formatCount, formatShare, NONE } from '../../format/figures.ts';
import { More } from '../../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../../lists/rows-table.tsx';
import { When } from '../../lists/when.tsx';
import { intentsPath } from '../../navigation/paths.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { kindWords, resultWords, subjectWords, successOf } from './keeper-words.ts';
import type { Refusal, Run, Totals, useKeeper } from './use-keeper.ts';

const WEI_DECIMALS = 18;
const NOT_RECORDED = 'not recorded';

const Part = ({ title, note, children }: { title: string; note: string; children: ReactNode }) => (
  <Card isFlush>
    <div className="px-4 pt-4 pb-2">
      <h3 className="text-14 font-semibold">{title}</h3>
      <p className="text-13 text-muted">{note}</p>
    </div>
    {children}
  </Card>
);

/** Transactions by what they were for. */
export function TotalsTable({ shown: { chain }, totals }: { shown: Shown; totals: readonly Totals[] }) {
  return (
    <Part
      title="By kind"
      note="“Stopped” is what a person or a crash ended before it could do anything; it counts neither for nor against."
    >
      {totals.length === 0 ? (
        <Empty title="No transaction in this window">
          Each transaction of the keeper is counted here once the chain has confirmed it.
        </Empty>
      ) : (
        <PlainTable
          label="Transactions by kind"
          head={['For', 'Done', 'Failed', 'Stopped', 'Success', 'Gas used', 'Paid']}
          rows={totals.map((each) => {
            const { share } = successOf([each]);
            return {
              id: each.kind,
              cells: [
                kindWords[each.kind],
                formatCount(each.done),
                formatCount(each.failed),
                formatCount(each.stopped),
                share === null ? NONE : formatShare(share),
                each.with_receipt === 0 ? NONE : formatExact(each.gas_used, 0),
                each.with_receipt === 0 ? NONE : `${formatAmount(each.fee, WEI_DECIMALS)} ${chain.native_symbol}`,
              ],
            };
          })}
        />
      )}
    </Part>
  );
}

type RefusalsProps = { refusals: readonly Refusal[]; asOf: string; isKnown: boolean };

/** Why nothing was sent, each reason once for each hour that it held. */
export function Refusals({ refusals, asOf, isKnown }: RefusalsProps) {
  const columns: RowsColumn<Refusal>[] = [
    {
      id: 'what',
      header: 'For',
      cell: (refusal) => <span className="font-medium">{subjectWords(refusal)}</span>,
    },
    {
      id: 'why',
      header: 'Why',
      cell: ({ code, because }) => (
        <span className="flex flex-col gap-0.5">
          <code className="font-mono text-12 break-all">{code}</code>
          <span className="text-12 sm:min-w-40 text-muted">{because}</span>
        </span>
      ),
      className: 'w-full',
    },
    {
      id: 'last',
      header: 'Last',
      cell: ({ last_at }) => <When at={last_at} asOf={asOf} />,
    },
    {
      id: 'first',
      header: 'First in that hour',
      cell: ({ first_at }) => <When at={first_at} asOf={asOf} />,
      className: 'hidden sm:table-cell',
    },
  ];
  return (
    <Part title="Refused" note="Why nothing was sent, newest first: each reason once for each hour that it held.">
      {refusals.length === 0 ? (
        <Empty title={isKnown ? 'Nothing was refused in this window' : 'Nothing has been recorded yet'}>
          What the keeper does not do for a strategy or a redemption appears here with its reason.
        </Empty>
      ) : (
        <RowsTable
          label="Refused"
          columns={columns}
          rows={refusals}
          rowId={({ strategy_id, code, first_at }) => `${strategy_id}:${code}:${first_at}`}
        />
      )}
    </Part>
  );
}

type RunsProps = {
  shown: Shown;
  runs: readonly Run[];
  total: number;
  asOf: string;
  list: ReturnType<typeof useKeeper>['list'];
};

/** Each transaction that is over, newest first. */
export function Runs({ shown, runs, total, asOf, list }: RunsProps) {
  return (
    <Part title="Runs" note="Each transaction that the keeper signed for this vault and that is over, newest first.">
      {runs.length === 0 ? (
        <Empty title="No run in this window">
          A run appears here once its transaction is over: confirmed by the chain, lost, or stopped.
        </Empty>
      ) : (
        <>
          <RowsTable label="Runs" columns={columnsOf(shown, asOf)} rows={runs} rowId={({ run_id }) => run_id} />
          <More list={list} shown={runs.length} total={total} what="runs" />
        </>
      )}
    </Part>
  );
}

function columnsOf({ chain, vault }: Shown, asOf: string): RowsColumn<Run>[] {
  return [
    {
      id: 'what',
      header: 'Run',
      cell: (run) => (
        <>
          {run.intent_id === null ? (
            <span className="block font-medium sm:whitespace-nowrap">{kindWords[run.kind]}</span>
          ) : (
            <Link
              to={`${intentsPath(chain.slug, vault.vault_address)}?intent=${encodeURIComponent(run.intent_id)}`}
              className="link block font-medium sm:whitespace-nowrap"
            >
              {subjectWords(run)}
            </Link>
          )}
          <span className="block text-12 text-muted">
            <When at={run.ended_at} asOf={asOf} />
          </span>
        </>
      ),
    },
    {
      id: 'result',
      header: 'What became of it',
      cell: ({ result, code, message }) => (
        <span className="flex flex-col items-start gap-1">
          <Pill tone={resultWords[result].tone}>{resultWords[result].word}</Pill>
          {code === null ? null : <code className="font-mono text-12 break-all text-muted">{code}</code>}
          {message === null ? null : <span className="text-12 text-muted">{message}</span>}
        </span>
      ),
      className: 'w-full sm:min-w-36',
    },
    {
      id: 'paid',
      header: 'Paid',
      align: 'right',
      cell: ({ fee, tx_hash }) =>
        fee === null ? (
          <span className="text-muted">{tx_hash === null ? NONE : NOT_RECORDED}</span>
        ) : (
          <span className="whitespace-nowrap" title={`${formatExact(fee, WEI_DECIMALS)} ${chain.native_symbol}`}>
            {`${formatAmount(fee, WEI_DECIMALS)} ${chain.native_symbol}`}
          </span>
        ),
    },
    {
      id: 'gas',
      header: 'Gas',
      align: 'right',
      cell: ({ gas_used, forms }) => (
        <span className="whitespace-nowrap">
          {gas_used === null ? NONE : formatExact(gas_used, 0)}
          {forms > 1 ? <span className="block text-12 text-muted">{`${formatCount(forms)} forms`}</span> : null}
        </span>
      ),
      className: 'hidden md:table-cell',
    },
    {
      id: 'tx',
      header: 'Transaction',
      cell: ({ tx_hash: tx, block_number, begun_block }) =>
        tx === null ? (
          NONE
        ) : (
          <span className="flex flex-col">
            <AddressTag value={tx} what="transaction" explorerUrl={chain.explorer_url} kind="tx" />
            {block_number === null ? null : (
              <span className="text-12 whitespace-nowrap text-muted">
                {`block ${block_number}, ${formatCount(Math.max(0, block_number - begun_block))} after it was signed`}
              </span>
            )}
          </span>
        ),
      className: 'hidden sm:table-cell',
    },
  ];
}
