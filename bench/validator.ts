/**
 * Measures what validators do: `node bench/validator.ts [rounds]`. First secp256k1 as it is used against viem's recovery, then whole
 * rounds, all nodes in this process. With E2E_RPC_URL set, also how long after its block a price is on that chain.
 */
import { createPublicClient, type Hex, http, keccak256, parseAbi, recoverAddress, toHex } from 'viem';
import { signedBy } from '../services/validator-node/src/keys/signed-by.ts';
import { recordFigure } from './figures.ts';
import { nodeKeys, playRounds, type RoundFigures } from './validator-network.ts';

/** Processor time of one node for a round, where there is a goal. */
const goals = new Map([
  ['4 x 100', 120],
  ['31 x 100', 1_000],
]);
const shapes = [
  [4, 1],
  [4, 100],
  [4, 300],
  [13, 100],
  [31, 10],
  [31, 100],
] as const;
const say = (line: string) => process.stdout.write(`${line}\n`);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Processor time of one call, in milliseconds: the wall's says more of what else the machine does. */
async function costOf(run: () => Promise<unknown>, times = 200): Promise<number> {
  for (let i = 0; i < times / 10; i += 1) await run();
  const before = process.cpuUsage();
  for (let i = 0; i < times; i += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / times;
}

async function curves(): Promise<void> {
  const [keys] = await nodeKeys(1);
  if (!keys) throw new Error('There are no keys.');
  const { address, signKeccak256 } = keys.onchain;
  const message = toHex('price');
  const hash = keccak256(message);
  const signature: Hex = await signKeccak256(message);
  const isSignedBy = signedBy();
  say('secp256k1                      processor ms');
  for (const [what, run] of [
    ['hash and sign', () => signKeccak256(message)],
    ['recover, viem', () => recoverAddress({ hash, signature })],
    ['check against a known signer', async () => isSignedBy(hash, signature, address)],
  ] as const)
    say(`${what.padEnd(30)} ${(await costOf(run)).toFixed(2).padStart(12)}`);
}

async function rounds(times: number): Promise<void> {
  say('\nnodes  strategies  round ms  processor ms  of one node  messages     bytes');
  for (const [nodes, strategies] of shapes) {
    const keys = await nodeKeys(nodes);
    const all = await playRounds(keys, strategies, times);
    const of = (pick: (figures: RoundFigures) => number) => median(all.map(pick));
    const cpu = of(({ cpuMs }) => cpuMs);
    const row = [of(({ milliseconds }) => milliseconds), cpu, cpu / nodes].map((value) => value.toFixed(0));
    const [wall = '', whole = '', one = ''] = row;
    const traffic = `${String(of(({ messages }) => messages)).padStart(8)}  ${String(of(({ bytes }) => bytes)).padStart(8)}`;
    const goalMs = goals.get(`${nodes} x ${strategies}`);
    recordFigure({
      name: `a round of one of ${nodes} nodes, ${strategies} strategies, processor`,
      unit: 'ms',
      value: cpu / nodes,
      goal: goalMs,
    });
    const goal = goalMs === undefined ? '' : `   goal ${goalMs} ms a node: ${cpu / nodes <= goalMs ? 'met' : 'MISSED'}`;
    say(
      `${String(nodes).padStart(5)}  ${String(strategies).padStart(10)}  ${wall.padStart(8)}  ${whole.padStart(12)}  ${one.padStart(11)}  ${traffic}${goal}`,
    );
  }
}

/** From the block that was observed to the block that stored its price, of the last hundred prices. */
async function chainTime(rpcUrl: string): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const [event] = parseAbi(['event PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)']);
  const head = await client.getBlockNumber();
  const logs = (await client.getLogs({ event, fromBlock: head - 200n })).slice(-100);
  const seconds: number[] = [];
  for (const { args, blockNumber } of logs) {
    const { timestamp } = await client.getBlock({ blockNumber });
    seconds.push(Number(timestamp - (args.timestamp ?? timestamp)));
  }
  say(
    `\nobserved block to PPSUpdated: median ${median(seconds)} s, longest ${Math.max(...seconds)} s of ${seconds.length}`,
  );
}

await curves();
await rounds(Number(process.argv[2] ?? 3));
if (process.env.E2E_RPC_URL) await chainTime(process.env.E2E_RPC_URL);
process.exit();
