import type { Hex } from 'viem';
import { account, chain, sendRaw } from '../system/actors.ts';

type Call = { to: string; data: string; value?: string };

/**
 * An account of which the soak sends everything. Its transactions keep their nonces: one that a reorganisation took away comes back
 * at its place, and none takes the place of another.
 */
export class Account {
  readonly #index: number;
  readonly #gas: bigint;
  readonly #firstNonce: Promise<number>;
  readonly #signed: Hex[] = [];

  constructor(index: number, gas: bigint) {
    this.#index = index;
    this.#gas = gas;
    this.#firstNonce = this.#nonce();
  }

  /** @returns the hash of the transaction, which the node has now. */
  async send(call: Call): Promise<Hex> {
    const nonce = (await this.#firstNonce) + this.#signed.length;
    const onSigned = (signed: Hex) => void this.#signed.push(signed);
    return sendRaw(this.#index, call, { gas: this.#gas, nonce, onSigned });
  }

  /**
   * Sends again what the chain does not have, as wallets do. The local node drops what waits for a transaction that a reorganisation
   * took away.
   */
  async sendAgain(): Promise<void> {
    const mined = await this.#used();
    for (const signed of this.#signed.slice(mined)) {
      // One that the node has already is refused.
      await chain()
        .sendRawTransaction({ serializedTransaction: signed })
        .catch(() => undefined);
    }
  }

  /** How many transactions of the account came on the chain since it was taken. */
  async #used(): Promise<number> {
    return (await this.#nonce()) - (await this.#firstNonce);
  }

  /** @returns what is wrong with the number of transactions: each is on the chain once, and nothing else. */
  async faults(): Promise<string[]> {
    const used = await this.#used();
    return used === this.#signed.length
      ? []
      : [`the account sent ${used} transactions for ${this.#signed.length} calls`];
  }

  #nonce(): Promise<number> {
    return chain().getTransactionCount({ address: account(this.#index).address });
  }
}
