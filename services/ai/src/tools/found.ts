import type { VaultDetail, VaultRef } from '@castellan/contracts';
import type { Read } from '../context/catalogue.ts';
import { figuresOf, identifiersOf, type Units } from '../context/extract.ts';
import { readUnits, readVault } from '../context/read-context.ts';
import type { Rights } from '../context/rights.ts';
import type { Untrusted } from '../context/vault-context.ts';
import type { ContextFigure } from '../domain/figure.ts';
import { say } from '../domain/say.ts';
import type { ToolResult } from './tool.ts';

/** Most rows of a list in a result. */
export const mostRows = 20;

export type Asked = { detail: VaultDetail; units: Units };

/** The vault a tool is asked about, for a caller with a role on it. @throws AppError ROLE_REQUIRED, SCOPE_REQUIRED … */
export async function askedVault(rights: Rights, { chain_id, vault_address }: VaultRef): Promise<Asked> {
  const detail = await readVault(rights, { chain_id, vault_address });
  return { detail, units: await readUnits(rights, detail) };
}

/** One answer a tool got, and what of it is no figure and worth knowing. `as` goes before the paths of its figures. */
export type Answer = { read: Read; answer: unknown; facts?: Record<string, unknown>; as?: string };

const qualityOf = (answer: unknown): Readonly<Record<string, { reason: string | null; status: string }>> =>
  (answer as { quality?: Record<string, { reason: string | null; status: string }> }).quality ?? {};

const momentOf = (answer: unknown) => {
  const { as_of = null, block_number = null } = answer as { as_of?: string; block_number?: number };
  return { as_of, block_number };
};

const resultFigure = ({ label, path, value, ...figure }: ContextFigure) => ({
  metric: label,
  path,
  value,
  said: say({ label, path, value, ...figure }),
});

/** What a tool returns of its answers: figures with their words, facts, and why figures are missing. */
export function found(
  units: Units,
  answers: readonly Answer[],
  more: { untrusted?: readonly Untrusted[]; figures?: readonly ContextFigure[]; identifiers?: readonly string[] } = {},
): ToolResult {
  const parts = answers.map(({ read, answer, facts = {}, as }) => {
    const figures = figuresOf(read, answer, units).map((figure) =>
      as === undefined ? figure : { ...figure, path: `${as}.${figure.path}`, label: `${figure.label}, ${as}` },
    );
    const missing = Object.entries(qualityOf(answer)).map(([path, { reason, status }]) => [path, reason ?? status]);
    return { read, figures, identifiers: identifiersOf(answer), facts, missing: Object.fromEntries(missing), answer };
  });
  const figures = [...parts.flatMap((part) => part.figures), ...(more.figures ?? [])];
  const { untrusted = [] } = more;
  return {
    data: {
      ...momentOf(parts[0]?.answer ?? {}),
      figures: figures.map(resultFigure),
      facts: Object.assign({}, ...parts.map(({ facts }) => facts)),
      missing: Object.assign({}, ...parts.map(({ missing }) => missing)),
      untrusted,
    },
    figures,
    identifiers: [...new Set([...parts.flatMap(({ identifiers }) => identifiers), ...(more.identifiers ?? [])])],
    untrusted,
  };
}
