import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApp } from '../client/services.ts';
import { keys } from '../data/queries.ts';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { useMerkleSync, useMerkleVault } from './hooks-state.ts';
import { isRunning } from './types.ts';

const REST_MS = 15_000;
const JOB_MS = 2_000;

/** What to do next on the chain, the work that runs, and how to start some. */
export function useMerkle(shown: Pick<Shown, 'vault'>) {
  const { api } = useApp();
  const viewer = useViewer();
  const queries = useQueryClient();
  const { query, body, root, isSignedIn } = useMerkleVault(shown);
  const jobs = useQuery({
    queryKey: [...root, 'jobs'],
    queryFn: () => api.merkleJobs({ query: { ...query, limit: '10' } }),
    enabled: isSignedIn,
    refetchInterval: ({ state }) => (state.data?.jobs.some(isRunning) ? JOB_MS : REST_MS),
  });
  const sync = useMerkleSync(shown);
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: root });
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, body.chain_id, body.vault_address) });
  };
  const finished = jobs.data?.jobs.find((job) => !isRunning(job))?.id;
  // What a job made is to be read as soon as it is over.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other end of a job is what it depends on
  useEffect(() => {
    if (finished !== undefined) refresh();
  }, [finished]);
  const failed = (title: string) => (error: unknown) =>
    toast({ tone: 'critical', title, detail: explain(error).detail, key: 'merkle' });
  const started = { onSettled: () => queries.invalidateQueries({ queryKey: [...root, 'jobs'] }) };
  const generate = useMutation({
    mutationFn: () => api.generateMerkleTree({ body }),
    onError: failed('The tree could not be generated'),
    ...started,
  });
  const publish = useMutation({
    mutationFn: (tree_id: string) => api.publishMerkleTree({ body: { ...body, tree_id } }),
    onError: failed('The tree could not be published'),
    ...started,
  });
  return { jobs, sync, refresh, generate, publish };
}
