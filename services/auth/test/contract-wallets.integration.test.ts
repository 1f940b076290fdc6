import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devnetChain, type Fetch } from '@castellan/chain';
import { anAddress, freePort } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Anvil, startAnvil } from '../../../packages/protocol/src/index.ts';
import { viemSignatures } from '../src/adapters/signatures.viem.ts';

/** Signatures of wallets that are contracts, on a real node: their code is whatever somebody put there. */

const [accepting, looping, deceiving] = [0xc1, 0xc2, 0xc3].map(anAddress) as [string, string, string];
/** Answers EIP-1271's magic value to everything. */
const acceptingCode = '0x631626ba7e60e01b60005260206000f3';
/** JUMPDEST, PUSH1 0, JUMP. */
const loopingCode = '0x5b600056';
const chainId = 31337;

let folder: string;
let anvil: Anvil;

async function ask(method: string, params: unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  await fetch(anvil.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-auth-chain-'));
  anvil = await startAnvil({ port: await freePort(), cachePath: join(folder, 'cache') });
  await ask('anvil_setCode', [accepting, acceptingCode]);
  await ask('anvil_setCode', [looping, loopingCode]);
});
afterAll(async () => {
  await anvil?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const signatures = (fetch?: Fetch) => {
  const deployment = { governor: anAddress(1), aggregator: anAddress(2), start_block: 0, chain_id: chainId };
  return viemSignatures([devnetChain(deployment, { rpcUrls: [anvil.rpcUrl] })], fetch ? { fetch } : {});
};
const proofOf = (address: string) =>
  ({ kind: 'message', message: 'Sign in', address, chainId, signature: `0x${'12'.repeat(65)}` }) as const;
const millisecondsOf = async (work: Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work;
  return performance.now() - started;
};

test('default: the contract says whether it signed', async () => {
  expect(await signatures().isByContract(proofOf(accepting))).toBe(true);
  expect(await signatures().isByContract(proofOf(deceiving))).toBe(false);
});

test('behavior: a contract that never ends is no signature, and costs the node little', async () => {
  const checked = signatures().isByContract(proofOf(looping));
  expect(await millisecondsOf(checked)).toBeLessThan(10_000);
  expect(await checked).toBe(false);
});

test('behavior: checks of one address wait for each other and are refused beyond so many; another wallet does not wait', async () => {
  const { isByContract } = signatures();
  const loops = Promise.allSettled(Array.from({ length: 40 }, () => isByContract(proofOf(looping))));
  const other = isByContract(proofOf(accepting));
  expect(await millisecondsOf(other)).toBeLessThan(10_000);
  expect(await other).toBe(true);
  const outcomes = await loops;
  const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
  expect(refused).toEqual(Array(22).fill('RATE_LIMITED'));
  expect(outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual(Array(18).fill(false));
});

test('behavior: a node that answers all but the call has met such a contract; one that is away is away', async () => {
  const isCall = (init?: RequestInit) => String(init?.body).includes('eth_call');
  const hanging: Fetch = (url, init) =>
    isCall(init)
      ? new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
      : fetch(url, init);
  const gone: Fetch = (url, init) => (isCall(init) ? Promise.reject(new Error('ECONNREFUSED')) : fetch(url, init));
  const checked = signatures(hanging).isByContract(proofOf(accepting));
  expect(await millisecondsOf(checked)).toBeLessThan(10_000);
  expect(await checked).toBe(false);
  await expect(signatures(gone).isByContract(proofOf(accepting))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
});
