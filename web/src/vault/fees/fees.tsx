import { useSearchParams } from 'react-router';
import { useQueryPart } from '../../period/use-view.ts';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { usePages } from '../../receipts/use-pages.ts';
import type { Shown } from '../vault-gate.tsx';
import { FeeConfig } from './fee-config.tsx';
import { FeeFigures } from './fee-figures.tsx';
import { type FeeKind, feeKinds } from './fee-labels.ts';
import { FeeLedger } from './fee-ledger.tsx';
import { UpkeepFigures } from './upkeep.tsx';

const kindOf = (text: string | null): FeeKind | 'all' => feeKinds.find((kind) => kind === text) ?? 'all';

/** What the vault costs, who gets it, every move of the mark it is counted from, and how long upkeep lasts. */
export default function Fees({ shown }: { shown: Shown }) {
  const [search] = useSearchParams();
  const put = useQueryPart();
  const kind = kindOf(search.get('fee'));
  const pages = usePages(shown, 'analyticsFees', kind === 'all' ? {} : { kind });
  return (
    <>
      <FeeConfig shown={shown} />
      <ReadFailure of={pages.head} what="Fees" />
      <FeeFigures shown={shown} fees={pages.head} />
      <FeeLedger
        shown={shown}
        pages={pages}
        kind={kind}
        onKind={(next) => put({ fee: next === 'all' ? null : next })}
      />
      <UpkeepFigures shown={shown} />
    </>
  );
}
