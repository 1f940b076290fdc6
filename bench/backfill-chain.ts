import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { superVaultAbi, superVaultAggregatorAbi } from '@castellan/chain';
import { type Anvil, anvilVersion, cacheFolder, startAnvil } from '@castellan/protocol';
import { anAddress, freePort } from '@castellan/testkit';
import { type Abi, concatHex, encodeAbiParameters, encodeEventTopics, type Hex, numberToHex, pad, toHex } from 'viem';

/** What is on the chain, and where. */
export type BackfillChain = {
  anvil: Anvil;
  governor: Hex;
  aggregator: Hex;
  ppsOracle: Hex;
  vaults: readonly Hex[];
  lastBlock: number;
  /** Entries that the log has in the end: each log, and what was observed of each transaction. */
  entries: number;
};

const VAULTS = 20;
const LOGS_IN_TRANSACTION = 40;
const TRANSACTIONS_IN_BLOCK = 5;
const BLOCK_SECONDS = 12;
/** A fixed beginning, so that each run has the same chain. */
const startTime = 1_790_000_000;
/** Of the first account of anvil's mnemonic. */
const sender = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const governor = anAddress(0xa1) as Hex;
const aggregator = anAddress(0xa2) as Hex;
const ppsOracle = anAddress(0xa3) as Hex;
const vaults = Array.from({ length: VAULTS }, (_, index) => anAddress(0x1_000 + index) as Hex);

/**
 * Calldata: how often, three topics, 64 bytes of data. Logs that so often.
 * Less calldata than that is a call of a view, which returns nothing: `PUSH1 80 CALLDATASIZE LT PUSH1 end JUMPI`.
 */
const repeatedLog: Hex = concatHex([
  '0x6080361060295760406080',
  '0x5f375f355b8015602957', // mem = data; n; loop: n == 0 -> end
  '0x60603560403560203560405fa3', // LOG3(0, 64, topics)
  '0x6001900360', // n - 1
  '0x0f565b00',
]);
/** Calldata: four topics, then the data of one log. */
const singleLog: Hex = '0x60803610601e57608036038060805f376060356040356020355f35845fa45b00';

type Rpc = (calls: readonly { method: string; params: readonly unknown[] }[]) => Promise<unknown[]>;

const rpcOf =
  (url: string): Rpc =>
  async (calls) => {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const answers = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[];
    return answers.map(({ result, error }) => {
      if (error) throw new Error(`anvil refused: ${error.message}`);
      return result;
    });
  };

const send = (to: Hex, data: Hex) => ({
  method: 'eth_sendTransaction',
  params: [{ from: sender, to, data, gas: numberToHex(2_000_000) }],
});

const topicsOf = (abi: Abi, eventName: string, args: Record<string, unknown>): Hex[] =>
  encodeEventTopics({ abi, eventName, args } as never) as Hex[];

function deployed(vault: Hex, index: number): Hex {
  const args = { vault, strategy: anAddress(0x2_000 + index), nonce: BigInt(index) };
  const topics = topicsOf(superVaultAggregatorAbi as Abi, 'VaultDeployed', args);
  const types = ['address', 'address', 'string', 'string'].map((type) => ({ type }));
  const values = [anAddress(0x3_000 + index), anAddress(0xa4), `Vault ${index}`, `V${index}`];
  return concatHex([...topics, encodeAbiParameters(types, values)]);
}

function deposits(count: number, transaction: number): Hex {
  const args = { sender: anAddress(0x10_000 + transaction), owner: anAddress(0x20_000 + (transaction % 500)) };
  const amounts = [10n ** 18n + BigInt(transaction), 10n ** 18n].map((amount) => pad(toHex(amount)));
  return concatHex([pad(toHex(count)), ...topicsOf(superVaultAbi as Abi, 'Deposit', args), ...amounts]);
}

async function makeHistory(rpc: Rpc, logs: number): Promise<void> {
  const setCode = (address: Hex, code: Hex) => ({ method: 'anvil_setCode', params: [address, code] });
  const mine = async (block: number) => {
    await rpc([{ method: 'evm_mine', params: [startTime + block * BLOCK_SECONDS] }]);
  };
  await rpc([
    setCode(aggregator, singleLog),
    setCode(governor, singleLog),
    ...vaults.map((vault) => setCode(vault, repeatedLog)),
  ]);
  await rpc(vaults.map((vault, index) => send(aggregator, deployed(vault, index))));
  await mine(1);
  let left = logs;
  let transaction = 0;
  for (let block = 2; left > 0; block += 1) {
    const calls: ReturnType<typeof send>[] = [];
    while (left > 0 && calls.length < TRANSACTIONS_IN_BLOCK) {
      const count = Math.min(left, LOGS_IN_TRANSACTION);
      calls.push(send(vaults[transaction % VAULTS] as Hex, deposits(count, transaction)));
      left -= count;
      transaction += 1;
    }
    await rpc(calls);
    await mine(block);
  }
}

/**
 * A chain with `logs` deposits into 20 vaults, 40 a transaction and 200 a block. Kept under the hash of all that it depends on, so that
 * only the first run makes it. The contracts only log: no view of theirs answers.
 */
export async function startBackfillChain(logs: number): Promise<BackfillChain> {
  const shape = JSON.stringify([logs, readFileSync(import.meta.filename, 'utf8'), anvilVersion()]);
  const key = createHash('sha256').update(shape).digest('hex').slice(0, 16);
  const folder = join(cacheFolder() ?? join(import.meta.dirname, 'results'), 'backfill');
  const kept = join(folder, `${key}.json`);
  mkdirSync(folder, { recursive: true });
  const manual = { manual: true, timestamp: startTime, stopWithinMs: 120_000 } as const;
  if (!existsSync(kept)) {
    const making = `${kept}.${process.pid}`;
    const anvil = await startAnvil({ ...manual, port: await freePort(), statePath: making });
    try {
      await makeHistory(rpcOf(anvil.rpcUrl), logs);
    } finally {
      await anvil.stop();
    }
    renameSync(making, kept);
  }
  const anvil = await startAnvil({ ...manual, port: await freePort(), loadStatePath: kept });
  const [head] = await rpcOf(anvil.rpcUrl)([{ method: 'eth_blockNumber', params: [] }]);
  const transactions = VAULTS + Math.ceil(logs / LOGS_IN_TRANSACTION);
  return {
    anvil,
    governor,
    aggregator,
    ppsOracle,
    vaults,
    lastBlock: Number(head),
    entries: VAULTS + logs + transactions,
  };
}
