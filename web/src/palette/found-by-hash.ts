import { useQueries } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import type { AppConfig } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import type { PublicVault } from '../data/queries.ts';
import { shortHex } from '../format/address.ts';
import { sectionPath } from '../navigation/paths.ts';
import { filterNames } from '../vault/operations/filter.ts';
import type { Command } from './commands.ts';

type Transaction = Awaited<ReturnType<Api['transaction']>>;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

type Inputs = {
  text: string;
  config: AppConfig;
  vaults: readonly PublicVault[];
  go: (path: string) => void;
  copy: (text: string, what: string) => void;
  openOutside: (url: string) => void;
};

const group = 'Address and transaction';

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
      (vault): Command => ({
        id: `did:${vault.chain_id}:${vault.vault_address}:${address}`,
        group,
        name: `What ${shortHex(address)} did in ${vault.name}`,
        also: address,
        run: () =>
          go(
            `${sectionPath('public', vault.chain_slug, vault.vault_address, 'operations')}?${filterNames.wallet}=${address}`,
          ),
      }),
    ),
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
    .filter(({ vault_address, strategy_address }) => addresses.has(vault_address) || addresses.has(strategy_address))
    .map(
      ({ vault_address, chain_slug, name: vaultName }): Command => ({
        ...common,
        id: `tx:${vault_address}:${hash}`,
        name: `${name} in ${vaultName}`,
        run: () => go(sectionPath('public', chain_slug, vault_address, 'operations')),
      }),
    );
  if (outside.length + inside.length > 0) return [...outside, ...inside];
  return [{ ...common, id: `tx:${chain_id}:${hash}`, refused: 'No page here shows it', run: () => undefined }];
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
  if (ADDRESS.test(typed)) return addressCommands(typed, inputs);
  if (!isHash) return [];
  const hash = typed.toLowerCase();
  const found = reads.flatMap(({ data }) => (data === undefined || data.status === 'unknown' ? [] : [data]));
  const copyHash = () => inputs.copy(hash, 'transaction hash');
  return [
    ...found.flatMap((transaction) => transactionCommands(transaction, hash, inputs)),
    { id: `copy:${hash}`, group, name: `Copy ${shortHex(hash)}`, also: hash, run: copyHash },
  ];
}
