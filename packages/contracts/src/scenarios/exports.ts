export { GetScenarioSet, ScenarioSet, SetScenarioSet } from './scenarios.ts';
