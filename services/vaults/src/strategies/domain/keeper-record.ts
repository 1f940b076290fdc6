/** What a transaction of the keeper came to. `stopped`: a person or a crash ended it before it could do anything. */
export type RunResult = 'done' | 'failed' | 'stopped';
/** What a transaction of the keeper is for. */
export type RunKind = 'intent' | 'fulfil' | 'fulfil_cancels';

/** A transaction that the keeper signed, once it is over. Wei and gas as decimal strings; absent where the chain has no receipt. */
export type KeeperRun = {
  /** `<chain_id>:<account>:<nonce>:<key>`. */
  _id: string;
  chain_id: number;
  /** Lower case. */
  vault: string;
  kind: RunKind;
  /** The intent's id, or what a redemption run is called. */
  key: string;
  /** The strategy's id, or `vault:redemptions`. */
  subject: string;
  result: RunResult;
  code: string | null;
  message: string | null;
  account: string;
  nonce: number;
  /** Signed forms of it; more than one when it was offered more for. */
  forms: number;
  /** The head when it was first signed. */
  begun_block: number;
  tx_hash: string | null;
  block_number: number | null;
  gas_used?: string;
  gas_price?: string;
  fee?: string;
  ended_at: Date;
};

/** Why nothing was sent for a subject within an hour, from the first time to the last. */
export type KeeperRefusal = {
  /** `<chain_id>:<vault>:<subject>:<code>:<hour>`. */
  _id: string;
  chain_id: number;
  /** Lower case. */
  vault: string;
  subject: string;
  code: string;
  because: string;
  first_at: Date;
  last_at: Date;
};

/** A transaction on its way; `begun_at` is when it was first signed. */
export type OpenRun = { key: string; kind: RunKind; nonce: number; tx_hashes: string[]; begun_at?: string };

type Of = { chainId: number; vault: string };
/** Runs of one kind and result; gas and wei of those with a receipt. */
export type RunSums = {
  kind: RunKind;
  result: RunResult;
  count: number;
  gas: bigint;
  fee: bigint;
  with_receipt: number;
};

/** What the keeper did, as the vaults service reads it. */
export type KeeperRecord = {
  /** Newest first. @returns undefined for a cursor this list did not return. */
  runs(
    of: Of & { from: Date },
    limit: number,
    cursor?: string,
  ): Promise<{ items: KeeperRun[]; has_more: boolean; next_cursor: string | null } | undefined>;
  /** Of all runs since a moment. */
  sums(of: Of, from: Date): Promise<RunSums[]>;
  /** Newest first. */
  refusals(of: Of, from: Date, limit: number): Promise<KeeperRefusal[]>;
  open(of: Of): Promise<OpenRun | null>;
  /** What an account paid on a chain since a moment, for all vaults, by the receipts that are known. */
  paid(chainId: number, account: string, from: Date): Promise<{ fee: bigint; transactions: number }>;
  /** When the first run or refusal of the chain was recorded. */
  since(chainId: number): Promise<Date | null>;
};
