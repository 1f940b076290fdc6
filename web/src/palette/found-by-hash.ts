import { useQueries } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import type { AppConfig } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import type { MyVault, PublicVault } from '../data/queries.ts';
import { sameAddress, shortHex } from '../format/address.ts';
import { vaultSectionPath } from '../navigation/paths.ts';
import { filterNames } from '../vault/operations/filter.ts';
import type { Command } from './commands.ts';

type Transaction = Awaited<ReturnType<Api['transaction']>>;
type Vaults = readonly (MyVault | PublicVault)[];

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

type Inputs = {
  text: string;
  config: AppConfig;
  vaults: Vaults;
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
        run: () => {
          const slug = vault.chain_slug ?? String(vault.chain_id);
          go(vaultSectionPath(slug, vault.vault_address, 'operations', `?${filterNames.wallet}=${address}`));
        },
      }),
    ),
  ];
}

function transactionCommands(
  found: readonly Transaction[],
  { config, vaults, go, copy, openOutside, text }: Inputs,
): Command[] {
  const hash = text.trim().toLowerCase();
  return [
    ...found.flatMap((transaction): Command[] => {
      const { chain_id, status, block_number, decoded, events } = transaction;
      const chain = config.chains.find((each) => each.chain_id === chain_id);
      const block = block_number === null ? '' : ` in block ${block_number}`;
      const name = `${decoded?.function ?? 'Transaction'} ${shortHex(hash)}`;
      const detail = `${status}${block} of ${chain?.name ?? chain_id}`;
      const url = chain?.explorer_url;
      const touched = vaults.filter(
        (vault) =>
          vault.chain_id === chain_id &&
          events.some(
            ({ address }) => sameAddress(address, vault.vault_address) || sameAddress(address, vault.strategy_address),
          ),
      );
      return [
        ...(url == null
          ? []
          : [
              {
                id: `tx:${chain_id}:${hash}`,
                group,
                name,
                detail,
                also: hash,
                run: () => openOutside(`${url}/tx/${hash}`),
              } as const,
            ]),
        ...touched.map(
          (vault): Command => ({
            id: `tx:${vault.vault_address}:${hash}`,
            group,
            name: `${name} in ${vault.name}`,
            detail,
            also: hash,
            run: () => go(vaultSectionPath(chain?.slug ?? String(chain_id), vault.vault_address, 'operations')),
          }),
        ),
        ...(url == null && touched.length === 0
          ? [
              {
                id: `tx:${chain_id}:${hash}`,
                group,
                name,
                detail,
                also: hash,
                refused: 'Touches no vault here',
                run: () => undefined,
              } as const,
            ]
          : []),
      ];
    }),
    {
      id: `copy:${hash}`,
      group,
      name: `Copy ${shortHex(hash)}`,
      also: hash,
      run: () => copy(hash, 'transaction hash'),
    },
  ];
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
  const found = reads.flatMap(({ data }) => (data === undefined || data.status === 'unknown' ? [] : [data]));
  return transactionCommands(found, inputs);
}
