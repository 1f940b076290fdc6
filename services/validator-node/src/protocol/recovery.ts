import type { Epochs } from './epochs.ts';
import type { Instance } from './instance.ts';
import type { Scope } from './scope.ts';

/**
 * After the loss of the store: which rounds this oracle has signed is not known, so it signs none of the epoch that the network is in.
 * Which one that is, is what the wishes of the others say, who repeat them with every DeltaResend.
 */
export async function recover(instance: Instance, scope: Scope, epochs: Epochs): Promise<void> {
  const { config, store, observer } = instance;
  if (!(await store.isRecovering())) return;
  const again = () => scope.after(config.timing.deltaResend, settle);
  const settle = async (): Promise<void> => {
    try {
      // As many others as an epoch takes besides this one. Of the epoch it was in, f honest others know; with f that say less, or one
      // that lags, the (f+1)-th highest wish can lie below it, and a higher rank would let f of them silence this oracle for good.
      if (epochs.heardFrom() < 2 * config.f) {
        again();
        return;
      }
      const epoch = epochs.known();
      await store.endRecovery(config.digest, epoch);
      observer({ type: 'guard_recovered', epoch });
    } catch (error) {
      again();
      throw error;
    }
  };
  scope.after(2 * config.timing.deltaResend, settle);
}
