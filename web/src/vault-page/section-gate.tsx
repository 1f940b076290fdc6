import { isVaultSection, vaultSections } from '@castellan/contracts';
import type { ReactNode } from 'react';
import { Navigate, useLocation, useParams } from 'react-router';
import { NotFoundPage } from '../design/not-found.tsx';
import { sectionPath, type VaultArea, type VaultView } from '../navigation/paths.ts';
import { type Shown, VaultGate } from '../vault/vault-gate.tsx';

const isView = (step: string): step is VaultView => step === 'print' || isVaultSection(step);

export const viewTitle = (view: VaultView): string => (view === 'print' ? 'All sections' : vaultSections[view]);

type Props = { area: VaultArea; children: (shown: Shown, view: VaultView) => ReactNode };

/** Reads the vault and the section that a URL names. While all sections stood on one page, each was a hash of it: those lead on. */
export function SectionGate({ area, children }: Props) {
  const { chainName = '', vaultAddress = '', section = 'overview' } = useParams();
  const { search, hash } = useLocation();
  const former = hash.slice(1);
  if (isVaultSection(former))
    return <Navigate replace to={{ pathname: sectionPath(area, chainName, vaultAddress, former), search }} />;
  if (!isView(section)) return <NotFoundPage />;
  return (
    <VaultGate path={(chain, address) => sectionPath(area, chain, address, section)} area={area}>
      {(shown) => children(shown, section)}
    </VaultGate>
  );
}
