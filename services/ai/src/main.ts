import { runService } from '@castellan/service-kit';
import { aiDefinition } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => aiDefinition(loadConfig(process.env)));
