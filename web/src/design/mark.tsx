import { clsx } from 'clsx';

/** The keep. The same path is the favicon. */
export const KEEP_PATH =
  'M3 3h3.6v2.6h3V3h4.8v2.6h3V3H21v6.8l-2.6 2.4V21h-4v-3.6a2.4 2.4 0 0 0-4.8 0V21h-4v-8.8L3 9.8Z';

export function Mark({ size = 24, loading = false }: { size?: number; loading?: boolean }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
      className={clsx('shrink-0 fill-accent', loading && 'keep-loading')}
    >
      <path d={KEEP_PATH} />
    </svg>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div role="status" className="flex min-h-[40vh] flex-col items-center justify-center gap-3 text-muted">
      <Mark size={40} loading />
      <span>Loading {what}</span>
    </div>
  );
}
