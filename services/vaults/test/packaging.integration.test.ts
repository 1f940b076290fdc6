import { chainClient } from '@castellan/chain';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Address, concatHex, type Hex, hexToBigInt, keccak256 } from 'viem';
import { type Contract, person, TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import { carries, schedules } from '../src/prepared-calls/signers/carries.ts';
import { signerPackager } from '../src/prepared-calls/signers/signer.ts';
import {
  deploySafe,
  deployTimelock,
  executedBySafe,
  safeContractAbi,
  safeOwners,
  timelockContractAbi,
  timelockDelay,
} from './contract-signers.ts';

/** How a call is packaged for its sender, against the real contracts of both kinds. */

const config = { chainId: 31_337 };
const signerOf = signerPackager(() => 1_700_000_000_000);
let chain: TestChain;
let token: Contract;
let client: ReturnType<typeof chainClient>;
let safe: Address;
let timelock: Address;

beforeAll(async () => {
  chain = await TestChain.start();
  client = chainClient({ chainId: config.chainId, rpcUrls: [chain.anvil.rpcUrl] } as never);
  token = await chain.deploy('DevToken', ['USD Coin', 'USDC', 6]);
  safe = await deploySafe(chain);
  timelock = await deployTimelock(chain, who.main);
});
afterAll(async () => chain?.stop());

/** No test finds what another sent. */
let snapshot: Hex;
beforeEach(async () => {
  snapshot = await chain.client.snapshot();
});
afterEach(async () => {
  await chain.client.revert({ id: snapshot });
});

/** A call whose effect can be seen: who holds how much of the token. */
const approval = (spender: Address, amount: bigint) => ({
  to: token.address,
  data: chain.encode(token, 'approve', [spender, amount]),
});
const allowance = (owner: Address, spender: Address) => chain.read<bigint>(token, 'allowance', [owner, spender]);
const packaged = async (wallet: Address, ...calls: { to: Address; data: Hex }[]) =>
  signerOf(
    { config, client },
    wallet,
    calls.map((call, index) => ({ id: `call-${index}`, description: `Call ${index}.`, ...call })),
  );
const sent = (from: Address, to: Address, input: Hex) => ({ from, to, input, value: 0n });

describe('an account', () => {
  test('default: sends the call as it is', async () => {
    const [signer] = await packaged(who.main, approval(who.alice, 1n));
    expect(signer).toEqual({ wallet_address: who.main, kind: 'eoa', package: null });
  });

  test('behavior: stays one when it delegates to a contract (EIP-7702)', async () => {
    const wallet = person(33).address;
    await chain.client.setCode({ address: wallet, bytecode: concatHex(['0xef0100', token.address]) });
    expect(await packaged(wallet, approval(who.alice, 1n))).toMatchObject([{ kind: 'eoa' }]);
    await chain.client.setCode({ address: wallet, bytecode: concatHex(['0x60', token.address]) });
    expect(await packaged(wallet, approval(who.alice, 1n))).toMatchObject([{ kind: 'contract' }]);
  });

  test('behavior: carries exactly the call, from itself', async () => {
    const call = approval(who.alice, 1n);
    const [signer] = await packaged(who.main, call);
    if (!signer) throw new Error('no signer');
    const exact = sent(who.main, call.to, call.data);
    expect(carries(call, signer, exact)).toBe(true);
    const others = [
      { ...exact, from: who.stranger },
      { ...exact, to: who.stranger },
      { ...exact, to: null },
      { ...exact, value: 1n },
      { ...exact, input: `${call.data}00` as Hex },
      { ...exact, input: approval(who.alice, 2n).data },
    ];
    expect(others.map((other) => carries(call, signer, other))).toEqual(others.map(() => false));
  });
});

describe('a Safe', () => {
  test('default: its owners sign the hash that the Safe itself computes, and the call is made', async () => {
    const call = approval(who.alice, 7n);
    const [signer] = await packaged(safe, call);
    expect(signer).toMatchObject({
      wallet_address: safe,
      kind: 'safe',
      package: { kind: 'safe', safe_address: safe, version: '1.5.0', threshold: 2, nonce: 0 },
    });
    if (signer?.package?.kind !== 'safe') throw new Error('no package');
    const { safe_tx, safe_tx_hash, domain_hash, message_hash, owners } = signer.package;
    expect([...owners].sort()).toEqual(safeOwners.map(({ address }) => address).sort());
    const fields = [
      'to',
      'value',
      'data',
      'operation',
      'safeTxGas',
      'baseGas',
      'gasPrice',
      'gasToken',
      'refundReceiver',
      'nonce',
    ];
    const args = fields.map((field) => safe_tx[field]);
    const read = (functionName: string, of: unknown[] = []) =>
      chain.client.readContract({ address: safe, abi: safeContractAbi, functionName, args: of });
    expect(safe_tx_hash).toBe(await read('getTransactionHash', args));
    expect(domain_hash).toBe(await read('domainSeparator'));
    expect(keccak256(concatHex(['0x1901', domain_hash as Hex, message_hash as Hex]))).toBe(safe_tx_hash);

    const input = await executedBySafe(safe_tx, safe_tx_hash as Hex);
    // Anybody may send what the owners signed.
    await (await chain.sender(who.stranger)).send({ to: safe, data: input });
    expect(await allowance(safe, who.alice)).toBe(7n);
    expect(carries(call, signer, sent(who.stranger, safe, input))).toBe(true);
    expect(carries(approval(who.alice, 8n), signer, sent(who.stranger, safe, input))).toBe(false);
    expect(carries(call, signer, sent(who.stranger, timelock, input))).toBe(false);
    expect(carries(call, signer, sent(safe, call.to, call.data))).toBe(false);
  });

  test('behavior: the next steps take the next nonces', async () => {
    const signers = await packaged(safe, approval(who.alice, 1n), approval(who.bob, 1n));
    expect(signers.map((signer) => signer.package?.kind === 'safe' && signer.package.nonce)).toEqual([0, 1]);
  });

  test('behavior: carries a call within a batch, but no delegate call', async () => {
    const { encodeMultiSendData } = await import('@safe-global/protocol-kit');
    const call = approval(who.bob, 3n);
    const [signer] = await packaged(safe, call);
    if (signer?.package?.kind !== 'safe') throw new Error('no package');
    const { safe_tx } = signer.package;
    const batched = async (operation: number, outer: number) => {
      const other = { ...approval(who.alice, 0n), value: '0', operation: 0 };
      const transactions = encodeMultiSendData([other, { ...call, value: '0', operation }]) as Hex;
      const data = concatHex(['0x8d80ff0a', `0x${'20'.padStart(64, '0')}`, lengthAnd(transactions)]);
      return executedBySafe(
        { ...safe_tx, to: who.stranger, data, operation: outer },
        signer.package?.kind === 'safe' ? (signer.package.safe_tx_hash as Hex) : '0x',
      );
    };
    expect(carries(call, signer, sent(who.stranger, safe, await batched(0, 1)))).toBe(true);
    expect(carries(call, signer, sent(who.stranger, safe, await batched(1, 1)))).toBe(false);
    const delegated = await executedBySafe({ ...safe_tx, operation: 1 }, signer.package.safe_tx_hash as Hex);
    expect(carries(call, signer, sent(who.stranger, safe, delegated))).toBe(false);
  });
});

/** `bytes` as the ABI has them: length, content, padding. */
const lengthAnd = (bytes: Hex): Hex => {
  const length = (bytes.length - 2) / 2;
  return `0x${length.toString(16).padStart(64, '0')}${bytes.slice(2).padEnd(Math.ceil(length / 32) * 64, '0')}`;
};

describe('a timelock', () => {
  test('default: schedule, and execute once the delay is over', async () => {
    const call = approval(who.alice, 9n);
    const [signer] = await packaged(timelock, call);
    if (signer?.package?.kind !== 'timelock') throw new Error('no package');
    const { schedule, execute, operation_id, min_delay_seconds } = signer.package;
    expect([signer.kind, BigInt(min_delay_seconds)]).toEqual(['timelock', timelockDelay]);
    const is = (functionName: string) =>
      chain.client.readContract({ address: timelock, abi: timelockContractAbi, functionName, args: [operation_id] });
    await (await chain.sender(who.main)).send({ to: timelock, data: schedule.data as Hex });
    expect(await is('isOperationPending')).toBe(true);
    await chain.pass(Number(timelockDelay));
    await (await chain.sender(who.stranger)).send({ to: timelock, data: execute.data as Hex });
    expect(await is('isOperationDone')).toBe(true);
    expect(await allowance(timelock, who.alice)).toBe(9n);

    const asSent = ({ data }: { data: string }) => sent(who.stranger, timelock, data as Hex);
    expect([carries(call, signer, asSent(execute)), schedules(call, signer, asSent(execute))]).toEqual([true, false]);
    expect([carries(call, signer, asSent(schedule)), schedules(call, signer, asSent(schedule))]).toEqual([false, true]);
    expect(carries(approval(who.alice, 8n), signer, asSent(execute))).toBe(false);
    expect(schedules(approval(who.alice, 8n), signer, asSent(schedule))).toBe(false);
  });

  test('behavior: steps wait for the one before, and the same call twice is two operations', async () => {
    const signers = await packaged(timelock, approval(who.alice, 1n), approval(who.alice, 1n));
    const [first, second] = signers.map(({ package: item }) => (item?.kind === 'timelock' ? item : undefined));
    expect(hexToBigInt(first?.predecessor as Hex)).toBe(0n);
    expect(second?.predecessor).toBe(first?.operation_id);
    expect(second?.operation_id).not.toBe(first?.operation_id);
  });
});

test('default: another contract gets no package', async () => {
  const call = approval(who.alice, 1n);
  const [signer] = await packaged(token.address, call);
  expect(signer).toEqual({ wallet_address: token.address, kind: 'contract', package: null });
  if (!signer) throw new Error('no signer');
  const wrapped = concatHex(['0x12345678', `0x${call.to.slice(2).padStart(64, '0')}`, call.data]);
  expect(carries(call, signer, sent(who.stranger, who.bob, wrapped))).toBe(true);
  expect(carries(call, signer, sent(who.stranger, who.bob, call.data))).toBe(false);
});

test('error: RPC_UNAVAILABLE when the node does not answer: nothing is known of the signer', async () => {
  const away = chainClient({ chainId: config.chainId, rpcUrls: ['http://127.0.0.1:1'] } as never, { retries: 0 });
  await expect(signerOf({ config, client: away }, who.main, [])).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
});
