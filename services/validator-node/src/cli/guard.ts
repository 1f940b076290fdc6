import { connectMongo, createLogger, createRegistry } from '@castellan/service-kit';
import { databaseOf } from '../config/database.ts';
import { loadNodeConfig, type NodeConfig } from '../config/load.ts';
import { loadKeys } from '../keys/bundle.ts';
import { readSecretFile, writeSecretFile } from '../keys/files.ts';
import { systemClock } from '../node/system.ts';
import { readGuardFile, writeGuardFile } from '../store/guard-file.ts';
import { holdKeys } from '../store/key-lease.ts';
import { createProtocolStore, type MongoProtocolStore } from '../store/protocol-store.ts';
import { type Command, configOptions, configSource, required, type World } from './world.ts';

/** The guard of the configured signer, while no node uses the key. @throws KeyInUseError while one does. */
async function withGuard(
  { now, err }: World,
  config: NodeConfig,
  work: (store: MongoProtocolStore, signer: `0x${string}`) => Promise<void>,
): Promise<void> {
  const { onchain } = await loadKeys(config.keys);
  const registry = createRegistry('validator-guard');
  const connection = await connectMongo({ uri: config.database.url, database: databaseOf(config), registry });
  const log = createLogger({ service: 'validator-guard', level: 'error', out: { write: (line) => err(line) } });
  try {
    const keys = [onchain.address];
    const lease = await holdKeys({ connection, keys, clock: systemClock, now, log, onLost: () => undefined });
    try {
      const leaseToken = () => lease.token(onchain.address);
      await work(createProtocolStore({ connection, signer: onchain.address, leaseToken }), onchain.address);
    } finally {
      await lease.release();
    }
  } finally {
    await connection.close();
  }
}

const exportGuard: Command = {
  name: 'guard export',
  about: 'Write what this node has signed to a file, to be imported where its key moves. The node must be stopped.',
  options: { ...configOptions, out: { type: 'string', value: 'FILE', about: 'the file; never one that exists' } },
  async run(world, options) {
    const path = required(options, 'out');
    await withGuard(world, loadNodeConfig(configSource(world, options)), async (store, signer) => {
      await writeSecretFile(path, writeGuardFile(signer, await store.exportGuard()), { replace: false });
      world.out(`${path} written: what ${signer} has signed\n`);
    });
    return 0;
  },
};

const importGuard: Command = {
  name: 'guard import',
  about:
    'Raise the guard of this node to at least what a file says. Nothing is ever lowered. The node must be stopped.',
  options: { ...configOptions, in: { type: 'string', value: 'FILE', about: 'what `guard export` wrote' } },
  async run(world, options) {
    const path = required(options, 'in');
    await withGuard(world, loadNodeConfig(configSource(world, options)), async (store, signer) => {
      await store.importGuard(readGuardFile(await readSecretFile(path), signer));
      world.out(`The guard of ${signer} is raised.\n`);
    });
    return 0;
  },
};

export const guardCommands: readonly Command[] = [exportGuard, importGuard];
