import type { PreparedCall } from '@castellan/contracts';
import { type Address, getAddress } from 'viem';
import type { ChainDirectory } from '../../../chains/chain-directory.ts';
import type { PreparedDraft } from '../../changes/domain/change.ts';
import type { SignerOf } from '../../signers/signer.ts';
import type { PreparedStore } from '../adapters/prepared-store.mongo.ts';
import { auditOf } from '../audit.ts';
import type { PreparedDocument } from '../domain/prepared-call.ts';

export type KeepPorts = {
  chains: ChainDirectory;
  prepared: PreparedStore;
  signerOf: SignerOf;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Short, random and fit for a URL. */
  newId: () => string;
  /** How long a prepared call may wait for its transaction. */
  preparedSeconds: number;
};
export type KeepContext = { callerWallet: string; requestId: string | undefined };

/** A timelock makes the call only after its delay, so the call waits that much longer. */
const delayOf = ({ package: item }: PreparedCall['signer']): number =>
  item?.kind === 'timelock' ? item.min_delay_seconds : 0;

function callOf(draft: PreparedDraft, id: string, signer: PreparedCall['signer'], expiresAt: Date): PreparedCall {
  const { content, simulation, target, mandateWarnings } = draft;
  return {
    id,
    to: content.call.to,
    data: content.call.data,
    value: '0',
    chain_id: target.chainId,
    description: content.description,
    decoded: content.call.decoded,
    simulation: { ok: simulation.ok, revert_reason: simulation.revertReason },
    preconditions: content.preconditions,
    changes: content.changes,
    ...(mandateWarnings.length > 0 ? { mandate_warnings: [...mandateWarnings] } : {}),
    post_condition: { description: content.postCondition.description },
    expires_at: expiresAt.toISOString(),
    signer,
  };
}

function documentOf(draft: PreparedDraft, call: PreparedCall, at: Date, context: KeepContext & { group: string }) {
  const { request, target, step, forced, reason, block } = draft;
  const document: PreparedDocument = {
    _id: call.id,
    version: 1,
    chain_id: target.chainId,
    vault: target.vault.toLowerCase(),
    prepared_by: context.callerWallet.toLowerCase(),
    prepared_at: at,
    expires_at: new Date(call.expires_at),
    place: `${at.toISOString()} ${context.group} ${999 - step}`,
    group: context.group,
    step,
    request,
    target,
    call,
    block_number: Number(block.number),
    block_hash: block.hash,
    block_time: Number(block.timestamp),
    forced,
    reason,
    status: 'prepared',
    settled: false,
    tx: null,
    revert_reason: null,
    post: { ok: null, actual: null },
    history: [{ state: 'prepared', t: at.toISOString(), tx_hash: null, block_number: Number(block.number) }],
  };
  const { callerWallet: actor, requestId } = context;
  return { document, row: auditOf(document, { state: 'prepared', at, txHash: null, actor, requestId }) };
}

/**
 * Keeps the steps of one request as prepared calls, packaged for the wallet that will send them. Each is stored together with
 * its audit row, before it is answered.
 * @throws AppError RPC_UNAVAILABLE when nobody can say what kind of wallet it is.
 */
export const keepPrepared =
  (ports: KeepPorts) =>
  async (drafts: PreparedDraft[], context: KeepContext): Promise<PreparedCall[]> => {
    const [first] = drafts;
    if (!first) return [];
    const ids = drafts.map(ports.newId);
    const wallet = getAddress(context.callerWallet) as Address;
    const toPackage = drafts.map(({ content }, index) => {
      const { to, data } = content.call;
      return { id: String(ids[index]), to, data, description: content.description };
    });
    const signers = await ports.signerOf(ports.chains.get(first.target.chainId), wallet, toPackage);
    const at = new Date(ports.now());
    const prepared = drafts.map((draft, index) => {
      const signer = signers[index];
      if (!signer) throw new Error(`Step ${index} was not packaged.`);
      const expiresAt = new Date(at.getTime() + (ports.preparedSeconds + delayOf(signer)) * 1000);
      const call = callOf(draft, String(ids[index]), signer, expiresAt);
      return documentOf(draft, call, at, { ...context, group: String(ids[0]) });
    });
    await ports.prepared.insert(
      prepared.map(({ document }) => document),
      prepared.map(({ row }) => row),
    );
    return prepared.map(({ document }) => document.call);
  };
