export {
  useAlerts,
  useAnalytics,
  usePublicVaults,
  useVault,
  useVaults,
  useVaultUpdates,
  type VaultPlace,
} from './hooks.ts';
export { type Castellan, CastellanProvider, type CastellanProviderProps, useCastellan } from './provider.ts';
export type { AnalyticsId, AnalyticsQuery, ReadAnswer, ReadId, ReadInput } from './reads.ts';
export { type ReadOptions, readKey, readQuery, useRead } from './use-read.ts';
