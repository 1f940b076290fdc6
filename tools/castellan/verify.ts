import { readFileSync } from 'node:fs';
import { apiOptions, type Command, command, pathOf, UsageError, urlOf, type World } from '@castellan/cli';
import type { Hex } from 'viem';
import { receiptOptions } from '../../services/analytics/src/verify/receipt-options.ts';
import type { VerifiedArtifact } from '../../services/vaults/src/hook-trees/domain/verify-artifact.ts';

const jsonOption = { json: { summary: 'prints JSON instead of text' } } as const;

function bytesOf(file: string, env: World['env']): Buffer {
  try {
    return readFileSync(pathOf(file, env));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`, '');
  }
}

const textOf = (file: string, env: World['env']): string => bytesOf(file, env).toString('utf8');

/** Prints a verdict. @returns the exit code: 1 when there is a fault. */
function verdict({ out }: World, isJson: boolean, fault: string | null, found: object, words: string): number {
  out(isJson ? `${JSON.stringify({ ok: fault === null, fault, ...found }, undefined, 2)}\n` : words);
  return fault === null ? 0 : 1;
}

/** The verifiers are of the service that writes what they verify, and are loaded when they are asked for. */
const audit = command({
  path: 'verify audit',
  summary: 'Whether an export of the audit log is whole; asks nobody',
  operands: [{ name: 'FILE', summary: 'the export, in JSON or NDJSON' }],
  options: {
    head: { value: 'HASH', summary: 'a head that was noted earlier must be among the rows' },
    'any-layout': { summary: 'white space may differ from what the export wrote' },
    filtered: { summary: 'the file was exported with filters: checks the rows that are there' },
    ...jsonOption,
  },
  run: async ({ values, operands: [file = ''] }, world) => {
    const { head, filtered, 'any-layout': anyLayout, json } = values;
    const text = textOf(file, world.env);
    const [{ verifyExport }, { Unreadable }] = await Promise.all([
      import('../../services/users/src/audit/verify/verify.ts'),
      import('../../services/users/src/audit/verify/export-file.ts'),
    ]);
    try {
      const { ok, line } = verifyExport(text, { head, anyLayout, filtered });
      return verdict(world, json, ok ? null : line, { finding: line }, `${line}\n`);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const line = `broken: ${error.message}`;
      return verdict(world, json, line, { finding: line }, `${line}\n`);
    }
  },
});

const receipt = command({
  path: 'verify receipt',
  summary:
    'Whether a figure is what its receipt says, and with --rpc what the chain says. Ends with 2 when it could not be checked',
  options: {
    url: apiOptions.url,
    api: { value: 'URL', summary: 'the same as --url, as receipts of earlier versions have it' },
    ...receiptOptions,
  },
  run: async ({ values }, world) => {
    const { env, out, err } = world;
    const { url, api, ...asked } = values;
    const given = Object.entries({
      ...asked,
      api: urlOf(url ?? api ?? (env.CASTELLAN_URL || env.CASTELLAN_API), world),
    });
    const args = given.flatMap(([name, value]) => {
      if (typeof value === 'boolean') return value ? [`--${name}`] : [];
      return value === undefined ? [] : [`--${name}=${value}`];
    });
    const { verifyReceipt } = await import('../../services/analytics/src/verify/command.ts');
    return verifyReceipt(args, env, { out, err });
  },
});

const attestation = command({
  path: 'verify attestation',
  summary: 'Whether the attestation of a mandate is what its key signed, whatever it says of the promises; asks nobody',
  operands: [{ name: 'FILE', summary: 'the attestation of a month' }],
  options: {
    keys: { value: 'FILE', summary: 'a saved /.well-known/castellan-attestations.json of who signed it; required' },
    ...jsonOption,
  },
  run: async ({ values, operands: [file = ''] }, world) => {
    if (values.keys === undefined) throw new UsageError('Name the keys: --keys castellan-attestations.json.');
    const texts = [textOf(file, world.env), textOf(values.keys, world.env)] as const;
    const [{ NotVerified, UnusableKeys, verifyAttestation }, { summaryOf }] = await Promise.all([
      import('../../services/users/src/mandates/attestations/verify/verify.ts'),
      import('../../services/users/src/mandates/attestations/verify/summary.ts'),
    ]);
    try {
      const verified = await verifyAttestation(...texts);
      return verdict(world, values.json, null, verified, summaryOf(verified));
    } catch (error) {
      if (error instanceof UnusableKeys) throw new UsageError(error.message);
      if (!(error instanceof NotVerified)) throw error;
      return verdict(world, values.json, error.message, {}, `not verified: ${error.message}\n`);
    }
  },
});

function hashOf(text: string | undefined, option: string): Hex | undefined {
  if (text !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new UsageError(`--${option} is 0x and 64 hexadecimal digits.`);
  return text as Hex | undefined;
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
    ...jsonOption,
  },
  run: async ({ values, operands: [file = ''] }, world) => {
    const known = { hash: hashOf(values.hash, 'hash'), root: hashOf(values.root, 'root') };
    const bytes = bytesOf(file, world.env);
    const { ArtifactNotVerified, verifyArtifact } = await import(
      '../../services/vaults/src/hook-trees/domain/verify-artifact.ts'
    );
    try {
      const verified = verifyArtifact(bytes, known);
      const { leaves, ...head } = verified.artifact;
      const found = { sha256: verified.hash, ...head, leaves: leaves.length };
      return verdict(world, values.json, null, found, artifactText(verified));
    } catch (error) {
      if (!(error instanceof ArtifactNotVerified)) throw error;
      return verdict(world, values.json, error.message, {}, `not verified: ${error.message}\n`);
    }
  },
});

/** Checking what the system says, without believing it. */
export const verifyCommands: readonly Command[] = [audit, receipt, attestation, artifact];
