export { type BrokerPair, brokerPair } from './broker-pair.ts';
export { anAddress, aVault } from './builders.ts';
export { type ManualClock, manualClock } from './clock.ts';
export { startTestNats, type TestNats } from './nats.ts';
export { freePort } from './ports.ts';
export { type RpcHandlers, type ScriptedRpc, scriptedRpc } from './scripted-rpc.ts';
export { startTestStore, type TestStore } from './store.ts';
export { until } from './until.ts';
