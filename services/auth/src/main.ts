import { runService } from '@castellan/service-kit';
import { authDefinition } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => authDefinition(loadConfig(process.env)));
