import { LeaseLost } from '@castellan/service-kit';
import { KeyServiceError } from '@castellan/signer';
import { type Form, feeDefaults, freeNonce, transactor, type Unsigned } from '@castellan/transactor';
import type { Hash } from 'viem';
import type { Attempt, GivenUp, Journal, Kept, Open } from '../adapters/journal.mongo.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Call, KeeperPorts } from '../ports.ts';

type TransactPorts = Pick<KeeperPorts, 'chain' | 'signer' | 'settings' | 'journal' | 'metrics' | 'logger' | 'now'>;

type Sending = Kept & { open: Open };

/** An offer stands while the base fee doubles, which takes one full block more than these. */
const bumpAfterBlocks = 5;

const accountOf = ({ chain, signer, settings: { maxFee } }: TransactPorts) =>
  transactor({
    signer,
    policy: { ...feeDefaults, maxFeeLimit: maxFee, maxTip: maxFee },
    bumpAfterBlocks,
    chain: {
      ...chain,
      estimateEmpty: async (address) => {
        const trial = await chain.simulate(address, { to: address, data: '0x' });
        return 'gas' in trial ? trial.gas : null;
      },
    },
  });

const attemptOf = ({ hash, raw, fees, purpose }: Form, block: number): Attempt => ({
  hash,
  raw,
  max_fee: `${fees.maxFee}`,
  tip: `${fees.tip}`,
  kind: purpose,
  block,
});

const unsignedOf = (open: Open): Unsigned => {
  const { max_fee, tip, kind } = lastAttempt(open);
  const call = kind === 'deliver' ? { to: open.to, data: open.data, gas: BigInt(open.gas) } : null;
  return { nonce: open.nonce, fees: { maxFee: BigInt(max_fee), tip: BigInt(tip) }, call };
};

type NoncePorts = Pick<TransactPorts, 'chain' | 'signer' | 'journal'>;

async function ownOpen({ chain, signer, journal }: NoncePorts): Promise<Open[]> {
  const open = (await journal.open(chain.chainId)).map((kept) => kept.open);
  return open.filter(({ account }) => account === signer.address);
}

const isUnsent = ({ offered }: Open): boolean => !offered;

/**
 * Whether a transaction is signed and was offered to no node yet, as when the store fails in between. The next pass sends it, or
 * forgets it: one that was sent behind it would then wait until some other transaction takes the nonce.
 */
export const hasUnsent = async (ports: NoncePorts): Promise<boolean> => (await ownOpen(ports)).some(isUnsent);

async function nextNonce(ports: NoncePorts): Promise<number> {
  const { chain, signer } = ports;
  const [mined, own] = await Promise.all([chain.minedNonce(signer.address), ownOpen(ports)]);
  const unsent = own.find(isUnsent);
  if (unsent) throw new Refusal('NONCE_TAKEN', `The transaction with the nonce ${unsent.nonce} is not sent yet.`);
  return freeNonce(mined, new Set(own.map(({ nonce }) => nonce)));
}

/**
 * Signs a call and stores it as the vault's one open transaction. Nothing is sent.
 * @throws Refusal SIMULATION_FAILED with the revert, SLIPPAGE_EXCEEDED, GAS_LIMIT, GAS_TOO_DEAR, LOW_GAS, NONCE_TAKEN, KEY_UNAVAILABLE.
 */
export async function begin(
  ports: TransactPorts,
  kept: Kept,
  order: Pick<Open, 'key' | 'kind' | 'expires_at'> & { call: Call; changes?: Parameters<Journal['begin']>[2] },
): Promise<{ kept: Sending; attempt: Attempt }> {
  const { chain, signer, settings, journal } = ports;
  const { call, changes, ...rest } = order;
  const trial = await chain.simulate(signer.address, call);
  if ('revert' in trial) {
    const isSlippage = trial.revert === 'MINIMUM_OUTPUT_AMOUNT_ASSETS_NOT_MET';
    const code = isSlippage ? 'SLIPPAGE_EXCEEDED' : 'SIMULATION_FAILED';
    throw new Refusal(code, `The call would revert: ${trial.revert}.`);
  }
  if (trial.gas > settings.maxGas)
    throw new Refusal('GAS_LIMIT', `The call needs ${trial.gas} gas; the limit is ${settings.maxGas}.`);
  const account = accountOf(ports);
  const [{ gas, fees, needed, balance, baseFee }, { number: block }] = await Promise.all([
    account.quote(trial.gas, settings.maxGas, call.data),
    chain.head(),
  ]);
  if (fees.maxFee < baseFee)
    throw new Refusal(
      'GAS_TOO_DEAR',
      `The next block asks ${baseFee} wei per gas; ${fees.maxFee} of the limit may be offered.`,
    );
  if (balance < needed)
    throw new Refusal('LOW_GAS', `The key holds ${balance} wei; the transaction may cost ${needed}.`);
  const nonce = await nextNonce(ports);
  // After a restore a transaction may be on its way that this journal has never had.
  if ((await chain.pendingNonce(signer.address)) > nonce)
    throw new Refusal(
      'NONCE_TAKEN',
      `A node holds a transaction with the nonce ${nonce} that the journal does not know.`,
    );
  const form = await account.sign({ nonce, fees, call: { ...call, gas } }).catch((error: unknown) => {
    if (!(error instanceof KeyServiceError)) throw error;
    ports.logger.error('the key service did not sign', { key: order.key, fault: error.fault, error });
    throw new Refusal('KEY_UNAVAILABLE', 'The key service of the keeper did not sign.');
  });
  const attempt = attemptOf(form, block);
  const open: Open = {
    ...rest,
    ...call,
    account: signer.address,
    nonce,
    gas: `${gas}`,
    attempts: [attempt],
    begun_at: new Date(ports.now()).toISOString(),
    offered: false,
  };
  const begun = await journal.begin(kept, open, changes);
  if (!begun) throw new Refusal('NONCE_TAKEN', `Another transaction has taken the nonce ${nonce}.`);
  return { kept: { ...begun, open }, attempt };
}

export const lastAttempt = ({ attempts, key }: Open): Attempt => {
  const last = attempts.at(-1);
  if (!last) throw new LeaseLost('keeper', `${key} has no signed form.`);
  return last;
};

/** Sends the newest signed form, which is stored; done again it is the same transaction. */
export async function send(ports: TransactPorts, kept: Sending): Promise<Sending> {
  // Before a node is asked: after a crash it is not taken for one that nobody has seen.
  const offered = kept.open.offered ? kept : await ports.journal.offer(kept);
  const { open } = offered;
  const { hash, raw } = lastAttempt(open);
  const answer = await ports.chain.send(raw);
  ports.metrics.transactions.inc({ chain_id: String(ports.chain.chainId), kind: open.kind, result: answer });
  if (answer !== 'accepted' && answer !== 'nonce_used')
    ports.logger.warn('a node did not take a transaction', { key: open.key, hash, nonce: open.nonce, answer });
  return offered;
}

/** The same nonce at a higher price. */
export async function bumpUp(ports: TransactPorts, kept: Sending): Promise<Sending> {
  const { open } = kept;
  const next = await accountOf(ports).raised(unsignedOf(open));
  if ('raw' in next) return replace(ports, kept, next, lastAttempt(open).code);
  ports.logger.warn(
    next.lacks === 'room'
      ? 'a transaction waits at the highest price that may be offered'
      : 'a transaction waits until the key can pay a higher price',
    { key: open.key, nonce: open.nonce },
  );
  // A node that forgot it would leave a gap that every later nonce waits behind.
  return send(ports, kept);
}

/** The same nonce in an empty transaction, which only uses it up. */
export const giveUp = async (ports: TransactPorts, kept: Sending, code: GivenUp): Promise<Sending> =>
  replace(ports, kept, await accountOf(ports).emptied(unsignedOf(kept.open)), code);

async function replace(ports: TransactPorts, kept: Sending, form: Form, code?: GivenUp): Promise<Sending> {
  const { chain, journal } = ports;
  const { number: block } = await chain.head();
  const replaced = await journal.replace(kept, { ...attemptOf(form, block), ...(code && { code }) });
  ports.metrics.transactions.inc({ chain_id: String(chain.chainId), kind: kept.open.kind, result: 'replaced' });
  return send(ports, replaced);
}

export const hashesOf = ({ attempts }: Open): Hash[] => attempts.map(({ hash }) => hash);
