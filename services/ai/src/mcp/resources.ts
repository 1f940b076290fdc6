import {
  type Action,
  AppError,
  FigurePath,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetRisk,
  GetUsers,
  isWithinBinding,
  ListFees,
  ListMyVaults,
  type Receipt,
} from '@castellan/contracts';
import type { Resource, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { askedVault } from '../tools/found.ts';
import { tool, vaultParams } from '../tools/read-tools.ts';
import { tools } from '../tools/run-tool.ts';
import type { Tool } from '../tools/tool.ts';

/** A resource is read by a tool: it has the tool's rights, limits and refusals. */
export type Asked = { kind: 'vault' | 'receipt'; tool: string; args: Record<string, unknown> };

const json = 'application/json';
const perPage = 100;

type Answer = { as_of: string; block_number: number; receipts?: Record<string, Receipt> | undefined };

/** Reads whose figures have receipts, by the first part of a figure's path. */
const reads = {
  overview: GetOverview,
  performance: GetPerformance,
  pps: GetPps,
  risk: GetRisk,
  users: GetUsers,
  operations: GetOperations,
  fees: ListFees,
} as const satisfies Record<string, Action>;
const isRead = (name: string): name is keyof typeof reads => Object.hasOwn(reads, name);

const receiptTool = tool({
  name: 'read_receipt',
  kind: 'read',
  description: 'How a figure came about: formula, inputs with their transactions, and the command that checks it.',
  params: z.strictObject({ ...vaultParams, path: z.string().min(1).max(200) }),
  run: async ({ path, ...vault }, rights) => {
    await askedVault(rights, vault);
    const [read = '', ...rest] = path.split('.');
    if (!isRead(read))
      throw new AppError('BAD_REQUEST', `A path begins with one of: ${Object.keys(reads).join(', ')}.`);
    const { callAction, caller } = rights;
    const figure = rest.join('.');
    const receipt = FigurePath.safeParse(figure).success ? figure : true;
    const answer: Answer = await callAction(reads[read] as typeof GetOverview, { ...vault, receipt }, { caller });
    const { receipts = {}, as_of, block_number } = answer;
    if (!Object.hasOwn(receipts, figure))
      throw new AppError(
        'BAD_REQUEST',
        `${read} has no receipt of this figure. Take the path from a figure of a tool.`,
      );
    return { data: { ...vault, path, as_of, block_number, receipt: receipts[figure] }, ...nothingElse };
  },
});

const nothingElse = { figures: [], identifiers: [], untrusted: [] };

const listTool = tool({
  name: 'list_resources',
  kind: 'read',
  description: 'Vaults of the caller, page by page.',
  params: z.strictObject({ cursor: z.string().max(500).optional() }),
  run: async ({ cursor }, { caller, callAction }) => {
    const params = { detail: 'minimal' as const, limit: perPage, ...(cursor === undefined ? {} : { cursor }) };
    const { vaults, next_cursor } = await callAction(ListMyVaults, params, { caller });
    const resources = vaults.filter((vault) => isWithinBinding(caller, vault)).map(resourceOf);
    return { data: { resources, ...(next_cursor === null ? {} : { nextCursor: next_cursor }) }, ...nothingElse };
  },
});

/** Without the vault's name, which somebody else chose: it is in the resource, among what is quoted. */
const resourceOf = (vault: { chain_id: number; vault_address: string; my_role: string }): Resource => ({
  uri: `castellan://vaults/${vault.chain_id}/${vault.vault_address}`,
  name: `Vault ${vault.vault_address} on chain ${vault.chain_id}`,
  description: `State of the vault as get_vault gives it; your role is ${vault.my_role}.`,
  mimeType: json,
});

/** The tools that read resources; agents are not offered them as tools. */
export const resourceTools: readonly Tool[] = [
  ...tools.filter(({ name }) => name === 'get_vault'),
  receiptTool,
  listTool,
];

/** How one lists the vaults of a caller. */
export const listing = (cursor: string | undefined): { tool: string; args: Record<string, unknown> } => ({
  tool: listTool.name,
  args: cursor === undefined ? {} : { cursor },
});

/** What can be read beside what is listed. */
export const resourceTemplates: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'castellan://vaults/{chain_id}/{vault_address}',
    name: 'Vault',
    description:
      'State of a vault: price and its freshness, assets, allocation by source, fees, upkeep, pause, managers.',
    mimeType: json,
  },
  {
    uriTemplate: 'castellan://receipts/{chain_id}/{vault_address}/{path}',
    name: 'Receipt',
    description:
      'How a figure came about, by the path that a tool gave with it, such as overview.tvl_usd: formula, inputs with their ' +
      'transactions, and the command that checks it.',
    mimeType: json,
  },
];

const digits = /^[1-9][0-9]{0,14}$/;
const anAddress = /^0x[0-9a-f]{40}$/i;

/** What a URI asks for; undefined for one of another shape. Whether the caller may read it is for the services to say. */
export function askedBy(uri: string): Asked | undefined {
  const [scheme, none, collection, chain = '', vault_address = '', path, ...more] = uri.split('/');
  if (scheme !== 'castellan:' || none !== '' || !digits.test(chain) || more.length > 0) return undefined;
  if (!anAddress.test(vault_address)) return undefined;
  const vault = { chain_id: Number(chain), vault_address };
  if (collection === 'vaults' && path === undefined) return { kind: 'vault', tool: 'get_vault', args: vault };
  if (collection !== 'receipts' || path === undefined) return undefined;
  try {
    return { kind: 'receipt', tool: receiptTool.name, args: { ...vault, path: decodeURIComponent(path) } };
  } catch {
    return undefined; // A percent sign that encodes nothing.
  }
}
