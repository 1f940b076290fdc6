import type { BusServiceName } from '@castellan/contracts';
import { isSecret } from '@castellan/service-kit';
import type { z } from 'zod';
import type { Configuration } from './configuration.ts';
import { keeperKeyFaults } from './keeper-keys.ts';
import { repository } from './repository.ts';
import { sdkSecrets, sdkVariablesOf } from './sdk-variables.ts';
import { environmentOf, filesOf } from './services.ts';
import type { Workload } from './workloads.ts';

/** What each service reads from its environment, by the schema it checks it with. */
export type Environments = ReadonlyMap<BusServiceName, z.ZodObject>;

const schemaFile = (name: BusServiceName): string =>
  repository(name === 'keeper' ? 'services/vaults/src/keeper/config.ts' : `services/${name}/src/config.ts`);

export async function readEnvironments(names: Iterable<BusServiceName>): Promise<Environments> {
  const loaded = [...names].map(async (name) => {
    const { Environment } = (await import(schemaFile(name))) as { Environment: z.ZodObject };
    return [name, Environment] as const;
  });
  return new Map(await Promise.all(loaded));
}

/** Some services need one of several variables, which their schemas cannot say. */
export const alsoRequired = ['CHAINS', 'SERVICE_KEY', 'SERVICE_PUBLIC_KEYS', 'NATS_URL', 'MONGODB_URI', 'PUBLIC_URL'];

/** What is wrong with the variables of one service: unknown, missing or refused ones, and secrets that stand in the open. */
export function faultsOf(schema: z.ZodObject, variables: Readonly<Record<string, string>>): string[] {
  const shape = schema.shape as Record<string, z.ZodType>;
  const ofSdk = sdkVariablesOf(schema);
  const namedByFile = (variable: string) => (variable in shape ? undefined : variable.replace(/_FILE$/, ''));
  const given = new Set(Object.keys(variables).map((variable) => namedByFile(variable) ?? variable));
  const faults = Object.entries(variables).flatMap(([variable, value]) => {
    const field = shape[variable];
    if (ofSdk.includes(variable)) return [];
    if (sdkSecrets.includes(variable))
      return [`${variable} is a secret: put a file of credentials into secretFiles as AWS_SHARED_CREDENTIALS_FILE`];
    if (!field) {
      const named = shape[String(namedByFile(variable))];
      return variable.endsWith('_FILE') && named ? [] : [`${variable} is no variable of the service`];
    }
    if (isSecret(field)) return [`${variable} is a secret: it belongs into a secret, not into the configuration`];
    const parsed = field.safeParse(value);
    return parsed.success ? [] : [`${variable} ${parsed.error.issues[0]?.message}`];
  });
  const missing = Object.keys(shape).filter((variable) => {
    const isRequired = alsoRequired.includes(variable) || !shape[variable]?.safeParse(undefined).success;
    return isRequired && !given.has(variable);
  });
  return [...faults, ...missing.map((variable) => `${variable} is not set`)];
}

/** Names that two files of one folder would have. */
function sharedFilesOf(workload: Workload): string[] {
  const keys = [...filesOf(workload).map(({ key }) => key), ...(workload.keys ?? [])];
  const shared = keys.filter((key, index) => keys.indexOf(key) !== index);
  return shared.map((key) => `${key} is the name of two files: give one of them another`);
}

/** The faults of all services, each with the name of its service. */
export function environmentFaults(
  configuration: Configuration,
  workloads: ReadonlyMap<BusServiceName, Workload>,
  environments: Environments,
): string[] {
  const faults = [...workloads].flatMap(([name, workload]) => {
    const schema = environments.get(name);
    if (!schema) return [`${name} has no schema`];
    const own = [...faultsOf(schema, environmentOf(configuration, name, workload)), ...sharedFilesOf(workload)];
    return own.map((fault) => `${name}: ${fault}`);
  });
  return [...faults, ...keeperKeyFaults(configuration)];
}

/** Variables that name what is outside of the cluster: chain nodes, models, channels, identity providers. */
const outside = ['CHAINS', 'AI_BASE_URL', 'NOTIFICATIONS_TRUSTED_ORIGINS', 'TRUSTED_ISSUERS'];

/** Whether a service asks hosts of the internet for something, as its variables show. */
export const asksOutside = (schema: z.ZodObject): boolean => outside.some((variable) => variable in schema.shape);
