import type { Caller, GetPauseProof, ParamsOf, ResultOf } from '@castellan/contracts';
import { type RoleSource, requireRoleOn } from '../../../vault/use-cases/require-role.ts';
import type { StoredProof } from '../adapters/pause-proofs.mongo.ts';
import { isStale, type ProofPorts, proveNow } from './keep-proving.ts';

export type PauseProofPorts = RoleSource & ProofPorts;

/** Trials cost the node a handful of calls for each manager. */
const REFRESH_SECONDS = 30;

export const getPauseProof = (ports: PauseProofPorts) => {
  const running = new Map<string, Promise<StoredProof>>();
  return async (
    { chain_id, vault_address, refresh }: ParamsOf<typeof GetPauseProof>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof GetPauseProof>> => {
    const { snapshot } = await requireRoleOn(ports, { chain_id, vault_address }, caller, {
      least: 'view_only',
      message: 'Only people with a role on this vault can see whether its pause works.',
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
