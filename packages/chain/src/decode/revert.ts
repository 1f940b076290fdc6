import { type ErrorCode, isErrorCode } from '@castellan/contracts';
import { decodeErrorResult, type Hex, isHex } from 'viem';
import { allErrorsAbi, errorSelector } from '../abi/errors.ts';
import { isEvmFailure } from './evm-failure.ts';
import { type Json, namedArgs } from './json.ts';

/**
 * Why the chain refused a call. `name` is the contract's error (`MANAGER_ALREADY_EXISTS`), `Error` for a reason string,
 * `Panic`, or `unknown`; `code` is the API code: the error's own name where it is one, else WOULD_REVERT.
 */
export type DecodedRevert = { name: string; args: { [key: string]: Json }; code: ErrorCode };

const inputsBySelector = new Map(allErrorsAbi.map((error) => [errorSelector(error), error.inputs]));
const codeOf = (name: string): ErrorCode => (isErrorCode(name) ? name : 'WOULD_REVERT');

function decodeRevertData(data: Hex): DecodedRevert {
  const selector = data.slice(0, 10).toLowerCase() as Hex;
  if (data === '0x') return { name: 'unknown', args: {}, code: 'WOULD_REVERT' };
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: allErrorsAbi, data });
    if (errorName === 'Error')
      return { name: 'Error', args: namedArgs([{ name: 'message' }], args), code: 'WOULD_REVERT' };
    if (errorName === 'Panic')
      return { name: 'Panic', args: namedArgs([{ name: 'code' }], args), code: 'WOULD_REVERT' };
    return { name: errorName, args: namedArgs(inputsBySelector.get(selector) ?? [], args), code: codeOf(errorName) };
  } catch {
    // Foreign contracts (tokens, yield sources) have errors of their own; the selector still helps a reader.
    return { name: 'unknown', args: { selector }, code: 'WOULD_REVERT' };
  }
}

type ErrorLike = {
  cause?: unknown;
  data?: unknown;
  raw?: unknown;
  details?: unknown;
  message?: unknown;
  code?: unknown;
};

function revertDataIn(error: ErrorLike): DecodedRevert | null {
  for (const candidate of [error.raw, error.data, (error.data as { data?: unknown } | null | undefined)?.data]) {
    if (isHex(candidate)) return decodeRevertData(candidate);
  }
  return null;
}

function revertTextIn(error: ErrorLike): DecodedRevert | null {
  const text = typeof error.details === 'string' ? error.details : error.message;
  if (typeof text !== 'string') return null;
  const reason = /execution reverted(?:: ?(.*))?/i.exec(text);
  if (!reason) return isEvmFailure(text) ? { name: 'unknown', args: {}, code: 'WOULD_REVERT' } : null;
  // Some nodes name a custom error by its selector alone.
  const selector = /custom error (0x[0-9a-f]{8})/i.exec(text)?.[1];
  if (selector) return decodeRevertData(selector as Hex);
  return reason[1]
    ? { name: 'Error', args: { message: reason[1] }, code: 'WOULD_REVERT' }
    : { name: 'unknown', args: {}, code: 'WOULD_REVERT' };
}

/**
 * The revert inside `source`: raw revert data, or whatever a viem action or an RPC threw (its causes are searched).
 * @returns null when `source` is not a revert, for example when the node did not answer.
 */
export function decodeRevert(source: unknown): DecodedRevert | null {
  if (isHex(source)) return decodeRevertData(source);
  // Outer errors only quote the node's text; the revert data, when the node sent it, is further in.
  for (const read of [revertDataIn, revertTextIn]) {
    let weakest: DecodedRevert | null = null;
    for (let error = source, depth = 0; typeof error === 'object' && error !== null && depth < 10; depth += 1) {
      const found = read(error);
      if (found && found.name !== 'unknown') return found;
      weakest = found ?? weakest;
      error = (error as ErrorLike).cause;
    }
    if (weakest) return weakest;
  }
  return null;
}
