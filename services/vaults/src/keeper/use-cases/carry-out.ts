import { hasErrorCode } from '@castellan/contracts';
import { LeaseLost } from '@castellan/service-kit';
import { type Tick, takesFrom } from '@castellan/strategy';
import { type Address, getAddress } from 'viem';
import { objectionsToExecution } from '../../mandates/execution-objections.ts';
import type { StrategyFacts } from '../../strategies/domain/facts.ts';
import { lockOf } from '../../strategies/domain/lock.ts';
import { payableShares } from '../../strategies/domain/payable-shares.ts';
import { claimedReward } from '../../strategies/domain/rewards.ts';
import type { StrategyDocument } from '../../strategies/domain/strategy.ts';
import type { IntentEvent } from '../../strategies/intents/machine.ts';
import type { IntentDocument } from '../../strategies/intents/store.mongo.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { Kept } from '../adapters/journal.mongo.ts';
import { type Leg, legsOf } from '../domain/legs.ts';
import { patienceMs } from '../domain/patience.ts';
import { isFailure, Refusal } from '../domain/refusal.ts';
import type { KeeperPorts } from '../ports.ts';
import { noteRefused } from './note-refused.ts';
import { type Plan, planOf, targetOf } from './plan.ts';
import { runOf } from './record-run.ts';
import { begin, send } from './transact.ts';

/** A strategy that fired, and everything it fired on. */
export type Fired = {
  kept: Kept;
  snapshot: Snapshot;
  document: StrategyDocument;
  facts: StrategyFacts;
  decision: Tick['decision'];
};

const key = (snapshot: Snapshot) => ({ chainId: snapshot.chain_id, vault: snapshot.vault });

/** Counts in the metrics how an intent ended. */
export const ended = ({ metrics }: Pick<KeeperPorts, 'metrics'>, intent: IntentDocument | null): void => {
  if (!intent?.terminal_at) return;
  const { chain_id, state, error_code } = intent;
  metrics.intents.inc({ chain_id: String(chain_id), state, code: error_code ?? '' });
};

/** Ends an intent that was left before it was sent. @returns false when it is not possible, for it has gone on since. */
export async function interrupt(ports: KeeperPorts, intent: IntentDocument): Promise<boolean> {
  const message = 'The keeper was interrupted before the transaction was sent.';
  const event = { type: 'ABORT', code: 'INTERRUPTED', message } as const;
  const after = await ports.intents.advance(intent, event, new Date(ports.now()));
  if (!after) return false;
  ended(ports, after);
  // After the intent, which can now never be sent: before it, a second one could be made beside it.
  await ports.runs.unfire(intent.strategy_id, Number(intent.signal.block_number));
  return true;
}

/** What an intent gives, and what it gets; a claim gives nothing. */
function tokensOf(
  config: StrategyDocument['definition']['action_config'],
  snapshot: Snapshot,
  { rewards }: StrategyFacts,
): Pick<IntentDocument, 'token_in' | 'token_out'> {
  const { asset } = targetOf(snapshot);
  const { action, target_address, from_address } = config;
  if (action === 'CLAIM') {
    const reward = claimedReward(rewards, config);
    return { token_in: null, token_out: reward ? getAddress(reward.token) : null };
  }
  if (action === 'SWAP') return { token_in: from_address && getAddress(from_address), token_out: asset };
  const from = takesFrom(config);
  return {
    token_in: from === null ? asset : getAddress(from),
    token_out: action === 'WITHDRAWAL' ? asset : target_address,
  };
}

/** How long it is tried to have it mined: as long as its author said, or for an exit, which has none, as long as any other takes. */
function lastsMs({ chain, settings }: KeeperPorts, { kind, definition }: StrategyDocument): number {
  if (kind === 'EMERGENCY_EXIT') return patienceMs(settings.bumpAfterBlocks, chain.blockTimeSeconds);
  return definition.action_config.max_duration_seconds * 1000;
}

/** The intent of a strategy at a block: the same one however often it is decided. */
export async function receive(ports: KeeperPorts, { snapshot, document, facts, decision }: Fired) {
  const { action, target_address } = document.definition.action_config;
  return ports.intents.receive(
    {
      idempotency_key: `${snapshot.chain_id}:${document._id}:${facts.block_number}`,
      strategy_id: document._id,
      chain_id: snapshot.chain_id,
      vault_address: snapshot.detail.vault_address,
      action,
      target_address,
      amount: decision.size.amount ?? '0',
      ...tokensOf(document.definition.action_config, snapshot, facts),
      signal: { block_number: facts.block_number, block_hash: facts.block_hash, version: document.version, decision },
      expires_at: new Date(ports.now() + lastsMs(ports, document)).toISOString(),
      source: 'engine',
    },
    new Date(ports.now()),
  );
}

/** Nobody else may have changed it meanwhile: another process has taken it over, or given it up. */
class Overtaken extends Error {}

const steps = (ports: Pick<KeeperPorts, 'intents' | 'now'>, received: IntentDocument) => {
  let intent = received;
  return {
    get intent() {
      return intent;
    },
    async advance(event: IntentEvent): Promise<IntentDocument> {
      const after = await ports.intents.advance(intent, event, new Date(ports.now()));
      if (!after) throw new Overtaken(`${intent._id} has changed.`);
      intent = after;
      return after;
    },
  };
};
type Steps = ReturnType<typeof steps>;

/** `amount` is what the first leg gives. */
type Moved = { legs: ReturnType<typeof legsOf>; amount: bigint };

/** What is moved how, and how much: what was decided, cut to what the source it comes from can pay. @throws Refusal */
function movedBy({ document, facts, decision }: Fired): Moved {
  const legs = legsOf(document.definition.action_config, facts.rewards);
  const [first] = legs;
  let amount = BigInt(decision.size.amount ?? '0');
  for (const leg of legs) {
    // Of rewards, no more is decided than can be claimed or is held.
    if (leg.token) continue;
    const source = facts.sources.find(({ address }) => address === leg.source.toLowerCase());
    if (!source) throw new Refusal('PRICE_MISSING', `${leg.source} is no yield source of the vault any more.`);
    if (leg !== first || first.action !== 'WITHDRAWAL') continue;
    try {
      amount = payableShares(amount, source);
    } catch (error) {
      throw new Refusal('PRICE_MISSING', (error as Error).message);
    }
  }
  if (amount <= 0n) throw new Refusal('SIZE_ZERO', 'The source can pay nothing out now.');
  return { legs, amount };
}

/** What a person may have changed since the decision. @throws Refusal */
async function requireStillWanted(ports: KeeperPorts, { document, snapshot }: Fired): Promise<void> {
  const [now, engine, running] = await Promise.all([
    ports.strategies.get(document._id),
    ports.strategies.engine(key(snapshot)),
    ports.strategies.running(key(snapshot)),
  ]);
  if (engine.kill_switch) throw new Refusal('KILL_SWITCH', 'The kill switch of the vault is on.');
  if (now?.state !== 'RUNNING' || now.version !== document.version)
    throw new Refusal('STRATEGY_CHANGED', 'The strategy was changed or stopped meanwhile.');
  if (lockOf(document, running)) throw new Refusal('EMERGENCY_LOCK_ACTIVE', 'An emergency exit holds this source.');
}

/** The decision, and the quotes of its number, must be of one block: a transaction cannot be taken back as facts can. @throws Refusal */
async function requireSameBlock({ chain }: KeeperPorts, { facts }: Fired): Promise<void> {
  const { block_number, block_hash } = facts;
  if ((await chain.blockHash(block_number)) === block_hash) return;
  throw new Refusal(REPLACED, `Block ${block_number}, on which it was decided, is not on the chain any more.`);
}
const REPLACED = 'SNAPSHOT_STALE';

const UNREADABLE = 'The mandate in force has promises that this version of the keeper does not understand.';

/**
 * What of the mandate in force the execution would break, in words. An emergency exit is only warned of.
 * @throws Refusal MANDATE_REFUSES where the mandate wants it.
 */
async function mandateWarnings(
  { mandates }: KeeperPorts,
  { document, snapshot, facts }: Fired,
  { legs, assets, hooks }: Pick<Moved, 'legs'> & Pick<Plan, 'assets' | 'hooks'>,
): Promise<string[]> {
  const mandate = await mandates.inForce(snapshot.chain_id, snapshot.vault);
  if (!mandate) return [];
  const isExit = document.kind === 'EMERGENCY_EXIT';
  if (mandate === 'unreadable') {
    if (isExit) return [UNREADABLE];
    throw new Refusal('MANDATE_REFUSES', UNREADABLE);
  }
  const sourceOf = (action: Leg['action']) => legs.find((leg) => leg.action === action)?.source ?? null;
  const [into, outOf] = [sourceOf('DEPOSIT'), sourceOf('WITHDRAWAL')];
  const objections = objectionsToExecution(mandate, { into, outOf, assets, hooks, facts });
  const refused = isExit ? undefined : objections.find(({ refuses }) => refuses);
  if (refused) throw new Refusal('MANDATE_REFUSES', refused.detail);
  return objections.map(({ detail }) => detail);
}

/** What was signed and never sent. */
const stopped = (ports: KeeperPorts, kept: Parameters<typeof runOf>[1], { code, message }: Reasoned) =>
  runOf(ports, kept, { result: 'stopped', code, message });

type Reasoned = { code: string; message: string };

function reasonOf(error: unknown): Reasoned {
  if (error instanceof Overtaken) return { code: 'INTERRUPTED', message: 'The intent was ended by another process.' };
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  if (error instanceof LeaseLost) return { code: 'INTERRUPTED', message: 'Another keeper has taken over.' };
  const code = hasErrorCode(error, 'RPC_UNAVAILABLE') ? 'RPC_UNAVAILABLE' : 'INTERNAL';
  return { code, message: 'A step failed before anything was signed.' };
}

async function prepare(ports: KeeperPorts, fired: Fired, { intent, advance }: Steps) {
  await advance({ type: 'ACK' });
  const { legs, amount } = movedBy(fired);
  await advance({ type: 'STAGE' });
  const { snapshot, document, facts } = fired;
  const plan = await planOf(ports, { legs, amount, snapshot, document, block: facts.block_number });
  const warnings = await mandateWarnings(ports, fired, { legs, ...plan });
  const shown = warnings.length === 0 ? plan.shown : { ...plan.shown, mandate_warnings: warnings };
  await advance({ type: 'PLAN', plan: shown });
  await requireStillWanted(ports, fired);
  await requireSameBlock(ports, fired);
  const expires_at = intent.expires_at ?? new Date(ports.now()).toISOString();
  const begun = await begin(ports, fired.kept, { key: intent._id, kind: 'intent', expires_at, call: plan.call });
  return { begun, expires_at };
}

/** Before the intent is ended, which nobody would come back to: after a crash it is noted again. */
const noteRefusal = ({ journal }: KeeperPorts, { kept, document }: Fired, { message }: Refusal) =>
  journal.note(kept, {
    subject: document._id,
    failure: `The strategy “${document.definition.name}” was not carried out. ${message}`,
  });

/**
 * Carries an intent out up to its transaction being sent. Each step is stored before the next is taken, and what is sent is
 * stored twice before: as the vault's open transaction, and with the intent, which takes one only. Whatever is missing ends
 * the intent, and nothing is sent.
 */
export async function carryOut(ports: KeeperPorts, fired: Fired, received: IntentDocument): Promise<void> {
  const { journal, logger } = ports;
  const progress = steps(ports, received);
  let prepared: Awaited<ReturnType<typeof prepare>>;
  try {
    prepared = await prepare(ports, fired, progress);
  } catch (error) {
    if (error instanceof Overtaken) return;
    if (error instanceof Refusal && isFailure(error)) await noteRefusal(ports, fired, error);
    const { code, message } = reasonOf(error);
    await noteRefused(ports, fired.snapshot, fired.document._id, { code, because: message });
    ended(ports, await ports.intents.advance(progress.intent, { type: 'ABORT', code, message }, new Date(ports.now())));
    if (!(error instanceof Refusal)) throw error;
    // It fired on a block that never was. After the intent, which can now never be sent.
    if (code === REPLACED) await ports.runs.unfire(fired.document._id, fired.facts.block_number);
    return;
  }
  const { begun, expires_at } = prepared;
  const { hash, raw } = begun.attempt;
  const transaction = { hash, nonce: begun.kept.open.nonce, raw, from: ports.signer.address as Address };
  try {
    if (ports.now() >= Date.parse(expires_at)) {
      const event = { type: 'EXPIRE', code: 'EXPIRED', message: 'It took too long to prepare.' } as const;
      ended(ports, await progress.advance(event));
      await journal.close(begun.kept, { run: await stopped(ports, begun.kept, event) });
      return;
    }
    // Once more: the simulation and the signature took their time.
    await requireStillWanted(ports, fired);
    await progress.advance({ type: 'EXECUTE', transaction });
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, message } = error;
      ended(
        ports,
        await ports.intents.advance(progress.intent, { type: 'ABORT', code, message }, new Date(ports.now())),
      );
    } else if (!(error instanceof Overtaken)) throw error;
    await journal.close(begun.kept, { run: await stopped(ports, begun.kept, reasonOf(error)) });
    return;
  }
  logger.info('an intent is sent', { intent: received._id, strategy: fired.document._id, hash });
  await send(ports, begun.kept);
}
