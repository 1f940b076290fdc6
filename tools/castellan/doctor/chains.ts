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

/** Asks each endpoint of each chain for what the services ask of it. Only the host of a URL is shown: the rest is a key. */
export async function checkChains(chains: readonly ChainConfig[], now: () => number = Date.now): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const config of chains)
    for (const url of config.rpcUrls)
      found.push(...(await checkEndpoint({ config, url, subject: `${config.slug} ${new URL(url).host}` }, now)));
  return found;
}
