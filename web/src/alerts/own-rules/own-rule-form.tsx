import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useApp } from '../../client/services.ts';
import { type MyVault, paramsOf } from '../../data/queries.ts';
import { AskedButton } from '../../design/asked-button.tsx';
import { Button } from '../../design/button.tsx';
import { ChangedMeanwhile } from '../../design/changed-meanwhile.tsx';
import { LeaveGuard } from '../../design/leave-guard.tsx';
import { Failure } from '../../design/states.tsx';
import { toast } from '../../design/toast.tsx';
import { useBegun } from '../../design/use-begun.ts';
import { useViewer } from '../../session/use-session.ts';
import { bindingsQuery, type OwnRule, type OwnRules } from '../queries.ts';
import { useRefresh } from '../use-refresh.ts';
import {
  bodyOf,
  differs,
  draftOf,
  newDraft,
  type OwnRuleBody,
  type OwnRuleDraft,
  onKnownChannels,
  ruleOf,
} from './own-rule-draft.ts';
import { OwnRuleFields } from './own-rule-fields.tsx';
import { ownRuleWords } from './own-rule-words.ts';

// The charts come once somebody tries a rule.
const OwnRulePreview = lazy(async () => ({ default: (await import('./own-rule-preview.tsx')).OwnRulePreview }));

type Props = {
  vault: MyVault;
  offered: OwnRules;
  /** None: a new one is made. */
  rule?: OwnRule;
  onClose?: () => void;
};

type Writes = Pick<Props, 'vault'> & { rule: OwnRule | undefined; onClose: (() => void) | undefined };

/** `rule` is the one that was typed over. */
function useRuleWrites({ vault, rule, onClose }: Writes, onSaved: (version: number) => void) {
  const { api } = useApp();
  const refresh = useRefresh();
  const params = paramsOf(vault);
  const said = (title: string, what: string) => {
    toast({ tone: 'info', title: `${title} was ${what}` });
    onClose?.();
  };
  const tried = useMutation({
    mutationFn: async (body: OwnRuleBody) => ({
      rule: body,
      result: await api.backtestOwnAlertRule({ params, body: { rule: body } }),
    }),
  });
  const save = useMutation({
    mutationFn: (body: OwnRuleBody) =>
      rule === undefined
        ? api.createOwnAlertRule({ params, body: { rule: body } })
        : api.changeOwnAlertRule({
            params: { ...params, rule_id: rule.rule_id },
            body: { version: rule.version, rule: body },
          }),
    onSuccess: ({ title, version }) => {
      onSaved(version);
      said(title, 'saved');
    },
    // Also of a refusal: somebody else may have changed it meanwhile.
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: ({ rule_id, version }: OwnRule) =>
      api.deleteOwnAlertRule({ params: { ...params, rule_id }, query: { version: String(version) } }),
    onSuccess: () => said(rule?.title ?? 'The rule', 'deleted'),
    onSettled: refresh,
  });
  return { tried, save, remove };
}

/** The channels of the vault that get every alert; undefined until they are known. */
function useBound(vault: MyVault) {
  const { api } = useApp();
  const { data } = useQuery(bindingsQuery(api, useViewer(), vault.chain_id, vault.vault_address));
  return data?.channels.filter(({ receives }) => receives === 'all');
}

/** A rule as it is made or changed, with a trial of it on the history before it is saved. */
export function OwnRuleForm({ vault, offered, rule, onClose }: Props) {
  const form = useBegun(
    rule,
    (of) => of?.version ?? 0,
    (of): OwnRuleDraft => (of === undefined ? newDraft(offered) : draftOf(of, offered)),
  );
  const { draft: typed, change: setDraft, begun, isOutdated } = form;
  const bound = useBound(vault);
  const known = bound?.map(({ channel }) => channel.channel_id);
  const draft = onKnownChannels(typed, known);
  const writes = useRuleWrites({ vault, rule: begun, onClose }, form.saved);
  const { tried, save, remove } = writes;
  const body = ruleOf(draft, offered, begun);
  const name = rule?.title ?? 'the new rule';
  const mayAct = vault.my_role !== 'view_only';
  const isUnsaved = form.isChanged && (body === undefined || begun === undefined || differs(body, begun));
  return (
    <div className="flex flex-col gap-3">
      <LeaveGuard isDirty={mayAct && isUnsaved} what={rule === undefined ? name : `the rule ${name}`} />
      <OwnRuleFields
        draft={draft}
        offered={offered}
        bound={bound ?? []}
        isFresh={rule === undefined}
        onChange={setDraft}
      />
      <Buttons
        name={name}
        rule={rule}
        body={body}
        known={known}
        writes={writes}
        isOutdated={isOutdated}
        mayAct={mayAct}
        onClose={onClose}
      />
      {tried.data === undefined ? null : (
        <Suspense fallback={null}>
          <OwnRulePreview offered={offered} {...tried.data} />
        </Suspense>
      )}
      {tried.isError ? <Failure error={tried.error} title="It could not be tried" /> : null}
      {save.isError && !isOutdated ? <Failure error={save.error} title="The rule was not saved" /> : null}
      {rule === undefined ? null : (
        <ChangedMeanwhile of={form} what={`the rule ${rule.title}`} onDecided={save.reset}>
          {`Theirs: ${ownRuleWords(rule, offered)}${rule.enabled ? '' : ', switched off'}; owner ${rule.owner}.`}
        </ChangedMeanwhile>
      )}
      {remove.isError ? <Failure error={remove.error} title="The rule was not deleted" /> : null}
    </div>
  );
}

type ButtonsProps = Pick<Writes, 'rule' | 'onClose'> & {
  name: string;
  /** What is typed, once it is a rule. */
  body: OwnRuleBody | undefined;
  /** Ids of the channels that are left. */
  known: readonly string[] | undefined;
  writes: ReturnType<typeof useRuleWrites>;
  isOutdated: boolean;
  mayAct: boolean;
};

function Buttons({
  name,
  rule,
  body,
  known,
  writes: { tried, save, remove },
  isOutdated,
  mayAct,
  onClose,
}: ButtonsProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        aria-label={`Try on 90 days: ${name}`}
        isDisabled={body === undefined || tried.isPending}
        onPress={() => body && tried.mutate(body)}
      >
        {tried.isPending ? 'Trying' : 'Try on 90 days'}
      </Button>
      {mayAct ? (
        <Button
          look="primary"
          aria-label={`Save ${name}`}
          isDisabled={body === undefined || save.isPending || isOutdated}
          onPress={() => body && save.mutate(body)}
        >
          Save
        </Button>
      ) : null}
      {mayAct && rule !== undefined ? (
        <>
          <Button
            look="quiet"
            aria-label={`${rule.enabled ? 'Switch off' : 'Switch on'} ${name}`}
            isDisabled={save.isPending || isOutdated}
            // The rule as it is stored: what is being typed is neither saved with it nor in its way.
            onPress={() => save.mutate({ ...onKnownChannels(bodyOf(rule), known), enabled: !rule.enabled })}
          >
            {rule.enabled ? 'Switch off' : 'Switch on'}
          </Button>
          <AskedButton
            label={`Delete ${name}`}
            sure={remove.isPending ? 'Deleting' : 'Delete for good'}
            sureLabel={`Delete ${name} for good`}
            isDisabled={remove.isPending}
            onPress={() => remove.mutate(rule)}
          >
            Delete
          </AskedButton>
        </>
      ) : null}
      {onClose === undefined ? null : (
        <Button look="quiet" onPress={onClose}>
          Cancel
        </Button>
      )}
    </div>
  );
}
