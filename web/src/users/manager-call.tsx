import { useApp } from '../app/services.ts';
import type { Intent } from '../signing/check-call.ts';
import { SignDialog } from '../signing/sign-dialog.tsx';
import type { Shown } from '../vault/vault-gate.tsx';

export type ManagerChange = Pick<Intent, 'function' | 'manager'>;

const titles = {
  addSecondaryManager: 'Add a secondary manager',
  removeSecondaryManager: 'Remove a secondary manager',
} as const;

type Props = { shown: Shown; change: ManagerChange; onIndexed: () => void; onClose: () => void };

export function ManagerCall({ shown: { vault, chain }, change, onIndexed, onClose }: Props) {
  const { api } = useApp();
  const body = {
    vault_address: vault.vault_address,
    chain_id: vault.chain_id,
    manager_address: change.manager,
  };
  return (
    <SignDialog
      title={titles[change.function]}
      intent={{ ...change, chainId: vault.chain_id, strategy: vault.strategy_address }}
      chain={chain}
      prepare={() =>
        change.function === 'addSecondaryManager'
          ? api.prepareAddSecondaryManager({ body })
          : api.prepareRemoveSecondaryManager({ body })
      }
      onIndexed={onIndexed}
      onClose={onClose}
    />
  );
}
