import { AppError, type Caller, type GetPauseProof, type ParamsOf, type ResultOf } from '@castellan/contracts';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { StoredProof } from '../adapters/pause-proofs.mongo.ts';
import { isStale, type ProofPorts, proveNow } from '../proof/keep-proving.ts';
import { requireVault, requireWallet, roleOn, type VaultSource } from './vault-view.ts';

export type PauseProofPorts = VaultSource & ProofPorts & { directory: Directory };

/** Trials cost the node a handful of calls for each manager. */
const REFRESH_SECONDS = 30;

export const getPauseProof = (ports: PauseProofPorts) => {
  const running = new Map<string, Promise<StoredProof>>();
  return async (
    { chain_id, vault_address, refresh }: ParamsOf<typeof GetPauseProof>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof GetPauseProof>> => {
    requireWallet(caller);
    const snapshot = await requireVault(ports, chain_id, vault_address);
    const role = await roleOn(ports.directory, snapshot, caller);
    if (role === null)
      throw new AppError('ROLE_REQUIRED', 'Only people with a role on this vault can see whether its pause works.', {
        data: { required_role: 'view_only', role },
      });
    const served = (proof: StoredProof) => ({ ...proof, is_stale: isStale(proof, ports.now()) });
    const known = await ports.proofs.get(chain_id, vault_address);
    const isRecent = known && ports.now() - Date.parse(known.checked_at) < REFRESH_SECONDS * 1000;
    if (known && (!refresh || isRecent)) return served(known);
    const key = `${chain_id}:${snapshot.vault}`;
    let proving = running.get(key);
    if (!proving) {
      proving = proveNow(ports, snapshot).finally(() => running.delete(key));
      running.set(key, proving);
    }
    return served(await proving);
  };
};
