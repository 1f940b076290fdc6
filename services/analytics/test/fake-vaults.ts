import {
  AppError,
  ChainStream,
  GetBlock,
  ListChains,
  ListLogEntries,
  type LogEntry,
  LogGrew,
} from '@castellan/contracts';
import { type BaseConfig, implement, publishDurable, type RunningService, startService } from '@castellan/service-kit';
import { CHAIN } from '../src/domain/chain-log.fixture.ts';

/** The vaults service as far as analytics asks it: which chains there are, and pages of their log. */
export class FakeVaults {
  entries: readonly LogEntry[] = [];
  /** How far its own indexing is behind the chain. */
  lagSeconds: number | null = 0;
  readonly asked: { after_seq: number; limit: number }[] = [];
  #service: RunningService | undefined;

  async start(config: BaseConfig): Promise<RunningService> {
    this.#service = await startService({
      name: 'vaults',
      config,
      mongo: false,
      streams: [ChainStream],
      build: () => ({
        schemas: [
          {
            name: 'vaults',
            version: 1,
            actions: {
              chains: implement(ListChains, () => ({ chains: [this.#chain()] })),
              block: implement(GetBlock, ({ chain_id, block_number }) => {
                const block = this.entries.findLast(
                  (entry) => entry.kind !== 'rollback' && entry.block_number <= block_number,
                );
                if (!block) throw new AppError('BLOCK_IN_FUTURE', `There is no block ${block_number}.`);
                return { chain_id, block_number, block_hash: block.block_hash, block_time: block.block_time };
              }),
              events: implement(ListLogEntries, ({ after_seq, limit }) => {
                this.asked.push({ after_seq, limit });
                const entries = this.entries.filter(({ seq }) => seq > after_seq).slice(0, limit);
                const last = this.entries.findLast(({ kind }) => kind !== 'rollback');
                return {
                  entries,
                  head_seq: this.entries.at(-1)?.seq ?? 0,
                  indexed_block: last?.block_number ?? null,
                  indexed_time: last?.block_time ?? null,
                };
              }),
            },
          },
        ],
      }),
    });
    return this.#service;
  }

  #chain() {
    const head = this.entries.at(-1)?.block_number ?? null;
    return {
      chain_id: CHAIN,
      slug: 'devnet',
      name: 'Devnet',
      explorer_url: null,
      native_symbol: 'ETH',
      head_block: head,
      indexed_block: head,
      lag_seconds: this.lagSeconds,
      final_time: null,
    };
  }

  /** The log grows, and its readers are woken. */
  async grow(entries: readonly LogEntry[]): Promise<void> {
    this.entries = entries;
    const last = entries.at(-1);
    if (!this.#service || !last) return;
    await publishDurable(
      this.#service.context.durable,
      LogGrew,
      { chain_id: CHAIN, head_seq: last.seq },
      { msgId: `grew:${last.seq}` },
    );
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
  }
}

/**
 * One log out of two that part at a block: the first one, then that block and all above it void, then the second one's.
 * @param forkTime - Of the last block that stays, seconds.
 */
export function reorganised(
  before: readonly LogEntry[],
  after: readonly LogEntry[],
  fromBlock: number,
  forkTime: number,
): LogEntry[] {
  const last = before.at(-1);
  if (!last) throw new Error('There is nothing to roll back.');
  const rollback: LogEntry = {
    ...last,
    seq: last.seq + 1,
    kind: 'rollback',
    name: 'rollback',
    block_number: fromBlock,
    block_time: new Date(forkTime * 1000).toISOString(),
    tx_hash: null,
    log_index: null,
    address: null,
    contract: null,
    vault_address: null,
    args: {},
  };
  const branch = after.filter(({ block_number }) => block_number >= fromBlock);
  return [...before, rollback, ...branch.map((entry, n) => ({ ...entry, seq: rollback.seq + 1 + n }))];
}
