export { type Command, command, pathOf, UsageError, type ValuesOf, type World } from './command.ts';
export { apiCommands } from './commands.ts';
export { runCommand, withCompletion } from './run.ts';
export { apiOptions, urlOf } from './session-file.ts';
export { terminal } from './terminal.ts';
export { exitCodeTable, referenceOf } from './usage.ts';
