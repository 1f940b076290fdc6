import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Card } from '../design/card.tsx';
import { Choice } from '../design/choice.tsx';
import { askBefore } from '../design/leaving.ts';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useViewer } from '../session/use-session.ts';
import { OwnRules } from './own-rules/own-rules.tsx';
import { rulesQuery } from './queries.ts';
import { RuleRow } from './rule-row.tsx';
import { RuleSettings } from './rule-settings.tsx';
import { ruleWords } from './rule-words.ts';

const keyOf = ({ chain_id, vault_address }: MyVault): string => `${chain_id}:${vault_address}`;

/** Rules of one vault: thresholds, delays, owner, and what they would have done over its own history. */
export function RulesCard({ vaults }: { vaults: readonly MyVault[] }) {
  const [chosen, setChosen] = useState<string>();
  const vault = vaults.find((each) => keyOf(each) === chosen) ?? vaults[0];
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b px-4 py-2">
        <h2 className="text-14 font-semibold">Rules</h2>
        {vault === undefined ? null : (
          <Choice
            label="Vault"
            hideLabel
            value={keyOf(vault)}
            options={vaults.map((each) => ({ value: keyOf(each), label: each.name }))}
            // The forms below are of one vault each.
            onChange={(next) => askBefore(() => setChosen(next))}
            className="w-full sm:w-56"
          />
        )}
      </div>
      {vault === undefined ? (
        <Empty title="No vault">Rules are set per vault; they appear here once you have a role on one.</Empty>
      ) : (
        <Fragment key={keyOf(vault)}>
          <OwnRules vault={vault} />
          <Rules vault={vault} />
        </Fragment>
      )}
    </Card>
  );
}

function Rules({ vault }: { vault: MyVault }) {
  const { api, config } = useApp();
  const symbol = chainById(config, vault.chain_id)?.native_symbol ?? 'native coin';
  const list = useQuery(rulesQuery(api, useViewer(), vault.chain_id, vault.vault_address));
  if (list.data === undefined)
    return list.isError ? <ReadTrouble of={list} what="The rules" /> : <RowSkeletons rows={6} />;
  return (
    <>
      <ReadTrouble of={list} what="The rules" />
      <ul aria-label="Rules" className="divide-y">
        {list.data.rules.map((rule) => (
          <RuleRow
            key={rule.rule_id}
            title={rule.title}
            severity={rule.severity}
            isOn={rule.settings.enabled}
            words={ruleWords(rule, symbol)}
          >
            <RuleSettings rule={rule} vault={vault} />
          </RuleRow>
        ))}
      </ul>
    </>
  );
}
