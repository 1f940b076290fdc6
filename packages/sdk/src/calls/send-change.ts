import type { PreparedCall, PreparedResource } from '@castellan/contracts';
import { ApiError } from '../api-error.ts';
import { type Clock, pauseMs, systemClock } from '../clock.ts';
import type { Operations } from '../types.ts';
import { type ReviewedCall, refusalsOf } from './review.ts';
import { sameAddress } from './same-address.ts';

/** A wallet client of viem with an account. */
export type SendingWallet = {
  account: { address: string };
  getChainId: () => Promise<number>;
  sendTransaction: (transaction: never) => Promise<string>;
};

/** How far a change has come. */
export type Progress = {
  /** Which of its calls, from 0. */
  step: number;
  state: 'waiting_for_wallet' | PreparedResource['status'];
  tx_hash: string | null;
};

/** What following needs besides the call. */
export type FollowOptions = {
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
  /** How often the state is read. Default 2000. */
  pollMs?: number;
  clock?: Clock;
};

/** A call that was not sent; `problems` say why, and nothing of it happened. */
export class CallRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(' '));
    this.name = 'CallRefused';
    this.problems = problems;
  }
}

/** A call that was sent and did not do what it should: reverted, replaced, or without its effect. */
export class CallFailed extends Error {
  readonly resource: PreparedResource;

  constructor(resource: PreparedResource) {
    const { status, revert_reason, post_condition } = resource;
    super(`${status}: ${revert_reason ?? post_condition.description}`);
    this.name = 'CallFailed';
    this.resource = resource;
  }
}

const ends: readonly PreparedResource['status'][] = [
  'verified',
  'failed_post_condition',
  'reverted',
  'replaced',
  'expired',
];
const mostFailures = 20;
const firstPauseMs = 500;

const mayPass = (error: unknown): boolean => !(error instanceof ApiError) || error.retryable || error.status >= 500;

/** Repeats what may fail for a while: a call that is on its way is not given up for a server that starts again. */
async function patiently<T>(clock: Clock, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (failures === mostFailures || !mayPass(error) || signal?.aborted) throw error;
    }
    await clock.wait(pauseMs(failures, firstPauseMs), signal);
    signal?.throwIfAborted();
  }
}

/**
 * Follows a call that was sent until the chain shows its effect.
 * @returns the call in the state `verified`.
 * @throws CallFailed for every other end; the abort's reason when `signal` aborts.
 */
export async function followCall(
  client: Operations,
  id: string,
  { onProgress, signal, pollMs = 2_000, clock = systemClock }: FollowOptions = {},
  step = 0,
): Promise<PreparedResource> {
  let reported: string | undefined;
  for (;;) {
    const resource = await patiently(clock, signal, () =>
      client.getPrepared({ params: { id }, query: {}, ...(signal === undefined ? {} : { signal }) }),
    );
    const { status, tx_hash } = resource;
    if (reported !== `${status} ${tx_hash}`) onProgress?.({ step, state: status, tx_hash });
    reported = `${status} ${tx_hash}`;
    if (status === 'verified') return resource;
    if (ends.includes(status)) throw new CallFailed(resource);
    await clock.wait(pollMs, signal);
    signal?.throwIfAborted();
  }
}

/** The call as it is now, if it is still the one that was reviewed and the chain would take it. @throws CallRefused */
async function checkedAgain(client: Operations, call: PreparedCall, wallet: SendingWallet): Promise<void> {
  const { signer } = call;
  if (signer.kind !== 'eoa')
    throw new CallRefused([`A ${signer.kind} has to send this call: ${signer.wallet_address}.`]);
  if (!sameAddress(signer.wallet_address, wallet.account.address))
    throw new CallRefused([`${signer.wallet_address} has to send this call, not ${wallet.account.address}.`]);
  const chainId = await wallet.getChainId();
  if (chainId !== call.chain_id)
    throw new CallRefused([`The wallet is on chain ${chainId}; the call is for chain ${call.chain_id}.`]);
  const now = await client.getPrepared({ params: { id: call.id }, query: { recheck: 'true' } });
  if (now.status !== 'prepared') throw new CallRefused([`The call is ${now.status}. Prepare it again.`]);
  const refusals = refusalsOf(now);
  if (refusals.length > 0) throw new CallRefused(refusals);
}

/**
 * Sends the calls of a reviewed change one after the other, each once the chain shows the effect of the one before. A call with a
 * problem is never sent, nor is one that the chain would refuse now.
 * @returns the calls in the state `verified`.
 * @throws CallRefused when a call was not sent, CallFailed when one did not do what it should; what the wallet throws.
 */
export async function sendChange(
  client: Operations,
  steps: readonly ReviewedCall[],
  options: FollowOptions & { wallet: SendingWallet },
): Promise<PreparedResource[]> {
  const { wallet, onProgress, signal, clock = systemClock } = options;
  const problems = steps.flatMap((step) => step.problems);
  if (problems.length > 0) throw new CallRefused(problems);
  const done: PreparedResource[] = [];
  for (const [step, { call }] of steps.entries()) {
    await checkedAgain(client, call, wallet);
    signal?.throwIfAborted();
    onProgress?.({ step, state: 'waiting_for_wallet', tx_hash: null });
    const { to, data, value } = call;
    // The chain was compared above; viem would want the whole of its description to do so again.
    const transaction = { account: wallet.account, chain: null, to, data, value: BigInt(value) };
    const tx_hash = await wallet.sendTransaction(transaction as never);
    const report = () => client.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } });
    await patiently(clock, signal, report);
    done.push(await followCall(client, call.id, options, step));
  }
  return done;
}
