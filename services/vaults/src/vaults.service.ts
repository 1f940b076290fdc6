import {
  BroadcastPrepared,
  DescribeYieldSource,
  GetAlertReadings,
  GetBlock,
  GetChainRoles,
  GetMe,
  GetPauseProof,
  GetPauseStatus,
  GetPrepared,
  GetTransaction,
  GetValidatorHistory,
  GetValidatorRound,
  GetValidators,
  GetVault,
  GetVaultManagers,
  GetVaultSettings,
  ListChains,
  ListLogEntries,
  ListMyVaults,
  ListPrepared,
  ListPublicVaults,
  ListSourceCatalogue,
  ListTokenAssets,
  ListTransmissions,
  ListValidatorRounds,
  ListYieldSources,
  LookupVaults,
  NoteViewOnly,
  PrepareChange,
  ReadTogether,
  VerifyToken,
} from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import type { LogReader } from './log/ports.ts';
import { type BlockTimes, getBlock, listChains, listLogEntries } from './log/use-cases/read-log.ts';
import { type ListRoundsPorts, listValidatorRounds } from './oracle-network/use-cases/list-rounds.ts';
import { getValidatorHistory, type ReadHistoryPorts } from './oracle-network/use-cases/read-history.ts';
import { getValidatorRound, type ReadRoundPorts } from './oracle-network/use-cases/read-round.ts';
import { getValidators, listTransmissions, type ValidatorPorts } from './oracle-network/use-cases/read-validators.ts';
import { type PreparePorts, prepareChange } from './prepared-calls/changes/use-cases/prepare-change.ts';
import { getPauseProof, type PauseProofPorts } from './prepared-calls/pause-proof/use-cases/get-pause-proof.ts';
import { type BroadcastPorts, broadcastPrepared } from './prepared-calls/tracking/use-cases/broadcast-prepared.ts';
import {
  getPrepared,
  listPrepared,
  type ReadPreparedPorts,
} from './prepared-calls/tracking/use-cases/read-prepared.ts';
import { getTransaction, type TransactionPorts } from './readings/use-cases/get-transaction.ts';
import { type AlertReadingsPorts, readForAlerts } from './readings/use-cases/read-for-alerts.ts';
import { getVaultSettings, type SettingsPorts } from './readings/use-cases/read-settings.ts';
import {
  describeYieldSource,
  listSourceCatalogue,
  type SourceCataloguePorts,
} from './readings/use-cases/read-source-catalogue.ts';
import type { StrategyPorts } from './strategies/access.ts';
import { strategyActions } from './strategies/actions.ts';
import { describeCaller, noteViewOnly, verifyCaller } from './vault/use-cases/describe-caller.ts';
import { getPauseStatus, getVault } from './vault/use-cases/get-vault.ts';
import { getChainRoles, getVaultManagers } from './vault/use-cases/list-roles.ts';
import { listMyVaults, listPublicVaults, listTokenAssets } from './vault/use-cases/list-vaults.ts';
import { lookupVaults } from './vault/use-cases/lookup-vaults.ts';
import { readTogether } from './vault/use-cases/read-together.ts';
import { listYieldSources, type YieldSourcePorts } from './vault/use-cases/read-yield-sources.ts';

export type VaultsPorts = PreparePorts &
  SettingsPorts &
  YieldSourcePorts &
  SourceCataloguePorts &
  ReadPreparedPorts &
  BroadcastPorts &
  PauseProofPorts &
  TransactionPorts &
  ValidatorPorts &
  ReadHistoryPorts &
  ReadRoundPorts &
  ListRoundsPorts &
  AlertReadingsPorts & { log: LogReader; blocks: BlockTimes; strategies: StrategyPorts };

export const vaultsService = (ports: VaultsPorts): ServiceSchema => {
  const [detail, mine, lookup] = [getVault(ports), listMyVaults(ports), lookupVaults(ports)];
  const [prepare, settings] = [prepareChange(ports), getVaultSettings(ports)];
  const [list, get, broadcast] = [listPrepared(ports), getPrepared(ports), broadcastPrepared(ports)];
  const pauseProof = getPauseProof(ports);
  const [describe, catalogue] = [describeYieldSource(ports), listSourceCatalogue(ports)];
  const [me, verify] = [describeCaller(ports), verifyCaller(ports)];
  return {
    name: 'vaults',
    version: 1,
    actions: {
      chains: implement(ListChains, listChains(ports)),
      publicList: implement(ListPublicVaults, listPublicVaults(ports)),
      list: implement(ListMyVaults, (params, { caller }) => mine(params, caller)),
      detail: implement(GetVault, (params, { caller }) => detail(params, caller)),
      readTogether: implement(ReadTogether, readTogether(ports)),
      lookup: implement(LookupVaults, (params, { caller }) => lookup(params, caller)),
      pauseStatus: implement(GetPauseStatus, getPauseStatus(ports)),
      transaction: implement(GetTransaction, getTransaction(ports)),
      tokenAssets: implement(ListTokenAssets, listTokenAssets(ports)),
      validators: implement(GetValidators, getValidators(ports)),
      validatorHistory: implement(GetValidatorHistory, getValidatorHistory(ports)),
      validatorRounds: implement(ListValidatorRounds, listValidatorRounds(ports)),
      validatorRound: implement(GetValidatorRound, getValidatorRound(ports)),
      transmissions: implement(ListTransmissions, listTransmissions(ports)),
      block: implement(GetBlock, getBlock(ports)),
      events: implement(ListLogEntries, listLogEntries(ports)),
      me: implement(GetMe, (_params, { caller }) => me(caller)),
      verify: implement(VerifyToken, (_params, { caller }) => verify(caller)),
      noteViewOnly: implement(NoteViewOnly, noteViewOnly(ports)),
      chainRoles: implement(GetChainRoles, getChainRoles(ports)),
      managers: implement(GetVaultManagers, getVaultManagers(ports)),
      prepare: implement(PrepareChange, (params, { caller }) => prepare(params, caller)),
      settings: implement(GetVaultSettings, (params, { caller }) => settings(params, caller)),
      listPrepared: implement(ListPrepared, (params, { caller }) => list(params, caller)),
      getPrepared: implement(GetPrepared, (params, { caller }) => get(params, caller)),
      broadcastPrepared: implement(BroadcastPrepared, (params, { caller }) => broadcast(params, caller)),
      pauseProof: implement(GetPauseProof, (params, { caller }) => pauseProof(params, caller)),
      alertReadings: implement(GetAlertReadings, readForAlerts(ports)),
      yieldSources: implement(ListYieldSources, listYieldSources(ports)),
      describeYieldSource: implement(DescribeYieldSource, (params, { caller }) => describe(params, caller)),
      sourceCatalogue: implement(ListSourceCatalogue, (params, { caller }) => catalogue(params, caller)),
      ...strategyActions(ports.strategies),
    },
  };
};
