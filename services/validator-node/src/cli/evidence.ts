import { connectMongo, createRegistry } from '@castellan/service-kit';
import { bytesToHex } from 'viem';
import { loadNodeConfig } from '../config/load.ts';
import { databaseOf } from '../store/database.ts';
import { evidenceStore } from '../store/evidence.ts';
import { type Command, configOptions, configSource } from './world.ts';

const hexOfBytes = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? bytesToHex(value) : value;

export const evidenceCommand: Command = {
  name: 'evidence',
  options: configOptions,
  async run(world, options) {
    const config = loadNodeConfig(configSource(world, options));
    const connection = await connectMongo({ ...databaseOf(config), registry: createRegistry('castellan-validator') });
    try {
      world.out(`${JSON.stringify(await evidenceStore(connection).evidence(), hexOfBytes, 2)}\n`);
      return 0;
    } finally {
      await connection.close();
    }
  },
};
