import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Role } from './access.ts';
import { powers } from './powers.ts';

/** What a role may do and what not, line by line. */
export function RolePowers({ of }: { of: Role }) {
  const { who, may, mayNot } = powers[of];
  return (
    <div className="grid w-full grid-cols-1 gap-x-6 gap-y-3 text-13 sm:grid-cols-2">
      <Lines title={`${who} may`} lines={may} icon={<Check size={14} aria-hidden="true" className="text-accent" />} />
      <Lines
        title={`${who} may not`}
        lines={mayNot}
        icon={<X size={14} aria-hidden="true" className="text-danger" />}
      />
    </div>
  );
}

type LinesProps = { title: string; lines: readonly string[]; icon: ReactNode };

const Lines = ({ title, lines, icon }: LinesProps) => (
  <div className="flex flex-col gap-1">
    <p className="label-caps">{title}</p>
    <ul aria-label={title} className="flex flex-col gap-1">
      {lines.map((line) => (
        <li key={line} className="flex items-start gap-1.5">
          <span className="mt-[3px] shrink-0">{icon}</span>
          {line}
        </li>
      ))}
    </ul>
  </div>
);
