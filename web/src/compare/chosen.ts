import { type AppConfig, chainBySlug } from '../client/config.ts';

export type ChosenVault = { chain_id: number; vault_address: string };

export const MOST_VAULTS = 10;
export const LEAST_VAULTS = 2;

export const vaultKey = ({ chain_id, vault_address }: ChosenVault): string =>
  `${chain_id}:${vault_address.toLowerCase()}`;

/** The vaults a URL names as `chain:address,chain:address`, each once; the chain by number or slug. */
export function chosenFrom(text: string | null, config: AppConfig): { vaults: ChosenVault[]; unread: string[] } {
  const vaults = new Map<string, ChosenVault>();
  const unread: string[] = [];
  for (const part of (text ?? '').split(',').filter((each) => each !== '')) {
    const [chainText = '', address = ''] = part.split(':');
    const chain = chainBySlug(config, chainText);
    if (chain === undefined || !/^0x[0-9a-f]{40}$/i.test(address)) unread.push(part);
    else if (vaults.size < MOST_VAULTS) {
      const vault = { chain_id: chain.chain_id, vault_address: address };
      vaults.set(vaultKey(vault), vault);
    }
  }
  return { vaults: [...vaults.values()], unread };
}

export const chosenText = (vaults: readonly ChosenVault[]): string =>
  vaults.map(({ chain_id, vault_address }) => `${chain_id}:${vault_address}`).join(',');

/** Where these vaults stand side by side. */
export const comparePath = (vaults: readonly ChosenVault[], period?: string): string => {
  const parts = [
    ...(vaults.length === 0 ? [] : [`vaults=${chosenText(vaults)}`]),
    ...(period === undefined ? [] : [`period=${period}`]),
  ];
  return parts.length === 0 ? '/compare' : `/compare?${parts.join('&')}`;
};
