import { clsx } from 'clsx';
import { useMemo } from 'react';
import { actionWords } from '../../types.ts';
import { type SourceField, sourceLabel } from '../action-fields.tsx';
import { resultLooks } from '../explain.tsx';
import { faultsAt } from '../judge.ts';
import { ActionEditor, RuleBlockEditor, SourceEditor } from './block-editors.tsx';
import { BlockItem, type Standing } from './block-item.tsx';
import {
  actionLabel,
  blockLabel,
  blockName,
  chosenName,
  kindWords,
  missing,
  nothingChosen,
  sizeText,
  sourceBlockLabel,
} from './block-words.ts';
import { useCanvas } from './canvas-context.ts';
import { type Block, childrenOf, rootBlock } from './tree.ts';
import { partsOfAction } from './use-blocks.ts';

const Caption = ({ children }: { children: string }) => <span className="label-caps">{children}</span>;
const Missing = ({ children }: { children: string }) => <span className="text-13 text-muted italic">{children}</span>;

/** What is done, what it is done with, and when: each a block, joined as the program joins them. */
export function ProgramTree() {
  const { part, blocks } = useCanvas();
  const { draft, faults } = part;
  const { action } = draft.action;
  const sources = partsOfAction(draft);
  const isWrong = faults.some(
    ({ path }) => path.startsWith('action_config.size') || path.startsWith('action_config.execution'),
  );
  return (
    <BlockItem
      at="action"
      level={1}
      index={0}
      count={1}
      label={`${actionLabel(draft)}${isWrong ? ', to be put right' : ''}`}
      name="the action"
      caption={<Caption>Action</Caption>}
      look="border-accent bg-surface"
      isWrong={isWrong}
      below={[
        ...sources.map((field, index) => (
          <SourceBlock key={field} field={field} level={2} index={index} count={sources.length + 1} />
        )),
        <RuleBlock
          key="rule"
          block={rootBlock(draft.rule)}
          level={2}
          index={sources.length}
          count={sources.length + 1}
        />,
      ]}
    >
      {blocks.written === 'action' ? (
        <ActionEditor />
      ) : (
        <>
          <span className="text-14 font-semibold">{actionWords[action]}</span>{' '}
          <Expression text={sizeText(draft)} missing={missing.size} />
        </>
      )}
    </BlockItem>
  );
}

function SourceBlock({ field, ...standing }: { field: SourceField } & Standing) {
  const { part, blocks } = useCanvas();
  const { draft, faults } = part;
  const isWrong = faultsAt(faults, `action_config.${field}`).length > 0;
  const caption = sourceLabel(draft.action.action, field);
  const name = chosenName(part, field);
  return (
    <BlockItem
      at={field}
      label={`${sourceBlockLabel(part, field)}${isWrong ? ', to be put right' : ''}`}
      name={caption.toLowerCase()}
      caption={<Caption>{caption}</Caption>}
      look="border-info bg-surface"
      isWrong={isWrong}
      {...standing}
    >
      {blocks.written === field ? (
        <SourceEditor field={field} />
      ) : name !== undefined ? (
        <span className="text-14 font-semibold break-words">{name}</span>
      ) : (
        <Missing>{nothingChosen(draft)}</Missing>
      )}
    </BlockItem>
  );
}

const Expression = ({ text, missing: instead }: { text: string; missing: string }) =>
  text.trim() === '' ? (
    <Missing>{instead}</Missing>
  ) : (
    <span title={text} className="line-clamp-4 font-mono text-12 break-words whitespace-pre-wrap">
      {text}
    </span>
  );

function RuleBlock({ block, ...standing }: { block: Block } & Standing) {
  const { part, blocks, results } = useCanvas();
  const { node, path, number, parent } = block;
  const own = part.faults.filter((fault) => [path, `${path}.expr`, `${path}.threshold`].includes(fault.path));
  const result = results.get(path);
  // The same thing while it lies where it is, so that what is carried knows its block.
  const carried = useMemo(() => ({ key: node.key }), [node.key]);
  const children = childrenOf(block);
  return (
    <BlockItem
      at={node.key}
      label={blockLabel(block, result, own[0]?.message)}
      name={blockName(block)}
      carried={parent === undefined ? undefined : carried}
      look={node.type === 'EXPR' ? 'bg-surface' : 'border-line-strong bg-raised'}
      isWrong={own.length > 0}
      isShort={node.type !== 'EXPR'}
      {...standing}
      caption={
        <>
          {result === undefined ? null : <Result result={result} />}
          <Caption>
            {parent === undefined ? 'When' : `${node.type === 'EXPR' ? 'Condition' : 'Group'} ${number}`}
          </Caption>
        </>
      }
      below={children.map((child) => (
        <RuleBlock
          key={child.node.key}
          block={child}
          level={standing.level + 1}
          index={child.index}
          count={children.length}
        />
      ))}
    >
      {blocks.written === node.key ? (
        <RuleBlockEditor block={block} />
      ) : node.type === 'EXPR' ? (
        <Expression text={node.expr} missing={missing.condition} />
      ) : (
        <span className="text-14 font-semibold">{kindWords(node)}</span>
      )}{' '}
      {blocks.written === node.key || own.length === 0 ? null : (
        <span className="text-12 text-danger">{own[0]?.message}</span>
      )}
    </BlockItem>
  );
}

function Result({ result }: { result: boolean | null }) {
  const { icon: Icon, word, look } = resultLooks[String(result) as keyof typeof resultLooks];
  return (
    <span title={`${word} now`}>
      <Icon size={14} aria-hidden="true" className={clsx('shrink-0', look)} />
    </span>
  );
}
