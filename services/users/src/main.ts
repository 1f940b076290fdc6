import {
  AlertChanged,
  AlertSignalStream,
  AlertStream,
  AuditStream,
  ChainStream,
  DirectoryStream,
  DisplayNameChanged,
  FiguresStream,
  MandateEnforced,
  RoleStream,
  UpdateStream,
  ValidatorStream,
  VaultUpdated,
  ViewOnlyChanged,
} from '@castellan/contracts';
import { outboxSweepOfEndsMs, runService } from '@castellan/service-kit';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

await runService(() => {
  const config = loadConfig(process.env);
  return {
    name: 'users',
    config: config.base,
    streams: [
      DirectoryStream,
      AuditStream,
      ChainStream,
      UpdateStream,
      ValidatorStream,
      AlertSignalStream,
      AlertStream,
      RoleStream,
      FiguresStream,
    ],
    publishes: [ViewOnlyChanged, DisplayNameChanged, MandateEnforced, VaultUpdated, AlertChanged],
    outboxSweepMs: outboxSweepOfEndsMs,
    build: (context) => compose(context, config),
  };
});
