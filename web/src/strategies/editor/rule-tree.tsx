import { Plus, X } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Choice } from '../../design/choice.tsx';
import { Field } from '../../design/field.tsx';
import { condition, type DraftNode, retyped } from './draft.ts';
import { ExpressionField } from './expression-field.tsx';
import { type Fault, faultsAt } from './judge.ts';

export const nodeTypes: { value: DraftNode['type']; label: string }[] = [
  { value: 'EXPR', label: 'Condition' },
  { value: 'AND', label: 'All of (AND)' },
  { value: 'OR', label: 'Any of (OR)' },
  { value: 'NOT', label: 'Not (NOT)' },
  { value: 'VOTE', label: 'At least n of (VOTE)' },
];

type Props = {
  node: DraftNode;
  path: string;
  /** How it is called aloud: "1.2". */
  number: string;
  faults: readonly Fault[];
  warnings: readonly Fault[];
  onChange: (node: DraftNode) => void;
  onRemove?: (() => void) | undefined;
};

/** One node of a rule with all below it. */
export function RuleTree({ node, path, number, faults, warnings, onChange, onRemove }: Props) {
  const { type } = node;
  const own = faultsAt(faults, path);
  const name = number === '' ? 'Rule' : `Node ${number}`;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-control border border-line p-2 sm:p-3">
      <legend className="sr-only">{name}</legend>
      <div className="flex flex-wrap items-end gap-2">
        <Choice
          label={`${name} is`}
          hideLabel
          value={type}
          options={nodeTypes}
          onChange={(next) => onChange(retyped(node, next))}
          className="w-44"
        />
        {type === 'VOTE' ? (
          <Field
            label={`${name} needs`}
            value={node.threshold}
            onChange={(threshold) => onChange({ ...node, threshold })}
            error={faultsAt(faults, `${path}.threshold`)[0]?.message}
            inputMode="numeric"
            className="w-32"
          />
        ) : null}
        {onRemove === undefined ? null : (
          <Button look="quiet" aria-label={`Remove ${name.toLowerCase()}`} onPress={onRemove} className="ml-auto">
            <X size={16} aria-hidden="true" />
          </Button>
        )}
      </div>
      {own.map(({ message }) => (
        <p key={message} className="text-12 text-danger">
          {message}
        </p>
      ))}
      {type === 'EXPR' ? (
        <ExpressionField
          label={`${name}, condition`}
          hideLabel
          value={node.expr}
          onChange={(expr) => onChange({ ...node, expr })}
          faults={faultsAt(faults, `${path}.expr`)}
          warnings={faultsAt(warnings, `${path}.expr`)}
          placeholder="vault_free_assets > vault_tvl * 5 %"
        />
      ) : (
        <Children node={node} path={path} number={number} faults={faults} warnings={warnings} onChange={onChange} />
      )}
    </fieldset>
  );
}

function Children({ node, path, number, faults, warnings, onChange }: Omit<Props, 'onRemove'>) {
  const { type, children } = node;
  const put = (next: readonly DraftNode[]) => onChange({ ...node, children: next });
  const place = number === '' ? '' : `${number}.`;
  return (
    <div className="flex flex-col gap-2 border-l-2 border-line-strong pl-2 sm:pl-3">
      {children.map((child, index) => (
        <RuleTree
          key={child.key}
          node={child}
          path={type === 'NOT' ? `${path}.child` : `${path}.children.${index}`}
          number={`${place}${index + 1}`}
          faults={faults}
          warnings={warnings}
          onChange={(changed) => put(children.map((each) => (each.key === child.key ? changed : each)))}
          onRemove={children.length < 2 ? undefined : () => put(children.filter(({ key }) => key !== child.key))}
        />
      ))}
      {type === 'NOT' ? null : (
        <span className="flex flex-wrap gap-2">
          <Button onPress={() => put([...children, condition()])}>
            <Plus size={14} aria-hidden="true" />
            Condition
          </Button>
          <Button onPress={() => put([...children, { ...condition(), type: 'OR', children: [condition()] }])}>
            <Plus size={14} aria-hidden="true" />
            Group
          </Button>
        </span>
      )}
    </div>
  );
}
