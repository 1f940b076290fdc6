import type { ReactNode } from 'react';
import { useHead } from './head.ts';
import { Mark } from './mark.tsx';

/** A whole page that says one thing: not found, no role, something broke. */
export function MessagePage({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  useHead(title);
  return (
    <div className="mx-auto flex w-full max-w-xl flex-1 flex-col items-start justify-center gap-4 px-4 py-16 sm:px-6">
      {/* The drawing begins 5 px inside its box. */}
      <span className="-ml-[5px]">
        <Mark size={40} />
      </span>
      <h1 className="text-28 font-semibold tracking-tight">{title}</h1>
      <div className="flex flex-col gap-2 break-words text-muted">{children}</div>
      {action}
    </div>
  );
}
