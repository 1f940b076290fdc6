import { AnalysisLink } from '../ai/analysis-link.tsx';
import { SectionGate, viewTitle } from '../vault-page/section-gate.tsx';
import { VaultSection } from '../vault-page/sections.tsx';
import { OperatePassport, RoleGate, VaultHead } from './vault-frame.tsx';

/** The dashboard of a vault: its sections, each at its own address. */
export function OperateVault() {
  return (
    <SectionGate area="operate">
      {(shown, view) => (
        <RoleGate shown={shown}>
          <VaultHead shown={shown} suffix={`${viewTitle(view)} · Operate`} />
          <OperatePassport shown={shown} />
          {view === 'overview' ? <AnalysisLink shown={shown} /> : null}
          <VaultSection shown={shown} view={view} />
        </RoleGate>
      )}
    </SectionGate>
  );
}
