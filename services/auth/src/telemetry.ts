import { Counter, type Registry } from '@castellan/service-kit';

export const authMetrics = (registry: Registry) => ({
  signIns: new Counter({
    name: 'auth_sign_ins_total',
    help: 'Exchanges of a signature for a token, by outcome (ok or the error code)',
    labelNames: ['outcome'],
    registers: [registry],
  }),
});
