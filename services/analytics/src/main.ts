import { ChainStream, FiguresStream, ProjectionStream } from '@castellan/contracts';
import { runService } from '@castellan/service-kit';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => {
  const { base, historiesBytes, benchmarks } = loadConfig(process.env);
  return {
    name: 'analytics',
    config: base,
    streams: [ChainStream, FiguresStream, ProjectionStream],
    build: compose(historiesBytes, benchmarks),
  };
});
