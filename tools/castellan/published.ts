import { apiCommands, withCompletion } from '@castellan/cli';
import { verifyCommands } from './verify.ts';

/** What is published as @castellan/cli: what asks the API, and what checks its answers; nothing for operators. */
export const publishedCommands = withCompletion([...apiCommands, ...verifyCommands]);
