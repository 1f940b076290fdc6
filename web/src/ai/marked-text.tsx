import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Notice } from '../design/states.tsx';
import { typeset } from '../format/typeset.ts';
import type { Doubtful } from './ungrounded.ts';

/** A figure nobody could trace, said as such beside it. */
export const Untraced = ({ children }: { children: ReactNode }) => (
  <mark className="rounded border border-brass bg-transparent px-1 text-brass">
    <TriangleAlert size={12} aria-hidden="true" className="mr-1 inline align-[-1px]" />
    {children}
    <span className="text-12"> (not traced to a figure)</span>
  </mark>
);

/** What could not be traced, in one place. Nothing where all was. */
export function UntracedNotice({ doubtful }: { doubtful: readonly Doubtful[] }) {
  if (doubtful.length === 0) return null;
  const many = doubtful.length !== 1;
  return (
    <Notice tone="warn" title={many ? `${doubtful.length} figures are not traced` : 'One figure is not traced'}>
      <p>
        {`No figure of this vault bears ${many ? 'them' : 'it'} out. Do not rely on ${many ? 'them' : 'it'}: `}
        {[...new Set(doubtful.map(({ figure }) => typeset(figure)))].join(', ')}
      </p>
    </Notice>
  );
}
