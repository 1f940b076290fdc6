import {
  type AllocationTargets,
  AppError,
  type FieldError,
  type GetAllocationTargets,
  type MandateDocument,
  type ParamsOf,
  type SetAllocationTargets,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import { readable } from '../../mandates/mandates.mongo.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { auditRow, forReaders, keyOf, requireWriter, type StrategyPorts } from '../access.ts';
import { targetsIdOf } from '../adapters/targets.mongo.ts';
import {
  idleTargetOf,
  inForce,
  mandateCapOf,
  mandateIdleOf,
  restOf,
  type SourceTarget,
  untargeted,
} from '../domain/targets.ts';
import type { TargetsDocument } from '../models.ts';
import { sourcesOf } from '../validate.ts';

/** The targets as they are answered, over the sources that the vault has now. */
function viewOf(
  { chain_id, detail }: Snapshot,
  document: TargetsDocument | null,
  mandate: MandateDocument | null,
): AllocationTargets {
  const set = new Map(document?.sources.map((each) => [each.source, each]));
  const sources = detail.allocation
    .filter(({ kind }) => kind === 'source')
    .map(({ source_address, name }) => {
      const { target_bps, cap_bps } = set.get(source_address.toLowerCase()) ?? untargeted;
      const mandate_cap_bps = mandateCapOf(mandate, source_address.toLowerCase());
      const cap_in_force_bps = inForce({ target_bps, cap_bps }, mandate_cap_bps).cap_bps;
      return { source_address, name, target_bps, cap_bps, mandate_cap_bps, cap_in_force_bps };
    });
  return {
    chain_id,
    vault_address: detail.vault_address,
    version: document?.version ?? 0,
    from_block: document?.from_block ?? null,
    updated_at: document?.updated_at ?? null,
    updated_by: document?.updated_by ?? null,
    idle: {
      target_bps: idleTargetOf(sources.map((each) => inForce(each, each.mandate_cap_bps).target_bps)),
      mandate_at_least_bps: mandateIdleOf(mandate),
    },
    sources,
  };
}

export const getAllocationTargets = (ports: StrategyPorts) =>
  forReaders(ports, async (params: ParamsOf<typeof GetAllocationTargets>, snapshot): Promise<AllocationTargets> => {
    const [newest, mandate] = await Promise.all([
      ports.targets.newest(keyOf(params)),
      ports.mandates.inForce(params.chain_id, params.vault_address),
    ]);
    return viewOf(snapshot, newest, readable(mandate));
  });

const percent = (bps: number): string => `${(bps / 100).toFixed(2)} %`;

/** What the vault or its mandate does not allow, each where it stands. */
function faultsOf(sources: readonly SourceTarget[], snapshot: Snapshot, mandate: MandateDocument | null): FieldError[] {
  const known = sourcesOf(snapshot);
  const faults: FieldError[] = [];
  sources.forEach(({ source, target_bps }, at) => {
    const refuse = (field: string, message: string) => faults.push({ path: `body.sources.${at}.${field}`, message });
    if (!known.includes(source)) refuse('source_address', 'is not a yield source of the vault; add it first');
    const cap = mandateCapOf(mandate, source);
    if (cap !== null && target_bps !== null && target_bps > cap)
      refuse('target_bps', `must not be above the ${percent(cap)} that the mandate promises at most`);
  });
  const promised = mandateIdleOf(mandate);
  if (promised !== null && restOf(sources.map(({ target_bps }) => target_bps)) < promised)
    faults.push({
      path: 'body.sources',
      message: `must leave the ${percent(promised)} idle that the mandate promises`,
    });
  return faults;
}

const conflictWith = (current: TargetsDocument | null): AppError =>
  new AppError('VERSION_CONFLICT', 'Somebody else has changed the targets in the meantime. Check them and try again.', {
    data: { current: { version: current?.version ?? 0 } },
  });

export const setAllocationTargets =
  (ports: StrategyPorts) =>
  async (params: ParamsOf<typeof SetAllocationTargets>, { caller, requestId }: Call): Promise<AllocationTargets> => {
    const { wallet, snapshot } = await requireWriter(ports, params, caller);
    const key = keyOf(params);
    const [before, mandate] = await Promise.all([
      ports.targets.newest(key),
      ports.mandates.inForce(params.chain_id, params.vault_address),
    ]);
    if (mandate === 'unreadable')
      throw new AppError(
        'MANDATE_REFUSES',
        'The mandate in force has promises that this version does not understand, so its caps are not known. Ask the operator to finish the update.',
      );
    if (params.version !== (before?.version ?? 0)) throw conflictWith(before);
    const sources = params.sources
      .filter(({ target_bps, cap_bps }) => target_bps !== null || cap_bps !== null)
      .map(({ source_address, ...bounds }) => ({ source: source_address.toLowerCase(), ...bounds }));
    const errors = faultsOf(sources, snapshot, mandate);
    if (errors.length > 0)
      throw new AppError('VALIDATION_FAILED', 'The targets do not fit the vault as it is. Each fault is named.', {
        data: { errors },
      });
    const document: TargetsDocument = {
      _id: targetsIdOf(key, params.version + 1),
      chain_id: params.chain_id,
      vault: params.vault_address.toLowerCase(),
      version: params.version + 1,
      from_block: snapshot.block_number,
      updated_at: new Date(ports.now()).toISOString(),
      updated_by: getAddress(wallet),
      sources,
    };
    const details = { version: document.version, from: before?.sources ?? [], to: sources };
    const row = auditRow(ports, params, { action_type: 'allocation_targets_set', wallet, details, requestId });
    if (!(await ports.targets.add(document, row))) throw conflictWith(await ports.targets.newest(key));
    return viewOf(snapshot, document, mandate);
  };
