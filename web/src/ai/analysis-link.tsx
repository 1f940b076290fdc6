import { Sparkles } from 'lucide-react';
import { Link } from 'react-router';
import { analysisPath } from '../navigation/paths.ts';
import type { Shown } from '../vault/vault-gate.tsx';

/** From the dashboard to what its figures say in words. */
export const AnalysisLink = ({ shown: { vault } }: { shown: Shown }) => (
  <div className="mx-auto w-full max-w-[1200px] px-4 pt-4 sm:px-6">
    <Link
      to={analysisPath(vault.chain_slug, vault.vault_address)}
      className="inline-flex min-h-9 items-center gap-2 rounded-control border bg-surface px-3 text-13 font-medium hover:bg-raised"
    >
      <Sparkles size={16} aria-hidden="true" />
      Read the analysis
    </Link>
  </div>
);
