import { createLogger } from '@castellan/service-kit';

export const log = createLogger({ service: 'test', level: 'silent' });
