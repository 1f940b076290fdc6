import { readFileSync } from 'node:fs';
import { type ChainConfig, devnetChain, MULTICALL3 } from '@castellan/chain';
import { hexToNumber, numberToHex } from 'viem';
import { z } from 'zod';
import { loadConfig } from '../../../services/vaults/src/config.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';
import type { Process } from './processes.ts';

const chain = findingsOf('chain');
const clock = findingsOf('clock');
const patienceMs = 10_000;

/** The chains that the vaults service is configured with; none where its configuration cannot be read. */
export function chainsOf({ env }: Process): ChainConfig[] {
  try {
    const { chains, devnets } = loadConfig(env).sources;
    const local = devnets.map(({ deploymentFile, rpcUrl }) =>
      devnetChain(JSON.parse(readFileSync(deploymentFile, 'utf8')), { rpcUrls: [rpcUrl] }),
    );
    return [...chains, ...local];
  } catch {
    return [];
  }
}

const Answer = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });

/** @returns the result of a call. @throws Error with the node's own words. */
async function ask(url: string, method: string, params: unknown[]): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const { result, error } = Answer.parse(await answer.json());
  if (error) throw new Error(error.message);
  return result;
}

const BlockBody = z.object({ hash: z.string().optional(), transactions: z.array(z.string()).default([]) });
const Block = z.object({ number: z.string(), timestamp: z.string() });
type Endpoint = { config: ChainConfig; url: string; subject: string };
type Head = { number: number; timestamp: number };

async function headOf(url: string): Promise<Head> {
  const { number, timestamp } = Block.parse(await ask(url, 'eth_getBlockByNumber', ['latest', false]));
  return { number: hexToNumber(number as `0x${string}`), timestamp: hexToNumber(timestamp as `0x${string}`) };
}

const succeeds = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    (result) => result !== null,
    () => false,
  );

async function checkTags({ url, subject }: Endpoint): Promise<Finding[]> {
  const missing: string[] = [];
  for (const tag of ['safe', 'finalized'])
    if (!(await succeeds(ask(url, 'eth_getBlockByNumber', [tag, false])))) missing.push(tag);
  if (missing.length === 0) return [];
  return [
    chain.warning(
      subject,
      `it does not know the block tags ${missing.join(' and ')}`,
      'Set confirmations high enough to do without them.',
    ),
  ];
}

async function checkArchive({ config, url, subject }: Endpoint): Promise<Finding[]> {
  const block = numberToHex(config.startBlock);
  if (await succeeds(ask(url, 'eth_getBalance', [config.governor, block]))) return [];
  const found = `it has no state of block ${config.startBlock}, where the log begins`;
  return [
    chain.warning(
      subject,
      found,
      'Name an archive node first in rpc_urls; contracts of wallets are asked at old blocks, too.',
    ),
  ];
}

const ranges = [10_000, 2_000, 500, 100] as const;
const fewestBlocks = 500;

async function checkRange({ config, url, subject }: Endpoint, head: Head): Promise<Finding[]> {
  for (const range of ranges) {
    const filter = {
      address: config.governor,
      fromBlock: numberToHex(Math.max(0, head.number - range + 1)),
      toBlock: numberToHex(head.number),
    };
    if (!(await succeeds(ask(url, 'eth_getLogs', [filter])))) continue;
    if (range >= fewestBlocks) return [];
    return [
      chain.warning(
        subject,
        `it answers eth_getLogs for ${range} blocks at most`,
        'A first read takes long; choose another provider.',
      ),
    ];
  }
  return [
    chain.fault(subject, 'it does not answer eth_getLogs for 100 blocks', 'Choose another provider: docs/rpc.md.'),
  ];
}

/** What a node says that does not answer; null where it does. */
async function refusalOf(asked: Promise<unknown>): Promise<string | null> {
  return asked.then(
    () => null,
    (error: unknown) => messageOf(error),
  );
}

/** The first read begins at the start block, and nodes forget: some their logs, some where transactions are. */
async function checkHistory({ config, url, subject }: Endpoint): Promise<Finding[]> {
  const from = numberToHex(config.startBlock);
  const refusal = await refusalOf(
    ask(url, 'eth_getLogs', [
      { address: config.governor, fromBlock: from, toBlock: numberToHex(config.startBlock + 9n) },
    ]),
  );
  if (refusal !== null)
    return [
      chain.warning(
        subject,
        `it has no logs of block ${config.startBlock}, where the log begins: ${refusal.replaceAll(url, subject)}`,
        'Name another endpoint that keeps all logs: the first read takes what is old from it.',
      ),
    ];
  const { hash, transactions } = BlockBody.parse(
    (await ask(url, 'eth_getBlockByNumber', [from, false]).catch(() => null)) ?? {},
  );
  if (hash === undefined || transactions.length === 0) return [];
  if (await succeeds(ask(url, 'eth_getTransactionReceipt', [transactions[0]]))) return [];
  if (await succeeds(ask(url, 'eth_getBlockReceipts', [hash]))) return [];
  const found = `it has no receipts of block ${config.startBlock}, where the log begins`;
  return [chain.warning(subject, found, 'Name another endpoint that has: the log holds what transactions cost.')];
}

const isThere = async (url: string, address: string): Promise<boolean> =>
  (await ask(url, 'eth_getCode', [address, 'latest']).catch(() => '0x')) !== '0x';

/** Where every chain of the OP stack has its GasPriceOracle. */
const opStackOracle = '0x420000000000000000000000000000000000000F';

async function checkContracts({ config, url, subject }: Endpoint): Promise<Finding[]> {
  const { governor, l1FeeOracle } = config;
  const found: Finding[] = [];
  if (!(await isThere(url, governor)))
    found.push(
      chain.fault(subject, `no contract is at the governor's address ${governor}`, 'Correct governor in CHAINS.'),
    );
  if (l1FeeOracle && !(await isThere(url, l1FeeOracle)))
    found.push(
      chain.fault(subject, `no contract is at ${l1FeeOracle}`, 'Correct l1_fee_oracle in CHAINS, or leave it out.'),
    );
  if (!l1FeeOracle && (await isThere(url, opStackOracle)))
    found.push(
      chain.warning(
        subject,
        'transactions cost an L1 fee beside gas',
        `Set l1_fee_oracle in CHAINS to ${opStackOracle}.`,
      ),
    );
  return found;
}

async function checkMulticall({ url, subject }: Endpoint): Promise<Finding[]> {
  const code = await ask(url, 'eth_getCode', [MULTICALL3, 'latest']).catch(() => '0x');
  if (code !== '0x') return [];
  return [
    chain.warning(
      subject,
      'the chain has no Multicall3',
      'None: reads are made one by one, which costs more requests.',
    ),
  ];
}

function checkClock({ config, subject }: Endpoint, head: Head, now: number): Finding {
  const behind = now - head.timestamp;
  const late = Math.max(60, 20 * config.blockTimeSeconds);
  if (behind < -15)
    return clock.fault(subject, `the chain is ${-behind} s ahead of this machine`, 'Run NTP on this machine.');
  if (behind > late)
    return clock.warning(
      subject,
      `its last block is ${behind} s old`,
      'The endpoint or the chain stands still, or the clock of this machine is ahead.',
    );
  return clock.ok(subject, `its last block is ${behind} s old`);
}

async function checkEndpoint(endpoint: Endpoint, now: () => number): Promise<Finding[]> {
  const { config, url, subject } = endpoint;
  try {
    const id = hexToNumber(z.string().parse(await ask(url, 'eth_chainId', [])) as `0x${string}`);
    if (id !== config.chainId)
      return [
        chain.fault(subject, `it is chain ${id}, not ${config.chainId}`, 'Correct chain_id or rpc_urls in CHAINS.'),
      ];
    const head = await headOf(url);
    const found = [
      ...(await checkTags(endpoint)),
      ...(await checkArchive(endpoint)),
      ...(await checkRange(endpoint, head)),
      ...(await checkHistory(endpoint)),
      ...(await checkContracts(endpoint)),
      ...(await checkMulticall(endpoint)),
    ];
    const isWell = found.every(({ state }) => state !== 'fault');
    if (isWell) found.push(chain.ok(subject, `chain ${id} at block ${head.number}`));
    return [...found, checkClock(endpoint, head, Math.floor(now() / 1000))];
  } catch (error) {
    // The message of a failed request may quote its URL, which carries a key.
    const found = error instanceof TypeError ? 'it cannot be reached' : messageOf(error).replaceAll(url, subject);
    return [chain.fault(subject, found, 'Check rpc_urls in CHAINS, and that the endpoint answers.')];
  }
}

const isOwn = (url: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

/** Of all endpoints of a chain together: one alone is believed in more, and what all of them lack cannot be read. */
function checkTogether({ slug, rpcUrls }: ChainConfig, found: readonly Finding[]): Finding[] {
  const together: Finding[] = [];
  if (rpcUrls.length === 1 && rpcUrls.every((url) => !isOwn(url)))
    together.push(chain.warning(slug, 'it has one RPC URL', 'Name one of a second provider: docs/rpc.md.'));
  const without = found.filter(
    (finding) => finding.state === 'warning' && finding.found.startsWith('it has no logs of'),
  );
  if (without.length === rpcUrls.length)
    together.push(chain.fault(slug, 'no endpoint has the logs of its first block', 'Name one that keeps all logs.'));
  return together;
}

/** Asks each endpoint of each chain for what the services ask of it. Only the host of a URL is shown: the rest is a key. */
export async function checkChains(chains: readonly ChainConfig[], now: () => number = Date.now): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const config of chains) {
    const ofChain: Finding[] = [];
    for (const url of config.rpcUrls)
      ofChain.push(...(await checkEndpoint({ config, url, subject: `${config.slug} ${new URL(url).host}` }, now)));
    found.push(...ofChain, ...checkTogether(config, ofChain));
  }
  return found;
}
