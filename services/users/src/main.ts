import { AuditStream, ChainStream, DirectoryStream, DisplayNameChanged, ViewOnlyChanged } from '@castellan/contracts';
import { runService } from '@castellan/service-kit';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => {
  const { base } = loadConfig(process.env);
  return {
    name: 'users',
    config: base,
    streams: [DirectoryStream, AuditStream, ChainStream],
    publishes: [ViewOnlyChanged, DisplayNameChanged],
    build: compose,
  };
});
