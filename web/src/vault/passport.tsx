import { Eye } from 'lucide-react';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { holdTop } from '../design/held-top.ts';
import { FreshnessPill, Pill, RolePill, StatePill } from '../design/pill.tsx';
import { useMedia } from '../design/use-media.ts';
import { formatDuration } from '../format/time.ts';
import { useRemaining } from '../live/chain-clock.ts';
import { AgeBanner, UpdatedAgo } from '../live/freshness.tsx';
import { OfNow } from '../moment/of-now.tsx';
import { PastStrip } from '../period/past-strip.tsx';
import type { Shown } from './vault-gate.tsx';

/**
 * The vault's passport: who it is, in what state, how long its price still counts. The public page says that it is read-only, Operate
 * says the role. Stays while scrolling; on a phone only the name, the freshness and a state that is not live stay.
 */
export function Passport({ shown }: { shown: Shown }) {
  const { updatedAt, live, error, retry } = shown;
  const isPhone = useMedia('(max-width: 639px)');
  return (
    <>
      <div ref={holdTop} className="sticky top-0 z-20 border-b bg-surface">
        {isPhone ? <NameRow vault={shown.vault} /> : <Wide shown={shown} />}
        <PastStrip />
      </div>
      {isPhone ? <Rest shown={shown} /> : null}
      <div className="mx-auto w-full max-w-[1200px] px-4 not-empty:pt-4 sm:px-6">
        <AgeBanner updatedAt={updatedAt} live={live} error={error} retry={retry} />
      </div>
    </>
  );
}

function Wide({ shown }: { shown: Shown }) {
  const { vault, area, chain, updatedAt, live } = shown;
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-x-6 gap-y-2 px-6 py-3 lg:flex-row lg:items-center">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h1 className="text-20 font-semibold tracking-tight">{vault.name}</h1>
          <What shown={shown} />
        </div>
        <div className="flex flex-wrap items-center gap-x-3">
          <AddressTag value={vault.vault_address} what="vault address" explorerUrl={chain.explorer_url} />
          <UpdatedAgo updatedAt={updatedAt} live={live} />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <OfNow />
        <ReadOnly shown={shown} />
        {area === 'operate' && vault.my_role !== null ? <RolePill role={vault.my_role} /> : null}
        <StatePill state={vault.operational_state} />
        <Freshness vault={vault} />
        <Expiry vault={vault} />
      </div>
    </div>
  );
}

const isLive = ({ operational_state: state }: Vault): boolean => state === 'live';

/** What stays in sight on a phone. */
const NameRow = ({ vault }: { vault: Vault }) => (
  <div className="flex items-center justify-between gap-3 px-4 py-2">
    <h1 className="line-clamp-2 min-w-0 text-16 font-semibold tracking-tight break-words">{vault.name}</h1>
    {/* Below each other: a narrow phone has no room for both beside the name. */}
    <span className="flex shrink-0 flex-col items-end gap-1">
      {isLive(vault) ? null : <StatePill state={vault.operational_state} />}
      <Freshness vault={vault} />
    </span>
  </div>
);

/** What scrolls away on a phone. */
function Rest({ shown }: { shown: Shown }) {
  const { vault, area, chain, updatedAt, live } = shown;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-surface px-4 py-2">
      <What shown={shown} />
      <OfNow />
      <ReadOnly shown={shown} />
      {area === 'operate' && vault.my_role !== null ? <RolePill role={vault.my_role} /> : null}
      {isLive(vault) ? <StatePill state={vault.operational_state} /> : null}
      <Expiry vault={vault} />
      <AddressTag value={vault.vault_address} what="vault address" explorerUrl={chain.explorer_url} />
      <UpdatedAgo updatedAt={updatedAt} live={live} />
    </div>
  );
}

const What = ({ shown: { vault, chain } }: { shown: Shown }) => (
  <span className="text-13 text-muted">{`${vault.symbol} · ${chain.name} · ${vault.asset.symbol}`}</span>
);

const ReadOnly = ({ shown: { area } }: { shown: Shown }) =>
  area === 'public' ? (
    <Pill tone="plain" icon={Eye}>
      Read-only
    </Pill>
  ) : null;

/** How fresh the price is, in a word. */
function Freshness({ vault }: { vault: Vault }) {
  const remaining = useRemaining(vault.remaining_staleness_time, vault.chain_time);
  return <FreshnessPill status={remaining === 0 ? 'expired' : vault.pps_status} />;
}

/** A thin bar that drains towards expiry by the chain's time. */
function Expiry({ vault }: { vault: Vault }) {
  const remaining = useRemaining(vault.remaining_staleness_time, vault.chain_time);
  const total = vault.pps_config.expiration_seconds;
  const fraction = total === 0 ? 0 : Math.min(1, remaining / total);
  const words = remaining === 0 ? 'Expired' : `${formatDuration(remaining)} left`;
  return (
    <div className="w-24 sm:w-28">
      <div
        className="whitespace-nowrap text-12 text-muted tabular-nums"
        title="Until the price expires, by the chain's time"
      >
        {words}
      </div>
      <div aria-hidden="true" className="mt-0.5 h-1 overflow-hidden rounded-full bg-raised">
        <div
          className={`h-full origin-left rounded-full ${barColour(fraction)}`}
          style={{ transform: `scaleX(${fraction})` }}
        />
      </div>
    </div>
  );
}

function barColour(fraction: number): string {
  if (fraction < 0.1) return 'bg-danger';
  return fraction < 0.3 ? 'bg-brass' : 'bg-accent';
}
