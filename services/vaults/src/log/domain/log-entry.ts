import type { LogEntry } from '@castellan/contracts';

/** What an entry says before it has its place in the log. */
export type EntryDraft = Omit<LogEntry, 'seq' | 'chain_id'>;

/** A rollback's place and reach: every entry before it, of `fromBlock` or a later block, is void. */
export type Rollback = { seq: number; fromBlock: number };

/** The rollbacks among some entries. */
export const rollbacksOf = (entries: readonly Pick<LogEntry, 'kind' | 'seq' | 'block_number'>[]): Rollback[] =>
  entries.filter(({ kind }) => kind === 'rollback').map(({ seq, block_number }) => ({ seq, fromBlock: block_number }));

/**
 * Whether an entry still counts: no later rollback reaches its block. A rollback itself is no fact about the chain, so it
 * never counts.
 */
export function isLive(
  entry: Pick<LogEntry, 'kind' | 'seq' | 'block_number'>,
  rollbacks: readonly Rollback[],
): boolean {
  if (entry.kind === 'rollback') return false;
  return !rollbacks.some(({ seq, fromBlock }) => seq > entry.seq && fromBlock <= entry.block_number);
}

/** What makes two entries of the living log the same one; `epoch` (rollbacks so far) distinguishes a block that came back. */
export function entryKey(
  draft: Pick<LogEntry, 'kind' | 'block_hash' | 'log_index' | 'vault_address' | 'block_number' | 'tx_hash'>,
  epoch: number,
): string {
  const { kind, block_hash, log_index, vault_address, block_number, tx_hash } = draft;
  if (kind === 'log') return `${epoch}:log:${block_hash}:${log_index}`;
  if (kind === 'observation') return `${epoch}:observation:${block_hash}:${tx_hash ?? vault_address?.toLowerCase()}`;
  return `${epoch}:rollback:${block_number}`;
}

/** The same without the epoch: what a redo compares with the living entries of the blocks it reads again. */
export const contentKey = (draft: Parameters<typeof entryKey>[0]): string => entryKey(draft, 0);

/** Drafts that the living log does not hold yet, in their order. */
export function missingDrafts(drafts: readonly EntryDraft[], living: readonly EntryDraft[]): EntryDraft[] {
  const known = new Set(living.map(contentKey));
  return drafts.filter((draft) => !known.has(contentKey(draft)));
}

/** The rollback that voids `fromBlock` and everything above it. `fork` is the last block that stays, if any does. */
export const rollbackDraft = (
  fromBlock: number,
  fork: { number: bigint; hash: string; timestamp: bigint } | null,
  oldTip: { number: bigint; hash: string },
): EntryDraft => ({
  kind: 'rollback',
  block_number: fromBlock,
  block_hash: fork?.hash ?? `0x${'0'.repeat(64)}`,
  block_time: isoTime(fork?.timestamp ?? 0n),
  tx_hash: null,
  log_index: null,
  address: null,
  contract: null,
  vault_address: null,
  name: 'rollback',
  args: { old_tip_block: Number(oldTip.number), old_tip_hash: oldTip.hash },
});

/** Chain seconds as ISO 8601 UTC. */
export const isoTime = (seconds: bigint): string => new Date(Number(seconds) * 1000).toISOString();

/** The vaults (lower case) that logs are about, each with its first block. */
export function touchedBy(drafts: readonly EntryDraft[]): Map<string, bigint> {
  const touched = new Map<string, bigint>();
  for (const { vault_address, block_number } of drafts) {
    const vault = vault_address?.toLowerCase();
    if (vault !== undefined && !touched.has(vault)) touched.set(vault, BigInt(block_number));
  }
  return touched;
}
