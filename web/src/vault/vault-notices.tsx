import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Notice } from '../design/states.tsx';
import { formatDuration, formatUtc } from '../format/time.ts';

/** What is wrong with the vault, what that means and what ends it. Nothing for a live one. */
export function VaultNotices({ vault }: { vault: Vault }) {
  const notice = noticeOf(vault);
  if (notice === undefined) return null;
  return <div className="mx-auto w-full max-w-[1200px] px-4 pt-4 sm:px-6">{notice}</div>;
}

function noticeOf(vault: Vault) {
  const { operational_state: state, pps_config: config } = vault;
  if (state === 'paused') {
    return (
      <Notice tone="critical" title="This vault is paused">
        <p>Deposits and price updates are refused until a manager unpauses it.</p>
        <p className="flex flex-wrap items-center gap-x-2">
          <span>
            {[
              vault.pause?.since ? `Since ${formatUtc(vault.pause.since)}.` : '',
              vault.pause?.reason ? `Reason: ${vault.pause.reason}.` : 'No reason was given.',
            ].join(' ')}
          </span>
          {vault.pause?.actor ? (
            <>
              By <AddressTag value={vault.pause.actor} what="who paused" />
            </>
          ) : null}
        </p>
      </Notice>
    );
  }
  if (state === 'awaiting_price') {
    return (
      <Notice tone="info" title="Waiting for the next price">
        The vault is not paused, but its price counts as stale until validators report again. Deposits work after that.
      </Notice>
    );
  }
  if (state === 'stale') {
    return (
      <Notice tone="critical" title="The price is too old">
        {`No validator report was accepted within ${formatDuration(config.max_staleness_seconds)}. The last was ${
          vault.last_oracle_update_timestamp === null ? 'never' : `at ${formatUtc(vault.last_oracle_update_timestamp)}`
        }. Deposits are refused until a new one comes.`}
      </Notice>
    );
  }
  if (state === 'underfunded') {
    return (
      <Notice tone="warn" title="The upkeep balance is too low">
        Price updates cost upkeep. Anyone may top it up; the shortfall is in the upkeep card.
      </Notice>
    );
  }
  return undefined;
}
