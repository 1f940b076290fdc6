import { isDepositorKind, type PreparedKind } from '@castellan/contracts';
import { type Asked, type Intent, prepareChange } from '@castellan/sdk/calls';
import { lazy, Suspense } from 'react';
import { useApp } from '../client/services.ts';
import { Dialog } from '../design/dialog.tsx';
import { Skeleton } from '../design/states.tsx';
import { decimalsOf } from '../format/amount.ts';
import { useSession } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Units } from './call-text.ts';

// What signs is loaded when something is to be signed.
const SignDialog = lazy(() => import('./sign-with-wallet.tsx'));

type Props = {
  shown: Shown;
  title: string;
  change: Asked;
  /** Called when the chain says that the change is made, and again once it is indexed: what it changed can be read again. */
  onDone: () => void;
  onClose: () => void;
};

/** Where a change of this vault happens, and what its amounts are in. */
export function placeOf({ vault }: Pick<Shown, 'vault'>, kind: PreparedKind) {
  const { asset, upkeep_info: upkeep } = vault;
  const assets = { decimals: asset.decimals, symbol: asset.symbol };
  const units: Units = {
    asset: assets,
    ...(isDepositorKind(kind) ? { approved: assets } : {}),
    share: { decimals: vault.vault_share_decimals, symbol: vault.symbol },
    priceDecimals: decimalsOf(vault.pps_precision),
    names: Object.fromEntries(
      vault.allocation.flatMap(({ kind, source_address, name }) =>
        kind === 'source' ? [[source_address.toLowerCase(), name]] : [],
      ),
    ),
    ...(upkeep.decimals === null ? {} : { upkeep: { decimals: upkeep.decimals, symbol: upkeep.symbol ?? 'tokens' } }),
  };
  const place = {
    chainId: vault.chain_id,
    vault: vault.vault_address,
    strategy: vault.strategy_address,
    upkeepToken: upkeep.token,
    asset: asset.address,
  };
  return { place, units };
}

/** Prepares a change of a vault and has it signed. What was typed on the page stays there whatever becomes of it. */
export function PrepareDialog({ shown, title, change, onDone, onClose }: Props) {
  const { api } = useApp();
  const session = useSession();
  const { place, units } = placeOf(shown, change.kind);
  const isOwn = isDepositorKind(change.kind) && session.status !== 'anonymous';
  const intent: Intent = { ...place, ...(isOwn ? { wallet: session.address } : {}), ...change };
  return (
    <Suspense
      fallback={
        <Dialog title={title} isOpen onClose={onClose}>
          <Skeleton className="h-56 w-full" />
        </Dialog>
      }
    >
      <SignDialog
        title={title}
        intent={intent}
        chain={shown.chain}
        units={units}
        prepare={() => prepareChange(api, intent)}
        onDone={onDone}
        onClose={onClose}
      />
    </Suspense>
  );
}
