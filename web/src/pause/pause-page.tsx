import type { Shown } from '../vault/vault-gate.tsx';

export function PausePage({ shown: { vault } }: { shown: Shown }) {
  return <h2 className="text-20 font-semibold">{`Pause of ${vault.name}`}</h2>;
}
