import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PreparedCall, PublicVault } from '@castellan/contracts';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { account, chain, giveGas, sendRaw, type signIn, stateDir, until, untilRead } from './actors.ts';
import { keeperMs, minedMs } from './patience.ts';

type Client = Awaited<ReturnType<typeof signIn>>['client'];

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function requestRedeem(uint256 shares, address controller, address owner) returns (uint256)',
]);
const depositor = 53;
const STALE = 'pps_staleness_warning';

async function mined(hash: Hex): Promise<void> {
  const { status } = await chain().waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`The chain refused ${hash}.`);
}

type Vault = PublicVault;
const refOf = ({ chain_id, vault_address }: Vault) => ({ chain_id, vault_address });
const paramsOf = ({ chain_id, vault_address }: Vault) => ({ chain_id: `${chain_id}`, vault_address });

/** What has to be so before a task of a day can be done, and what takes it back, as the primary manager. */
export const dailyScene = (client: Client) => ({ ...onChain(client), ...kept(client) });

/** What the chain holds. */
function onChain(client: Client) {
  const isLive = (vault: Vault) =>
    untilRead(
      `${vault.name} is live`,
      async () => (await client.vault({ params: paramsOf(vault) })).operational_state,
      (state) => state === 'live',
      keeperMs,
    );
  /** Signs and sends a prepared call, and waits until the chain shows its change. */
  const carryOut = async (call: PreparedCall): Promise<void> => {
    const tx_hash = await sendRaw(1, call);
    await client.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } });
    await untilRead(
      `${call.decoded.function} is verified`,
      async () => (await client.getPrepared({ params: { id: call.id }, query: {} })).status,
      (status) => status === 'verified',
      minedMs,
    );
  };
  return {
    isLive,
    carryOut,
    /** Takes the role away again: the chain allows five. */
    removeManager: async (vault: Vault, manager_address: string) =>
      carryOut(await client.prepareRemoveSecondaryManager({ body: { ...refOf(vault), manager_address } })),
    release: async (vault: Vault, reason: string) => {
      await carryOut(await client.prepareUnpause({ body: { ...refOf(vault), reason } }));
      await isLive(vault);
    },
    /** No deposit of upkeep is covered by what was approved before. */
    async revokeUpkeep(): Promise<void> {
      const file = readFileSync(join(stateDir(), 'devnet/deployment.json'), 'utf8');
      const { upkeep_token: to, aggregator } = JSON.parse(file) as { upkeep_token: string; aggregator: Hex };
      await mined(
        await sendRaw(1, { to, data: encodeFunctionData({ abi, functionName: 'approve', args: [aggregator, 0n] }) }),
      );
    },
    /** Somebody deposits and asks for all of it back. */
    async requestRedemption(vault: Vault): Promise<void> {
      const to = vault.vault_address as Hex;
      const who = account(depositor).address;
      const asset = (await client.vault({ params: paramsOf(vault) })).asset.address;
      const assets = 1_000_000n;
      const send = async (target: string, data: Hex) => mined(await sendRaw(depositor, { to: target, data }));
      await isLive(vault);
      await giveGas(depositor);
      await send(asset, encodeFunctionData({ abi, functionName: 'mint', args: [who, assets] }));
      await send(asset, encodeFunctionData({ abi, functionName: 'approve', args: [to, assets] }));
      await send(to, encodeFunctionData({ abi, functionName: 'deposit', args: [assets, who] }));
      const shares = await chain().readContract({ address: to, abi, functionName: 'balanceOf', args: [who] });
      await send(to, encodeFunctionData({ abi, functionName: 'requestRedeem', args: [shares, who, who] }));
    },
  };
}

/** What the system keeps. */
function kept(client: Client) {
  const staleAlerts = async ({ chain_id, vault_address }: Vault) => {
    const query = { chain_id: `${chain_id}`, vault_address, rule_id: STALE, status: 'open' } as const;
    return (await client.listAlerts({ query })).alerts.length;
  };
  /** From which share of its remaining time a price counts as stale. */
  const setStale = async ({ chain_id, vault_address }: Vault, remaining_share: number) => {
    const { rules } = await client.alertRules({ query: { chain_id: `${chain_id}`, vault_address } });
    const version = rules.find(({ rule_id }) => rule_id === STALE)?.version ?? 0;
    const body = { chain_id, vault_address, version, thresholds: { remaining_share } };
    await client.setAlertRule({ params: { rule_id: STALE }, body });
  };
  const untilStale = (vault: Vault, isStale: boolean) =>
    until(
      `prices ${isStale ? 'count' : 'do not count'} as stale`,
      async () => (await staleAlerts(vault)) > 0 === isStale,
      keeperMs,
    );
  return {
    /** A version of one row that allows what nobody needs: its root was never there, and a preset has all sources to fill in. */
    async beginTree(vault: Vault, owner: string): Promise<void> {
      const { allocation } = await client.vault({ params: paramsOf(vault) });
      const yield_source = allocation.flatMap((each) => (each.kind === 'source' ? [each.source_address] : []))[0] ?? '';
      const { hooks } = await client.registryHooks({ query: { chain_id: `${vault.chain_id}`, is_active: 'true' } });
      const hook_id = hooks.find(({ hook_type }) => hook_type === 'WITHDRAWAL')?.id ?? '';
      await client.createMerkleConfig({
        body: { ...refOf(vault), rows: [{ hook_id, params: { yield_source, owner } }] },
      });
    },
    /** The kill switch of a vault: while it is on, its keeper pays nobody. */
    async stopKeeper({ chain_id, vault_address }: Vault, kill_switch: boolean): Promise<void> {
      await client.updateEngineVault({ params: { vault_id: `${chain_id}:${vault_address}` }, body: { kill_switch } });
    },
    async dropTargets(vault: Vault): Promise<void> {
      const params = paramsOf(vault);
      const { version, sources } = await client.allocationTargets({ params });
      const none = sources.map(({ source_address }) => ({ source_address, target_bps: null, cap_bps: null }));
      await client.setAllocationTargets({ params, body: { version, sources: none } });
    },
    /** A price of which a new alert says that it is stale: none is younger than none. */
    async openStaleAlert(vault: Vault): Promise<void> {
      await setStale(vault, 0.5);
      await untilStale(vault, false);
      await setStale(vault, 1);
      await untilStale(vault, true);
    },
    /** As the rule is made: half of the time until a price expires. */
    resetStale: (vault: Vault) => setStale(vault, 0.5),
    revokeViewer: async (vault: Vault, wallet_address: string): Promise<void> =>
      void (await client.revokeViewOnly({ params: { wallet_address }, query: paramsOf(vault) })),
  };
}
