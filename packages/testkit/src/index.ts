export { startTestNats, type TestNats } from './nats.ts';
export { freePort } from './ports.ts';
export { until } from './until.ts';
