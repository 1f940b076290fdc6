import type { Vault } from '../../data/queries.ts';
import { Figure } from '../../design/card.tsx';
import { formatDuration } from '../../format/time.ts';
import { useRemaining } from '../../live/chain-clock.ts';

/** What the level of age means (share of the time to expiry that has passed). */
const words: Record<Vault['pps_status'], string> = {
  fresh: 'Fresh: less than half of its time has passed',
  ageing: 'Ageing: more than half of its time has passed',
  critical: 'Critical: less than a fifth of its time is left',
  expired: 'Expired: deposits are refused until a new report',
};

/** Time until the accepted price can no longer be used, by the chain's clock, in the words of the vault's state. */
export function Countdown({ vault }: { vault: Vault }) {
  const left = useRemaining(vault.remaining_staleness_time, vault.chain_time);
  const label = 'Price expires in';
  if (vault.is_paused) {
    return (
      <Figure label={label} value={left === 0 ? 'Expired' : formatDuration(left)} isTicking>
        A paused vault takes no report, so that this runs out while it is paused
      </Figure>
    );
  }
  if (vault.operational_state === 'awaiting_price') {
    return (
      <Figure label={label} value="Awaiting report" isTicking>
        Unpaused; the old price stays stale until validators report again
      </Figure>
    );
  }
  return (
    <Figure label={label} value={left === 0 ? 'Expired' : formatDuration(left)} isTicking>
      {left === 0 ? words.expired : words[vault.pps_status]}
    </Figure>
  );
}
