import { Link, useLocation } from 'react-router';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card, Figure, Figures } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { FigureSkeletons, Notice, RowSkeletons } from '../../design/states.tsx';
import { formatAmount, formatExact } from '../../format/amount.ts';
import { formatCount, formatRate, formatShare, NONE } from '../../format/figures.ts';
import { formatDays, formatDuration, formatUtc } from '../../format/time.ts';
import { When } from '../../lists/when.tsx';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import { intentsPath, operatePath, redemptionsPath } from '../../navigation/paths.ts';
import { useQueryPart } from '../../period/use-view.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { KeeperStatus } from '../keeper-status.tsx';
import { Refusals, Runs, TotalsTable } from './keeper-tables.tsx';
import { successOf } from './keeper-words.ts';
import { isWindow, type KeeperRecord, keeperWindows, useKeeper, type Window } from './use-keeper.ts';

const WEI_DECIMALS = 18;
const DAY_SECONDS = 86_400;

const windowWords: Readonly<Record<Window, string>> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
};

/** What the keeper did for the vault, what it cost, what it refused and why, what waits, and how long its key can pay. */
export function KeeperPage({ shown }: { shown: Shown }) {
  const put = useQueryPart();
  const asked = new URLSearchParams(useLocation().search).get('window');
  const window: Window = isWindow(asked) ? asked : '7d';
  const { chain, vault } = shown;
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="text-20 font-semibold">Keeper</h2>
          <p className="text-13 text-muted">
            {'The process that sends for the '}
            <Link to={`${operatePath(chain.slug, vault.vault_address)}/strategies`} className="link">
              strategies
            </Link>
            {' of this vault and pays its redemptions. Times are UTC.'}
          </p>
        </div>
        <Choice
          label="Window"
          value={window}
          options={keeperWindows.map((value) => ({ value, label: windowWords[value] }))}
          onChange={(value) => put({ window: value === '7d' ? null : value })}
          className="w-full sm:w-44"
        />
      </div>
      <Record shown={shown} window={window} />
    </div>
  );
}

function Record({ shown, window }: { shown: Shown; window: Window }) {
  const { list, head: first, headRead } = useKeeper(shown, window);
  // Below the list it is said already that more of it could not be read.
  const trouble = list.isFetchNextPageError ? null : <ReadTrouble of={headRead} what="What the keeper did" />;
  if (first === undefined)
    return list.isError ? (
      trouble
    ) : (
      <>
        {trouble}
        <FigureSkeletons count={4} />
        <Card isFlush>
          <RowSkeletons rows={6} />
        </Card>
      </>
    );
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <>
      {trouble}
      <Card>
        <KeeperStatus isAlone shown={shown} keeper={first.keeper} />
      </Card>
      {first.since !== null && Date.parse(first.since) > Date.parse(first.from) ? (
        <Notice tone="info" title={`Recorded since ${formatUtc(first.since)}`}>
          What was before is not recorded; intents of strategies are, in their history.
        </Notice>
      ) : null}
      <Facts shown={shown} record={first} />
      <TotalsTable shown={shown} totals={first.totals} />
      <Queue shown={shown} record={first} />
      <Refusals refusals={first.refusals} asOf={first.to} isKnown={first.since !== null} />
      <Runs shown={shown} runs={runs} total={list.data?.pages[0]?.total ?? 0} asOf={first.to} list={list} />
    </>
  );
}

function Facts({ shown: { chain }, record }: { shown: Shown; record: KeeperRecord }) {
  const { totals, spending, keeper } = record;
  const { share, done, n } = successOf(totals);
  const fee = totals.reduce((sum, each) => sum + BigInt(each.fee), 0n);
  const receipts = totals.reduce((sum, each) => sum + each.with_receipt, 0);
  const symbol = chain.native_symbol;
  return (
    <Figures>
      <Figure label="Success" value={share === null ? NONE : formatShare(share)}>
        {share === null
          ? 'Nothing has ended by itself yet'
          : `${formatCount(done)} of ${formatCount(n)} ${n === 1 ? 'transaction' : 'transactions'}`}
      </Figure>
      <Figure
        label="Gas of this vault"
        value={receipts === 0 ? NONE : `${formatAmount(fee, WEI_DECIMALS)} ${symbol}`}
        exact={receipts === 0 ? undefined : `${formatExact(fee, WEI_DECIMALS)} ${symbol}`}
      >
        {receipts === 0
          ? 'No receipt in this window'
          : receipts === 1
            ? 'By one receipt of the chain'
            : `By ${formatCount(receipts)} receipts of the chain`}
      </Figure>
      <Figure
        label="Balance of its key"
        value={keeper === null ? NONE : `${formatAmount(keeper.balance, WEI_DECIMALS)} ${symbol}`}
        exact={keeper === null ? undefined : `${formatExact(keeper.balance, WEI_DECIMALS)} ${symbol}`}
      >
        {keeper === null ? 'No keeper has reported on this chain' : 'As its last pass found it'}
      </Figure>
      <Figure label="Its key lasts" value={runway(spending)}>
        {spending === null || spending.runway_days === null
          ? 'Nothing was paid in this window'
          : `At ${formatAmount(spending.fee, WEI_DECIMALS)} ${symbol} in ${formatDuration(spending.over_days * DAY_SECONDS)}, for all vaults of the chain`}
      </Figure>
    </Figures>
  );
}

const MOST_DAYS = 1_000;

function runway(spending: KeeperRecord['spending']): string {
  const days = spending?.runway_days ?? null;
  if (days === null) return NONE;
  if (days >= MOST_DAYS) return `${formatCount(MOST_DAYS)}+ days`;
  return days < 10 ? `${formatRate(days)} days` : formatDays(Math.floor(days));
}

type OpenProps = { shown: Shown; open: NonNullable<KeeperRecord['queue']['open']>; asOf: string };

/** What the keeper has sent and waits for: since when, and the form that counts. */
function OpenTransaction({ shown: { chain, vault }, open, asOf }: OpenProps) {
  const { nonce, begun_at: begun, tx_hashes: forms, intent_id: intent } = open;
  const newest = forms.at(-1);
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span>
        {`A transaction with the nonce ${nonce} is on its way`}
        {begun === undefined ? null : (
          <>
            {', begun '}
            <When at={begun} asOf={asOf} />
          </>
        )}
        {forms.length > 1 ? `, in ${formatCount(forms.length)} signed forms` : ''}
        {intent === null ? (
          '.'
        ) : (
          <>
            {': '}
            <Link
              to={`${intentsPath(chain.slug, vault.vault_address)}?intent=${encodeURIComponent(intent)}`}
              className="link"
            >
              its intent
            </Link>
          </>
        )}
      </span>
      {newest === undefined ? null : (
        <AddressTag value={newest} what="its newest form" explorerUrl={chain.explorer_url} kind="tx" />
      )}
    </span>
  );
}

function Queue({ shown, record: { queue, to } }: { shown: Shown; record: KeeperRecord }) {
  const { chain, vault } = shown;
  const { open, active_intents: active, waiting_requests: waiting } = queue;
  const at = [chain.slug, vault.vault_address] as const;
  return (
    <Card>
      <h3 className="text-14 font-semibold">Queue</h3>
      <ul className="flex flex-col gap-1 pt-2 text-13">
        <li>
          {open === null ? (
            'No transaction of this vault is on its way.'
          ) : (
            <OpenTransaction shown={shown} open={open} asOf={to} />
          )}
        </li>
        <li>
          {active === 0 ? (
            'No intent is unfinished.'
          ) : (
            <Link to={intentsPath(...at)} className="link">
              {active === 1 ? 'One intent is unfinished' : `${formatCount(active)} intents are unfinished`}
            </Link>
          )}
        </li>
        <li>
          {waiting === 0 ? (
            'Nobody waits for a redemption.'
          ) : (
            <Link to={redemptionsPath(...at)} className="link">
              {waiting === 1
                ? 'One holder waits for a redemption'
                : `${formatCount(waiting)} holders wait for a redemption`}
            </Link>
          )}
        </li>
      </ul>
    </Card>
  );
}
