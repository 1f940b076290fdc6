import { type Command, command } from '@castellan/cli';

const streamOf = (write: (text: string) => void) => ({
  write: (text: unknown) => {
    write(String(text));
    return true;
  },
});

/** The verifiers are of the service that writes what they verify, and are loaded when they are asked for. */
const audit = command({
  path: 'verify audit',
  summary: 'Whether an export of the audit log is whole: FILE [--head HASH] [--any-layout] [--filtered]',
  hasOwnArguments: true,
  run: async ({ operands }, { out, err }) => {
    const { run } = await import('../../services/users/src/audit/verify/main.ts');
    return run(operands, { stdout: streamOf(out), stderr: streamOf(err) });
  },
});

const receipt = command({
  path: 'verify receipt',
  summary: 'Whether a figure is what its receipt says, and with --rpc what the chain says: --help',
  hasOwnArguments: true,
  run: async ({ operands }, { env, out, err }) => {
    const { verifyReceipt } = await import('../../services/analytics/src/verify/command.ts');
    return verifyReceipt([...operands], env, { out, err });
  },
});

const attestation = command({
  path: 'verify attestation',
  summary: 'Whether the attestation of a mandate is what its key signed: FILE --keys KEYS',
  hasOwnArguments: true,
  run: async ({ operands }, { out, err }) => {
    const { run } = await import('../../services/users/src/mandates/attestations/verify/main.ts');
    return run(operands, { stdout: streamOf(out), stderr: streamOf(err) });
  },
});

/** Checking what the system says, without believing it. */
export const verifyCommands: readonly Command[] = [audit, receipt, attestation];
