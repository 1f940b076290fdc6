import { X } from 'lucide-react';
import { Button } from 'react-aria-components';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import type { PublicVault } from '../data/queries.ts';
import { Choice } from '../design/choice.tsx';
import { shortHex } from '../format/address.ts';
import { type ChosenVault, MOST_VAULTS, vaultKey } from './chosen.ts';
import { SeriesSwatch } from './series-style.tsx';

type Props = {
  chosen: readonly ChosenVault[];
  listed: readonly PublicVault[] | undefined;
  onChange: (vaults: ChosenVault[]) => void;
};

/** The vaults that are compared, each with the colour of its lines, and a list to add from. */
export function VaultPicker({ chosen, listed = [], onChange }: Props) {
  const { config } = useApp();
  const keys = new Set(chosen.map(vaultKey));
  const others = listed.filter((vault) => !keys.has(vaultKey(vault)));
  const nameOf = (vault: ChosenVault) =>
    listed.find((each) => vaultKey(each) === vaultKey(vault))?.name ?? shortHex(vault.vault_address);
  const add = (key: string) => {
    const vault = others.find((each) => vaultKey(each) === key);
    if (vault) onChange([...chosen, { chain_id: vault.chain_id, vault_address: vault.vault_address }]);
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ul aria-label="Vaults compared" className="contents">
        {chosen.map((vault, index) => (
          <li
            key={vaultKey(vault)}
            className="inline-flex min-h-9 items-center gap-2 rounded-control border bg-surface pl-3 text-13 font-medium"
          >
            <SeriesSwatch index={index} />
            {nameOf(vault)}
            <Button
              aria-label={`Remove ${nameOf(vault)}`}
              onPress={() => onChange(chosen.filter((each) => vaultKey(each) !== vaultKey(vault)))}
              className="grid size-8 place-items-center rounded-control text-muted hover:bg-raised hover:text-text"
            >
              <X size={14} aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : chosen.length >= MOST_VAULTS ? (
        <p className="text-13 text-muted">{`Ten at most. Remove one to add another.`}</p>
      ) : (
        <Choice
          label="Add a vault"
          hideLabel
          value=""
          options={[
            { value: '', label: 'Add a vault' },
            ...others.map((vault) => ({
              value: vaultKey(vault),
              label: `${vault.name} · ${chainById(config, vault.chain_id)?.name ?? vault.chain_slug}`,
            })),
          ]}
          onChange={add}
          className="w-52"
        />
      )}
    </div>
  );
}
