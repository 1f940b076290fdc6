import type { Operations } from '@castellan/sdk';

/** Operations that only read: a query may ask for one again as often as it likes. Those of analytics are, but for these two. */
export type ReadId =
  | Exclude<Extract<keyof Operations, `analytics${string}`>, 'analyticsCompare' | 'analyticsExport'>
  | 'me'
  | 'chains'
  | 'publicVaults'
  | 'myVaults'
  | 'pauseStatus'
  | 'vault'
  | 'transmissions'
  | 'validators'
  | 'transaction'
  | 'tokenAssets'
  | 'mandateStatus'
  | 'mandateBreaches'
  | 'listSessions'
  | 'vaultSettings'
  | 'yieldSources'
  | 'pauseProof'
  | 'users'
  | 'listPrepared'
  | 'getPrepared'
  | 'registryHooks'
  | 'merkleConfigVersions'
  | 'merkleConfigVersion'
  | 'merkleActiveConfig'
  | 'merkleConfig'
  | 'merkleJobs'
  | 'merkleJob'
  | 'merkleTrees'
  | 'merkleTree'
  | 'merkleProofs'
  | 'merkleProof'
  | 'merkleSync'
  | 'merklePublishJob'
  | 'publishedMerkleTree'
  | 'merkleArtifact'
  | 'merkleProofStatus'
  | 'mandate'
  | 'mandateVersions'
  | 'auditLogs'
  | 'auditRow'
  | 'timeline'
  | 'analysis'
  | 'feed'
  | 'conversations'
  | 'conversation'
  | 'listStrategies'
  | 'getStrategy'
  | 'engineVault'
  | 'engineFields'
  | 'engineStatus'
  | 'engineShard'
  | 'listIntents'
  | 'intentFacets'
  | 'getIntent'
  | 'intentEvents'
  | 'intentFills'
  | 'listFills'
  | 'listSimulations'
  | 'getSimulation'
  | 'listAlerts'
  | 'alertRules'
  | 'alertEvents'
  | 'getAlert'
  | 'listChannels'
  | 'listDeliveries'
  | 'vaultChannels';

/** What a read takes: the parts of its request. */
export type ReadInput<K extends ReadId> = Omit<Parameters<Operations[K]>[0], 'signal' | 'idempotencyKey'>;
/** What a read answers. */
export type ReadAnswer<K extends ReadId> = Awaited<ReturnType<Operations[K]>>;

/** Reads of analytics about one vault. */
export type AnalyticsId = Exclude<Extract<ReadId, `analytics${string}`>, 'analyticsSummaries'>;
/** What such a read takes besides the vault. */
export type AnalyticsQuery<K extends AnalyticsId> = NonNullable<Parameters<Operations[K]>[0]['query']>;
