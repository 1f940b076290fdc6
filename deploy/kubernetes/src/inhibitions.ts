import { readFileSync } from 'node:fs';
import type { AlertmanagerConfig as ConfigModel } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1';
import { parse } from 'yaml';
import type { Configuration } from './configuration.ts';
import type { Plain } from './manifest.ts';
import { labelsOf } from './pod.ts';
import { repository } from './repository.ts';

type InhibitRule = NonNullable<ConfigModel['spec']['inhibitRules']>[number];
type Matcher = NonNullable<InhibitRule['sourceMatch']>[number];
type Written = { source_matchers: string[]; target_matchers: string[]; equal?: string[] };

function matcherOf(text: string): Matcher {
  const [, name, matchType, value] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(text) ?? [];
  if (!name) throw new Error(`deploy/alertmanager/alertmanager.yml: ${text} is no matcher.`);
  return { name, matchType: matchType as NonNullable<Matcher['matchType']>, value: `${value}` };
}

/**
 * Which alert speaks for others, as deploy/alertmanager/alertmanager.yml says it. It has no route: who hears of what is the
 * operator's. By default it is about alerts with the label of its namespace, which all of ours have.
 */
export function inhibitionsOf({ monitoring }: Configuration): Plain<ConfigModel> {
  const text = readFileSync(repository('deploy/alertmanager/alertmanager.yml'), 'utf8');
  const { inhibit_rules: rules } = parse(text) as { inhibit_rules: Written[] };
  return {
    apiVersion: 'monitoring.coreos.com/v1alpha1',
    kind: 'AlertmanagerConfig',
    metadata: { name: 'castellan', labels: { ...labelsOf('rules'), ...monitoring.labels } },
    spec: {
      inhibitRules: rules.map(({ source_matchers, target_matchers, equal }) => ({
        sourceMatch: source_matchers.map(matcherOf),
        targetMatch: target_matchers.map(matcherOf),
        ...(equal && { equal }),
      })),
    },
  };
}
