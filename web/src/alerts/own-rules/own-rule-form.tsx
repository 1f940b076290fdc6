import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useApp } from '../../client/services.ts';
import { type MyVault, paramsOf } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Failure } from '../../design/states.tsx';
import { toast } from '../../design/toast.tsx';
import { useViewer } from '../../session/use-session.ts';
import { bindingsQuery, type OwnRule, type OwnRules } from '../queries.ts';
import { useRefresh } from '../use-refresh.ts';
import { draftOf, newDraft, type OwnRuleBody, type OwnRuleDraft, onKnownChannels, ruleOf } from './own-rule-draft.ts';
import { OwnRuleFields } from './own-rule-fields.tsx';

// The charts come once somebody tries a rule.
const OwnRulePreview = lazy(async () => ({ default: (await import('./own-rule-preview.tsx')).OwnRulePreview }));

type Props = {
  vault: MyVault;
  offered: OwnRules;
  /** None: a new one is made. */
  rule?: OwnRule;
  onClose?: () => void;
};

function useRuleWrites({ vault, rule, onClose }: Props) {
  const { api } = useApp();
  const refresh = useRefresh();
  const params = paramsOf(vault);
  const said = (title: string, what: string) => {
    toast({ tone: 'info', title: `${title} was ${what}` });
    onClose?.();
    return refresh();
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
    onSuccess: ({ title }) => said(title, 'saved'),
  });
  const remove = useMutation({
    mutationFn: ({ rule_id, version }: OwnRule) =>
      api.deleteOwnAlertRule({ params: { ...params, rule_id }, query: { version: String(version) } }),
    onSuccess: () => said(rule?.title ?? 'The rule', 'deleted'),
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
export function OwnRuleForm(props: Props) {
  const { vault, offered, rule, onClose } = props;
  const [typed, setDraft] = useState<OwnRuleDraft>(() =>
    rule === undefined ? newDraft(offered) : draftOf(rule, offered),
  );
  const bound = useBound(vault);
  const draft = onKnownChannels(
    typed,
    bound?.map(({ channel }) => channel.channel_id),
  );
  const { tried, save, remove } = useRuleWrites(props);
  const body = ruleOf(draft, offered, rule);
  const name = rule?.title ?? 'the new rule';
  const mayAct = vault.my_role !== 'view_only';
  return (
    <div className="flex flex-col gap-3">
      <OwnRuleFields
        draft={draft}
        offered={offered}
        bound={bound ?? []}
        isFresh={rule === undefined}
        onChange={setDraft}
      />
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
            isDisabled={body === undefined || save.isPending}
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
              isDisabled={body === undefined || save.isPending}
              onPress={() => body && save.mutate({ ...body, enabled: !rule.enabled })}
            >
              {rule.enabled ? 'Switch off' : 'Switch on'}
            </Button>
            <DeleteButton name={name} isPending={remove.isPending} onDelete={() => remove.mutate(rule)} />
          </>
        ) : null}
        {onClose === undefined ? null : (
          <Button look="quiet" onPress={onClose}>
            Cancel
          </Button>
        )}
      </div>
      {tried.data === undefined ? null : (
        <Suspense fallback={null}>
          <OwnRulePreview offered={offered} {...tried.data} />
        </Suspense>
      )}
      {tried.isError ? <Failure error={tried.error} title="It could not be tried" /> : null}
      {save.isError ? <Failure error={save.error} title="The rule was not saved" /> : null}
      {remove.isError ? <Failure error={remove.error} title="The rule was not deleted" /> : null}
    </div>
  );
}

/** Asks once more in its place: a deleted rule cannot be brought back. */
function DeleteButton({ name, isPending, onDelete }: { name: string; isPending: boolean; onDelete: () => void }) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <Button look="danger" aria-label={`Delete ${name}`} onPress={() => setAsked(true)}>
        Delete
      </Button>
    );
  return (
    <>
      <Button look="danger" aria-label={`Delete ${name} for good`} isDisabled={isPending} onPress={onDelete}>
        {isPending ? 'Deleting' : 'Delete for good'}
      </Button>
      <Button look="quiet" onPress={() => setAsked(false)}>
        Keep it
      </Button>
    </>
  );
}
