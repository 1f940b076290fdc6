import type { Description } from '../description.ts';

const ofVault = ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;

export const merkle = {
  registryHooks: {
    tag: 'registry',
    role: 'anyone',
    summary: 'Hooks that configurations can use, by name',
    errors: ['CURSOR_INVALID'],
  },
  createRegistryHook: {
    tag: 'registry',
    role: 'nobody here',
    summary: 'Add a hook; for registry maintainers',
    errors: ['ROLE_REQUIRED'],
  },
  updateRegistryHook: {
    tag: 'registry',
    role: 'nobody here',
    summary: 'Change a hook; versions of configurations that use it stay as they are',
    errors: ['ROLE_REQUIRED', 'HOOK_NOT_FOUND', 'VERSION_CONFLICT'],
  },
  deleteRegistryHook: {
    tag: 'registry',
    role: 'nobody here',
    summary: 'Take a hook out of the registry',
    errors: ['ROLE_REQUIRED', 'HOOK_NOT_FOUND'],
  },
  merkleConfigVersions: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'Versions of the hook configuration, newest first',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
  merkleConfigVersion: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'One version of the hook configuration by its number',
    errors: [...ofVault, 'HOOK_CONFIG_NOT_FOUND'],
  },
  merkleActiveConfig: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'The version that trees are generated of',
    errors: [...ofVault, 'HOOK_CONFIG_NOT_FOUND'],
  },
  activateMerkleConfig: {
    tag: 'merkle',
    role: 'secondary',
    summary: 'Make a version the one that trees are generated of; the chain is not touched',
    errors: [...ofVault, 'HOOK_CONFIG_NOT_FOUND', 'VERSION_CONFLICT'],
  },
  createMerkleConfig: {
    tag: 'merkle',
    role: 'secondary',
    summary: 'Make the next version of the hook configuration; a version never changes',
    errors: [...ofVault, 'HOOK_ROW_REFUSED', 'VERSION_CONFLICT'],
  },
  merkleConfig: {
    tag: 'merkle',
    role: 'anyone',
    summary: 'One version of a hook configuration by its id',
    errors: ['ROLE_REQUIRED', 'HOOK_CONFIG_NOT_FOUND'],
  },
  generateMerkleTree: {
    tag: 'merkle',
    role: 'secondary',
    summary: 'Start to generate the tree of the active configuration',
    errors: [...ofVault, 'JOB_RUNNING', 'NO_ACTIVE_HOOK_CONFIG'],
  },
  merkleJobs: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'Jobs of a vault, newest first',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
  merkleJob: { tag: 'merkle', role: 'anyone', summary: 'One job', errors: ['ROLE_REQUIRED', 'JOB_NOT_FOUND'] },
  merkleTrees: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'Trees of a vault, newest first',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
  merkleTree: { tag: 'merkle', role: 'anyone', summary: 'One tree', errors: ['ROLE_REQUIRED', 'HOOKS_TREE_NOT_FOUND'] },
  merkleProofs: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'Leaves of a tree with their proofs',
    errors: [...ofVault, 'HOOKS_TREE_NOT_FOUND', 'CURSOR_INVALID'],
  },
  merkleProof: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'One leaf with its proof, and whether the chain takes it now',
    errors: [...ofVault, 'HOOKS_TREE_NOT_FOUND', 'LEAF_NOT_FOUND', 'RPC_UNAVAILABLE'],
  },
  merkleSync: {
    tag: 'merkle',
    role: 'viewer',
    summary: 'What to do next on the chain',
    errors: [...ofVault, 'RPC_UNAVAILABLE'],
    otherStatuses: { 204: 'The tree of the active configuration is in force' },
  },
  publishMerkleTree: {
    tag: 'merkle',
    role: 'primary',
    summary: 'Start to publish a tree with its proofs for everybody to read',
    errors: [...ofVault, 'JOB_RUNNING', 'NO_ACTIVE_HOOK_CONFIG', 'NOT_GENERATED', 'HOOKS_TREE_NOT_FOUND'],
  },
  merklePublishJob: {
    tag: 'merkle',
    role: 'anyone',
    summary: 'One publication',
    errors: ['ROLE_REQUIRED', 'JOB_NOT_FOUND'],
  },
  publishedMerkleTree: {
    tag: 'merkle',
    role: 'anyone',
    summary: 'The published tree of a vault, and whether it is still the current one',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  merkleArtifact: {
    tag: 'merkle',
    role: 'anyone',
    summary: 'A published tree with its proofs; the path is the SHA-256 of the bytes',
    errors: ['ARTIFACT_NOT_FOUND'],
  },
  merkleProofStatus: {
    tag: 'merkle',
    role: 'anyone',
    summary: "Whether the chain takes the vault's stored proofs",
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'RPC_UNAVAILABLE'],
  },
} satisfies Record<string, Description>;
