import { Counter, Gauge, type Registry } from '@castellan/service-kit';

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
  rotationDue: new Gauge({
    name: 'auth_signing_key_rotation_due_timestamp_seconds',
    help: 'When the newest key that signs tokens is to be followed by another, Unix seconds',
    registers: [registry],
  }),
});
