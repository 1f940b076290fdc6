import { hasErrorCode } from '@castellan/contracts';
import { LeaseLost } from '@castellan/service-kit';
import { type Address, isAddressEqual } from 'viem';
import type { FillFacts, IntentEvent } from '../../strategies/intents/machine.ts';
import type { IntentDocument } from '../../strategies/intents/store.mongo.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { GivenUp, Kept, Open, Paying } from '../adapters/journal.mongo.ts';
import { receivedOf, swapsOf } from '../domain/fill.ts';
import { nonceBlock } from '../domain/nonce-block.ts';
import { type Outcome, redemptions } from '../domain/outcome.ts';
import { paceAfter } from '../domain/pace.ts';
import type { Head, KeeperPorts, Receipt } from '../ports.ts';
import { ended, interrupt } from './carry-out.ts';
import { type RunEnd, runOf } from './record-run.ts';
import { stopWithError } from './stop-strategy.ts';
import { bumpUp, giveUp, hashesOf, lastAttempt, send } from './transact.ts';

type Following = Kept & { open: Open };

/** A strategy whose transactions the chain reverts so often in a row is stopped: each cost gas for nothing. */
const REVERTS_IN_A_ROW = 3;

/** An event that may have been applied before a crash: only what is still possible happens. */
async function apply(ports: KeeperPorts, id: string, event: IntentEvent): Promise<IntentDocument | null> {
  const intent = await ports.intents.get(id);
  const after = intent && (await ports.intents.advance(intent, event, new Date(ports.now())));
  ended(ports, after);
  return after;
}

/** What an intent moved, step by step: a claim moves its token into the vault and nothing out of it. */
function movesOf(intent: IntentDocument, { logs }: Receipt, strategy: Address, through: Address | undefined) {
  const [tokenIn, tokenOut] = [intent.token_in as Address | null, intent.token_out as Address];
  if (tokenIn !== null) return swapsOf(logs, strategy, { tokenIn, tokenOut, through });
  const amountOut = receivedOf(logs, strategy, tokenOut);
  return amountOut === 0n ? [] : [{ tokenIn: tokenOut, tokenOut, amountIn: 0n, amountOut }];
}

/**
 * What the chain says was moved, from the transfers of the tokens: of a rebalance out of one source, and into the other. The gas is
 * that of the transaction, and counted with the first.
 */
function fillsOf(
  intent: IntentDocument,
  receipt: Receipt,
  strategy: Address,
  snapshot: Snapshot | undefined,
): FillFacts[] {
  const asset = snapshot?.detail.asset.address as Address | undefined;
  const through = intent.action === 'REBALANCE' ? asset : undefined;
  return movesOf(intent, receipt, strategy, through).map((swap, index) => ({
    fill_id: `${receipt.hash}:${index}`,
    tx_hash: receipt.hash,
    amount_in: `${swap.amountIn}`,
    amount_out: `${swap.amountOut}`,
    token_in: swap.tokenIn,
    token_out: swap.tokenOut,
    gas_used: index === 0 ? `${receipt.gasUsed}` : '0',
    fill_time: new Date(receipt.blockTime * 1000).toISOString(),
    venue: venueOf(snapshot, swap.tokenOut === through ? swap.tokenIn : intent.target_address),
  }));
}

const venueOf = (snapshot: Snapshot | undefined, source: string): string =>
  snapshot?.detail.allocation.find(({ source_address }) => source_address.toLowerCase() === source.toLowerCase())
    ?.name ?? source;

async function strategyFailed(ports: KeeperPorts, intent: IntentDocument): Promise<void> {
  if ((await ports.runs.countReverted(intent.strategy_id)) < REVERTS_IN_A_ROW) return;
  const document = await ports.strategies.get(intent.strategy_id);
  // An exit goes on: it is there because things are wrong.
  if (document?.state !== 'RUNNING' || document.kind === 'EMERGENCY_EXIT') return;
  const error = `${REVERTS_IN_A_ROW} of its transactions in a row were reverted by the chain. Look at them, then set it to IDLE.`;
  await stopWithError(ports, document, error);
}

/** An intent names the form that was mined, and a search finds it by each. */
async function noteForms({ intents }: KeeperPorts, { kind, key, attempts }: Open, mined?: Receipt): Promise<void> {
  if (kind === 'intent' && attempts.length > 1)
    await intents.noteForms(
      key,
      attempts.slice(1).map(({ hash }) => hash),
      mined?.hash,
    );
}

async function settleIntent(ports: KeeperPorts, { open, vault, chain_id }: Following, receipt: Receipt): Promise<void> {
  const intent = await ports.intents.get(open.key);
  if (!intent) return;
  await noteForms(ports, open, receipt);
  const fail = (code: string, message: string) => apply(ports, open.key, { type: 'FAIL', code, message });
  const failure = failureOf(open, receipt);
  const code = givenUp(open, receipt);
  if (code) {
    await fail(code, givenUpFor[code]);
    return;
  }
  if (failure !== null) {
    if (await fail('REVERTED', failure)) await strategyFailed(ports, intent);
    return;
  }
  const snapshot = (await ports.snapshots.all([chain_id])).find((item) => item.vault === vault);
  const fills = fillsOf(intent, receipt, open.to, snapshot);
  if (fills.length === 0) {
    await fail('NO_FILL', `${receipt.hash} moved nothing between the vault and the source.`);
    return;
  }
  for (const fill of fills)
    if (!intent.fills.some(({ fill_id }) => fill_id === fill.fill_id))
      await apply(ports, open.key, { type: 'FILL', fill });
  await apply(ports, open.key, { type: 'COMPLETE' });
  await ports.runs.clearReverted(intent.strategy_id);
}

/** A crash came between the open transaction and its intent: it was never sent, and never will be. */
async function forgetUnsent(ports: KeeperPorts, kept: Following): Promise<boolean> {
  if (kept.open.kind !== 'intent') return false;
  const intent = await ports.intents.get(kept.open.key);
  if (intent?.state === 'EXECUTING' || intent?.state === 'COMPLETED' || intent?.state === 'FAILED') {
    // What the intent took is what may be sent.
    const isIts = intent.transaction && hashesOf(kept.open).includes(intent.transaction.hash as `0x${string}`);
    // One that ended before any node saw it stays unsent, even once the kill switch is off again.
    if (isIts && (kept.open.offered || intent.state === 'EXECUTING')) return false;
  }
  // Taken to its next step at this moment, it is looked at again next time.
  if (intent && !intent.terminal_at && !(await interrupt(ports, intent))) return true;
  const run = await runOf(ports, kept, {
    result: 'stopped',
    code: intent?.error_code ?? 'INTERRUPTED',
    message: intent?.error_message ?? 'The keeper was interrupted before the transaction was sent.',
  });
  await ports.journal.close(kept, { run });
  return true;
}

/** How the work of a transaction ended, read from its intent: done again after a crash it is the same. */
async function outcomeOf(
  ports: KeeperPorts,
  { kind, key }: Open,
  failure: string | null,
): Promise<Outcome | undefined> {
  if (failure === givenUpFor.KILL_SWITCH) return undefined;
  if (kind !== 'intent') return { subject: redemptions, failure: failure && `Redemptions were not paid. ${failure}` };
  const intent = await ports.intents.get(key);
  if (!intent) return undefined;
  const { strategy_id: subject, state, error_message } = intent;
  if (state === 'COMPLETED') return { subject, failure: null };
  const name = (await ports.strategies.get(subject))?.definition.name ?? subject;
  return state === 'FAILED' ? { subject, failure: `The strategy “${name}” failed. ${error_message ?? ''}` } : undefined;
}

async function receiptOf({ chain }: KeeperPorts, open: Open): Promise<Receipt | null> {
  for (const hash of hashesOf(open)) {
    const receipt = await chain.receipt(hash);
    if (receipt) return receipt;
  }
  return null;
}

const isFinal = (confirmations: number, head: Head, block: number): boolean => head.number - block + 1 >= confirmations;

/** A node that lags behind the one that counts nonces knows a receipt by then. */
const LOST_AFTER_BLOCKS = 20;

/** Whether its nonce was used up `ago` blocks before the last one that stays. */
async function isUsed({ chain }: KeeperPorts, { account, nonce }: Open, head: Head, ago: number): Promise<boolean> {
  const block = nonceBlock(head.number, chain.confirmations) - ago;
  return block >= 0 && (await chain.minedNonce(account, block)) > nonce;
}

const givenUpFor: Readonly<Record<GivenUp, string>> = {
  EXPIRED: 'It was not mined in time; an empty transaction has taken its nonce.',
  KILL_SWITCH: 'The kill switch of the vault was set; an empty transaction has taken its nonce.',
};

/** Why it was given up, when it is the empty form that was mined. */
function givenUp({ attempts }: Open, receipt: Receipt): GivenUp | undefined {
  const mined = attempts.find(({ hash }) => hash === receipt.hash);
  return mined?.kind === 'cancel' ? (mined.code ?? 'EXPIRED') : undefined;
}

/** Why a transaction did not do what it was for; null when it did. */
function failureOf(open: Open, receipt: Receipt): string | null {
  const code = givenUp(open, receipt);
  if (code) return givenUpFor[code];
  return receipt.succeeded ? null : `The chain reverted ${receipt.hash}.`;
}

function payingAfter({ settings }: KeeperPorts, { open, paying }: Following, receipt: Receipt): Paying | undefined {
  const { kind } = open;
  if (kind === 'intent' || givenUp(open, receipt)) return undefined;
  return { ...paying, [kind]: paceAfter(paying[kind] ?? null, receipt.succeeded, settings.redemptionsAtOnce) };
}

/** What a transaction that was mined came to, read from its intent: done again after a crash it is the same. */
async function endOf({ intents }: KeeperPorts, open: Open, receipt: Receipt): Promise<RunEnd> {
  const code = givenUp(open, receipt);
  if (code) return { result: code === 'KILL_SWITCH' ? 'stopped' : 'failed', code, message: givenUpFor[code] };
  const failure = failureOf(open, receipt);
  if (failure !== null) return { result: 'failed', code: 'REVERTED', message: failure };
  const intent = open.kind === 'intent' ? await intents.get(open.key) : null;
  return intent?.state === 'FAILED'
    ? { result: 'failed', code: intent.error_code, message: intent.error_message }
    : { result: 'done', code: null, message: null };
}

async function settle(ports: KeeperPorts, kept: Following, receipt: Receipt): Promise<void> {
  const { open } = kept;
  if (open.kind === 'intent') await settleIntent(ports, kept, receipt);
  const outcome = await outcomeOf(ports, open, failureOf(open, receipt));
  const run = await runOf(ports, kept, { ...(await endOf(ports, open, receipt)), receipt });
  await ports.journal.close(kept, {
    block: receipt.blockNumber,
    outcome,
    paying: payingAfter(ports, kept, receipt),
    run,
  });
  const result = receipt.succeeded ? 'mined' : 'reverted';
  ports.metrics.transactions.inc({ chain_id: String(kept.chain_id), kind: open.kind, result });
  ports.logger.info('a transaction is settled', { key: open.key, hash: receipt.hash, result });
}

async function lose(ports: KeeperPorts, kept: Following, head: Head): Promise<void> {
  const { open } = kept;
  const message = `Another transaction of ${open.account} has used the nonce ${open.nonce}.`;
  if (open.kind === 'intent') await apply(ports, open.key, { type: 'FAIL', code: 'NONCE_USED', message });
  const run = await runOf(ports, kept, { result: 'failed', code: 'NONCE_USED', message });
  await ports.journal.close(kept, { block: head.number, outcome: await outcomeOf(ports, open, message), run });
  ports.metrics.transactions.inc({ chain_id: String(kept.chain_id), kind: open.kind, result: 'lost' });
  ports.logger.error('a nonce of the keeper was used by somebody else', { key: open.key, nonce: open.nonce });
}

/** The kill switch is on: what no node has seen is forgotten, and what one may have loses its nonce. Nothing else is sent. */
async function stopSending(ports: KeeperPorts, kept: Following, head: Head): Promise<void> {
  const { open } = kept;
  if (!open.offered) {
    const message = 'The kill switch of the vault was set before the transaction was sent.';
    const ended =
      open.kind === 'intent' && (await apply(ports, open.key, { type: 'FAIL', code: 'KILL_SWITCH', message }));
    if (ended) await ports.runs.unfire(ended.strategy_id, Number(ended.signal.block_number));
    const run = await runOf(ports, kept, { result: 'stopped', code: 'KILL_SWITCH', message });
    await ports.journal.close(kept, { run });
    return;
  }
  // Only its own key could sign another form of it.
  if (!isAddressEqual(open.account, ports.signer.address)) return;
  if (lastAttempt(open).kind === 'deliver') await noteForms(ports, (await giveUp(ports, kept, 'KILL_SWITCH')).open);
  else await keepSending(ports, kept, head);
}

/** Sees that a node has it and that it pays enough. */
async function keepSending(ports: KeeperPorts, kept: Following, head: Head): Promise<void> {
  const isLate = head.number - lastAttempt(kept.open).block >= ports.settings.bumpAfterBlocks;
  // A node that was restarted has forgotten it, and so has one whose chain went back.
  if (isLate) await noteForms(ports, (await bumpUp(ports, kept)).open);
  else await send(ports, kept);
}

/** Takes one open transaction a step further: settles it once its block stays, else sees that a node has it and pays enough. */
async function followOne(ports: KeeperPorts, kept: Following, head: Head): Promise<void> {
  const { chain, now } = ports;
  if (await forgetUnsent(ports, kept)) return;
  const { open } = kept;
  const receipt = await receiptOf(ports, open);
  if (receipt) {
    if (isFinal(chain.confirmations, head, receipt.blockNumber)) await settle(ports, kept, receipt);
    return;
  }
  // Used up, and as far as is known by none of its forms: nothing can be sent any more, but it may be ours all the same.
  if (await isUsed(ports, open, head, 0)) {
    if (await isUsed(ports, open, head, LOST_AFTER_BLOCKS)) await lose(ports, kept, head);
    return;
  }
  const { kill_switch } = await ports.strategies.engine({ chainId: kept.chain_id, vault: kept.vault });
  if (kill_switch) return stopSending(ports, kept, head);
  // Signed by the key of a keeper before this one: sent as it is, for there is no other form of it.
  if (!isAddressEqual(open.account, ports.signer.address)) {
    await send(ports, kept);
    return;
  }
  const isOver = now() >= Date.parse(open.expires_at);
  if (isOver && lastAttempt(open).kind === 'deliver')
    await noteForms(ports, (await giveUp(ports, kept, 'EXPIRED')).open);
  else await keepSending(ports, kept, head);
}

/** One look at every transaction on its way, by nonce. */
export async function followOpen(ports: KeeperPorts, head: Head): Promise<void> {
  const { chain, journal, metrics, logger } = ports;
  const open = await journal.open(chain.chainId);
  for (const kept of open) {
    try {
      await followOne(ports, kept, head);
    } catch (error) {
      // One that cannot be followed waits for the next pass, and its vault with it; a lease that is lost ends the pass.
      if (error instanceof LeaseLost) throw error;
      const { key } = kept.open;
      if (hasErrorCode(error, 'RPC_UNAVAILABLE'))
        logger.warn('a transaction is looked at again', { key, reason: (error as Error).message });
      else logger.error('a transaction could not be followed and is looked at again', { key, error: error as Error });
    }
  }
  const left = open.length === 0 ? open : await journal.open(chain.chainId);
  metrics.open.set({ chain_id: String(chain.chainId) }, left.length);
}
