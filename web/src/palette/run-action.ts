import { toast } from '../design/toast.tsx';
import type { VaultActionId } from '../navigation/keys.ts';
import { refusalOf, vaultActions } from '../vault/vault-actions.ts';

type On = {
  vault: { slug: string; address: string };
  /** Of the reader; null for none, undefined where it is not known. */
  role: (typeof vaultActions)[number]['who'][number] | null | undefined;
  go: (path: string) => void;
};

/** Leads to the form of an action, or says who may where the reader may not. */
export function runAction(id: VaultActionId, { vault, role, go }: On) {
  const action = vaultActions.find((each) => each.id === id);
  if (action === undefined) return;
  const { name, who, path } = action;
  if (role === undefined || (role !== null && who.includes(role))) go(path(vault.slug, vault.address));
  else toast({ tone: 'info', title: `${name}: ${refusalOf(action).toLowerCase()}`, key: 'refused-action' });
}
