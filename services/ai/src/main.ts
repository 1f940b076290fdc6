import { runService } from '@castellan/service-kit';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => {
  const config = loadConfig(process.env);
  return { name: 'ai', config, build: compose(config) };
});
