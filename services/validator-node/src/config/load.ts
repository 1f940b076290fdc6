import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { rememberSecret } from '@castellan/service-kit';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { type Checked, crossFaults } from './cross-check.ts';
import { type Fault, faultsOf, inReadingOrder, NodeConfigError, type Whereabouts } from './faults.ts';
import { isSecret, isSection, shapeOf } from './field.ts';
import { locateKeys, type Position } from './locate.ts';
import { applyOverlay, type Environment, fromEnvironment, fromFlags, type Overlay } from './overlay.ts';
import { type ChainEntry, ChainsFile, NodeFile } from './schema.ts';

/** The whole configuration of a node: durations in milliseconds, paths absolute. */
export type NodeConfig = NodeFile & { chains: readonly ChainEntry[] };

export type LoadOptions = { file: string; env: Environment; flags?: readonly string[] };

type Document = { data: Record<string, unknown>; positions: Map<string, Position>; faults: Fault[]; name: string };

function readDocument(file: string): Document {
  const name = relative(process.cwd(), file) || file;
  const empty = { data: {}, positions: new Map<string, Position>(), name };
  const fault = (where: string, got: string, expected: string): Document => ({
    ...empty,
    faults: [{ where, path: '(file)', got, expected }],
  });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return fault(
      name,
      `no readable file (${(error as NodeJS.ErrnoException).code})`,
      'a TOML file; see `validate --help`',
    );
  }
  try {
    const data = parse(text, { unsafeKeyBehaviour: 'throw' }) as Record<string, unknown>;
    return { data, positions: locateKeys(text), faults: [], name };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The first line only: what follows is the text around it, which may hold a secret.
    const reason = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? 'a fault';
    return fault(`${name}:${error.line}:${error.column}`, reason, 'TOML');
  }
}

/** Where a value came from; a key that is missing is looked for at the table that should hold it. */
const whereaboutsOf =
  ({ name, positions }: Document, overlays: readonly Overlay[] = []): Whereabouts =>
  (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const key = path.slice(0, length).join('.');
      const from = overlays.findLast(({ names }) => names.has(key))?.names.get(key);
      if (from) return from;
      const position = positions.get(key);
      if (position) return `${name}:${position.line}:${position.column}`;
    }
    return name;
  };

/** Sections that are well formed, each on its own. */
function soundSections(data: Record<string, unknown>): Checked {
  const sound: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shapeOf(NodeFile))) {
    const parsed = schema.safeParse(data[name]);
    if (parsed.success) sound[name] = parsed.data;
  }
  return sound as Checked;
}

function rememberSecrets(schema: z.ZodType, value: unknown): void {
  for (const [name, field] of Object.entries(shapeOf(schema))) {
    const inner = (value as Record<string, unknown> | undefined)?.[name];
    if (isSection(field)) rememberSecrets(field, inner);
    else if (isSecret(field)) for (const text of [inner].flat()) rememberSecret(text);
  }
}

function absolutePaths(config: NodeFile, folder: string): NodeFile {
  const put = <K extends string>(key: K, path: string | undefined) =>
    (path === undefined ? {} : { [key]: resolve(folder, path) }) as { [P in K]?: string };
  const { tls } = config.bus;
  return {
    ...config,
    chain_config_path: resolve(folder, config.chain_config_path),
    keys: {
      ...config.keys,
      ...put('key_file_path', config.keys.key_file_path),
      ...put('password_file', config.keys.password_file),
    },
    bus: {
      ...config.bus,
      ...put('credentials_file', config.bus.credentials_file),
      tls: { ...put('ca_file', tls.ca_file), ...put('cert_file', tls.cert_file), ...put('key_file', tls.key_file) },
    },
  };
}

export type Loaded = {
  /** Absent when there are faults. */
  config?: NodeConfig;
  faults: readonly Fault[];
  /** What was understood, with defaults, well formed or not. */
  effective: Record<string, unknown>;
};

/** Reads defaults < file < environment < flags, and finds all faults at once. */
export function readNodeConfig({ file, env, flags = [] }: LoadOptions): Loaded {
  const path = resolve(file);
  const document = readDocument(path);
  const overlays = [fromEnvironment(NodeFile, env), fromFlags(NodeFile, flags)];
  for (const overlay of overlays) applyOverlay(document.data, overlay);
  const whereabouts = whereaboutsOf(document, overlays);
  const faults = [...document.faults, ...overlays.flatMap((overlay) => overlay.faults)];
  const parsed = NodeFile.safeParse(document.data);
  if (!parsed.success && document.faults.length === 0)
    faults.push(...faultsOf(parsed.error, NodeFile, document.data, whereabouts));
  const sound: Checked = soundSections(document.data);

  const chainFile = resolve(dirname(path), sound.chain_config_path ?? './chains.toml');
  const chainDocument = readDocument(chainFile);
  const chainWhereabouts = whereaboutsOf(chainDocument);
  faults.push(...chainDocument.faults);
  const chains = ChainsFile.safeParse(chainDocument.data);
  if (chains.success) sound.chains = chains.data.chains;
  else if (chainDocument.faults.length === 0)
    faults.push(...faultsOf(chains.error, ChainsFile, chainDocument.data, chainWhereabouts));

  if (document.faults.length === 0) faults.push(...crossFaults(sound, whereabouts, chainWhereabouts));
  const effective = { ...document.data, ...sound };
  rememberSecrets(NodeFile, effective);
  for (const chain of sound.chains ?? []) for (const url of chain.https_rpc) rememberSecret(url);
  if (faults.length > 0 || !parsed.success || !chains.success) return { faults: inReadingOrder(faults), effective };
  return { config: { ...absolutePaths(parsed.data, dirname(path)), chains: chains.data.chains }, faults, effective };
}

/** @throws NodeConfigError with all faults. */
export function loadNodeConfig(options: LoadOptions): NodeConfig {
  const { config, faults } = readNodeConfig(options);
  if (!config) throw new NodeConfigError(faults);
  return config;
}
