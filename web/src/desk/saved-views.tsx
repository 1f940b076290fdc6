import { Bookmark, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
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
  const unsaved = changed === undefined ? 'View not saved' : `${changed.name}, changed`;
  return (
    <>
      <Choice
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
        <Button aria-label={`Update the view ${changed.name}`} onPress={() => save({ name: changed.name, search })}>
          Update view
        </Button>
      )}
      {current === undefined ? (
        <Button isDisabled={search === ''} onPress={() => setIsNaming(true)}>
          <Bookmark size={14} aria-hidden="true" />
          Save view
        </Button>
      ) : (
        <DeleteView key={current.name} name={current.name} onDelete={() => remove(current.name)} />
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

/** Asks once more in its place: what made the view cannot be read anywhere else. */
function DeleteView({ name, onDelete }: { name: string; onDelete: () => void }) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <Button aria-label={`Delete the view ${name}`} onPress={() => setAsked(true)}>
        <Trash2 size={14} aria-hidden="true" />
        Delete view
      </Button>
    );
  return (
    <>
      <Button look="danger" autoFocus aria-label={`Delete the view ${name} for good`} onPress={onDelete}>
        Delete for good
      </Button>
      <Button look="quiet" aria-label={`Keep the view ${name}`} onPress={() => setAsked(false)}>
        Keep it
      </Button>
    </>
  );
}
