import {
  GetBlock,
  GetChainRoles,
  GetPauseStatus,
  GetTransaction,
  GetValidators,
  GetVault,
  GetVaultManagers,
  ListChains,
  ListLogEntries,
  ListMyVaults,
  ListPublicVaults,
  ListTokenAssets,
  ListTransmissions,
  PrepareAddSecondaryManager,
  PrepareRemoveSecondaryManager,
} from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import type { LogReader } from './adapters/chain-log.mongo.ts';
import { getTransaction, type TransactionPorts } from './use-cases/get-transaction.ts';
import { getPauseStatus, getVault } from './use-cases/get-vault.ts';
import { getChainRoles, getVaultManagers } from './use-cases/list-roles.ts';
import { listMyVaults, listPublicVaults, listTokenAssets } from './use-cases/list-vaults.ts';
import { type PreparePorts, prepareManagerChange } from './use-cases/prepare-manager-change.ts';
import { getBlock, listChains, listLogEntries } from './use-cases/read-log.ts';
import { getValidators, listTransmissions, type ValidatorPorts } from './use-cases/read-validators.ts';

export type VaultsPorts = PreparePorts & TransactionPorts & ValidatorPorts & { log: LogReader };

export const vaultsService = (ports: VaultsPorts): ServiceSchema => {
  const [detail, mine] = [getVault(ports), listMyVaults(ports)];
  const [add, remove] = [prepareManagerChange('add', ports), prepareManagerChange('remove', ports)];
  return {
    name: 'vaults',
    version: 1,
    actions: {
      chains: implement(ListChains, listChains(ports)),
      publicList: implement(ListPublicVaults, listPublicVaults(ports)),
      list: implement(ListMyVaults, (params, { caller }) => mine(params, caller)),
      detail: implement(GetVault, (params, { caller }) => detail(params, caller)),
      pauseStatus: implement(GetPauseStatus, getPauseStatus(ports)),
      transaction: implement(GetTransaction, getTransaction(ports)),
      tokenAssets: implement(ListTokenAssets, listTokenAssets(ports)),
      validators: implement(GetValidators, getValidators(ports)),
      transmissions: implement(ListTransmissions, listTransmissions(ports)),
      block: implement(GetBlock, getBlock(ports)),
      events: implement(ListLogEntries, listLogEntries(ports)),
      chainRoles: implement(GetChainRoles, getChainRoles(ports)),
      managers: implement(GetVaultManagers, getVaultManagers(ports)),
      prepareAddSecondaryManager: implement(PrepareAddSecondaryManager, (params, { caller }) => add(params, caller)),
      prepareRemoveSecondaryManager: implement(PrepareRemoveSecondaryManager, (params, { caller }) =>
        remove(params, caller),
      ),
    },
  };
};
