import { randomUUID } from 'node:crypto';
import type { PreparedCall } from '@castellan/contracts';
import type { PreparedDraft } from '../prepare/change.ts';

const VALID_MS = 15 * 60_000;

/** Makes resources of drafts, each with its id and end. */
export const preparedCalls =
  ({ now }: { now: () => number }) =>
  async (drafts: PreparedDraft[]): Promise<PreparedCall[]> =>
    drafts.map(({ request, target, content, simulation }) => ({
      id: randomUUID(),
      to: content.call.to,
      data: content.call.data,
      value: '0',
      chain_id: target.chainId,
      description: content.description,
      decoded: content.call.decoded,
      simulation: { ok: simulation.ok, revert_reason: simulation.revertReason },
      preconditions: content.preconditions,
      changes: content.changes,
      post_condition: { description: content.postCondition.description },
      expires_at: new Date(now() + VALID_MS).toISOString(),
      signer: { wallet_address: request.caller, kind: 'eoa', package: null },
    }));
