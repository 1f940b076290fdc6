import type { PreparedCall } from '@castellan/contracts';
import {
  type Address,
  decodeFunctionData,
  domainSeparator,
  encodeAbiParameters,
  type Hex,
  hashStruct,
  hashTypedData,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem';
import { sameAddress } from './same-address.ts';

type Wrapped = Pick<PreparedCall, 'to' | 'data' | 'value' | 'chain_id' | 'signer'>;
type Package = NonNullable<PreparedCall['signer']['package']>;
type Safe = Extract<Package, { kind: 'safe' }>;
type Timelock = Extract<Package, { kind: 'timelock' }>;

const sameHex = (left: unknown, right: string): boolean =>
  typeof left === 'string' && left.toLowerCase() === right.toLowerCase();
const isZero = (value: unknown): boolean => String(value) === '0';
const isNobody = (value: unknown): boolean => typeof value === 'string' && /^0x0{40}$/.test(value);

const safeTypes = {
  SafeTx: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
    { name: 'operation', type: 'uint8' },
    { name: 'safeTxGas', type: 'uint256' },
    { name: 'baseGas', type: 'uint256' },
    { name: 'gasPrice', type: 'uint256' },
    { name: 'gasToken', type: 'address' },
    { name: 'refundReceiver', type: 'address' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const;

/** Since 1.3.0 the chain is part of what a Safe signs. */
const bindsChain = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > 1 || (major === 1 && minor >= 3);
};

/** The hashes a hardware screen shows, computed here. */
export function safeHashes(
  chainId: number,
  { safe_address, version, safe_tx: tx }: Safe,
): { domain: Hex; message: Hex; transaction: Hex } {
  const domain = {
    ...(bindsChain(version) ? { chainId } : {}),
    verifyingContract: safe_address as Address,
  };
  const number = (name: string) => BigInt(String(tx[name]));
  const message = {
    to: tx.to as Address,
    value: number('value'),
    data: tx.data as Hex,
    operation: Number(tx.operation),
    safeTxGas: number('safeTxGas'),
    baseGas: number('baseGas'),
    gasPrice: number('gasPrice'),
    gasToken: tx.gasToken as Address,
    refundReceiver: tx.refundReceiver as Address,
    nonce: number('nonce'),
  };
  return {
    domain: domainSeparator({ domain }),
    message: hashStruct({ data: message, primaryType: 'SafeTx', types: safeTypes }),
    transaction: hashTypedData({ domain, types: safeTypes, primaryType: 'SafeTx', message }),
  };
}

function batchCarries(call: Wrapped, { batch }: Safe): boolean {
  const transactions: unknown = batch.transactions;
  if (!Array.isArray(transactions) || transactions.length !== 1) return false;
  const [only] = transactions as { to?: unknown; data?: unknown; value?: unknown }[];
  return (
    sameHex(only?.to, call.to) &&
    sameHex(only?.data, call.data) &&
    String(only?.value) === call.value &&
    String(batch.chainId) === String(call.chain_id)
  );
}

function checkSafe(call: Wrapped, safe: Safe): string[] {
  const problems: string[] = [];
  const { safe_tx: tx } = safe;
  if (!sameAddress(safe.safe_address, call.signer.wallet_address)) {
    problems.push('The package is for another Safe than the one that has to send the call.');
  }
  if (!sameHex(tx.to, call.to) || !sameHex(tx.data, call.data) || String(tx.value) !== call.value) {
    problems.push('The transaction of the Safe carries another call than this one.');
  }
  if (!isZero(tx.operation)) problems.push('The Safe would hand over control to the contract instead of calling it.');
  if (!isZero(tx.gasPrice) || !isNobody(tx.gasToken) || !isNobody(tx.refundReceiver)) {
    problems.push('The transaction of the Safe pays a refund, which this change never needs.');
  }
  if (String(tx.nonce) !== String(safe.nonce)) problems.push('The nonce shown is not the one that is signed.');
  if (!batchCarries(call, safe)) problems.push('The file for the Safe carries another call than this one.');
  const hashes = safeHashes(call.chain_id, safe);
  if (
    !sameHex(hashes.transaction, safe.safe_tx_hash) ||
    !sameHex(hashes.domain, safe.domain_hash) ||
    !sameHex(hashes.message, safe.message_hash)
  ) {
    problems.push('The hash to sign is not the hash of this transaction.');
  }
  return problems;
}

/** Of OpenZeppelin's TimelockController. */
export const timelockSignatures = [
  'function schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)',
  'function execute(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt)',
] as const;

const timelockAbi = parseAbi(timelockSignatures);

function checkTimelock(call: Wrapped, lock: Timelock): string[] {
  const problems: string[] = [];
  if (!sameAddress(lock.timelock_address, call.signer.wallet_address)) {
    problems.push('The package is for another timelock than the one that has to send the call.');
  }
  for (const name of ['schedule', 'execute'] as const) {
    const step = lock[name];
    const { functionName, args } = decodeFunctionData({ abi: timelockAbi, data: step.data as Hex });
    const [target, value, data, predecessor, salt] = args;
    const delay = args[5];
    const carries =
      functionName === name &&
      sameAddress(step.to, lock.timelock_address) &&
      step.value === '0' &&
      sameHex(target, call.to) &&
      sameHex(data, call.data) &&
      String(value) === call.value &&
      sameHex(predecessor, lock.predecessor) &&
      sameHex(salt, lock.salt) &&
      (delay === undefined || delay >= BigInt(lock.min_delay_seconds));
    if (!carries) problems.push(`The ${name} call of the timelock carries another call than this one.`);
  }
  const id = keccak256(
    encodeAbiParameters(parseAbiParameters('address, uint256, bytes, bytes32, bytes32'), [
      call.to as Address,
      BigInt(call.value),
      call.data as Hex,
      lock.predecessor as Hex,
      lock.salt as Hex,
    ]),
  );
  if (!sameHex(id, lock.operation_id)) problems.push('The operation id is not the one of this call.');
  return problems;
}

/** What is wrong with the package for a Safe or a timelock: it must carry this very call, and its hashes must be its own. */
export function checkPackage(call: Wrapped): string[] {
  const { package: wrapped } = call.signer;
  if (wrapped === null) return [];
  try {
    return wrapped.kind === 'safe' ? checkSafe(call, wrapped) : checkTimelock(call, wrapped);
  } catch {
    // Fields that are missing or of another form: nothing can be said for them.
    return ['The package for the signer cannot be read.'];
  }
}
