import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { useViews } from './views.ts';

type Props = {
  /** The state of the table as its address has it. */
  search: string;
  onOpen: (search: string) => void;
};

const MOST_LETTERS = 60;
const USUAL = 'usual';
const UNSAVED = 'unsaved';

/** Columns, sort and filter under a name: opens one, saves what is shown, takes one away. */
export function SavedViews({ search, onOpen }: Props) {
  const { views, save, remove } = useViews();
  const [isNaming, setIsNaming] = useState(false);
  const [name, setName] = useState('');
  const current = views.find((view) => view.search === search);
  const close = () => setIsNaming(false);
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
      <Dialog title="Save this view" isOpen={isNaming} onClose={close}>
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            save({ name: name.trim(), search });
            setName('');
            close();
          }}
        >
          <Field
            label="Name"
            value={name}
            onChange={setName}
            maxLength={MOST_LETTERS}
            autoFocus
            hint="Columns, sort and filter are kept in this browser. A view of the same name is replaced."
          />
          <Button type="submit" look="primary" isDisabled={name.trim() === ''} className="self-start">
            Save
          </Button>
        </form>
      </Dialog>
    </>
  );
}
