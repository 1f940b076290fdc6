import { decodeRevert } from '@castellan/chain';
import type { TransactionReceipt } from 'viem';
import { decide, isForgotten } from './decide.ts';
import {
  attemptOf,
  cancelledOutcomes,
  ended,
  freshPrices,
  lastAttempt,
  mined,
  newIntent,
  nonceOf,
  outcomesOf,
  reorged,
  sentPrices,
  settled,
} from './intent.ts';
import { broadcast, cancel, raise, type Step, save } from './sender.ts';
import type { Intent, StrategyOutcome } from './types.ts';

/** Brings one intent that has a nonce as far as the chain allows now. */
export async function follow(
  step: Step,
  stored: Intent,
  about: { isLowest: boolean; isNewHead: boolean },
): Promise<void> {
  const { view } = step;
  let intent = stored;
  if (intent.inclusion) {
    const isCanonical = (await view.canonicalHash(intent.inclusion.blockNumber)) === intent.inclusion.blockHash;
    if (isCanonical) return settle(step, intent);
    intent = await save(step, reorged(intent, intent.inclusion, view.head.number));
  }
  if ((await view.count()) > nonceOf(intent)) return include(step, intent);
  if (stored.inclusion || lastAttempt(intent).sentAt === null) {
    await broadcast(step, intent);
    return;
  }
  if (about.isNewHead) await advance(step, intent, about.isLowest);
  else if (isForgotten(intent, step.now().getTime(), step.settings)) await broadcast(step, intent);
}

async function settle(step: Step, intent: Intent): Promise<void> {
  if (!intent.inclusion || intent.inclusion.blockNumber > (await step.view.settledHeight())) return;
  await save(step, settled(intent));
}

/** The nonce is used: by one of our attempts, or by somebody else who has the key. */
async function include(step: Step, intent: Intent): Promise<void> {
  const { view } = step;
  const receipt = await view.receiptOf(intent.attempts.map(({ hash }) => hash));
  if (receipt) {
    if ((await view.canonicalHash(receipt.blockNumber)) !== receipt.blockHash) return;
    const { purpose } = attemptOf(intent, receipt.transactionHash);
    const reverted = receipt.status === 'reverted';
    const outcomes = purpose === 'cancel' ? cancelledOutcomes(intent) : await judged(step, intent, receipt);
    if (reverted && purpose === 'deliver') await retry(step, intent);
    const { transactionHash: hash, blockNumber, blockHash } = receipt;
    return settle(step, await save(step, mined(intent, { hash, blockNumber, blockHash, purpose, reverted }, outcomes)));
  }
  // A receipt may lag behind the count, and another transaction may go again: only depth proves the loss.
  if ((await view.settledCount()) <= nonceOf(intent)) return;
  const outcomes = [...intent.dropped, ...outcomesOf(sentPrices(intent), 'failure', 'nonce_used_elsewhere')];
  await save(step, ended(intent, intent.kind === 'fill' ? 'superseded' : 'lost', outcomes, 'nonce_used_elsewhere'));
}

async function judged(step: Step, intent: Intent, receipt: TransactionReceipt): Promise<readonly StrategyOutcome[]> {
  const prices = sentPrices(intent);
  if (receipt.status === 'success')
    return [...intent.dropped, ...(await step.contract.judge(receipt, prices, step.view.client))];
  return [...intent.dropped, ...outcomesOf(prices, 'failure', await revertReason(step, intent, receipt))];
}

/** A receipt does not say why: the call is made again on the state before its block. */
async function revertReason({ view, address }: Step, intent: Intent, receipt: TransactionReceipt): Promise<string> {
  if (!intent.call) return 'reverted';
  if (receipt.gasUsed >= intent.call.gas) return 'out_of_gas';
  try {
    const { to, data, gas } = intent.call;
    await view.client.call({ account: address, to, data, gas, blockNumber: receipt.blockNumber - 1n });
    return 'reverted';
  } catch (error) {
    return decodeRevert(error)?.name ?? 'reverted';
  }
}

/** Stored before the failure is: a crash in between finds the key taken. */
async function retry(step: Step, intent: Intent): Promise<void> {
  if (intent.retryOf !== null) return;
  const { key, about } = intent;
  await step.store.add(
    newIntent({ key: `${key}:retry`, prices: sentPrices(intent), about, createdAt: step.now(), retryOf: key }),
  );
}

async function advance(step: Step, intent: Intent, isLowest: boolean): Promise<void> {
  const { view, settings, contract } = step;
  const prices = sentPrices(intent);
  const fresh = freshPrices(prices, view.head.timestamp, settings.maxAgeSeconds);
  const isDelivering = lastAttempt(intent).purpose === 'deliver';
  const useful = isDelivering && fresh.length > 0 ? await contract.stillUseful(fresh) : fresh;
  const situation = {
    headNumber: view.head.number,
    nowMs: step.now().getTime(),
    ...{ fresh: fresh.length > 0, useful: useful.length > 0, isLowest, market: await view.market() },
  };
  const decision = decide(intent, situation, settings);
  switch (decision.do) {
    case 'wait':
      return;
    case 'cancel':
      await cancel(step, intent, decision.reason);
      return;
    case 'raise':
      await raise(step, intent, 2, decision.fees);
      return;
    case 'alert':
      step.alert({ type: 'stuck', key: intent.key, nonce: nonceOf(intent), reason: decision.reason, detail: null });
      if (isForgotten(intent, situation.nowMs, settings)) await broadcast(step, intent);
      return;
    case 'resend':
      await broadcast(step, intent);
  }
}
