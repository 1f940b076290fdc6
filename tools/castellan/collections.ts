import { type CollectionDefinition, ownCollections } from '@castellan/service-kit';
import { analyses } from '../../services/ai/src/analysis/models/collections.ts';
import { budgets } from '../../services/ai/src/budgets/collections.ts';
import { chunks, conversations, messages } from '../../services/ai/src/chat/models/chat-collections.ts';
import { feedCursors, feedItems, feedStates } from '../../services/ai/src/feed/models/feed-collections.ts';
import { cursors, segments, subjects } from '../../services/analytics/src/models/collections.ts';
import { minuteCounts } from '../../services/auth/src/models/minute-count.ts';
import { nonces } from '../../services/auth/src/models/nonce.ts';
import { sessions } from '../../services/auth/src/models/session.ts';
import { keyRotations, signingKeys } from '../../services/auth/src/models/signing-key.ts';
import { idempotencyKeys } from '../../services/gateway/src/adapters/idempotency.mongo.ts';
import { displayNames, people, viewOnlyGrants } from '../../services/users/src/access/models/collections.ts';
import {
  channelBindings,
  deliveries,
  notificationChannels,
} from '../../services/users/src/alerts/channels/models/collections.ts';
import { dutyRotas, escalationWatches } from '../../services/users/src/alerts/duty/models/collections.ts';
import { alertEngines } from '../../services/users/src/alerts/evaluator/models/collections.ts';
import { alertClocks, alertJournal } from '../../services/users/src/alerts/journal/models/collections.ts';
import {
  alertEvents,
  alertRecords,
  alertRevisions,
} from '../../services/users/src/alerts/records/models/collections.ts';
import { alertSettings } from '../../services/users/src/alerts/rules/models/collections.ts';
import { alertOwnRules } from '../../services/users/src/alerts/rules/models/own-rules.ts';
import { auditRows, logCursors } from '../../services/users/src/audit/models/collections.ts';
import {
  attestationKeyHistory,
  attestationKeys,
  mandateAttestations,
} from '../../services/users/src/mandates/attestations/models/collections.ts';
import {
  mandateBreaches,
  mandateJudgements,
  mandateVersions,
} from '../../services/users/src/mandates/models/collections.ts';
import { vaultReports } from '../../services/users/src/report/models/collections.ts';
import { scenarioSets } from '../../services/users/src/scenarios/models/collections.ts';
import {
  activeConfigs,
  artifactParts,
  artifacts,
  configTrees,
  hookConfigs,
  hookTrees,
  publishedTrees,
  registryHooks,
  treeJobs,
  treeLeaves,
} from '../../services/vaults/src/hook-trees/models/hook-trees.ts';
import { keeperHeartbeats } from '../../services/vaults/src/keeper/adapters/heartbeat.mongo.ts';
import { keeperVaults } from '../../services/vaults/src/keeper/adapters/journal.mongo.ts';
import { keeperRefusals, keeperRuns } from '../../services/vaults/src/keeper/models.ts';
import { chainBlocks } from '../../services/vaults/src/log/models/chain-block.ts';
import { chainCommits } from '../../services/vaults/src/log/models/chain-commit.ts';
import { chainLog } from '../../services/vaults/src/log/models/chain-log.ts';
import { chainStatuses } from '../../services/vaults/src/log/models/chain-status.ts';
import { logArchives } from '../../services/vaults/src/log/models/log-archive.ts';
import { mandatesInForce } from '../../services/vaults/src/mandates/mandates.mongo.ts';
import {
  validatorHours,
  validatorMarks,
  validatorMemberships,
  validatorTransactions,
} from '../../services/vaults/src/oracle-network/models/network-history.ts';
import { transmissions } from '../../services/vaults/src/oracle-network/models/transmission.ts';
import {
  validatorConfigs,
  validatorNodes,
  validatorRounds,
  validatorStrategies,
} from '../../services/vaults/src/oracle-network/models/validator-network.ts';
import { pauseProofs } from '../../services/vaults/src/prepared-calls/pause-proof/models/pause-proof.ts';
import {
  depositorCalls,
  preparedCalls,
} from '../../services/vaults/src/prepared-calls/tracking/models/prepared-call.ts';
import { seenTransactions } from '../../services/vaults/src/readings/models/seen-transaction.ts';
import { strategyRuns } from '../../services/vaults/src/strategies/adapters/runs.mongo.ts';
import { intentCollection } from '../../services/vaults/src/strategies/intents/store.mongo.ts';
import {
  allocationTargets,
  strategies,
  strategyEngines,
  strategyLanes,
  strategySimulations,
  strategySnapshots,
} from '../../services/vaults/src/strategies/models.ts';
import { names, viewers } from '../../services/vaults/src/vault/models/directory.ts';
import { vaultSnapshots } from '../../services/vaults/src/vault/models/vault-snapshot.ts';

/** The services that have a database. Validators' are not among them: a signing guard is never restored as it was. */
export const databaseServices = ['ai', 'analytics', 'auth', 'gateway', 'users', 'vaults'] as const;
export type DatabaseService = (typeof databaseServices)[number];

/** What is known of a collection without its documents. */
export type KnownCollection = Pick<CollectionDefinition, 'name' | 'kept' | 'indexes' | 'version'>;

const own: Record<DatabaseService, readonly KnownCollection[]> = {
  ai: [analyses, budgets, conversations, messages, chunks, feedItems, feedStates, feedCursors],
  analytics: [cursors, subjects, segments],
  auth: [keyRotations, minuteCounts, nonces, sessions, signingKeys],
  gateway: [idempotencyKeys],
  users: [
    viewOnlyGrants,
    displayNames,
    people,
    notificationChannels,
    channelBindings,
    deliveries,
    alertEngines,
    alertJournal,
    alertClocks,
    alertRecords,
    alertEvents,
    alertRevisions,
    alertSettings,
    alertOwnRules,
    auditRows,
    logCursors,
    mandateVersions,
    mandateBreaches,
    mandateJudgements,
    scenarioSets,
    dutyRotas,
    escalationWatches,
    mandateAttestations,
    attestationKeys,
    attestationKeyHistory,
    vaultReports,
  ],
  vaults: [
    registryHooks,
    hookConfigs,
    activeConfigs,
    configTrees,
    hookTrees,
    treeLeaves,
    treeJobs,
    artifacts,
    artifactParts,
    publishedTrees,
    keeperHeartbeats,
    keeperVaults,
    keeperRuns,
    keeperRefusals,
    chainBlocks,
    chainCommits,
    chainLog,
    chainStatuses,
    logArchives,
    transmissions,
    validatorRounds,
    validatorNodes,
    validatorConfigs,
    validatorStrategies,
    validatorMarks,
    validatorTransactions,
    validatorHours,
    validatorMemberships,
    pauseProofs,
    preparedCalls,
    depositorCalls,
    seenTransactions,
    strategyRuns,
    intentCollection,
    strategies,
    strategyLanes,
    strategyEngines,
    allocationTargets,
    strategySnapshots,
    strategySimulations,
    viewers,
    names,
    vaultSnapshots,
    mandatesInForce,
  ],
};

/** Every collection of every service, with those that any database may have. A test holds them to the sources. */
export const collectionsOf = (service: DatabaseService): readonly KnownCollection[] => [
  ...own[service],
  ...ownCollections,
];

/** What a backup holds of a service. */
export const truthOf = (service: DatabaseService): readonly KnownCollection[] =>
  collectionsOf(service).filter(({ kept }) => kept === 'truth');
