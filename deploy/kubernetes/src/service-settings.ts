import { z } from 'zod';
import { Pod } from './pod-settings.ts';
import { annotations, Resources, secretKey } from './values.ts';

const Replicas = z
  .strictObject({ min: z.int().min(1).max(100), max: z.int().min(1).max(100) })
  .refine(({ min, max }) => min <= max, 'min must not exceed max');

export const variable = z.string().regex(/^[A-Z][A-Z0-9_]*$/);

/** Of services and validators. How a pod gets a role of a cloud, which gives it credentials by an address of its host, and where it runs. */
export const OfPods = {
  serviceAccount: z
    .strictObject({ annotations: annotations.default({}) })
    .prefault({})
    .describe('The account of its pods, which has its name and no rights in the cluster; annotations bind a role.'),
  cloudIdentity: z
    .enum(['eks-pod-identity', 'ec2', 'gke'])
    .optional()
    .describe(
      'Opens the address that gives credentials: of the agent of EKS Pod Identity, or of the metadata of EC2 or GKE.',
    ),
  pod: Pod.prefault({}).describe('What these pods have in the place of what all pods have.'),
};

export const Service = z
  .strictObject({
    replicas: Replicas.optional(),
    resources: Resources.optional(),
    environment: z
      .record(variable, z.string())
      .default({})
      .describe(
        'Further variables of docs/configuration.md, and of the SDKs of clouds; held against the schema of the service, and never a secret.',
      ),
    secretFiles: z
      .record(variable, secretKey)
      .default({})
      .describe(
        'Variables that name a file, such as AUTH_VAULT_TOKEN_FILE: the key of the secret of the service with its text.',
      ),
    ...OfPods,
  })
  .refine(
    ({ environment, secretFiles }) => Object.keys(secretFiles).every((name) => !(name in environment)),
    'a variable must be in environment or in secretFiles, not in both',
  );

export const Keeper = Service.safeExtend({
  keystore: z
    .boolean()
    .optional()
    .describe(
      'Whether its secret has keystore.json and unlock, the key of all chains; without this, where there is no KEEPER_KMS_KEY and no KEEPER_PRIVATE_KEY_FILE. false: one of these, or each chain has a key in KEEPER_CHAINS.',
    ),
});

export type ServiceSettings = z.output<typeof Service>;
export type CloudIdentity = NonNullable<ServiceSettings['cloudIdentity']>;
