import type { LogEntry } from '@castellan/contracts';
import { ChainLog, DAY, type Event, HOUR, START, wallet, zero } from './chain-log.fixture.ts';

/** Writes the log of one vault as the indexer would: what a test says happened, in the events of the contracts. */

type Seen = Partial<Record<string, unknown>>;
type Options = { n?: number; decimals?: number; performanceFeeBps?: bigint; created?: number };

const ceil = (a: bigint, b: bigint, c: bigint): bigint => (a * b + c - 1n) / c;

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
