import { Redo2, Undo2 } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Notice } from '../../design/states.tsx';
import { formatUtc } from '../../format/time.ts';
import type { Template } from './template.ts';
import type { useDraft } from './use-draft.ts';

type Writing = ReturnType<typeof useDraft>;

/** Steps back and forth. In a text field the browser's own keys go letter by letter. */
export function Steps({ undo, redo }: Pick<Writing, 'undo' | 'redo'>) {
  return (
    <span className="flex gap-1">
      <Button look="quiet" aria-label="Undo" isDisabled={undo === undefined} onPress={() => undo?.()}>
        <Undo2 size={16} aria-hidden="true" />
      </Button>
      <Button look="quiet" aria-label="Redo" isDisabled={redo === undefined} onPress={() => redo?.()}>
        <Redo2 size={16} aria-hidden="true" />
      </Button>
    </span>
  );
}

/** What was left unsaved earlier: it is back, or is offered where others saved a version since. */
export function LeftDraft({ writing, isNew }: { writing: Writing; isNew: boolean }) {
  const { left, isOffered, takeUp, startOver, keepShown } = writing;
  if (left === undefined) return null;
  const when = formatUtc(left.at);
  if (isOffered)
    return (
      <Notice tone="warn" title="There is a draft of yours from an earlier version">
        <p>{`You left it on ${when}, begun from version ${left.version ?? 'none'}. What is shown is the version in force now.`}</p>
        <span className="flex flex-wrap gap-2 pt-2">
          <Button onPress={takeUp}>Show my draft</Button>
          <Button look="danger" onPress={startOver}>
            Drop my draft
          </Button>
        </span>
      </Notice>
    );
  return (
    <Notice tone="info" title="Your draft is back">
      <p>{`You left it on ${when}. It is kept in this browser until it is saved, or until you sign out.`}</p>
      <span className="flex flex-wrap gap-2 pt-2">
        <Button onPress={keepShown}>Go on</Button>
        <Button look="danger" onPress={startOver}>
          {isNew ? 'Drop it and start over' : 'Drop it and show what is saved'}
        </Button>
      </span>
    </Notice>
  );
}

type StartProps = {
  templates: readonly Template[];
  /** What a template is filled in with is still being read. */
  isWaiting: boolean;
  onStart: (template: Template) => void;
};

/** What a new strategy can begin with. */
export function StartFrom({ templates, isWaiting, onStart }: StartProps) {
  if (templates.length === 0) return null;
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="flex flex-wrap items-baseline gap-2">
        <span className="text-14 font-semibold">Begin with</span>
        <span className="text-12 text-muted">
          Everything of it can be changed; nothing runs before it is saved and started.
        </span>
      </h3>
      <ul className="grid grid-cols-1 gap-2 sm:grid-cols-2">
        {templates.map((template) => (
          <li key={template.id} className="flex flex-col items-start gap-2 rounded-control border p-3">
            <p className="text-13">{template.about}</p>
            <Button className="mt-auto" isDisabled={isWaiting} onPress={() => onStart(template)}>
              {template.name}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
