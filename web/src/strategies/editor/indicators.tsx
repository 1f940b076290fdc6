import { Plus, X } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/field.tsx';
import { Switch } from '../../design/switch.tsx';
import type { PartProps } from './action-fields.tsx';
import { newKey } from './draft.ts';
import { ExpressionField, NumberField } from './expression-field.tsx';
import { faultsAt } from './judge.ts';

/** Names for expressions that the rule and the size may use. */
export function Indicators({ draft: { indicators }, faults, warnings, onChange }: PartProps) {
  const put = (key: number, part: { alias?: string; expr?: string }) =>
    onChange({ indicators: indicators.map((each) => (each.key === key ? { ...each, ...part } : each)) });
  return (
    <div className="flex flex-col gap-3">
      {indicators.map(({ key, alias, expr }, index) => (
        <div key={key} className="flex flex-wrap items-start gap-2">
          <Field
            label={`Name ${index + 1}`}
            value={alias}
            onChange={(next) => put(key, { alias: next })}
            error={faultsAt(faults, `indicators.${index}.alias`)[0]?.message}
            mono
            autoComplete="off"
            className="w-40"
          />
          <div className="flex min-w-0 flex-1 basis-60">
            <ExpressionField
              label={`Expression ${index + 1}`}
              value={expr}
              onChange={(next) => put(key, { expr: next })}
              faults={faultsAt(faults, `indicators.${index}.expr`)}
              warnings={faultsAt(warnings, `indicators.${index}.expr`)}
            />
          </div>
          <Button
            look="quiet"
            aria-label={`Remove indicator ${index + 1}`}
            onPress={() => onChange({ indicators: indicators.filter((each) => each.key !== key) })}
            className="sm:mt-6"
          >
            <X size={16} aria-hidden="true" />
          </Button>
        </div>
      ))}
      {faultsAt(faults, 'indicators').map(({ message }) => (
        <p key={message} className="text-12 text-danger">
          {message}
        </p>
      ))}
      <span>
        <Button onPress={() => onChange({ indicators: [...indicators, { key: newKey(), alias: '', expr: '' }] })}>
          <Plus size={14} aria-hidden="true" />
          Indicator
        </Button>
      </span>
    </div>
  );
}

/** A number that must reach a bound besides the rule. */
export function Score({ draft: { score }, faults, warnings, onChange }: PartProps) {
  const put = (part: Partial<typeof score>) => onChange({ score: { ...score, ...part } });
  return (
    <div className="flex flex-col gap-2">
      <Switch label="Ask for a score too" isSelected={score.isUsed} onChange={(isUsed) => put({ isUsed })} />
      {score.isUsed ? (
        <div className="flex flex-wrap items-start gap-2">
          <div className="flex min-w-0 flex-1 basis-60">
            <ExpressionField
              label="Score"
              value={score.expr}
              onChange={(expr) => put({ expr })}
              faults={faultsAt(faults, 'conviction_config.expr')}
              warnings={faultsAt(warnings, 'conviction_config.expr')}
            />
          </div>
          <NumberField
            label="Least score"
            value={score.min_score}
            onChange={(min_score) => put({ min_score })}
            faults={faultsAt(faults, 'conviction_config.min_score')}
            className="w-32"
          />
        </div>
      ) : null}
    </div>
  );
}
