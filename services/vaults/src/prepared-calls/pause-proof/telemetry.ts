import { Gauge, type Registry } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';

/** The panic buttons of the chains whose lease this instance holds; others report theirs. */
export function pauseProofMetrics(registers: Registry[]) {
  const labelNames = ['chain_id', 'vault'] as const;
  const known = new Map<string, { chainId: number; labels: { chain_id: string; vault: string }; checkedAt: number }>();
  const ok = new Gauge({
    name: 'vaults_pause_proof_ok',
    help: '1 when a manager could pause the vault (release it, while it is paused) at the newest trial',
    labelNames,
    registers,
  });
  const age = new Gauge({
    name: 'vaults_pause_proof_age_seconds',
    help: 'Time since the pause was last tried',
    labelNames,
    registers,
    // When it is asked for, because a loop that stands still would not make it grow.
    collect() {
      for (const { labels, checkedAt } of known.values())
        this.set(labels, Math.max(0, (Date.now() - checkedAt) / 1000));
    },
  });
  return {
    observe(proof: { chain_id: number; vault_address: string; ok: boolean; checked_at: string }): void {
      const labels = { chain_id: String(proof.chain_id), vault: getAddress(proof.vault_address) };
      known.set(`${labels.chain_id}:${labels.vault}`, {
        chainId: proof.chain_id,
        labels,
        checkedAt: Date.parse(proof.checked_at),
      });
      ok.set(labels, proof.ok ? 1 : 0);
    },
    /** The chain is another instance's now. */
    forget(chainId: number): void {
      for (const [key, item] of known) {
        if (item.chainId !== chainId) continue;
        known.delete(key);
        ok.remove(item.labels);
        age.remove(item.labels);
      }
    },
  };
}
export type PauseProofMetrics = ReturnType<typeof pauseProofMetrics>;
