import { Counter, type Registry } from '@castellan/service-kit';
import { rpcMetrics } from './chains/telemetry.ts';
import { logMetrics } from './log/telemetry.ts';
import { pauseProofMetrics } from './prepared-calls/pause-proof/telemetry.ts';
import { vaultMetrics } from './vault/telemetry.ts';

/** Metrics of this service: those of each subject, and what several of them write. */
export function vaultsMetrics(registry: Registry) {
  const registers = [registry];
  return {
    ...logMetrics(registers),
    ...vaultMetrics(registers),
    pauseProofs: pauseProofMetrics(registers),
    distrusted: new Counter({
      name: 'vaults_distrusted_documents_total',
      help: 'Stored documents that were not taken, because they are malformed or this service did not write them, by collection',
      labelNames: ['collection'],
      registers,
    }),
    ...rpcMetrics(registers),
  };
}
