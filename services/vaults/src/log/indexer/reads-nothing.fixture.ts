import type { VaultReadings } from './vault-readings.ts';

/** Nothing is read of vaults, and so nothing is waited for. */
export const readsNothing: VaultReadings = {
  readDue: async () => ({
    observations: [],
    count: 0,
    commit: async () => undefined,
    announce: () => undefined,
  }),
  noteEvents: () => undefined,
  unreadFrom: () => null,
  holdBack: () => undefined,
  isComplete: () => true,
  forget: () => undefined,
  announceGone: () => undefined,
};
