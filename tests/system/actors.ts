import { createClient } from '@castellan/sdk';
import { createPublicClient, createTestClient, createWalletClient, type Hex, http, keccak256 } from 'viem';
import { foundry } from 'viem/chains';
import { devWallet } from '../../packages/protocol/src/dev-wallets.ts';
import { patienceMs } from './patience.ts';

const env = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this through the e2e project of jest.`);
  return value;
};

export const baseUrl = () => env('E2E_BASE_URL');
export const stateDir = () => env('E2E_STATE_DIR');

/** Where the system lets webhooks of a test go: the one origin of loopback it trusts. */
export const webhookOrigin = (): string => `http://127.0.0.1:${Number(new URL(env('E2E_RPC_URL')).port) - 8545 + 8090}`;

/** Account `index` of the devnet's mnemonic. */
export const account = devWallet;

export const chain = () =>
  createPublicClient({ chain: foundry, transport: http(env('E2E_RPC_URL')), cacheTime: 0, pollingInterval: 100 });

/** Signs in by EIP-712, as a script of a curator would. @returns the token and a client that carries it. */
export async function signIn(index: number) {
  const wallet = account(index);
  const anonymous = createClient({ baseUrl: baseUrl() });
  const { typed_data } = await anonymous.createNonce({ body: { address: wallet.address, chain_id: 31337 } });
  const signature = await wallet.signTypedData(typed_data as Parameters<typeof wallet.signTypedData>[0]);
  const { access_token } = await anonymous.createToken({ body: { method: 'eip712', typed_data, signature } });
  return { token: access_token, client: createClient({ baseUrl: baseUrl(), token: access_token }) };
}

/** What the node answers when another transaction of the account was sent between reading its nonce and sending this one. */
const nonceTaken = /nonce too low|replacement transaction underpriced/i;

type Fixed = {
  gas?: bigint;
  /** For an account of which this process sends everything: transactions that a reorganisation took away keep their place. */
  nonce?: number;
  /** Called with the transaction before it is sent. */
  onSigned?: (signed: Hex) => void;
};

/** Signs a call and sends it as a raw transaction, again with the next nonce when a page with the same account was faster. */
export async function sendRaw(
  index: number,
  call: { to: string; data: string; value?: string },
  { onSigned, ...fixed }: Fixed = {},
): Promise<Hex> {
  const wallet = createWalletClient({ account: account(index), chain: foundry, transport: http(env('E2E_RPC_URL')) });
  for (let attempt = 1; ; attempt += 1) {
    const request = await wallet.prepareTransactionRequest({
      to: call.to as Hex,
      data: call.data as Hex,
      value: BigInt(call.value ?? '0'),
      ...fixed,
    });
    const serializedTransaction = await wallet.signTransaction(request);
    onSigned?.(serializedTransaction);
    try {
      return await wallet.sendRawTransaction({ serializedTransaction });
    } catch (error) {
      const hash = keccak256(serializedTransaction);
      if (await isKnown(hash)) return hash;
      if (attempt === 5 || fixed.nonce !== undefined || !nonceTaken.test(String(error))) throw error;
    }
  }
}

/** Whether the node has a transaction, as after an answer of its own that did not arrive. */
const isKnown = (hash: Hex): Promise<boolean> =>
  chain()
    .getTransaction({ hash })
    .then(
      () => true,
      () => false,
    );

/** Gives account `index` one ether for gas. */
export async function giveGas(index: number): Promise<void> {
  const node = createTestClient({ chain: foundry, mode: 'anvil', transport: http(env('E2E_RPC_URL')) });
  await node.setBalance({ address: account(index).address, value: 10n ** 18n });
}

/** Moves the devnet's clock, as for a timelock that is to be over. Blocks go on from there. */
export async function passTime(seconds: number): Promise<void> {
  const clock = createTestClient({ chain: foundry, mode: 'anvil', transport: http(env('E2E_RPC_URL')) });
  await clock.increaseTime({ seconds });
  await clock.mine({ blocks: 1 });
}

/** What a poll read last, short enough for a message. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item)) ?? String(value);
  return text.length > 600 ? `${text.slice(0, 600)} ...` : text;
};

/** A poll asks soon at first; what takes long is asked for less often, since answers cost processor time, too. */
const firstPauseMs = 50;
const lastPauseMs = 250;

/**
 * Polls until what is read passes the check, then returns it.
 * @throws Error naming what was awaited and what was read last.
 */
export async function untilRead<T>(
  what: string,
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  withinMs = 1.5 * patienceMs,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(lastPauseMs, pauseMs * 1.3)) {
    const value = await read();
    if (isDone(value)) return value;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}. Read last: ${shown(value)}`);
    // biome-ignore lint/plugin: between two reads of a poll
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Polls until `read` answers something, then returns it. @throws Error naming what was awaited and what was read last. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | false>,
  withinMs = 1.5 * patienceMs,
): Promise<T> {
  const value = await untilRead(what, read, (answer) => answer !== undefined && answer !== false, withinMs);
  return value as T;
}
