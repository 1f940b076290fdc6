import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../../design/button.tsx';
import { Choice } from '../../../design/choice.tsx';
import { Field } from '../../../design/field.tsx';
import { ActionChoice, HookFields, SizeField, SourceChoice, type SourceField } from '../action-fields.tsx';
import { ExpressionField } from '../expression-field.tsx';
import { faultsAt } from '../judge.ts';
import { nodeTypes } from '../rule-tree.tsx';
import { useCanvas } from './canvas-context.ts';
import { changedType, withNode } from './edits.ts';
import type { Block } from './tree.ts';
import type { At } from './use-blocks.ts';

/** Where a block is written on, in its place. Escape leads back to the block; what was typed stays, and can be undone. */
function Written({ at, children }: { at: At; children: ReactNode }) {
  const { blocks } = useCanvas();
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    area.current?.querySelector<HTMLElement>('textarea, select, input')?.focus({ preventScroll: true });
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what its fields do not need
    <div
      ref={area}
      onKeyDown={(event) => {
        const isDone = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
        if (!isDone) return;
        event.preventDefault();
        event.stopPropagation();
        blocks.go(at);
      }}
      className="flex flex-col gap-2"
    >
      {children}
      <span>
        <Button className="min-h-7!" onPress={() => blocks.go(at)}>
          Done
        </Button>
      </span>
    </div>
  );
}

export function RuleBlockEditor({ block: { node, path } }: { block: Block }) {
  const { blocks, part } = useCanvas();
  const { faults, warnings } = part;
  const put = (next: Partial<typeof node>) =>
    part.onChange({ rule: withNode(blocks.rule, node.key, (before) => ({ ...before, ...next })) });
  if (node.type === 'EXPR')
    return (
      <Written at={node.key}>
        <ExpressionField
          label="Condition"
          hideLabel
          value={node.expr}
          onChange={(expr) => put({ expr })}
          faults={faultsAt(faults, `${path}.expr`)}
          warnings={faultsAt(warnings, `${path}.expr`)}
          placeholder="vault_free_assets > vault_tvl * 5 %"
        />
      </Written>
    );
  return (
    <Written at={node.key}>
      <Choice
        label="Kind of group"
        hideLabel
        value={node.type}
        options={nodeTypes.filter(({ value }) => value !== 'EXPR')}
        onChange={(type) => blocks.take(changedType(blocks.rule, node.key, type), true)}
      />
      {node.type === 'VOTE' ? (
        <Field
          label="How many have to hold"
          value={node.threshold}
          onChange={(threshold) => put({ threshold })}
          error={faultsAt(faults, `${path}.threshold`)[0]?.message}
          inputMode="numeric"
        />
      ) : null}
    </Written>
  );
}

const useActionPart = () => {
  const { part } = useCanvas();
  const { draft, onChange } = part;
  return {
    ...part,
    onChange: (next: Partial<typeof draft.action>) => onChange({ action: { ...draft.action, ...next } }),
  };
};

export function ActionEditor() {
  const props = useActionPart();
  return (
    <Written at="action">
      <ActionChoice {...props} />
      <HookFields {...props} />
      <SizeField {...props} />
    </Written>
  );
}

export const SourceEditor = ({ field }: { field: SourceField }) => (
  <Written at={field}>
    <SourceChoice {...useActionPart()} field={field} />
  </Written>
);
