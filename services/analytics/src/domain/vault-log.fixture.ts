import { Address, type LogEntry } from '@castellan/contracts';

/** Writes the log of one vault as the indexer would: what a test says happened, in the events of the contracts. */

export const DAY = 86_400;
export const HOUR = 3_600;
export const CHAIN = 31337;
/** 2026-06-01T00:00:00Z, a Monday. */
export const START = Date.UTC(2026, 5, 1) / 1000;
const zero = '0x0000000000000000000000000000000000000000';

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
/** A wallet or contract of a number, as the wire has it. */
export const wallet = (n: number): string => Address.parse(`0x${n.toString(16).padStart(40, '0')}`);

/** A log of the chain within a transaction: `contract.name` and its values. */
type Event = [name: string, args: Record<string, unknown>];
type Seen = Partial<Record<string, unknown>>;
type Options = { n?: number; decimals?: number; performanceFeeBps?: bigint; created?: number };

const ceil = (a: bigint, b: bigint, c: bigint): bigint => (a * b + c - 1n) / c;

/** The log of a chain on which vaults live. Blocks and numbers of entries grow as things happen. */
export class ChainLog {
  readonly entries: LogEntry[] = [];
  block = 0;
  time = START - HOUR;
  #seq = 0;
  #txs = 0;
  #index = 0;
  /** Differs between branches of a chain, so that no two of their transactions are one. */
  branch = 0;

  /** Begins the next block at a time. */
  at(time: number): this {
    if (time < this.time) throw new Error('Time only goes forward.');
    this.block += 1;
    this.time = time;
    this.#index = 0;
    return this;
  }

  #add(entry: Partial<LogEntry> & Pick<LogEntry, 'kind' | 'name' | 'args'>): void {
    this.#seq += 1;
    this.entries.push({
      chain_id: CHAIN,
      seq: this.#seq,
      block_number: this.block,
      block_hash: hash(1_000_000 + this.branch * 100_000 + this.block),
      block_time: new Date(this.time * 1000).toISOString(),
      tx_hash: null,
      log_index: null,
      address: null,
      contract: null,
      vault_address: null,
      ...entry,
    });
  }

  /** A transaction of `from` that touches a vault: its logs and its receipt. */
  transaction(
    vault: string | null,
    from: string,
    events: readonly Event[],
    gas: { used?: bigint; price?: bigint } = {},
  ) {
    this.#txs += 1;
    const tx_hash = hash(this.branch * 1_000_000_000 + this.#txs);
    for (const [name, args] of events) {
      const [contract = '', event = ''] = name.split('.');
      const at = { tx_hash, log_index: this.#index, address: zero, contract, vault_address: vault };
      this.#add({ kind: 'log', name: event, args, ...at });
      this.#index += 1;
    }
    if (vault === null) return tx_hash;
    const { used = 100_000n, price = 1_000_000_000n } = gas;
    const args = { from, to: vault, gas_used: `${used}`, effective_gas_price: `${price}`, l1_fee: '0' };
    this.#add({
      kind: 'observation',
      name: 'transaction_observed',
      tx_hash,
      args: { ...args, vault_addresses: [vault] },
    });
    return tx_hash;
  }

  /** The USD feed of assets answers. */
  answer(assets: readonly string[], current: bigint, decimals = 8): void {
    const args = { current: `${current}`, roundId: '1', updatedAt: `${this.time}`, asset_addresses: assets, decimals };
    this.transaction(null, zero, [['price_feed.AnswerUpdated', { ...args, feed: wallet(0xfeed) }]]);
  }

  observed(vault: string, args: Record<string, unknown>): void {
    this.#add({
      kind: 'observation',
      name: 'state_observed',
      args,
      contract: 'vault',
      address: vault,
      vault_address: vault,
    });
  }

  /** Blocks from `fromBlock` up are void; the next block is that one again, on another branch. */
  rollback(fromBlock: number): void {
    const fork = this.entries.findLast(({ kind, block_number }) => kind !== 'rollback' && block_number < fromBlock);
    const block_time = fork?.block_time ?? new Date(0).toISOString();
    this.#add({ kind: 'rollback', name: 'rollback', block_number: fromBlock, block_time, args: {} });
    this.block = fromBlock - 1;
    this.time = Math.floor(Date.parse(block_time) / 1000);
    this.branch += 1;
  }
}

/** One vault of a chain, with the arithmetic of its contracts. Amounts in base units. */
export class VaultLog {
  readonly chain: ChainLog;
  readonly vault: string;
  readonly strategy: string;
  readonly escrow: string;
  readonly asset: string;
  recipient: string;
  readonly manager: string;
  readonly validator = wallet(0x7a11);
  readonly precision: bigint;
  readonly decimals: number;
  readonly created: number;
  pps: bigint;
  hwm: bigint;
  feeBps: bigint;
  supply = 0n;
  readonly balances = new Map<string, bigint>();
  readonly pending = new Map<string, bigint>();
  readonly #claimable = new Map<string, { assets: bigint; shares: bigint }>();
  readonly #cancelled = new Map<string, bigint>();

  constructor(
    { n = 0, decimals = 6, performanceFeeBps = 1_000n, created = START }: Options = {},
    chain = new ChainLog(),
  ) {
    const base = 0xa000 + n * 0x100;
    [this.vault, this.strategy, this.escrow, this.asset, this.recipient, this.manager] = [1, 2, 3, 4, 5, 6].map((k) =>
      wallet(base + k),
    ) as [string, string, string, string, string, string];
    this.chain = chain;
    this.decimals = decimals;
    this.precision = 10n ** BigInt(decimals);
    this.pps = this.precision;
    this.hwm = this.precision;
    this.feeBps = performanceFeeBps;
    this.created = created;
    if (chain.time <= created) chain.at(created);
    const { vault, strategy, escrow, asset } = this;
    this.#does(this.manager, [
      ['aggregator.VaultDeployed', { vault, strategy, escrow, asset, nonce: '0', name: 'USDC Core', symbol: 'csUSDC' }],
      ['aggregator.PPSUpdated', { strategy, pps: `${this.pps}`, timestamp: `${created}` }],
    ]);
  }

  get entries(): readonly LogEntry[] {
    return this.chain.entries;
  }

  at(time: number): this {
    this.chain.at(time);
    return this;
  }

  #does(from: string, events: readonly Event[], gas: { used?: bigint; price?: bigint } = {}): string {
    return this.chain.transaction(this.vault, from, events, gas);
  }

  /** Any transaction of somebody, for what the other methods do not cover. */
  transaction(from: string, events: readonly Event[]): string {
    return this.#does(from, events);
  }

  #supplied(address: string, by: bigint): void {
    this.balances.set(address, (this.balances.get(address) ?? 0n) + by);
    this.supply += by;
  }

  /** The validators report a price; `t` is the time inside the report. */
  report(pps: bigint, t: number = this.chain.time): this {
    this.pps = pps;
    const { strategy, validator: sender } = this;
    this.#does(sender, [
      ['oracle.PPSValidated', { strategy, sender, pps: `${pps}`, timestamp: `${t}` }],
      ['aggregator.UpkeepSpent', { strategy, amount: '50', balance: '1000', claimableUpkeep: '50' }],
      ['aggregator.PPSUpdated', { strategy, pps: `${pps}`, timestamp: `${t}` }],
    ]);
    return this;
  }

  /** The accrued performance fee is taken: price and mark fall to what is left. */
  skim(): this {
    const { pps, hwm, supply, precision, strategy } = this;
    const profit = pps > hwm ? ((pps - hwm) * supply) / precision : 0n;
    const fee = ceil(profit, this.feeBps, 10_000n);
    if (fee === 0n) return this;
    const after = pps - ceil(fee, precision, supply);
    this.#does(this.manager, [
      ['strategy.PerformanceFeeSkimmed', { totalFee: `${fee}`, superformFee: `${fee / 2n}` }],
      [
        'strategy.HWMPPSUpdated',
        { newHwmPps: `${after}`, previousPps: `${pps}`, profit: `${profit}`, feeCollected: `${fee}` },
      ],
      [
        'aggregator.PPSUpdatedAfterSkim',
        { strategy, oldPPS: `${pps}`, newPPS: `${after}`, feeAmount: `${fee}`, timestamp: `${this.chain.time}` },
      ],
    ]);
    this.pps = after;
    this.hwm = after;
    return this;
  }

  /** @param shares - What is minted; by default what the price promises. */
  deposit(who: string, assets: bigint, { entryFee = 0n, shares }: { entryFee?: bigint; shares?: bigint } = {}): this {
    const net = assets - entryFee;
    const minted = shares ?? (net * this.precision) / this.pps;
    const paid: Event[] =
      entryFee === 0n
        ? []
        : [
            [
              'strategy.ManagementFeePaid',
              { controller: who, recipient: this.recipient, feeAssets: `${entryFee}`, feeBps: '10' },
            ],
          ];
    this.#does(who, [
      ...paid,
      ['strategy.DepositHandled', { controller: who, assets: `${net}`, shares: `${minted}` }],
      ['vault.Transfer', { from: zero, to: who, value: `${minted}` }],
      ['vault.Deposit', { sender: who, owner: who, assets: `${assets}`, shares: `${minted}` }],
    ]);
    this.#supplied(who, minted);
    return this;
  }

  transfer(from: string, to: string, shares: bigint): this {
    this.#does(from, [['vault.Transfer', { from, to, value: `${shares}` }]]);
    this.#supplied(from, -shares);
    this.#supplied(to, shares);
    return this;
  }

  request(who: string, shares: bigint): this {
    const { escrow } = this;
    this.#does(who, [
      ['vault.Transfer', { from: who, to: escrow, value: `${shares}` }],
      ['escrow.SharesEscrowed', { from: who, amount: `${shares}` }],
      ['strategy.RedeemRequestPlaced', { controller: who, owner: who, shares: `${shares}` }],
      ['vault.RedeemRequest', { controller: who, owner: who, requestId: '0', sender: who, assets: `${shares}` }],
    ]);
    this.balances.set(who, (this.balances.get(who) ?? 0n) - shares);
    this.pending.set(who, (this.pending.get(who) ?? 0n) + shares);
    return this;
  }

  /** @param assets - What is paid out; by default what the price promises. */
  fulfil(who: string, assets?: bigint): this {
    const shares = this.pending.get(who) ?? 0n;
    const paid = assets ?? (shares * this.pps) / this.precision;
    this.#does(this.manager, [
      [
        'strategy.RedeemClaimable',
        {
          controller: who,
          assetsFulfilled: `${paid}`,
          sharesFulfilled: `${shares}`,
          averageWithdrawPrice: `${this.pps}`,
        },
      ],
      ['vault.Transfer', { from: this.escrow, to: zero, value: `${shares}` }],
      [
        'strategy.RedeemRequestsFulfilled',
        { controllers: [who], processedShares: `${shares}`, currentPPS: `${this.pps}` },
      ],
    ]);
    this.pending.delete(who);
    this.supply -= shares;
    this.#claimable.set(who, { assets: paid, shares });
    return this;
  }

  claim(who: string): this {
    const { assets, shares } = this.#claimable.get(who) ?? { assets: 0n, shares: 0n };
    this.#claimable.delete(who);
    this.#does(who, [
      ['strategy.RedeemRequestClaimed', { controller: who, receiver: who, assets: `${assets}`, shares: '0' }],
      ['escrow.AssetsReturned', { to: who, amount: `${assets}` }],
      ['vault.Withdraw', { sender: who, receiver: who, owner: who, assets: `${assets}`, shares: `${shares}` }],
    ]);
    return this;
  }

  cancel(who: string): this {
    this.#does(who, [
      ['strategy.RedeemCancelRequestPlaced', { controller: who }],
      ['vault.CancelRedeemRequest', { controller: who, requestId: '0', sender: who }],
    ]);
    return this;
  }

  fulfilCancel(who: string): this {
    const shares = this.pending.get(who) ?? 0n;
    this.#does(this.manager, [['strategy.RedeemCancelRequestFulfilled', { controller: who, shares: `${shares}` }]]);
    this.pending.delete(who);
    this.#cancelled.set(who, shares);
    return this;
  }

  claimCancel(who: string): this {
    const shares = this.#cancelled.get(who) ?? 0n;
    this.#cancelled.delete(who);
    this.#does(who, [
      ['strategy.RedeemRequestCanceled', { controller: who, shares: `${shares}` }],
      ['vault.Transfer', { from: this.escrow, to: who, value: `${shares}` }],
      ['escrow.SharesReturned', { to: who, amount: `${shares}` }],
      ['vault.CancelRedeemClaim', { receiver: who, controller: who, requestId: '0', sender: who, shares: `${shares}` }],
    ]);
    this.balances.set(who, (this.balances.get(who) ?? 0n) + shares);
    return this;
  }

  /** New fee terms come into force: the mark moves to the price, and what was accrued is waived. */
  changeFee(performanceFeeBps: bigint, recipient: string = this.recipient): this {
    const { pps, hwm } = this;
    const terms = { performanceFeeBps: `${performanceFeeBps}`, managementFeeBps: '0', recipient };
    this.#does(this.manager, [
      ['strategy.VaultFeeConfigUpdated', terms],
      ['strategy.HWMPPSUpdated', { newHwmPps: `${pps}`, previousPps: `${hwm}`, profit: '0', feeCollected: '0' }],
    ]);
    this.feeBps = performanceFeeBps;
    this.hwm = pps;
    return this;
  }

  changeRecipient(recipient: string): this {
    this.#does(this.manager, [['strategy.FeeRecipientChanged', { newRecipient: recipient }]]);
    this.recipient = recipient;
    return this;
  }

  /** Governance moves the mark to the price. */
  resetMark(): this {
    const { pps, strategy } = this;
    this.#does(wallet(0x60), [
      ['strategy.HighWaterMarkReset', { newHwmPps: `${pps}` }],
      ['aggregator.HighWaterMarkReset', { strategy, newHWM: `${pps}` }],
    ]);
    this.hwm = pps;
    return this;
  }

  /** A reading of state, of what the events so far made; `seen` says what differs. */
  observe(seen: Seen = {}): this {
    const { pps, hwm, precision, supply } = this;
    const total = (supply * pps) / precision;
    const source = (n: number, assets: bigint) => ({
      source_address: wallet(0x5000 + n),
      oracle_address: wallet(0x5100),
      assets: `${assets}`,
      shares: `${assets}`,
      available: `${assets}`,
      price_per_share: `${precision + BigInt(this.chain.block)}`,
    });
    this.chain.observed(this.vault, {
      pps: `${pps}`,
      calculated_pps: `${pps}`,
      hwm_pps: `${hwm}`,
      pps_precision: `${precision}`,
      last_update_timestamp: `${this.chain.time}`,
      total_supply: `${supply}`,
      total_assets: `${total}`,
      idle: `${total - total / 2n - total / 4n}`,
      escrowed_assets: '0',
      asset_address: this.asset,
      asset_decimals: this.decimals,
      allocation: [source(1, total / 2n), source(2, total / 4n)],
      price: null,
      is_paused: false,
      is_pps_stale: false,
      performance_fee_bps: Number(this.feeBps),
      management_fee_bps: 0,
      fee_recipient: this.recipient,
      protocol_fee_share_bps: 5_000,
      primary_manager: this.manager,
      primary_manager_kind: 'contract',
      secondary_managers: [],
      last_unpause_timestamp: '0',
      upkeep_enabled: true,
      upkeep_balance: '1110',
      upkeep_cost_per_update: '5',
      deviation_threshold: '50000000000000000',
      pps_expiration_seconds: DAY,
      max_staleness_seconds: HOUR,
      min_update_interval_seconds: 60,
      ...seen,
    });
    return this;
  }
}
