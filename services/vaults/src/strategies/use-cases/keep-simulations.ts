import { createHash } from 'node:crypto';
import {
  AppError,
  Backtest,
  type Caller,
  type DeleteSavedSimulation,
  type GetSavedSimulation,
  type ListSavedSimulations,
  type LookUpSimulation,
  type ParamsOf,
  type ResultOf,
  type SaveSimulation,
  SimulateAhead,
  SimulationResult,
} from '@castellan/contracts';
import { type Call, invalidCursor } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import {
  auditRow,
  forReaders,
  keyOf,
  refOf,
  requireBinding,
  requireReader,
  requireWriter,
  type StrategyPorts,
  vaultIdOf,
} from '../access.ts';
import type { SimulationDocument } from '../models.ts';
import { backtest, simulateAhead } from './run-simulation.ts';

type Request = ParamsOf<typeof SaveSimulation>['request'];

/** The same text for the same request, in whatever order its fields came. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, canonical(item)]),
  );
}
export const hashOf = (request: Request): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(request)))
    .digest('hex');

function summaryOf(document: SimulationDocument) {
  const result = SimulationResult.parse(document.result);
  return {
    id: document._id,
    vault_id: vaultIdOf(document.chain_id, document.vault_address),
    name: document.name,
    kind: document.kind,
    created_at: document.created_at,
    created_by: document.created_by,
    gained_assets: result.gained_assets,
    fired: result.strategies.reduce((sum, { fired }) => sum + fired, 0),
  };
}
const savedOf = (document: SimulationDocument): ResultOf<typeof GetSavedSimulation> => ({
  ...summaryOf(document),
  request: document.request,
  result: SimulationResult.parse(document.result),
});

const run = (
  ports: StrategyPorts,
  ref: { chain_id: number; vault_address: string },
  { kind, ...asked }: Request,
  call: Call,
) =>
  kind === 'backtest'
    ? backtest(ports)(Backtest.params.parse({ ...ref, ...asked }), call)
    : simulateAhead(ports)(SimulateAhead.params.parse({ ...ref, ...asked }), call);

export const saveSimulation =
  (ports: StrategyPorts) =>
  async (params: ParamsOf<typeof SaveSimulation>, call: Call): Promise<ResultOf<typeof SaveSimulation>> => {
    const { wallet } = await requireWriter(ports, params, call.caller);
    const { name, request } = params;
    const request_hash = hashOf(request);
    const exists = (id: string) =>
      new AppError('SIMULATION_EXISTS', 'The same simulation is already saved. Open it, or change the request.', {
        data: { id },
      });
    const before = await ports.simulations.byHash(keyOf(params), request_hash);
    if (before) throw exists(before._id);
    const result = await run(ports, refOf(params), request, call);
    const id = ports.newId();
    const created_at = new Date(ports.now()).toISOString();
    const details = { simulation_id: id, name, kind: request.kind };
    const document: SimulationDocument = {
      _id: id,
      chain_id: params.chain_id,
      vault: params.vault_address.toLowerCase(),
      vault_address: params.vault_address,
      name,
      kind: request.kind,
      request_hash,
      place: `${created_at} ${id}`,
      created_at,
      created_by: getAddress(wallet),
      request: { ...request },
      result: { ...result },
    };
    const written = { action_type: 'simulation_saved', wallet, details, requestId: call.requestId };
    if (!(await ports.simulations.insert(document, auditRow(ports, params, written))))
      throw exists((await ports.simulations.byHash(keyOf(params), request_hash))?._id ?? '');
    return savedOf(document);
  };

export const listSimulations = (ports: StrategyPorts) =>
  forReaders(
    ports,
    async (params: ParamsOf<typeof ListSavedSimulations>): Promise<ResultOf<typeof ListSavedSimulations>> => {
      const page = await ports.simulations.page(keyOf(params), params.limit, params.cursor);
      if (!page) throw invalidCursor();
      const { items, ...rest } = page;
      return { simulations: items.map(summaryOf), ...rest };
    },
  );

export const lookUpSimulation =
  (ports: StrategyPorts) =>
  async (
    params: ParamsOf<typeof LookUpSimulation>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof LookUpSimulation>> => {
    await requireReader(ports, params, caller);
    const found = await ports.simulations.byHash(keyOf(params), hashOf(params.request));
    return { simulation: found && summaryOf(found) };
  };

async function requireSimulation(
  ports: StrategyPorts,
  id: string,
  caller: Caller | undefined,
): Promise<SimulationDocument> {
  const document = await ports.simulations.get(id);
  if (!document)
    throw new AppError('SIMULATION_NOT_FOUND', 'There is no simulation of this id. List those of the vault.');
  requireBinding(caller, document);
  return document;
}

export const getSimulation =
  (ports: StrategyPorts) =>
  async (
    { id }: ParamsOf<typeof GetSavedSimulation>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof GetSavedSimulation>> => {
    const document = await requireSimulation(ports, id, caller);
    await requireReader(ports, refOf(document), caller);
    return savedOf(document);
  };

export const deleteSimulation =
  (ports: StrategyPorts) =>
  async (
    { id }: ParamsOf<typeof DeleteSavedSimulation>,
    { caller, requestId }: Call,
  ): Promise<ResultOf<typeof DeleteSavedSimulation>> => {
    const document = await requireSimulation(ports, id, caller);
    const { wallet } = await requireWriter(ports, refOf(document), caller);
    const details = { simulation_id: id, name: document.name };
    const row = auditRow(ports, refOf(document), { action_type: 'simulation_deleted', wallet, details, requestId });
    return { deleted: await ports.simulations.remove(id, { ...row, id: `strategy:simulation_deleted:${id}` }) };
  };
