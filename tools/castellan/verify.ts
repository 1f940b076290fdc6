import { readFileSync } from 'node:fs';
import { type Command, command, pathOf, UsageError, type World } from '@castellan/cli';
import type { Hex } from 'viem';
import type { VerifiedArtifact } from '../../services/vaults/src/hook-trees/domain/verify-artifact.ts';

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

function hashOf(text: string | undefined, option: string): Hex | undefined {
  if (text !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new UsageError(`--${option} is 0x and 64 hexadecimal digits.`);
  return text as Hex | undefined;
}

function bytesOf(file: string, env: World['env']): Uint8Array {
  try {
    return readFileSync(pathOf(file, env));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

const artifactText = ({ artifact, hash }: VerifiedArtifact): string => {
  const { leaves, root_hash, chain_id, vault_address, strategy_address } = artifact;
  const hooks = new Set(leaves.map(({ hook_address }) => hook_address));
  return [
    `ok: ${leaves.length} leaves of ${hooks.size} hooks are the whole tree of the root ${root_hash}`,
    `  of vault ${vault_address}, strategy ${strategy_address}, chain ${chain_id}`,
    `  SHA-256 ${hash}`,
    '',
  ].join('\n');
};

const artifact = command({
  path: 'verify artifact',
  summary: 'Whether a published tree of hooks is whole, and each proof in it leads to its root; asks nobody',
  operands: [{ name: 'FILE', summary: 'the artifact, as /api/v1/merkle/artifacts/HASH gives it' }],
  options: {
    hash: { value: '0x...', summary: 'its name, which is the SHA-256 of its bytes' },
    root: { value: '0x...', summary: 'the root that is in force, such as getStrategyHooksRoot of the chain says' },
    json: { summary: 'prints JSON instead of text' },
  },
  run: async ({ values, operands: [file = ''] }, { env, out }) => {
    const known = { hash: hashOf(values.hash, 'hash'), root: hashOf(values.root, 'root') };
    const bytes = bytesOf(file, env);
    const { ArtifactNotVerified, verifyArtifact } = await import(
      '../../services/vaults/src/hook-trees/domain/verify-artifact.ts'
    );
    try {
      const verified = verifyArtifact(bytes, known);
      const { leaves, ...head } = verified.artifact;
      const said = { ok: true, fault: null, sha256: verified.hash, ...head, leaves: leaves.length };
      out(values.json ? `${JSON.stringify(said, undefined, 2)}\n` : artifactText(verified));
      return 0;
    } catch (error) {
      if (!(error instanceof ArtifactNotVerified)) throw error;
      const { message: fault } = error;
      out(values.json ? `${JSON.stringify({ ok: false, fault }, undefined, 2)}\n` : `not verified: ${fault}\n`);
      return 1;
    }
  },
});

/** Checking what the system says, without believing it. */
export const verifyCommands: readonly Command[] = [audit, receipt, attestation, artifact];
