import type { Caller, GetPrepared, ListPrepared, ParamsOf, ResultOf } from '@castellan/contracts';
import { invalidCursor } from '@castellan/service-kit';
import type { Address } from 'viem';
import type { Simulation } from '../../../chains/simulation.rpc.ts';
import type { ChangeRequest, ChangeState, ChangeStep, ChangeTarget } from '../../changes/domain/change.ts';
import type { SignerOf } from '../../signers/signer.ts';
import { type AccessPorts, requireManager, requirePrepared, resourceOf } from '../access.ts';
import type { PreparedDocument } from '../domain/prepared-call.ts';
import { type ChangeStateReader, callOf } from './tracker.ts';

export type ReadPreparedPorts = AccessPorts & {
  states: ChangeStateReader;
  /** The transactions that a change takes in this state. */
  stepsOf: (request: ChangeRequest, target: ChangeTarget, state: ChangeState) => ChangeStep[];
  simulation: Pick<Simulation, 'run'>;
  signerOf: SignerOf;
};

export const listPrepared =
  (ports: AccessPorts) =>
  async (
    { chain_id, vault_address, status, limit, cursor }: ParamsOf<typeof ListPrepared>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof ListPrepared>> => {
    await requireManager(ports, { chain_id, vault_address }, caller);
    const page = await ports.prepared.page({ chainId: chain_id, vault: vault_address, status }, limit, cursor);
    if (!page) throw invalidCursor();
    const { items, ...rest } = page;
    return { prepared: items.map(resourceOf), ...rest };
  };

/** The parts of a call that depend on when it is asked: what the chain would say now, and the Safe's next nonce. */
async function fresh(ports: ReadPreparedPorts, document: PreparedDocument) {
  const { request, target, call } = document;
  const chain = ports.chains.get(document.chain_id);
  const made = callOf(document);
  const [simulation, state, signers] = await Promise.all([
    ports.simulation.run(chain, made),
    ports.states.read(chain, target, request),
    ports.signerOf(chain, request.caller as Address, [{ ...made, id: document._id, description: call.description }]),
  ]);
  // Absent: what this step does is done, so that the change no longer takes it.
  const steps = ports.stepsOf(request, target, state);
  const step =
    steps.find((each) => each.call.data === call.data) ??
    steps.find(({ call: { decoded } }) => decoded.function === call.decoded.function);
  // A later step has a predecessor or a nonce of its own: what it was packaged with still holds.
  const isMovable = document.status === 'prepared' && document.step === 0;
  return {
    simulation: { ok: simulation.ok, revert_reason: simulation.revertReason },
    preconditions: step?.preconditions ?? call.preconditions,
    signer: (isMovable && signers[0]) || call.signer,
  };
}

export const getPrepared =
  (ports: ReadPreparedPorts) =>
  async (
    { id, recheck }: ParamsOf<typeof GetPrepared>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof GetPrepared>> => {
    const { document } = await requirePrepared(ports, id, caller);
    return { ...resourceOf(document), ...(recheck ? await fresh(ports, document) : {}) };
  };
