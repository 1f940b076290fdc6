import { startSystem } from './running-system.ts';
import { startSpanCollector } from './span-collector.ts';

/** What this needs of jest's project configuration. */
type ProjectConfig = { globals: { portOffset: number; isTraced: boolean } };

/** One system for all files of a project. With E2E_BASE_URL set, the one that runs there is used. */
export default async function setup(_global: unknown, { globals }: ProjectConfig): Promise<void> {
  if (process.env.E2E_BASE_URL) return;
  // Recording and sending every span costs each process some of its time.
  const spans = globals.isTraced ? await startSpanCollector() : undefined;
  if (spans) {
    process.env.E2E_SPANS_URL = spans.url;
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = spans.url;
  }
  // A minute between two prices is what a person watches; a test waits for them.
  process.env.DEVNET_PRICE_INTERVAL_SECONDS ??= '10';
  // A test changes a rule and waits for the alert: half a minute each time otherwise.
  process.env.ALERT_SAMPLE_SECONDS ??= '3';
  const system = await startSystem({ portOffset: globals.portOffset });
  process.env.E2E_BASE_URL = system.baseUrl;
  process.env.E2E_RPC_URL = system.rpcUrl;
  process.env.E2E_STATE_DIR = system.stateDir;
  Object.assign(globalThis, { e2eSystem: system, e2eSpans: spans });
}
