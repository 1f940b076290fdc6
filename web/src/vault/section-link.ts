import type { Path } from 'react-router';
import { useLocation } from 'react-router';
import { sectionPath, type VaultView } from '../navigation/paths.ts';
import { sharedQuery } from '../period/use-view.ts';
import type { Shown } from './vault-gate.tsx';

/** Where each part of the vault's page is, with the range, the unit and the moment that this one shows. */
export function useSectionLink({ vault, area }: Pick<Shown, 'vault' | 'area'>): (view: VaultView) => Partial<Path> {
  const { search } = useLocation();
  return (view) => ({
    pathname: sectionPath(area, vault.chain_slug, vault.vault_address, view),
    search: sharedQuery(search),
  });
}
