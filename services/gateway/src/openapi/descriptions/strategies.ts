import type { Description } from '../description.ts';

const ofVault = ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;
const ofStrategy = ['ROLE_REQUIRED', 'STRATEGY_NOT_FOUND'] as const;
const simulationRefusals = [...ofVault, 'STRATEGY_NOT_FOUND', 'RANGE_REVERSED'] as const;

export const strategies = {
  listStrategies: {
    tag: 'strategies',
    role: 'anyone',
    summary: 'Strategies of a vault by lane and priority; the public sees no rules',
    errors: ofVault,
  },
  createStrategy: {
    tag: 'strategies',
    role: 'secondary',
    summary: 'Save a strategy; it does nothing until it is started',
    errors: [...ofVault, 'STRATEGY_EXISTS', 'STRATEGY_LIMIT'],
  },
  validateStrategy: {
    tag: 'strategies',
    role: 'viewer',
    summary: 'Everything wrong with a strategy, and how it judges the vault as it is now; saves nothing',
    errors: ofVault,
  },
  reorderStrategies: {
    tag: 'strategies',
    role: 'secondary',
    summary: 'Set the order of a whole lane',
    errors: [...ofVault, 'LANE_MISMATCH'],
  },
  getStrategy: { tag: 'strategies', role: 'anyone', summary: 'One strategy', errors: ofStrategy },
  updateStrategy: {
    tag: 'strategies',
    role: 'anyone',
    summary: 'Replace the definition of a strategy',
    errors: [...ofStrategy, 'VERSION_CONFLICT', 'STATE_CHANGE_REFUSED'],
  },
  archiveStrategy: {
    tag: 'strategies',
    role: 'anyone',
    summary: 'Archive a strategy',
    errors: [...ofStrategy, 'VERSION_CONFLICT', 'STATE_CHANGE_REFUSED'],
  },
  setStrategyState: {
    tag: 'strategies',
    role: 'anyone',
    summary: 'Start, stop or archive a strategy; starting an emergency exit arms it',
    errors: [...ofStrategy, 'VERSION_CONFLICT', 'STATE_CHANGE_REFUSED', 'EMERGENCY_LOCK_ACTIVE'],
  },
  engineVault: {
    tag: 'engine',
    role: 'viewer',
    summary: 'Kill switch and limits of a vault, and the keeper that sends for it',
    errors: ofVault,
  },
  keeperRecord: {
    tag: 'engine',
    role: 'viewer',
    summary:
      'What the keeper did for a vault and what it cost, what it refused and why, what waits, and how long its key lasts',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
  updateEngineVault: {
    tag: 'engine',
    role: 'secondary',
    summary: 'Switch all strategies of a vault off or on, or change its limits',
    errors: [...ofVault, 'VERSION_CONFLICT'],
  },
  allocationTargets: {
    tag: 'strategies',
    role: 'viewer',
    summary: 'The share of the vault that each source is to hold, and the most that it may hold',
    errors: ofVault,
  },
  setAllocationTargets: {
    tag: 'strategies',
    role: 'secondary',
    summary: 'Set targets and caps of all sources at once',
    errors: [...ofVault, 'VERSION_CONFLICT'],
  },
  engineFields: {
    tag: 'engine',
    role: 'viewer',
    summary: 'Every variable of the strategy language, as of the last block',
    errors: ofVault,
  },
  engineStatus: { tag: 'engine', role: 'anyone', summary: 'How many vaults and strategies run' },
  engineShard: {
    tag: 'engine',
    role: 'viewer',
    summary: 'What runs on a vault, what it sees and how it judges; 404 when nothing runs',
    errors: [...ofVault, 'ENGINE_IDLE'],
  },
  listIntents: {
    tag: 'intents',
    role: 'viewer',
    summary: 'What strategies set out to do, newest first',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
  intentFacets: {
    tag: 'intents',
    role: 'viewer',
    summary: 'How many intents there are by state, action, chain, vault and strategy',
    errors: ofVault,
  },
  getIntent: { tag: 'intents', role: 'anyone', summary: 'One intent', errors: ['ROLE_REQUIRED', 'INTENT_NOT_FOUND'] },
  intentEvents: {
    tag: 'intents',
    role: 'anyone',
    summary: 'What happened to an intent, oldest first',
    errors: ['ROLE_REQUIRED', 'INTENT_NOT_FOUND'],
  },
  intentFills: {
    tag: 'intents',
    role: 'anyone',
    summary: 'What an intent moved on chain',
    errors: ['ROLE_REQUIRED', 'INTENT_NOT_FOUND'],
  },
  listFills: {
    tag: 'intents',
    role: 'viewer',
    summary: 'What strategies moved on chain, newest first',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
  backtest: {
    tag: 'simulations',
    role: 'viewer',
    summary: 'When strategies would have fired, with what size, and what would have come of it',
    errors: simulationRefusals,
  },
  simulateAhead: {
    tag: 'simulations',
    role: 'viewer',
    summary: 'When strategies would fire in an assumed future',
    errors: simulationRefusals,
  },
  listSimulations: {
    tag: 'simulations',
    role: 'viewer',
    summary: 'Simulations kept for a vault, newest first',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
  saveSimulation: {
    tag: 'simulations',
    role: 'secondary',
    summary: 'Run a simulation and keep it',
    errors: [...simulationRefusals, 'SIMULATION_EXISTS'],
  },
  lookUpSimulation: {
    tag: 'simulations',
    role: 'viewer',
    summary: 'The kept run of a request, if there is one',
    errors: ofVault,
  },
  getSimulation: {
    tag: 'simulations',
    role: 'anyone',
    summary: 'One kept simulation',
    errors: ['ROLE_REQUIRED', 'SIMULATION_NOT_FOUND'],
  },
  deleteSimulation: {
    tag: 'simulations',
    role: 'anyone',
    summary: 'Forget a kept simulation',
    errors: ['ROLE_REQUIRED', 'SIMULATION_NOT_FOUND'],
  },
} satisfies Record<string, Description>;
