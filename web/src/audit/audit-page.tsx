import type { Shown } from '../vault/vault-gate.tsx';

export function AuditPage({ shown: { vault } }: { shown: Shown }) {
  return <h2 className="text-20 font-semibold">{`Audit of ${vault.name}`}</h2>;
}
