import { clsx } from 'clsx';
import { Link } from 'react-router';
import { serverNow } from '../client/server-clock.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Pill, roleWords, type Tone } from '../design/pill.tsx';
import { formatAmount } from '../format/amount.ts';
import { formatAgo, formatUtc } from '../format/time.ts';
import { useTick } from '../live/chain-clock.ts';
import { keeperPath } from '../navigation/paths.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Keeper } from './types.ts';

const WEI_DECIMALS = 18;

/** What a manager has to know first: nothing is sent at all, or all is well. */
function verdict(keeper: Keeper | null): { tone: Tone; word: string; meaning: string | null } {
  if (keeper === null)
    return { tone: 'plain', word: 'No keeper', meaning: 'None has worked on this chain yet: a strategy does nothing.' };
  if (!keeper.is_running)
    return { tone: 'critical', word: 'Keeper does not run', meaning: 'No strategy does anything until it is back.' };
  if (keeper.role === null)
    return {
      tone: 'warn',
      word: 'Keeper may not sign',
      meaning: 'Its wallet is no manager of this vault: no strategy does anything. Add it as a secondary manager.',
    };
  return { tone: 'ok', word: 'Keeper runs', meaning: null };
}

type Props = {
  shown: Shown;
  keeper: Keeper | null /** To what it did. */;
  withLink?: boolean /** Not below anything else of its card. */;
  isAlone?: boolean;
};

/** Who sends for the strategies: whether it works, whether its wallet may, and what it has left for gas. */
export function KeeperStatus({ shown: { chain, vault }, keeper, withLink = false, isAlone = false }: Props) {
  useTick();
  const { tone, word, meaning } = verdict(keeper);
  return (
    <section
      aria-label="Keeper"
      className={clsx('flex basis-full flex-wrap items-center gap-x-6 gap-y-2 text-13', !isAlone && 'border-t pt-2')}
    >
      <Pill tone={tone}>{word}</Pill>
      {meaning === null ? null : <p className="text-muted">{meaning}</p>}
      {keeper === null ? null : (
        <>
          <span title={formatUtc(keeper.last_pass_at)} className="text-muted">
            {`Last seen ${formatAgo((serverNow() - Date.parse(keeper.last_pass_at)) / 1_000)}, at block ${keeper.block_number}`}
          </span>
          <dl className="flex flex-wrap items-center gap-x-6 gap-y-1">
            <div className="flex items-center gap-2">
              <dt className="text-muted">Wallet</dt>
              <dd className="flex items-center gap-2">
                <AddressTag value={keeper.address} what="keeper address" explorerUrl={chain.explorer_url} />
                <span className="font-medium">{keeper.role === null ? 'Not a manager' : roleWords[keeper.role]}</span>
              </dd>
            </div>
            {/* The page of the keeper has a figure of it. */}
            {isAlone ? null : (
              <div className="flex gap-2">
                <dt className="text-muted">For gas</dt>
                <dd className="font-medium">{`${formatAmount(keeper.balance, WEI_DECIMALS)} ${chain.native_symbol}`}</dd>
              </div>
            )}
          </dl>
        </>
      )}
      {withLink ? (
        <Link to={keeperPath(chain.slug, vault.vault_address)} className="link inline-flex min-h-6 items-center">
          What it did, refused and paid
        </Link>
      ) : null}
    </section>
  );
}
