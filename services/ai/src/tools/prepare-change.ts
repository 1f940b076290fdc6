import {
  AppError,
  type InputOf,
  managerKinds,
  PrepareChange,
  type PreparedCall,
  preparedArgs,
  scopeAllows,
} from '@castellan/contracts';
import { z } from 'zod';
import type { ContextFigure, FigureUnit } from '../domain/figure.ts';
import { askedVault, found } from './found.ts';
import { tool, vaultParams } from './read-tools.ts';

/** Where a prepared call is read and signed. */
export const reviewPath = (id: string): string => `/operate/review/${id}`;

const unitOfField = (field: string): FigureUnit | null => {
  if (field.endsWith('_bps')) return 'bps';
  if (field.endsWith('_seconds')) return 'seconds';
  return /amount|balance|pps|assets|shares/.test(field) ? null : 'count';
};

/** What a call would change, as figures; amounts of a token nobody named are left to the review. */
function changesOf({ changes }: PreparedCall, step: number): ContextFigure[] {
  return changes.flatMap(({ field, before, after }, index) => {
    const unit = unitOfField(field);
    if (unit === null) return [];
    return (['before', 'after'] as const).flatMap((when) => {
      const value = when === 'before' ? before : after;
      const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
      if (!isNumber) return [];
      const path = `prepared.steps.${step}.changes.${index}.${when}`;
      const label = `${field.replace(/_(?:bps|seconds)$/, '').replaceAll('_', ' ')} ${when}`;
      return [{ path, label, unit, value, direction: 'magnitude', symbol: null, decimals: null } as const];
    });
  });
}

const stepOf = ({ id, to, simulation, preconditions, signer }: PreparedCall) => ({
  id,
  to,
  review: reviewPath(id),
  simulation,
  blocked_by: preconditions.filter(({ ok }) => !ok).map(({ code }) => code),
  signer: { wallet_address: signer.wallet_address, kind: signer.kind },
});

/** Prepares a call for the caller's wallet to sign. Never forced: what the chain would refuse is refused here, too. */
export const prepareChangeTool = tool({
  name: 'prepare_change',
  kind: 'prepare',
  description:
    'Prepares a change of a vault as a call for the caller to review and sign; changes nothing by itself. `args` depends on kind.',
  params: z.strictObject({
    ...vaultParams,
    kind: z.enum(managerKinds),
    args: z.record(z.string(), z.unknown()).default({}),
  }),
  run: async ({ chain_id, vault_address, kind, args }, rights) => {
    const { caller, callAction } = rights;
    if (!scopeAllows(caller.scope ?? 'full', 'prepare'))
      throw new AppError('SCOPE_REQUIRED', 'This needs a token of scope prepare.', { data: { scope: 'prepare' } });
    const given = preparedArgs[kind].safeParse(args);
    if (!given.success) {
      const errors = given.error.issues.map(({ path, message }) => ({ path: path.join('.') || 'args', message }));
      throw new AppError('VALIDATION_FAILED', `The arguments of ${kind} are malformed.`, { data: { errors } });
    }
    const { units, detail } = await askedVault(rights, { chain_id, vault_address });
    // The vaults service decides who may prepare what; who only looks has nothing to ask it.
    if (detail.my_role === 'view_only')
      throw new AppError('ROLE_REQUIRED', 'This needs a manager of the vault; your access is view-only.');
    const asked = { kind, chain_id, vault_address, force: false, args: given.data };
    const answer = await callAction(PrepareChange, asked as InputOf<typeof PrepareChange>, { caller });
    return found(units, [{ read: 'prepared', answer, facts: { kind, steps: answer.steps.map(stepOf) } }], {
      figures: answer.steps.flatMap(changesOf),
      identifiers: answer.steps.map(({ id }) => id),
      untrusted: answer.steps.map(({ description }) => ({ what: 'description of the call', text: description })),
    });
  },
});
