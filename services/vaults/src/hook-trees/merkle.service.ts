import {
  ActivateHookConfig,
  CreateHook,
  CreateHookConfig,
  DeleteHook,
  GenerateTree,
  GetActiveHookConfig,
  GetHookConfig,
  GetHookConfigVersion,
  GetMerkleJob,
  GetMerkleSync,
  GetProofStatus,
  GetPublishedTree,
  GetTree,
  ListHookConfigs,
  ListHooks,
  ListMerkleJobs,
  ListProofs,
  ListTrees,
  LookupProof,
  PublishTree,
  ReadArtifact,
  UpdateHook,
} from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { type ConfigPorts, configUseCases } from './use-cases/configs.ts';
import { type JobPorts, jobUseCases } from './use-cases/jobs.ts';
import { type PublishedPorts, publishedUseCases } from './use-cases/published.ts';
import { type RegistryPorts, registryUseCases } from './use-cases/registry.ts';
import { treeUseCases } from './use-cases/trees.ts';

export type MerklePorts = ConfigPorts & JobPorts & PublishedPorts & RegistryPorts;

export const merkleService = (ports: MerklePorts): ServiceSchema => {
  const [registry, configs, jobs] = [registryUseCases(ports), configUseCases(ports), jobUseCases(ports)];
  const [trees, published] = [treeUseCases(ports), publishedUseCases(ports)];
  return {
    name: 'merkle',
    version: 1,
    actions: {
      hooks: implement(ListHooks, (params, { caller }) => registry.list(params, caller)),
      createHook: implement(CreateHook, (params, { caller }) => registry.create(params, caller)),
      updateHook: implement(UpdateHook, (params, { caller }) => registry.update(params, caller)),
      deleteHook: implement(DeleteHook, (params, { caller }) => registry.remove(params, caller)),
      createConfig: implement(CreateHookConfig, (params, { caller }) => configs.create(params, caller)),
      configVersions: implement(ListHookConfigs, (params, { caller }) => configs.versions(params, caller)),
      configVersion: implement(GetHookConfigVersion, (params, { caller }) => configs.version(params, caller)),
      activeConfig: implement(GetActiveHookConfig, (params, { caller }) => configs.active(params, caller)),
      config: implement(GetHookConfig, (params, { caller }) => configs.get(params, caller)),
      activateConfig: implement(ActivateHookConfig, (params, { caller }) => configs.activate(params, caller)),
      generate: implement(GenerateTree, (params, { caller }) => jobs.generate(params, caller)),
      publish: implement(PublishTree, (params, { caller }) => jobs.publish(params, caller)),
      jobs: implement(ListMerkleJobs, (params, { caller }) => jobs.list(params, caller)),
      job: implement(GetMerkleJob, (params, { caller }) => jobs.get(params, caller)),
      trees: implement(ListTrees, (params, { caller }) => trees.list(params, caller)),
      tree: implement(GetTree, (params, { caller }) => trees.get(params, caller)),
      proofs: implement(ListProofs, (params, { caller }) => trees.proofs(params, caller)),
      proof: implement(LookupProof, (params, { caller }) => trees.lookup(params, caller)),
      sync: implement(GetMerkleSync, (params, { caller }) => trees.sync(params, caller)),
      published: implement(GetPublishedTree, published.published),
      artifact: implement(ReadArtifact, published.artifact),
      proofStatus: implement(GetProofStatus, published.status),
    },
  };
};
