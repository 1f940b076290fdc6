import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OracleStream, PriceTransmitted, type Transmission } from '@castellan/contracts';
import { connectDurable, createLogger, type DurableBus, type Following, followStream } from '@castellan/service-kit';
import { startTestNats, type TestNats, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  deposit,
  one,
  type Protocol,
  person,
  prices,
  setUp,
  signers,
  TestChain,
  who,
} from '../../../packages/protocol/test/test-chain.ts';
import { type Gate, startGate } from './gate.ts';

/** The node as a process against the contracts. Its rounds are five seconds apart; the tests share them, in their order. */

type Line = { msg: string; reason?: string; monitoringPort?: number };

const namespace = 'validator-test';
const roundMs = 20_000;
let chain: TestChain;
let protocol: Protocol;
let nats: TestNats;
let gate: Gate;
let bus: DurableBus;
let following: Following;
let node: ChildProcess;
let folder: string;
const said: Line[] = [];
const told: Transmission[] = [];

async function startNode(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'castellan-validator-'));
  const file = join(folder, 'deployment.json');
  const { governor, aggregator } = protocol;
  const deployment = { chain_id: 31_337, governor: governor.address, aggregator: aggregator.address, start_block: 0 };
  writeFileSync(file, JSON.stringify(deployment));
  node = spawn(process.execPath, [fileURLToPath(new URL('../src/main.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      ...{ LOG_LEVEL: 'debug', NATS_URL: nats.url, NATS_NAMESPACE: namespace, UPDATE_INTERVAL_SECONDS: '5' },
      ...{ METRICS_PORT: '0', HEALTH_PORT: '0', DEVNET_DEPLOYMENT_FILE: file, DEVNET_RPC_URL: gate.url },
    },
  });
  let rest = '';
  node.stdout?.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line));
  });
  process.once('exit', () => node.kill('SIGKILL'));
  await until('the node runs', () => said.some(({ msg }) => msg === 'service started'), roundMs);
}

beforeAll(async () => {
  chain = await TestChain.start();
  protocol = await setUp(chain);
  await deposit(chain, protocol, who.alice, 1_000n * one);
  await earn(10n);
  await chain.pass(61);
  nats = await startTestNats();
  gate = await startGate(chain.anvil.rpcUrl);
  await startNode();
  bus = await connectDurable({
    ...{ url: nats.url, namespace, service: 'test' },
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  following = await followStream(bus, {
    ...{ stream: OracleStream, events: [PriceTransmitted], from: 'start' },
    onMessage: ({ data }) => void told.push(data as Transmission),
  });
}, 90_000);
afterAll(async () => {
  node?.kill('SIGKILL');
  await following?.stop();
  await bus?.nats.close();
  await gate?.stop();
  await nats?.stop();
  await chain?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Profit of so many whole units, idle in the strategy. */
const earn = (units: bigint) =>
  chain.send(who.stranger, protocol.asset, 'mint', [protocol.strategy.address, units * one]);
const stored = () => prices(chain, protocol).stored();
const nonce = () => prices(chain, protocol).nonce();
/** The next line of this kind; what was said before does not count. */
const hears = async (what: string, fits: (line: Line) => boolean) => {
  const from = said.length;
  return until(what, () => said.slice(from).find(fits), roundMs);
};
const leavesOut = (why: string) =>
  hears(`${why} is told`, ({ msg, reason }) => msg === 'strategy left out' && reason === why);

test('default: it publishes the price that follows from the chain, and the contracts store it', async () => {
  const first = await until('a transmission', () => told[0], roundMs);
  expect(first).toMatchObject({
    ...{ status: 'success', reason: null, pps: '1010000', strategy_address: protocol.strategy.address },
    transmitter: person(5).address,
    signers: signers.map(({ address }) => address),
  });
  expect(await stored()).toBe(1_010_000n);
  expect(await nonce()).toBe(1n);
  const at = await chain.read<bigint>(protocol.aggregator, 'getLastUpdateTimestamp', [protocol.strategy.address]);
  expect(first.report_timestamp).toBe(new Date(Number(at) * 1000).toISOString());
}, 40_000);

test('behavior: too early, it sends nothing, though the price has moved', async () => {
  await earn(10n);
  await leavesOut('too_soon');
  expect(await nonce()).toBe(1n);
  expect(await stored()).toBe(1_010_000n);
}, 40_000);

test('behavior: for a paused vault it sends nothing, however old the price is', async () => {
  await chain.send(who.main, protocol.aggregator, 'pauseStrategy', [protocol.strategy.address]);
  await chain.pass(600);
  await leavesOut('paused');
  expect(await nonce()).toBe(1n);
  expect(told).toHaveLength(1);
}, 40_000);

test('behavior: an outage of the RPC is told and survived; the round after it publishes', async () => {
  gate.close();
  await chain.send(who.main, protocol.aggregator, 'unpauseStrategy', [protocol.strategy.address]);
  await chain.pass(61);
  await hears('the failed round', ({ msg }) => msg === 'round failed');
  await hears('one more failed round', ({ msg }) => msg === 'round failed');
  expect(await nonce()).toBe(1n);
  gate.open();
  const after = await until('a transmission after the outage', () => told[1], roundMs);
  expect(after).toMatchObject({ status: 'success', pps: '1020000', transmitter: person(6).address });
  expect(await stored()).toBe(1_020_000n);
  expect(node.exitCode).toBeNull();
}, 60_000);

test('behavior: a price the aggregator refuses is told as a failure, not as a price', async () => {
  // Beyond the deviation the aggregator allows: it pauses the strategy and keeps the price it has.
  await earn(5_000n);
  await chain.pass(61);
  const refused = await until('the refused transmission', () => told[2], roundMs);
  expect(refused).toMatchObject({ status: 'failure', reason: expect.any(String), pps: '6020000' });
  expect(await stored()).toBe(1_020_000n);
  await leavesOut('paused');
  expect(told).toHaveLength(3);
}, 60_000);

test('behavior: its metrics count outcomes, and it ends in order when told', async () => {
  const port = said.find(({ msg }) => msg === 'service started')?.monitoringPort;
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const transmits = (status: string) => {
    const line = metrics.split('\n').find((text) => text.startsWith('ocr2_transmit_total') && text.includes(status));
    return Number(line?.split(' ').at(-1));
  };
  expect([transmits('success'), transmits('failure')]).toEqual([2, 1]);
  expect(transmits('error')).toBeGreaterThanOrEqual(2);
  const gone = new Promise((resolve) => node.once('exit', resolve));
  node.kill('SIGTERM');
  expect(await gone).toBe(0);
});
