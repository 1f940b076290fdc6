import { connectMongo, createRegistry } from '@castellan/service-kit';
import type { Hex } from 'viem';
import { NetworkConfigError, networkConfig } from '../chain/network-config.ts';
import { loadNodeConfig } from '../config/load.ts';
import { followedState } from '../node/followed-state.ts';
import { databaseOf } from '../store/database.ts';
import { validatorsConf } from '../transport/permissions.ts';
import { type Command, configOptions, configSource, type Options, UsageError, type World } from './world.ts';

/** Of the last configuration that can be run and of the one before it: while it changes, both have to be heard. */
async function followedKeys(world: World, options: Options): Promise<Hex[]> {
  const config = loadNodeConfig(configSource(world, options));
  const connection = await connectMongo({ ...databaseOf(config), registry: createRegistry('castellan-validator') });
  try {
    const { history = [] } = (await followedState(connection).config.read()) ?? {};
    const configs = history.flatMap(({ facts }) => {
      try {
        return [networkConfig(facts).config];
      } catch (error) {
        // A configuration that nobody runs needs no permissions.
        if (error instanceof NetworkConfigError) return [];
        throw error;
      }
    });
    return configs.slice(-2).flatMap(({ oracles }) => oracles.map(({ offchainKey }) => offchainKey));
  } finally {
    await connection.close();
  }
}

function givenKeys(options: Options): Hex[] {
  return ((options.key as readonly string[] | undefined) ?? []).map((key) => {
    if (!/^(0x)?[0-9a-fA-F]{64}$/.test(key)) throw new UsageError('--key must be 32 bytes in hex.');
    return `0x${key.replace(/^0x/, '')}` as const;
  });
}

export const busPermissions: Command = {
  name: 'bus permissions',
  options: {
    ...configOptions,
    key: {
      type: 'string',
      value: 'HEX',
      multiple: true,
      about: 'an off-chain public key, instead of those that the node read from the chain; repeatable',
    },
  },
  async run(world, options) {
    const given = givenKeys(options);
    const keys = given.length > 0 ? given : await followedKeys(world, options);
    if (keys.length === 0)
      throw new UsageError('The node has read no configuration yet. Start it once, or give --key.');
    const { bus, events } = loadNodeConfig(configSource(world, options));
    world.out(validatorsConf({ network: bus.network, namespace: events.namespace }, keys));
    return 0;
  },
};
