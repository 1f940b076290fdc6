import type { PreparedCall } from '@castellan/contracts';
import { type Hex, keccak256 } from 'viem';
import { type Check, checkSteps } from './check-call.ts';
import type { Intent } from './expected.ts';

/** A prepared call and what its bytes say, read here. */
export type ReviewedCall = {
  call: PreparedCall;
  decoded: Check['decoded'];
  /** keccak-256 of the calldata, to compare on a hardware screen. */
  digest: string;
  /** Why it must not be signed: the bytes are not what was asked for, or not what the server says of them. */
  problems: readonly string[];
  /** Why the chain would refuse it as it is now. */
  refusals: readonly string[];
};

/** What the chain would say of a call. */
export function refusalsOf({
  preconditions,
  simulation,
}: Pick<PreparedCall, 'preconditions' | 'simulation'>): string[] {
  const failing = preconditions.filter(({ ok }) => !ok).map(({ code, detail }) => `${code}: ${detail}`);
  if (failing.length > 0 || simulation.ok) return failing;
  return [`The simulation reverts: ${simulation.revert_reason ?? 'without a reason'}.`];
}

/** Checks the calls of a change against what was asked for. Of several, only the first can be simulated before the others are mined. */
export function reviewChange(steps: readonly PreparedCall[], intent: Intent): ReviewedCall[] {
  const checks = checkSteps(steps, intent);
  return steps.map((call, index) => ({
    call,
    decoded: checks[index]?.decoded,
    digest: keccak256(call.data as Hex),
    problems: checks[index]?.problems ?? [],
    refusals: index === 0 ? refusalsOf(call) : [],
  }));
}
