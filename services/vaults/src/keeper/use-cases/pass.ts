import { hasErrorCode } from '@castellan/contracts';
import { LeaseLost } from '@castellan/service-kit';
import { newRun, type StrategySnapshot, tick } from '@castellan/strategy';
import type { RunDocument } from '../../strategies/adapters/runs.mongo.ts';
import { type StrategyFacts, snapshotOf } from '../../strategies/domain/facts.ts';
import { lockOf } from '../../strategies/domain/lock.ts';
import type { StrategyDocument } from '../../strategies/domain/strategy.ts';
import { programOf } from '../../strategies/validate.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { Kept } from '../adapters/journal.mongo.ts';
import { redemptions } from '../domain/outcome.ts';
import { turnsAfter } from '../domain/pace.ts';
import { lateness, type Reason, type Standing, unusable } from '../domain/standing.ts';
import type { Head, KeeperPorts } from '../ports.ts';
import { carryOut, type Fired, interrupt, receive } from './carry-out.ts';
import { followOpen } from './follow.ts';
import { limited } from './limited.ts';
import { noteRefused } from './note-refused.ts';
import { targetOf } from './plan.ts';
import { hasRequests, queueOf, redeem } from './redeem.ts';
import { stopWithError } from './stop-strategy.ts';
import { hasUnsent } from './transact.ts';

type Look = {
  kept: Kept;
  snapshot: Snapshot;
  running: readonly StrategyDocument[];
  standing: Standing;
  facts: StrategyFacts;
  seen: StrategySnapshot;
};

/** The chain's last block, and how far it is indexed. */
type At = { head: Head; indexed: Awaited<ReturnType<KeeperPorts['status']['get']>> };

const keyOf = (snapshot: Snapshot) => ({ chainId: snapshot.chain_id, vault: snapshot.vault });

/** Emergency exits first, then what brings assets back, then what puts them to work; within a lane in its order. */
async function inOrder({ strategies }: KeeperPorts, snapshot: Snapshot, running: readonly StrategyDocument[]) {
  const key = keyOf(snapshot);
  const documents = await strategies.ofVault(key);
  const { WITHDRAWAL: first, ...others } = await strategies.orders(key, documents);
  const ids = [...first, ...Object.values(others).flat()];
  const rank = ({ _id, kind }: StrategyDocument) => (kind === 'EMERGENCY_EXIT' ? -1 : ids.indexOf(_id));
  return [...running].sort((a, b) => rank(a) - rank(b) || a._id.localeCompare(b._id));
}

const documentOf = (ports: KeeperPorts, strategy: StrategyDocument, last: RunDocument | null): RunDocument => ({
  _id: strategy._id,
  chain_id: strategy.chain_id,
  vault: strategy.vault,
  version: strategy.version,
  run: last ? (last.version === strategy.version ? last.run : { ...last.run, held_ticks: 0 }) : newRun,
  fired_before_ms: last?.fired_before_ms ?? null,
  block_number: last?.block_number ?? null,
  block_hash: last?.block_hash ?? null,
  outcome: 'blocked',
  code: null,
  because: '',
  at: new Date(ports.now()).toISOString(),
  reverted: last?.reverted ?? 0,
  lacking_since: null,
});

/** Notes why a strategy was not even asked. What it remembers stays. */
async function block(
  ports: KeeperPorts,
  strategy: StrategyDocument,
  { code, because }: Reason,
  lacking?: { since: number | null },
): Promise<void> {
  await noteRefused(ports, strategy, strategy._id, { code, because });
  const last = await ports.runs.get(strategy._id);
  // What else it is blocked for says nothing of whether the vault has what it needs.
  const known = last !== null && last.version === strategy.version ? last.lacking_since : null;
  const lacking_since = (lacking === undefined ? known : lacking.since) ?? null;
  ports.metrics.ticks.inc({ chain_id: String(strategy.chain_id), outcome: 'blocked' });
  await ports.runs.save({ ...documentOf(ports, strategy, last), outcome: 'blocked', code, because, lacking_since });
}

async function blockAll(ports: KeeperPorts, running: readonly StrategyDocument[], reason: Reason): Promise<undefined> {
  for (const strategy of running) await block(ports, strategy, reason);
  return undefined;
}

/** The same of all that the vault wants: of redemptions, too, where holders wait. */
async function refuseAll(ports: KeeperPorts, { snapshot, running }: Refused, reason: Reason): Promise<undefined> {
  await blockAll(ports, running, reason);
  if (await mayPay(ports, snapshot)) await noteRefused(ports, snapshot, redemptions, reason);
  return undefined;
}
type Refused = { snapshot: Snapshot; running: readonly StrategyDocument[] };

/**
 * The vault lost what the strategy needs: it cannot be worked out any more, and nobody would see that it does nothing. As only a person
 * ends an ERROR, it is no more than blocked while a reorg may still bring that back.
 */
async function failed(
  ports: KeeperPorts,
  strategy: StrategyDocument,
  { last, block_number }: { last: RunDocument | null; block_number: number },
): Promise<void> {
  const known = last?.version === strategy.version ? last.lacking_since : null;
  const since = Math.min(known ?? block_number, block_number);
  const isDeep = block_number - since >= ports.chain.confirmations;
  const then = isDeep ? 'Validate it, then set it to IDLE.' : 'Unless a reorg brings it back, this ends in ERROR.';
  const because = `The vault has lost what this strategy needs. ${then}`;
  if (isDeep) await stopWithError(ports, strategy, because);
  await block(ports, strategy, { code: 'STRATEGY_INVALID', because }, { since: isDeep ? null : since });
}

/** One strategy at one block, at most once. @returns whether it fired. */
async function look(ports: KeeperPorts, at: Look, strategy: StrategyDocument): Promise<boolean> {
  const { snapshot, running, standing, facts, seen } = at;
  const { chainId, vault } = keyOf(snapshot);
  // An exit moves assets to safety, whatever the price is: the chain allows it while the vault is paused.
  const refused = lockOf(strategy, running)
    ? { code: 'EMERGENCY_LOCK_ACTIVE', because: 'An emergency exit holds this source.' }
    : strategy.kind === 'EMERGENCY_EXIT'
      ? undefined
      : unusable(standing);
  if (refused) {
    await block(ports, strategy, refused);
    return false;
  }
  const last = await ports.runs.get(strategy._id);
  if (last?.version === strategy.version && last.block_hash === facts.block_hash) return false;
  const program = programOf(strategy, snapshot);
  if (!program) {
    await failed(ports, strategy, { last, block_number: facts.block_number });
    return false;
  }
  const before = documentOf(ports, strategy, last);
  const active = (await ports.intents.active(chainId, vault)).filter(({ strategy_id }) => strategy_id === strategy._id);
  const { outcome, because, decision, run } = tick(program, before.run, seen, active.length);
  ports.metrics.ticks.inc({ chain_id: String(chainId), outcome });
  const place = { block_number: facts.block_number, block_hash: facts.block_hash };
  if (outcome !== 'fired') {
    await ports.runs.save({ ...before, ...place, run, outcome, because });
    return false;
  }
  const limit = await limited(ports, snapshot, strategy);
  if (limit) {
    // What an exit was refused for is what people have to know, not that it rests a moment.
    if (strategy.kind !== 'EMERGENCY_EXIT' || limit.code !== 'RATE_LIMITED') await block(ports, strategy, limit);
    return false;
  }
  const fired: Fired = { kept: at.kept, snapshot, document: strategy, facts, decision };
  const { intent, created } = await receive(ports, fired);
  // This block had its intent before a crash: were it sent, the cooldown would have been noted before.
  if (!created) return false;
  const { fired_at_ms: fired_before_ms, held_ticks: held_before } = before.run;
  await ports.runs.save({ ...before, ...place, run, outcome, because, fired_before_ms, held_before });
  await carryOut(ports, fired, intent);
  return true;
}

/** Intents that a keeper before this one left before anything was signed. @returns false when one is out of our hands. */
async function endInterrupted(ports: KeeperPorts, snapshot: Snapshot): Promise<boolean> {
  let isClear = true;
  for (const intent of await ports.intents.active(snapshot.chain_id, snapshot.vault))
    if (!(await interrupt(ports, intent))) isClear = false;
  return isClear;
}

const unknownTransaction: Reason = {
  code: 'UNKNOWN_TRANSACTION',
  because: 'An intent has a transaction that the journal does not know. See the runbook.',
};

const restored: Reason = {
  code: 'RESTORED',
  because:
    'The database was restored from a backup. Hold its journal against the chain, then run castellan release-keeper.',
};

const notServed: Reason = { code: 'NOT_SERVED', because: 'The keeper is set up for other vaults only.' };
const serves = ({ settings: { vaults } }: KeeperPorts, { chain_id, vault }: Snapshot): boolean =>
  vaults.size === 0 || vaults.has(`${chain_id}:${vault.toLowerCase()}`);

async function factsOf(ports: KeeperPorts, kept: Kept, snapshot: Snapshot, { head, indexed }: At) {
  let facts: StrategyFacts;
  try {
    facts = await ports.facts.live(snapshot, indexed);
  } catch (error) {
    if (!hasErrorCode(error, 'RPC_UNAVAILABLE') && !hasErrorCode(error, 'NOT_READY')) throw error;
    return { code: 'SNAPSHOT_MISSING', because: (error as Error).message };
  }
  ports.metrics.lag.set({ chain_id: String(snapshot.chain_id) }, Math.max(0, head.time - facts.block_time));
  if (facts.block_number < kept.settled_block)
    return { code: 'SNAPSHOT_STALE', because: `Block ${kept.settled_block} is not indexed yet.` };
  return lateness(facts, head, Math.floor(ports.now() / 1000)) ?? facts;
}

/** A strategy that is archived is never done again: its failure is over. */
async function forgetArchived({ strategies, journal }: KeeperPorts, snapshot: Snapshot, read: Kept): Promise<Kept> {
  if (read.failing.length === 0) return read;
  let kept = read;
  for (const { _id, state } of await strategies.ofVault(keyOf(snapshot)))
    if (state === 'ARCHIVED') kept = await journal.note(kept, { subject: _id, failure: null });
  return kept;
}

const mayPay = async (ports: KeeperPorts, snapshot: Snapshot): Promise<boolean> =>
  ports.settings.fulfilsRedemptions && (await hasRequests(ports, snapshot));

/** Vaults that may want something, by a few reads for all of them: of the others nothing is read. */
async function notIdle(ports: KeeperPorts, all: readonly Snapshot[]): Promise<Snapshot[]> {
  const { chainId } = ports.chain;
  const stored = await Promise.all([
    ports.strategies.running(),
    ports.intents.active(chainId),
    ports.journal.failing(chainId),
  ]);
  const busy = new Set(stored.flat().flatMap(({ chain_id, vault }) => (chain_id === chainId ? [vault] : [])));
  const wants = await Promise.all(
    all.map(
      async (snapshot) => busy.has(snapshot.vault) || (await apart(ports, snapshot, () => mayPay(ports, snapshot))),
    ),
  );
  return all.filter((_snapshot, index) => wants[index]);
}

type Wanting = Pick<Look, 'kept' | 'snapshot' | 'running'>;

/** What there may be to do for a vault, by what is stored; undefined for nothing, and while a transaction of it is on its way. */
async function wantedOf(ports: KeeperPorts, snapshot: Snapshot, token: number): Promise<Wanting | undefined> {
  const read = await ports.journal.vault(keyOf(snapshot), token);
  if (read.open) return undefined;
  const kept = await forgetArchived(ports, snapshot, read);
  const running = await ports.strategies.running(keyOf(snapshot));
  const refuse = (reason: Reason) => refuseAll(ports, { snapshot, running }, reason);
  if (!(await endInterrupted(ports, snapshot))) return refuse(unknownTransaction);
  if (!serves(ports, snapshot)) return refuse(notServed);
  // A vault that wants nothing is not read at every block.
  if (running.length === 0 && !(await mayPay(ports, snapshot))) return undefined;
  const engine = await ports.strategies.engine(keyOf(snapshot));
  if (engine.kill_switch) return refuse({ code: 'KILL_SWITCH', because: 'The kill switch of the vault is on.' });
  return { kept, snapshot, running };
}

/** The vault as the chain has it; undefined where nothing may be decided on it. */
async function lookAt(ports: KeeperPorts, wanting: Wanting, { head, indexed }: At): Promise<Look | undefined> {
  const { kept, snapshot, running } = wanting;
  const refuse = (reason: Reason) => refuseAll(ports, { snapshot, running }, reason);
  const standing = await ports.chain.standing(targetOf(snapshot), ports.signer.address);
  if (!standing.isManager)
    return refuse({ code: 'NOT_A_MANAGER', because: `${ports.signer.address} is no manager of this vault.` });
  const facts = await factsOf(ports, kept, snapshot, { head, indexed });
  if ('code' in facts) return refuse(facts);
  return { kept, snapshot, running, standing, facts, seen: snapshotOf(facts) };
}

/** At most one transaction of a vault that has none on its way. */
async function act(ports: KeeperPorts, at: Look): Promise<void> {
  const ordered = await inOrder(ports, at.snapshot, at.running);
  const isExit = ({ kind }: StrategyDocument) => kind === 'EMERGENCY_EXIT';
  const kept = await lookAtEach(ports, at, ordered.filter(isExit));
  if (kept.open) return;
  await takeTurns(
    ports,
    { ...at, kept },
    ordered.filter((item) => !isExit(item)),
  );
}

/**
 * One strategy after another, until one has a transaction on its way: one that fired and was refused, or that failed, keeps nobody
 * else from theirs. @returns the vault after them.
 */
async function lookAtEach(ports: KeeperPorts, at: Look, strategies: readonly StrategyDocument[]): Promise<Kept> {
  let { kept } = at;
  for (const strategy of strategies) {
    const before = kept;
    const hasFired = await apart(ports, at.snapshot, () => look(ports, { ...at, kept: before }, strategy));
    if (hasFired === false) continue;
    kept = await ports.journal.vault(keyOf(at.snapshot), before.token);
    if (kept.open) break;
  }
  return kept;
}

/** Those who hold shares and the strategies, one after another, until one has sent something. */
async function takeTurns(ports: KeeperPorts, at: Look, strategies: readonly StrategyDocument[]): Promise<void> {
  const { snapshot, standing } = at;
  const queue = queueOf(ports, snapshot, { isUsable: !unusable(standing) });
  let { kept } = at;
  for (const turn of turnsAfter(kept.last_turn)) {
    if (turn !== 'intent') {
      if (!ports.settings.fulfilsRedemptions) continue;
      const before = kept;
      const redeemed = await apart(ports, snapshot, () => redeem(ports, before, snapshot, { kind: turn, queue }));
      if (redeemed?.hasSent) return;
      kept = redeemed?.kept ?? (await ports.journal.vault(keyOf(snapshot), kept.token));
    } else kept = await lookAtEach(ports, { ...at, kept }, strategies);
    if (kept.open) return;
  }
}

/** What was read of a vault is read again when its turn comes later than this: the transactions before it took their time. */
const SEEN_FOR_MS = 1_000;

/** One vault that cannot be read, its token's contract included, does not hold up the others; a lease that is lost ends the pass. */
async function apart<T>({ logger }: KeeperPorts, { vault }: Snapshot, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (hasErrorCode(error, 'RPC_UNAVAILABLE'))
      logger.warn('a vault is looked at again', { vault, reason: (error as Error).message });
    else logger.error('a vault could not be kept and is looked at again', { vault, error: error as Error });
    return undefined;
  }
}

/** Each vault's turn. All that want something are read at the same time, so that their reads of a block are few calls. */
async function keepVaults(ports: KeeperPorts, all: readonly Snapshot[], token: number, at: At): Promise<void> {
  const wanting: Wanting[] = [];
  for (const snapshot of await notIdle(ports, all)) {
    const wanted = await apart(ports, snapshot, () => wantedOf(ports, snapshot, token));
    if (wanted) wanting.push(wanted);
  }
  const lookedAt = ports.now();
  const looks = await Promise.all(
    wanting.map((wanted) => apart(ports, wanted.snapshot, () => lookAt(ports, wanted, at))),
  );
  for (const seen of looks) {
    if (!seen) continue;
    const { snapshot } = seen;
    // Before anything is decided: what fired and was refused for it would have had its turn.
    if (await hasUnsent(ports)) return;
    await apart(ports, snapshot, async () => {
      if (ports.now() - lookedAt < SEEN_FOR_MS) return act(ports, seen);
      const head = await ports.chain.head();
      const indexed = await ports.status.get(snapshot.chain_id);
      const wanted = await wantedOf(ports, snapshot, token);
      const again = wanted && (await lookAt(ports, wanted, { head, indexed }));
      return again && act(ports, again);
    });
  }
}

/** One pass of the keeper over a chain: what is on its way first, then each vault's turn. */
export async function keeperPass(ports: KeeperPorts, token: number): Promise<void> {
  const { chain, status, snapshots, metrics, signer, now } = ports;
  const labels = { chain_id: String(chain.chainId) };
  const head = await chain.head();
  const balance = await chain.balance(signer.address);
  metrics.balance.set({ ...labels, address: signer.address }, Number(balance));
  if (await ports.isReleased()) {
    await followOpen(ports, head);
    const indexed = await status.get(chain.chainId);
    if (indexed.backfilled !== true) return;
    await keepVaults(ports, await snapshots.all([chain.chainId]), token, { head, indexed });
  } else
    for (const snapshot of await snapshots.all([chain.chainId]))
      await blockAll(ports, await ports.strategies.running(keyOf(snapshot)), restored);
  metrics.lastPass.set(labels, now() / 1000);
  await ports.heartbeats.beat({
    _id: chain.chainId,
    token,
    address: signer.address,
    block_number: head.number,
    balance: `${balance}`,
    at: new Date(now()).toISOString(),
  });
}
