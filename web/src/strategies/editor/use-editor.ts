import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApp } from '../../client/services.ts';
import type { Vault } from '../../data/queries.ts';
import { useSettled } from '../../lists/use-settled.ts';
import type { OpenStrategy } from '../types.ts';
import { sourcesOf } from '../types.ts';
import { useEngineVault, useFields } from '../use-strategies.ts';
import { compilable, type Definition, type Draft, definitionOf } from './draft.ts';
import { type Fault, fieldFaults, inWords, judge } from './judge.ts';
import { type Named, namesIn, vocabularyFor } from './vocabulary.ts';

/** What the server finds wrong with a definition that is sound as far as the page can check. */
function useServerJudgement(vault: Vault, text: string, isSound: boolean) {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  const settled = useSettled(text);
  const isAsked = isSound && settled === text;
  const answer = useQuery({
    queryKey: [...root, 'validate', settled],
    queryFn: () => api.validateStrategy({ body: { vault_id, ...(JSON.parse(settled) as Definition) } }),
    enabled: isSignedIn && isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  // What the server said of an earlier text says nothing of this one.
  return { answer, isChecked: isAsked && answer.data?.ok === true };
}

/**
 * Everything wrong with a draft and how it judges the vault: first by this page, then by the server.
 * @param begun - The vault as it was when the draft was begun: what its names stood for then.
 */
export function useJudgement(vault: Vault, draft: Draft, { isNew, begun }: { isNew: boolean; begun: Named }) {
  const fields = useFields(vault);
  const vocabulary = useMemo(() => vocabularyFor(vault, begun), [vault, begun]);
  const definition = useMemo(() => {
    const written = definitionOf(draft, vocabulary);
    return { ...written, names: namesIn(compilable(written), vault, begun) };
  }, [draft, vocabulary, vault, begun]);
  const sources = useMemo(() => sourcesOf(vault).map(({ source_address }) => source_address.toLowerCase()), [vault]);
  const judgement = useMemo(
    () => judge(definition, { sources, vocabulary }, fields.data),
    [definition, sources, vocabulary, fields.data],
  );
  const missing = fieldFaults(draft, isNew, vocabulary);
  const isSound = missing.length === 0 && judgement.faults.length === 0;
  const { answer: server, isChecked } = useServerJudgement(vault, JSON.stringify(definition), isSound);
  const found: Fault[] = isSound
    ? (server.data?.errors ?? []).map(({ suggestion, position, ...fault }) => ({
        ...fault,
        position: position as NonNullable<Fault['position']>,
        ...(suggestion === null ? {} : { suggestion }),
      }))
    : [];
  return {
    fields: fields.data,
    fieldsRead: fields,
    vocabulary,
    definition,
    judgement,
    faults: [...missing, ...judgement.faults, ...inWords(found, vocabulary)],
    // What this page warns about is in the server's list too.
    warnings:
      isSound && server.data !== undefined ? inWords(server.data.warnings as Fault[], vocabulary) : judgement.warnings,
    server,
    isSound: isSound && found.length === 0,
    isChecked,
  };
}

/** Where the server names the field at fault, as this page names it. */
export function refusedFields(error: unknown): Fault[] {
  const { errors } = (error ?? {}) as { errors?: { path: string; message: string }[] };
  return Array.isArray(errors)
    ? errors.map(({ path, message }) => ({ path: path.replace(/^body\./, ''), message }))
    : [];
}

type Saved = { onSaved: () => void };

/** Keeps a draft; one that somebody else changed meanwhile is not written over without a word. */
export function useSave(vault: Vault, before: OpenStrategy | undefined, { onSaved }: Saved) {
  const { api } = useApp();
  const { vault_id, root } = useEngineVault(vault);
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, definition, version }: { draft: Draft; definition: Definition; version?: number }) =>
      before === undefined
        ? api.createStrategy({ body: { vault_id, id: draft.id, ...definition } })
        : api.updateStrategy({
            params: { id: before.id },
            body: { version: version ?? before.version, ...definition },
          }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: root });
      onSaved();
    },
  });
}
