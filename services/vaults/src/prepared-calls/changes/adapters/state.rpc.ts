import {
  type BlockHeader,
  erc20Abi,
  readSource,
  readVaultState,
  superVaultAggregatorAbi,
  superVaultStrategyAbi,
  unwrapRpcError,
  type VaultState,
  type VaultStatics,
} from '@castellan/chain';
import { isDepositorKind, type PreparedKind } from '@castellan/contracts';
import { type Address, getAbiItem, getAddress, type PublicClient } from 'viem';
import type { KnownChain } from '../../../chains/chain-directory.ts';
import type { ChainStatusStore, LogReader } from '../../../log/ports.ts';
import { readRedemption } from '../../../vault/adapters/redemption.rpc.ts';
import { bannedLeavesOf, feeEvents, pendingFeesAfter } from '../../../vault/domain/vault-facts.ts';
import type { ChangeRequest, ChangeState, ChangeTarget, SourceCheck } from '../domain/change.ts';
import { readPosition } from './position.rpc.ts';

/** Whose wallet is read, and which pairings are tried. Without a kind no change is asked for. */
type Asked = { kind?: PreparedKind; caller: Address | null; args: ChangeRequest['args'] };

export type ChangeReader = {
  /**
   * What the checks and descriptions of a change need to know, all of one block: the latest unless another is named. A header that
   * was read already is only checked after the reads.
   * @throws AppError RPC_UNAVAILABLE.
   */
  read(chain: KnownChain, target: ChangeTarget, asked: Asked, options?: ReadOptions): Promise<ChangeState>;
};
type ReadOptions = { blockNumber?: bigint; block?: BlockHeader };

type Ports = {
  log: Pick<LogReader, 'livingOfVault'>;
  status: Pick<ChainStatusStore, 'get'>;
  /** How many leaves the vault's tree with this root has; null when it has none. */
  treeLeaves: (chainId: number, vault: string, root: string) => Promise<number | null>;
};

type FeeEvent = Parameters<typeof pendingFeesAfter>[0];

const feeEventAbis = [
  getAbiItem({ abi: superVaultStrategyAbi, name: 'VaultFeeConfigProposed' }),
  getAbiItem({ abi: superVaultStrategyAbi, name: 'VaultFeeConfigUpdated' }),
] as const;

/** What the chain says of proposed fees above the last indexed block. */
async function newestUnindexed(
  { client, config }: KnownChain,
  strategy: Address,
  indexed: number | null | undefined,
  toBlock: bigint,
): Promise<FeeEvent | undefined> {
  const fromBlock = indexed == null ? config.startBlock : BigInt(indexed) + 1n;
  if (fromBlock > toBlock) return undefined;
  const found = await client.getLogs({ address: strategy, events: feeEventAbis, fromBlock, toBlock, strict: true });
  const newest = found.at(-1);
  return newest && { name: newest.eventName, args: { ...newest.args } };
}

/** The last word on proposed fees: of the chain itself above what is indexed, else of the log. */
async function readPendingFees(
  chain: KnownChain,
  { log, status }: Ports,
  { chainId, vault, strategy }: ChangeTarget,
  toBlock: bigint,
): Promise<ChangeState['pendingFees']> {
  const { indexed_block } = await status.get(chainId);
  const [logged, newest] = await Promise.all([
    log.livingOfVault(chainId, vault.toLowerCase(), feeEvents),
    newestUnindexed(chain, strategy, indexed_block, toBlock),
  ]);
  const last = newest ?? logged.filter(({ block_number }) => BigInt(block_number) <= toBlock).at(-1);
  const pending = last ? pendingFeesAfter(last) : null;
  return pending && { ...pending, recipient: getAddress(pending.recipient) };
}

/** What the wallet has of the upkeep token, and what the aggregator may take, at the block of the state. */
export async function readWallet(
  client: PublicClient,
  { upkeep, blockNumber }: VaultState,
  { aggregator }: ChangeTarget,
  caller: Address | null,
): Promise<ChangeState['wallet']> {
  if (upkeep.token === null || caller === null) return null;
  const token = { address: upkeep.token.address, abi: erc20Abi, blockNumber } as const;
  const [balance, allowance] = await Promise.all([
    client.readContract({ ...token, functionName: 'balanceOf', args: [caller] }),
    client.readContract({ ...token, functionName: 'allowance', args: [caller, aggregator] }),
  ]);
  return { balance, allowance };
}

const leavesEvent = getAbiItem({ abi: superVaultAggregatorAbi, name: 'GlobalLeavesStatusChanged' });

/** Banned leaves, as far as the log goes, and then as the chain says above it. */
async function readBannedLeaves(
  { client, config }: KnownChain,
  { log, status }: Ports,
  { chainId, vault, strategy, aggregator }: ChangeTarget,
  toBlock: bigint,
): Promise<ReadonlySet<string>> {
  const { indexed_block } = await status.get(chainId);
  const fromBlock = indexed_block == null ? config.startBlock : BigInt(indexed_block) + 1n;
  const [logged, unindexed] = await Promise.all([
    log.livingOfVault(chainId, vault.toLowerCase(), [leavesEvent.name]),
    fromBlock > toBlock
      ? []
      : client.getLogs({
          address: aggregator,
          event: leavesEvent,
          args: { strategy },
          fromBlock,
          toBlock,
          strict: true,
        }),
  ]);
  const known = logged.filter(({ block_number }) => BigInt(block_number) <= toBlock);
  return bannedLeavesOf([...known, ...unindexed]);
}

type Pairing = { source_address: string; oracle_address?: string };

const pairingsOf = ({ args }: Asked): Pairing[] =>
  'sources' in args ? (args.sources as Pairing[]).filter(({ oracle_address }) => oracle_address !== undefined) : [];

const controllersOf = ({ args }: Asked): Address[] => ('controllers' in args ? (args.controllers as Address[]) : []);

const assetsOf = ({ args }: Asked): bigint => ('assets' in args ? BigInt(args.assets) : 0n);

/** An oracle is fit for a source when it gives a price for it and says what the strategy holds. */
async function checkSource(
  client: PublicClient,
  pairing: Pairing,
  strategy: Address,
  blockNumber: bigint,
): Promise<SourceCheck> {
  const [source, oracle] = [pairing.source_address as Address, pairing.oracle_address as Address];
  const { assets, pricePerShare, error } = await readSource(client, { address: source, oracle, strategy }, blockNumber);
  const unpriced = pricePerShare === null || pricePerShare === 0n;
  const problem = assets === null ? (error ?? 'it does not answer') : unpriced ? 'it gives no price per share' : null;
  return { source, oracle, problem };
}

export function rpcChangeReader(ports: Ports): ChangeReader {
  const staticsOf = new Map<string, VaultStatics>();

  const readVault = async (
    chain: KnownChain,
    target: ChangeTarget,
    blockNumber: bigint,
    block?: BlockHeader,
  ): Promise<VaultState> => {
    const { governor } = await chain.contracts();
    const key = `${target.chainId}:${target.vault.toLowerCase()}`;
    const state = await readVaultState(chain.client, { ...target, governor }, blockNumber, {
      statics: staticsOf.get(key),
      block,
    });
    const { name, symbol, decimals, asset, precision, maxStaleness } = state;
    staticsOf.set(key, { name, symbol, decimals, asset, precision, maxStaleness });
    return state;
  };

  return {
    async read(chain, target, asked, options = {}) {
      const { client } = chain;
      try {
        const blockNumber = options.block?.number ?? options.blockNumber ?? (await client.getBlockNumber());
        const registry = { address: target.aggregator, abi: superVaultAggregatorAbi, blockNumber } as const;
        const [vault, max, pendingFees, sourceChecks, hooksTreeLeaves, bannedLeaves, redemptions] = await Promise.all([
          readVault(chain, target, blockNumber, options.block),
          client.readContract({ ...registry, functionName: 'MAX_SECONDARY_MANAGERS' }),
          readPendingFees(chain, ports, target, blockNumber),
          Promise.all(pairingsOf(asked).map((pair) => checkSource(client, pair, target.strategy, blockNumber))),
          'root' in asked.args ? ports.treeLeaves(target.chainId, target.vault, asked.args.root) : null,
          'leaves' in asked.args ? readBannedLeaves(chain, ports, target, blockNumber) : null,
          Promise.all(controllersOf(asked).map((each) => readRedemption(client, target.strategy, each, blockNumber))),
        ]);
        const { kind, caller } = asked;
        const isOwn = kind !== undefined && isDepositorKind(kind) && caller !== null;
        const [wallet, position] = await Promise.all([
          readWallet(client, vault, target, caller),
          isOwn ? readPosition(client, vault, target, caller, assetsOf(asked)) : null,
        ]);
        const maxSecondaryManagers = Number(max);
        return {
          vault,
          maxSecondaryManagers,
          pendingFees,
          wallet,
          position,
          sourceChecks,
          hooksTreeLeaves,
          bannedLeaves,
          redemptions,
        };
      } catch (error) {
        throw unwrapRpcError(error);
      }
    },
  };
}
