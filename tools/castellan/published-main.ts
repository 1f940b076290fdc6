import { runCommand, terminal } from '@castellan/cli';
import manifest from '../../packages/cli/package.json' with { type: 'json' };
import { publishedCommands } from './published.ts';

/** The program of @castellan/cli. */
const version = `castellan ${manifest.version}, Node ${process.version}`;
process.exitCode = await runCommand(publishedCommands, version, process.argv.slice(2), terminal());
