import { runService } from '@castellan/service-kit';
import { keeperDefinition } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => keeperDefinition(loadConfig(process.env)));
