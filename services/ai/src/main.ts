import { AuditRecorded, AuditStream, ChainStream } from '@castellan/contracts';
import { runService } from '@castellan/service-kit';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => {
  const config = loadConfig(process.env);
  return {
    name: 'ai',
    config,
    streams: [AuditStream, ChainStream],
    publishes: [AuditRecorded],
    build: compose(config),
  };
});
