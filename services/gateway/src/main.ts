import { runService } from '@castellan/service-kit';
import { gatewayDefinition } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => gatewayDefinition(loadConfig(process.env)));
