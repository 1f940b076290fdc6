import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { type MyVault, myVaultsQuery } from '../data/queries.ts';
import { RolePill, StatePill } from '../design/pill.tsx';
import { Empty, Skeleton } from '../design/states.tsx';
import { formatCount, formatUsd, formatUsdFull, NONE } from '../format/figures.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { operatePath } from '../navigation/paths.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { AttentionList, ManagerChanges } from './attention-list.tsx';

/** As many as fit above the list of all vaults; the table of Operate has every one. */
const MOST_SHOWN = 6;

/** The signed-in wallet's own vaults, and what in them must not be overlooked. */
export function OperatorBand() {
  const { api } = useApp();
  const viewer = useViewer();
  const enabled = useSession().status === 'signed_in';
  const mine = useQuery({ ...myVaultsQuery(api, viewer), enabled });
  return (
    <section aria-labelledby="operate-title" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-3">
        <h2 id="operate-title" className="text-20 font-semibold">
          Your vaults
        </h2>
        {mine.data === undefined || mine.data.total === 0 ? null : (
          <Link to="/operate" className="text-13 text-accent hover:underline">
            {`All ${formatCount(mine.data.total)} with their figures`}
          </Link>
        )}
      </div>
      <ReadTrouble of={mine} what="Your vaults" />
      {mine.isPending ? <Skeleton className="h-28 w-full" /> : null}
      {mine.data?.vaults.length === 0 ? (
        <div className="rounded-card border bg-surface">
          <Empty title="No role on any vault">
            A vault appears here once its primary manager gives this wallet a role.
          </Empty>
        </div>
      ) : null}
      {mine.data && mine.data.vaults.length > 0 ? (
        <>
          <ManagerChanges vaults={mine.data.vaults} />
          <AttentionList />
          <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {mine.data.vaults.slice(0, MOST_SHOWN).map((vault) => (
              <MyVaultCard key={`${vault.chain_id}:${vault.vault_address}`} vault={vault} />
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}

function MyVaultCard({ vault }: { vault: MyVault }) {
  const { config } = useApp();
  const chain = chainById(config, vault.chain_id);
  const slug = vault.chain_slug ?? chain?.slug ?? String(vault.chain_id);
  return (
    <li className="relative flex flex-col gap-3 rounded-card border bg-surface p-4 focus-within:bg-raised hover:bg-raised">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <Link
            to={operatePath(slug, vault.vault_address)}
            className="font-medium after:absolute after:inset-0 hover:text-accent"
          >
            {vault.name}
          </Link>
          <p className="text-12 text-muted">{[vault.symbol, chain?.name ?? slug].filter(Boolean).join(' · ')}</p>
        </div>
        <RolePill role={vault.my_role} />
      </div>
      <div className="flex items-end justify-between gap-3">
        <p className="text-20 font-semibold">
          {vault.tvl_usd == null ? (
            <span title="The asset has no dollar price at this block">{NONE}</span>
          ) : (
            <span title={formatUsdFull(vault.tvl_usd)}>{formatUsd(vault.tvl_usd)}</span>
          )}
        </p>
        {vault.operational_state === undefined ? null : <StatePill state={vault.operational_state} />}
      </div>
    </li>
  );
}
