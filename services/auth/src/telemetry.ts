import { Counter, type Registry } from '@castellan/service-kit';

export const authMetrics = (registry: Registry) => ({
  signIns: new Counter({
    name: 'auth_sign_ins_total',
    help: 'Exchanges of a signature for a token, by outcome (ok or the error code)',
    labelNames: ['outcome'],
    registers: [registry],
  }),
  distrusted: new Counter({
    name: 'auth_distrusted_documents_total',
    help: 'Stored documents that were not taken, because they are malformed or contradict what is sealed or signed, by collection',
    labelNames: ['collection'],
    registers: [registry],
  }),
});
