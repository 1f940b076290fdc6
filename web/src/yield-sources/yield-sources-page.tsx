import type { Shown } from '../vault/vault-gate.tsx';

export function YieldSourcesPage({ shown: { vault } }: { shown: Shown }) {
  return <h2 className="text-20 font-semibold">{`Yield sources of ${vault.name}`}</h2>;
}
