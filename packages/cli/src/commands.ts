import { callCommands } from './calls.ts';
import type { Command } from './command.ts';
import { exportCommands } from './export.ts';
import { loginCommands } from './login.ts';
import { mandateCommands } from './mandates.ts';
import { reportCommands } from './report.ts';
import { strategyCommands } from './strategies.ts';
import { vaultCommands } from './vaults.ts';

/** The commands that ask the API, for everybody. */
export const apiCommands: readonly Command[] = [
  ...loginCommands,
  ...vaultCommands,
  ...callCommands,
  ...exportCommands,
  ...reportCommands,
  ...strategyCommands,
  ...mandateCommands,
];
