import { useQueries, useQuery } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import type { AppConfig } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { explain } from '../design/explain.ts';
import { sameAddress, shortHex } from '../format/address.ts';
import { anchors } from '../navigation/anchors.ts';
import { operatePath, vaultPath } from '../navigation/paths.ts';
import { useViewer } from '../session/use-session.ts';
import { filterNames } from '../vault/operations/filter.ts';
import type { Command } from './commands.ts';
import { type KnownVault, slugOf } from './known-vaults.ts';

type Transaction = Awaited<ReturnType<Api['transaction']>>;
type FoundVault = Awaited<ReturnType<Api['lookupVaults']>>['vaults'][number];

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

type Inputs = {
  text: string;
  config: AppConfig;
  vaults: readonly KnownVault[];
  go: (path: string) => void;
  copy: (text: string, what: string) => void;
  openOutside: (url: string) => void;
};

const group = 'Address and transaction';

/** A row that says how a question stands that others have to answer; it does nothing. */
const note = (about: string, name: string, refused: string): Command => ({
  id: `note:${about}`,
  group,
  name,
  also: about,
  refused,
  run: () => undefined,
});

/** What a whole address leads to besides vaults of this address: its transactions in each vault, explorers, a copy. */
function addressCommands(address: string, { config, vaults, go, copy, openOutside }: Inputs): Command[] {
  return [
    {
      id: `copy:${address}`,
      group,
      name: `Copy ${shortHex(address)}`,
      also: address,
      run: () => copy(address, 'address'),
    },
    ...config.chains.flatMap(({ chain_id, name, explorer_url: url }) =>
      url == null
        ? []
        : [
            {
              id: `explorer:${chain_id}:${address}`,
              group,
              name: `${shortHex(address)} on the explorer of ${name}`,
              also: address,
              run: () => openOutside(`${url}/address/${address}`),
            } as const,
          ],
    ),
    ...vaults.map(
      ({ chain_id, vault_address, name, section }): Command => ({
        id: `did:${chain_id}:${vault_address}:${address}`,
        group,
        name: `What ${shortHex(address)} did in ${name}`,
        also: address,
        run: () => go(`${section('operations')}?${filterNames.wallet}=${address}#${anchors.transactions}`),
      }),
    ),
  ];
}

/** A vault that no list of this page names: an own one beyond the first of many, or one that is not listed. */
function vaultCommands(vault: FoundVault, address: string, { config, go }: Inputs): Command[] {
  const { chain_id, vault_address, name = shortHex(vault_address), my_role } = vault;
  const slug = slugOf(config, vault);
  const chain = config.chains.find((each) => each.chain_id === chain_id)?.name ?? slug;
  const common = { group, detail: `${chain} · ${shortHex(vault_address)}`, also: address } as const;
  return [
    { ...common, id: `vault:${chain_id}:${vault_address}`, name, run: () => go(vaultPath(slug, vault_address)) },
    ...(my_role == null
      ? []
      : [
          {
            ...common,
            id: `operate:${chain_id}:${vault_address}`,
            name: `Operate ${name}`,
            run: () => go(operatePath(slug, vault_address)),
          },
        ]),
  ];
}

/** Vaults of a whole address that no list of this page has; undefined while the text is none, or one of a vault that is known. */
function useVaultsAt(typed: string, { config, vaults }: Inputs) {
  const { api } = useApp();
  const viewer = useViewer();
  const isAsked = ADDRESS.test(typed) && !vaults.some(({ vault_address }) => sameAddress(vault_address, typed));
  const read = useQuery({
    queryKey: ['vaults-at', viewer, typed.toLowerCase()],
    queryFn: () =>
      api.lookupVaults({
        body: {
          vaults: config.chains.map(({ chain_id }) => ({ chain_id, vault_address: typed })),
          fields: ['name', 'chain_slug', 'my_role'],
        },
      }),
    enabled: isAsked,
  });
  return isAsked ? read : undefined;
}

function foundVaults(read: ReturnType<typeof useVaultsAt>, address: string, inputs: Inputs): Command[] {
  if (read === undefined) return [];
  const name = `Vault ${shortHex(address)}`;
  if (read.isPending) return [note(address, name, 'Asking whether there is one…')];
  if (read.isError) return [note(address, name, `Could not be asked for: ${explain(read.error).detail}`)];
  const { vaults, unread } = read.data;
  const isUnasked = (chainId: number) =>
    unread.some(({ chain_id, code }) => chain_id === chainId && code !== 'VAULT_NOT_FOUND');
  const chains = inputs.config.chains.filter(({ chain_id }) => isUnasked(chain_id)).map((chain) => chain.name);
  return [
    ...vaults.flatMap((vault) => vaultCommands(vault, address, inputs)),
    // A chain that does not answer is no chain without the vault.
    ...(chains.length === 0 ? [] : [note(address, name, `${chains.join(', ')} could not be asked`)]),
  ];
}

/** A transaction as one chain has it: on its explorer, and in the vaults that it touched. */
function transactionCommands(transaction: Transaction, hash: string, inputs: Inputs): Command[] {
  const { config, vaults, go, openOutside } = inputs;
  const { chain_id, status, block_number, decoded, events } = transaction;
  const chain = config.chains.find((each) => each.chain_id === chain_id);
  const block = block_number === null ? '' : ` in block ${block_number}`;
  const name = `${decoded?.function ?? 'Transaction'} ${shortHex(hash)}`;
  const common = { group, name, detail: `${status}${block} of ${chain?.name ?? chain_id}`, also: hash } as const;
  const url = chain?.explorer_url;
  const outside: Command[] =
    url == null ? [] : [{ ...common, id: `tx:${chain_id}:${hash}`, run: () => openOutside(`${url}/tx/${hash}`) }];
  const addresses = new Set(events.map(({ address }) => address));
  const inside = vaults
    .filter(({ chain_id: of }) => of === chain_id)
    .filter(
      ({ vault_address, strategy_address: strategy }) =>
        addresses.has(vault_address) || (strategy !== undefined && addresses.has(strategy)),
    )
    .map(
      ({ vault_address, name: vaultName, section }): Command => ({
        ...common,
        id: `tx:${vault_address}:${hash}`,
        name: `${name} in ${vaultName}`,
        run: () => go(`${section('operations')}?${filterNames.hash}=${hash}#${anchors.transactions}`),
      }),
    );
  if (outside.length + inside.length > 0) return [...outside, ...inside];
  return [{ ...common, id: `tx:${chain_id}:${hash}`, refused: 'No page here shows it', run: () => undefined }];
}

type TransactionRead = { data: Transaction | undefined; isPending: boolean; isError: boolean; error: unknown };

/** How the question stands on the chains that have not named the transaction. */
function askedChains(reads: readonly TransactionRead[], hash: string, { config }: Inputs): Command[] {
  const name = `Transaction ${shortHex(hash)}`;
  const names = (isOf: (read: TransactionRead) => boolean): string =>
    config.chains.flatMap((chain, index) => (reads[index] && isOf(reads[index]) ? [chain.name] : [])).join(', ');
  const asked = names(({ isPending }) => isPending);
  const failed = names(({ isError }) => isError);
  const error = reads.find(({ isError }) => isError)?.error;
  if (asked !== '') return [note(hash, name, `Asking ${asked}…`)];
  if (failed !== '') return [note(hash, name, `${failed} could not be asked: ${explain(error).detail}`)];
  return reads.every(({ data }) => data?.status === 'unknown') ? [note(hash, name, 'No chain here knows it')] : [];
}

/** What a whole address or transaction hash that was typed leads to; a hash is asked of each chain. */
export function useFoundByHash(inputs: Inputs): Command[] {
  const { api } = useApp();
  const typed = inputs.text.trim();
  const isHash = HASH.test(typed);
  const reads = useQueries({
    queries: inputs.config.chains.map(({ chain_id }) => ({
      queryKey: ['transaction', chain_id, typed.toLowerCase()],
      queryFn: () => api.transaction({ params: { chain_id: String(chain_id), tx_hash: typed } }),
      enabled: isHash,
    })),
  });
  const vaults = useVaultsAt(typed, inputs);
  if (ADDRESS.test(typed)) return [...foundVaults(vaults, typed, inputs), ...addressCommands(typed, inputs)];
  if (!isHash) return [];
  const hash = typed.toLowerCase();
  const found = reads.flatMap(({ data }) => (data === undefined || data.status === 'unknown' ? [] : [data]));
  const copyHash = () => inputs.copy(hash, 'transaction hash');
  return [
    ...found.flatMap((transaction) => transactionCommands(transaction, hash, inputs)),
    ...askedChains(reads, hash, inputs),
    { id: `copy:${hash}`, group, name: `Copy ${shortHex(hash)}`, also: hash, run: copyHash },
  ];
}
