import { isDepositorKind, type PreparedCall, type PreparedResource, type PreparedState } from '@castellan/contracts';
import type { ChangeRequest, ChangeTarget } from '../../changes/domain/change.ts';

/** The transaction that carries a prepared call. */
export type CarryingTransaction = {
  hash: string;
  reported_by: string;
  reported_at: Date;
  /** Null until a node knew it. */
  from: string | null;
  nonce: number | null;
  /** Null while no block has it. */
  block_number: number | null;
  block_hash: string | null;
};

/** A prepared call as it is stored. */
export type PreparedDocument = {
  /** The call's id. */
  _id: string;
  /** Grows with every change of the document. */
  version: number;
  chain_id: number;
  /** Lower case, as `prepared_by`. */
  vault: string;
  prepared_by: string;
  prepared_at: Date;
  expires_at: Date;
  /** Sorts newest first when descending, and the steps of one request in their order. Unique. */
  place: string;
  /** The id of the first step of its request, and the place among its steps, from 0. */
  group: string;
  step: number;
  request: ChangeRequest;
  target: ChangeTarget;
  /** As it was answered. */
  call: PreparedCall;
  block_number: number;
  /** Of that block; absent in documents of before. */
  block_hash?: string;
  /** Chain seconds. */
  block_time?: number;
  forced: boolean;
  reason: string | null;
  status: PreparedState;
  /** Nothing more can become of it: it is no longer looked at. */
  settled: boolean;
  tx: CarryingTransaction | null;
  revert_reason: string | null;
  post: { ok: boolean | null; actual: string | number | boolean | null };
  history: PreparedResource['history'];
};

/** Whether a call is of the own position of who prepared it: the lists and the audit log of managers say nothing of those. */
export const isOwn = ({ request }: Pick<PreparedDocument, 'request'>): boolean => isDepositorKind(request.kind);
