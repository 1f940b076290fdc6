import { createServer } from 'node:http';
import {
  ecdsaPpsOracleAbi,
  erc20Abi,
  superGovernorAbi,
  superVaultAbi,
  superVaultAggregatorAbi,
  superVaultStrategyAbi,
} from '@castellan/chain';
import { type Abi, type Address, decodeFunctionData, encodeFunctionResult, type Hex, keccak256, padHex } from 'viem';
import { parseTransaction } from 'viem/utils';

/** A node by HTTP whose chain is what the test says; requests and functions it does not know are refused by name. */

const of = (digit: string): Address => `0x${digit.repeat(40)}`;
export const addresses = {
  governor: of('1'),
  aggregator: of('2'),
  oracle: of('3'),
  asset: of('4'),
  vault: of('5'),
  escrow: of('6'),
} as const;
export const blockTime = 1_700_000_000n;
export const separator: Hex = `0x${'ab'.repeat(32)}`;

type Functions = Record<string, (args: readonly unknown[], to: Address) => unknown>;
export type Log = { address: Address; topics: readonly Hex[]; data: Hex };

export type FakeNode = {
  readonly url: string;
  /** Answers of contract functions by name; a test replaces what it is about. */
  readonly functions: Functions;
  /** Decoded calldata of what was sent. */
  readonly sent: (readonly unknown[])[];
  receipt: { status: '0x1' | '0x0'; logs: readonly Log[] };
  /** Methods for which it does not answer at all. */
  down: (method: string) => boolean;
  stop(): Promise<void>;
};

const abis: readonly Abi[] = [
  superVaultAggregatorAbi,
  superVaultStrategyAbi,
  superVaultAbi,
  superGovernorAbi,
  ecdsaPpsOracleAbi,
  erc20Abi,
];

function answerCall(functions: Functions, to: Address, data: Hex): Hex {
  for (const abi of abis) {
    let call: { functionName: string; args?: readonly unknown[] | undefined };
    try {
      call = decodeFunctionData({ abi, data });
    } catch {
      continue; // Another contract's function.
    }
    const answer = functions[call.functionName];
    if (!answer) throw new Error(`The test does not script ${call.functionName}`);
    return encodeFunctionResult({
      abi,
      functionName: call.functionName,
      result: answer(call.args ?? [], to) as never,
    });
  }
  throw new Error(`No contract has ${data.slice(0, 10)}`);
}

/** One strategy after another, each with 1000 shares, 1050 of the asset and a price that is a minute old. */
const usualFunctions = (strategies: readonly Address[]): Functions => {
  const none = [padHex('0x', { size: 32 }), 0n];
  const always = (values: Record<string, unknown>): Functions =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, () => value]));
  return always({
    ...{ getAllSuperVaults: strategies.map(() => addresses.vault), getAllSuperVaultStrategies: strategies },
    getAllSuperVaultEscrows: strategies.map(() => addresses.escrow),
    ...{ name: 'Vault', symbol: 'V', decimals: 6, asset: addresses.asset, PRECISION: 1_000_000n },
    ...{ totalSupply: 1_000n, totalAssets: 1_050n, balanceOf: 1_050n, getEscrowedAssets: 0n },
    ...{ getMaxStaleness: 3_600n, getPPS: 1_000_000n, getLastUpdateTimestamp: blockTime - 60n },
    ...{ getLastUnpauseTimestamp: 0n, getMinUpdateInterval: 60n, getProposedMinUpdateInterval: [0n, 0n] },
    ...{ getDeviationThreshold: 10n ** 18n, isStrategyPaused: false, isPPSStale: false, vaultHwmPps: 1_000_000n },
    ...{ ppsExpiration: 0n, proposedPPSExpiryThreshold: 0n, ppsExpiryThresholdEffectiveTime: 0n },
    getConfigInfo: { performanceFeeBps: 0n, managementFeeBps: 0n, recipient: of('7') },
    ...{ vaultUnrealizedProfit: 0n, getFee: 0n, getYieldSourcesList: [] },
    ...{ getMainManager: of('7'), getSecondaryManagers: [], getPendingManagerChange: [of('0'), 0n] },
    ...{ getStrategyHooksRoot: none[0], isStrategyHooksRootVetoed: false, getProposedStrategyHooksRoot: none },
    ...{ getGlobalHooksRoot: none[0], isGlobalHooksRootVetoed: false, getProposedGlobalHooksRoot: none },
    ...{ getHooksRootUpdateTimelock: 0n, getUpkeepBalance: 0n, pendingUpkeepWithdrawals: [0n, 0n] },
    ...{ isUpkeepPaymentsEnabled: false, getAddress: of('0'), getActivePPSOracle: addresses.oracle },
    ...{ getUpkeepCostPerSingleUpdate: 0n, noncePerStrategy: 7n, domainSeparator: separator },
  });
};

const block = {
  ...{ number: '0x10', hash: padHex('0x10', { size: 32 }), parentHash: padHex('0x0f', { size: 32 }) },
  ...{ timestamp: `0x${blockTime.toString(16)}`, baseFeePerGas: '0x1', transactions: [], gasLimit: '0x1000000' },
};

function answer(node: FakeNode, method: string, params: readonly unknown[]): unknown {
  const plain: Record<string, unknown> = {
    ...{ eth_chainId: '0x7a69', eth_blockNumber: '0x10', eth_getBlockByNumber: block, eth_gasPrice: '0x2' },
    ...{ eth_maxPriorityFeePerGas: '0x1', eth_getTransactionCount: '0x0', eth_estimateGas: '0x5208' },
  };
  if (method in plain) return plain[method];
  if (method === 'eth_call') {
    const { to, data } = params[0] as { to: Address; data: Hex };
    return answerCall(node.functions, to, data);
  }
  if (method === 'eth_sendRawTransaction') {
    const raw = params[0] as Hex;
    const { data = '0x' } = parseTransaction(raw);
    node.sent.push(decodeFunctionData({ abi: ecdsaPpsOracleAbi, data }).args ?? []);
    return keccak256(raw);
  }
  if (method === 'eth_getTransactionReceipt') {
    const place = { blockNumber: '0x10', blockHash: block.hash, transactionHash: params[0], transactionIndex: '0x0' };
    const logs = node.receipt.logs.map((log, index) => ({ ...log, ...place, logIndex: `0x${index}`, removed: false }));
    const { status } = node.receipt;
    return { ...place, status, logs, gasUsed: '0x1', cumulativeGasUsed: '0x1', effectiveGasPrice: '0x1', type: '0x2' };
  }
  throw new Error(`The test does not script ${method}`);
}

export async function startFakeNode(strategies: readonly Address[]): Promise<FakeNode> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    type Call = { id: number; method: string; params?: unknown[] };
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    if ([body].flat().some(({ method }) => node.down(method))) {
      response.writeHead(503).end();
      return;
    }
    const answers = [body].flat().map(({ id, method, params = [] }) => {
      try {
        return { jsonrpc: '2.0', id, result: answer(node, method, params) };
      } catch (error) {
        return { jsonrpc: '2.0', id, error: { code: -32_601, message: (error as Error).message } };
      }
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: FakeNode = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    functions: usualFunctions(strategies),
    sent: [],
    receipt: { status: '0x1', logs: [] },
    down: () => false,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return node;
}
