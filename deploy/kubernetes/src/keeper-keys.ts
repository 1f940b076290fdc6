import type { Configuration } from './configuration.ts';
import { secretsPath } from './pod.ts';

/** Of what a chain has of its own, the part that says where its key is. */
type OwnKey = { kms_key?: string; keystore_file?: string; unlock_file?: string };

/** The common keystore and its password are read by a path of their own. */
const common = { KEEPER_KEYSTORE_FILE: `${secretsPath}/keystore.json`, KEEPER_UNLOCK_FILE: `${secretsPath}/unlock` };

const listFile = 'KEEPER_CHAINS_FILE';

/** Variables with a common key that is no keystore, as they are given: the key itself may be in a file. */
const otherKeysOf = ({ services: { keeper } }: Configuration): string[] =>
  ['KEEPER_KMS_KEY', 'KEEPER_PRIVATE_KEY']
    .flatMap((variable) => [variable, `${variable}_FILE`])
    .filter((variable) => keeper?.environment[variable] || keeper?.secretFiles[variable]);

/** Whether chains without a key of their own have a common keystore. */
const hasKeystore = (configuration: Configuration): boolean =>
  configuration.services.keeper?.keystore ?? otherKeysOf(configuration).length === 0;

/** A text that is no list of objects is refused with the other variables. */
function ownKeysOf({ services: { keeper } }: Configuration): OwnKey[] {
  try {
    const list: unknown = JSON.parse(keeper?.environment.KEEPER_CHAINS ?? '[]');
    return Array.isArray(list) ? list.filter((own) => typeof own === 'object' && own !== null) : [];
  } catch {
    return [];
  }
}

const pathsOf = (configuration: Configuration): string[] =>
  ownKeysOf(configuration).flatMap(({ keystore_file, unlock_file }) =>
    [keystore_file, unlock_file].filter((path) => typeof path === 'string'),
  );

const nameOf = (path: string): string | undefined =>
  /^[\w.-]+$/.exec(path.startsWith(`${secretsPath}/`) ? path.slice(secretsPath.length + 1) : '')?.[0];

/** Variables of the keeper's keys, and the keys of its secret with keystores and their passwords. */
export function keeperKeysOf(configuration: Configuration) {
  const environment: Record<string, string> = hasKeystore(configuration) ? common : {};
  const paths = [...Object.values(environment), ...pathsOf(configuration)];
  return { environment, keys: [...new Set(paths.flatMap((path) => nameOf(path) ?? []))] };
}

/** What is wrong with its keys. */
export function keeperKeyFaults(configuration: Configuration): string[] {
  const { keeper } = configuration.services;
  if (!keeper) return [];
  const elsewhere = pathsOf(configuration).filter((path) => nameOf(path) === undefined);
  const faults = elsewhere.map((path) => `keeper: KEEPER_CHAINS names ${path}: its files must be in ${secretsPath}`);
  const hasOwn = ownKeysOf(configuration).some(({ kms_key, keystore_file }) => kms_key ?? keystore_file);
  const [first, second] = [...(hasKeystore(configuration) ? ['a keystore'] : []), ...otherKeysOf(configuration)];
  if (second) faults.push(`keeper: takes ${first} or ${second}, not both`);
  if (listFile in keeper.environment || listFile in keeper.secretFiles)
    faults.push(
      `keeper: ${listFile} is not read here, where its keystores are mounted: put the list, which holds no secret, into environment as KEEPER_CHAINS`,
    );
  else if (!first && !hasOwn)
    faults.push(
      'keeper: without a keystore it needs KEEPER_KMS_KEY, KEEPER_PRIVATE_KEY_FILE, or keys in KEEPER_CHAINS',
    );
  return faults;
}
