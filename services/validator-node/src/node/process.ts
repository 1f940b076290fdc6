import { createLogger } from '@castellan/service-kit';
import type { NodeConfig } from '../config/load.ts';
import { type RunningNode, startNode } from './run.ts';

/** What makes a process of some nodes. */
type ProcessHooks = {
  start: (config: NodeConfig) => RunningNode;
  /** Listens to a signal, or to an error that nobody caught. */
  on: (event: string, listener: (about: unknown) => void) => void;
  exit: (code: number) => void;
};

const ofThisProcess: ProcessHooks = {
  start: startNode,
  on: (event, listener) => void process.on(event, listener),
  exit: (code) => process.exit(code),
};

/**
 * Runs nodes as this process: SIGTERM and SIGINT end them in order within their grace, a second one at once. They share nothing but the
 * process, so when one of them cannot go on, all are ended, and what supervises the process starts it again.
 * @throws what kept one of them from starting, once the others have ended.
 */
export async function runNodes(
  configs: readonly NodeConfig[],
  { start, on, exit }: ProcessHooks = ofThisProcess,
): Promise<number> {
  const names = configs.map(({ node }) => node.node_id).join(',');
  const [level = 'info'] = configs.map(({ monitoring }) => monitoring.log_level);
  const log = createLogger({ service: `validator-${names}`, level });
  const graceMs = Math.max(...configs.map(({ ocr2 }) => ocr2.shutdown_grace));
  const over = Promise.withResolvers<number>();
  let isStopping = false;
  const nodes = configs.map(start);
  const stopAll = async (): Promise<void> => {
    isStopping = true;
    const late = setTimeout(() => {
      log.error('shutdown took too long');
      exit(1);
    }, graceMs);
    late.unref();
    await Promise.all(nodes.map((node) => node.stop()));
    clearTimeout(late);
  };
  const stop = (code: number) => {
    if (!isStopping) void stopAll().then(() => over.resolve(code));
  };
  const onSignal = (signal: unknown) => {
    if (isStopping) return exit(1);
    log.info('node stops', { signal });
    stop(0);
  };
  on('SIGTERM', onSignal);
  on('SIGINT', onSignal);
  for (const kind of ['unhandledRejection', 'uncaughtException'])
    on(kind, (error) => {
      log.error('uncaught error', { kind, error: error as Error });
      stop(1);
    });
  for (const node of nodes) {
    node.ready.catch((error: unknown) => {
      // What a stop cut short fails, and is no fault.
      if (!isStopping) void stopAll().then(() => over.reject(error));
    });
    void node.ended.then(stop);
  }
  return over.promise;
}
