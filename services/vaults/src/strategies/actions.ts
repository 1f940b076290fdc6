import {
  ArchiveStrategy,
  Backtest,
  CreateStrategy,
  DeleteSavedSimulation,
  GetAllocationTargets,
  GetEngineShard,
  GetEngineStatus,
  GetEngineVault,
  GetIntent,
  GetIntentFacets,
  GetKeeperRecord,
  GetSavedSimulation,
  GetStrategy,
  GetStrategySnapshot,
  ListFills,
  ListIntentEvents,
  ListIntentFills,
  ListIntents,
  ListSavedSimulations,
  ListStrategies,
  LookUpSimulation,
  ReorderStrategies,
  SaveSimulation,
  SetAllocationTargets,
  SetStrategyState,
  SimulateAhead,
  UpdateEngineVault,
  UpdateStrategy,
  ValidateStrategy,
} from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import type { StrategyPorts } from './access.ts';
import {
  getEngineShard,
  getEngineStatus,
  getEngineVault,
  getStrategySnapshot,
  updateEngineVault,
} from './use-cases/engine.ts';
import {
  deleteSimulation,
  getSimulation,
  listSimulations,
  lookUpSimulation,
  saveSimulation,
} from './use-cases/keep-simulations.ts';
import {
  getIntent,
  getIntentFacets,
  listFills,
  listIntentEvents,
  listIntentFills,
  listIntents,
} from './use-cases/read-intents.ts';
import { getKeeperRecord } from './use-cases/read-keeper.ts';
import { getStrategy, listStrategies } from './use-cases/read-strategies.ts';
import { backtest, simulateAhead } from './use-cases/run-simulation.ts';
import { getAllocationTargets, setAllocationTargets } from './use-cases/targets.ts';
import {
  archiveStrategy,
  createStrategy,
  reorderStrategies,
  setStrategyState,
  updateStrategy,
  validateStrategy,
} from './use-cases/write-strategies.ts';

/** The actions of strategies, their engine, intents and simulations. */
export function strategyActions(ports: StrategyPorts): NonNullable<ServiceSchema['actions']> {
  const reads = {
    list: listStrategies(ports),
    get: getStrategy(ports),
    engine: getEngineVault(ports),
    targets: getAllocationTargets(ports),
    fields: getStrategySnapshot(ports),
    keeperRecord: getKeeperRecord(ports),
    status: getEngineStatus(ports),
    shard: getEngineShard(ports),
    intents: listIntents(ports),
    facets: getIntentFacets(ports),
    intent: getIntent(ports),
    events: listIntentEvents(ports),
    intentFills: listIntentFills(ports),
    fills: listFills(ports),
    simulations: listSimulations(ports),
    lookUp: lookUpSimulation(ports),
    simulation: getSimulation(ports),
  };
  return {
    listStrategies: implement(ListStrategies, (params, { caller }) => reads.list(params, caller)),
    getStrategy: implement(GetStrategy, (params, { caller }) => reads.get(params, caller)),
    createStrategy: implement(CreateStrategy, createStrategy(ports)),
    validateStrategy: implement(ValidateStrategy, validateStrategy(ports)),
    updateStrategy: implement(UpdateStrategy, updateStrategy(ports)),
    archiveStrategy: implement(ArchiveStrategy, archiveStrategy(ports)),
    setStrategyState: implement(SetStrategyState, setStrategyState(ports)),
    reorderStrategies: implement(ReorderStrategies, reorderStrategies(ports)),
    engineVault: implement(GetEngineVault, (params, { caller }) => reads.engine(params, caller)),
    updateEngineVault: implement(UpdateEngineVault, updateEngineVault(ports)),
    allocationTargets: implement(GetAllocationTargets, (params, { caller }) => reads.targets(params, caller)),
    setAllocationTargets: implement(SetAllocationTargets, setAllocationTargets(ports)),
    keeperRecord: implement(GetKeeperRecord, (params, { caller }) => reads.keeperRecord(params, caller)),
    strategySnapshot: implement(GetStrategySnapshot, (params, { caller }) => reads.fields(params, caller)),
    engineStatus: implement(GetEngineStatus, (params, { caller }) => reads.status(params, caller)),
    engineShard: implement(GetEngineShard, (params, { caller }) => reads.shard(params, caller)),
    listIntents: implement(ListIntents, (params, { caller }) => reads.intents(params, caller)),
    intentFacets: implement(GetIntentFacets, (params, { caller }) => reads.facets(params, caller)),
    getIntent: implement(GetIntent, (params, { caller }) => reads.intent(params, caller)),
    intentEvents: implement(ListIntentEvents, (params, { caller }) => reads.events(params, caller)),
    intentFills: implement(ListIntentFills, (params, { caller }) => reads.intentFills(params, caller)),
    listFills: implement(ListFills, (params, { caller }) => reads.fills(params, caller)),
    backtest: implement(Backtest, backtest(ports)),
    simulateAhead: implement(SimulateAhead, simulateAhead(ports)),
    listSimulations: implement(ListSavedSimulations, (params, { caller }) => reads.simulations(params, caller)),
    saveSimulation: implement(SaveSimulation, saveSimulation(ports)),
    lookUpSimulation: implement(LookUpSimulation, (params, { caller }) => reads.lookUp(params, caller)),
    getSimulation: implement(GetSavedSimulation, (params, { caller }) => reads.simulation(params, caller)),
    deleteSimulation: implement(DeleteSavedSimulation, deleteSimulation(ports)),
  };
}
