import {
  type ChainConfig,
  chainClient,
  decodeProtocolLog,
  ecdsaPpsOracleAbi,
  readVaultState,
  resolveContracts,
  superVaultAggregatorAbi,
  unwrapRpcError,
  updatePpsDigest,
} from '@castellan/chain';
import type { Transmission } from '@castellan/contracts';
import { type Address, createWalletClient, type Hex, http, type PublicClient, type TransactionReceipt } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { type Batch, composeBatch, type Reading } from './domain/batch.ts';

export type Report = { outcomes: Transmission[]; skipped: Batch['skipped'] };

export type Reporter = { report(): Promise<Report> };

/** Reads every strategy at one block, signs with all keys, transmits one batch, and judges each entry by what was stored. */
export function createReporter(deps: {
  chain: ChainConfig;
  signers: readonly Hex[];
  transmitters: readonly Hex[];
  now: () => Date;
}): Reporter {
  const { chain, now } = deps;
  const client = chainClient(chain);
  const signers = deps.signers
    .map((key) => ({ key, address: privateKeyToAccount(key).address }))
    .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
  let turn = 0;

  const report = async (): Promise<Report> => {
    const contracts = await resolveContracts(client, chain);
    if (!contracts.ppsOracle) throw new Error('The governor names no active price oracle.');
    const { readings, timestamp } = await readAll(client, chain, contracts);
    const batch = composeBatch(readings, timestamp);
    if (batch.updates.length === 0) return { outcomes: [], skipped: batch.skipped };
    const domainSeparator = await client.readContract({
      address: contracts.ppsOracle,
      abi: ecdsaPpsOracleAbi,
      functionName: 'domainSeparator',
    });
    const proofsArray = await Promise.all(
      batch.updates.map((update) => {
        const hash = updatePpsDigest({ ...update, domainSeparator });
        return Promise.all(signers.map(({ key }) => sign({ hash, privateKey: key, to: 'hex' })));
      }),
    );
    const account = privateKeyToAccount(deps.transmitters[turn % deps.transmitters.length] as Hex);
    turn += 1;
    const receipt = await transmit(client, chain, contracts.ppsOracle, account, {
      strategies: batch.updates.map(({ strategy }) => strategy),
      proofsArray,
      ppss: batch.updates.map(({ pps }) => pps),
      timestamps: batch.updates.map(() => timestamp),
    });
    const about = {
      transmitter: account.address,
      signers: signers.map(({ address }) => address),
      t: now().toISOString(),
    };
    return {
      outcomes: batch.updates.map((update) => judge(chain.chainId, update, receipt, contracts.aggregator, about)),
      skipped: batch.skipped,
    };
  };
  return {
    report: () =>
      report().catch((error: unknown) => {
        throw unwrapRpcError(error);
      }),
  };
}

async function readAll(
  client: PublicClient,
  chain: ChainConfig,
  { governor, aggregator }: { governor: Address; aggregator: Address },
) {
  const block = await client.getBlock({ blockTag: 'latest' });
  const registry = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber: block.number } as const;
  const [vaults, strategies, escrows] = await Promise.all([
    client.readContract({ ...registry, functionName: 'getAllSuperVaults' }),
    client.readContract({ ...registry, functionName: 'getAllSuperVaultStrategies' }),
    client.readContract({ ...registry, functionName: 'getAllSuperVaultEscrows' }),
  ]);
  const readings: Reading[] = [];
  for (const [index, strategy] of strategies.entries()) {
    const [vault, escrow] = [vaults[index], escrows[index]];
    if (!vault || !escrow || (chain.vaults && !chain.vaults.includes(vault.toLowerCase()))) continue;
    readings.push({
      strategy,
      state: await readVaultState(client, { vault, strategy, escrow, governor, aggregator }, block.number),
    });
  }
  return { readings, timestamp: block.timestamp };
}

type UpdateArgs = { strategies: Hex[]; proofsArray: Hex[][]; ppss: bigint[]; timestamps: bigint[] };

async function transmit(
  client: PublicClient,
  chain: ChainConfig,
  oracle: Address,
  account: ReturnType<typeof privateKeyToAccount>,
  args: UpdateArgs,
): Promise<TransactionReceipt> {
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrls[0]) });
  const call = {
    address: oracle,
    abi: ecdsaPpsOracleAbi,
    functionName: 'updatePPS',
    args: [args],
    account,
    chain: null,
  } as const;
  const gas = await client.estimateContractGas(call);
  const hash = await wallet.writeContract({ ...call, gas: (gas * 3n) / 2n });
  return client.waitForTransactionReceipt({ hash, pollingInterval: 250, timeout: 60_000 });
}

/** `PPSValidated` only says that the signatures were good; the price counts when the aggregator stored it. */
function judge(
  chainId: number,
  { strategy, pps, timestamp }: { strategy: Address; pps: bigint; timestamp: bigint },
  receipt: TransactionReceipt,
  aggregator: Address,
  about: Pick<Transmission, 'transmitter' | 'signers' | 't'>,
): Transmission {
  const names = receipt.logs
    .filter((log) => log.address.toLowerCase() === aggregator.toLowerCase())
    .map((log) => decodeProtocolLog(log, () => 'aggregator'))
    .filter(({ args }) => args.strategy === strategy)
    .map(({ name }) => name);
  const stored = names.includes('PPSUpdated');
  return {
    chain_id: chainId,
    strategy_address: strategy,
    vault_address: null,
    pps: String(pps),
    report_timestamp: new Date(Number(timestamp) * 1000).toISOString(),
    ...about,
    tx_hash: receipt.transactionHash,
    status: stored ? 'success' : 'failure',
    reason: stored ? null : (names.at(-1) ?? (receipt.status === 'reverted' ? 'reverted' : 'not stored')),
  };
}
