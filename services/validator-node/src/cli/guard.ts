import { readFile } from 'node:fs/promises';
import { connectMongo, createLogger, createRegistry } from '@castellan/service-kit';
import { type Address, getAddress, isAddress } from 'viem';
import { loadNodeConfig } from '../config/load.ts';
import { databaseOf } from '../store/database.ts';
import { readGuardFile, writeGuardFile } from '../store/guard-file.ts';
import { holdKeys } from '../store/key-lease.ts';
import { createProtocolStore, type MongoProtocolStore } from '../store/protocol-store.ts';
import { type Command, configOptions, configSource, type Options, required, UsageError, type World } from './world.ts';

const signerOption = {
  signer: { type: 'string', value: 'ADDRESS', about: 'the on-chain signer (castellan-validator keys export names it)' },
} as const;

/** Works on the guard while this process alone holds the key: a node that runs would sign past what is exported. */
async function withGuard(
  world: World,
  options: Options,
  work: (guard: MongoProtocolStore, signer: Address) => Promise<void>,
) {
  const given = required(options, 'signer');
  if (!isAddress(given)) throw new UsageError('--signer must be an address.');
  const signer = getAddress(given);
  const config = loadNodeConfig(configSource(world, options));
  const log = createLogger({ service: 'castellan-validator', level: 'silent' });
  const connection = await connectMongo({ ...databaseOf(config), registry: createRegistry('castellan-validator') });
  try {
    let lost: string | undefined;
    const clock = {
      now: () => performance.now(),
      after: (ms: number, run: () => void) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    };
    const onLost = (key: string) => {
      lost = key;
    };
    const lease = await holdKeys({ connection, keys: [signer], clock, log, onLost });
    try {
      await work(createProtocolStore({ connection, signer, leaseToken: () => lease.token(signer) }), signer);
    } finally {
      await lease.release();
    }
    if (lost) throw new Error(`The lease on ${lost} was lost meanwhile. Begin again.`);
  } finally {
    await connection.close();
  }
}

const exportGuard: Command = {
  name: 'guard export',
  options: { ...configOptions, ...signerOption },
  async run(world, options) {
    await withGuard(world, options, async (guard, signer) =>
      world.out(writeGuardFile(signer, await guard.exportGuard())),
    );
    return 0;
  },
};

const importGuard: Command = {
  name: 'guard import',
  options: { ...configOptions, ...signerOption, file: { type: 'string', value: 'FILE', about: 'from guard export' } },
  async run(world, options) {
    const content = await readFile(required(options, 'file'), 'utf8');
    await withGuard(world, options, async (guard, signer) => guard.importGuard(readGuardFile(content, signer)));
    world.out('The guard is at least as strict as the file.\n');
    return 0;
  },
};

export const guardCommands: readonly Command[] = [exportGuard, importGuard];
