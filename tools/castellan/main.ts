import { runCastellan } from './commands.ts';

process.exitCode = await runCastellan(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
