import type { ErrorCode, Precondition } from '@castellan/contracts';
import { check } from './build.ts';
import { moment } from './wording.ts';

/** The checks of executing a proposal: it is there, and its time has come. */
export function matured(
  codes: { missing: ErrorCode; early: ErrorCode },
  proposal: { what: string; effectiveTime: bigint | null },
  chainTime: bigint,
): Precondition[] {
  const { what, effectiveTime } = proposal;
  if (effectiveTime === null) return [check(codes.missing, false, `No ${what} is proposed.`)];
  return [
    check(codes.missing, true, `A ${what} is proposed.`),
    check(
      codes.early,
      chainTime >= effectiveTime,
      `The proposal can be executed from ${moment(effectiveTime)}. The chain's clock reads ${moment(chainTime)}.`,
    ),
  ];
}

/** The check of cancelling a proposal. */
export const proposed = (code: ErrorCode, what: string, isThere: boolean): Precondition =>
  check(code, isThere, isThere ? `A ${what} is proposed.` : `No ${what} is proposed.`);
