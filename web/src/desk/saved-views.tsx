import { Bookmark } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { AskedButton } from '../design/asked-button.tsx';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { useViewer } from '../session/use-session.ts';
import { useViews } from './views.ts';

type Props = {
  /** The state of the table as its address has it. */
  search: string;
  onOpen: (search: string) => void;
};

const NameViewDialog = lazy(() => import('./name-view-dialog.tsx'));

const USUAL = 'usual';
const UNSAVED = 'unsaved';

/** Columns, sort and filter under a name, each wallet's own: opens one, saves what is shown, changes one, takes one away. */
export function SavedViews(props: Props) {
  const viewer = useViewer();
  return <ViewsOf key={viewer} viewer={viewer} {...props} />;
}

function ViewsOf({ viewer, search, onOpen }: Props & { viewer: string }) {
  const { views, save, remove } = useViews(viewer);
  const list = useRef<HTMLSelectElement>(null);
  const [isNaming, setIsNaming] = useState(false);
  const [wasNaming, setWasNaming] = useState(false);
  if (isNaming && !wasNaming) setWasNaming(true);
  const current = views.find((view) => view.search === search);
  // The one that was last shown, so that what is changed since can be kept under its name.
  const [begun, setBegun] = useState(current?.name);
  if (current !== undefined && current.name !== begun) setBegun(current.name);
  if (search === '' && current === undefined && begun !== undefined) setBegun(undefined);
  const changed = current === undefined ? views.find(({ name }) => name === begun) : undefined;
  const open = (value: string) => {
    const view = views.find((each) => `view:${each.name}` === value);
    if (view !== undefined || value === USUAL) onOpen(view?.search ?? '');
  };
  // The button that was pressed goes with what it did; the list says what is open now.
  const update = (name: string) => {
    save({ name, search });
    list.current?.focus();
  };
  const take = (name: string) => {
    remove(name);
    list.current?.focus();
  };
  const unsaved = changed === undefined ? 'View not saved' : `${changed.name}, changed`;
  return (
    <>
      <Choice
        ref={list}
        label="View"
        hideLabel
        value={current !== undefined ? `view:${current.name}` : search === '' ? USUAL : UNSAVED}
        options={[
          { value: USUAL, label: 'Usual view' },
          ...(current === undefined && search !== '' ? [{ value: UNSAVED, label: unsaved }] : []),
          ...views.map((view) => ({ value: `view:${view.name}`, label: view.name })),
        ]}
        onChange={open}
        className="w-40"
      />
      {changed === undefined ? null : (
        <Button aria-label={`Update the view ${changed.name}`} onPress={() => update(changed.name)}>
          Update view
        </Button>
      )}
      {current === undefined ? (
        <Button isDisabled={search === ''} onPress={() => setIsNaming(true)}>
          <Bookmark size={14} aria-hidden="true" />
          Save view
        </Button>
      ) : (
        <AskedButton
          key={current.name}
          label={`Delete the view ${current.name}`}
          sure="Delete for good"
          sureLabel={`Delete the view ${current.name} for good`}
          onPress={() => take(current.name)}
        >
          Delete view
        </AskedButton>
      )}
      {wasNaming ? (
        <Suspense fallback={null}>
          <NameViewDialog
            isOpen={isNaming}
            onClose={() => setIsNaming(false)}
            onName={(name) => save({ name, search })}
          />
        </Suspense>
      ) : null}
    </>
  );
}
