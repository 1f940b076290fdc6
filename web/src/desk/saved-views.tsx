import { Bookmark, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { useViews } from './views.ts';

type Props = {
  /** The state of the table as its address has it. */
  search: string;
  onOpen: (search: string) => void;
};

const NameViewDialog = lazy(() => import('./name-view-dialog.tsx'));

const USUAL = 'usual';
const UNSAVED = 'unsaved';

/** Columns, sort and filter under a name: opens one, saves what is shown, takes one away. */
export function SavedViews({ search, onOpen }: Props) {
  const { views, save, remove } = useViews();
  const [isNaming, setIsNaming] = useState(false);
  const [wasNaming, setWasNaming] = useState(false);
  if (isNaming && !wasNaming) setWasNaming(true);
  const current = views.find((view) => view.search === search);
  const open = (value: string) => {
    const view = views.find((each) => `view:${each.name}` === value);
    if (view !== undefined || value === USUAL) onOpen(view?.search ?? '');
  };
  return (
    <>
      <Choice
        label="View"
        hideLabel
        value={current !== undefined ? `view:${current.name}` : search === '' ? USUAL : UNSAVED}
        options={[
          { value: USUAL, label: 'Usual view' },
          ...(current === undefined && search !== '' ? [{ value: UNSAVED, label: 'View not saved' }] : []),
          ...views.map((view) => ({ value: `view:${view.name}`, label: view.name })),
        ]}
        onChange={open}
        className="w-40"
      />
      {current === undefined ? (
        <Button isDisabled={search === ''} onPress={() => setIsNaming(true)}>
          <Bookmark size={14} aria-hidden="true" />
          Save view
        </Button>
      ) : (
        <Button aria-label={`Delete the view ${current.name}`} onPress={() => remove(current.name)}>
          <Trash2 size={14} aria-hidden="true" />
          Delete view
        </Button>
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
