import { PrepareDialog } from '../signing/prepare-dialog.tsx';
import type { Shown } from '../vault/vault-gate.tsx';

export type ManagerChange = { function: 'addSecondaryManager' | 'removeSecondaryManager'; manager: string };

const changes = {
  addSecondaryManager: { kind: 'add_secondary_manager', title: 'Add a secondary manager' },
  removeSecondaryManager: { kind: 'remove_secondary_manager', title: 'Remove a secondary manager' },
} as const;

type Props = { shown: Shown; change: ManagerChange; onIndexed: () => void; onClose: () => void };

export function ManagerCall({ shown, change, onIndexed, onClose }: Props) {
  const { kind, title } = changes[change.function];
  return (
    <PrepareDialog
      shown={shown}
      title={title}
      change={{ kind, args: { manager_address: change.manager } }}
      onDone={onIndexed}
      onClose={onClose}
    />
  );
}
