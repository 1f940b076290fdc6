import { AppError, type Caller, type PreparedCall } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { ManagerCalls } from '../adapters/manager-calls.rpc.ts';
import { predictRefusal, refusalText } from '../domain/manager-change.ts';
import { requireVault, requireWallet, roleOn, type VaultSource } from './vault-view.ts';

export type PreparePorts = VaultSource & { directory: Directory; calls: ManagerCalls };

type Params = { chain_id: number; vault_address: string; manager_address: string; force: boolean };

const descriptions = {
  add: (manager: string, vault: string) => `Make ${manager} a secondary manager of ${vault}.`,
  remove: (manager: string, vault: string) => `Take the secondary manager role on ${vault} from ${manager}.`,
};

/**
 * Prepares a change of secondary managers: role first (from our own store), then the chain's own checks on the latest block,
 * then an `eth_call` from the caller's wallet. Changes nothing.
 * @throws AppError ROLE_REQUIRED; the contract's own error name, or WOULD_REVERT, unless `force`; RPC_UNAVAILABLE.
 */
export const prepareManagerChange =
  (kind: 'add' | 'remove', ports: PreparePorts) =>
  async (params: Params, caller: Caller | undefined): Promise<PreparedCall> => {
    const wallet = requireWallet(caller);
    const snapshot = await requireVault(ports, params.chain_id, params.vault_address);
    const role = await roleOn(ports.directory, snapshot, wallet);
    if (role !== 'primary_manager')
      throw new AppError('ROLE_REQUIRED', 'Only the primary manager of this vault can change its secondary managers.', {
        data: { required_role: 'primary_manager', role },
      });
    const chain = ports.chains.get(params.chain_id);
    const manager = params.manager_address.toLowerCase();
    const request = { kind, strategy: snapshot.strategy, manager, caller: wallet };
    const [state, simulation] = await Promise.all([
      ports.calls.readManagers(chain, snapshot.strategy),
      ports.calls.simulate(chain, request),
    ]);
    const refusal = predictRefusal({ kind, caller: wallet, manager }, state);
    const reason = refusal ?? simulation.revert?.name ?? null;
    if (reason !== null && !params.force) {
      const code = refusal ?? simulation.revert?.code ?? 'WOULD_REVERT';
      const message = refusalText(reason, { manager: getAddress(manager), maxSecondary: state.maxSecondary });
      throw new AppError(code, message, { data: { revert_reason: reason, args: simulation.revert?.args ?? {} } });
    }
    const { to, data } = simulation;
    return {
      to,
      data,
      value: '0',
      chain_id: params.chain_id,
      description: descriptions[kind](getAddress(manager), snapshot.detail.name),
      decoded: {
        function: kind === 'add' ? 'addSecondaryManager' : 'removeSecondaryManager',
        args: { strategy: snapshot.detail.strategy_address, manager: getAddress(manager) },
      },
      simulation: { ok: reason === null, revert_reason: reason },
    };
  };
