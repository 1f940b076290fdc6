import { bump, type FeePolicy, type Fees, feeDefaults, offer } from '@castellan/transactor';
import { type Hash, keccak256 } from 'viem';
import {
  type Attempt,
  type GivenUp,
  type Journal,
  KeeperLost,
  type Kept,
  type Open,
} from '../adapters/journal.mongo.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Call, KeeperPorts } from '../ports.ts';

type TransactPorts = Pick<KeeperPorts, 'chain' | 'signer' | 'settings' | 'journal' | 'metrics' | 'logger'>;

const transferGas = 21_000n;
/** Above the estimate: what a transaction mined before it changes. */
const padded = (gas: bigint): bigint => (gas * 13n) / 10n;

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** An offer stands while the base fee doubles, which takes one full block more than these. */
const coveredBlocks = 5;
const policyOf = ({ settings: { maxFee } }: Pick<KeeperPorts, 'settings'>): FeePolicy => ({
  ...feeDefaults,
  maxFeeLimit: maxFee,
  maxTip: maxFee,
});

const feesOf = ({ max_fee, tip }: Attempt): Fees => ({ maxFee: BigInt(max_fee), tip: BigInt(tip) });

type Unsigned = Call & { nonce: number; gas: bigint; fees: Fees; kind: Attempt['kind']; block: number };

async function sign({ chain, signer }: TransactPorts, unsigned: Unsigned): Promise<Attempt> {
  const { nonce, to, data, gas, fees, kind, block } = unsigned;
  const raw = await signer.sign({
    ...{ type: 'eip1559', chainId: chain.chainId, nonce, to, data, gas, value: 0n },
    ...{ maxFeePerGas: fees.maxFee, maxPriorityFeePerGas: fees.tip },
  });
  return { hash: keccak256(raw), raw, max_fee: `${fees.maxFee}`, tip: `${fees.tip}`, kind, block };
}

/** The first nonce that is neither mined nor on its way, so that a transaction that was never sent leaves no gap. */
async function freeNonce({ chain, signer, journal }: TransactPorts): Promise<number> {
  const [mined, open] = await Promise.all([chain.minedNonce(signer.address), journal.open(chain.chainId)]);
  const taken = new Set(
    open.filter(({ open: { account } }) => account === signer.address).map(({ open: { nonce } }) => nonce),
  );
  let nonce = mined;
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

/**
 * Signs a call and stores it as the vault's one open transaction. Nothing is sent.
 * @throws Refusal SIMULATION_FAILED with the revert, SLIPPAGE_EXCEEDED, GAS_LIMIT, GAS_TOO_DEAR, LOW_GAS, NONCE_TAKEN.
 */
export async function begin(
  ports: TransactPorts,
  kept: Kept,
  order: Pick<Open, 'key' | 'kind' | 'expires_at'> & { call: Call; changes?: Parameters<Journal['begin']>[2] },
): Promise<{ kept: Kept & { open: Open }; attempt: Attempt }> {
  const { chain, signer, settings, journal } = ports;
  const { call, changes, ...rest } = order;
  const trial = await chain.simulate(signer.address, call);
  if ('revert' in trial) {
    const isSlippage = trial.revert === 'MINIMUM_OUTPUT_AMOUNT_ASSETS_NOT_MET';
    throw new Refusal(
      isSlippage ? 'SLIPPAGE_EXCEEDED' : 'SIMULATION_FAILED',
      `The call would revert: ${trial.revert}.`,
    );
  }
  if (trial.gas > settings.maxGas)
    throw new Refusal('GAS_LIMIT', `The call needs ${trial.gas} gas; the limit is ${settings.maxGas}.`);
  const [market, balance, { number: block }] = await Promise.all([
    chain.market(),
    chain.balance(signer.address),
    chain.head(),
  ]);
  const fees = offer(market, policyOf(ports), coveredBlocks);
  if (fees.maxFee < market.baseFee)
    throw new Refusal(
      'GAS_TOO_DEAR',
      `The next block asks ${market.baseFee} wei per gas; the limit is ${fees.maxFee}.`,
    );
  const gas = min(padded(trial.gas), settings.maxGas);
  if (balance < gas * fees.maxFee)
    throw new Refusal('LOW_GAS', `The key holds ${balance} wei; the transaction may cost ${gas * fees.maxFee}.`);
  const nonce = await freeNonce(ports);
  const attempt = await sign(ports, { ...call, nonce, gas, fees, kind: 'deliver', block });
  const open: Open = {
    ...rest,
    ...call,
    account: signer.address,
    nonce,
    gas: `${gas}`,
    attempts: [attempt],
    offered: false,
  };
  const begun = await journal.begin(kept, open, changes);
  if (!begun) throw new Refusal('NONCE_TAKEN', `Another transaction has taken the nonce ${nonce}.`);
  return { kept: { ...begun, open }, attempt };
}

const lastOf = ({ attempts, key }: Open): Attempt => {
  const last = attempts.at(-1);
  if (!last) throw new KeeperLost(`${key} has no signed form.`);
  return last;
};

/** Sends the newest signed form, which is stored; done again it is the same transaction. */
export async function send(ports: TransactPorts, kept: Kept & { open: Open }): Promise<Kept & { open: Open }> {
  // Before a node is asked: after a crash it is not taken for one that nobody has seen.
  const offered = kept.open.offered ? kept : await ports.journal.offer(kept);
  const { open } = offered;
  const { hash, raw } = lastOf(open);
  const answer = await ports.chain.send(raw);
  ports.metrics.transactions.inc({ chain_id: String(ports.chain.chainId), kind: open.kind, result: answer });
  if (answer !== 'accepted' && answer !== 'nonce_used')
    ports.logger.warn('a node did not take a transaction', { key: open.key, hash, nonce: open.nonce, answer });
  return offered;
}

/** The same nonce at a higher price. */
export async function bumpUp(ports: TransactPorts, kept: Kept & { open: Open }): Promise<Kept & { open: Open }> {
  const { open } = kept;
  const last = lastOf(open);
  const fees = bump(feesOf(last), await ports.chain.market(), policyOf(ports), coveredBlocks);
  if (fees) return replace(ports, kept, { fees, kind: last.kind, code: last.code });
  ports.logger.warn('a transaction waits at the highest price that may be offered', {
    key: open.key,
    nonce: open.nonce,
  });
  // A node that forgot it would leave a gap that every later nonce waits behind.
  return send(ports, kept);
}

/** The same nonce in an empty transaction, which only uses it up. */
export async function giveUp(
  ports: TransactPorts,
  kept: Kept & { open: Open },
  code: GivenUp,
): Promise<Kept & { open: Open }> {
  const old = feesOf(lastOf(kept.open));
  // Without room for a higher price a node that has the old form keeps it; one that forgot it never gets it from here again.
  const fees = bump(old, await ports.chain.market(), policyOf(ports), coveredBlocks) ?? old;
  return replace(ports, kept, { fees, kind: 'cancel', code });
}

async function replace(
  ports: TransactPorts,
  kept: Kept & { open: Open },
  { fees, kind, code }: { fees: Fees; kind: Attempt['kind']; code: GivenUp | undefined },
): Promise<Kept & { open: Open }> {
  const { chain, signer, journal } = ports;
  const { open } = kept;
  const { number: block } = await chain.head();
  const content =
    kind === 'deliver'
      ? { to: open.to, data: open.data, gas: BigInt(open.gas) }
      : { to: signer.address, data: '0x' as const, gas: await emptyGas(ports) };
  const signed = await sign(ports, { ...content, nonce: open.nonce, fees, kind, block });
  const replaced = await journal.replace(kept, { ...signed, ...(code && { code }) });
  ports.metrics.transactions.inc({ chain_id: String(chain.chainId), kind: open.kind, result: 'replaced' });
  return send(ports, replaced);
}

/** More than a plain transfer's on some layer 2 chains. */
async function emptyGas({ chain, signer }: TransactPorts): Promise<bigint> {
  const trial = await chain.simulate(signer.address, { to: signer.address, data: '0x' });
  return 'gas' in trial && trial.gas > transferGas ? trial.gas : transferGas;
}

export const hashesOf = ({ attempts }: Open): Hash[] => attempts.map(({ hash }) => hash);
export const lastAttempt = lastOf;
