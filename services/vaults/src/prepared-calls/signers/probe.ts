import { isRpcUnavailable, unwrapRpcError } from '@castellan/chain';
import type { PublicClient } from 'viem';

export type Client = Pick<PublicClient, 'readContract' | 'request'>;

/** What a contract of unknown kind answers; undefined when it has no such function. @throws AppError RPC_UNAVAILABLE. */
export async function answerOf<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isRpcUnavailable(error)) throw unwrapRpcError(error);
    return undefined;
  }
}
