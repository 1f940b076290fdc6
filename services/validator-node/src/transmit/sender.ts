import { decodeRevert } from '@castellan/chain';
import { type Fees, type Form, sendToAll, type Transactor, type Unsigned } from '@castellan/transactor';
import type { Address, Hex } from 'viem';
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
  CancelReason,
  Intent,
  PriceContract,
  Rpcs,
  TransmitEvent,
  TransmitSettings,
  TransmitStore,
} from './types.ts';

/** What a step works with; `view` and `token` are the step's own. */
export type Step = {
  store: TransmitStore;
  rpcs: Rpcs;
  /** Of the account that pays. */
  address: Address;
  account: Transactor;
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

const attemptOf = (form: Form): Attempt => ({ ...form, sentAt: null, sentBlock: null });

const unsignedOf = (intent: Intent): Unsigned => {
  const { fees, purpose } = lastAttempt(intent);
  return { nonce: nonceOf(intent), fees, call: purpose === 'deliver' ? intent.call : null };
};

/** Sends the last attempt, which is stored already, and notes that a node took it. */
export async function broadcast(step: Step, intent: Intent, tries = 2): Promise<Intent> {
  const { hash, raw, fees, purpose } = lastAttempt(intent);
  const nonce = nonceOf(intent);
  step.ensureHeld();
  const answer = await sendToAll(step.rpcs, raw);
  step.tell({ type: 'attempted', key: intent.key, hash, nonce, fees, result: answer.class });
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
      const needed = fees.maxFee * (intent.call?.gas ?? transferGas);
      step.tell({ type: 'balance_low', account: step.address, balance: await step.view.balance(step.address), needed });
      return intent;
    }
    case 'fatal':
    case 'fee_above_node_limit':
      if (answer.class === 'fatal' && purpose === 'deliver') return cancel(step, intent, 'rejected', answer.text);
      step.alert({ type: 'stuck', key: intent.key, nonce, reason: 'refused', detail: answer.text });
      return intent;
    case 'nonce_gap':
    case 'unavailable':
      return intent;
  }
}

/** The same transaction at higher fees. */
export async function raise(step: Step, intent: Intent, tries = 2, wanted?: Fees): Promise<Intent> {
  const next = await step.account.raised(unsignedOf(intent), wanted);
  if ('raw' in next) return replace(step, intent, withAttempt(intent, attemptOf(next)), 'bump', tries);
  if (next.lacks === 'room')
    step.alert({ type: 'stuck', key: intent.key, nonce: nonceOf(intent), reason: 'fee_limit', detail: null });
  else step.tell({ type: 'balance_low', account: step.address, balance: next.balance, needed: next.needed });
  return intent;
}

/** Gives the prices up and uses the nonce for an empty transaction, so that the account goes on. */
export async function cancel(
  step: Step,
  intent: Intent,
  reason: CancelReason,
  detail: string | null = null,
): Promise<Intent> {
  const form = await step.account.emptied(unsignedOf(intent));
  if (form.fees.maxFee === lastAttempt(intent).fees.maxFee)
    step.alert({ type: 'stuck', key: intent.key, nonce: nonceOf(intent), reason: 'fee_limit', detail: reason });
  return replace(step, intent, cancelled(intent, attemptOf(form), reason, detail), reason);
}

/** Stores the new form, then sends it. */
async function replace(
  step: Step,
  before: Intent,
  after: Intent,
  reason: 'bump' | CancelReason,
  tries = 2,
): Promise<Intent> {
  const saved = await save(step, after);
  const [from, to] = [lastAttempt(before).hash, lastAttempt(saved).hash];
  step.tell({ type: 'replaced', key: saved.key, from, to, nonce: nonceOf(saved), reason });
  return broadcast(step, saved, tries);
}

/** An empty transaction at a nonce that no intent covers, though later ones do. */
export async function fill(step: Step, nonce: number): Promise<void> {
  const { account, address, view } = step;
  const attempt = attemptOf(await account.fill(nonce));
  const intent = newFill({
    key: `fill:${nonce}:${view.head.hash}`,
    ...{ nonce, account: address, attempt, at: step.now() },
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
  const { account, address, view, settings, contract } = step;
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
  const { gas, fees, needed, balance } = await account.quote(estimate, settings.gasLimit, target.data);
  if (balance < needed) {
    step.tell({ type: 'balance_low', account: address, balance, needed });
    return 'halt';
  }
  const nonce = await nextNonce();
  const call = { ...target, gas };
  const attempt = attemptOf(await account.sign({ nonce, fees, call }));
  const saved = await save(step, { ...intent, state: 'in_progress', dropped, call, nonce, attempts: [attempt] });
  await broadcast(step, saved);
  return 'sent';
}

/** @returns the gas it takes, or why the chain would refuse it. */
async function simulate({ view, address, settings }: Step, call: { to: Address; data: Hex }): Promise<bigint | string> {
  try {
    const estimate = await view.client.estimateGas({ ...call, account: address });
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
