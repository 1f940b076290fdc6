import { verifyReceipt } from './command.ts';

process.exitCode = await verifyReceipt(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
