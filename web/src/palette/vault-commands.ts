import type { AppConfig } from '../client/config.ts';
import { chainById } from '../client/config.ts';
import type { MyVault, PublicVault } from '../data/queries.ts';
import { sameAddress, shortHex } from '../format/address.ts';
import { actionKeys, vaultPageKeys } from '../navigation/keys.ts';
import { operatePath, vaultPath } from '../navigation/paths.ts';
import { type VaultPageStep, vaultPages } from '../operate/vault-pages.ts';
import { refusalOf, vaultActions, wordsOfAction } from '../vault/vault-actions.ts';
import type { Command } from './commands.ts';
import { slugOf, unlisted } from './known-vaults.ts';

export type VaultInputs = {
  config: AppConfig;
  listed: readonly PublicVault[];
  own: readonly MyVault[];
  /** Of the vault whose page is open. */
  here: { slug: string; address: string } | undefined;
  go: (path: string) => void;
  copy: (text: string, what: string) => void;
};

/** What people type for a page of a vault besides its name. */
const alsoPages: Readonly<Record<VaultPageStep, string>> = {
  analysis: 'ai report summary analyst',
  feed: 'posts news notes',
  strategies: 'canvas rules keeper kill switch automation',
  intents: 'executions runs keeper',
  keeper: 'automation bot gas runway balance refusals success runs transactions',
  simulation: 'back-test backtest what if',
  users: 'people roles access managers viewers permissions members',
  mandate: 'promises limits policy compliance breaches',
  redemptions: 'queue withdrawals waiting fulfil pay out',
  settings: 'fees prices upkeep configuration guards',
  'yield-sources': 'venues pools protocols oracle allocation add remove',
  merkle: 'hooks root leaves proof allowed actions',
  pause: 'stop panic emergency freeze unpause resume',
  duty: 'on call rota escalation hand-over week who',
  calls: 'transactions signatures safe multisig pending sign',
  audit: 'log history who changed events',
};

type Place = { slug: string; id: string; isHere: boolean };

function placeOf(vault: MyVault, { config, here }: VaultInputs): Place {
  const slug = slugOf(config, vault);
  const isHere = here?.slug === slug && sameAddress(here.address, vault.vault_address);
  return { slug, id: `${vault.chain_id}:${vault.vault_address}`, isHere };
}

/** Of the open vault all that could be done, with who may where the reader may not; of others what the reader may. */
function actionCommands(vault: MyVault, { slug, id, isHere }: Place, { go }: VaultInputs): Command[] {
  return vaultActions
    .filter(({ who }) => isHere || who.includes(vault.my_role))
    .map((action) => ({
      id: `${action.id}:${id}`,
      group: 'Actions',
      ...wordsOfAction(action, vault),
      detail: vault.name,
      ...(isHere && action.who.includes(vault.my_role) ? { keys: actionKeys(action.id) } : {}),
      ...(action.who.includes(vault.my_role) ? {} : { refused: refusalOf(action) }),
      run: () => go(action.path(slug, vault.vault_address)),
    }));
}

/** Pages of an own vault; keys lead to those of the open one. */
function pageCommands(vault: MyVault, { slug, id, isHere }: Place, { go }: VaultInputs): Command[] {
  const dashboard = operatePath(slug, vault.vault_address);
  const group = isHere ? 'This vault' : 'Your vaults';
  const keysOf = (step: keyof typeof vaultPageKeys) => (isHere ? { keys: ['g', vaultPageKeys[step]] as const } : {});
  return [
    {
      id: `operate:${id}`,
      group,
      name: `Operate ${vault.name}`,
      also: `dashboard ${vault.vault_address}`,
      ...keysOf('dashboard'),
      run: () => go(dashboard),
    },
    ...(Object.keys(vaultPages) as VaultPageStep[]).map(
      (step): Command => ({
        id: `${step}:${id}:page`,
        group,
        name: isHere ? vaultPages[step].title : `${vaultPages[step].title} of ${vault.name}`,
        also: `${alsoPages[step]} ${vault.name}`,
        ...keysOf(step),
        run: () => go(`${dashboard}/${step}`),
      }),
    ),
  ];
}

/** What the reader can open and do with vaults of their own: the open one, or the others. */
export const ownCommands = (inputs: VaultInputs, which: 'here' | 'elsewhere'): Command[] =>
  inputs.own.flatMap((vault) => {
    const place = placeOf(vault, inputs);
    if (place.isHere !== (which === 'here')) return [];
    return [...pageCommands(vault, place, inputs), ...actionCommands(vault, place, inputs)];
  });

/** The public page of each listed vault, and behind them the addresses of these and of the reader's own to copy. */
export const listedCommands = ({ listed, own, config, go, copy }: VaultInputs): Command[] => {
  const of = (kind: string, { chain_id, vault_address }: Pick<PublicVault, 'chain_id' | 'vault_address'>) =>
    `${kind}:${chain_id}:${vault_address}`;
  const pages = listed.map((vault): Command => {
    const chain = chainById(config, vault.chain_id)?.name ?? vault.chain_slug;
    return {
      id: of('vault', vault),
      group: 'Vaults',
      name: vault.name,
      detail: `${vault.symbol} · ${chain} · ${shortHex(vault.vault_address)}`,
      also: vault.vault_address,
      run: () => go(vaultPath(vault.chain_slug, vault.vault_address)),
    };
  });
  const copies = [...listed, ...unlisted(own, listed)].map(
    (vault): Command => ({
      id: of('copy', vault),
      group: 'Vaults',
      name: `Copy the address of ${vault.name}`,
      also: 'clipboard',
      run: () => copy(vault.vault_address, `address of ${vault.name}`),
    }),
  );
  return [...pages, ...copies];
};
