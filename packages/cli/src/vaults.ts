import { type Client, formatAmount } from '@castellan/sdk';
import { type Command, command, type Operand, UsageError } from './command.ts';
import { apiOptions, clientFor } from './session-file.ts';
import { columns } from './usage.ts';

/** A vault as commands name it. */
export const vaultOperand: Operand = {
  name: 'VAULT',
  summary: 'chain and address, such as 1:0x..., or a name in the list',
};
/** Which vault is meant. */
export type NamedVault = { chain_id: number; vault_address: string };

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** The vault by its chain and address, or by its name or symbol in the public list. @throws UsageError when it is none or not one. */
export async function vaultOf(client: Client, text = ''): Promise<NamedVault> {
  const [, chain_id, vault_address] = /^(\d+):(0x[0-9a-fA-F]{40})$/.exec(text) ?? [];
  if (chain_id !== undefined && vault_address !== undefined) return { chain_id: Number(chain_id), vault_address };
  const all = await client.publicVaults({});
  const [found, ...more] = all.filter(({ name, symbol }) => same(name, text) || same(symbol, text));
  if (found === undefined) throw new UsageError(`No vault is called "${text}". castellan vaults lists them.`);
  if (more.length > 0) throw new UsageError(`Several vaults are called "${text}": give chain and address.`);
  return found;
}

/** The vault in the path of a request. */
export const inPath = ({ chain_id, vault_address }: NamedVault) => ({ chain_id: String(chain_id), vault_address });

const percent = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(2)}%`);

const vaults = command({
  path: 'vaults',
  summary: 'The vaults that everybody may see',
  options: apiOptions,
  run: async ({ values }, world) => {
    const list = await clientFor(values.url, world).client.publicVaults({});
    const rows = list.map((vault) => [
      `${vault.chain_id}:${vault.vault_address}`,
      vault.name,
      `${formatAmount(vault.total_assets, vault.underlying_asset_decimals)} ${vault.underlying_asset_symbol}`,
      vault.current_pps_display,
      percent(vault.apy),
      vault.operational_state,
    ]);
    const head = ['vault', 'name', 'assets', 'price', 'APY', 'state'];
    world.out(values.json ? `${JSON.stringify(list, undefined, 2)}\n` : columns([head, ...rows]));
    return 0;
  },
});

const show = command({
  path: 'vault show',
  summary: 'One vault as it is now',
  operands: [vaultOperand],
  options: apiOptions,
  run: async ({ values, operands: [text] }, world) => {
    const { client } = clientFor(values.url, world);
    const vault = await client.vault({ params: inPath(await vaultOf(client, text)) });
    if (values.json) {
      world.out(`${JSON.stringify(vault, undefined, 2)}\n`);
      return 0;
    }
    const { asset, fee_config: fees, managers } = vault;
    const amount = (raw: string) => `${formatAmount(raw, asset.decimals)} ${asset.symbol}`;
    const rows = [
      ['name', `${vault.name} (${vault.symbol})`],
      ['vault', `${vault.chain_id}:${vault.vault_address}`],
      ['strategy', vault.strategy_address],
      ['state', vault.operational_state],
      ['price', `${vault.current_pps_display} ${asset.symbol}, ${vault.pps_status}`],
      ['assets', `${amount(vault.total_assets)}, ${amount(vault.free_assets)} free`],
      ['APY', percent(vault.apy)],
      ['fees', `${fees.performance_fee_bps / 100}% of gains, ${fees.management_fee_bps / 100}% of each deposit`],
      ['manager', managers.primary.display_name ?? managers.primary.wallet_address],
      ['your role', vault.my_role ?? '-'],
      ['block', String(vault.block_number)],
    ];
    const positions = vault.allocation.map(({ name, assets, share }) => [
      `  ${name}`,
      assets === null ? '-' : amount(assets),
      percent(share),
    ]);
    world.out(`${columns(rows)}\n${columns(positions)}`);
    return 0;
  },
});

const watch = command({
  path: 'vault watch',
  summary: 'The updates of a vault as they come, until it is interrupted',
  operands: [vaultOperand],
  options: { ...apiOptions, count: { value: 'N', summary: 'ends after so many updates' } },
  run: async ({ values, operands: [text] }, world) => {
    const { client } = clientFor(values.url, world);
    const params = inPath(await vaultOf(client, text));
    const stopping = new AbortController();
    let left = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count);
    if (!(left >= 1)) throw new UsageError('--count is a number from 1 on.');
    const signal = world.signal ? AbortSignal.any([world.signal, stopping.signal]) : stopping.signal;
    await client.followVault({
      params,
      signal,
      onEvent: ({ update }) => {
        if (left === 0) return;
        world.out(values.json ? `${JSON.stringify(update)}\n` : `${update.block_number}  ${update.kind}\n`);
        left -= 1;
        if (left === 0) stopping.abort();
      },
      onInterrupted: () => world.err('The connection ended; trying again.\n'),
    });
    return 0;
  },
});

/** Reading vaults. */
export const vaultCommands: readonly Command[] = [vaults, show, watch];
