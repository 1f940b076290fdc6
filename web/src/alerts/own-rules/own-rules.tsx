import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../client/services.ts';
import type { MyVault } from '../../data/queries.ts';
import { AddressTag } from '../../design/address-tag.tsx';
import { Button } from '../../design/button.tsx';
import { RowSkeletons } from '../../design/states.tsx';
import { formatCount } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import { useViewer } from '../../session/use-session.ts';
import { type OwnRules as Offered, type OwnRule, ownRulesQuery } from '../queries.ts';
import { RuleRow } from '../rule-row.tsx';
import { OwnRuleForm } from './own-rule-form.tsx';
import { ownRuleWords } from './own-rule-words.ts';

/** Rules that managers of the vault made, and the making of another. */
export function OwnRules({ vault }: { vault: MyVault }) {
  const { api } = useApp();
  const list = useQuery(ownRulesQuery(api, useViewer(), vault));
  const [isMaking, setMaking] = useState(false);
  if (list.data === undefined)
    return list.isError ? <ReadTrouble of={list} what="The own rules" /> : <RowSkeletons rows={1} />;
  const { rules, most } = list.data;
  const mayAct = vault.my_role !== 'view_only';
  return (
    <>
      <ReadTrouble of={list} what="The own rules" />
      {rules.length === 0 ? null : (
        <ul aria-label="Own rules" className="divide-y border-b">
          {rules.map((rule) => (
            <Row key={rule.rule_id} rule={rule} offered={list.data} vault={vault} />
          ))}
        </ul>
      )}
      {mayAct ? (
        <div className="flex flex-col gap-3 border-b px-4 py-3">
          {isMaking ? (
            <section aria-label="New rule">
              <OwnRuleForm vault={vault} offered={list.data} onClose={() => setMaking(false)} />
            </section>
          ) : (
            <span className="flex flex-wrap items-center gap-3">
              <Button isDisabled={rules.length >= most} onPress={() => setMaking(true)}>
                New rule
              </Button>
              <span className="text-13 text-muted">
                {rules.length >= most
                  ? `The vault has ${formatCount(most)} own rules, as many as are allowed.`
                  : 'A figure of the vault beside a threshold, judged at every observation.'}
              </span>
            </span>
          )}
        </div>
      ) : null}
    </>
  );
}

function Row({ rule, offered, vault }: { rule: OwnRule; offered: Offered; vault: MyVault }) {
  return (
    <RuleRow title={rule.title} severity={rule.severity} isOn={rule.enabled} isOwn words={ownRuleWords(rule, offered)}>
      <p className="flex flex-wrap items-center gap-1 text-12 text-muted">
        {`Set ${formatUtc(rule.updated_at)} by `}
        <AddressTag value={rule.updated_by} what="wallet that set the rule" />
      </p>
      <OwnRuleForm rule={rule} offered={offered} vault={vault} />
    </RuleRow>
  );
}
