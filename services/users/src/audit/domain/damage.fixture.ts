import type { StoredAuditRow } from './audit-chain.ts';

/** Paths of the values in a row: every field, and those inside `details`. */
export function fieldsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'object' && field !== null ? fieldsOf(field, `${prefix}${name}.`) : [`${prefix}${name}`],
  );
}

/** Another value of the same kind, different in one place. */
function changed(value: unknown, byte: number): unknown {
  if (typeof value === 'number') return value + 1 + (byte % 9);
  if (typeof value !== 'string' || value === '') return 'x';
  const at = byte % value.length;
  return `${value.slice(0, at)}${value[at] === '7' ? '8' : '7'}${value.slice(at + 1)}`;
}

/** The row with one byte of one value changed. */
export function damaged<R extends StoredAuditRow>(row: R, path: string, byte: number): R {
  const copy = structuredClone(row) as unknown as Record<string, unknown>;
  const names = path.split('.');
  let place = copy;
  for (const name of names.slice(0, -1)) place = place[name] as Record<string, unknown>;
  const last = names.at(-1) as string;
  place[last] = changed(place[last], byte);
  return copy as unknown as R;
}
