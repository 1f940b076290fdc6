import { Address, DirectoryStream, DisplayNameChanged, ViewOnlyChanged } from '@castellan/contracts';
import { runService, type ServiceContext } from '@castellan/service-kit';
import { Ledger } from './adapters/ledger.mongo.ts';
import { loadConfig } from './config.ts';
import { openCollections } from './models/collections.ts';
import { usersService } from './users.service.ts';

const compose = ({ mongo, outbox, log }: ServiceContext) => {
  const collections = openCollections(mongo);
  const ledger = new Ledger({ collections, outbox, log });
  return {
    schemas: [
      usersService({ collections, ledger, now: () => new Date(), checksum: (address) => Address.parse(address) }),
    ],
    start: async () => ledger.start(),
    drain: async () => ledger.stop(),
  };
};

await runService(() => {
  const { base } = loadConfig(process.env);
  return {
    name: 'users',
    config: base,
    streams: [DirectoryStream],
    publishes: [ViewOnlyChanged, DisplayNameChanged],
    build: compose,
  };
});
