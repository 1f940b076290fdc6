import type { Shown } from '../vault/vault-gate.tsx';

export function SettingsPage({ shown: { vault } }: { shown: Shown }) {
  return <h2 className="text-20 font-semibold">{`Settings of ${vault.name}`}</h2>;
}
