import { type ReactNode, Suspense, useRef } from 'react';
import { useFar, useNear } from '../charts/use-size.ts';
import { KeptWhenFar } from '../data/while-in-view.tsx';
import { Skeleton } from '../design/states.tsx';

type Props = { isEager: boolean; height: number; title: string; children: ReactNode };

/** A section that loads its code and asks for its figures once it comes near, and asks no more while it is far; until then it keeps its height. */
export function SectionSlot({ isEager, height, title, children }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const isNear = useNear(ref);
  const isFar = useFar(ref);
  const waiting = (
    <div role="status" aria-label={`Loading ${title}`} style={{ height }}>
      <Skeleton className="h-full max-h-96 w-full" />
    </div>
  );
  return (
    <div ref={ref} className="flex flex-col gap-3">
      {isEager || isNear ? (
        <KeptWhenFar isFar={isFar}>
          <Suspense fallback={waiting}>{children}</Suspense>
        </KeptWhenFar>
      ) : (
        waiting
      )}
    </div>
  );
}
