import type { Asked } from '@castellan/sdk/calls';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Figures } from '../design/card.tsx';
import { formatCount, formatCounted } from '../format/figures.ts';
import { formatDuration } from '../format/time.ts';
import type { RowsColumn } from '../lists/rows-table.tsx';
import { useMoment } from '../moment/use-moment.ts';
import { Metric } from '../receipts/metric.tsx';
import { usePages } from '../receipts/use-pages.ts';
import { useViewer } from '../session/use-session.ts';
import { isManager } from '../settings/use-settings.ts';
import { PrepareDialog } from '../signing/prepare-dialog.tsx';
import { assetsExact, assetsText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Redemption } from './paid-from.tsx';
import { RedemptionList, type RedemptionPages } from './redemption-list.tsx';

/** What one call takes. */
const MOST = 50;

/** The queue of a vault, and for its managers what pays it. */
export function RedemptionsPage({ shown }: { shown: Shown }) {
  const { at } = useMoment();
  const pages = usePages(shown, 'analyticsRedemptions', {});
  const mayPay = isManager(shown.vault.my_role) && at === undefined;
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">Redemptions</h2>
        <p className="text-13 text-muted">
          {mayPay
            ? 'Every manager of the vault may pay requests from idle assets, several in one transaction. The keeper does it by itself where it runs.'
            : 'Who waits, since when, and what there is to pay them.'}
        </p>
      </div>
      <Means shown={shown} head={pages.head} />
      {mayPay ? <Payable shown={shown} pages={pages} /> : <RedemptionList shown={shown} pages={pages} />}
    </div>
  );
}

/** What there is for all that wait. */
function Means({ shown: { vault }, head }: { shown: Shown; head: RedemptionPages['head'] }) {
  const amount = { show: (raw: string) => assetsText(vault, raw), exact: (raw: string) => assetsExact(vault, raw) };
  return (
    <Figures>
      <Metric
        of={head}
        label="Asked for"
        path="pending_assets"
        value={({ pending_assets: assets }) => assets}
        {...amount}
        context={({ total }) => `By ${formatCounted(total, 'wallet')}`}
      />
      <Metric
        of={head}
        label="Paid by idle assets"
        path="payable_assets"
        value={({ payable_assets: assets }) => assets}
        {...amount}
        context={({ idle_assets: idle }) => (idle === null ? null : `Of ${assetsText(vault, idle)} idle`)}
      />
      <Metric
        of={head}
        label="Sources would have to pay"
        path="withdrawal_assets"
        value={({ withdrawal_assets: assets }) => assets}
        {...amount}
        context={({ missing_assets: missing, pending_assets: asked }) =>
          asked === '0'
            ? 'Nothing is asked for'
            : missing === null || missing === '0'
              ? 'Enough for what idle assets do not cover'
              : `${assetsText(vault, missing)} is missing besides`
        }
      />
      <Metric
        of={head}
        label="95% were paid within"
        path="p95_seconds"
        value={({ p95_seconds: seconds }) => seconds}
        show={formatDuration}
        whyNone="None was paid in the last 30 days"
        context={({ p50_seconds: half }) =>
          half === null ? null : `In the last 30 days; half within ${formatDuration(half)}`
        }
      />
    </Figures>
  );
}

/** The list with what a manager can do to it. */
function Payable({ shown, pages }: { shown: Shown; pages: RedemptionPages }) {
  const { vault } = shown;
  const queries = useQueryClient();
  const viewer = useViewer();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [change, setChange] = useState<Asked>();
  const rows = pages.list.data?.pages.flatMap((page) => page.redemptions) ?? [];
  const known = pages.head.result.data?.idle_assets ?? null;
  const idle = BigInt(known ?? 0);
  const selected = rows.filter(({ wallet_address: wallet }) => chosen.has(wallet));
  const done = () => {
    setChosen(new Set());
    void queries.invalidateQueries({ queryKey: keys.analytics(vault.chain_id, vault.vault_address, 'now') });
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, vault.chain_id, vault.vault_address) });
  };
  return (
    <>
      <RedemptionList
        shown={shown}
        pages={pages}
        choose={chooseColumn({ idle, isKnown: known !== null, chosen, onChoose: setChosen })}
        bar={
          <Bar
            shown={shown}
            idle={idle}
            rows={rows}
            isWhole={!pages.list.hasNextPage}
            selected={selected}
            onChoose={setChosen}
            onPrepare={setChange}
          />
        }
      />
      {change === undefined ? null : (
        <PrepareDialog
          shown={shown}
          title={change.kind === 'fulfil_cancellations' ? 'Give cancelled shares back' : 'Fulfil redemptions'}
          change={change}
          onDone={done}
          onClose={() => setChange(undefined)}
        />
      )}
    </>
  );
}

/** Idle assets would do for it, were it paid before the others. */
const isReached = ({ state, assets }: Redemption, idle: bigint): boolean =>
  (state === 'payable' || state === 'needs_withdrawal' || state === 'short') && BigInt(assets) <= idle;
const isCancelled = ({ state }: Redemption): boolean => state === 'cancelling';
const walletsOf = (rows: readonly Redemption[]): string[] => rows.map(({ wallet_address: wallet }) => wallet);

function whyClosed({ state }: Redemption, isKnown: boolean): string {
  if (state === 'blocked') return 'The price is below what its wallet accepts';
  return isKnown && state !== 'unknown' ? 'Idle assets do not reach it' : 'It is not known yet what is idle';
}

type Choosing = {
  idle: bigint;
  /** Whether it is known what is idle. */
  isKnown: boolean;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
};

const chooseColumn = ({ idle, isKnown, chosen, onChoose }: Choosing): RowsColumn<Redemption> => ({
  id: 'choose',
  header: 'Choose',
  isHeaderHidden: true,
  cell: (row) => {
    const { wallet_address: wallet } = row;
    const isOpen = isReached(row, idle) || isCancelled(row);
    return (
      <label className="grid size-6 place-items-center" title={isOpen ? undefined : whyClosed(row, isKnown)}>
        <span className="sr-only">{`Choose ${wallet}`}</span>
        <input
          type="checkbox"
          title={isOpen ? undefined : whyClosed(row, isKnown)}
          checked={chosen.has(wallet)}
          // What was chosen while it was open can always be taken out again.
          disabled={!isOpen && !chosen.has(wallet)}
          onChange={({ target }) =>
            onChoose(new Set(target.checked ? [...chosen, wallet] : [...chosen].filter((each) => each !== wallet)))
          }
          className="size-4 accent-[var(--accent)]"
        />
      </label>
    );
  },
  className: 'pr-0',
});

type BarProps = {
  shown: Shown;
  idle: bigint;
  rows: readonly Redemption[];
  /** Whether all that wait are among the rows. */
  isWhole: boolean;
  selected: readonly Redemption[];
  onChoose: (chosen: ReadonlySet<string>) => void;
  onPrepare: (change: Asked) => void;
};

/** What can be done to all chosen wallets in one transaction. */
function Bar({ shown: { vault }, idle, rows, isWhole, selected, onChoose, onPrepare }: BarProps) {
  const all = rows.filter(({ state }) => state === 'payable');
  const payable = all.slice(0, MOST);
  const which = all.length > MOST ? 'the first' : isWhole ? 'all' : 'all shown here';
  const paid = selected.filter((row) => isReached(row, idle));
  const returned = selected.filter(isCancelled);
  const closed = selected.length - paid.length - returned.length;
  const assets = paid.reduce((total, each) => total + BigInt(each.assets), 0n);
  const isFit = (wallets: readonly Redemption[]) => wallets.length > 0 && wallets.length <= MOST;
  return (
    <fieldset className="flex flex-wrap items-center gap-3 border-b px-4 py-3">
      <legend className="sr-only">Payment of several requests</legend>
      <Button isDisabled={payable.length === 0} onPress={() => onChoose(new Set(walletsOf(payable)))}>
        {`Choose ${which} that can be paid (${formatCount(payable.length)})`}
      </Button>
      <span role="status" className="text-13 text-muted">
        {`${formatCount(selected.length)} chosen${paid.length === 0 ? '' : `, about ${assetsText(vault, `${assets}`)}`}`}
        {closed === 0 ? '' : `; ${formatCount(closed)} cannot be paid now and ${closed === 1 ? 'is' : 'are'} left out`}
        {selected.length > MOST ? `; one call takes ${MOST}` : ''}
        {assets > idle ? `; ${assetsText(vault, `${idle}`)} are idle` : ''}
      </span>
      <span className="flex flex-wrap gap-2 sm:ml-auto">
        {rows.some(isCancelled) ? (
          <Button
            isDisabled={!isFit(returned)}
            onPress={() => onPrepare({ kind: 'fulfil_cancellations', args: { controllers: walletsOf(returned) } })}
          >
            Give shares back
          </Button>
        ) : null}
        <Button
          look="primary"
          isDisabled={!isFit(paid) || assets > idle}
          onPress={() => onPrepare({ kind: 'fulfil_redemptions', args: { controllers: walletsOf(paid) } })}
        >
          Fulfil chosen
        </Button>
      </span>
    </fieldset>
  );
}
