import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export type ComposeSecret = string | { source: string; target: string };

/** A service of docker-compose.yml, as far as it is read here. */
export type ComposeService = {
  build?: { target: string };
  profiles?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  secrets?: readonly ComposeSecret[];
  command?: readonly string[];
  volumes?: readonly string[];
  ports?: readonly string[];
};

export type Compose = {
  services: Readonly<Record<string, ComposeService>>;
  secrets: Readonly<Record<string, { file: string }>>;
};

/** Its anchors are more than the parser takes from a stranger. */
export const readCompose = (root: string): Compose =>
  parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true, maxAliasCount: -1 }) as Compose;

/** A value as compose gives it to the container: `${NAME:-default}`, or `${NAME:?message}`, which must be given. */
export const interpolate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, name: string, kind: string, rest: string) => {
    const value = values[name];
    if (value) return value;
    if (kind === '?') throw new Error(`${name} is not set: ${rest}`);
    return rest;
  });

/** The variables of a container of compose, without those that are empty. */
export const environmentOf = (service: ComposeService, values: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(
    Object.entries(service.environment ?? {})
      .map(([name, text]) => [name, interpolate(String(text), values)] as const)
      .filter(([, value]) => value !== ''),
  );

/** Where a secret lies in the container, and the file it comes from. */
export const secretsOf = ({ secrets }: Compose, service: ComposeService): Map<string, string> =>
  new Map(
    (service.secrets ?? []).map((secret) => {
      const { source, target } = typeof secret === 'string' ? { source: secret, target: secret } : secret;
      return [target, String(secrets[source]?.file)];
    }),
  );
