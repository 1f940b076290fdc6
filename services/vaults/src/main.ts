import { runService } from '@castellan/service-kit';
import { vaultsDefinition } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => vaultsDefinition(loadConfig(process.env)));
