import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Api } from '../app/api.ts';
import { useApp } from '../app/services.ts';
import { Dialog } from '../design/dialog.tsx';
import { Failure, Skeleton } from '../design/states.tsx';
import type { Shown } from '../vault/vault-gate.tsx';

type Asked = { [K in PreparedKind]: { kind: K; args: PreparedArgs<K> } }[PreparedKind];
type Props = { shown: Shown; title: string; intent: Asked; onIndexed: () => void; onClose: () => void };

const operations: Partial<Record<PreparedKind, keyof Api>> = {
  add_secondary_manager: 'prepareAddSecondaryManager',
  remove_secondary_manager: 'prepareRemoveSecondaryManager',
  cancel_primary_change: 'prepareCancelPrimaryChange',
  add_yield_sources: 'prepareBulkAddYieldSources',
  update_yield_source_oracles: 'prepareBulkUpdateYieldSourceOracles',
  remove_yield_sources: 'prepareBulkRemoveYieldSources',
};

/** Prepares a change and shows it. */
export function PrepareDialog({ shown: { vault }, title, intent, onClose }: Props) {
  const { api } = useApp();
  const prepare = useMutation({
    mutationFn: async () => {
      const name = operations[intent.kind];
      if (name === undefined) throw new Error(`Nothing prepares ${intent.kind} here.`);
      const body = { vault_address: vault.vault_address, chain_id: vault.chain_id, ...intent.args };
      return (api[name] as (input: { body: object }) => Promise<{ description: string }>)({ body });
    },
  });
  const start = useEffectEvent(() => prepare.mutate());
  useEffect(() => start(), []);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {prepare.isError ? <Failure error={prepare.error} /> : null}
      {prepare.data === undefined ? <Skeleton className="h-56 w-full" /> : <p>{prepare.data.description}</p>}
    </Dialog>
  );
}
