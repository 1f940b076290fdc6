import { errorCodeOf } from '@castellan/contracts';
import { readOptions, usage } from './options.ts';
import { Refusal } from './refusal.ts';
import { verify } from './verify.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') say(usage);
  else process.exitCode = (await verify(options, say)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof Refusal) && errorCodeOf(error) !== 'RPC_UNAVAILABLE') throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
