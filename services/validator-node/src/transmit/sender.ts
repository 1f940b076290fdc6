import { decodeRevert } from '@castellan/chain';
import { bump, type Fees, offer, sendToAll } from '@castellan/transactor';
import { type Address, type Hex, keccak256, type TransactionSerializable } from 'viem';
import {
  cancelled,
  ended,
  freshPrices,
  lastAttempt,
  newFill,
  nonceOf,
  outcomesOf,
  sameAddress,
  sent,
  withAttempt,
} from './intent.ts';
import type { ChainView } from './rpcs.ts';
import type {
  Attempt,
  AttemptPurpose,
  CancelReason,
  Intent,
  PriceContract,
  Rpcs,
  TransactionSigner,
  TransmitEvent,
  TransmitSettings,
  TransmitStore,
} from './types.ts';

/** What a step works with; `view` and `token` are the step's own. */
export type Step = {
  store: TransmitStore;
  rpcs: Rpcs;
  signer: TransactionSigner;
  contract: PriceContract;
  settings: TransmitSettings;
  now: () => Date;
  view: ChainView;
  token: number;
  /** @throws when the account may be another's by now. */
  ensureHeld(): void;
  tell(event: TransmitEvent): void;
  /** As `tell`, once until the intent is over. */
  alert(event: Extract<TransmitEvent, { type: 'stuck' }>): void;
};

/** Refusals by simulation before an intent is given up: once may be a moment's state. */
const maxRefusals = 2;
const transferGas = 21_000n;

export const save = (step: Step, intent: Intent): Promise<Intent> => step.store.save(intent, step.token);

type Transaction = { nonce: number; to: Address; data: Hex; gas: bigint; fees: Fees; purpose: AttemptPurpose };

async function sign({ signer, settings }: Step, transaction: Transaction): Promise<Attempt> {
  const { nonce, to, data, gas, fees, purpose } = transaction;
  const common = { chainId: settings.chainId, nonce, to, data, gas, value: 0n };
  const priced: TransactionSerializable =
    settings.fees.type === 'legacy'
      ? { ...common, type: 'legacy', gasPrice: fees.maxFee }
      : { ...common, type: 'eip1559', maxFeePerGas: fees.maxFee, maxPriorityFeePerGas: fees.tip };
  const raw = await signer.signTransaction(priced);
  return { hash: keccak256(raw), raw, fees, purpose, sentAt: null, sentBlock: null };
}

/** More than a plain transfer's on some layer 2 chains. */
async function selfTransfer({ view, signer }: Step): Promise<Pick<Transaction, 'to' | 'data' | 'gas' | 'purpose'>> {
  const to = signer.address;
  const estimate = await view.client.estimateGas({ account: to, to, value: 0n }).catch((error: unknown) => {
    // A node that cannot pay for the estimate says so here; the transfer itself is judged when it is sent.
    if (/insufficient/i.test(String(error))) return transferGas;
    throw error;
  });
  return { to, data: '0x', gas: estimate > transferGas ? estimate : transferGas, purpose: 'cancel' };
}

/** Sends the last attempt, which is stored already, and notes that a node took it. */
export async function broadcast(step: Step, intent: Intent, tries = 2): Promise<Intent> {
  const attempt = lastAttempt(intent);
  const nonce = nonceOf(intent);
  step.ensureHeld();
  const answer = await sendToAll(step.rpcs, attempt.raw);
  step.tell({
    type: 'attempted',
    key: intent.key,
    hash: attempt.hash,
    nonce,
    fees: attempt.fees,
    result: answer.class,
  });
  const taken = () => save(step, sent(intent, step.now(), step.view.head.number));
  switch (answer.class) {
    case 'accepted':
    // Used by this transaction or by another: the next look at the account's count tells.
    case 'nonce_too_low':
      return taken();
    case 'unknown':
      return (await step.view.pendingCount()) > nonce ? taken() : intent;
    case 'underpriced':
      return tries > 1 ? raise(step, intent, tries - 1) : intent;
    case 'insufficient_funds': {
      const needed = attempt.fees.maxFee * (intent.call?.gas ?? transferGas);
      step.tell({ type: 'balance_low', account: step.signer.address, balance: await step.view.balance(), needed });
      return intent;
    }
    case 'fatal':
      if (attempt.purpose === 'deliver') return cancel(step, intent, 'rejected', answer.text);
      step.alert({ type: 'stuck', key: intent.key, nonce, reason: 'refused', detail: answer.text });
      return intent;
    case 'fee_above_node_limit':
      step.alert({ type: 'stuck', key: intent.key, nonce, reason: 'refused', detail: answer.text });
      return intent;
    case 'nonce_gap':
    case 'unavailable':
      return intent;
  }
}

/** Whether the account can pay a transaction in full; tells when it cannot. */
export async function canPay(step: Step, gas: bigint, fees: Fees): Promise<boolean> {
  const [balance, needed] = [await step.view.balance(), gas * fees.maxFee];
  if (balance >= needed) return true;
  step.tell({ type: 'balance_low', account: step.signer.address, balance, needed });
  return false;
}

/** The same transaction at higher fees. */
export async function raise(step: Step, intent: Intent, tries = 2, wanted?: Fees): Promise<Intent> {
  const { settings, view } = step;
  const last = lastAttempt(intent);
  const nonce = nonceOf(intent);
  const fees = wanted ?? bump(last.fees, await view.market(), settings.fees, settings.bumpAfterBlocks);
  if (!fees) {
    step.alert({ type: 'stuck', key: intent.key, nonce, reason: 'fee_limit', detail: null });
    return intent;
  }
  const call =
    last.purpose === 'deliver' && intent.call
      ? { ...intent.call, purpose: 'deliver' as const }
      : await selfTransfer(step);
  if (!(await canPay(step, call.gas, fees))) return intent;
  const attempt = await sign(step, { ...call, nonce, fees });
  const saved = await save(step, withAttempt(intent, attempt));
  step.tell({ type: 'replaced', key: intent.key, from: last.hash, to: attempt.hash, nonce, reason: 'bump' });
  return broadcast(step, saved, tries);
}

/** Gives the prices up and uses the nonce for an empty transaction, so that the account goes on. */
export async function cancel(
  step: Step,
  intent: Intent,
  reason: CancelReason,
  detail: string | null = null,
): Promise<Intent> {
  const { settings, view } = step;
  const last = lastAttempt(intent);
  const nonce = nonceOf(intent);
  const fees = bump(last.fees, await view.market(), settings.fees, settings.bumpAfterBlocks);
  if (!fees) {
    step.alert({ type: 'stuck', key: intent.key, nonce, reason: 'fee_limit', detail: reason });
    return intent;
  }
  const attempt = await sign(step, { ...(await selfTransfer(step)), nonce, fees });
  const saved = await save(step, cancelled(intent, attempt, reason, detail));
  step.tell({ type: 'replaced', key: intent.key, from: last.hash, to: attempt.hash, nonce, reason });
  return broadcast(step, saved);
}

/** An empty transaction at a nonce that no intent covers, though later ones do. */
export async function fill(step: Step, nonce: number): Promise<void> {
  const { settings, view } = step;
  const fees = offer(await view.market(), settings.fees, settings.bumpAfterBlocks);
  const attempt = await sign(step, { ...(await selfTransfer(step)), nonce, fees });
  const intent = newFill({
    key: `fill:${nonce}:${view.head.hash}`,
    ...{ nonce, account: step.signer.address, attempt, at: step.now() },
  });
  if (await step.store.add(intent)) await broadcast(step, intent);
}

/**
 * The first transaction of a queued intent, after fresh checks.
 * @returns whether it has a nonce now; `halt`: none of the queue can go now.
 */
export async function admit(
  step: Step,
  intent: Intent,
  nextNonce: () => Promise<number>,
): Promise<'sent' | 'kept' | 'halt'> {
  const { view, settings, contract } = step;
  const fresh = freshPrices(intent.prices, view.head.timestamp, settings.maxAgeSeconds);
  const useful = fresh.length > 0 ? await contract.stillUseful(fresh) : [];
  if (useful.length === 0) {
    const reason = fresh.length === 0 ? 'deadline' : 'useless';
    await save(step, ended(intent, 'superseded', outcomesOf(intent.prices, 'superseded', reason), reason));
    return 'kept';
  }
  const isUseful = ({ strategy }: { strategy: Address }) =>
    useful.some((price) => sameAddress(price.strategy, strategy));
  const dropped = outcomesOf(
    intent.prices.filter((price) => !isUseful(price)),
    'superseded',
    'useless',
  );
  const target = contract.pack(useful);
  const estimate = await simulate(step, target);
  if (typeof estimate === 'string') {
    await refuse(step, intent, estimate);
    return 'kept';
  }
  const fees = offer(await view.market(), settings.fees, settings.bumpAfterBlocks);
  const padded = (estimate * 13n) / 10n;
  const gas = padded < settings.gasLimit ? padded : settings.gasLimit;
  if (!(await canPay(step, gas, fees))) return 'halt';
  const nonce = await nextNonce();
  const attempt = await sign(step, { ...target, gas, nonce, fees, purpose: 'deliver' });
  const call = { ...target, gas };
  const saved = await save(step, { ...intent, state: 'in_progress', dropped, call, nonce, attempts: [attempt] });
  await broadcast(step, saved);
  return 'sent';
}

/** @returns the gas it takes, or why the chain would refuse it. */
async function simulate({ view, signer, settings }: Step, call: { to: Address; data: Hex }): Promise<bigint | string> {
  try {
    const estimate = await view.client.estimateGas({ ...call, account: signer.address });
    return estimate <= settings.gasLimit ? estimate : 'gas_limit';
  } catch (error) {
    const revert = decodeRevert(error);
    if (revert) return revert.name;
    throw error;
  }
}

async function refuse(step: Step, intent: Intent, reason: string): Promise<void> {
  const refusals = intent.refusals + 1;
  const outcomes = outcomesOf(intent.prices, 'failure', reason);
  const next = { ...intent, refusals };
  await save(step, refusals < maxRefusals ? next : ended(next, 'failed', outcomes, reason));
}
