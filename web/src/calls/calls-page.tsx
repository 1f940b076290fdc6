import type { Shown } from '../vault/vault-gate.tsx';

export function CallsPage({ shown: { vault } }: { shown: Shown }) {
  return <h2 className="text-20 font-semibold">{`Prepared calls of ${vault.name}`}</h2>;
}
