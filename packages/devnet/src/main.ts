import { startDevnet } from './devnet.ts';
import { runKeeper } from './keeper.ts';
import { seededRandom } from './random.ts';

/**
 * The devnet as one process: the chain with its history, then the keeper's flow. Prints `progress <done> <total> <label>`.
 * Environment: DEVNET_PORT, DEVNET_STATE_DIR, DEVNET_KEEPER (`false` leaves the chain quiet).
 */
const { DEVNET_PORT = '8545', DEVNET_STATE_DIR, DEVNET_KEEPER = 'true' } = process.env;
if (!DEVNET_STATE_DIR) throw new Error('DEVNET_STATE_DIR must name a folder.');

const say = (line: string) => process.stdout.write(`${line}\n`);
const abort = new AbortController();

const devnet = await startDevnet({
  port: Number(DEVNET_PORT),
  stateDir: DEVNET_STATE_DIR,
  now: () => Math.floor(Date.now() / 1000),
  onProgress: (done, total, label) => say(`progress ${done} ${total} ${label}`),
  log: say,
});
const stop = async () => {
  abort.abort();
  await devnet.stop();
  process.exit(0);
};
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
devnet.anvil.child.once('exit', (code) => {
  if (abort.signal.aborted) return;
  say(`anvil stopped with code ${code}`);
  process.exit(1);
});
say(`chain 31337 at ${devnet.rpcUrl}`);
if (DEVNET_KEEPER === 'true') {
  await runKeeper({
    rpcUrl: devnet.rpcUrl,
    world: devnet.world,
    random: seededRandom(Date.now()),
    signal: abort.signal,
    log: say,
  });
}
