import { type Address, type Hash, type Hex, keccak256, size, type TransactionSerializable } from 'viem';
import { belowCancel, bump, type FeePolicy, type Fees, offer } from './fees.ts';
import type { GasPrice } from './market.ts';

/** Pays for transactions. A viem local account fits, and so does an account whose key lies in a KMS. */
export type TransactionSigner = {
  readonly address: Address;
  signTransaction(transaction: TransactionSerializable): Promise<Hex>;
};

/** What of a chain is read to price a transaction. */
export type ChainPort = {
  readonly chainId: number;
  market(): Promise<GasPrice>;
  /** In wei. */
  balance(account: Address): Promise<bigint>;
  /** Gas of a plain transfer from the account to itself; null when it cannot be estimated now. */
  estimateEmpty(account: Address): Promise<bigint | null>;
  /** In wei, at most: what a rollup charges for a transaction beside its gas; 0n elsewhere. */
  l1Fee(call: { dataBytes: number; gas: bigint }): Promise<bigint>;
};

/** A call of a contract; `gas` is its limit, in units of gas. */
export type Call = { readonly to: Address; readonly data: Hex; readonly gas: bigint };

/** What a form does: the call it is for, or nothing, so that its nonce does not block the account. */
export type Purpose = 'deliver' | 'cancel';

/** One signed form of a transaction, stored by its owner before any node sees it. All forms share the nonce: one at most is mined. */
export type Form = { readonly hash: Hash; readonly raw: Hex; readonly fees: Fees; readonly purpose: Purpose };

/** A form before it is signed; `call` is null when it does nothing. */
export type Unsigned = { readonly nonce: number; readonly fees: Fees; readonly call: Call | null };

/** Why there is no dearer form: the policy leaves no room for one that nodes accept, or the account cannot pay it. */
export type Unaffordable = { lacks: 'room' } | { lacks: 'balance'; balance: bigint; needed: bigint };

/** Prices and signs for one account on one chain. */
export type Transactor = ReturnType<typeof transactor>;

const transferGas = 21_000n;

/**
 * Prices and signs what one account sends on one chain. It stores and sends nothing. Only an empty form has the whole limit: whatever
 * does something can be replaced by one.
 * @param bumpAfterBlocks - Full blocks, less one, whose rises of the base fee an offer outlives; see {@link offer}.
 */
export function transactor(account: {
  signer: TransactionSigner;
  chain: ChainPort;
  policy: FeePolicy;
  bumpAfterBlocks: number;
}) {
  const { signer, chain, policy, bumpAfterBlocks } = account;
  const { address } = signer;
  const signed = async ({ nonce, fees, call }: Unsigned, { to, data, gas }: Call): Promise<Form> => {
    const common = { chainId: chain.chainId, nonce, to, data, gas, value: 0n };
    const raw = await signer.signTransaction(
      policy.type === 'legacy'
        ? { ...common, type: 'legacy', gasPrice: fees.maxFee }
        : { ...common, type: 'eip1559', maxFeePerGas: fees.maxFee, maxPriorityFeePerGas: fees.tip },
    );
    return { hash: keccak256(raw), raw, fees, purpose: call ? 'deliver' : 'cancel' };
  };
  /** More than a plain transfer's gas on some layer 2 chains. */
  const emptyCall = async (): Promise<Call> => {
    const estimate = (await chain.estimateEmpty(address)) ?? 0n;
    return { to: address, data: '0x', gas: estimate > transferGas ? estimate : transferGas };
  };
  const sign = async (form: Unsigned): Promise<Form> => signed(form, form.call ?? (await emptyCall()));
  const costOf = async ({ data, gas }: Pick<Call, 'data' | 'gas'>, { maxFee }: Fees): Promise<bigint> =>
    gas * maxFee + (await chain.l1Fee({ dataBytes: size(data), gas }));
  const dearer = async ({ fees, call }: Unsigned) =>
    bump(fees, await chain.market(), call ? belowCancel(policy) : policy, bumpAfterBlocks);
  return {
    sign,
    /** What a first form is offered, and what it may cost in wei. Its gas is a third above the estimate, for what is mined before it. */
    async quote(estimate: bigint, gasLimit: bigint, data: Hex) {
      const [market, balance] = await Promise.all([chain.market(), chain.balance(address)]);
      const fees = offer(market, belowCancel(policy), bumpAfterBlocks);
      const padded = (estimate * 13n) / 10n;
      const gas = padded < gasLimit ? padded : gasLimit;
      return { gas, fees, needed: await costOf({ data, gas }, fees), balance, baseFee: market.baseFee };
    },
    /** An empty transaction at a nonce that no other has. */
    fill: async (nonce: number): Promise<Form> =>
      sign({ nonce, fees: offer(await chain.market(), policy, bumpAfterBlocks), call: null }),
    /** The same nonce and purpose at a higher price. @param wanted - From the caller's own reading of the market. */
    async raised(old: Unsigned, wanted?: Fees): Promise<Form | Unaffordable> {
      const fees = wanted ?? (await dearer(old));
      if (!fees) return { lacks: 'room' };
      const call = old.call ?? (await emptyCall());
      const [balance, needed] = await Promise.all([chain.balance(address), costOf(call, fees)]);
      return balance < needed ? { lacks: 'balance', balance, needed } : signed({ ...old, fees }, call);
    },
    /**
     * The same nonce in a form that only uses it up. Up to the limit, of which no form that does something has used the last part;
     * without room where the limits have become lower since. It has the old price then: a node that has the old form keeps that, one
     * that forgot it never gets it from here again.
     */
    async emptied(old: Unsigned): Promise<Form> {
      const empty = { ...old, call: null };
      return sign({ ...empty, fees: (await dearer(empty)) ?? old.fees });
    },
  };
}
