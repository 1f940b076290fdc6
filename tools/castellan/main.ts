import { terminal } from '@castellan/cli';
import { runCastellan } from './commands.ts';

process.exitCode = await runCastellan(process.argv.slice(2), terminal());
