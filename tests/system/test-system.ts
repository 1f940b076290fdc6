import { startSharedChromium } from './chromium.ts';
import { forget, type RunningSystem, startSystem } from './running-system.ts';
import { startSpanCollector } from './span-collector.ts';

/** A running system for tests, and the environment by which test files find it. */
export type TestSystem = {
  readonly env: Readonly<Record<string, string>>;
  /** @throws Error when the system does not end well on SIGTERM. */
  stop(): Promise<void>;
};

/** By it all ports stay below those that the kernel gives to connections, the store's 27017 too. */
const portOffset = 3_000;

/** How the system differs from one that a person starts. */
const settings = {
  // A minute between two prices is what a person watches; a test waits for them.
  DEVNET_PRICE_INTERVAL_SECONDS: '10',
  // A test changes a rule and waits for the alert: half a minute each time otherwise.
  ALERT_SAMPLE_SECONDS: '3',
  // Tests freeze and kill single ones.
  DEVNET_VALIDATORS_APART: 'true',
  // Recording every span costs each process some of its time: a request that comes with a recorded trace is, and of the rest enough for one
  // of the blocks that come within seconds.
  OTEL_TRACES_SAMPLER_ARG: '0.2',
};

/** Starts a system of its own, with its ports moved up, a collector of its spans, and a browser. */
export async function startTestSystem(): Promise<TestSystem> {
  const spans = await startSpanCollector();
  const env = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: spans.url };
  const system: RunningSystem = await startSystem({ portOffset, env }).catch((error: unknown) => {
    spans.stop();
    throw error;
  });
  const browser = await startSharedChromium();
  return {
    env: {
      E2E_BASE_URL: system.baseUrl,
      E2E_RPC_URL: system.rpcUrl,
      E2E_STATE_DIR: system.stateDir,
      E2E_SPANS_URL: spans.url,
      ...(browser ? { E2E_BROWSER_URL: browser.wsEndpoint() } : {}),
    },
    stop: async () => {
      await browser?.close();
      const code = await system.stop();
      spans.stop();
      forget(system);
      if (code !== 0) throw new Error(`The system ended with code ${code} on SIGTERM.`);
    },
  };
}
