import { lazy, type ReactNode, Suspense } from 'react';
import type { AnalyticsResult } from '../data/use-analytics.ts';
import { Button } from '../design/button.tsx';
import { Card, Figures } from '../design/card.tsx';
import { Skeleton } from '../design/states.tsx';
import { formatAmount } from '../format/amount.ts';
import { formatCount, formatSignedShare, formatSignedUsd, formatUsdFull } from '../format/figures.ts';
import { formatAgo, formatDuration } from '../format/time.ts';
import { useMoment } from '../moment/use-moment.ts';
import { useView } from '../period/use-view.ts';
import { Metric, type Read } from '../receipts/metric.tsx';
import { ReadFailure } from '../receipts/read-failure.tsx';
import { useRead } from '../receipts/use-read.ts';
import { PaidFrom } from '../redemptions/paid-from.tsx';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { assetsExact, assetsSigned, assetsText, moneyText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';

type Position = AnalyticsResult<'analyticsPosition'>;

/** Apart from the page, with all that wallets need: who reads it needs none of that. */
const PositionActions = lazy(() => import('./position-actions.tsx'));

/**
 * What the signed-in wallet has in the vault, and can do with it. Nothing on a page of the past. When a session ends it stays, with
 * what was typed and prepared.
 */
export function MyPosition({ shown }: { shown: Shown }) {
  const session = useSession();
  const { at } = useMoment();
  if (at !== undefined) return null;
  return (
    <section
      aria-labelledby="position-title"
      className="mx-auto flex w-full max-w-[1200px] flex-col gap-3 px-4 pt-6 sm:px-6"
    >
      <h2 id="position-title" className="text-16 font-semibold">
        My position
      </h2>
      {session.status !== 'anonymous' ? (
        <PositionOf shown={shown} wallet={session.address} />
      ) : (
        <p className="flex flex-wrap items-center justify-between gap-2 text-13 text-muted">
          Sign in with your wallet to see what you have here, to deposit and to redeem.
          <Button onPress={openSignIn}>Connect and sign in</Button>
        </p>
      )}
    </section>
  );
}

const isNothing = ({ shares, claimable_assets: claimable, put_in: putIn }: Position): boolean =>
  shares === '0' && claimable === '0' && putIn === '0';

function PositionOf({ shown, wallet }: { shown: Shown; wallet: string }) {
  const read = useRead(shown, 'analyticsPosition', { wallet });
  const { data } = read.result;
  return (
    <>
      <ReadFailure of={read} what="Your position" />
      {data !== undefined && isNothing(data) ? (
        <p className="text-13 text-muted">{`Your wallet has nothing in ${shown.vault.name} yet.`}</p>
      ) : (
        <>
          <PositionFigures shown={shown} of={read} />
          {data === undefined ? null : <Waiting shown={shown} position={data} />}
        </>
      )}
      {data === undefined ? null : (
        <Suspense fallback={<Skeleton className="h-9 w-64" />}>
          <PositionActions shown={shown} position={data} />
        </Suspense>
      )}
    </>
  );
}

function PositionFigures({ shown: { vault }, of }: { shown: Shown; of: Read<'analyticsPosition'> }) {
  const { unit } = useView(vault);
  const { data } = of.result;
  const exact = (raw: string, dollars: number | null | undefined) =>
    [assetsExact(vault, raw), ...(dollars == null ? [] : [formatUsdFull(dollars)])].join(' · ');
  const none = 'The asset has no dollar price';
  return (
    <Figures columns={3}>
      <Metric
        of={of}
        label="Value"
        path={unit === 'usd' && data?.usd != null ? 'usd' : 'assets'}
        value={({ assets }) => assets}
        show={(raw) => moneyText(vault, unit, raw, data?.usd ?? null) ?? none}
        exact={(raw) => exact(raw, data?.usd)}
        context={({ shares }) => `${formatAmount(shares, vault.vault_share_decimals)} ${vault.symbol}`}
      />
      <Metric
        of={of}
        label="Put in"
        path="put_in"
        value={({ put_in: putIn }) => putIn}
        show={(raw) => assetsText(vault, raw)}
        exact={(raw) => assetsExact(vault, raw)}
        context={({ taken_out: out }) => (out === '0' ? 'Nothing taken out' : `${assetsText(vault, out)} taken out`)}
      />
      <Metric
        of={of}
        label="Profit"
        path={unit === 'usd' && data?.profit_usd != null ? 'profit_usd' : 'profit_assets'}
        value={({ profit_assets: profit }) => profit}
        show={(raw) =>
          unit === 'usd' && data?.profit_usd != null ? formatSignedUsd(data.profit_usd) : assetsSigned(vault, raw)
        }
        exact={(raw) => exact(raw, data?.profit_usd)}
        context={() => 'Value and what was taken out, less what was put in'}
      />
      <Metric
        of={of}
        label="XIRR"
        path="xirr"
        value={({ xirr }) => xirr ?? null}
        show={formatSignedShare}
        context={() => 'Per year, by what went in and out and when; no APY'}
        whyNone="Not known yet"
      />
      <Metric
        of={of}
        label="Could be paid now"
        path="instant_assets"
        value={({ instant_assets: assets }) => assets}
        show={(raw) => assetsText(vault, raw)}
        exact={(raw) => assetsExact(vault, raw)}
        context={({ waiting }) => (waiting === 0 ? 'Nobody waits' : 'After all others who wait')}
      />
    </Figures>
  );
}

/** What waits: a request in its place of the queue, assets to claim, shares to take back. */
function Waiting({ shown: { vault }, position }: { shown: Shown; position: Position }) {
  const { request, waiting, claimable_assets: claimable, returnable_shares: returnable, as_of: now } = position;
  return (
    <>
      {request === null ? null : (
        <Note title={`You wait for about ${assetsText(vault, request.assets)}`}>
          <PaidFrom row={request} vault={vault} />
          <span>
            {`Place ${formatCount(request.rank)} of ${formatCount(waiting)}, asked ${formatAgo(request.waiting_seconds)}. ${expectedText(request.expected_at, now)}`}
          </span>
        </Note>
      )}
      {claimable === '0' ? null : (
        <Note title={`${assetsText(vault, claimable)} to claim`}>
          <span>They were paid for your shares and lie in the escrow of the vault until you claim them.</span>
        </Note>
      )}
      {returnable === '0' ? null : (
        <Note title={`${formatAmount(returnable, vault.vault_share_decimals)} ${vault.symbol} to take back`}>
          <span>Shares of a cancelled request.</span>
        </Note>
      )}
    </>
  );
}

function expectedText(at: string | null, now: string): string {
  if (at === null) return '';
  const seconds = (Date.parse(at) - Date.parse(now)) / 1_000;
  const recent = '95% of those paid in the last 30 days did not wait longer. No time is promised.';
  return seconds < 0
    ? `Expected ${formatDuration(-seconds)} ago. ${recent}`
    : `Expected within ${formatDuration(seconds)}. ${recent}`;
}

const Note = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card className="flex flex-col items-start gap-1 text-13">
    <h3 className="text-14 font-semibold">{title}</h3>
    {children}
  </Card>
);
