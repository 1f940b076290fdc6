import { Eye } from 'lucide-react';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { holdTop } from '../design/held-top.ts';
import { FreshnessPill, Pill, RolePill, StatePill } from '../design/pill.tsx';
import { formatDuration } from '../format/time.ts';
import { useRemaining } from '../live/chain-clock.ts';
import { AgeBanner, UpdatedAgo } from '../live/freshness.tsx';
import { OfNow } from '../moment/of-now.tsx';
import { PastStrip } from '../period/past-strip.tsx';
import type { Shown } from './vault-gate.tsx';

/**
 * The vault's passport: who it is, in what state, how long its price still counts. The public page says that it is read-only, Operate
 * says the role. Stays while scrolling.
 */
export function Passport({ shown }: { shown: Shown }) {
  const { vault, area, chain, updatedAt, live, error, retry } = shown;
  return (
    <>
      <div ref={holdTop} className="sticky top-0 z-20 border-b bg-surface">
        <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-x-6 gap-y-2 px-4 py-3 sm:px-6 lg:flex-row lg:items-center">
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <h1 className="text-20 font-semibold tracking-tight">{vault.name}</h1>
              <span className="text-13 text-muted">{`${vault.symbol} · ${chain.name} · ${vault.asset.symbol}`}</span>
            </div>
            <div className="flex flex-wrap items-center gap-x-3">
              <AddressTag value={vault.vault_address} what="vault address" explorerUrl={chain.explorer_url} />
              <UpdatedAgo updatedAt={updatedAt} live={live} />
            </div>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <OfNow />
            {area === 'public' ? (
              <Pill tone="plain" icon={Eye}>
                Read-only
              </Pill>
            ) : null}
            {area === 'operate' && vault.my_role !== null ? <RolePill role={vault.my_role} /> : null}
            <StatePill state={vault.operational_state} />
            <Expiry vault={vault} />
          </div>
        </div>
        <PastStrip />
      </div>
      <div className="mx-auto w-full max-w-[1200px] px-4 not-empty:pt-4 sm:px-6">
        <AgeBanner updatedAt={updatedAt} live={live} error={error} retry={retry} />
      </div>
    </>
  );
}

/** Freshness in a word, and a thin bar that drains towards expiry by the chain's time. */
function Expiry({ vault }: { vault: Vault }) {
  const remaining = useRemaining(vault.remaining_staleness_time, vault.chain_time);
  const total = vault.pps_config.expiration_seconds;
  const fraction = total === 0 ? 0 : Math.min(1, remaining / total);
  const words = remaining === 0 ? 'Expired' : `${formatDuration(remaining)} left`;
  return (
    <div className="flex items-center gap-2">
      <FreshnessPill status={remaining === 0 ? 'expired' : vault.pps_status} />
      <div className="w-28">
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
    </div>
  );
}

function barColour(fraction: number): string {
  if (fraction < 0.1) return 'bg-danger';
  return fraction < 0.3 ? 'bg-brass' : 'bg-accent';
}
